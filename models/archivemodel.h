// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/archivetree.h"
#include "models/focus.h"

#include <QAbstractItemModel>

namespace palimpsest {

/// Where a raw message is kept outside the log: a file, and in an archive its section and place.
struct ArchivePlace {
    std::string path; ///< empty: nowhere
    int section = -1;
    int message = -1; ///< its place in the section, from 0

    bool operator==(const ArchivePlace &) const = default;
};

/// The archive tree of the focused checkpoint. The old tree stays until the new one is made.
class ArchiveModel : public QAbstractItemModel {
    Q_OBJECT
public:
    using Kind = ArchiveNode::Kind;
    enum Role {
        NodeKind = Qt::UserRole + 1, ///< int of Kind
        Path, ///< QString
        Section, ///< int
        Event, ///< int: event of a section, 0 when none fits
        Detail, ///< QString: size, number of messages
    };
    /// Makes the tree in a job and calls back on this thread; the newest request wins.
    using Maker = std::function<void(ScenePtr scene, std::vector<ArtifactFolder> folders, ArchiveTreePtr before,
        QObject *receiver, std::function<void(ArchiveTreePtr)> done)>;

    /// Without a maker trees are made at once.
    explicit ArchiveModel(Focus *focus, Maker maker = {}, QObject *parent = nullptr);

    /// Folders of files that belong to the source.
    void setFolders(const std::vector<ArtifactFolder> &folders);
    /// The tree is that of the focused place.
    [[nodiscard]] bool isReady() const { return !m_making; }

    QModelIndex index(int row, int column, const QModelIndex &parent = {}) const override;
    QModelIndex parent(const QModelIndex &index) const override;
    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &) const override { return 1; }
    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;

    /// The content of a file of the tree, or of a path that a stub or an event names.
    [[nodiscard]] std::optional<ArtifactContent> content(const std::string &path) const;
    /// The archive at a path, parsed; null when it is none.
    [[nodiscard]] const Archive *archive(const std::string &path) const;
    [[nodiscard]] const std::vector<SectionLink> *links(const std::string &path) const;
    [[nodiscard]] QModelIndex find(const std::string &path, int section = -1) const;
    /// The section that an event wrote.
    [[nodiscard]] QModelIndex findEvent(int event) const;
    /// Where the chosen message is kept; nowhere when it is in context and whole.
    [[nodiscard]] ArchivePlace placeOf(const std::string &messageKey) const;
    /// Raw messages of a section: [first, end) of the log; both invalid when unknown.
    [[nodiscard]] std::pair<MessageIndex, MessageIndex> messagesOf(const std::string &path, int section) const;

private:
    void onScene();
    void make();
    void setTree(ArchiveTreePtr tree);
    [[nodiscard]] const ParsedArchive *parsed(const std::string &path) const;
    [[nodiscard]] const ArchiveNode *nodeOf(const QModelIndex &index) const;
    [[nodiscard]] QModelIndex indexOf(const ArchiveNode *node) const;

    Focus *m_focus;
    Maker m_maker;
    ScenePtr m_scene;
    std::vector<ArtifactFolder> m_folders;
    ArchiveTreePtr m_tree; ///< never null
    bool m_making = false;
};

} // namespace palimpsest
