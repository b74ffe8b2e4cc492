// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/threadartifacts.h"

#include "core/artifacts/artifactview.h"

namespace palimpsest {

ArtifactReader artifactsOf(const OpenedThread &opened)
{
    return [thread = opened.thread, space = opened.space, folders = foldersOf(opened.source->info())](
               const std::string &path, CheckpointIndex at) -> std::optional<std::string> {
        ArtifactView view(*thread, *space, at);
        for (const ArtifactFolder &folder : folders)
            view.addFolder(folder);
        auto content = view.read(path);
        if (!content)
            return std::nullopt;
        return std::move(content->bytes);
    };
}

} // namespace palimpsest
