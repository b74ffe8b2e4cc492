// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/thread/blobview.h"
#include "core/thread/threadreader.h"

#include "core/serde/typed.h"

#include <algorithm>

namespace palimpsest {
namespace {

/// One checkpoint's blob with its view, which points into it.
struct OpenBlob {
    TypedBytes blob;
    BlobView view;
};

Result<std::unique_ptr<OpenBlob>> openBlob(
    CheckpointSource &source, const std::string &threadId, const std::string &ns, const std::string &checkpointId)
{
    Result<TypedBytes> blob = source.checkpointBlob(threadId, ns, checkpointId);
    if (!blob)
        return tl::unexpected(blob.error());
    auto open = std::make_unique<OpenBlob>();
    open->blob = std::move(*blob);
    Result<BlobView> view = viewBlob(open->blob.type, open->blob.bytes);
    if (!view)
        return tl::unexpected(view.error());
    open->view = std::move(*view);
    return open;
}

Value messagesValue(const MessageLog &log)
{
    Value::List items;
    items.reserve(log.size());
    for (const MessagePtr &message : log)
        items.push_back(messageToValue(*message));
    return Value(std::move(items));
}

Value filesValue(const FileMap &files)
{
    std::map<std::string, Value> sorted;
    for (const auto &[path, entry] : files)
        sorted.emplace(path, entry->raw);
    Value::Map map;
    for (auto &[path, raw] : sorted)
        map.emplace_back(Value(path), std::move(raw));
    return Value(std::move(map));
}

/// Nearest stored value of a channel before `at`, and the writes to it since, oldest first: what is known of a delta
/// channel whose reducer is not.
Value nearestAndSince(CheckpointSource &source, const Thread &thread, const ThreadNamespace &space, CheckpointIndex at,
    const std::string &channel)
{
    std::vector<CheckpointIndex> path;
    Value seed;
    std::string seedId;
    constexpr std::size_t most = 10000;
    for (CheckpointIndex i = space.checkpoints[at.at()].parent; i.isValid() && path.size() < most;
        i = space.checkpoints[i.at()].parent) {
        path.push_back(i);
        const auto open = openBlob(source, thread.id, space.name, space.checkpoints[i.at()].id);
        if (!open)
            continue;
        if (const StoredChannel *stored = (*open)->view.channel(channel)) {
            if (Result<Value> value = stored->decode())
                seed = std::move(*value);
            seedId = space.checkpoints[i.at()].id;
            break;
        }
        if (!(*open)->view.version(channel))
            break;
    }
    Value::List since;
    WriteScan scan;
    scan.channels = {channel};
    for (auto i = path.rbegin(); i != path.rend(); ++i) {
        scan.checkpointId = space.checkpoints[i->at()].id;
        const auto visit = [&](WriteRow &&row) {
            Result<Value> value = decodeTyped(row.value.type, row.value.bytes);
            since.push_back(value ? std::move(*value) : Value::bytes(std::move(row.value.bytes)));
            return true;
        };
        (void)source.scanWrites(thread.id, space.name, scan, visit, {});
    }
    return Value::map(
        {{"snapshot", std::move(seed)}, {"snapshot_checkpoint_id", seedId.empty() ? Value() : Value(seedId)},
            {"writes_since", Value(std::move(since))}});
}

/// Channel of the tasks that a node sent off (langgraph/checkpoint/serde/types.py TASKS, 4.3.2).
constexpr const char *tasksChannel = "__pregel_tasks";
/// From this format on, sends are in the checkpoint that runs them and no longer among its parent's writes.
constexpr std::int64_t sendsInside = 4;

/// What a checkpoint of an old format was sent: SQLite savers kept it in the checkpoint, others leave it among the
/// parent's writes, in the order of their tasks (langgraph/checkpoint/postgres/base.py _migrate_pending_sends, 3.2.0).
Value pendingSends(CheckpointSource &source, const std::string &threadId, const std::string &ns, const TypedBytes &blob,
    const std::string &parentId)
{
    if (const Result<Value> whole = decodeTyped(blob.type, blob.bytes))
        if (const Value *kept = whole->find("pending_sends"))
            return *kept;
    Value::List sends;
    WriteScan scan;
    scan.channels = {tasksChannel};
    scan.checkpointId = parentId;
    const auto visit = [&](WriteRow &&row) {
        Result<Value> value = decodeTyped(row.value.type, row.value.bytes);
        sends.push_back(value ? std::move(*value) : Value::bytes(std::move(row.value.bytes)));
        return true;
    };
    (void)source.scanWrites(threadId, ns, scan, visit, {});
    return Value(std::move(sends));
}

} // namespace

Result<std::vector<ChannelState>> readChannels(
    CheckpointSource &source, const Thread &thread, const std::string &ns, CheckpointIndex checkpoint)
{
    const ThreadNamespace *space = thread.find(ns);
    if (!space || !checkpoint.isValid() || checkpoint.at() >= space->checkpoints.size())
        return failure(Error::Code::NotFound, source.info().location, "there is no such checkpoint");
    if (Result<void> begun = source.beginRead(); !begun)
        return tl::unexpected(begun.error());
    const Checkpoint &at = space->checkpoints[checkpoint.at()];
    std::vector<ChannelState> states;
    const auto stateOf = [&states](const std::string &name) -> ChannelState & {
        const auto found =
            std::find_if(states.begin(), states.end(), [&](const ChannelState &s) { return s.name == name; });
        if (found != states.end())
            return *found;
        states.emplace_back().name = name;
        return states.back();
    };
    const Result<std::unique_ptr<OpenBlob>> open = openBlob(source, thread.id, ns, at.id);
    std::unique_ptr<OpenBlob> before;
    if (at.parent.isValid())
        if (auto parent = openBlob(source, thread.id, ns, space->checkpoints[at.parent.at()].id))
            before = std::move(*parent);
    const Value &counters = at.metadata["counters_since_delta_snapshot"];
    if (open) {
        const BlobView &view = (*open)->view;
        for (const StoredChannel &stored : view.channels) {
            ChannelState &state = stateOf(stored.name);
            state.delta = stored.snapshot;
            Result<Value> value = stored.decode();
            if (value)
                state.value = std::move(*value);
            else
                state.undecodable = value.error().what;
        }
        for (const StoredVersion &version : view.versions) {
            ChannelState &state = stateOf(version.name);
            state.version = version.version;
            const std::string *was = before ? before->view.version(version.name) : nullptr;
            state.changed = !was || *was != version.version;
            if (view.channel(version.name))
                continue;
            // Absent: a delta channel between snapshots, or one that holds nothing now.
            if (version.name == space->messagesChannel && (counters.contains(version.name) || !at.messages.empty())) {
                state.delta = true;
                state.rebuilt = true;
                state.value = messagesValue(at.messages);
            } else if (version.name == "files" && (counters.contains(version.name) || !at.files.empty())) {
                state.delta = true;
                state.rebuilt = true;
                state.value = filesValue(at.files);
            } else if (counters.contains(version.name)) {
                state.delta = true;
                state.value = nearestAndSince(source, thread, *space, checkpoint, version.name);
            }
        }
        if (view.format < sendsInside && at.parent.isValid() && !view.channel(tasksChannel)) {
            const std::string &parent = space->checkpoints[at.parent.at()].id;
            Value sends = pendingSends(source, thread.id, ns, (*open)->blob, parent);
            if (!sends.asList().empty())
                stateOf(tasksChannel).value = std::move(sends);
        }
    } else {
        // The row stays opaque; what its writes said is known all the same.
        const auto known = [&](const std::string &name, Value value) {
            ChannelState &state = stateOf(name);
            state.rebuilt = true;
            state.value = std::move(value);
        };
        if (!at.messages.empty())
            known(space->messagesChannel, messagesValue(at.messages));
        if (!at.files.empty())
            known("files", filesValue(at.files));
        stateOf("(checkpoint)").undecodable = open.error().what;
    }
    if (Result<std::vector<WriteRow>> writes = source.writesAt(thread.id, ns, at.id))
        for (WriteRow &row : *writes)
            stateOf(row.channel).writes.push_back(std::move(row));
    source.endRead();
    return states;
}

} // namespace palimpsest
