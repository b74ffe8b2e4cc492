// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/archivemodel.h"

#include "models/display.h"

#include <algorithm>

namespace palimpsest {

ArchiveModel::ArchiveModel(Focus *focus, Maker maker, QObject *parent)
    : QAbstractItemModel(parent)
    , m_focus(focus)
    , m_maker(std::move(maker))
    , m_scene(focus->scene())
    , m_tree(makeArchiveTree(std::make_shared<const Scene>(), {}, nullptr, {}))
{
    make();
    connect(focus, &Focus::sceneChanged, this, &ArchiveModel::onScene);
}

void ArchiveModel::setFolders(const std::vector<ArtifactFolder> &folders)
{
    m_folders = folders;
    make();
}

void ArchiveModel::onScene()
{
    const ScenePtr before = std::exchange(m_scene, m_focus->scene());
    // Scrubbing moves over many checkpoints with the same files and events: then the tree stays as it is.
    if (before->thread == m_scene->thread && before->space == m_scene->space && before->checkpoint
        && m_scene->checkpoint && before->checkpoint->files.identity() == m_scene->checkpoint->files.identity()
        && before->events == m_scene->events)
        return;
    make();
}

void ArchiveModel::make()
{
    // Of another thread nothing is kept.
    const ArchiveTreePtr before = m_tree->scene->thread == m_scene->thread ? m_tree : nullptr;
    if (!m_maker || !m_scene->checkpoint) {
        setTree(makeArchiveTree(m_scene, m_folders, before, {}));
        return;
    }
    m_making = true;
    m_maker(m_scene, m_folders, before, this, [this](ArchiveTreePtr tree) {
        if (tree)
            setTree(std::move(tree));
    });
}

void ArchiveModel::setTree(ArchiveTreePtr tree)
{
    beginResetModel();
    m_tree = std::move(tree);
    m_making = false;
    endResetModel();
}

const ArchiveNode *ArchiveModel::nodeOf(const QModelIndex &index) const
{
    return index.isValid() ? static_cast<const ArchiveNode *>(index.constInternalPointer()) : &m_tree->root;
}

QModelIndex ArchiveModel::indexOf(const ArchiveNode *node) const
{
    return node && node->parent ? createIndex(node->row, 0, node) : QModelIndex();
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
    const ArchiveNode &node = *nodeOf(index);
    switch (role) {
    case Qt::DisplayRole:
        return node.title;
    case Qt::ToolTipRole:
        return node.path.empty() ? node.title : toQString(node.path);
    case NodeKind:
        return static_cast<int>(node.kind);
    case Path:
        return toQString(node.path);
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

std::optional<ArtifactContent> ArchiveModel::content(const std::string &path) const
{
    return m_tree->view.read(path);
}

const ParsedArchive *ArchiveModel::parsed(const std::string &path) const
{
    const auto found = m_tree->parsed.find(path);
    return found == m_tree->parsed.end() ? nullptr : found->second.get();
}

const Archive *ArchiveModel::archive(const std::string &path) const
{
    const ParsedArchive *found = parsed(path);
    return found ? &found->archive : nullptr;
}

const std::vector<SectionLink> *ArchiveModel::links(const std::string &path) const
{
    const ParsedArchive *found = parsed(path);
    return found ? &found->links : nullptr;
}

QModelIndex ArchiveModel::find(const std::string &path, int section) const
{
    if (path.empty())
        return {};
    const auto at = [&](const std::string &wanted) {
        return m_tree->search([&](const ArchiveNode &node) { return node.path == wanted && node.section == section; });
    };
    if (const ArchiveNode *found = at(path))
        return indexOf(found);
    // A route's prefix may be on one of the two paths only: the content says which file is meant.
    const auto real = content(path);
    return real && real->artifact.path != path ? indexOf(at(real->artifact.path)) : QModelIndex();
}

QModelIndex ArchiveModel::findEvent(int event) const
{
    if (event <= 0)
        return {};
    return indexOf(
        m_tree->search([&](const ArchiveNode &node) { return node.kind == Kind::Section && node.event == event; }));
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
    const ArchiveNode *node = nodeOf(section);
    place.path = node->path;
    place.section = node->section;
    const auto [first, end] = messagesOf(place.path, place.section);
    const Archive *whole = archive(place.path);
    if (!first.isValid() || index < first || index >= end || !whole)
        return place;
    // The section leaves out summaries of earlier events, which are no messages of the log: places agree when the
    // numbers do.
    const auto &messages = whole->sections[static_cast<std::size_t>(place.section)].messages;
    if (static_cast<std::int64_t>(messages.size()) == end.value - first.value)
        place.message = static_cast<int>(index.value - first.value);
    return place;
}

} // namespace palimpsest
