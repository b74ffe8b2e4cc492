// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/trace/filesearch.h"

#include "core/artifacts/archive.h"
#include "core/artifacts/links.h"
#include "core/compaction/stages/humaneviction.h"
#include "core/insight/trace/messageparts.h"
#include "core/serde/json.h"

#include <algorithm>

namespace palimpsest {
namespace {

constexpr std::string_view heading = "## Summarized at ";

/// The section around a byte, and the time in its heading.
void placeInSections(FileHit &hit, std::string_view content, std::size_t at)
{
    std::size_t number = 0;
    for (std::size_t found = content.find(heading); found != std::string_view::npos && found <= at;
        found = content.find(heading, found + 1)) {
        if (found > 0 && content[found - 1] != '\n')
            continue;
        hit.section = number++;
        const std::size_t from = found + heading.size();
        hit.sectionTime = content.substr(from, content.find('\n', from) - from);
    }
}

FileHit hitAt(std::string_view content, bool archive, TextSpan range)
{
    FileHit hit;
    hit.archive = archive;
    hit.line = lineOf(content, range.begin);
    hit.lines = lineOf(content, std::max(range.begin, range.end - 1)) - hit.line + 1;
    hit.text = sentenceAround(content, range);
    if (archive)
        placeInSections(hit, content, range.begin);
    return hit;
}

/// Texts of a tool call's arguments in an archive.
std::optional<std::string> findInArguments(const std::string &json, const Needle &needle)
{
    if (const auto range = needle.find(json))
        return std::string(sentenceAround(json, *range));
    const Result<Value> args = parseJson(json);
    if (!args)
        return std::nullopt;
    std::optional<std::string> found;
    visitTexts(*args, [&](std::string_view inside) {
        if (const auto range = needle.find(inside))
            found = std::string(sentenceAround(inside, *range));
        return !found;
    });
    return found;
}

/// Text that XML or JSON writes otherwise than it is.
std::optional<FileHit> findInMessages(std::string_view content, const Needle &needle)
{
    const Archive archive = parseArchive(content);
    for (const ArchiveSection &section : archive.sections) {
        for (const ArchivedMessage &message : section.messages) {
            const std::string_view stored = content.substr(message.begin, message.end - message.begin);
            if (const auto range = needle.find(message.text)) {
                // Escaping changes no line break, so lines count alike; the nested form has its content on the next
                // one.
                const std::size_t body = stored.find('>');
                const bool nested =
                    body != std::string_view::npos && stored.substr(body + 1).starts_with("\n  <content>");
                FileHit hit = hitAt(content, true, {message.begin, message.begin + 1});
                hit.line += lineOf(message.text, range->begin) - 1 + (nested ? 1 : 0);
                hit.lines = lineOf(message.text, range->end - 1) - lineOf(message.text, range->begin) + 1;
                hit.text = sentenceAround(message.text, *range);
                return hit;
            }
            std::size_t at = 0;
            for (const ArchivedToolCall &call : message.toolCalls) {
                at = stored.find("<tool_call ", at);
                const std::size_t place = message.begin + (at == std::string_view::npos ? 0 : at);
                if (std::optional<std::string> text = findInArguments(call.args, needle)) {
                    FileHit hit = hitAt(content, true, {place, place + 1});
                    hit.text = std::move(*text);
                    return hit;
                }
                at = at == std::string_view::npos ? at : at + 1;
            }
        }
    }
    return std::nullopt;
}

/// Plain words are written as they are; what is escaped in XML or JSON is not.
bool mayBeEscaped(const Needle &needle)
{
    return needle.kind() != NeedleKind::Plain || needle.text().find_first_of("&<>\"\\\n\t\r") != std::string::npos;
}

bool sameTail(std::string_view a, std::string_view b)
{
    const std::string_view &shorter = a.size() < b.size() ? a : b;
    const std::string_view &longer = a.size() < b.size() ? b : a;
    return longer.ends_with(shorter) && (longer.size() == shorter.size() || shorter.starts_with('/'));
}

} // namespace

bool isArchive(std::string_view path, std::string_view content)
{
    return path.find("conversation_history/") != std::string_view::npos && path.ends_with(".md")
        && content.find(heading) != std::string_view::npos;
}

std::optional<FileHit> findInFile(std::string_view content, bool archive, const Needle &needle)
{
    if (const auto range = needle.find(content))
        return hitAt(content, archive, *range);
    return archive && mayBeEscaped(needle) ? findInMessages(content, needle) : std::nullopt;
}

FileSearch::FileSearch(
    const Thread &thread, const ThreadNamespace &space, std::vector<ArtifactFolder> folders, Needle needle)
    : m_thread(thread)
    , m_space(space)
    , m_folders(std::move(folders))
    , m_needle(std::move(needle))
{
}

FileHitPtr FileSearch::searchEntry(const std::string &path, const FileEntryPtr &entry)
{
    if (const auto known = m_entries.find(entry.get()); known != m_entries.end())
        return known->second;
    const EntryBytes content = entryBytes(*entry);
    FileHitPtr hit;
    if (std::optional<FileHit> found = findInFile(content.bytes, isArchive(path, content.bytes), m_needle)) {
        found->path = path;
        found->readable = content.text;
        hit = std::make_shared<const FileHit>(std::move(*found));
    }
    return m_entries.emplace(entry.get(), std::move(hit)).first->second;
}

const std::vector<FileHitPtr> &FileSearch::searchMap(const FileMap &files)
{
    const auto [place, fresh] = m_maps.try_emplace(files.identity());
    if (!fresh)
        return place->second;
    for (const auto &[path, entry] : files)
        if (FileHitPtr hit = searchEntry(path, entry))
            place->second.push_back(std::move(hit));
    std::sort(place->second.begin(), place->second.end(),
        [](const FileHitPtr &a, const FileHitPtr &b) { return a->path < b->path; });
    return place->second;
}

CheckpointIndex FileSearch::after(const Call &call) const
{
    if (!call.checkpoint.isValid())
        return {};
    const std::vector<CheckpointIndex> &children = m_space.checkpoints[call.checkpoint.at()].children;
    for (const CheckpointIndex child : children) {
        const MessageLog &log = m_space.checkpoints[child.at()].messages;
        for (std::size_t i = log.size(); i-- > 0 && log.size() - i <= 4;)
            if (!call.answers.empty() && log[i]->id == call.answers.front()->id)
                return child;
    }
    return children.empty() ? CheckpointIndex() : children.front();
}

std::vector<std::string> FileSearch::ownPaths(const Call &call) const
{
    std::vector<std::string> paths;
    if (call.eventFrom == Call::EventFrom::ThisCall && call.event && call.event->filePath)
        paths.push_back(*call.event->filePath);
    for (const MessagePtr &message : call.rewrites)
        for (const ArtifactLink &link : artifactLinks(*message))
            paths.push_back(link.path);
    if (!call.log.empty())
        if (std::string path = evictedTo(*call.log.back()); !path.empty())
            paths.push_back(std::move(path));
    return paths;
}

std::vector<FileHitPtr> FileSearch::at(const Call &call)
{
    std::vector<FileHitPtr> hits;
    if (call.checkpoint.isValid())
        hits = searchMap(m_space.checkpoints[call.checkpoint.at()].files);
    // What the call itself moved out of its request is stored with its answer.
    if (const std::vector<std::string> own = ownPaths(call); !own.empty()) {
        if (const CheckpointIndex child = after(call); child.isValid()) {
            for (const std::string &path : own) {
                const FileEntryPtr *entry = m_space.checkpoints[child.at()].files.find(path);
                FileHitPtr hit = entry ? searchEntry(path, *entry) : nullptr;
                if (!hit)
                    continue;
                std::erase_if(hits, [&](const FileHitPtr &old) { return old->path == path; });
                hits.push_back(std::move(hit));
            }
        }
    }
    searchExternals();
    const CheckpointIndex child = after(call);
    for (const External &external : m_externals) {
        const bool there = external.always
            || (external.since.isValid()
                && (external.since <= call.checkpoint
                    || (external.hit->archive && child.isValid() && call.eventFrom == Call::EventFrom::ThisCall
                        && external.since <= child)));
        if (there)
            hits.push_back(external.hit);
    }
    std::stable_partition(hits.begin(), hits.end(), [](const FileHitPtr &hit) { return !hit->archive; });
    return hits;
}

std::string FileSearch::agentPath(const std::string &stored) const
{
    for (const CheckpointIndex at : m_space.eventCheckpoints) {
        const EventPtr &event = m_space.checkpoints[at.at()].event;
        if (event && event->filePath && sameTail(*event->filePath, stored))
            return *event->filePath;
    }
    return stored;
}

CheckpointIndex FileSearch::firstNaming(const std::string &path) const
{
    // Logs share their beginnings: the messages that are new at each checkpoint are enough.
    std::size_t looked = 0;
    for (std::size_t i = 0; i < m_space.checkpoints.size(); ++i) {
        const MessageLog &log = m_space.checkpoints[i].messages;
        for (std::size_t at = std::min(looked, log.size()); at < log.size(); ++at) {
            bool names = !evictedTo(*log[at]).empty() && sameTail(evictedTo(*log[at]), path);
            visitParts(*log[at], [&](const MessagePart &part) {
                const std::size_t cut = path.find('/', 1);
                names = names || part.text.find(path) != std::string_view::npos
                    || (cut != std::string::npos && part.text.find(path.substr(cut)) != std::string_view::npos);
                return !names;
            });
            if (names)
                return CheckpointIndex(i);
        }
        looked = log.size();
    }
    return {};
}

CheckpointIndex FileSearch::sectionSince(const std::string &content, std::size_t section, const std::string &path)
{
    for (const SectionLink &link : linkArchive(parseArchive(content), m_space, path))
        if (link.section == section)
            return link.checkpoint;
    return {};
}

void FileSearch::searchExternals()
{
    if (m_externalsDone)
        return;
    m_externalsDone = true;
    ArtifactView view(m_thread, m_space, CheckpointIndex());
    for (const ArtifactFolder &folder : m_folders)
        view.addFolder(folder);
    for (const Artifact &artifact : view.list()) {
        const std::optional<ArtifactContent> content = view.read(artifact.path);
        if (!content)
            continue;
        std::optional<FileHit> found = findInFile(content->bytes, isArchive(artifact.path, content->bytes), m_needle);
        if (!found)
            continue;
        External external;
        found->path = agentPath(artifact.path);
        found->readable = content->text;
        if (found->archive && found->section)
            external.since = sectionSince(content->bytes, *found->section, found->path);
        if (!external.since.isValid()) {
            external.since = firstNaming(artifact.path);
            external.always = !external.since.isValid();
        }
        external.hit = std::make_shared<const FileHit>(std::move(*found));
        m_externals.push_back(std::move(external));
    }
}

CheckpointIndex FileSearch::latest(const Call &call) const
{
    const CheckpointIndex child = after(call);
    return child.isValid() ? child : call.checkpoint;
}

const void *FileSearch::filesKey(const Call &call) const
{
    const CheckpointIndex at = latest(call);
    return at.isValid() ? m_space.checkpoints[at.at()].files.identity() : nullptr;
}

const std::string &FileSearch::content(const Call &call, const std::string &path)
{
    const auto [known, fresh] = m_contents.try_emplace({path, filesKey(call)});
    if (!fresh)
        return known->second;
    ArtifactView view(m_thread, m_space, latest(call));
    for (const ArtifactFolder &folder : m_folders)
        view.addFolder(folder);
    if (std::optional<ArtifactContent> content = view.read(path))
        known->second = std::move(content->bytes);
    return known->second;
}

FileHitPtr FileSearch::archived(const Call &call, MessageIndex raw)
{
    if (!call.event || !call.event->filePath)
        return nullptr;
    const auto [known, fresh] = m_archived.try_emplace({call.event.get(), raw.value});
    if (fresh)
        known->second = findArchived(call, raw);
    return known->second;
}

FileHitPtr FileSearch::findArchived(const Call &call, MessageIndex raw)
{
    const std::string &stored = content(call, *call.event->filePath);
    const Archive archive = parseArchive(stored);
    for (const SectionLink &link : linkArchive(archive, m_space, *call.event->filePath)) {
        if (!link.agrees || raw < link.first || raw >= link.end)
            continue;
        const MessageLog &log = m_space.checkpoints[link.checkpoint.at()].messages;
        std::size_t place = 0;
        for (std::int64_t i = link.first.value; i < raw.value; ++i)
            place += isSummary(*log[static_cast<std::size_t>(i)]) ? 0 : 1;
        const ArchiveSection &section = archive.sections[link.section];
        if (place >= section.messages.size())
            return nullptr;
        const ArchivedMessage &message = section.messages[place];
        FileHit hit = hitAt(stored, true, {message.begin, message.end});
        hit.text = sentenceAround(message.text, {0, 0});
        hit.path = *call.event->filePath;
        return std::make_shared<const FileHit>(std::move(hit));
    }
    return nullptr;
}

FileHitPtr FileSearch::whole(const Call &call, const std::string &path)
{
    const auto [known, fresh] = m_wholes.try_emplace({path, filesKey(call)});
    if (!fresh)
        return known->second;
    const std::string &stored = content(call, path);
    if (stored.empty())
        return nullptr;
    FileHit hit = hitAt(stored, isArchive(path, stored), {0, stored.size()});
    hit.text = sentenceAround(stored, {0, 0});
    hit.path = path;
    known->second = std::make_shared<const FileHit>(std::move(hit));
    return known->second;
}

} // namespace palimpsest
