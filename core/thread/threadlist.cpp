// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/thread/threadlist.h"

#include "core/base/text.h"
#include "core/serde/json.h"
#include "core/serde/jsonscan.h"
#include "core/serde/msgpackscan.h"
#include "core/serde/typed.h"
#include "core/thread/blobview.h"
#include "core/thread/bodypool.h"
#include "core/thread/events.h"
#include "core/thread/requests.h"
#include "core/thread/threadreader.h"
#include "core/values/json.h"

#include <algorithm>
#include <iterator>
#include <unordered_set>
#include <utility>

namespace palimpsest {
namespace {

/// How far back the nearest snapshot is looked for; deepagents writes one at every 50th update, LangGraph's default is
/// 100.
constexpr std::int64_t walkLimit = 256;
constexpr std::int64_t smallBlob = 256 * 1024;
constexpr std::size_t rowsAtOnce = 64;

std::string firstLine(std::string_view text)
{
    const std::size_t begin = text.find_first_not_of(" \t\r\n");
    if (begin == std::string_view::npos)
        return {};
    text.remove_prefix(begin);
    text = text.substr(0, text.find_first_of("\r\n"));
    return std::string(text::head(text, 200));
}

/// The words of an interrupt: the first text under a telling name, else its JSON.
std::string waitingText(const Value &value)
{
    if (value.isText())
        return value.asText();
    if (const Value::Tagged *tagged = value.asTagged())
        return waitingText(tagged->value);
    if (value.isList() && value.asList().size() >= 1)
        return waitingText(value.asList().front());
    for (const std::string_view key :
        {"description", "question", "message", "value", "action_requests", "actionRequests", "name"})
        if (const Value *inner = value.find(key); inner && !inner->isNil())
            return waitingText(*inner);
    return toJson(value);
}

void collectIds(const StoredChannel &channel, std::unordered_set<std::string> &ids, std::int64_t &count)
{
    const Result<std::vector<ByteRange>> elements = msgpackElements(channel.raw, 0);
    if (!elements)
        return;
    count = static_cast<std::int64_t>(elements->size());
    for (const ByteRange &element : *elements) {
        // An ext of [module, class, {keywords}, method].
        const Result<MsgpackHead> head = msgpackHead(channel.raw, element.begin);
        if (!head || head->kind != MsgpackHead::Kind::Ext)
            continue;
        const std::string_view inside = head->payload.of(channel.raw);
        const Result<std::vector<ByteRange>> parts = msgpackElements(inside, 0);
        if (!parts || parts->size() < 3)
            continue;
        const auto id = msgpackFind(inside, (*parts)[2].begin, "id");
        if (id && *id)
            if (const auto text = msgpackText(inside, (*id)->begin))
                ids.emplace(*text);
    }
}

void takeAgent(ThreadRow &row)
{
    for (const std::string_view key : {"agent_name", "lc_agent_name", "assistant_id", "graph_id"})
        if (const Value &agent = row.metadata[key]; agent.isText() && !row.agent)
            row.agent = agent.asText();
}

void takeWaiting(ThreadRow &row, const WriteRow &write)
{
    const Result<Value> value = decodeTyped(write.value.type, write.value.bytes);
    if (write.channel == "__error__")
        row.error = value ? errorText(*value) : "an error that cannot be read";
    else if (write.channel == "__interrupt__")
        row.waiting = value ? firstLine(waitingText(*value)) : "an interrupt that cannot be read";
}

bool takeTitle(ThreadRow &row, const MessagePtr &message)
{
    if (!message || message->kind != MessageKind::Human)
        return false;
    row.title = firstLine(textOf(*message));
    return !row.title.empty();
}

class Lister {
public:
    Lister(CheckpointSource &source, const JobContext &job)
        : m_source(source)
        , m_job(job)
        , m_pool(source.info().language)
    {
    }

    void fill(ThreadRow &row)
    {
        if (row.namespaces.empty())
            return;
        const auto root = std::find_if(
            row.namespaces.begin(), row.namespaces.end(), [](const ThreadRow::Space &s) { return s.name.empty(); });
        m_space = root == row.namespaces.end() ? row.namespaces.front().name : std::string();
        readHead(row);
        readTitle(row);
        readWaiting(row);
    }

private:
    /// The newest checkpoint: metadata, and the length of its log from the nearest stored value and the writes since.
    void readHead(ThreadRow &row)
    {
        CheckpointScan scan;
        scan.newestFirst = true;
        scan.limit = walkLimit;
        scan.metadata = false;
        scan.blobsUpTo = smallBlob;
        m_head.clear();
        std::string wanted;
        std::vector<std::string> path;
        std::unordered_set<std::string> ids;
        std::int64_t base = 0;
        bool known = false;
        std::vector<MessagePtr> tail;
        const auto visit = [&](CheckpointRow &&checkpoint) {
            if (m_head.empty()) {
                m_head = checkpoint.id;
                wanted = checkpoint.id;
            }
            if (checkpoint.id != wanted)
                return true;
            if (!checkpoint.blob) {
                Result<TypedBytes> blob = m_source.checkpointBlob(row.id, m_space, checkpoint.id);
                if (!blob)
                    return false;
                checkpoint.blob = std::move(blob->bytes);
            }
            Result<BlobView> view = viewBlob(checkpoint.type, *checkpoint.blob);
            if (const StoredChannel *part = view ? view->channel("messages") : nullptr; part && part->cut) {
                if (Result<TypedBytes> blob = m_source.checkpointBlob(row.id, m_space, checkpoint.id)) {
                    checkpoint.blob = std::move(blob->bytes);
                    view = viewBlob(checkpoint.type, *checkpoint.blob);
                }
            }
            if (!view)
                return false;
            if (checkpoint.id == m_head) {
                for (const StoredChannel &channel : view->channels)
                    m_headHasEvent |= (channel.name == eventChannel || channel.name == eventChannelJs);
                if (row.last.empty())
                    row.last = view->ts;
            } else {
                path.push_back(checkpoint.id);
            }
            const StoredChannel *log = view->channel("messages");
            if (log) {
                known = log->readable();
                if (log->isMsgpack()) {
                    collectIds(*log, ids, base);
                    tail = lastOf(*log);
                } else if (path.empty() && log->raw.starts_with('[')) {
                    // Nothing was written since: its length and its end are all that is asked for.
                    const Result<std::vector<ByteRange>> elements = jsonElements(log->raw);
                    base = elements ? static_cast<std::int64_t>(elements->size()) : 0;
                    for (std::int64_t i = std::max<std::int64_t>(0, base - 4); i < base; ++i)
                        takeOne(log->type, (*elements)[static_cast<std::size_t>(i)].of(log->raw),
                            [&tail](const MessagePtr &message) { tail.push_back(message); });
                } else if (const Result<MessageLog> all = m_pool.log(*log, [](std::size_t, const Error &) { })) {
                    base = static_cast<std::int64_t>(all->size());
                    for (const MessagePtr &message : *all)
                        if (message->id)
                            ids.insert(*message->id);
                    const MessageLog last = all->drop(all->size() - std::min<std::size_t>(all->size(), 4));
                    tail.assign(last.begin(), last.end());
                }
                return false;
            }
            if (!view->version("messages") || !checkpoint.parentId) {
                known = !view->version("messages");
                return false;
            }
            wanted = *checkpoint.parentId;
            return true;
        };
        const Result<void> done = m_source.scanCheckpoints(row.id, m_space, scan, visit, m_job);
        if (!done && m_head.empty())
            return;
        readMetadata(row);
        std::int64_t messages = base;
        if (!path.empty()) {
            WriteScan writes;
            writes.channels = {"messages"};
            writes.from = *std::min_element(path.begin(), path.end());
            const std::unordered_set<std::string> onPath(path.begin(), path.end());
            const auto take = [&](WriteRow &&write) {
                if (!onPath.contains(write.checkpointId))
                    return true;
                const Result<MessagesWrite> read = m_pool.write(write.value.type, write.value.bytes);
                if (!read)
                    return true;
                if (read->overwrite) {
                    messages = 0;
                    ids.clear();
                }
                for (const MessagePtr &message : read->messages) {
                    if (message->kind == MessageKind::Remove) {
                        if (message->id == removeAllMessages) {
                            messages = 0;
                            ids.clear();
                        } else if (message->id && ids.erase(*message->id)) {
                            --messages;
                        }
                        continue;
                    }
                    if (!message->id || ids.insert(*message->id).second)
                        ++messages;
                    tail.push_back(message);
                }
                return true;
            };
            (void)m_source.scanWrites(row.id, m_space, writes, take, m_job);
        }
        if (known)
            row.messages = messages;
        for (auto message = tail.rbegin(); message != tail.rend() && !row.model; ++message) {
            const Value &model = (*message)->responseMetadata["model_name"];
            if ((*message)->kind == MessageKind::Ai && model.isText())
                row.model = model.asText();
        }
    }

    void readMetadata(ThreadRow &row)
    {
        const Result<std::string> text = m_source.metadata(row.id, m_space, m_head);
        if (!text || text->empty())
            return;
        Result<Value> metadata = parseJson(*text);
        if (!metadata)
            return;
        row.metadata = std::move(*metadata);
        takeAgent(row);
    }

    /// Gives the message that one element of a JSON list is, if it is one.
    template <class Take> void takeOne(std::string_view type, std::string_view element, const Take &take)
    {
        if (const Result<MessagesWrite> read = m_pool.write(type, element))
            for (const MessagePtr &message : read->messages)
                take(message);
    }

    std::vector<MessagePtr> lastOf(const StoredChannel &log)
    {
        std::vector<MessagePtr> last;
        const Result<std::vector<ByteRange>> elements = msgpackElements(log.raw, 0);
        if (!elements)
            return last;
        for (std::size_t i = elements->size() > 4 ? elements->size() - 4 : 0; i < elements->size(); ++i)
            if (const Result<Value> value = decodeTyped("msgpack", (*elements)[i].of(log.raw)))
                if (const MessagePtr message = messageFromValue(*value))
                    last.push_back(message);
        return last;
    }

    /// The first human words: of the input in the first checkpoints, else of their writes.
    void readTitle(ThreadRow &row)
    {
        CheckpointScan scan;
        scan.limit = 3;
        scan.metadata = false;
        scan.blobsUpTo = smallBlob;
        std::vector<std::string> first;
        const auto visit = [&](CheckpointRow &&checkpoint) {
            first.push_back(checkpoint.id);
            // A document is in memory already, however big.
            if (!checkpoint.blob && isJsonType(checkpoint.type))
                if (Result<TypedBytes> blob = m_source.checkpointBlob(row.id, m_space, checkpoint.id))
                    checkpoint.blob = std::move(blob->bytes);
            if (!checkpoint.blob)
                return true;
            const Result<BlobView> view = viewBlob(checkpoint.type, *checkpoint.blob);
            if (!view)
                return true;
            if (row.first.empty())
                row.first = view->ts;
            for (const std::string_view name : {"__start__", "messages"}) {
                const StoredChannel *channel = view->channel(name);
                const bool log = name == "messages";
                const bool json = channel && isJsonType(channel->type);
                const Result<Value> value = channel && !(log && json) ? channel->decode() : Result<Value>(Value());
                if (!value)
                    continue;
                const Value &messages = log ? *value : (*value)["messages"];
                if (log && channel && channel->raw.starts_with('[') && json) {
                    const Result<std::vector<ByteRange>> elements = jsonElements(channel->raw);
                    for (std::size_t i = 0; elements && i < elements->size() && row.title.empty(); ++i)
                        takeOne(channel->type, (*elements)[i].of(channel->raw),
                            [&row](const MessagePtr &message) { takeTitle(row, message); });
                    if (!row.title.empty())
                        return false;
                    continue;
                }
                const Result<MessagesWrite> write = messagesWrite(messages);
                if (!write || messages.isNil())
                    continue;
                for (const MessagePtr &message : write->messages)
                    if (takeTitle(row, message))
                        return false;
            }
            return true;
        };
        (void)m_source.scanCheckpoints(row.id, m_space, scan, visit, m_job);
        for (const std::string &id : first) {
            if (!row.title.empty())
                return;
            WriteScan writes;
            writes.channels = {"messages"};
            writes.checkpointId = id;
            const auto take = [&](WriteRow &&write) {
                const Result<MessagesWrite> read = m_pool.write(write.value.type, write.value.bytes);
                if (read)
                    for (const MessagePtr &message : read->messages)
                        if (takeTitle(row, message))
                            return false;
                return true;
            };
            (void)m_source.scanWrites(row.id, m_space, writes, take, m_job);
        }
    }

    void readWaiting(ThreadRow &row)
    {
        WriteScan writes;
        writes.channels = {"__interrupt__", "__error__", "__resume__"};
        writes.checkpointId = m_head;
        const auto take = [&](WriteRow &&write) {
            takeWaiting(row, write);
            return true;
        };
        (void)m_source.scanWrites(row.id, m_space, writes, take, m_job);
    }

public:
    /// An event is there that no row of `writes` brought: exit durability, or a saver without writes.
    [[nodiscard]] bool hiddenEvents(const ThreadRow &row) const
    {
        return m_headHasEvent && row.events.value_or(0) == 0;
    }

private:
    CheckpointSource &m_source;
    const JobContext &m_job;
    BodyPool m_pool;
    std::string m_space;
    std::string m_head;
    bool m_headHasEvent = false;
};

/// What `completeThread` adds, from the few values that the source handed over with the row.
void takeHints(ThreadRow &row, const ThreadHints &hints)
{
    takeAgent(row);
    for (const WriteRow &write : hints.waiting)
        takeWaiting(row, write);
    if (hints.input.type.empty())
        return;
    const Result<Value> input = decodeTyped(hints.input.type, hints.input.bytes);
    const Result<MessagesWrite> write = input ? messagesWrite((*input)["messages"]) : tl::unexpected(input.error());
    if (!write)
        return;
    for (const MessagePtr &message : write->messages)
        if (takeTitle(row, message))
            return;
}

} // namespace

void completeThread(CheckpointSource &source, ThreadRow &row, bool full, const JobContext &job)
{
    Lister lister(source, job);
    lister.fill(row);
    if (lister.hiddenEvents(row) || (full && !row.events)) {
        LoadOptions options;
        options.allMetadata = false;
        options.calls = false;
        if (const Result<ThreadPtr> thread = loadThread(source, row.id, options, job)) {
            std::int64_t events = 0;
            for (ThreadRow::Space &space : row.namespaces)
                if (const ThreadNamespace *found = (*thread)->find(space.name)) {
                    space.events = static_cast<std::int64_t>(found->eventCheckpoints.size());
                    events += *space.events;
                }
            row.events = events;
        }
    }
    if (!row.events && !lister.hiddenEvents(row))
        row.events = 0;
    for (ThreadRow::Space &space : row.namespaces)
        if (!space.events)
            space.events = 0;
}

Result<void> scanThreadList(CheckpointSource &source, bool full,
    const std::function<bool(std::vector<ThreadRow> &&)> &visit, const JobContext &job)
{
    if (Result<void> begun = source.beginRead(); !begun)
        return begun;
    const bool hinted = source.info().expensiveBlobs && !full;
    bool cancelled = false;
    const auto complete = [&](ThreadPage &&page) {
        std::vector<ThreadRow> part;
        std::size_t done = 0;
        for (ThreadRow &row : page.rows) {
            cancelled = job.stopped();
            if (cancelled)
                return false;
            if (!hinted)
                completeThread(source, row, full, job);
            else if (done < page.hints.size())
                takeHints(row, page.hints[done]);
            part.push_back(std::move(row));
            ++done;
            if (page.rows.size() > 50 && done % (page.rows.size() / 50) == 0 && page.hints.empty())
                job.report(static_cast<double>(done) / static_cast<double>(page.rows.size()), "reading threads");
            if ((part.size() == rowsAtOnce || done == page.rows.size()) && !visit(std::exchange(part, {})))
                return false;
        }
        return true;
    };
    Result<void> scanned = source.scanThreads(full, complete, job);
    source.endRead();
    if (scanned && cancelled)
        return failure(Error::Code::Cancelled, {}, "stopped");
    return scanned;
}

Result<std::vector<ThreadRow>> listThreads(CheckpointSource &source, bool full, const JobContext &job)
{
    std::vector<ThreadRow> rows;
    const auto gather = [&](std::vector<ThreadRow> &&part) {
        std::move(part.begin(), part.end(), std::back_inserter(rows));
        return true;
    };
    if (Result<void> done = scanThreadList(source, full, gather, job); !done)
        return tl::unexpected(done.error());
    std::stable_sort(rows.begin(), rows.end(), [](const ThreadRow &a, const ThreadRow &b) { return a.last > b.last; });
    return rows;
}

} // namespace palimpsest
