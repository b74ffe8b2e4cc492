// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/recordedinput.h"

#include "core/compaction/threadartifacts.h"
#include "core/sources/sourceprobe.h"
#include "core/thread/threadreader.h"

namespace palimpsest {

ReplayInputPtr recordedInput(const std::string &database, ArtifactReader *artifacts)
{
    const auto source = openSource(database);
    if (!source)
        return nullptr;
    const auto rows = (*source)->threads({});
    if (!rows || rows->empty())
        return nullptr;
    const auto thread = loadThread(**source, rows->front().id, {}, {});
    if (!thread)
        return nullptr;
    const ArtifactReader reader = threadArtifacts(*thread, "", foldersOf((*source)->info()));
    if (artifacts)
        *artifacts = reader;
    return ReplayInput::make(*thread, "", reader);
}

} // namespace palimpsest
