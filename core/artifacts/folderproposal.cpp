// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/artifacts/folderproposal.h"

#include "core/artifacts/links.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace palimpsest {
namespace {

namespace fs = std::filesystem;

constexpr int depthLimit = 3;
constexpr int entryLimit = 2000;
constexpr int searchLimit = 50; ///< paths that are looked for; files of one agent mostly lie together

std::vector<std::string> components(const fs::path &path)
{
    std::vector<std::string> names;
    for (const fs::path &part : path.relative_path())
        if (!part.empty())
            names.push_back(part.string());
    return names;
}

/// How many components the ends of both have in common.
std::size_t commonEnd(const std::vector<std::string> &a, const std::vector<std::string> &b)
{
    std::size_t count = 0;
    while (count < a.size() && count < b.size() && a[a.size() - 1 - count] == b[b.size() - 1 - count])
        ++count;
    return count;
}

void addParent(std::vector<std::string> &folders, const fs::path &path)
{
    std::error_code error;
    const fs::path absolute = fs::absolute(path, error).lexically_normal();
    const fs::path parent = absolute.has_filename() ? absolute.parent_path() : absolute.parent_path().parent_path();
    if (!error && parent != parent.root_path() && std::ranges::find(folders, parent.string()) == folders.end())
        folders.push_back(parent.string());
}

} // namespace

std::vector<std::string> searchFolders(const SourceInfo &source, const std::vector<ArtifactFolder> &added)
{
    std::vector<std::string> folders;
    std::error_code error;
    if (fs::exists(source.location, error))
        addParent(folders, source.location);
    for (const SourceFolder &folder : source.folders)
        addParent(folders, folder.folder);
    for (const ArtifactFolder &folder : added)
        if (!folder.isStore())
            addParent(folders, folder.root());
    return folders;
}

std::optional<FolderProposal> proposeFolder(const std::string &path, const std::vector<std::string> &folders)
{
    const std::vector<std::string> wanted = components(path);
    if (wanted.size() < 2)
        return std::nullopt;
    std::optional<FolderProposal> best;
    std::size_t most = 0;
    for (const std::string &folder : folders) {
        std::error_code error;
        int entries = 0;
        for (fs::recursive_directory_iterator it(folder, fs::directory_options::skip_permission_denied, error), end;
            !error && it != end && entries < entryLimit; it.increment(error), ++entries) {
            std::error_code ignored;
            if (it.depth() >= depthLimit)
                it.disable_recursion_pending();
            if (it->path().filename() != wanted.back() || !it->is_regular_file(ignored) || it->is_symlink(ignored))
                continue;
            const std::vector<std::string> found = components(it->path());
            const std::size_t common = std::min(commonEnd(wanted, found), found.size() - 1);
            if (common <= most)
                continue;
            most = common;
            fs::path root = it->path();
            for (std::size_t i = 0; i < common; ++i)
                root = root.parent_path();
            std::string route;
            for (std::size_t i = 0; i + common < wanted.size(); ++i)
                route += "/" + wanted[i];
            best = FolderProposal{it->path().string(), root.string(), route.empty() ? route : route + "/"};
        }
    }
    return best;
}

std::vector<std::string> missingFiles(const Thread &thread, const std::vector<ArtifactFolder> &folders)
{
    std::vector<std::string> missing;
    for (const ThreadNamespace &ns : thread.namespaces) {
        for (const CheckpointIndex head : ns.heads) {
            const Checkpoint &checkpoint = ns.checkpoints[head.at()];
            ArtifactView view(thread, ns, head);
            for (const ArtifactFolder &folder : folders)
                view.addFolder(folder);
            const auto want = [&](const std::string &path) {
                if (std::ranges::find(missing, path) == missing.end() && !view.contains(path))
                    missing.push_back(path);
            };
            for (const MessagePtr &message : checkpoint.messages)
                for (const ArtifactLink &link : artifactLinks(*message))
                    want(link.path);
            for (const CheckpointIndex at : ns.eventCheckpoints)
                if (at.isValid() && ns.checkpoints[at.at()].event && ns.checkpoints[at.at()].event->filePath)
                    want(*ns.checkpoints[at.at()].event->filePath);
            if (!checkpoint.event || !checkpoint.event->filePath)
                continue;
            if (const std::optional<ArtifactContent> archive = view.read(*checkpoint.event->filePath))
                for (const std::string &path : mediaPaths(archive->bytes))
                    want(path);
        }
    }
    return missing;
}

std::vector<FolderProposal> proposeFolders(
    const std::vector<std::string> &missing, const std::vector<std::string> &searched)
{
    std::vector<FolderProposal> proposed;
    int searches = 0;
    for (const std::string &path : missing) {
        const bool known = std::ranges::any_of(proposed, [&](const FolderProposal &proposal) {
            const auto added = ArtifactFolder::open(proposal.folder, proposal.route);
            return added && added->contains(path);
        });
        if (known)
            continue;
        if (++searches > searchLimit)
            break;
        if (std::optional<FolderProposal> found = proposeFolder(path, searched))
            proposed.push_back(std::move(*found));
    }
    return proposed;
}

} // namespace palimpsest
