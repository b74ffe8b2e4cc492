// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/corereader.h"

#include "app/sourceoptions.h"
#include "core/insight/threadsearch.h"
#include "core/thread/threadfollower.h"
#include "core/thread/threadlist.h"

#include <algorithm>
#include <iterator>

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
    reader.first = [](CheckpointSource &source, const JobContext &job) -> Result<SourceReader::FirstThreads> {
        constexpr std::size_t enough = 200;
        SourceReader::FirstThreads first;
        const auto take = [&first](std::vector<ThreadRow> &&part) {
            first.more = first.rows.size() >= enough;
            if (!first.more)
                std::ranges::move(part, std::back_inserter(first.rows));
            return !first.more;
        };
        if (const Result<void> done = scanThreadList(source, false, take, job); !done)
            return tl::unexpected(done.error());
        std::ranges::stable_sort(first.rows, std::ranges::greater(), &ThreadRow::last);
        return first;
    };
    reader.follow = [](CheckpointSource &source, const std::string &threadId,
                        const LoadOptions &options) -> SourceReader::Poll {
        const auto follower = std::make_shared<ThreadFollower>(source, threadId, options);
        return [follower](const JobContext &job) { return follower->poll(job); };
    };
    reader.load = loadThread;
    reader.channels = readChannels;
    reader.search = [](CheckpointSource &source, const std::string &text,
                        const std::function<void(const std::string &)> &found, const JobContext &job) -> Result<void> {
        const auto take = [&found](ThreadHit &&hit) {
            found(hit.threadId);
            return true;
        };
        return searchThreads(source, text, take, job);
    };
    return reader;
}

} // namespace palimpsest
