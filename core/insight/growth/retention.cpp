// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/growth/retention.h"

#include "core/sources/uuidtime.h"

#include <algorithm>
#include <charconv>

namespace palimpsest {
namespace {

using Channel = CheckpointSizes::Channel;

bool isDate(std::string_view text)
{
    // 2026-11-30, with or without a time behind it.
    if (text.size() < 10 || text[4] != '-' || text[7] != '-')
        return false;
    for (const std::size_t at : {0, 1, 2, 3, 5, 6, 8, 9})
        if (text[at] < '0' || text[at] > '9')
            return false;
    return text.size() == 10 || text[10] == 'T' || text[10] == ' ';
}

/// Which of a namespace's checkpoints would stay.
std::vector<bool> keptBy(const RetentionPlan &plan, const std::vector<CheckpointSizes> &rows)
{
    std::vector<bool> kept(rows.size(), true);
    if (plan.keep) {
        const auto gone = static_cast<std::int64_t>(rows.size()) - *plan.keep;
        for (std::int64_t i = 0; i < gone; ++i)
            kept[static_cast<std::size_t>(i)] = false;
        return kept;
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
        std::string time = isoTimeOfId(rows[i].id);
        if (!time.empty() && plan.before.size() > 10 && plan.before[10] == ' ')
            time[10] = ' ';
        kept[i] = time.empty() || time.compare(0, plan.before.size(), plan.before) >= 0;
    }
    return kept;
}

void addBroken(RetentionAdvice &advice, const NamespaceScan &scan, const std::vector<bool> &kept,
    const std::string &channel, Channel CheckpointSizes::*member)
{
    const std::vector<CheckpointSizes> &rows = scan.checkpoints();
    std::vector<bool> whole(rows.size(), false); // the channel can be rebuilt
    BrokenChannel broken{scan.threadId(), scan.ns(), channel, 0, {}, {}, 0};
    std::int32_t first = -1;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const Channel &state = rows[i].*member;
        const std::int32_t parent = rows[i].parent;
        const bool fromParent =
            parent >= 0 && kept[static_cast<std::size_t>(parent)] && whole[static_cast<std::size_t>(parent)];
        whole[i] =
            kept[i] && (state.stored > 0 || !state.known || fromParent || (parent < 0 && !rows[i].parentMissing));
        if (!kept[i] || whole[i])
            continue;
        ++broken.checkpoints;
        if (first < 0)
            first = static_cast<std::int32_t>(i);
    }
    if (first < 0)
        return;
    broken.firstKept = rows[static_cast<std::size_t>(first)].id;
    std::int32_t at = rows[static_cast<std::size_t>(first)].parent;
    while (at >= 0 && (rows[static_cast<std::size_t>(at)].*member).stored == 0
        && rows[static_cast<std::size_t>(at)].parent >= 0)
        at = rows[static_cast<std::size_t>(at)].parent;
    if (at >= 0) {
        broken.nearestSnapshot = rows[static_cast<std::size_t>(at)].id;
        broken.keepAtLeast = static_cast<std::int64_t>(rows.size()) - at;
    }
    advice.broken.push_back(std::move(broken));
}

} // namespace

Result<RetentionPlan> RetentionPlan::parse(const std::string &text)
{
    RetentionPlan plan;
    if (text.starts_with("keep=")) {
        std::int64_t number = 0;
        const auto [end, error] = std::from_chars(text.data() + 5, text.data() + text.size(), number);
        if (error == std::errc() && end == text.data() + text.size() && number >= 0) {
            plan.keep = number;
            return plan;
        }
    } else if (text.starts_with("before=") && isDate(std::string_view(text).substr(7))) {
        plan.before = text.substr(7);
        return plan;
    }
    return failure(Error::Code::Invalid, "--plan",
        "\"" + text
            + "\" is no plan: give keep=N, or before=DATE as in before=2026-11-30 or before=2026-11-30T08:00:00");
}

void adviseRetention(const RetentionPlan &plan, const NamespaceScan &scan, RetentionAdvice &advice)
{
    const std::vector<CheckpointSizes> &rows = scan.checkpoints();
    const std::vector<bool> kept = keptBy(plan, rows);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (kept[i])
            continue;
        ++advice.checkpoints;
        advice.writes += rows[i].writeRows;
        advice.freed += rows[i].footprint + rows[i].writeFootprint;
    }
    addBroken(advice, scan, kept, scan.messagesChannel(), &CheckpointSizes::messages);
    addBroken(advice, scan, kept, "files", &CheckpointSizes::files);
}

} // namespace palimpsest
