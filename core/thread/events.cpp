// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/thread/events.h"

#include <limits>

namespace palimpsest {
namespace {

const Value *member(const Value &event, std::string_view python, std::string_view javascript)
{
    if (const Value *value = event.find(python))
        return value;
    return event.find(javascript);
}

/// Python's isinstance(value, int), clamped to int64.
std::optional<std::int64_t> whole(const Value *value)
{
    if (!value)
        return std::nullopt;
    switch (value->kind()) {
    case Value::Kind::Int:
        return value->asInt();
    case Value::Kind::Bool:
        return value->asBool() ? 1 : 0;
    case Value::Kind::BigInt:
        return value->bigIntDigits().starts_with('-') ? std::numeric_limits<std::int64_t>::min()
                                                      : std::numeric_limits<std::int64_t>::max();
    default:
        return std::nullopt;
    }
}

std::int64_t clampedSum(std::int64_t a, std::int64_t b)
{
    std::int64_t sum = 0;
    if (!__builtin_add_overflow(a, b, &sum))
        return sum;
    return a > 0 ? std::numeric_limits<std::int64_t>::max() : std::numeric_limits<std::int64_t>::min();
}

} // namespace

EventPtr parseEvent(const Value &stored)
{
    if (stored.isNil())
        return nullptr;
    auto event = std::make_shared<SummarizationEvent>();
    event->raw = stored;
    const Value *cutoff = member(stored, "cutoff_index", "cutoffIndex");
    const Value *summary = member(stored, "summary_message", "summaryMessage");
    const Value *path = member(stored, "file_path", "filePath");
    const std::optional<std::int64_t> index = whole(cutoff);
    event->cutoffIndex = index.value_or(0);
    if (summary)
        event->summaryMessage = messageFromValue(*summary);
    if (path && path->isText())
        event->filePath = path->asText();
    event->createdAtIndex = whole(stored.find("created_at_index"));
    event->malformed = !index || !event->summaryMessage || (path && !path->isText() && !path->isNil());
    return event;
}

Value eventToValue(const SummarizationEvent &event)
{
    Value::Map map;
    if (const std::optional<std::int64_t> cutoff = cutoffOf(event))
        map.emplace_back(Value("cutoff_index"), Value(*cutoff));
    map.emplace_back(Value("file_path"), event.filePath ? Value(*event.filePath) : Value());
    if (event.createdAtIndex)
        map.emplace_back(Value("created_at_index"), Value(*event.createdAtIndex));
    return Value(std::move(map));
}

std::optional<std::int64_t> cutoffOf(const SummarizationEvent &event)
{
    return event.malformed ? whole(member(event.raw, "cutoff_index", "cutoffIndex")) : event.cutoffIndex;
}

Result<std::int64_t> stateCutoff(const SummarizationEvent *prior, std::int64_t effectiveCutoff)
{
    if (!prior)
        return effectiveCutoff;
    if (prior->malformed && !prior->raw.isMap())
        return failure(Error::Code::Malformed, std::string(eventChannel), "the stored event is no map");
    const std::optional<std::int64_t> cutoff = cutoffOf(*prior);
    return cutoff ? clampedSum(*cutoff, clampedSum(effectiveCutoff, -1)) : effectiveCutoff;
}

} // namespace palimpsest
