// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compaction/stages/overflowclip.h"

#include "core/base/text.h"
#include "core/compaction/stages/contentblocks.h"
#include "core/compaction/stages/largemessage.h"

#include <cmath>

namespace palimpsest {
namespace {

/// A keep without tokens: 5,000, or 20,000 characters.
constexpr std::int64_t fallbackThreshold = 5000;
/// Code points of a read_file result that stay.
constexpr std::size_t readFileHead = 4000;

/// The `file_path` argument of the read_file call that this result answers, or an empty text. The last call with the id
/// counts.
std::string readFilePath(const Message &result, const std::vector<MessagePtr> &messages)
{
    if (!result.toolCallId || result.toolCallId->empty())
        return {};
    for (auto message = messages.rbegin(); message != messages.rend(); ++message) {
        if ((*message)->kind != MessageKind::Ai)
            continue;
        const Value::List &calls = (*message)->toolCalls.asList();
        for (auto call = calls.rbegin(); call != calls.rend(); ++call) {
            if ((*call)["id"].asText() != *result.toolCallId)
                continue;
            return (*call)["name"].asText() == "read_file" ? (*call)["args"]["file_path"].asText() : std::string();
        }
    }
    return {};
}

/// `_slice_read_file_tm` (deepagents/middleware/_overflow_clip.py).
Attempt<MessagePtr> slicedReadFile(const Message &message, const std::string &path)
{
    const Attempt<std::string> content = extractText(message);
    if (!content)
        return tl::unexpected<Raised>(content.error());
    auto made = std::make_shared<Message>(message);
    made->content = Value(std::string(text::head(*content, readFileHead))
        + "\n\n[Output was truncated due to context window size limits. The full content is at " + path
        + ". Use read_file with offset and limit parameters to retrieve specific portions. For example, to read the "
          "first 100 lines, call read_file with "
          "file_path='"
        + path + "', offset=0, limit=100.]");
    return MessagePtr(std::move(made));
}

} // namespace

std::int64_t overflowClipThreshold(const ContextSize &keep, std::optional<std::int64_t> maxInputTokens)
{
    if (keep.kind == ContextSize::Kind::Tokens)
        return static_cast<std::int64_t>(keep.value);
    if (keep.kind == ContextSize::Kind::Fraction && maxInputTokens)
        return static_cast<std::int64_t>(std::trunc(static_cast<double>(*maxInputTokens) * keep.value));
    return fallbackThreshold;
}

std::optional<std::size_t> tailToolBatch(const std::vector<MessagePtr> &messages)
{
    std::size_t start = messages.size();
    while (start > 0 && messages[start - 1]->kind == MessageKind::Tool)
        --start;
    return start < messages.size() ? std::optional<std::size_t>(start) : std::nullopt;
}

Attempt<OverflowClipResult> clipOverflowTail(const std::vector<MessagePtr> &messages, const ContextSize &keep,
    std::optional<std::int64_t> maxInputTokens, const MessageCounter &counter, const std::string &prefix,
    ArtifactBackend &backend, const Dialect &dialect, const FreshNames &names)
{
    OverflowClipResult result;
    result.messages = messages;
    const std::optional<std::size_t> start = tailToolBatch(messages);
    if (!start)
        return result;
    const std::int64_t size = counter(std::span(messages).subspan(*start));
    const std::int64_t threshold = overflowClipThreshold(keep, maxInputTokens);
    bool clipped = false;
    for (std::size_t i = *start; i < messages.size(); ++i) {
        const MessagePtr &message = messages[i];
        MessageDecision decision;
        decision.stage = "overflow-clip";
        decision.index = static_cast<std::int64_t>(i);
        decision.messageId = message->id;
        decision.toolCallId = message->toolCallId;
        decision.size = size;
        decision.threshold = threshold;
        decision.unit = "tokens";
        if (size < threshold) {
            decision.reason = "the trailing tool results together are below the threshold";
            result.decisions.push_back(std::move(decision));
            continue;
        }
        MessagePtr replacement;
        decision.path = readFilePath(*message, messages);
        if (!decision.path.empty()) {
            Attempt<MessagePtr> sliced = slicedReadFile(*message, decision.path);
            if (!sliced)
                return tl::unexpected<Raised>(sliced.error());
            replacement = *sliced;
            decision.outcome = MessageDecision::Outcome::Clipped;
            decision.reason = "a read_file result is cut, its file holds the rest";
        } else {
            const Attempt<std::string> content = extractText(*message);
            if (!content)
                return tl::unexpected<Raised>(content.error());
            Attempt<OffloadedToolMessage> moved =
                offloadToolMessage(message, *content, backend, prefix, dialect, names);
            if (!moved)
                return tl::unexpected<Raised>(moved.error());
            replacement = moved->message;
            decision.path = moved->path;
            decision.outcome = replacement ? MessageDecision::Outcome::Offloaded : MessageDecision::Outcome::Failed;
            decision.reason = replacement ? "the trailing tool results together reach the threshold"
                                          : "the file could not be written, so the message stays whole";
        }
        if (replacement && !replacement->id) {
            auto named = std::make_shared<Message>(*replacement);
            named->id = names.uuid();
            replacement = std::move(named);
        }
        if (replacement) {
            clipped = true;
            result.messages[i] = replacement;
        }
        result.decisions.push_back(std::move(decision));
    }
    if (clipped)
        result.replacements.assign(
            result.messages.begin() + static_cast<std::ptrdiff_t>(*start), result.messages.end());
    return result;
}

} // namespace palimpsest
