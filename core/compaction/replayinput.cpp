// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compaction/replayinput.h"

#include "core/base/text.h"
#include "core/compaction/stages/bloboffload.h"
#include "core/compaction/stages/humaneviction.h"
#include "core/compaction/stages/summarymessage.h"
#include "core/thread/requests.h"

#include <algorithm>
#include <set>
#include <string_view>

namespace palimpsest {
namespace {

constexpr std::string_view stubHead = "Tool result too large, the result of this tool call ";
constexpr std::string_view stubPathWords = " was saved in the filesystem at this path: ";
constexpr std::string_view compactToolName = "compact_conversation";

std::optional<std::string> fileText(const FileEntry &entry)
{
    if (entry.content.isText())
        return entry.content.asText();
    if (!entry.content.isList())
        return std::nullopt;
    std::string text;
    for (std::size_t i = 0; i < entry.content.asList().size(); ++i)
        text += (i ? "\n" : "") + entry.content.asList()[i].asText();
    return text;
}

/// The stub's text: its content, or its first text block.
std::string_view leadingText(const Message &message)
{
    if (message.content.isText())
        return message.content.asText();
    const Value::List &blocks = message.content.asList();
    if (blocks.empty())
        return {};
    return blocks.front().isText() ? std::string_view(blocks.front().asText())
                                   : std::string_view(blocks.front()["text"].asText());
}

/// The message with its text put back where the stub stands.
MessagePtr withText(const Message &stub, const std::string &text)
{
    auto message = std::make_shared<Message>(stub);
    if (stub.content.isText()) {
        message->content = Value(text);
        return message;
    }
    Value::List blocks = stub.content.asList();
    blocks.front() = Value::map({{"type", Value("text")}, {"text", Value(text)}});
    message->content = Value(std::move(blocks));
    return message;
}

bool sameMessage(const MessagePtr &a, const MessagePtr &b)
{
    return a == b || (a && b && a->id && b->id && *a->id == *b->id && a->kind == b->kind);
}

} // namespace

std::string stubPath(const Message &message)
{
    if (message.kind != MessageKind::Tool)
        return {};
    const std::string_view text = leadingText(message);
    if (!text.starts_with(stubHead))
        return {};
    const std::size_t words = text.find(stubPathWords);
    if (words == std::string_view::npos)
        return {};
    const std::size_t from = words + stubPathWords.size();
    const std::size_t end = text.find('\n', from);
    return end == std::string_view::npos ? std::string() : std::string(text.substr(from, end - from));
}

ArtifactReader stateArtifacts(ThreadPtr thread, std::string ns)
{
    return [thread = std::move(thread), ns = std::move(ns)](
               const std::string &path, CheckpointIndex at) -> std::optional<std::string> {
        const ThreadNamespace *space = thread->find(ns);
        if (space && at.isValid() && at.at() < space->checkpoints.size()) {
            if (const FileEntryPtr *entry = space->checkpoints[at.at()].files.find(path); entry && *entry)
                return fileText(**entry);
        }
        for (const auto &[prefix, items] : thread->store) {
            for (const auto &[key, value] : items) {
                // A CompositeBackend route strips its prefix from the key.
                if (!(path == key || path.ends_with(key)) || key.empty())
                    continue;
                FileEntry entry;
                entry.content = value["content"];
                if (auto text = fileText(entry))
                    return text;
            }
        }
        return std::nullopt;
    };
}

/// Builds a ReplayInput, call by call.
class ReplayInputBuilder {
public:
    ReplayInputBuilder(ThreadPtr thread, const std::string &ns, ArtifactReader artifacts)
        : m_input(std::shared_ptr<ReplayInput>(new ReplayInput))
        , m_artifacts(artifacts ? std::move(artifacts) : stateArtifacts(thread, ns))
    {
        m_input->m_thread = std::move(thread);
        m_input->m_space = m_input->m_thread->find(ns);
    }

    ReplayInputPtr build()
    {
        if (!m_input->m_space) {
            static const ThreadNamespace none;
            m_input->m_space = &none;
        }
        collectRewrites();
        findParents();
        for (std::size_t i = 0; i < space().calls.size(); ++i)
            addCall(i);
        collectSummaries();
        for (const Checkpoint &checkpoint : space().checkpoints) {
            if (checkpoint.event && checkpoint.event->filePath) {
                m_input->m_archivesInState = checkpoint.files.count(*checkpoint.event->filePath) > 0;
                m_input->m_artifactsSeenInState = m_input->m_artifactsSeenInState || m_input->m_archivesInState;
            }
            if (!checkpoint.sessionId)
                continue;
            auto &ids = m_input->m_sessionIds;
            if (std::find(ids.begin(), ids.end(), *checkpoint.sessionId) == ids.end())
                ids.push_back(*checkpoint.sessionId);
        }
        return m_input;
    }

private:
    struct Seen {
        MessageLog log; ///< of the recording
        bool rewritten = false; ///< the log begins with a summary instead of the conversation
    };

    [[nodiscard]] const ThreadNamespace &space() const { return *m_input->m_space; }

    /// Bodies that a model call wrote over another: clipped results, tags of moved messages.
    void collectRewrites()
    {
        std::set<std::string> tasks;
        for (const Call &call : space().calls)
            tasks.insert(call.taskId);
        for (const auto &[id, versions] : space().versions) {
            for (std::size_t i = 1; i < versions.size(); ++i) {
                if (versions[i].body && versions[i - 1].body && tasks.count(versions[i].taskId))
                    addRewrite(versions[i].body, versions[i - 1].body);
            }
        }
        for (const Call &call : space().calls) {
            if (call.rewrites.empty() || !call.checkpoint.isValid())
                continue;
            const MessageLog &before = space().checkpoints[call.checkpoint.at()].messages;
            for (const MessagePtr &rewrite : call.rewrites) {
                for (std::size_t i = before.size(); rewrite->id && i-- > 0;) {
                    if (before[i]->id != rewrite->id)
                        continue;
                    if (before[i] != rewrite && !(*before[i] == *rewrite))
                        addRewrite(rewrite, before[i]);
                    break;
                }
            }
        }
    }

    void addRewrite(const MessagePtr &body, const MessagePtr &before)
    {
        // The middleware rewrites tool results and human messages; an answer that came twice under one id is the
        // model's.
        if (body->kind != MessageKind::Tool && body->kind != MessageKind::Human)
            return;
        if (m_before.emplace(body.get(), before).second && body->id)
            m_rewritesById[*body->id].emplace_back(body, before);
    }

    /// What stood there before the middleware wrote over it; the message itself when nothing did.
    MessagePtr beforeRewrites(MessagePtr message) const
    {
        for (int i = 0; i < 8; ++i) {
            if (const auto found = m_before.find(message.get()); found != m_before.end()) {
                message = found->second;
                continue;
            }
            const auto same =
                message->id && !m_rewritesById.empty() ? m_rewritesById.find(*message->id) : m_rewritesById.end();
            if (same == m_rewritesById.end())
                break;
            const auto equal = std::find_if(same->second.begin(), same->second.end(),
                [&](const auto &rewrite) { return *rewrite.first == *message; });
            if (equal == same->second.end())
                break;
            message = equal->second;
        }
        return message;
    }

    ReplayInput::Original original(const MessagePtr &recorded, CheckpointIndex at)
    {
        ReplayInput::Original result;
        const RestoredMessage whole = withBlobs(recorded, at);
        result.recorded = whole.message;
        result.missing = whole.missing > 0;
        MessagePtr body = beforeRewrites(recorded);
        if (body != recorded && recorded->kind == MessageKind::Human)
            result.recordedPath = evictedTo(*recorded);
        if (body->kind == MessageKind::Human) {
            if (const std::string path = evictedTo(*body); !path.empty()) {
                result.recordedPath = path;
                auto untagged = std::make_shared<Message>(*body);
                untagged->additionalKwargs = body->additionalKwargs.without("lc_evicted_to");
                body = untagged;
            }
        } else if (const std::string path = stubPath(*body); !path.empty()) {
            result.recordedPath = path;
            if (const auto text = m_artifacts(path, at); text && text::isValid(*text))
                body = withText(*body, *text);
            else
                result.missing = true;
        }
        result.message = withBlobs(body, at).message;
        return result;
    }

    /// The message with the content of its blobs in place, as every request carries it: what a run works on does not
    /// depend on where binary content is kept (deepagents/middleware/_blob_offload.py, 0.7.32).
    RestoredMessage withBlobs(const MessagePtr &message, CheckpointIndex at)
    {
        if (!refersToBlobs(*message))
            return {message, 0};
        if (const auto known = m_restored.find(message); known != m_restored.end())
            return known->second;
        const BlobReader reader = [&](const std::string &digest) { return m_artifacts("/blobs/" + digest, at); };
        return m_restored.emplace(message, restoreBlobs(message, reader)).first->second;
    }

    /// The call whose state each call starts from.
    void findParents()
    {
        const auto &checkpoints = space().checkpoints;
        const auto &calls = space().calls;
        std::vector<std::vector<std::int32_t>> at(checkpoints.size());
        for (std::size_t i = 0; i < calls.size(); ++i) {
            if (calls[i].checkpoint.isValid() && calls[i].checkpoint.at() < at.size())
                at[calls[i].checkpoint.at()].push_back(static_cast<std::int32_t>(i));
        }
        m_input->m_calls.resize(calls.size());
        std::vector<std::int32_t> state(checkpoints.size(), -1);
        for (std::size_t c = 0; c < checkpoints.size(); ++c) {
            const Checkpoint &checkpoint = checkpoints[c];
            if (checkpoint.parent.isValid() && checkpoint.parent.at() < c) {
                const std::size_t parent = checkpoint.parent.at();
                state[c] = state[parent];
                const bool goesOn = checkpoint.source == "loop";
                for (const std::int32_t i : at[parent]) {
                    const Call &call = calls[static_cast<std::size_t>(i)];
                    // A failed call leaves no writes, but a run that saves it does.
                    if (call.step <= checkpoint.step && (goesOn || call.outcome == Call::Outcome::Error))
                        state[c] = i;
                }
            }
            for (const std::int32_t i : at[c]) {
                std::int32_t parent = state[c];
                for (const std::int32_t j : at[c]) {
                    if (calls[static_cast<std::size_t>(j)].step < calls[static_cast<std::size_t>(i)].step)
                        parent = j;
                }
                m_input->m_calls[static_cast<std::size_t>(i)].parent = parent;
            }
        }
    }

    void addCall(std::size_t index)
    {
        const Call &call = space().calls[index];
        ReplayInput::CallInput &input = m_input->m_calls[index];
        input.recordedEvent = call.event;
        input.madeEvent = call.event && call.eventFrom == Call::EventFrom::ThisCall;
        input.recordedBefore = eventBefore(space(), call);
        const std::int32_t parent =
            input.parent >= 0 && static_cast<std::size_t>(input.parent) < index ? input.parent : -1;
        input.parent = parent;
        m_seen.resize(index + 1);
        Seen &seen = m_seen[index];
        seen.log = call.log;
        if (parent < 0) {
            // The first call of a branch may still share its beginning with another; a track of its own is simple and
            // right.
            input.track = newTrack({}, 0);
            appendFrom(input, call.log, call.checkpoint, 0, static_cast<std::int32_t>(index));
        } else {
            place(input, seen, call, static_cast<std::size_t>(parent), static_cast<std::int32_t>(index));
        }
        finish(input, call, static_cast<std::int32_t>(index));
    }

    /// Lays the call's log over its parent's track.
    void place(ReplayInput::CallInput &input, Seen &seen, const Call &call, std::size_t parent, std::int32_t index)
    {
        const ReplayInput::CallInput &before = m_input->m_calls[parent];
        const Seen &old = m_seen[parent];
        input.track = before.track;
        const std::size_t known = old.log.size();
        if (seen.log.size() >= known && seen.log.take(known) == old.log) {
            seen.rewritten = old.rewritten;
            extend(input, before.length, call.log, call.checkpoint, known, index);
            return;
        }
        if (const MessageLog *full = logBeforeRewrite(call);
            full && full->size() >= known && full->take(known) == old.log) {
            if (const auto kept = rewrittenState(seen.log, *full)) {
                // [summary, kept…, new…] instead of the messages: the conversation itself goes on.
                seen.rewritten = true;
                extend(input, before.length, *full, call.checkpoint, known, index);
                extend(input, input.length, call.log, call.checkpoint, *kept + 1, index);
                return;
            }
        }
        // Something in between changed. Equal originals are the same conversation.
        std::vector<ReplayInput::Original> originals;
        originals.reserve(seen.log.size());
        for (const MessagePtr &message : seen.log)
            originals.push_back(original(message, call.checkpoint));
        const auto &track = m_input->m_tracks[before.track].messages;
        std::size_t same = 0;
        const auto sameOriginal = [](const ReplayInput::Original &a, const ReplayInput::Original &b) {
            return a.message == b.message || *a.message == *b.message;
        };
        while (same < originals.size() && same < static_cast<std::size_t>(before.length)
            && sameOriginal(originals[same], track[same]))
            ++same;
        if (same == static_cast<std::size_t>(before.length)) {
            for (std::size_t i = 0; i < same; ++i) {
                auto &entry = m_input->m_tracks[before.track].messages[i];
                entry.recorded = originals[i].recorded;
                if (!originals[i].recordedPath.empty())
                    entry.recordedPath = originals[i].recordedPath;
            }
            extend(input, before.length, call.log, call.checkpoint, same, index);
            return;
        }
        input.track = newTrack(track, same);
        appendFrom(input, call.log, call.checkpoint, same, index);
        takeOver(before, input, same);
    }

    /// What the parent's conversation knows of messages that stand in a new track too: when each came, and where it was
    /// last.
    void takeOver(const ReplayInput::CallInput &before, const ReplayInput::CallInput &input, std::size_t from)
    {
        const auto &old = m_input->m_tracks[before.track].messages;
        std::unordered_map<std::string_view, const ReplayInput::Original *> known;
        for (std::size_t i = from; i < static_cast<std::size_t>(before.length); ++i) {
            if (old[i].message->id)
                known.emplace(*old[i].message->id, &old[i]);
        }
        auto &made = m_input->m_tracks[input.track].messages;
        for (std::size_t i = from; i < made.size(); ++i) {
            const auto same = made[i].message->id ? known.find(*made[i].message->id) : known.end();
            if (same == known.end() || !(*same->second->message == *made[i].message))
                continue;
            made[i].firstCall = same->second->firstCall;
            made[i].lastAtCall = same->second->lastAtCall;
        }
    }

    /// The log that a middleware before the call rewrote: that of the nearest checkpoint above which does not begin
    /// with the call's summary. Null when the call's log begins with none.
    [[nodiscard]] const MessageLog *logBeforeRewrite(const Call &call) const
    {
        if (call.log.empty() || !isSummaryMessage(*call.log[0]))
            return nullptr;
        const auto &checkpoints = space().checkpoints;
        for (CheckpointIndex at = call.checkpoint; at.isValid() && at.at() < checkpoints.size();
            at = checkpoints[at.at()].parent) {
            const MessageLog &log = checkpoints[at.at()].messages;
            if (log.empty() || !sameMessage(log[0], call.log[0]))
                return &log;
        }
        return nullptr;
    }

    /// The number of messages that stayed when a state became [summary, kept…]; nothing when it did not.
    static std::optional<std::size_t> rewrittenState(const MessageLog &now, const MessageLog &before)
    {
        if (now.size() == 0 || !isSummaryMessage(*now[0]) || (before.size() > 0 && sameMessage(now[0], before[0])))
            return std::nullopt;
        if (now.size() == 1)
            return 0;
        for (std::size_t from = 0; from < before.size(); ++from) {
            if (!sameMessage(before[from], now[1]))
                continue;
            const std::size_t kept = before.size() - from;
            if (kept + 1 > now.size())
                return std::nullopt;
            for (std::size_t i = 0; i < kept; ++i) {
                if (!sameMessage(before[from + i], now[1 + i]))
                    return std::nullopt;
            }
            return kept;
        }
        return std::nullopt;
    }

    std::size_t newTrack(const std::vector<ReplayInput::Original> &from, std::size_t count)
    {
        // `from` may be a track of the same list, which adding one moves.
        ReplayInput::Track made;
        made.messages.assign(from.begin(), from.begin() + static_cast<std::ptrdiff_t>(count));
        m_input->m_tracks.push_back(std::move(made));
        return m_input->m_tracks.size() - 1;
    }

    /// The first `length` messages of the call's conversation and the log's from `known` on.
    void extend(ReplayInput::CallInput &input, std::int64_t length, const MessageLog &log, CheckpointIndex checkpoint,
        std::size_t known, std::int32_t index)
    {
        auto &track = m_input->m_tracks[input.track].messages;
        if (static_cast<std::int64_t>(track.size()) > length) {
            // Another call went on from here already: the same messages, or another branch.
            std::size_t at = static_cast<std::size_t>(length);
            std::size_t from = known;
            while (from < log.size() && at < track.size() && track[at].recorded == log[from]) {
                ++at;
                ++from;
            }
            if (from < log.size() && at < track.size()) {
                const std::vector<ReplayInput::Original> shared(
                    track.begin(), track.begin() + static_cast<std::ptrdiff_t>(length));
                input.track = newTrack(shared, shared.size());
                appendFrom(input, log, checkpoint, known, index);
                return;
            }
            input.length = static_cast<std::int64_t>(at);
            known = from;
        }
        appendFrom(input, log, checkpoint, known, index);
    }

    void appendFrom(ReplayInput::CallInput &input, const MessageLog &log, CheckpointIndex checkpoint, std::size_t known,
        std::int32_t index)
    {
        auto &track = m_input->m_tracks[input.track].messages;
        if (known == log.size() && input.length > 0)
            return;
        for (auto it = log.begin() + static_cast<std::ptrdiff_t>(known); it != log.end(); ++it) {
            track.push_back(original(*it, checkpoint));
            track.back().firstCall = index;
        }
        input.length = static_cast<std::int64_t>(track.size());
    }

    void finish(ReplayInput::CallInput &input, const Call &call, std::int32_t index)
    {
        auto &track = m_input->m_tracks[input.track].messages;
        const std::int64_t begin = input.parent >= 0
            ? std::min(m_input->m_calls[static_cast<std::size_t>(input.parent)].length, input.length)
            : 0;
        input.missing = input.parent >= 0 && m_input->m_calls[static_cast<std::size_t>(input.parent)].missing;
        for (std::int64_t i = begin; i < input.length; ++i) {
            const ReplayInput::Original &entry = track[static_cast<std::size_t>(i)];
            input.missing = input.missing || entry.missing;
            if (entry.message->kind == MessageKind::Tool && m_input->compactionCall(input.track, i) >= 0)
                input.compactions.push_back(i);
        }
        // A call that fails loses the tag that it gave its last message.
        if (input.length > 0 && call.outcome == Call::Outcome::Ok) {
            ReplayInput::Original &last = track[static_cast<std::size_t>(input.length - 1)];
            if (last.lastAtCall < 0)
                last.lastAtCall = index;
        }
        input.answerPlace = call.outcome == Call::Outcome::Ok && !call.answers.empty() ? input.length : -1;
        if (const Seen &seen = m_seen[static_cast<std::size_t>(index)];
            seen.rewritten && seen.log.size() > 0 && !input.recordedEvent) {
            // A rewritten state is the same as an event over the whole conversation.
            auto event = std::make_shared<SummarizationEvent>();
            event->summaryMessage = seen.log[0];
            event->cutoffIndex = input.length - static_cast<std::int64_t>(seen.log.size()) + 1;
            input.recordedEvent = event;
            const ReplayInput::CallInput *parent =
                input.parent >= 0 ? &m_input->m_calls[static_cast<std::size_t>(input.parent)] : nullptr;
            input.recordedBefore = parent ? parent->recordedEvent : nullptr;
            input.madeEvent = true;
            if (parent && parent->recordedEvent && parent->recordedEvent->summaryMessage == event->summaryMessage) {
                input.recordedEvent = parent->recordedEvent;
                input.madeEvent = false;
            }
        }
    }

    void collectSummaries()
    {
        auto texts = std::make_shared<SummaryMaterial::Texts>();
        for (std::size_t i = 0; i < m_input->m_calls.size(); ++i) {
            const ReplayInput::CallInput &input = m_input->m_calls[i];
            if (input.madeEvent && input.recordedEvent->summaryMessage)
                (*texts)[space().calls[i].taskId] = summaryTextOf(*input.recordedEvent->summaryMessage);
            if (!input.recordedBefore || !input.recordedBefore->summaryMessage)
                continue;
            for (const std::int64_t place : input.compactions) {
                const Message &answer =
                    *m_input->m_tracks[input.track].messages[static_cast<std::size_t>(place)].message;
                if (answer.toolCallId && textOf(answer).starts_with("Conversation compacted."))
                    (*texts)[*answer.toolCallId] = summaryTextOf(*input.recordedBefore->summaryMessage);
            }
        }
        m_input->m_summaries = std::move(texts);
    }

    std::shared_ptr<ReplayInput> m_input;
    ArtifactReader m_artifacts;
    std::unordered_map<MessagePtr, RestoredMessage> m_restored;
    std::unordered_map<const Message *, MessagePtr> m_before;
    std::unordered_map<std::string, std::vector<std::pair<MessagePtr, MessagePtr>>> m_rewritesById;
    std::vector<Seen> m_seen;
};

std::shared_ptr<const ReplayInput> ReplayInput::make(
    ThreadPtr thread, const std::string &ns, const ArtifactReader &artifacts)
{
    return ReplayInputBuilder(std::move(thread), ns, artifacts).build();
}

std::int64_t ReplayInput::compactionCall(std::size_t track, std::int64_t place) const
{
    const auto &messages = m_tracks[track].messages;
    const Message &answer = *messages[static_cast<std::size_t>(place)].message;
    if (answer.kind != MessageKind::Tool || !answer.toolCallId || answer.toolCallId->empty())
        return -1;
    if (answer.name && *answer.name != compactToolName)
        return -1;
    for (std::int64_t i = place - 1; i >= 0; --i) {
        const Message &message = *messages[static_cast<std::size_t>(i)].message;
        if (message.kind == MessageKind::Tool)
            continue;
        if (message.kind != MessageKind::Ai)
            return -1;
        for (const ToolCallView &call : toolCalls(message)) {
            if (call.id == *answer.toolCallId)
                return call.name == compactToolName ? i : -1;
        }
        return -1;
    }
    return -1;
}

} // namespace palimpsest
