// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/threadsearch.h"

#include "core/insight/trace/needle.h"
#include "core/thread/blobview.h"
#include "core/thread/bodypool.h"

#include <algorithm>

namespace palimpsest {
namespace {

/// Looks at messages until one has the text.
class Finder {
public:
    Finder(CheckpointSource &source, const Needle &needle, const JobContext &job)
        : m_source(source)
        , m_needle(needle)
        , m_job(job)
    {
    }

    std::optional<ThreadHit> search(const std::string &threadId)
    {
        m_hit.reset();
        const Result<std::vector<std::string>> spaces = m_source.namespaces(threadId);
        for (const std::string &ns : spaces ? *spaces : std::vector<std::string>()) {
            if (m_hit || m_job.stopped())
                break;
            if (!searchWrites(threadId, ns) && !m_hit)
                searchHead(threadId, ns);
        }
        return std::move(m_hit);
    }

private:
    /// False when there are no writes to the log.
    bool searchWrites(const std::string &threadId, const std::string &ns)
    {
        BodyPool pool;
        bool any = false;
        WriteScan scan;
        scan.channels = {"messages"};
        const auto take = [&](WriteRow &&row) {
            any = true;
            const Result<MessagesWrite> write = pool.write(row.value.type, row.value.bytes);
            for (const MessagePtr &message : write ? write->messages : std::vector<MessagePtr>())
                if (lookAt(*message, threadId, ns, row.checkpointId))
                    return false;
            return true;
        };
        (void)m_source.scanWrites(threadId, ns, scan, take, m_job);
        return any;
    }

    void searchHead(const std::string &threadId, const std::string &ns)
    {
        CheckpointScan scan;
        scan.newestFirst = true;
        scan.limit = 1;
        scan.metadata = false;
        std::string head;
        const auto take = [&head](CheckpointRow &&row) {
            head = std::move(row.id);
            return false;
        };
        (void)m_source.scanCheckpoints(threadId, ns, scan, take, m_job);
        const Result<TypedBytes> blob = m_source.checkpointBlob(threadId, ns, head);
        const Result<BlobView> view = blob ? viewBlob(blob->type, blob->bytes) : tl::unexpected(blob.error());
        const StoredChannel *channel = view ? view->channel("messages") : nullptr;
        if (!channel)
            return;
        BodyPool pool;
        const Result<MessageLog> log = pool.log(*channel, [](std::size_t, const Error &) { });
        for (const MessagePtr &message : log ? *log : MessageLog())
            if (lookAt(*message, threadId, ns, head))
                return;
    }

    bool lookAt(
        const Message &message, const std::string &threadId, const std::string &ns, const std::string &checkpointId)
    {
        const std::string text = textOf(message);
        const std::optional<TextSpan> place = m_needle.find(text);
        if (!place)
            return false;
        m_hit =
            ThreadHit{threadId, ns, checkpointId, message.id.value_or(""), std::string(sentenceAround(text, *place))};
        return true;
    }

    CheckpointSource &m_source;
    const Needle &m_needle;
    const JobContext &m_job;
    std::optional<ThreadHit> m_hit;
};

} // namespace

Result<void> searchThreads(CheckpointSource &source, const std::string &text,
    const std::function<bool(ThreadHit &&)> &visit, const JobContext &job)
{
    const Result<Needle> needle = Needle::make(text, NeedleKind::Folded);
    if (!needle)
        return tl::unexpected(needle.error());
    if (Result<void> begun = source.beginRead(); !begun)
        return begun;
    const Result<std::vector<std::string>> ids = source.threadIds(job);
    Finder finder(source, *needle, job);
    std::size_t done = 0;
    bool wanted = true;
    for (const std::string &id : ids ? *ids : std::vector<std::string>()) {
        if (!wanted || job.stopped())
            break;
        if (std::optional<ThreadHit> hit = finder.search(id))
            wanted = visit(*std::move(hit));
        ++done;
        if (done * 50 / ids->size() != (done - 1) * 50 / ids->size())
            job.report(static_cast<double>(done) / static_cast<double>(ids->size()), "searching threads");
    }
    source.endRead();
    if (job.stopped())
        return failure(Error::Code::Cancelled, {}, "stopped");
    return ids ? Result<void>() : tl::unexpected(ids.error());
}

} // namespace palimpsest
