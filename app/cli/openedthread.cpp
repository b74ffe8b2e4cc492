// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/openedthread.h"

#include "app/cli/settingsfile.h"
#include "core/compaction/threadartifacts.h"
#include "core/insight/infer/infer.h"

namespace palimpsest {

Result<RunSettings> runSettings(const std::string &file, const OpenedThread &opened, const JobContext &job)
{
    RunSettings settings;
    if (!file.empty()) {
        Result<SettingsSet> read = readSettingsFile(file);
        if (!read)
            return tl::unexpected(read.error());
        settings.set = std::move(*read);
        settings.from = "given";
        return settings;
    }
    const ArtifactReader artifacts =
        threadArtifacts(opened.thread, opened.space->name, opened.folders);
    const Result<Inference> inference =
        inferSettings(*ReplayInput::make(opened.thread, opened.space->name, artifacts), artifacts, job);
    if (!inference)
        return tl::unexpected(inference.error());
    settings.set = proposedSettings(*inference, opened.space->name);
    if (settings.set)
        settings.from = "inferred: " + describe(*inference);
    return settings;
}

BlobReader blobsOf(const OpenedThread &opened)
{
    return threadBlobs(*opened.thread, *opened.space, opened.folders);
}

} // namespace palimpsest
