// SPDX-License-Identifier: GPL-3.0-or-later
// The second half of NamespaceLoader: from rows and writes to the state of every checkpoint.
#include "core/thread/namespaceloader.h"

#include "core/thread/events.h"

#include <algorithm>

namespace palimpsest {
namespace {

template <class Write> std::vector<bool> overwriteMarks(const std::vector<Write> &writes)
{
    std::vector<bool> marks;
    for (const Write &write : writes)
        marks.push_back(write.overwrite);
    return marks;
}

std::string countOf(std::int64_t missing)
{
    return missing > 0 ? std::to_string(missing) : std::string("an unknown number of");
}

/// Lets go of the memory too, which an assignment keeps: all snapshots together weigh as much as the file.
void release(std::string &bytes)
{
    std::string().swap(bytes);
}

std::int64_t updatesSinceSnapshot(const Value &metadata, std::string_view channel)
{
    const Value &counters = metadata["counters_since_delta_snapshot"][channel];
    return counters.isList() && !counters.asList().empty() ? counters.asList().front().asInt() : 0;
}

} // namespace

void NamespaceLoader::markIncomplete(std::size_t at, std::string_view channel, std::int64_t missing)
{
    m_space.checkpoints[at].incomplete = true;
    find(at, "pruned-history", Finding::Severity::Warning,
        "The state of channel " + std::string(channel) + " cannot be known in full: " + countOf(missing)
            + " updates since its last snapshot are not in the file.")
        .evidence =
        Value::map({{"channel", Value(channel)}, {"missing_updates", missing > 0 ? Value(missing) : Value()}});
}

Result<void> NamespaceLoader::foldStates()
{
    std::vector<Checkpoint> &all = m_space.checkpoints;
    // Parents first. Ids rise along a branch as a rule, so this is the id order but for odd files; a loop of parents is
    // entered at its first row.
    std::vector<std::size_t> order;
    order.reserve(all.size());
    std::vector<bool> placed(all.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
        std::vector<std::size_t> chain;
        std::size_t at = i;
        std::vector<bool> &seen = placed;
        while (!seen[at]) {
            seen[at] = true;
            chain.push_back(at);
            if (!all[at].parent.isValid())
                break;
            at = all[at].parent.at();
        }
        order.insert(order.end(), chain.rbegin(), chain.rend());
    }
    std::size_t done = 0;
    for (const std::size_t at : order) {
        if (done % 256 == 0 && m_job.stopped())
            return failure(Error::Code::Cancelled, {}, "stopped");
        if (done * 50 / order.size() != (done + 1) * 50 / order.size())
            m_job.report(static_cast<double>(done) / static_cast<double>(order.size()), "rebuilding states");
        ++done;
        setStep(at);
        foldState(at);
    }
    findEvents();
    checkForks();
    return {};
}

void NamespaceLoader::findEvents()
{
    const std::vector<Checkpoint> &all = m_space.checkpoints;
    m_space.eventCheckpoints.clear();
    for (std::size_t i = 0; i < all.size(); ++i) {
        const Checkpoint &checkpoint = all[i];
        if (!checkpoint.event)
            continue;
        // An event may be written again with the very same content: the agent compacted once more.
        const bool fresh = !checkpoint.parent.isValid() || all[checkpoint.parent.at()].event != checkpoint.event;
        if (fresh || m_steps[checkpoint.parent.at()].event == checkpoint.event)
            m_space.eventCheckpoints.push_back(CheckpointIndex(i));
    }
}

/// True when the parent's writes are all that happened between it and this checkpoint.
bool NamespaceLoader::follows(std::size_t at, const State *parent) const
{
    const Checkpoint &checkpoint = m_space.checkpoints[at];
    if (!parent || !checkpoint.parent.isValid())
        return false;
    const Checkpoint &before = m_space.checkpoints[checkpoint.parent.at()];
    const Step &step = m_steps[checkpoint.parent.at()];
    return before.children.size() == 1 && checkpoint.step == before.step + 1 && parent->missingLog < 0
        && parent->missingFiles < 0 && !parent->brokenLog && !parent->brokenFiles && !step.unreadableMessages
        && !step.unreadableFiles && !step.failed
        && (checkpoint.source == "loop" || checkpoint.source == "input" || !m_facts[at].hasMetadata);
}

bool NamespaceLoader::ownsWrites(std::size_t at, ChannelFacts Facts::*channel)
{
    const std::size_t parent = m_space.checkpoints[at].parent.at();
    const std::vector<CheckpointIndex> &siblings = m_space.checkpoints[parent].children;
    // A branch whose first checkpoint holds a snapshot needs no writes of the parent; LangGraph since 1.2.10 makes them
    // so.
    const auto needs = [&](CheckpointIndex child) { return (m_facts[child.at()].*channel).stored == Stored::Absent; };
    if (std::count_if(siblings.begin(), siblings.end(), needs) < 2)
        return true;
    // A superstep that wrote the channel moved its version; the writes of an abandoned branch did not move this one's
    // (langgraph/pregel/_algo.py apply_writes, 1.2.24).
    const auto &before = (m_facts[parent].*channel).version;
    const auto moved = [&](CheckpointIndex child) { return (m_facts[child.at()].*channel).version != before; };
    if (!m_facts[parent].viewed) {
        m_space.checkpoints[at].incomplete = true;
        return false;
    }
    if (!moved(CheckpointIndex(at)))
        return false;
    const bool othersToo = std::any_of(siblings.begin(), siblings.end(),
        [&](CheckpointIndex other) { return other.at() != at && needs(other) && moved(other); });
    if (!othersToo)
        return true;
    // Both wrote it. The saver ignores a second write under the same key, so the rows are the first branch's, if of one
    // alone.
    m_space.checkpoints[at].incomplete = true;
    return std::none_of(siblings.begin(), siblings.end(),
        [&](CheckpointIndex other) { return other.at() < at && needs(other) && moved(other); });
}

/// Says where a fork leaves it open to which branch a delta channel's writes belong. Forks are few, so their rows are
/// read again.
void NamespaceLoader::checkForks()
{
    for (std::size_t parent = 0; parent < m_space.checkpoints.size(); ++parent) {
        const std::vector<CheckpointIndex> children = m_space.checkpoints[parent].children;
        if (children.size() < 2)
            continue;
        const Result<std::vector<WriteRow>> writes =
            m_source.writesAt(m_threadId, m_ns, m_space.checkpoints[parent].id);
        if (!writes || writes->empty())
            continue;
        struct Known {
            TypedBytes blob;
            BlobView view;
        };
        const auto view = [&](std::size_t at) -> std::unique_ptr<Known> {
            Result<TypedBytes> blob = m_source.checkpointBlob(m_threadId, m_ns, m_space.checkpoints[at].id);
            if (!blob)
                return nullptr;
            auto known = std::make_unique<Known>();
            known->blob = std::move(*blob);
            Result<BlobView> seen = viewBlob(known->blob.type, known->blob.bytes);
            if (!seen)
                return nullptr;
            known->view = std::move(*seen);
            return known;
        };
        const std::unique_ptr<Known> before = view(parent);
        if (!before)
            continue;
        std::vector<std::unique_ptr<Known>> views;
        for (const CheckpointIndex child : children)
            views.push_back(view(child.at()));
        std::vector<std::string> names;
        for (const WriteRow &row : *writes)
            if (!row.channel.starts_with("__") && row.taskId != nullTaskId
                && std::find(names.begin(), names.end(), row.channel) == names.end())
                names.push_back(row.channel);
        for (const std::string &name : names) {
            std::vector<std::size_t> open;
            bool delta = false;
            for (std::size_t i = 0; i < children.size(); ++i) {
                delta |= m_space.checkpoints[children[i].at()].metadata["counters_since_delta_snapshot"].contains(name);
                if (views[i] && !views[i]->view.channel(name) && views[i]->view.version(name))
                    open.push_back(i);
            }
            if (!delta || open.size() < 2)
                continue;
            const std::string *was = before->view.version(name);
            const auto moved = [&](std::size_t i) { return !was || *views[i]->view.version(name) != *was; };
            const auto movers = std::count_if(open.begin(), open.end(), moved);
            Value::List tasks;
            for (const WriteRow &row : *writes)
                if (row.channel == name)
                    tasks.push_back(Value::map({{"task_id", Value(row.taskId)}, {"idx", Value(row.idx)}}));
            for (const std::size_t i : open) {
                const bool settled = !moved(i) || movers == 1;
                if (settled && moved(i))
                    continue; // the branch that the writes belong to
                Finding &finding = find(children[i].at(), "ambiguous-fork",
                    settled ? Finding::Severity::Info : Finding::Severity::Warning,
                    "The parent has several children without a snapshot of channel " + name
                        + ", and the file does not say which of them its " + std::to_string(tasks.size())
                        + " writes belong to"
                        + (settled ? "; the channel's version did not move here, so they are left out." : "."));
                finding.evidence =
                    Value::map({{"channel", Value(name)}, {"parent", Value(m_space.checkpoints[parent].id)},
                        {"writes", Value(tasks)}, {"settled_by", settled ? Value("channel_versions") : Value()}});
            }
        }
    }
}

void NamespaceLoader::foldState(std::size_t at)
{
    Checkpoint &checkpoint = m_space.checkpoints[at];
    const auto parentPlace = checkpoint.parent.isValid() ? m_states.find(checkpoint.parent.at()) : m_states.end();
    State *parent = parentPlace == m_states.end() ? nullptr : &parentPlace->second;
    const Step *step = parent ? &m_steps[checkpoint.parent.at()] : nullptr;
    const bool trusted = follows(at, parent);
    Facts &facts = m_facts[at];
    // Not read yet: a snapshot that the writes cannot stand for.
    if (!facts.viewed && !facts.opaque && (!trusted || m_options.readSnapshots)) {
        m_keepSnapshots = true;
        readWhole(at);
        m_keepSnapshots = false;
    }
    State state;
    foldLog(at, state, parent, step, trusted);
    foldFiles(at, state, parent, step, trusted);
    if (facts.viewed) {
        state.event = facts.event;
        state.session = facts.session;
    } else if (parent) {
        state.event = step->event ? *step->event : parent->event;
        state.session = step->session ? *step->session : parent->session;
    }
    showState(at, state);
    if (state.brokenLog || state.brokenFiles)
        checkpoint.incomplete = true;
    if (state.missingLog >= 0)
        markIncomplete(at, m_options.messagesChannel, state.missingLog);
    if (state.missingFiles >= 0)
        markIncomplete(at, filesName(), state.missingFiles);
    release(facts.log.raw);
    release(facts.files.raw);
    facts.plainLog = {};
    facts.plainFiles = {};
    // A row that was looked at twice has said the same twice.
    std::vector<Finding> &findings = checkpoint.findings;
    for (std::size_t i = 0; i < findings.size(); ++i)
        findings.erase(std::remove(findings.begin() + static_cast<std::ptrdiff_t>(i) + 1, findings.end(), findings[i]),
            findings.end());
    state.childrenLeft = static_cast<int>(checkpoint.children.size());
    if (parent && --parent->childrenLeft <= 0)
        m_states.erase(parentPlace);
    if (state.childrenLeft > 0 || m_keepOpen)
        m_states.emplace(at, std::move(state));
}

/// Writes of the null task are the checkpoint's own (langgraph/pregel/main.py _prepare_state_snapshot, 1.2.24).
void NamespaceLoader::showState(std::size_t at, const State &state)
{
    Checkpoint &checkpoint = m_space.checkpoints[at];
    const Step &own = m_steps[at];
    checkpoint.messages = state.log;
    if (!own.ownMessages.empty())
        if (Result<MessageState> shown = updateMessages(messageState(state.log), own.ownMessages))
            checkpoint.messages = shown->log;
    checkpoint.files = own.ownFiles.empty() ? state.files : replayFiles(state.files, own.ownFiles);
    checkpoint.event = own.ownEvent ? *own.ownEvent : state.event;
    checkpoint.sessionId = state.session;
}

void NamespaceLoader::foldLog(std::size_t at, State &state, State *parent, const Step *step, bool trusted)
{
    Facts &facts = m_facts[at];
    const MessageLog before = parent ? parent->log : MessageLog();
    if (facts.log.stored == Stored::Plain) {
        state.log = facts.plainLog;
        noteDifference(at, before, state.log);
        return;
    }
    const bool absent = facts.log.stored == Stored::Absent;
    if (absent && !facts.log.version) {
        // Never written on this branch: empty without a walk (langgraph/pregel/_checkpoint.py
        // _delta_channels_to_replay, 1.2.24).
        return;
    }
    const bool snapshot = facts.log.stored == Stored::Snapshot;
    std::optional<MessageState> replayed;
    if (parent && (!snapshot || trusted)) {
        if (!parent->indexed)
            parent->indexed = messageState(parent->log);
        // Only one child takes the index over; at a fork each has its own.
        MessageState from = parent->childrenLeft == 1 ? std::move(*parent->indexed) : *parent->indexed;
        const bool apply = step->messages.empty() || ownsWrites(at, &Facts::log);
        if (apply && !step->messages.empty()) {
            const bool noted = noteVersions(at, from, *step);
            replayed = replayMessages(std::move(from), step->messages);
            if (!noted)
                noteDifference(at, before, replayed->log);
            if (!snapshot) {
                checkOrder(at);
                checkOverwrites(at, m_options.messagesChannel, overwriteMarks(step->messages), step->messageTasks);
            }
        } else {
            replayed = std::move(from);
        }
        state.missingLog = parent->missingLog;
        state.brokenLog = parent->brokenLog || (step->unreadableMessages && apply);
    }
    const bool sameLength = replayed && (!facts.log.count || *facts.log.count == replayed->log.size());
    if (snapshot && sameLength && !m_options.readSnapshots) {
        state.log = replayed->log;
        state.indexed = std::move(replayed);
        state.missingLog = -1;
        state.brokenLog = false;
        return;
    }
    if (snapshot) {
        const StoredChannel stored = snapshotOf(at, &Facts::log);
        const auto bad = [&](std::size_t index, const Error &error) {
            undecodable(at, m_options.messagesChannel + "[" + std::to_string(index) + "]", facts.type, error);
        };
        Result<MessageLog> log = m_pool.log(stored, bad);
        if (log) {
            state.missingLog = -1;
            state.brokenLog = false;
            if (replayed && saysTheSame(at, *log, replayed->log)) {
                state.log = replayed->log;
                state.indexed = std::move(replayed);
                return;
            }
            state.log = std::move(*log);
            noteDifference(at, before, state.log);
            return;
        }
        undecodable(at, m_options.messagesChannel, facts.type, log.error());
        state.brokenLog = true;
        if (!replayed)
            return;
    }
    if (replayed) {
        state.log = replayed->log;
        state.indexed = std::move(replayed);
        return;
    }
    // Nothing stored here and nothing to start from.
    state.brokenLog = facts.opaque;
    if (!facts.opaque && facts.log.version)
        state.missingLog = std::max<std::int64_t>(
            0, updatesSinceSnapshot(m_space.checkpoints[at].metadata, m_options.messagesChannel));
}

bool NamespaceLoader::saysTheSame(std::size_t at, const MessageLog &stored, const MessageLog &replayed)
{
    const auto same = [](const MessagePtr &a, const MessagePtr &b) { return a == b || *a == *b; };
    const auto [a, b] = std::ranges::mismatch(stored, replayed, same);
    if (a == stored.end() && b == replayed.end())
        return true;
    const auto place = static_cast<std::size_t>(a - stored.begin());
    Finding &finding = find(at, "snapshot-differs", Finding::Severity::Error,
        "The snapshot of channel " + m_options.messagesChannel + " says something else than the writes before it, from "
            + "message " + std::to_string(place) + " on; a run goes on from the snapshot, and so it is shown.");
    if (a != stored.end())
        finding.messageId = (*a)->id;
    finding.evidence = Value::map({{"channel", Value(m_options.messagesChannel)},
        {"index", Value(static_cast<std::int64_t>(place))}, {"stored", Value(static_cast<std::int64_t>(stored.size()))},
        {"replayed", Value(static_cast<std::int64_t>(replayed.size()))}});
    return false;
}

void NamespaceLoader::checkFiles(std::size_t at, const FileMap &stored, const FileMap &replayed)
{
    const auto differs = [](const FileMap &one, const FileMap &other) -> const std::string * {
        for (const auto &[path, entry] : one)
            if (const FileEntryPtr *there = other.find(path); !there || !(*there == entry || **there == *entry))
                return &path;
        return nullptr;
    };
    const std::string *path = differs(stored, replayed);
    if (!path)
        path = differs(replayed, stored);
    if (!path)
        return;
    Finding &finding = find(at, "snapshot-differs", Finding::Severity::Error,
        "The snapshot of channel " + filesName() + " says something else than the writes before it about " + *path
            + "; a run goes on from the snapshot, and so it is shown.");
    finding.path = *path;
    finding.evidence = Value::map({{"channel", Value(filesName())}});
}

void NamespaceLoader::foldFiles(std::size_t at, State &state, State *parent, const Step *step, bool trusted)
{
    Facts &facts = m_facts[at];
    if (facts.files.stored == Stored::Plain) {
        state.files = facts.plainFiles;
        return;
    }
    std::optional<FileMap> replayed;
    if (trusted && parent && facts.files.stored == Stored::Snapshot)
        replayed = replayFiles(parent->files, step->files);
    const bool derived =
        replayed && !m_options.readSnapshots && (!facts.files.count || *facts.files.count == replayed->size());
    if (facts.files.stored == Stored::Snapshot && !derived) {
        state.files = filesOf(at, snapshotOf(at, &Facts::files));
        if (replayed)
            checkFiles(at, state.files, *replayed);
        return;
    }
    if (facts.files.stored == Stored::Absent && !facts.files.version)
        return;
    if (parent) {
        state.files = parent->files;
        state.missingFiles = facts.files.stored == Stored::Snapshot ? -1 : parent->missingFiles;
        if (!step->files.empty() && ownsWrites(at, &Facts::files)) {
            state.files = replayFiles(state.files, step->files);
            checkOverwrites(at, filesName(), overwriteMarks(step->files), step->fileTasks);
        }
        state.brokenFiles = facts.files.stored != Stored::Snapshot && (parent->brokenFiles || step->unreadableFiles);
        return;
    }
    if (facts.files.version)
        state.missingFiles =
            std::max<std::int64_t>(0, updatesSinceSnapshot(m_space.checkpoints[at].metadata, filesName()));
}

void NamespaceLoader::noteBody(std::size_t at, const MessagePtr &old, const MessagePtr &now, const std::string &task)
{
    const std::string &id = *(old ? old : now)->id;
    std::vector<BodyVersion> &versions = m_space.versions[id];
    if (old && versions.empty()) {
        const auto origin = m_origins.find(id);
        BodyVersion first;
        first.body = old;
        if (origin != m_origins.end()) {
            first.checkpoint = CheckpointIndex(origin->second.checkpoint);
            first.taskId = origin->second.task;
        }
        versions.push_back(std::move(first));
    }
    versions.push_back({now, CheckpointIndex(at), task});
}

bool NamespaceLoader::noteVersions(std::size_t at, const MessageState &before, const Step &step)
{
    const bool reset = std::any_of(step.messages.begin(), step.messages.end(), [](const MessagesWrite &write) {
        return write.overwrite
            || std::any_of(write.messages.begin(), write.messages.end(), [](const MessagePtr &message) {
                   return message->kind == MessageKind::Remove && message->id == removeAllMessages;
               });
    });
    if (reset)
        return false;
    for (std::size_t i = 0; i < step.messages.size(); ++i) {
        for (const MessagePtr &message : step.messages[i].messages) {
            if (!message->id)
                continue;
            const std::optional<std::size_t> place = before.find(*message->id);
            if (place) {
                const MessagePtr &old = before.log[*place];
                if (message->kind == MessageKind::Remove)
                    noteBody(at, old, nullptr, step.messageTasks[i]);
                else if (old != message && !(*old == *message))
                    noteBody(at, old, message, step.messageTasks[i]);
            } else if (message->kind != MessageKind::Remove) {
                m_origins.try_emplace(*message->id, Origin{at, step.messageTasks[i]});
            }
        }
    }
    return true;
}

/// Without task paths nothing tells in which order parallel tasks were applied: LangGraph orders by path, and a task id
/// is a hash of it (langgraph/checkpoint/base writes_sort_key, 4.3.2).
void NamespaceLoader::checkOrder(std::size_t at)
{
    const CheckpointIndex parent = m_space.checkpoints[at].parent;
    const auto first = std::lower_bound(m_inputs.tasks.begin(), m_inputs.tasks.end(), parent,
        [](const TaskWrites &task, CheckpointIndex wanted) { return task.checkpoint < wanted; });
    Value::List tasks;
    for (auto task = first; task != m_inputs.tasks.end() && task->checkpoint == parent; ++task)
        if (task->taskPath.empty() && !task->messages.empty() && task->taskId != nullTaskId
            && !taskPlace(task->taskPath, task->taskId, m_space.checkpoints[parent.at()].step).exitStep)
            tasks.push_back(Value(task->taskId));
    if (tasks.size() < 2)
        return;
    // Made first: an assignment's right side, which takes the tasks away, comes before its left.
    std::string words = std::to_string(tasks.size())
        + " parallel tasks wrote messages, and the file does not say in which order they were applied; they are "
          "shown by task id.";
    find(at, "parallel-order-unknown", Finding::Severity::Info, std::move(words)).evidence =
        Value::map({{"channel", Value(m_options.messagesChannel)}, {"tasks", Value(std::move(tasks))}});
}

/// The same from two logs, where no writes tell.
void NamespaceLoader::noteDifference(std::size_t at, const MessageLog &before, const MessageLog &after)
{
    const std::size_t most = std::min(before.size(), after.size());
    std::size_t same = 0;
    for (auto a = before.begin(), b = after.begin(); same < most && *a == *b; ++a, ++b)
        ++same;
    if (same == before.size()) {
        for (std::size_t i = same; i < after.size(); ++i)
            if (after[i]->id)
                m_origins.try_emplace(*after[i]->id, Origin{at, {}});
        return;
    }
    std::unordered_map<std::string_view, MessagePtr> olds;
    for (std::size_t i = same; i < before.size(); ++i)
        if (before[i]->id)
            olds.emplace(*before[i]->id, before[i]);
    for (std::size_t i = same; i < after.size(); ++i) {
        if (!after[i]->id)
            continue;
        const auto old = olds.find(*after[i]->id);
        if (old == olds.end()) {
            m_origins.try_emplace(*after[i]->id, Origin{at, {}});
        } else {
            if (old->second != after[i] && !(*old->second == *after[i]))
                noteBody(at, old->second, after[i], {});
            olds.erase(old);
        }
    }
    for (const auto &[id, old] : olds)
        noteBody(at, old, nullptr, {});
}

} // namespace palimpsest
