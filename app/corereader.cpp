// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/corereader.h"

#include "app/sourceoptions.h"
#include "core/thread/threadlist.h"

namespace palimpsest {

SourceReader coreReader()
{
    SourceReader reader;
    reader.open = [](const std::string &location, const JobContext &job) -> Result<std::shared_ptr<CheckpointSource>> {
        auto source = openSource(location, sourceOptions(job));
        if (!source)
            return tl::unexpected(source.error());
        return std::shared_ptr<CheckpointSource>(std::move(*source));
    };
    reader.list = listThreads;
    reader.load = loadThread;
    reader.channels = readChannels;
    return reader;
}

} // namespace palimpsest
