// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/artifacts/archive.h"
#include "core/artifacts/artifactview.h"
#include "models/focus.h"

#include <QAbstractItemModel>
#include <map>

namespace palimpsest {

/// Where a raw message is kept outside the log: a file, and in an archive its section and place.
struct ArchivePlace {
    std::string path; ///< empty: nowhere
    int section = -1;
    int message = -1; ///< its place in the section, from 0

    bool operator==(const ArchivePlace &) const = default;
};

/// What is kept outside the log at the focused checkpoint, as a tree of four groups: archives with their sections,
/// large tool results and messages, media, other files. Added folders and the store are listed with the state's files.
class ArchiveModel : public QAbstractItemModel {
    Q_OBJECT
public:
    enum class Kind { Group, Archive, Section, Offloaded, Media, File };
    enum Role {
        NodeKind = Qt::UserRole + 1, ///< int of Kind
        Path, ///< QString
        Section, ///< int
        Event, ///< int: event of a section, 0 when none fits
        Detail, ///< QString: size, number of messages
    };

    explicit ArchiveModel(Focus *focus, QObject *parent = nullptr);

    /// Folders of files that belong to the source.
    void setFolders(const std::vector<ArtifactFolder> &folders);

    QModelIndex index(int row, int column, const QModelIndex &parent = {}) const override;
    QModelIndex parent(const QModelIndex &index) const override;
    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &) const override { return 1; }
    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;

    /// The content of a file of the tree, or of a path that a stub or an event names.
    [[nodiscard]] std::optional<ArtifactContent> content(const std::string &path) const { return m_view.read(path); }
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
    struct Node {
        Kind kind = Kind::Group;
        QString title;
        QString detail;
        std::string path;
        int section = -1;
        int event = 0;
        Node *parent = nullptr;
        int row = 0;
        std::vector<std::unique_ptr<Node>> children;
    };
    struct Parsed {
        std::string bytes;
        Archive archive;
        std::vector<SectionLink> links;
        const ThreadNamespace *space = nullptr;
    };

    void onScene();
    void build();
    Node *add(Node *parent, Kind kind, const QString &title);
    void addArchive(Node *group, const Artifact &artifact);
    [[nodiscard]] Node *nodeOf(const QModelIndex &index) const;
    [[nodiscard]] QModelIndex indexOf(const Node *node) const;
    [[nodiscard]] const Node *search(const Node *from, const std::function<bool(const Node &)> &wanted) const;

    Focus *m_focus;
    ScenePtr m_scene;
    std::vector<ArtifactFolder> m_folders;
    ArtifactView m_view;
    std::unique_ptr<Node> m_root;
    std::map<std::string, Parsed> m_parsed; ///< archives by path, kept as long as their bytes are the same
};

} // namespace palimpsest
