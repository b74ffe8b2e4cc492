// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/archivetree.h"

#include "core/artifacts/links.h"
#include "models/counted.h"
#include "models/display.h"

#include <QCoreApplication>
#include <QLocale>

#include <algorithm>
#include <array>

namespace palimpsest {

using namespace Qt::StringLiterals;

namespace {

using Kind = ArchiveNode::Kind;

enum GroupRow { Archives, Offloads, MediaFiles, Others, Groups };

QString tr(const char *text)
{
    return QCoreApplication::translate("ArchiveTree", text);
}

QString fileName(const std::string &path)
{
    const QString text = toQString(path);
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

ArchiveNode *add(ArchiveNode *parent, Kind kind, const QString &title)
{
    auto node = std::make_unique<ArchiveNode>();
    node->kind = kind;
    node->title = title;
    node->parent = parent;
    node->row = static_cast<int>(parent->children.size());
    parent->children.push_back(std::move(node));
    return parent->children.back().get();
}

std::shared_ptr<const ParsedArchive> parsedArchive(
    const ArchiveTree &tree, const ArchiveTreePtr &before, const std::string &path)
{
    auto content = tree.view.read(path);
    if (!content)
        return nullptr;
    if (before && before->scene->space == tree.scene->space) {
        const auto known = before->parsed.find(path);
        if (known != before->parsed.end() && known->second->bytes == content->bytes)
            return known->second;
    }
    auto parsed = std::make_shared<ParsedArchive>();
    parsed->bytes = std::move(content->bytes);
    parsed->archive = parseArchive(parsed->bytes);
    parsed->links = linkArchive(parsed->archive, *tree.scene->space, path);
    return parsed;
}

void addSections(ArchiveNode *file, const ParsedArchive &parsed, const Scene &scene)
{
    for (std::size_t i = 0; i < parsed.archive.sections.size(); ++i) {
        const ArchiveSection &section = parsed.archive.sections[i];
        const QString time = toQString(section.timestamp);
        ArchiveNode *node = add(file, Kind::Section, time.contains(u'T') ? time.mid(time.indexOf(u'T') + 1, 8) : time);
        node->path = file->path;
        node->section = static_cast<int>(i);
        node->detail = counted(static_cast<qint64>(section.messages.size()), tr("message"), tr("messages"));
        const auto link = std::ranges::find(parsed.links, i, &SectionLink::section);
        if (link != parsed.links.end()) {
            const auto mark = std::ranges::find(scene.events, link->checkpoint, &EventMark::checkpoint);
            if (mark != scene.events.end())
                node->event = mark->number;
        }
        node->title =
            node->event ? tr("Event %1 · %2").arg(node->event).arg(node->title) : tr("No event · %1").arg(node->title);
        if (!section.exact)
            node->detail += tr(" · cannot be told apart for certain");
    }
}

void addFile(const std::array<ArchiveNode *, Groups> &groups, const Artifact &artifact)
{
    const bool picture = isPicture(artifact.path);
    const GroupRow row = picture ? MediaFiles : isOffload(artifact.path) ? Offloads : Others;
    ArchiveNode *node = add(groups[row],
        row == MediaFiles     ? Kind::Media
            : row == Offloads ? Kind::Offloaded
                              : Kind::File,
        row == Others ? toQString(artifact.path) : fileName(artifact.path));
    node->path = artifact.path;
    node->detail = QLocale().formattedDataSize(artifact.size);
    if (artifact.origin == Artifact::Origin::Folder)
        node->detail += tr(" · folder");
    else if (artifact.origin == Artifact::Origin::Store)
        node->detail += tr(" · store");
}

const ArchiveNode *searchBelow(const ArchiveNode &from, const std::function<bool(const ArchiveNode &)> &wanted)
{
    for (const auto &child : from.children) {
        if (wanted(*child))
            return child.get();
        if (const ArchiveNode *found = searchBelow(*child, wanted))
            return found;
    }
    return nullptr;
}

} // namespace

const ArchiveNode *ArchiveTree::search(const std::function<bool(const ArchiveNode &)> &wanted) const
{
    return searchBelow(root, wanted);
}

ArchiveTreePtr makeArchiveTree(const ScenePtr &scene, const std::vector<ArtifactFolder> &folders,
    const ArchiveTreePtr &before, const JobContext &job)
{
    auto tree = std::make_shared<ArchiveTree>();
    tree->scene = scene;
    if (!scene->checkpoint)
        return tree;
    tree->view = ArtifactView(*scene->thread, *scene->space, scene->checkpointIndex);
    for (const ArtifactFolder &folder : folders)
        tree->view.addFolder(folder);
    const std::array<ArchiveNode *, Groups> groups = {add(&tree->root, Kind::Group, tr("Conversation archives")),
        add(&tree->root, Kind::Group, tr("Offloaded messages and results")), add(&tree->root, Kind::Group, tr("Media")),
        add(&tree->root, Kind::Group, tr("Other files"))};
    for (const Artifact &artifact : tree->view.list()) {
        if (job.stopped())
            return nullptr;
        if (!isArchivePath(artifact.path)) {
            addFile(groups, artifact);
            continue;
        }
        ArchiveNode *file = add(groups[Archives], Kind::Archive, fileName(artifact.path));
        file->path = artifact.path;
        file->detail = QLocale().formattedDataSize(artifact.size);
        if (auto parsed = parsedArchive(*tree, before, artifact.path)) {
            addSections(file, *parsed, *scene);
            tree->parsed.emplace(artifact.path, std::move(parsed));
        }
    }
    for (ArchiveNode *group : groups)
        group->detail = QLocale().toString(static_cast<qulonglong>(group->children.size()));
    return tree;
}

} // namespace palimpsest
