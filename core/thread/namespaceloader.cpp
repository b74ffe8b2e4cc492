// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/thread/namespaceloader.h"

#include "core/serde/aes.h"
#include "core/serde/json.h"
#include "core/serde/msgpackscan.h"
#include "core/serde/typed.h"
#include "core/sources/decryptingsource.h"
#include "core/sources/uuidtime.h"
#include "core/thread/events.h"

#include <algorithm>
#include <charconv>

namespace palimpsest {
namespace {

constexpr std::string_view filesChannel = "files";
constexpr std::int64_t smallBlob = NamespaceLoader::loadedBlob;
/// Enough of a big blob for its time, id and first channel.
constexpr std::int64_t prefixSize = 512;
/// So many of the newest rows are shown first where each row is big.
constexpr std::size_t wholeRows = 20;

bool isEvent(std::string_view channel)
{
    return channel == eventChannel || channel == eventChannelJs;
}

bool isSession(std::string_view channel)
{
    return channel == sessionChannel || channel == sessionChannelJs;
}

bool isKnownType(std::string_view type)
{
    return type == "msgpack" || isJsonType(type) || type == "null" || type == "bytes" || type == "bytearray";
}

std::optional<std::string> sessionOf(const Value &value)
{
    return value.isText() ? std::optional(value.asText()) : std::nullopt;
}

} // namespace

NamespaceLoader::NamespaceLoader(
    CheckpointSource &source, const std::string &threadId, const LoadOptions &options, const JobContext &job)
    : m_source(source)
    , m_threadId(threadId)
    , m_options(options)
    , m_job(job)
    , m_pool(source.info().language)
{
}

void NamespaceLoader::begin(const std::string &ns)
{
    m_ns = ns;
    m_from.reset();
    m_findings.clear();
    m_origins.clear();
    m_space = ThreadNamespace();
    m_space.name = ns;
    m_space.messagesChannel = m_options.messagesChannel;
    m_inputs = CallInputs();
    m_inputs.hasTaskPath = m_source.info().hasTaskPath;
    m_facts.clear();
    m_places.clear();
    m_states.clear();
    m_others.clear();
    m_encrypted = 0;
    m_plain = 0;
    m_mixedAt.reset();
}

Result<ThreadNamespace> NamespaceLoader::load(const std::string &ns)
{
    begin(ns);
    if (Result<void> done = readRows(); !done)
        return tl::unexpected(done.error());
    if (m_options.rowsRead)
        m_options.rowsRead();
    if (Result<void> done = finish(); !done)
        return tl::unexpected(done.error());
    if (m_options.allMetadata)
        for (std::size_t at = 0; at < m_facts.size(); ++at)
            readMetadata(at);
    if (m_options.calls)
        deriveCalls(m_space, m_inputs);
    if (m_keepOpen)
        return m_space;
    return std::move(m_space);
}

/// True when the row holds a log of its own, so that a reading can start there.
bool NamespaceLoader::startsHere(const CheckpointRow &row)
{
    if (row.blob) {
        const Result<BlobView> view = viewBlob(row.type, *row.blob);
        return view && (view->channel(m_options.messagesChannel) || !view->version(m_options.messagesChannel));
    }
    const Result<std::string> bytes = m_source.blobPart(m_threadId, m_ns, row.id, 0, prefixSize);
    const std::optional<BlobPrefix> prefix = bytes ? viewPrefix(*bytes) : std::nullopt;
    return prefix
        && std::any_of(prefix->channels.begin(), prefix->channels.end(),
            [this](const BlobPrefix::Head &head) { return head.name == m_options.messagesChannel; });
}

Result<std::optional<ThreadNamespace>> NamespaceLoader::loadNewest(const std::string &ns, std::int64_t rows)
{
    begin(ns);
    CheckpointScan scan;
    scan.newestFirst = true;
    scan.limit = rows;
    scan.blobsUpTo = smallBlob;
    scan.metadataBelow = smallBlob;
    std::vector<CheckpointRow> newest;
    std::size_t big = 0;
    bool cut = false;
    const auto visit = [&](CheckpointRow &&row) {
        big += row.blobSize > smallBlob ? 1 : 0;
        newest.push_back(std::move(row));
        // Rows that hold the whole log each: a few of them are enough to read.
        cut = newest.size() == wholeRows && big > wholeRows / 2;
        return !cut;
    };
    if (Result<void> done = m_source.scanCheckpoints(m_threadId, m_ns, scan, visit, m_job); !done)
        return tl::unexpected(done.error());
    if (!cut && static_cast<std::int64_t>(newest.size()) < rows)
        return std::optional<ThreadNamespace>();
    while (!newest.empty() && !startsHere(newest.back()))
        newest.pop_back();
    if (newest.empty())
        return std::optional<ThreadNamespace>();
    m_from = newest.back().id;
    for (auto row = newest.rbegin(); row != newest.rend(); ++row)
        takeRow(std::move(*row));
    if (Result<void> done = finish(); !done)
        return tl::unexpected(done.error());
    deriveCalls(m_space, m_inputs);
    m_space.partial = true;
    return std::optional<ThreadNamespace>(std::move(m_space));
}

Result<void> NamespaceLoader::finish()
{
    m_steps.assign(m_space.checkpoints.size(), {});
    if (Result<void> done = readWrites(); !done)
        return done;
    if (m_mixedAt)
        find(*m_mixedAt, "mixed-encryption", Finding::Severity::Warning,
            std::to_string(m_encrypted) + " rows of the namespace are encrypted, " + std::to_string(m_plain)
                + " are not: what those hold lies open.")
            .evidence = Value::map({{"encrypted", Value(m_encrypted)}, {"plain", Value(m_plain)}});
    linkTree();
    return foldStates();
}

Finding &NamespaceLoader::find(std::size_t at, const char *rule, Finding::Severity severity, std::string message)
{
    Finding finding;
    finding.rule = rule;
    finding.severity = severity;
    finding.message = std::move(message);
    finding.checkpointNs = m_ns;
    finding.checkpointId = m_space.checkpoints[at].id;
    std::vector<Finding> &findings = m_space.checkpoints[at].findings;
    findings.push_back(std::move(finding));
    return findings.back();
}

void NamespaceLoader::undecodable(
    std::size_t at, std::string_view channel, std::string_view type, const Error &error, const std::string &taskId)
{
    // A key that does not open the row, and a cipher that nobody knows, are faults; a missing key is none.
    const bool keyGiven = dynamic_cast<const DecryptingSource *>(&m_source) && !typeInsideAes(type).empty();
    const bool failed =
        type.find('+') != std::string_view::npos && (keyGiven || error.code != Error::Code::Unsupported);
    const bool encrypted = !failed && !typeInsideAes(type).empty();
    const std::string what = channel.empty() ? std::string("The checkpoint row")
        : taskId.empty()                     ? "The value of channel " + std::string(channel)
                                             : "A write to channel " + std::string(channel);
    Finding &finding = find(at, encrypted ? "encrypted-rows" : "undecodable-value",
        encrypted ? Finding::Severity::Info : Finding::Severity::Warning,
        failed ? what + " is encrypted, and the key does not open it: it is another one, or the row is damaged."
            : encrypted ? what + " is encrypted and no key was given."
                        : what + " cannot be read: " + error.what + ".");
    if (!taskId.empty())
        finding.taskId = taskId;
    finding.evidence = Value::map({{"channel", Value(channel)}, {"type", Value(type)}, {"where", Value(error.where)},
        {"reason", Value(error.what)}});
}

Result<void> NamespaceLoader::readRows()
{
    CheckpointScan scan;
    scan.blobsUpTo = smallBlob;
    scan.metadataBelow = smallBlob;
    const auto visit = [this](CheckpointRow &&row) {
        takeRow(std::move(row));
        return true;
    };
    m_job.report(-1, "reading checkpoints");
    if (Result<void> done = m_source.scanCheckpoints(m_threadId, m_ns, scan, visit, m_job); !done) {
        if (done.error().code == Error::Code::Cancelled || m_space.checkpoints.empty())
            return done;
        Finding finding;
        finding.rule = "damaged-file";
        finding.severity = Finding::Severity::Error;
        finding.message = "Rows of the table checkpoints are missing: " + done.error().what + ".";
        finding.checkpointNs = m_ns;
        m_findings.push_back(std::move(finding));
    }
    return {};
}

void NamespaceLoader::takeRow(CheckpointRow &&row)
{
    const std::size_t at = m_space.checkpoints.size();
    Checkpoint &checkpoint = m_space.checkpoints.emplace_back();
    Facts &facts = m_facts.emplace_back();
    checkpoint.id = std::move(row.id);
    checkpoint.parentId = std::move(row.parentId);
    facts.type = std::move(row.type);
    facts.blobSize = row.blobSize;
    m_places.emplace(checkpoint.id, at);
    checkpoint.createdAt = isoTimeOfId(checkpoint.id);
    noteEncryption(at, facts.type);
    if (!row.damage.empty())
        undecodable(at, {}, facts.type, Error{Error::Code::Malformed, "row", row.damage});
    if (!row.damage.empty() && facts.type.find('+') != std::string::npos) {
        takeMetadata(at, row.metadata);
        facts.opaque = true;
        return;
    }
    if (facts.blobSize > smallBlob && !row.blob) {
        lookAtBigRow(at);
        return;
    }
    takeMetadata(at, row.metadata);
    if (row.blob)
        viewRow(at, facts.type, *row.blob, false);
    else
        facts.opaque = true;
}

void NamespaceLoader::takeMetadata(std::size_t at, std::string_view text)
{
    Checkpoint &checkpoint = m_space.checkpoints[at];
    m_facts[at].hasMetadata = true;
    if (text.empty() || (!m_options.allMetadata && takeMetadataHead(at, text)))
        return;
    Result<Value> metadata = parseJson(text);
    if (!metadata) {
        undecodable(at, "metadata", "json", metadata.error());
        return;
    }
    checkpoint.metadata = std::move(*metadata);
    checkpoint.source = checkpoint.metadata["source"].asText();
    if (const Value &step = checkpoint.metadata["step"]; step.isInt())
        m_facts[at].step = step.asInt();
}

/// Takes source and step, which LangGraph writes first, where nobody asks for the rest.
bool NamespaceLoader::takeMetadataHead(std::size_t at, std::string_view text)
{
    constexpr std::string_view begin = "{\"source\": \"";
    constexpr std::string_view middle = "\", \"step\": ";
    const std::size_t end = text.starts_with(begin) ? text.find('"', begin.size()) : std::string_view::npos;
    if (end == std::string_view::npos || text.substr(end, middle.size()) != middle)
        return false;
    std::int64_t step = 0;
    const char *digits = text.data() + end + middle.size();
    const auto [behind, error] = std::from_chars(digits, text.data() + text.size(), step);
    if (error != std::errc() || behind == text.data() + text.size() || *behind != ',')
        return false;
    m_space.checkpoints[at].source = text.substr(begin.size(), end - begin.size());
    m_facts[at].step = step;
    return true;
}

void NamespaceLoader::readMetadata(std::size_t at)
{
    if (m_facts[at].hasMetadata)
        return;
    const Result<std::string> metadata = m_source.metadata(m_threadId, m_ns, m_space.checkpoints[at].id);
    if (metadata)
        takeMetadata(at, *metadata);
    else
        undecodable(at, "metadata", "json", metadata.error());
}

/// Takes from a blob what a thread needs of it. `whole`: no channel's value came in part.
void NamespaceLoader::viewRow(std::size_t at, std::string_view type, std::string_view bytes, bool whole)
{
    Facts &facts = m_facts[at];
    Checkpoint &checkpoint = m_space.checkpoints[at];
    const Result<BlobView> view = viewBlob(type, bytes);
    if (!view) {
        facts.opaque = true;
        undecodable(at, {}, type, view.error());
        if (const std::optional<BlobPrefix> prefix = type == "msgpack" ? viewPrefix(bytes) : std::nullopt;
            prefix && !prefix->ts.empty())
            checkpoint.createdAt = prefix->ts;
        return;
    }
    // A long value of which only the beginning came along; a snapshot may not be needed at all.
    const auto lacks = [this](const StoredChannel &channel) {
        return channel.cut && !channel.snapshot
            && (channel.name == m_options.messagesChannel || channel.name == filesChannel || isEvent(channel.name)
                || isSession(channel.name));
    };
    if (!whole && std::any_of(view->channels.begin(), view->channels.end(), lacks)) {
        readWhole(at);
        return;
    }
    facts.viewed = true;
    if (!view->ts.empty())
        checkpoint.createdAt = view->ts;
    if (!view->id.empty() && view->id != checkpoint.id)
        find(at, "row-id-mismatch", Finding::Severity::Warning,
            "The row's id is not the id of the checkpoint in it, " + view->id + ".")
            .evidence = Value::map({{"inner_id", Value(view->id)}});
    constexpr std::int64_t currentFormat = 4; // langgraph/pregel/_checkpoint.py LATEST_VERSION, 1.2.24
    if (view->format > 0 && view->format < currentFormat)
        find(at, "old-checkpoint-version", Finding::Severity::Info,
            "The checkpoint has format " + std::to_string(view->format)
                + ", which older versions of LangGraph wrote; the current one is 4.")
            .evidence = Value::map({{"format", Value(view->format)}});
    lookAtChannels(at, *view);
    const auto take = [&](std::string_view name, ChannelFacts &channel) -> const StoredChannel * {
        if (const std::string *version = view->version(name))
            channel.version = *version;
        const StoredChannel *stored = view->channel(name);
        // Nothing of it can be read: the writes have to say it all.
        if (stored && unknownForm(*stored))
            stored = nullptr;
        channel.stored = !stored ? Stored::Absent : stored->snapshot ? Stored::Snapshot : Stored::Plain;
        if (stored && stored->snapshot) {
            // A big one is read again when it is needed, for the bytes of all of them together may not fit in memory.
            if (m_keepSnapshots || stored->raw.size() <= static_cast<std::size_t>(smallBlob))
                channel.raw = stored->raw;
            channel.type = stored->type;
            channel.count = stored->count();
        }
        return stored;
    };
    const StoredChannel *log = take(m_options.messagesChannel, facts.log);
    if (log && !log->readable() && !(log->cut && log->snapshot)) {
        undecodable(at, m_options.messagesChannel, log->type, log->decode().error());
        facts.log.stored = Stored::Unknown;
        facts.opaque = true;
    } else if (log && !log->snapshot) {
        const auto bad = [&](std::size_t index, const Error &error) {
            undecodable(at, m_options.messagesChannel + "[" + std::to_string(index) + "]", type, error);
        };
        Result<MessageLog> messages = m_pool.log(*log, bad);
        if (messages) {
            facts.plainLog = std::move(*messages);
        } else {
            undecodable(at, m_options.messagesChannel, type, messages.error());
            checkpoint.incomplete = true;
        }
    }
    const StoredChannel *files = take(filesChannel, facts.files);
    if (files && !files->snapshot)
        facts.plainFiles = filesOf(at, *files);
    for (const StoredChannel &channel : view->channels) {
        if (isEvent(channel.name) && channel.readable()) {
            facts.event = channel.raw.empty() ? parseEvent(channel.value) : eventOf(channel.type, channel.raw);
        } else if (isEvent(channel.name) || isSession(channel.name)) {
            if (const Result<Value> value = channel.decode())
                facts.session = sessionOf(*value);
            else
                undecodable(at, channel.name, channel.readable() ? type : channel.type, value.error());
        }
    }
}

/// A big blob is read in whole only when its beginning does not show a snapshot of the log.
void NamespaceLoader::lookAtBigRow(std::size_t at)
{
    Facts &facts = m_facts[at];
    Checkpoint &checkpoint = m_space.checkpoints[at];
    if (facts.type == "msgpack") {
        const Result<std::string> bytes = m_source.blobPart(m_threadId, m_ns, checkpoint.id, 0, prefixSize);
        const std::optional<BlobPrefix> prefix = bytes ? viewPrefix(*bytes) : std::nullopt;
        if (prefix) {
            if (!prefix->ts.empty())
                checkpoint.createdAt = prefix->ts;
            for (const BlobPrefix::Head &head : prefix->channels) {
                if (head.name != m_options.messagesChannel || !head.snapshot)
                    continue;
                facts.log.stored = Stored::Snapshot;
                facts.log.count = head.count;
                if (!prefix->id.empty() && prefix->id != checkpoint.id)
                    find(at, "row-id-mismatch", Finding::Severity::Warning,
                        "The row's id is not the id of the checkpoint in it, " + prefix->id + ".");
                return;
            }
        }
    }
    readWhole(at);
}

void NamespaceLoader::readWhole(std::size_t at)
{
    Facts &facts = m_facts[at];
    readMetadata(at);
    const Result<TypedBytes> blob = m_source.checkpointBlob(m_threadId, m_ns, m_space.checkpoints[at].id);
    if (blob) {
        viewRow(at, blob->type, blob->bytes, true);
    } else {
        facts.opaque = true;
        undecodable(at, {}, facts.type, blob.error());
    }
}

/// What is inside a stored snapshot.
StoredChannel NamespaceLoader::snapshotOf(std::size_t at, ChannelFacts Facts::*channel)
{
    const ChannelFacts &facts = m_facts[at].*channel;
    if (facts.raw.empty()) {
        m_keepSnapshots = true;
        readWhole(at);
        m_keepSnapshots = false;
    }
    StoredChannel stored;
    stored.name = channel == &Facts::log ? m_options.messagesChannel : filesName();
    stored.raw = facts.raw;
    stored.type = facts.type;
    return stored;
}

EventPtr NamespaceLoader::eventOf(std::string_view type, std::string_view raw)
{
    // As a rule the event of the checkpoint before.
    if (raw == m_lastEventRaw && m_lastEvent)
        return m_lastEvent;
    const auto [place, fresh] = m_events.try_emplace(std::string(raw));
    if (fresh) {
        const Result<Value> decoded = decodeTyped(type, raw);
        if (!decoded) {
            auto broken = std::make_shared<SummarizationEvent>();
            broken->malformed = true;
            broken->raw = Value::bytes(std::string(raw));
            place->second = std::move(broken);
        } else {
            // The same event may be written in other words by the one who wrote the checkpoint.
            for (const auto &[bytes, event] : m_events)
                if (event && event->raw == *decoded)
                    place->second = event;
            if (!place->second)
                place->second = parseEvent(*decoded);
        }
    }
    m_lastEventRaw = raw;
    m_lastEvent = place->second;
    return place->second;
}

FileMap NamespaceLoader::filesOf(std::size_t at, const StoredChannel &channel)
{
    // An unchanged map is repeated in every checkpoint.
    if (!channel.raw.empty() && channel.raw == m_lastFilesRaw)
        return m_lastFiles;
    const Result<Value> value = channel.decode();
    const Result<FilesWrite> files = value ? filesWrite(*value) : tl::unexpected(value.error());
    if (!files) {
        if (!value || !value->isNil())
            undecodable(at, channel.name, channel.readable() ? m_facts[at].type : channel.type, files.error());
        return {};
    }
    FileMap map = m_lastFiles;
    std::unordered_map<std::string_view, bool> there;
    for (const auto &[path, entry] : files->files) {
        there.emplace(path, true);
        const FileEntryPtr *known = map.find(path);
        if (entry && !(known && **known == *entry))
            map = std::move(map).set(path, entry);
    }
    for (const auto &[path, entry] : m_lastFiles)
        if (!there.contains(path))
            map = std::move(map).erase(path);
    m_lastFilesRaw.assign(channel.raw);
    m_lastFiles = map;
    return map;
}

Result<void> NamespaceLoader::readWrites()
{
    WriteScan scan;
    scan.values = {m_options.messagesChannel, std::string(filesChannel), std::string(eventChannel),
        std::string(eventChannelJs), std::string(sessionChannel), std::string(sessionChannelJs),
        std::string(requestChannel), "__interrupt__", "__error__"};
    std::size_t orphans = 0;
    const auto visit = [&](WriteRow &&row) {
        ++m_writeRows;
        const auto place = m_places.find(row.checkpointId);
        if (place == m_places.end()) {
            ++orphans;
            return true;
        }
        const std::size_t at = place->second;
        Step &step = m_steps[at];
        ++step.rows;
        noteEncryption(at, row.value.type);
        if (!row.damage.empty()) {
            undecodable(at, row.channel.empty() ? "?" : row.channel, row.value.type,
                Error{Error::Code::Malformed, "row", row.damage}, row.taskId);
            step.unreadableMessages |= row.channel.empty() || row.channel == m_options.messagesChannel;
            step.unreadableFiles |= row.channel.empty() || row.channel == filesChannel;
            return true;
        }
        if (!row.hasValue) {
            if (!isKnownType(row.value.type))
                undecodable(at, row.channel, row.value.type,
                    Error{Error::Code::Unsupported, {}, "it is stored as " + row.value.type}, row.taskId);
            return true;
        }
        const bool own = row.taskId == nullTaskId;
        std::vector<TaskWrites> &tasks = m_inputs.tasks;
        const auto task = [&]() -> TaskWrites & {
            // `update_state` writes in the name of a task that waits: the same id, another path.
            if (tasks.empty() || tasks.back().taskId != row.taskId || tasks.back().taskPath != row.taskPath
                || tasks.back().checkpoint != CheckpointIndex(at)) {
                TaskWrites &made = tasks.emplace_back();
                made.checkpoint = CheckpointIndex(at);
                made.taskId = row.taskId;
                made.taskPath = row.taskPath;
            }
            return tasks.back();
        };
        if (row.channel == m_options.messagesChannel) {
            Result<MessagesWrite> write = m_pool.write(row.value.type, row.value.bytes);
            if (!write) {
                const Result<Value> value = decodeTyped(row.value.type, row.value.bytes);
                const bool untyped = value && value->asMap().size() == 1 && (*value)["value"].isList();
                std::optional<MessagesWrite> reset;
                if (untyped) {
                    reset = takeUntypedOverwrite(at, row, *value, step);
                } else {
                    step.unreadableMessages = true;
                    undecodable(at, row.channel, row.value.type, write.error(), row.taskId);
                }
                if (!reset)
                    return true;
                write = std::move(*reset);
            }
            if (own)
                step.ownMessages.push_back(*write);
            step.messages.push_back(*write);
            step.messageTasks.push_back(row.taskId);
            task().messages.push_back(std::move(*write));
            return true;
        }
        if (row.channel == requestChannel) {
            if (const Result<MessagesWrite> request = m_pool.write(row.value.type, row.value.bytes))
                task().request = MessageLog(request->messages.begin(), request->messages.end());
            else
                undecodable(at, row.channel, row.value.type, request.error(), row.taskId);
            return true;
        }
        if (isEvent(row.channel) && (row.value.type == "msgpack" || isJsonType(row.value.type))) {
            EventPtr event = eventOf(row.value.type, row.value.bytes);
            step.event = event;
            if (own)
                step.ownEvent = event;
            task().hasEvent = true;
            task().event = std::move(event);
            return true;
        }
        Result<Value> value = decodeTyped(row.value.type, row.value.bytes);
        if (!value) {
            undecodable(at, row.channel, row.value.type, value.error(), row.taskId);
            step.unreadableFiles |= row.channel == filesChannel;
            return true;
        }
        if (row.channel == filesChannel) {
            Result<FilesWrite> write = filesWrite(*value);
            if (!write) {
                if (!value->isNil()) {
                    undecodable(at, row.channel, row.value.type, write.error(), row.taskId);
                    step.unreadableFiles = true;
                }
                return true;
            }
            if (own)
                step.ownFiles.push_back(*write);
            step.files.push_back(std::move(*write));
            step.fileTasks.push_back(row.taskId);
        } else if (isEvent(row.channel)) {
            EventPtr event = parseEvent(*value);
            step.event = event;
            if (own)
                step.ownEvent = event;
            task().hasEvent = true;
            task().event = std::move(event);
        } else if (isSession(row.channel)) {
            step.session = sessionOf(*value);
        } else {
            Waiting waiting;
            waiting.kind = row.channel == "__error__" ? Waiting::Kind::Error : Waiting::Kind::Interrupt;
            waiting.taskId = row.taskId;
            waiting.taskPath = row.taskPath;
            step.failed = true;
            if (waiting.kind == Waiting::Kind::Error) {
                task().hasError = true;
                task().error = errorText(*value);
            }
            waiting.value = std::move(*value);
            m_space.checkpoints[at].waiting.push_back(std::move(waiting));
        }
        return true;
    };
    m_job.report(-1, "reading writes");
    m_writeRows = 0;
    scan.channels = scan.values;
    scan.oddTypes = true;
    scan.from = m_from;
    Result<void> done = m_source.scanWrites(m_threadId, m_ns, scan, visit, m_job);
    if (!done && done.error().code == Error::Code::Cancelled)
        return done;
    m_space.hasWrites = m_writeRows > 0;
    if (!m_space.hasWrites) {
        WriteScan any;
        any.noValues = true;
        (void)m_source.scanWrites(
            m_threadId, m_ns, any,
            [this](WriteRow &&) {
                m_space.hasWrites = true;
                return false;
            },
            m_job);
    }
    if (!done || orphans) {
        Finding finding;
        finding.rule = done ? "orphan-writes" : "damaged-file";
        finding.severity = done ? Finding::Severity::Info : Finding::Severity::Error;
        finding.message = done
            ? std::to_string(orphans) + " rows of the table writes belong to checkpoints that are not in the file."
            : "Rows of the table writes are missing: " + done.error().what + ".";
        finding.checkpointNs = m_ns;
        m_findings.push_back(std::move(finding));
    }
    return {};
}

void NamespaceLoader::setStep(std::size_t at)
{
    Checkpoint &checkpoint = m_space.checkpoints[at];
    if (const std::optional<std::int64_t> &stored = m_facts[at].step) {
        checkpoint.step = static_cast<int>(std::clamp<std::int64_t>(*stored, -0x40000000, 0x40000000));
        return;
    }
    const std::optional<IdParts> parts = partsOfId(checkpoint.id);
    if (!parts)
        return;
    checkpoint.step = parts->step;
    // The id holds 14 bits of the step: the parent's tells the rest.
    if (checkpoint.parent.isValid()) {
        const int before = m_space.checkpoints[checkpoint.parent.at()].step;
        checkpoint.step = before + ((parts->step - before) % 0x4000 + 0x4000) % 0x4000;
    }
}

void NamespaceLoader::linkTree()
{
    std::vector<Checkpoint> &all = m_space.checkpoints;
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (!all[i].parentId)
            continue;
        const auto place = m_places.find(*all[i].parentId);
        if (place == m_places.end() || place->second == i)
            continue;
        all[i].parent = CheckpointIndex(place->second);
        all[place->second].children.push_back(CheckpointIndex(i));
    }
    for (std::size_t i = 0; i < all.size(); ++i)
        if (all[i].children.empty())
            m_space.heads.push_back(CheckpointIndex(i));
}

} // namespace palimpsest
