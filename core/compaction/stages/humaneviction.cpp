// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compaction/stages/humaneviction.h"

#include "core/base/text.h"
#include "core/compaction/stages/contentblocks.h"
#include "core/compaction/stages/largemessage.h"
#include "core/compaction/stages/preview.h"

#include <algorithm>

namespace palimpsest {
namespace {

bool isTagged(const Message &message)
{
    return message.kind == MessageKind::Human && message.additionalKwargs["lc_evicted_to"].truthy();
}

MessageDecision decisionFor(const Message &message, std::size_t index)
{
    MessageDecision decision;
    decision.stage = "human-message";
    decision.index = static_cast<std::int64_t>(index);
    decision.messageId = message.id;
    decision.unit = "characters";
    return decision;
}

/// Writes the last message's text and tags it; the tagged message, or null when the write failed.
Attempt<MessagePtr> evictLast(
    const Message &last, ArtifactBackend &backend, const FreshNames &names, MessageDecision &decision)
{
    decision.path = backend.rootPrefix() + "/conversation_history/" + names.uuid() + ".md";
    const Attempt<std::string> content = extractText(last);
    if (!content)
        return tl::unexpected<Raised>(content.error());
    const Attempt<std::optional<WriteResult>> written = backend.write(decision.path, *content);
    if (!written)
        return tl::unexpected<Raised>(written.error());
    if (!*written || ((*written)->error && !(*written)->error->empty())) {
        decision.outcome = MessageDecision::Outcome::Failed;
        decision.reason = "the file could not be written, so the message stays whole";
        return MessagePtr();
    }
    auto tagged = std::make_shared<Message>(last);
    if (!tagged->id)
        tagged->id = names.uuid();
    tagged->additionalKwargs = tagged->additionalKwargs.with("lc_evicted_to", Value(decision.path));
    decision.outcome = MessageDecision::Outcome::Offloaded;
    decision.messageId = tagged->id;
    decision.reason = "the text is longer than the limit";
    return MessagePtr(std::move(tagged));
}

} // namespace

std::string evictedTo(const Message &message)
{
    return message.kind == MessageKind::Human ? message.additionalKwargs["lc_evicted_to"].asText() : std::string();
}

Attempt<MessagePtr> truncatedHumanMessage(const Message &message, const std::string &path, const Dialect &dialect)
{
    const Attempt<std::string> content = extractText(message);
    if (!content)
        return tl::unexpected<Raised>(content.error());
    Attempt<Value> replacement = evictedContent(message, largeHumanMessageStub(dialect, path, *content));
    if (!replacement)
        return tl::unexpected<Raised>(replacement.error());
    auto made = std::make_shared<Message>(message);
    made->content = std::move(*replacement);
    return MessagePtr(std::move(made));
}

Attempt<HumanEvictionCheck> checkHumanEviction(
    const std::vector<MessagePtr> &messages, std::optional<std::int64_t> tokenLimit)
{
    HumanEvictionCheck check;
    if (!tokenLimit || *tokenLimit == 0)
        return check;
    check.hasTagged =
        std::any_of(messages.begin(), messages.end(), [](const MessagePtr &message) { return isTagged(*message); });
    if (messages.empty() || messages.back()->kind != MessageKind::Human || isTagged(*messages.back()))
        return check;
    const Attempt<std::string> content = extractText(*messages.back());
    if (!content)
        return tl::unexpected<Raised>(content.error());
    check.newEvictionNeeded = static_cast<std::int64_t>(text::length(*content)) > evictionCharsPerToken * *tokenLimit;
    return check;
}

Attempt<HumanEvictionResult> evictHumanMessages(const std::vector<MessagePtr> &messages,
    std::optional<std::int64_t> tokenLimit, ArtifactBackend &backend, const Dialect &dialect, const FreshNames &names)
{
    HumanEvictionResult result;
    result.messages = messages;
    const Attempt<HumanEvictionCheck> check = checkHumanEviction(messages, tokenLimit);
    if (!check)
        return tl::unexpected<Raised>(check.error());
    const bool on = tokenLimit && *tokenLimit != 0;
    if (on && !messages.empty() && messages.back()->kind == MessageKind::Human && !isTagged(*messages.back())) {
        MessageDecision decision = decisionFor(*messages.back(), messages.size() - 1);
        const Attempt<std::string> content = extractText(*messages.back());
        decision.size = content ? static_cast<std::int64_t>(text::length(*content)) : 0;
        decision.threshold = evictionCharsPerToken * *tokenLimit;
        decision.reason = "the text is not longer than the limit";
        if (check->newEvictionNeeded) {
            Attempt<MessagePtr> tagged = evictLast(*messages.back(), backend, names, decision);
            if (!tagged)
                return tl::unexpected<Raised>(tagged.error());
            result.tagged = *tagged;
            if (result.tagged)
                result.messages.back() = result.tagged;
        }
        result.decisions.push_back(std::move(decision));
    }
    result.changed = check->hasTagged || check->newEvictionNeeded;
    if (!result.changed)
        return result;
    for (std::size_t i = 0; i < result.messages.size(); ++i) {
        const MessagePtr message = result.messages[i];
        if (!isTagged(*message))
            continue;
        Attempt<MessagePtr> stub = truncatedHumanMessage(*message, evictedTo(*message), dialect);
        if (!stub)
            return tl::unexpected<Raised>(stub.error());
        result.messages[i] = *stub;
        if (message == result.tagged)
            continue;
        MessageDecision decision = decisionFor(*message, i);
        decision.outcome = MessageDecision::Outcome::Restubbed;
        decision.path = evictedTo(*message);
        decision.reason = "moved to a file before; the stub is made anew at every request";
        result.decisions.push_back(std::move(decision));
    }
    return result;
}

std::optional<std::vector<MessagePtr>> moveMediaResults(const std::vector<MessagePtr> &messages)
{
    const auto isMedia = [](const MessagePtr &message) {
        const Value &mark = message->additionalKwargs["read_file_media_result"];
        return message->kind == MessageKind::Human && mark.isBool() && mark.asBool();
    };
    const auto isTool = [](const MessagePtr &message) { return message->kind == MessageKind::Tool; };
    if (std::none_of(messages.begin(), messages.end(), isMedia))
        return std::nullopt;
    std::vector<MessagePtr> out = messages;
    for (auto it = out.begin(); it != out.end();) {
        const bool opensBatch = (*it)->kind == MessageKind::Ai && !(*it)->toolCalls.asList().empty();
        ++it;
        if (!opensBatch)
            continue;
        const auto end = std::find_if(
            it, out.end(), [&](const MessagePtr &message) { return !isTool(message) && !isMedia(message); });
        std::stable_partition(it, end, isTool);
        it = end;
    }
    if (out == messages)
        return std::nullopt;
    return out;
}

} // namespace palimpsest
