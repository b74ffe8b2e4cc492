// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compaction/threadartifacts.h"

namespace palimpsest {

ArtifactReader threadArtifacts(ThreadPtr thread, const std::string &ns, std::vector<ArtifactFolder> folders)
{
    return [thread = std::move(thread), ns, folders = std::move(folders)](
               const std::string &path, CheckpointIndex at) -> std::optional<std::string> {
        const ThreadNamespace *space = thread->find(ns);
        if (!space)
            return std::nullopt;
        ArtifactView view(*thread, *space, at);
        for (const ArtifactFolder &folder : folders)
            view.addFolder(folder);
        auto content = view.read(path);
        if (!content)
            return std::nullopt;
        return std::move(content->bytes);
    };
}

BlobReader threadBlobs(const Thread &thread, const ThreadNamespace &space, const std::vector<ArtifactFolder> &folders)
{
    if (space.checkpoints.empty())
        return {};
    ArtifactView view(thread, space, CheckpointIndex(space.checkpoints.size() - 1));
    for (const ArtifactFolder &folder : folders)
        view.addFolder(folder);
    return [view = std::move(view)](const std::string &digest) -> std::optional<std::string> {
        std::optional<ArtifactContent> content = view.read("/blobs/" + digest);
        return content ? std::optional<std::string>(std::move(content->bytes)) : std::nullopt;
    };
}

} // namespace palimpsest
