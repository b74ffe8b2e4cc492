// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/openedthread.h"

#include "app/cli/settingsfile.h"

namespace palimpsest {

std::vector<ArtifactFolder> foldersOf(const OpenedThread &opened)
{
    std::vector<ArtifactFolder> folders;
    if (const auto path = folderBeside(opened.source->info().location))
        if (Result<ArtifactFolder> folder = ArtifactFolder::open(*path))
            folders.push_back(std::move(*folder));
    return folders;
}

Result<RunSettings> runSettings(const std::string &file)
{
    RunSettings settings;
    if (!file.empty()) {
        Result<SettingsSet> read = readSettingsFile(file);
        if (!read)
            return tl::unexpected(read.error());
        settings.set = std::move(*read);
        settings.from = "given";
    }
    return settings;
}

} // namespace palimpsest
