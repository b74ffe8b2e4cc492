// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compaction/stages/argumenttruncation.h"

#include "core/base/text.h"
#include "core/compaction/contextsize.h"
#include "core/compaction/stages/cutoff.h"

namespace palimpsest {
namespace {

constexpr std::size_t keptCharacters = 20;

/// The arguments with long texts cut, or nothing when none is.
std::optional<Value> shortenedArguments(const Value &args, const TruncateArgsSettings &settings)
{
    const auto limit = static_cast<std::size_t>(settings.maxLength);
    std::optional<Value::Map> changed;
    const Value::Map &entries = args.asMap();
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const Value &value = entries[i].second;
        if (!value.isText() || value.asText().size() <= limit || text::length(value.asText()) <= limit)
            continue;
        std::string cut = std::string(text::head(value.asText(), keptCharacters)) + settings.truncationText;
        if (cut == value.asText())
            continue;
        if (!changed)
            changed = entries;
        (*changed)[i].second = Value(std::move(cut));
    }
    if (!changed)
        return std::nullopt;
    return Value(std::move(*changed));
}

} // namespace

MessagePtr truncateToolCalls(const MessagePtr &message, const TruncateArgsSettings &settings)
{
    if (message->kind != MessageKind::Ai)
        return nullptr;
    const Value::List &calls = message->toolCalls.asList();
    std::optional<Value::List> changed;
    for (std::size_t i = 0; i < calls.size(); ++i) {
        const std::string &name = calls[i]["name"].asText();
        if (name != "write_file" && name != "edit_file")
            continue;
        auto args = shortenedArguments(calls[i]["args"], settings);
        if (!args)
            continue;
        if (!changed)
            changed = calls;
        (*changed)[i] = calls[i].with("args", std::move(*args));
    }
    if (!changed)
        return nullptr;
    auto copy = std::make_shared<Message>(*message);
    copy->toolCalls = Value(std::move(*changed));
    return copy;
}

bool shouldTruncateArgs(std::int64_t messageCount, std::int64_t totalTokens, const CompactionRules &rules)
{
    if (!rules.truncateArgs || !rules.truncateArgs->trigger)
        return false;
    const ContextSize &trigger = *rules.truncateArgs->trigger;
    switch (trigger.kind) {
    case ContextSize::Kind::Messages:
        return static_cast<double>(messageCount) >= trigger.value;
    case ContextSize::Kind::Tokens:
        return static_cast<double>(totalTokens) >= trigger.value;
    case ContextSize::Kind::Fraction:
        return rules.maxInputTokens && totalTokens >= fractionThreshold(*rules.maxInputTokens, trigger.value);
    }
    return false;
}

std::int64_t truncateCutoff(const RequestView &view, const CompactionRules &rules)
{
    const TruncateArgsSettings settings = rules.truncateArgs.value_or(TruncateArgsSettings());
    const std::int64_t size = view.size();
    const auto byMessages = [&](double keep) {
        return static_cast<double>(size) <= keep ? size : static_cast<std::int64_t>(static_cast<double>(size) - keep);
    };
    ContextSize keep = settings.keep;
    if (keep.kind == ContextSize::Kind::Fraction) {
        if (!rules.maxInputTokens)
            return byMessages(20);
        keep.value = static_cast<double>(fractionThreshold(*rules.maxInputTokens, keep.value));
    } else if (keep.kind == ContextSize::Kind::Messages) {
        return byMessages(keep.value);
    }
    return suffixWithin(view, std::max<std::int64_t>(1, static_cast<std::int64_t>(keep.value)));
}

ArgumentTruncation truncateArgs(const RequestView &view, std::int64_t totalTokens, const CompactionRules &rules)
{
    ArgumentTruncation result;
    result.view = view;
    result.due = shouldTruncateArgs(view.size(), totalTokens, rules);
    if (!result.due)
        return result;
    result.cutoff = truncateCutoff(view, rules);
    if (result.cutoff >= view.size())
        return result;
    const std::int64_t until = view.placeOf(result.cutoff);
    result.changed = view.log->shortened(view.first, until);
    if (result.changed > 0)
        result.view.truncatedUntil = until;
    return result;
}

} // namespace palimpsest
