// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compaction/stages/largemessage.h"

#include "core/base/text.h"
#include "core/compaction/stages/contentblocks.h"
#include "core/compaction/stages/preview.h"

namespace palimpsest {
namespace {

/// `_build_evicted_tool_message` (deepagents/middleware/_message_eviction.py): a new message with the old one's
/// identity.
MessagePtr evictedToolMessage(const Message &message, Value content)
{
    auto made = std::make_shared<Message>();
    made->kind = MessageKind::Tool;
    made->type = "tool";
    made->content = std::move(content);
    made->id = message.id;
    made->name = message.name;
    made->additionalKwargs = message.additionalKwargs;
    made->responseMetadata = message.responseMetadata;
    made->toolCallId = message.toolCallId;
    made->status = message.status;
    made->artifact = message.artifact;
    return made;
}

MessageDecision decisionFor(const Message &message)
{
    MessageDecision decision;
    decision.stage = "large-tool-result";
    decision.messageId = message.id;
    decision.toolCallId = message.toolCallId;
    decision.unit = "characters";
    return decision;
}

} // namespace

std::string_view evictionExclusion(std::string_view toolName)
{
    if (toolName == "ls" || toolName == "glob" || toolName == "grep")
        return "the tool truncates its own output; too many matches ask for a narrower query";
    if (toolName == "read_file")
        return "reading the moved result again with read_file would not help";
    if (toolName == "edit_file" || toolName == "write_file" || toolName == "delete")
        return "the tool returns a short confirmation only";
    return {};
}

Attempt<OffloadedToolMessage> offloadToolMessage(const MessagePtr &message, const std::string &content,
    ArtifactBackend &backend, const std::string &prefix, const Dialect &dialect, const FreshNames &names)
{
    const std::string toolCallId = message->toolCallId.value_or(std::string());
    std::string name = "unknown";
    if (!toolCallId.empty()) {
        Attempt<std::string> safe = sanitizeToolCallId(dialect, toolCallId);
        if (!safe)
            return tl::unexpected<Raised>(safe.error());
        name = std::move(*safe);
    } else if (dialect.randomNameWithoutId) {
        name += "-" + names.uuid().substr(0, 8);
    }
    OffloadedToolMessage result;
    result.path = prefix + "/" + name;
    Attempt<std::optional<WriteResult>> written = backend.write(result.path, content);
    if (!written)
        return tl::unexpected<Raised>(written.error());
    if (!*written || ((*written)->error && !(*written)->error->empty()))
        return result;
    if (dialect.stubNamesBackendPath && (*written)->path && !(*written)->path->empty())
        result.path = *(*written)->path;
    Attempt<Value> replacement =
        evictedContent(*message, largeToolResultStub(dialect, toolCallId, result.path, content));
    if (!replacement)
        return tl::unexpected<Raised>(replacement.error());
    result.message = evictedToolMessage(*message, std::move(*replacement));
    return result;
}

Attempt<LargeMessageResult> processLargeMessage(const MessagePtr &message, std::optional<std::int64_t> tokenLimit,
    ArtifactBackend &backend, const Dialect &dialect, const FreshNames &names)
{
    LargeMessageResult result{message, decisionFor(*message)};
    if (!tokenLimit || *tokenLimit == 0) {
        result.decision.reason = "moving large tool results is turned off";
        return result;
    }
    Attempt<std::string> content = extractText(*message);
    if (!content)
        return tl::unexpected<Raised>(content.error());
    result.decision.size = static_cast<std::int64_t>(text::length(*content));
    result.decision.threshold = evictionCharsPerToken * *tokenLimit;
    if (*result.decision.size <= *result.decision.threshold) {
        result.decision.reason = "the text is not longer than the limit";
        return result;
    }
    Attempt<OffloadedToolMessage> moved =
        offloadToolMessage(message, *content, backend, backend.rootPrefix() + "/large_tool_results", dialect, names);
    if (!moved)
        return tl::unexpected<Raised>(moved.error());
    result.decision.path = moved->path;
    if (moved->message) {
        result.message = moved->message;
        result.decision.outcome = MessageDecision::Outcome::Offloaded;
        result.decision.reason = "the text is longer than the limit";
    } else {
        result.decision.outcome = MessageDecision::Outcome::Failed;
        result.decision.reason = "the file could not be written, so the message stays whole";
    }
    return result;
}

Attempt<LargeMessagesResult> interceptToolResults(std::string_view toolName, const std::vector<MessagePtr> &messages,
    std::optional<std::int64_t> tokenLimit, ArtifactBackend &backend, const Dialect &dialect, const FreshNames &names)
{
    LargeMessagesResult result;
    const std::string_view exclusion = evictionExclusion(toolName);
    for (std::size_t i = 0; i < messages.size(); ++i) {
        const MessagePtr &message = messages[i];
        if (message->kind != MessageKind::Tool) {
            result.messages.push_back(message);
            continue;
        }
        if (tokenLimit && !exclusion.empty()) {
            MessageDecision decision = decisionFor(*message);
            decision.outcome = MessageDecision::Outcome::Excluded;
            decision.reason = exclusion;
            decision.index = static_cast<std::int64_t>(i);
            result.messages.push_back(message);
            result.decisions.push_back(std::move(decision));
            continue;
        }
        Attempt<LargeMessageResult> one = processLargeMessage(message, tokenLimit, backend, dialect, names);
        if (!one)
            return tl::unexpected<Raised>(one.error());
        one->decision.index = static_cast<std::int64_t>(i);
        result.messages.push_back(one->message);
        result.decisions.push_back(std::move(one->decision));
    }
    return result;
}

} // namespace palimpsest
