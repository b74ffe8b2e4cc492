// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/archivemodel.h"

#include "core/artifacts/links.h"
#include "models/counted.h"
#include "models/messagetext.h"

#include <QLocale>
#include <algorithm>

namespace palimpsest {

using namespace Qt::StringLiterals;

namespace {

enum GroupRow { Archives, Offloads, MediaFiles, Others, Groups };

QString fileName(const std::string &path)
{
    const QString text = toText(path);
    return text.mid(text.lastIndexOf(u'/') + 1);
}

bool isArchivePath(const std::string &path)
{
    return path.find("conversation_history/") != std::string::npos && path.ends_with(".md");
}

bool isOffload(const std::string &path)
{
    return path.find("large_tool_results/") != std::string::npos || path.find("large_messages/") != std::string::npos
        || path.find("human_messages/") != std::string::npos || path.find("conversation_history/") != std::string::npos;
}

bool isPicture(const std::string &path)
{
    for (const char *end : {".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".svg", ".mp3", ".wav", ".mp4", ".pdf"}) {
        if (path.ends_with(end))
            return true;
    }
    return isMediaPath(path);
}

} // namespace

ArchiveModel::ArchiveModel(Focus *focus, QObject *parent)
    : QAbstractItemModel(parent)
    , m_focus(focus)
    , m_scene(focus->scene())
    , m_root(std::make_unique<Node>())
{
    build();
    connect(focus, &Focus::sceneChanged, this, &ArchiveModel::onScene);
}

void ArchiveModel::setFolders(const std::vector<ArtifactFolder> &folders)
{
    m_folders = folders;
    beginResetModel();
    build();
    endResetModel();
}

void ArchiveModel::onScene()
{
    const ScenePtr before = std::exchange(m_scene, m_focus->scene());
    // Scrubbing moves over many checkpoints with the same files and events: then the tree stays as it is.
    if (before->thread == m_scene->thread && before->space == m_scene->space && before->checkpoint
        && m_scene->checkpoint && before->checkpoint->files.identity() == m_scene->checkpoint->files.identity()
        && before->events == m_scene->events)
        return;
    beginResetModel();
    build();
    endResetModel();
}

ArchiveModel::Node *ArchiveModel::add(Node *parent, Kind kind, const QString &title)
{
    auto node = std::make_unique<Node>();
    node->kind = kind;
    node->title = title;
    node->parent = parent;
    node->row = static_cast<int>(parent->children.size());
    parent->children.push_back(std::move(node));
    return parent->children.back().get();
}

void ArchiveModel::build()
{
    m_root = std::make_unique<Node>();
    m_view = ArtifactView();
    if (!m_scene->checkpoint) {
        m_parsed.clear();
        return;
    }
    m_view = ArtifactView(*m_scene->thread, *m_scene->space, m_scene->checkpointIndex);
    for (const ArtifactFolder &folder : m_folders)
        m_view.addFolder(folder);
    Node *groups[Groups] = {add(m_root.get(), Kind::Group, tr("Conversation archives")),
        add(m_root.get(), Kind::Group, tr("Offloaded messages and results")),
        add(m_root.get(), Kind::Group, tr("Media")), add(m_root.get(), Kind::Group, tr("Other files"))};
    for (const Artifact &artifact : m_view.list()) {
        if (isArchivePath(artifact.path)) {
            addArchive(groups[Archives], artifact);
            continue;
        }
        const bool picture = isPicture(artifact.path);
        Node *group = picture ? groups[MediaFiles] : isOffload(artifact.path) ? groups[Offloads] : groups[Others];
        Node *node = add(group,
            picture                         ? Kind::Media
                : group == groups[Offloads] ? Kind::Offloaded
                                            : Kind::File,
            toText(artifact.path));
        if (group != groups[Others])
            node->title = fileName(artifact.path);
        node->path = artifact.path;
        node->detail = QLocale().formattedDataSize(artifact.size);
        if (artifact.origin == Artifact::Origin::Folder)
            node->detail += tr(" · folder");
        else if (artifact.origin == Artifact::Origin::Store)
            node->detail += tr(" · store");
    }
    for (Node *group : groups)
        group->detail = QLocale().toString(static_cast<qulonglong>(group->children.size()));
}

void ArchiveModel::addArchive(Node *group, const Artifact &artifact)
{
    const auto content = m_view.read(artifact.path);
    Node *file = add(group, Kind::Archive, fileName(artifact.path));
    file->path = artifact.path;
    file->detail = QLocale().formattedDataSize(artifact.size);
    if (!content)
        return;
    Parsed &parsed = m_parsed[artifact.path];
    if (parsed.bytes != content->bytes || parsed.space != m_scene->space) {
        parsed.bytes = content->bytes;
        parsed.space = m_scene->space;
        parsed.archive = parseArchive(parsed.bytes);
        parsed.links = linkArchive(parsed.archive, *m_scene->space, artifact.path);
    }
    for (std::size_t i = 0; i < parsed.archive.sections.size(); ++i) {
        const ArchiveSection &section = parsed.archive.sections[i];
        const QString time = toText(section.timestamp);
        Node *node = add(file, Kind::Section, time.contains(u'T') ? time.mid(time.indexOf(u'T') + 1, 8) : time);
        node->path = artifact.path;
        node->section = static_cast<int>(i);
        node->detail = counted(static_cast<qint64>(section.messages.size()), tr("message"), tr("messages"));
        const auto link = std::ranges::find(parsed.links, i, &SectionLink::section);
        if (link != parsed.links.end()) {
            const auto mark = std::ranges::find(m_scene->events, link->checkpoint, &EventMark::checkpoint);
            if (mark != m_scene->events.end())
                node->event = mark->number;
        }
        node->title =
            node->event ? tr("Event %1 · %2").arg(node->event).arg(node->title) : tr("No event · %1").arg(node->title);
        if (!section.exact)
            node->detail += tr(" · cannot be told apart for certain");
    }
}

ArchiveModel::Node *ArchiveModel::nodeOf(const QModelIndex &index) const
{
    return index.isValid() ? static_cast<Node *>(index.internalPointer()) : m_root.get();
}

QModelIndex ArchiveModel::indexOf(const Node *node) const
{
    return node && node->parent ? createIndex(node->row, 0, const_cast<Node *>(node)) : QModelIndex();
}

QModelIndex ArchiveModel::index(int row, int column, const QModelIndex &parent) const
{
    if (!hasIndex(row, column, parent))
        return {};
    return createIndex(row, column, nodeOf(parent)->children[static_cast<std::size_t>(row)].get());
}

QModelIndex ArchiveModel::parent(const QModelIndex &index) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::DoNotUseParent))
        return {};
    return indexOf(nodeOf(index)->parent);
}

int ArchiveModel::rowCount(const QModelIndex &parent) const
{
    if (!checkIndex(parent) || parent.column() > 0)
        return 0;
    return static_cast<int>(nodeOf(parent)->children.size());
}

QVariant ArchiveModel::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const Node &node = *nodeOf(index);
    switch (role) {
    case Qt::DisplayRole:
        return node.title;
    case Qt::ToolTipRole:
        return node.path.empty() ? node.title : toText(node.path);
    case NodeKind:
        return static_cast<int>(node.kind);
    case Path:
        return toText(node.path);
    case Section:
        return node.section;
    case Event:
        return node.event;
    case Detail:
        return node.detail;
    default:
        return {};
    }
}

const Archive *ArchiveModel::archive(const std::string &path) const
{
    const auto found = m_parsed.find(path);
    return found == m_parsed.end() ? nullptr : &found->second.archive;
}

const std::vector<SectionLink> *ArchiveModel::links(const std::string &path) const
{
    const auto found = m_parsed.find(path);
    return found == m_parsed.end() ? nullptr : &found->second.links;
}

const ArchiveModel::Node *ArchiveModel::search(const Node *from, const std::function<bool(const Node &)> &wanted) const
{
    for (const auto &child : from->children) {
        if (wanted(*child))
            return child.get();
        if (const Node *found = search(child.get(), wanted))
            return found;
    }
    return nullptr;
}

QModelIndex ArchiveModel::find(const std::string &path, int section) const
{
    if (path.empty())
        return {};
    const auto same = [&](const Node &node) { return node.path == path && node.section == section; };
    if (const Node *found = search(m_root.get(), same))
        return indexOf(found);
    // A route's prefix may be on one of the two paths only: the content says which file is meant.
    const auto content = m_view.read(path);
    if (!content || content->artifact.path == path)
        return {};
    const std::string real = content->artifact.path;
    return indexOf(
        search(m_root.get(), [&](const Node &node) { return node.path == real && node.section == section; }));
}

QModelIndex ArchiveModel::findEvent(int event) const
{
    if (event <= 0)
        return {};
    return indexOf(
        search(m_root.get(), [&](const Node &node) { return node.kind == Kind::Section && node.event == event; }));
}

std::pair<MessageIndex, MessageIndex> ArchiveModel::messagesOf(const std::string &path, int section) const
{
    const auto *all = links(path);
    if (!all || section < 0)
        return {};
    const auto link = std::ranges::find(*all, static_cast<std::size_t>(section), &SectionLink::section);
    if (link == all->end() || !link->checkpoint.isValid())
        return {};
    return {link->first, link->end};
}

ArchivePlace ArchiveModel::placeOf(const std::string &key) const
{
    ArchivePlace place;
    const MessageIndex index = findMessage(m_scene->log, key);
    if (!index.isValid())
        return place;
    const Fate fate = m_scene->fates.of(index);
    if (fate.kind == Fate::Kind::Stub) {
        place.path = fate.path;
        return place;
    }
    if (fate.kind != Fate::Kind::Summarized)
        return place;
    const QModelIndex section = findEvent(fate.event);
    if (!section.isValid()) {
        place.path = fate.path;
        return place;
    }
    const Node *node = nodeOf(section);
    place.path = node->path;
    place.section = node->section;
    const auto [first, end] = messagesOf(place.path, place.section);
    const Archive *parsed = archive(place.path);
    if (!first.isValid() || index < first || index >= end || !parsed)
        return place;
    // The section leaves out summaries of earlier events, which are no messages of the log: places agree when the
    // numbers do.
    const auto &messages = parsed->sections[static_cast<std::size_t>(place.section)].messages;
    if (static_cast<std::int64_t>(messages.size()) == end.value - first.value)
        place.message = static_cast<int>(index.value - first.value);
    return place;
}

} // namespace palimpsest
