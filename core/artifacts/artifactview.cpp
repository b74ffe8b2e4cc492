// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/artifacts/artifactview.h"

#include "core/base/base64.h"
#include "core/base/sha256.h"
#include "core/thread/reducers.h"

#include <QByteArray>
#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QFileInfo>

#include <algorithm>

namespace palimpsest {
namespace {

constexpr qint64 sizeLimit = 256LL * 1024 * 1024;

QString toQt(const std::string &text)
{
    return QString::fromStdString(text);
}

/// "/a/b/c" → "/b/c"; empty when nothing is left.
std::string withoutFirst(const std::string &path)
{
    const std::size_t at = path.find('/', 1);
    return at == std::string::npos ? std::string() : path.substr(at);
}

/// The last two components, "/conversation_history/a.md"; empty when there are fewer.
std::string lastTwo(const std::string &path)
{
    const std::size_t last = path.rfind('/');
    if (last == std::string::npos || last == 0)
        return {};
    const std::size_t before = path.rfind('/', last - 1);
    return before == std::string::npos ? std::string() : path.substr(before);
}

/// Begins and ends with a slash; empty for the root.
std::string routeOf(const std::string &given)
{
    const std::size_t first = given.find_first_not_of('/');
    const std::size_t last = given.find_last_not_of('/');
    return first == std::string::npos ? std::string() : "/" + given.substr(first, last - first + 1) + "/";
}

/// LangGraph JS keeps bytes as a typed array, or as a map of places where its class got lost.
std::optional<std::string> typedArray(const Value &content)
{
    const Value *bytes = &content;
    if (const Value::Tagged *tagged = content.asTagged())
        bytes = &tagged->value;
    while (bytes->isList() && bytes->asList().size() == 1 && bytes->asList().front().isList())
        bytes = &bytes->asList().front();
    std::string out;
    if (bytes->isList() && content.isTagged()) {
        for (const Value &byte : bytes->asList()) {
            if (!byte.isInt() || byte.asInt() < 0 || byte.asInt() > 255)
                return std::nullopt;
            out += static_cast<char>(byte.asInt());
        }
        return out;
    }
    if (!bytes->isMap() || bytes->asMap().empty())
        return std::nullopt;
    for (std::size_t i = 0; i < bytes->asMap().size(); ++i) {
        const auto &[key, byte] = bytes->asMap()[i];
        if (!key.isText() || key.asText() != std::to_string(i) || !byte.isInt() || byte.asInt() < 0
            || byte.asInt() > 255)
            return std::nullopt;
        out += static_cast<char>(byte.asInt());
    }
    return out;
}

} // namespace

EntryBytes entryBytes(const FileEntry &entry)
{
    const Value &content = entry.content;
    if (content.isBytes())
        return {content.asBytes(), false};
    if (content.isText()) {
        if (entry.encoding == "base64")
            return {QByteArray::fromBase64(QByteArray::fromStdString(content.asText())).toStdString(), false};
        return {content.asText(), true};
    }
    if (content.isList()) {
        std::string joined;
        for (std::size_t i = 0; i < content.asList().size(); ++i)
            joined += (i ? "\n" : "") + content.asList()[i].asText();
        return {joined, true};
    }
    if (std::optional<std::string> bytes = typedArray(content))
        return {std::move(*bytes), false};
    return {};
}

std::string mediumBytes(std::string_view path, std::string stored)
{
    const std::string_view name = path.substr(path.rfind('/') + 1);
    const std::string_view digest = name.substr(0, name.find('.'));
    Result<std::string> bytes = base64::decodeStrict(stored);
    return bytes && sha256Hex(*bytes).starts_with(digest) ? std::move(*bytes) : std::move(stored);
}

Result<ArtifactFolder> ArtifactFolder::open(const std::string &folder, const std::string &route)
{
    const QFileInfo info(toQt(folder));
    if (!info.isDir())
        return failure(Error::Code::NotFound, folder, "is no folder that can be read");
    ArtifactFolder opened;
    opened.m_root = info.canonicalFilePath().toStdString();
    opened.m_route = routeOf(route);
    return opened;
}

Result<ArtifactFolder> ArtifactFolder::ofStore(
    const StoreItems &items, const std::string &prefix, const std::string &place, const std::string &route)
{
    auto files = std::make_shared<std::map<std::string, FileEntryPtr>>();
    std::string others;
    for (const auto &[space, values] : items) {
        if (space != prefix) {
            others += (others.empty() ? "" : ", ") + space;
            continue;
        }
        for (const auto &[key, value] : values)
            if (value.isMap() && value.contains("content"))
                files->emplace(key, fileEntry(value));
    }
    if (files->empty())
        return failure(Error::Code::NotFound, place,
            "the store has no files in the namespace \"" + prefix + "\"; "
                + (others.empty() ? "it has no others" : "it has " + others));
    ArtifactFolder opened;
    opened.m_root = place;
    opened.m_route = routeOf(route);
    opened.m_items = std::move(files);
    return opened;
}

/// A CompositeBackend takes a route off but for the last slash (deepagents/backends/composite.py, 0.7.32).
const FileEntry *ArtifactFolder::item(const std::string &path) const
{
    if (!path.starts_with(m_route))
        return nullptr;
    const std::string below = path.substr(m_route.size());
    for (const std::string &key : {"/" + below, below})
        if (const auto found = m_items->find(m_route.empty() ? path : key); found != m_items->end())
            return found->second.get();
    return nullptr;
}

std::string ArtifactFolder::resolve(const std::string &path) const
{
    if (path.empty() || path.find('\0') != std::string::npos || !path.starts_with(m_route))
        return {};
    const std::string below = path.substr(m_route.size());
    const QString joined = QDir::cleanPath(toQt(m_root) + u'/' + toQt(below));
    const QFileInfo info(joined);
    if (!info.isFile())
        return {};
    // What it really is, every link followed, must lie below the root.
    const QString canonical = info.canonicalFilePath();
    const QString root = toQt(m_root) == u"/" ? toQt(m_root) : toQt(m_root) + u'/';
    return canonical.startsWith(root) ? canonical.toStdString() : std::string();
}

std::vector<Artifact> ArtifactFolder::list(std::size_t limit) const
{
    std::vector<Artifact> artifacts;
    if (isStore()) {
        for (const auto &[key, entry] : *m_items) {
            const std::string below = m_route.empty() || !key.starts_with('/') ? key : key.substr(1);
            artifacts.push_back({m_route + below, Artifact::Origin::Store, m_root,
                static_cast<std::int64_t>(entryBytes(*entry).bytes.size())});
        }
        return artifacts;
    }
    // Links are not followed: a folder may link to itself.
    const QDir root(toQt(m_root));
    QDirIterator it(toQt(m_root), QDir::Files | QDir::Hidden | QDir::NoSymLinks, QDirIterator::Subdirectories);
    while (it.hasNext() && artifacts.size() < limit) {
        const QString file = it.next();
        const std::string path = (m_route.empty() ? "/" : m_route) + root.relativeFilePath(file).toStdString();
        artifacts.push_back({path, Artifact::Origin::Folder, m_root, it.fileInfo().size()});
    }
    std::sort(artifacts.begin(), artifacts.end(), [](const Artifact &a, const Artifact &b) { return a.path < b.path; });
    return artifacts;
}

Result<std::string> ArtifactFolder::read(const std::string &path) const
{
    if (isStore()) {
        const FileEntry *entry = item(path);
        return entry ? Result<std::string>(entryBytes(*entry).bytes)
                     : failure(Error::Code::NotFound, path, "is no file of " + m_root);
    }
    const std::string resolved = resolve(path);
    if (resolved.empty())
        return failure(Error::Code::NotFound, path, "is no file below " + m_root);
    QFile file(toQt(resolved));
    if (file.size() > sizeLimit)
        return failure(Error::Code::Limit, path, "is larger than 256 MB and is not read");
    if (!file.open(QIODevice::ReadOnly))
        return failure(Error::Code::Unreadable, path, file.errorString().toStdString());
    return file.readAll().toStdString();
}

std::optional<std::string> folderBeside(const std::string &database)
{
    const QFileInfo info(toQt(database));
    const QFileInfo beside(info.dir().filePath(info.completeBaseName() + QStringLiteral(".files")));
    return beside.isDir() ? std::optional(beside.filePath().toStdString()) : std::nullopt;
}

std::vector<ArtifactFolder> foldersOf(const SourceInfo &source)
{
    std::vector<ArtifactFolder> folders;
    const auto add = [&folders](const std::string &path, const std::string &route) {
        if (Result<ArtifactFolder> folder = ArtifactFolder::open(path, route))
            folders.push_back(*std::move(folder));
    };
    if (const std::optional<std::string> beside = folderBeside(source.location))
        add(*beside, {});
    for (const SourceFolder &folder : source.folders)
        add(folder.folder, folder.route);
    return folders;
}

ArtifactView::ArtifactView(const Thread &thread, const ThreadNamespace &space, CheckpointIndex checkpoint)
{
    if (checkpoint.isValid() && checkpoint.at() < space.checkpoints.size())
        m_files = space.checkpoints[checkpoint.at()].files;
    for (const auto &[prefix, items] : thread.store)
        for (const auto &[key, value] : items)
            if (value.isMap() && value.contains("content"))
                m_store[prefix].emplace(key, fileEntry(value));
}

void ArtifactView::addFolder(ArtifactFolder folder)
{
    m_folders.push_back(std::move(folder));
}

std::vector<Artifact> ArtifactView::list() const
{
    std::vector<Artifact> artifacts;
    for (const auto &[path, entry] : m_files)
        artifacts.push_back(
            {path, Artifact::Origin::State, {}, static_cast<std::int64_t>(entryBytes(*entry).bytes.size())});
    std::sort(artifacts.begin(), artifacts.end(), [](const Artifact &a, const Artifact &b) { return a.path < b.path; });
    for (const ArtifactFolder &folder : m_folders) {
        std::vector<Artifact> more = folder.list();
        std::move(more.begin(), more.end(), std::back_inserter(artifacts));
    }
    for (const auto &[prefix, items] : m_store)
        for (const auto &[key, entry] : items)
            artifacts.push_back(
                {key, Artifact::Origin::Store, prefix, static_cast<std::int64_t>(entryBytes(*entry).bytes.size())});
    return artifacts;
}

std::optional<ArtifactContent> ArtifactView::readExact(const std::string &path) const
{
    const auto fromEntry = [&](const FileEntry &entry, Artifact::Origin origin, const std::string &place) {
        EntryBytes content = entryBytes(entry);
        const auto size = static_cast<std::int64_t>(content.bytes.size());
        return ArtifactContent{{path, origin, place, size}, std::move(content.bytes), content.text, {}};
    };
    if (const FileEntryPtr *entry = m_files.find(path))
        return fromEntry(**entry, Artifact::Origin::State, {});
    for (const ArtifactFolder &folder : m_folders) {
        if (Result<std::string> bytes = folder.read(path)) {
            const auto size = static_cast<std::int64_t>(bytes->size());
            const bool text = QString::fromUtf8(bytes->data(), static_cast<qsizetype>(bytes->size())).toUtf8()
                == QByteArrayView(bytes->data(), static_cast<qsizetype>(bytes->size()));
            const auto origin = folder.isStore() ? Artifact::Origin::Store : Artifact::Origin::Folder;
            return ArtifactContent{{path, origin, folder.root(), size}, std::move(*bytes), text, {}};
        }
    }
    for (const auto &[prefix, items] : m_store)
        if (const auto found = items.find(path); found != items.end())
            return fromEntry(*found->second, Artifact::Origin::Store, prefix);
    return std::nullopt;
}

std::optional<ArtifactContent> ArtifactView::read(const std::string &path) const
{
    if (std::optional<ArtifactContent> content = readExact(path))
        return content;
    for (std::string shorter = withoutFirst(path); !shorter.empty(); shorter = withoutFirst(shorter)) {
        // A bare file name could be any file; in a store it is what a route to it leaves of a path, if one item has it.
        if (shorter.find('/', 1) == std::string::npos) {
            const auto has = [&shorter](const auto &space) { return space.second.contains(shorter); };
            if (std::ranges::count_if(m_store, has) != 1)
                break;
            const auto space = std::ranges::find_if(m_store, has);
            EntryBytes bare = entryBytes(*space->second.at(shorter));
            const auto size = static_cast<std::int64_t>(bare.bytes.size());
            return ArtifactContent{{shorter, Artifact::Origin::Store, space->first, size}, std::move(bare.bytes),
                bare.text, path + " is kept as " + shorter};
        }
        if (std::optional<ArtifactContent> content = readExact(shorter)) {
            content->rerouted = path + " is kept as " + shorter;
            return content;
        }
    }
    const std::string tail = lastTwo(path);
    if (tail.empty())
        return std::nullopt;
    for (const Artifact &artifact : list()) {
        if (!artifact.path.ends_with(tail))
            continue;
        std::optional<ArtifactContent> content = readExact(artifact.path);
        if (content)
            content->rerouted = path + " is kept as " + artifact.path;
        return content;
    }
    return std::nullopt;
}

} // namespace palimpsest
