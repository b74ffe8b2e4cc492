// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/threadartifacts.h"

#include "core/artifacts/artifactview.h"

namespace palimpsest {

ArtifactReader artifactsOf(const OpenedThread &opened)
{
    std::optional<ArtifactFolder> folder;
    if (const auto path = folderBeside(opened.source->info().location)) {
        if (auto found = ArtifactFolder::open(*path))
            folder = std::move(*found);
    }
    return [thread = opened.thread, space = opened.space, folder](
               const std::string &path, CheckpointIndex at) -> std::optional<std::string> {
        ArtifactView view(*thread, *space, at);
        if (folder)
            view.addFolder(*folder);
        auto content = view.read(path);
        if (!content)
            return std::nullopt;
        return std::move(content->bytes);
    };
}

} // namespace palimpsest
