// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/artifacts/archive.h"
#include "core/artifacts/artifactview.h"
#include "core/base/jobcontext.h"
#include "models/scene.h"

#include <QString>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace palimpsest {

/// One row of what is kept outside the log.
struct ArchiveNode {
    enum class Kind { Group, Archive, Section, Offloaded, Media, File };

    Kind kind = Kind::Group;
    QString title;
    QString detail; ///< size, number of messages
    std::string path; ///< empty for a group
    int section = -1; ///< from 0; -1: the whole file
    int event = 0; ///< event of a section, 0 when none fits
    const ArchiveNode *parent = nullptr;
    int row = 0;
    std::vector<std::unique_ptr<ArchiveNode>> children;
};

/// An archive file, taken apart.
struct ParsedArchive {
    std::string bytes;
    Archive archive;
    std::vector<SectionLink> links;
};

/// What is kept outside the log at a checkpoint, as a tree of four groups: archives with their sections, large tool
/// results and messages, media, other files. Files of added folders and of the store are listed with the state's. Made
/// once by a worker, then immutable.
struct ArchiveTree {
    ScenePtr scene; ///< the place it was made for
    ArtifactView view;
    ArchiveNode root;
    std::map<std::string, std::shared_ptr<const ParsedArchive>> parsed; ///< archives by path

    /// The first node, in order of the rows, that is wanted; null when none is.
    [[nodiscard]] const ArchiveNode *search(const std::function<bool(const ArchiveNode &)> &wanted) const;
};
using ArchiveTreePtr = std::shared_ptr<const ArchiveTree>;

/// The tree of a scene. What `before` has parsed already is taken from there as long as its bytes are the same; it may
/// be null. Null when the job was stopped.
ArchiveTreePtr makeArchiveTree(const ScenePtr &scene, const std::vector<ArtifactFolder> &folders,
    const ArchiveTreePtr &before, const JobContext &job);

} // namespace palimpsest
