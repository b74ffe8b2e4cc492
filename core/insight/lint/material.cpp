// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/lint/material.h"

#include "core/compaction/stages/summarymessage.h"

#include <algorithm>
#include <array>

namespace palimpsest {
namespace {

bool isParent(const std::string &parent, const std::string &child)
{
    return parent.empty() ? !child.empty() : child.starts_with(parent + "|");
}

/// The same event, also after a route that changed the form of its message.
bool sameEvent(const SummarizationEvent &a, const SummarizationEvent &b)
{
    if (a == b)
        return true;
    return a.cutoffIndex == b.cutoffIndex && a.summaryMessage && b.summaryMessage
        && textOf(*a.summaryMessage) == textOf(*b.summaryMessage);
}

/// Whether a linked section is one of this agent's: what humans wrote stands in it word for word. Kinds and numbers
/// alone are alike in many threads; they are enough for `sure` files, where no human's words tell.
bool isOurs(const Archive &archive, const SectionLink &link, const ThreadNamespace &ns, bool sure)
{
    if (!link.agrees)
        return false;
    std::size_t at = 0;
    bool any = sure;
    const std::vector<ArchivedMessage> &archived = archive.sections[link.section].messages;
    const MessageLog &log = ns.checkpoints[link.checkpoint.at()].messages;
    for (std::int64_t i = link.first.value; i < link.end.value && at < archived.size(); ++i) {
        const Message &message = *log[static_cast<std::size_t>(i)];
        if (isSummary(message))
            continue;
        const std::string &text = archived[at++].text;
        if (message.kind != MessageKind::Human || !message.content.isText())
            continue;
        if (text != message.content.asText())
            return false;
        any = true;
    }
    return any;
}

bool isArchivePath(const std::string &path)
{
    return path.find("/conversation_history/") != std::string::npos && path.ends_with(".md");
}

std::string originName(Artifact::Origin origin)
{
    switch (origin) {
    case Artifact::Origin::State:
        return "state";
    case Artifact::Origin::Folder:
        return "folder";
    case Artifact::Origin::Store:
        break;
    }
    return "store";
}

/// Made by the tool: its answer came with the event.
bool madeByTool(const ThreadNamespace &ns, CheckpointIndex at)
{
    const Checkpoint &checkpoint = ns.checkpoints[at.at()];
    const std::size_t from = checkpoint.parent.isValid() ? ns.checkpoints[checkpoint.parent.at()].messages.size() : 0;
    for (std::size_t i = std::min(from, checkpoint.messages.size()); i < checkpoint.messages.size(); ++i) {
        const Message &message = *checkpoint.messages[i];
        if (message.kind == MessageKind::Tool
            && (message.name == "compact_conversation" || textOf(message).starts_with("Conversation compacted.")))
            return true;
    }
    return false;
}

} // namespace

const ThreadNamespace *eventOwner(const Thread &thread, const ThreadNamespace &child, const SummarizationEvent &event)
{
    // Two agents may well summarize in the same words: what a call of its own made is its own.
    const bool own = std::any_of(child.calls.begin(), child.calls.end(), [&](const Call &call) {
        return call.eventFrom == Call::EventFrom::ThisCall && call.event && *call.event == event;
    });
    if (own)
        return nullptr;
    for (const ThreadNamespace &ns : thread.namespaces) {
        if (!isParent(ns.name, child.name))
            continue;
        for (const CheckpointIndex at : ns.eventCheckpoints)
            if (at.isValid() && ns.checkpoints[at.at()].event && sameEvent(*ns.checkpoints[at.at()].event, event))
                return &ns;
    }
    return nullptr;
}

LintMaterial::LintMaterial(const Thread &thread, const ThreadNamespace &ns, const std::vector<ArtifactFolder> &folders)
    : m_thread(thread)
    , m_ns(ns)
    , m_folders(folders)
{
}

const std::vector<EventRecord> &LintMaterial::events()
{
    if (m_events)
        return *m_events;
    m_events.emplace();
    if (m_ns.eventCheckpoints.empty())
        return *m_events;
    std::map<CheckpointIndex, const Call *> makers; // by the checkpoint that a call started from
    for (const Call &call : m_ns.calls)
        if (call.eventFrom == Call::EventFrom::ThisCall && call.checkpoint.isValid())
            makers[call.checkpoint] = &call;
    for (const CheckpointIndex at : m_ns.eventCheckpoints) {
        if (!at.isValid() || at.at() >= m_ns.checkpoints.size() || !m_ns.checkpoints[at.at()].event)
            continue;
        const Checkpoint &checkpoint = m_ns.checkpoints[at.at()];
        EventRecord record;
        record.checkpoint = at;
        record.event = checkpoint.event;
        record.evicted = evictedRange(m_ns, at);
        if (checkpoint.parent.isValid()) {
            record.prior = m_ns.checkpoints[checkpoint.parent.at()].event;
            if (const auto maker = makers.find(checkpoint.parent);
                maker != makers.end() && maker->second->event && *maker->second->event == *record.event)
                record.call = maker->second;
        }
        record.byTool = !record.call && madeByTool(m_ns, at);
        record.byUpdate = !record.call && !record.byTool && checkpoint.source == "update";
        record.inherited = !m_ns.name.empty() && eventOwner(m_thread, m_ns, *record.event);
        m_events->push_back(std::move(record));
    }
    return *m_events;
}

bool LintMaterial::holdsEveryEvent() const
{
    static constexpr std::array<std::string_view, 4> parts{"no-history", "partial-history", "trace", "no-state"};
    const auto partial = [](const Finding &finding) { return std::ranges::count(parts, finding.rule) > 0; };
    // A checkpoint whose parent is gone: what came before may have had events too.
    const auto begins = [](const Checkpoint &checkpoint) {
        return !checkpoint.parentId || checkpoint.parent.isValid();
    };
    return std::ranges::none_of(m_thread.findings, partial) && std::ranges::all_of(m_ns.checkpoints, begins);
}

CheckpointIndex LintMaterial::lastDescendant(CheckpointIndex checkpoint)
{
    if (m_lastDescendant.empty()) {
        const auto &all = m_ns.checkpoints;
        m_lastDescendant.resize(all.size());
        for (std::size_t i = all.size(); i-- > 0;) {
            m_lastDescendant[i] = std::max(m_lastDescendant[i], CheckpointIndex(i));
            if (all[i].parent.isValid() && all[i].parent.at() < i)
                m_lastDescendant[all[i].parent.at()] =
                    std::max(m_lastDescendant[all[i].parent.at()], m_lastDescendant[i]);
        }
    }
    return checkpoint.isValid() ? m_lastDescendant[checkpoint.at()] : checkpoint;
}

const ArtifactView &LintMaterial::outside()
{
    if (!m_outside) {
        m_outside.emplace(m_thread, m_ns, CheckpointIndex());
        for (const ArtifactFolder &folder : m_folders)
            m_outside->addFolder(folder);
    }
    return *m_outside;
}

std::optional<ArtifactContent> LintMaterial::fileAt(const std::string &path, CheckpointIndex checkpoint)
{
    if (checkpoint.isValid())
        if (const FileEntryPtr *entry = m_ns.checkpoints[checkpoint.at()].files.find(path)) {
            EntryBytes content = entryBytes(**entry);
            const auto size = static_cast<std::int64_t>(content.bytes.size());
            return ArtifactContent{
                {path, Artifact::Origin::State, {}, size}, std::move(content.bytes), content.text, {}};
        }
    return outside().read(path);
}

bool LintMaterial::knowsFiles() const
{
    if (!m_folders.empty() || !m_thread.store.empty())
        return true;
    return std::any_of(m_ns.checkpoints.rbegin(), m_ns.checkpoints.rend(),
        [](const Checkpoint &checkpoint) { return !checkpoint.files.empty(); });
}

std::optional<bool> LintMaterial::readByAgent(const std::string &path) const
{
    std::optional<bool> read;
    for (const CheckpointIndex head : m_ns.heads) {
        const MessageLog &log = m_ns.checkpoints[head.at()].messages;
        std::map<std::string, bool> asked; // ids of calls that read the path
        for (const MessagePtr &message : log) {
            if (message->kind == MessageKind::Ai) {
                for (const ToolCallView &call : toolCalls(*message))
                    if (call.name == "read_file" && call.args && (*call.args)["file_path"].asText() == path)
                        asked[std::string(call.id)] = true;
            } else if (message->kind == MessageKind::Tool && message->toolCallId
                && asked.contains(*message->toolCallId)) {
                const bool failed = message->status == "error" || textOf(*message).starts_with("Error");
                read = read.value_or(false) || !failed;
            }
        }
    }
    return read;
}

const ArchiveFile &LintMaterial::archive(const std::string &path)
{
    const auto [place, fresh] = m_archives.try_emplace(path);
    ArchiveFile &file = place->second;
    if (!fresh)
        return file;
    file.path = path;
    findArchive(file);
    file.agentRead = readByAgent(path);
    if (file.found()) {
        file.archive = parseArchive(file.text);
        file.links = linkArchive(file.archive, m_ns, path);
    }
    return file;
}

void LintMaterial::findArchive(ArchiveFile &file)
{
    const auto take = [&](const std::string &at, std::string origin, std::string bytes) {
        file.foundAt = at;
        file.origin = std::move(origin);
        file.text = std::move(bytes);
    };
    // In the state: the newest form of it.
    for (std::size_t i = m_ns.checkpoints.size(); i-- > 0;) {
        const FileEntryPtr *entry = m_ns.checkpoints[i].files.find(file.path);
        if (!entry)
            continue;
        file.lastSeen = CheckpointIndex(i);
        take(file.path, "state", entryBytes(**entry).bytes);
        const bool gone = lastDescendant(file.lastSeen) != file.lastSeen;
        file.where = gone ? ArchiveFile::Where::Deleted : ArchiveFile::Where::AtPath;
        if (!gone)
            return;
        break;
    }
    if (std::optional<ArtifactContent> content = outside().read(file.path)) {
        take(content->artifact.path, originName(content->artifact.origin), std::move(content->bytes));
        file.where = content->rerouted.empty() ? ArchiveFile::Where::AtPath : ArchiveFile::Where::Rerouted;
        return;
    }
    // Elsewhere: below another root, under the thread's id (up to deepagents 0.7.5), or under any name when the
    // sections are those of the events. What was at its path before and is now under another was moved.
    const bool deleted = file.where == ArchiveFile::Where::Deleted;
    const std::string name = file.path.substr(file.path.rfind('/') + 1);
    const Checkpoint *newest = nullptr;
    const std::size_t since = deleted ? file.lastSeen.at() + 1 : 0;
    for (std::size_t i = m_ns.checkpoints.size(); i-- > since && !newest;)
        if (!m_ns.checkpoints[i].files.empty())
            newest = &m_ns.checkpoints[i];
    struct Other {
        std::string path;
        std::string origin;
        std::string text;
    };
    std::vector<Other> others;
    if (newest)
        for (const auto &[path, entry] : newest->files)
            if (isArchivePath(path) || path.ends_with("/" + name))
                others.push_back({path, "state", entryBytes(*entry).bytes});
    for (const Artifact &artifact : outside().list())
        if (isArchivePath(artifact.path) || artifact.path.ends_with("/" + name))
            if (std::optional<ArtifactContent> content = outside().read(artifact.path))
                others.push_back({artifact.path, originName(artifact.origin), std::move(content->bytes)});
    std::ranges::stable_sort(others, {}, &Other::path);
    const std::string own = m_thread.id + ".md";
    for (Other &other : others) {
        const bool sameName = other.path.ends_with("/" + name);
        const Archive archive = parseArchive(other.text);
        const std::vector<SectionLink> links = linkArchive(archive, m_ns, file.path);
        // Folders may hold the archives of many threads.
        const bool ours = std::any_of(links.begin(), links.end(),
            [&](const SectionLink &link) { return isOurs(archive, link, m_ns, other.origin == "state"); });
        // In the state a name is enough: it is this thread's. Elsewhere the route says whether a name is the same file.
        const bool byName =
            isArchivePath(other.path) && ((sameName && other.origin == "state") || other.path.ends_with("/" + own));
        if (!byName && !ours && !(deleted && sameName))
            continue;
        // Two threads' archives may have sections alike: of what was in the state it is the very text that moved.
        if (deleted && !other.text.starts_with(file.text))
            continue;
        take(other.path, other.origin, std::move(other.text));
        file.moved = deleted;
        file.where = sameName ? ArchiveFile::Where::Rerouted : ArchiveFile::Where::Renamed;
        return;
    }
    if (deleted)
        return;
    file.where = knowsFiles() ? ArchiveFile::Where::Missing : ArchiveFile::Where::NotLoaded;
}

} // namespace palimpsest
