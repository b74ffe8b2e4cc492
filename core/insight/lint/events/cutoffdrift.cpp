// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/lint/findingsink.h"
#include "core/insight/lint/rules.h"

#include <algorithm>
#include <optional>

namespace palimpsest {
namespace {

/// What an event meant when it was made: the message at the cutoff, or the one before it when nothing was kept.
struct Anchor {
    EventPtr event;
    std::string id;
    std::int64_t place = 0; ///< where that message was
};

std::optional<std::int64_t> placeOf(const MessageLog &log, const std::string &id, std::int64_t expected)
{
    const auto size = static_cast<std::int64_t>(log.size());
    for (std::int64_t distance = 0; distance <= size; ++distance)
        for (const std::int64_t at : {expected - distance, expected + distance})
            if (at >= 0 && at < size && log[static_cast<std::size_t>(at)]->id == id)
                return at;
    return std::nullopt;
}

/// Ids of the messages in [from, to) of the log, as many as evidence can bear.
Value idsBetween(const MessageLog &log, std::int64_t from, std::int64_t to)
{
    constexpr std::size_t most = 50;
    Value::List ids;
    for (std::int64_t i = from; i < to && ids.size() < most; ++i)
        ids.push_back(log[static_cast<std::size_t>(i)]->id ? Value(*log[static_cast<std::size_t>(i)]->id) : Value());
    return Value(std::move(ids));
}

void check(const LintContext &context, FindingSink &sink)
{
    std::vector<std::optional<Anchor>> anchors(context.ns.checkpoints.size());
    for (std::size_t i = 0; i < context.ns.checkpoints.size(); ++i) {
        const Checkpoint &checkpoint = context.ns.checkpoints[i];
        const auto size = static_cast<std::int64_t>(checkpoint.messages.size());
        if (!checkpoint.event || checkpoint.event->malformed || checkpoint.incomplete)
            continue;
        const std::int64_t cutoff = checkpoint.event->cutoffIndex;
        if (checkpoint.parent.isValid() && anchors[checkpoint.parent.at()]
            && *anchors[checkpoint.parent.at()]->event == *checkpoint.event) {
            anchors[i] = anchors[checkpoint.parent.at()];
        } else if (cutoff > 0 && cutoff <= size) {
            const std::int64_t place = cutoff < size ? cutoff : cutoff - 1;
            if (const auto &id = checkpoint.messages[static_cast<std::size_t>(place)]->id)
                anchors[i] = Anchor{checkpoint.event, *id, place};
        }
        if (!anchors[i])
            continue;
        const Anchor &anchor = *anchors[i];
        if (anchor.place < size && checkpoint.messages[static_cast<std::size_t>(anchor.place)]->id == anchor.id)
            continue;
        const auto now = placeOf(checkpoint.messages, anchor.id, anchor.place);
        const std::int64_t by = now ? *now - anchor.place : 0;
        Finding finding;
        finding.rule = "cutoff-drift";
        finding.severity = Finding::Severity::Error;
        finding.messageId = anchor.id;
        if (!now)
            finding.message =
                "The message that stood at the cutoff when the event was made is no longer in the log: the cutoff "
                + std::to_string(cutoff) + " points at another one now.";
        else if (by < 0)
            finding.message = "The log lost " + std::to_string(-by) + " messages before the cutoff: "
                + std::to_string(-by) + " messages that the summary does not cover are hidden from the model.";
        else
            finding.message = "The log gained " + std::to_string(by) + " messages before the cutoff: the last "
                + std::to_string(by) + " summarized messages are shown again beside their summary.";
        finding.evidence = Value::map({{"cutoff_index", Value(cutoff)}, {"expected_place", Value(anchor.place)},
            {"place_now", now ? Value(*now) : Value()}, {"drift", now ? Value(by) : Value()},
            {"lost_message_ids",
                now ? idsBetween(checkpoint.messages, *now + cutoff - anchor.place, std::min(cutoff, size)) : Value()},
            {"repeated_message_ids",
                now ? idsBetween(checkpoint.messages, std::max<std::int64_t>(cutoff, 0), *now + cutoff - anchor.place)
                    : Value()}});
        sink.see(std::move(finding), std::to_string(cutoff) + "/" + anchor.id, CheckpointIndex(i));
    }
}

} // namespace

const Rule rules::cutoffDrift{
    {"cutoff-drift", Finding::Severity::Error,
        "The message at an event's cutoff is no longer the one it was when the event was made.",
        "Do not remove or insert messages before the cutoff after a compaction; or clear _summarization_event with the "
        "same update.",
        "deepagents/middleware/summarization.py _apply_event_to_messages, 0.7.7: the cutoff is an absolute index"},
    &check};

} // namespace palimpsest
