// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/openedthread.h"

#include "app/cli/settingsfile.h"

namespace palimpsest {

std::vector<ArtifactFolder> foldersOf(const OpenedThread &opened)
{
    return foldersOf(opened.source->info());
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
