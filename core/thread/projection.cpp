// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/thread/projection.h"

#include "core/thread/events.h"

#include <algorithm>
#include <limits>

namespace palimpsest {
namespace {

bool has(const Value &event, std::string_view python, std::string_view javascript)
{
    return event.contains(python) || event.contains(javascript);
}

const Value &storedCutoff(const Value &event)
{
    return event.contains("cutoff_index") ? event["cutoff_index"] : event["cutoffIndex"];
}

enum class Usable { No, Yes, Raises };

/// What upstream does with a stored event, before it looks at the log.
Usable usability(const SummarizationEvent *event)
{
    if (!event)
        return Usable::No;
    if (!event->malformed)
        return Usable::Yes;
    if (!has(event->raw, "cutoff_index", "cutoffIndex") || !has(event->raw, "summary_message", "summaryMessage"))
        return Usable::No;
    return cutoffOf(*event) ? Usable::Yes : Usable::Raises;
}

std::string lowered(std::string_view text)
{
    std::string lower(text);
    std::transform(lower.begin(), lower.end(), lower.begin(),
        [](unsigned char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : static_cast<char>(c); });
    return lower;
}

/// `_bound_reasoning_types`, 0.7.32: none, the native block types, or those and "reasoning".
bool isBound(std::string_view blockType, const Message &message)
{
    const Value &provider = message.responseMetadata["model_provider"];
    const bool native = blockType == "thinking" || blockType == "redacted_thinking" || blockType == "reasoning_content";
    if (provider.isNil())
        return native;
    if (!provider.isText())
        return false;
    const std::string &name = provider.asText();
    bool claude = name == "anthropic";
    if (name == "bedrock" || name == "bedrock_converse") {
        const std::string model = lowered(message.responseMetadata["model_name"].asText());
        claude = model.find("claude") != std::string::npos || model.find("anthropic") != std::string::npos;
    }
    return claude && (native || blockType == "reasoning");
}

std::int64_t saturated(std::int64_t a, std::int64_t b)
{
    std::int64_t sum = 0;
    if (!__builtin_add_overflow(a, b, &sum))
        return sum;
    return a > 0 ? std::numeric_limits<std::int64_t>::max() : std::numeric_limits<std::int64_t>::min();
}

} // namespace

Projection projectionOf(std::size_t size, const SummarizationEvent *event, BoundReasoning rule)
{
    Projection projection;
    if (usability(event) != Usable::Yes)
        return projection;
    const auto length = static_cast<std::int64_t>(size);
    const std::int64_t cutoff = cutoffOf(*event).value_or(0);
    projection.summary = event->summaryMessage != nullptr;
    // A negative cutoff slices from the end, as in Python.
    projection.first =
        MessageIndex(cutoff < 0 ? std::max<std::int64_t>(0, saturated(length, cutoff)) : std::min(cutoff, length));
    projection.reasoningFrom = projection.first;
    if (rule == BoundReasoning::ByEvent && event->createdAtIndex && cutoff <= length) {
        // Upstream counts from the cutoff as it is stored, even a negative one.
        const std::int64_t negated =
            cutoff == std::numeric_limits<std::int64_t>::min() ? std::numeric_limits<std::int64_t>::max() : -cutoff;
        const std::int64_t kept = saturated(*event->createdAtIndex, negated);
        projection.reasoningFrom =
            MessageIndex(std::clamp(saturated(kept, projection.first.value), projection.first.value, length));
    }
    return projection;
}

MessageIndex rawIndex(const Projection &projection, EffectiveIndex index)
{
    if (!index.isValid() || (projection.summary && index.value == 0))
        return {};
    return MessageIndex(projection.first.value + index.value - (projection.summary ? 1 : 0));
}

EffectiveIndex effectiveIndex(const Projection &projection, MessageIndex index)
{
    if (!index.isValid() || index < projection.first)
        return {};
    return EffectiveIndex(index.value - projection.first.value + (projection.summary ? 1 : 0));
}

Result<MessageLog> applyEvent(const MessageLog &log, const SummarizationEvent *event, BoundReasoning rule)
{
    switch (usability(event)) {
    case Usable::No:
        return log;
    case Usable::Raises: {
        // A fraction can still be compared with the length, and an infinite or large one is then never used as an
        // index.
        const Value &cutoff = storedCutoff(event->raw);
        if (cutoff.isFloat() && cutoff.asDouble() > static_cast<double>(log.size()))
            return MessageLog{event->summaryMessage};
        return failure(
            Error::Code::Malformed, std::string(eventChannel), "the event's cutoff_index is no whole number");
    }
    case Usable::Yes:
        break;
    }
    const Projection projection = projectionOf(log.size(), event, rule);
    MessageLog kept = log.drop(projection.first.at());
    for (std::int64_t raw = projection.first.value; raw < projection.reasoningFrom.value; ++raw) {
        const auto at = static_cast<std::size_t>(raw - projection.first.value);
        const MessagePtr &before = kept[at];
        if (MessagePtr after = dropBoundReasoning(before); after != before)
            kept = std::move(kept).set(at, std::move(after));
    }
    return std::move(kept).push_front(event->summaryMessage);
}

MessageLog effectiveMessages(const MessageLog &log, const SummarizationEvent *event, BoundReasoning rule)
{
    Result<MessageLog> effective = applyEvent(log, event, rule);
    if (!effective)
        return log;
    if (!effective->empty() && !effective->front())
        return effective->drop(1);
    return *std::move(effective);
}

MessagePtr dropBoundReasoning(const MessagePtr &message)
{
    if (!message || message->kind != MessageKind::Ai || !message->content.isList())
        return message;
    const Value::List &blocks = message->content.asList();
    Value::List content;
    for (const Value &block : blocks) {
        const Value *type = block.isMap() ? block.find("type") : nullptr;
        if (!type || !type->isText() || !isBound(type->asText(), *message))
            content.push_back(block);
    }
    if (content.size() == blocks.size())
        return message;
    auto changed = std::make_shared<Message>(*message);
    changed->content = Value(std::move(content));
    return changed;
}

} // namespace palimpsest
