// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/diff/diff.h"

#include "core/artifacts/artifactview.h"
#include "core/compaction/recordedrequest.h"
#include "core/insight/diff/messagekeys.h"
#include "core/thread/projection.h"
#include "core/values/json.h"

#include <algorithm>
#include <charconv>

namespace palimpsest {
namespace {

std::optional<std::int64_t> numberBehind(std::string_view words, std::string_view prefix)
{
    if (!words.starts_with(prefix))
        return std::nullopt;
    const std::string_view digits = words.substr(prefix.size());
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (digits.empty() || error != std::errc() || end != digits.data() + digits.size())
        return std::nullopt;
    return number;
}

tl::unexpected<Error> notThere(std::string_view words, std::int64_t count, std::string_view what)
{
    return failure(Error::Code::NotFound, std::string(words),
        "there are " + std::to_string(count) + " " + std::string(what) + " in this namespace");
}

DiffSide eventSide(const ThreadPtr &thread, const std::string &ns, std::int64_t number)
{
    const ThreadNamespace &space = *thread->find(ns);
    DiffSide side = checkpointSide(thread, ns, space.eventCheckpoints[static_cast<std::size_t>(number - 1)]);
    const Checkpoint &checkpoint = space.checkpoints[side.checkpoint.at()];
    side.kind = DiffSide::Kind::Event;
    side.name = "event " + std::to_string(number);
    side.messages = effectiveMessages(checkpoint.messages, checkpoint.event.get());
    return side;
}

/// Names of the members that differ.
std::vector<std::string> differingMembers(const Message &a, const Message &b)
{
    std::vector<std::string> names;
    const auto add = [&](bool differs, const char *name) {
        if (differs)
            names.emplace_back(name);
    };
    add(a.type != b.type, "type");
    add(a.content != b.content, "content");
    add(a.id != b.id, "id");
    add(a.name != b.name, "name");
    add(a.toolCalls != b.toolCalls, "tool_calls");
    add(a.invalidToolCalls != b.invalidToolCalls, "invalid_tool_calls");
    add(a.toolCallId != b.toolCallId, "tool_call_id");
    add(a.status != b.status, "status");
    add(a.artifact != b.artifact, "artifact");
    add(a.usageMetadata != b.usageMetadata, "usage_metadata");
    add(a.additionalKwargs != b.additionalKwargs, "additional_kwargs");
    add(a.responseMetadata != b.responseMetadata, "response_metadata");
    add(a.extra != b.extra, "extra");
    return names;
}

MessageDiff pairOf(const MessageLog &a, std::size_t i, const MessageLog &b, std::size_t j)
{
    MessageDiff diff;
    diff.a = static_cast<std::int64_t>(i);
    diff.b = static_cast<std::int64_t>(j);
    diff.before = a[i];
    diff.after = b[j];
    if (diff.before == diff.after || *diff.before == *diff.after)
        return diff;
    diff.members = differingMembers(*diff.before, *diff.after);
    // Ids that another run gave are no difference.
    if (diff.before->id != diff.after->id && sameButForIds(*diff.before, *diff.after))
        return diff;
    diff.change = DiffChange::Changed;
    const std::string before = textOf(*diff.before);
    const std::string after = textOf(*diff.after);
    if (before != after)
        diff.text = diffTexts(before, after);
    if (diff.before->toolCalls != diff.after->toolCalls)
        diff.arguments = diffTexts(toJson(diff.before->toolCalls), toJson(diff.after->toolCalls));
    return diff;
}

std::vector<MessageDiff> compareMessages(const MessageLog &a, const MessageLog &b)
{
    const MessageKeys keys = messageKeys({a.begin(), a.end()}, {b.begin(), b.end()}, UnsharedIds::ByWords);
    std::vector<MessageDiff> diffs;
    for (const DiffRun &run : diffSequences(keys.a, keys.b)) {
        for (std::size_t k = 0; k < run.length; ++k) {
            if (run.kind == DiffRun::Kind::Same) {
                diffs.push_back(pairOf(a, run.a + k, b, run.b + k));
                continue;
            }
            MessageDiff diff;
            const bool added = run.kind == DiffRun::Kind::Added;
            const std::size_t place = (added ? run.b : run.a) + k;
            diff.change = added ? DiffChange::Added : DiffChange::Removed;
            (added ? diff.b : diff.a) = static_cast<std::int64_t>(place);
            (added ? diff.after : diff.before) = (added ? b : a)[place];
            const MessagePtr &message = added ? diff.after : diff.before;
            if (message->id && keys.sharedIds.contains(*message->id))
                diff.change = DiffChange::Moved;
            diffs.push_back(std::move(diff));
        }
    }
    return diffs;
}

std::vector<FileDiff> compareFiles(const FileMap &a, const FileMap &b)
{
    std::vector<FileDiff> diffs;
    if (a.identity() == b.identity())
        return diffs;
    const auto add = [&](const std::string &path, const FileEntryPtr *before, const FileEntryPtr *after) {
        if (before && after && (*before == *after || **before == **after))
            return;
        const EntryBytes old = before ? entryBytes(**before) : EntryBytes();
        const EntryBytes now = after ? entryBytes(**after) : EntryBytes();
        if (before && after && old.bytes == now.bytes)
            return; // only its times differ
        FileDiff diff;
        diff.path = path;
        diff.change = !before ? DiffChange::Added : !after ? DiffChange::Removed : DiffChange::Changed;
        diff.before = static_cast<std::int64_t>(old.bytes.size());
        diff.after = static_cast<std::int64_t>(now.bytes.size());
        if (diff.change == DiffChange::Changed && old.text && now.text)
            diff.text = diffTexts(old.bytes, now.bytes);
        diffs.push_back(std::move(diff));
    };
    for (const auto &[path, entry] : a)
        add(path, &entry, b.find(path));
    for (const auto &[path, entry] : b)
        if (!a.find(path))
            add(path, nullptr, &entry);
    std::sort(diffs.begin(), diffs.end(), [](const FileDiff &x, const FileDiff &y) { return x.path < y.path; });
    return diffs;
}

std::vector<ChannelDiff> compareChannels(const std::map<std::string, Value> &a, const std::map<std::string, Value> &b)
{
    std::vector<ChannelDiff> diffs;
    for (const auto &[name, value] : a) {
        const auto other = b.find(name);
        if (other == b.end())
            diffs.push_back({name, DiffChange::Removed, value, {}});
        else if (!(value == other->second))
            diffs.push_back({name, DiffChange::Changed, value, other->second});
    }
    for (const auto &[name, value] : b)
        if (!a.contains(name))
            diffs.push_back({name, DiffChange::Added, {}, value});
    std::sort(diffs.begin(), diffs.end(), [](const ChannelDiff &x, const ChannelDiff &y) { return x.name < y.name; });
    return diffs;
}

} // namespace

std::string_view sideKindName(DiffSide::Kind kind)
{
    switch (kind) {
    case DiffSide::Kind::Checkpoint:
        return "checkpoint";
    case DiffSide::Kind::Call:
        return "call";
    case DiffSide::Kind::Event:
        return "event";
    case DiffSide::Kind::Thread:
        break;
    }
    return "thread";
}

std::string_view changeName(DiffChange change)
{
    switch (change) {
    case DiffChange::Same:
        return "same";
    case DiffChange::Changed:
        return "changed";
    case DiffChange::Added:
        return "added";
    case DiffChange::Removed:
        return "removed";
    case DiffChange::Moved:
        break;
    }
    return "moved";
}

DiffSide checkpointSide(const ThreadPtr &thread, const std::string &ns, CheckpointIndex checkpoint)
{
    const ThreadNamespace &space = *thread->find(ns);
    DiffSide side;
    side.thread = thread;
    side.ns = ns;
    side.checkpoint = checkpoint;
    const Checkpoint &at = space.checkpoints[checkpoint.at()];
    side.name = "checkpoint " + at.id + " (step " + std::to_string(at.step) + ")";
    side.messages = at.messages;
    side.files = at.files;
    return side;
}

DiffSide callSide(const ThreadPtr &thread, const std::string &ns, CallNumber call)
{
    const ThreadNamespace &space = *thread->find(ns);
    const Call &at = space.calls[static_cast<std::size_t>(call.value - 1)];
    DiffSide side = at.checkpoint.isValid() ? checkpointSide(thread, ns, at.checkpoint) : DiffSide();
    side.kind = DiffSide::Kind::Call;
    side.thread = thread;
    side.ns = ns;
    side.call = call;
    side.name = "call " + std::to_string(call.value);
    side.messages = RecordedRequests(thread, space).at(at).messages;
    return side;
}

Result<DiffSide> diffSide(const ThreadPtr &thread, const std::string &ns, std::string_view words)
{
    const ThreadNamespace *space = thread->find(ns);
    if (!space || space->checkpoints.empty())
        return failure(Error::Code::NotFound, thread->id, "has no checkpoints in namespace \"" + ns + "\"");
    const auto count = [](const auto &list) { return static_cast<std::int64_t>(list.size()); };
    if (const auto call = numberBehind(words, "call:")) {
        if (*call < 1 || *call > count(space->calls))
            return notThere(words, count(space->calls), "calls");
        return callSide(thread, ns, CallNumber(*call));
    }
    if (const auto event = numberBehind(words, "event:")) {
        if (*event < 1 || *event > count(space->eventCheckpoints))
            return notThere(words, count(space->eventCheckpoints), "events");
        return eventSide(thread, ns, *event);
    }
    const auto head = words == "head" ? std::optional<std::int64_t>(1) : numberBehind(words, "head:");
    if (head) {
        if (*head < 1 || *head > count(space->heads))
            return notThere(words, count(space->heads), "branches");
        DiffSide side = checkpointSide(thread, ns, space->heads[space->heads.size() - static_cast<std::size_t>(*head)]);
        side.kind = DiffSide::Kind::Thread;
        return side;
    }
    CheckpointIndex found;
    for (std::size_t i = 0; i < space->checkpoints.size(); ++i) {
        const std::string &id = space->checkpoints[i].id;
        if (words.empty() || !id.starts_with(words))
            continue;
        if (id == words)
            return checkpointSide(thread, ns, CheckpointIndex(i));
        if (found.isValid())
            return failure(Error::Code::Invalid, std::string(words), "fits several checkpoints; give more of the id");
        found = CheckpointIndex(i);
    }
    if (!found.isValid())
        return failure(Error::Code::NotFound, std::string(words),
            "is no checkpoint of this namespace; give a checkpoint id, call:N, event:N, head or head:N");
    return checkpointSide(thread, ns, found);
}

std::int64_t Diff::count(DiffChange change) const
{
    return std::count_if(
        messages.begin(), messages.end(), [change](const MessageDiff &diff) { return diff.change == change; });
}

bool Diff::isEmpty() const
{
    return count(DiffChange::Same) == static_cast<std::int64_t>(messages.size()) && channels.empty() && files.empty();
}

Diff compare(const DiffSide &a, const DiffSide &b)
{
    return {compareMessages(a.messages, b.messages), compareChannels(a.channels, b.channels),
        compareFiles(a.files, b.files)};
}

} // namespace palimpsest
