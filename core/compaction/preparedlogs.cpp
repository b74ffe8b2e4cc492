// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compaction/preparedlogs.h"

#include "core/base/text.h"
#include "core/compaction/replayviews.h"
#include "core/compaction/stages/bloboffload.h"
#include "core/compaction/stages/contentblocks.h"
#include "core/compaction/stages/humaneviction.h"
#include "core/compaction/stages/largemessage.h"
#include "core/compaction/stages/patchtoolcalls.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <tuple>

namespace palimpsest {
namespace {

/// A model whose class takes any document (deepagents/middleware/filesystem.py `_model_tolerates_non_pdf_files`,
/// 0.7.7).
bool takesAnyFile(const ModelProfile &model)
{
    return model.llmType == "openai-chat" || model.llmType == "azure-openai-chat"
        || model.llmType == "chat-google-generative-ai";
}

/// `_scrub_unsupported_multimodal_content` (0.7.7) for a profile that names no inputs: only inline documents that are
/// no PDF become text.
MessagePtr scrubbed(const MessagePtr &message, const CallRules &rules)
{
    const bool looked = message->kind == MessageKind::Human || message->kind == MessageKind::Tool;
    if (!looked || !message->content.isList() || !rules.rules.dialect.scrubsUnsupportedMedia
        || takesAnyFile(rules.settings->model))
        return message;
    auto blocks = contentBlocks(*message);
    if (!blocks)
        return message;
    bool changed = false;
    for (Value &block : *blocks) {
        if (block["type"].asText() != "file" || !block.contains("base64")
            || block["mime_type"].asText() == "application/pdf")
            continue;
        const Value *mime = block.find("mime_type");
        const Value *path = message->additionalKwargs.find("read_file_path");
        block = Value::map({{"type", Value("text")},
            {"text",
                Value("[read_file: " + (path ? path->asText() : std::string("the requested file"))
                    + " was not attached because this model does not support file content ("
                    + (mime ? mime->asText() : std::string("unknown")) + ").]")}});
        changed = true;
    }
    if (!changed)
        return message;
    auto copy = std::make_shared<Message>(*message);
    copy->content = Value(std::move(*blocks));
    return copy;
}

/// The last part of a recorded path, so that it can be used again: "/x/unknown-1a2b3c4d" and "/x/<uuid>.md" hold a UUID
/// or its beginning.
std::string nameFrom(std::string_view path, std::string_view label)
{
    if (const std::size_t slash = path.rfind('/'); slash != std::string_view::npos)
        path.remove_prefix(slash + 1);
    if (path.ends_with(".md"))
        path.remove_suffix(3);
    if (path.starts_with("unknown-"))
        path.remove_prefix(8);
    return path.empty() ? uuidFrom(label) : std::string(path);
}

/// Whether both leave the same arguments of the same length.
bool sameShortening(const std::optional<TruncateArgsSettings> &a, const std::optional<TruncateArgsSettings> &b)
{
    return a.has_value() == b.has_value()
        && (!a || (a->maxLength == b->maxLength && a->truncationText == b->truncationText));
}

class Preparation {
public:
    /// `every`: also a decision about each message that is left as it was, and nothing is counted.
    Preparation(const ReplayInput &input, const std::vector<CallRulesPtr> &at, bool every)
        : m_input(input)
        , m_at(at)
        , m_every(every)
    {
    }

    PreparedLogs run()
    {
        findCountings();
        m_logs.tracks.reserve(m_input.tracks().size());
        for (const ReplayInput::Track &track : m_input.tracks())
            m_logs.tracks.push_back(prepare(track));
        countRecordedSummaries();
        stubFailedCalls();
        return std::move(m_logs);
    }

private:
    [[nodiscard]] const CallRules &rulesAt(std::int32_t call) const
    {
        return *m_at[call < 0 ? 0 : static_cast<std::size_t>(call)];
    }

    /// The ways of counting that the settings in force at the calls ask for.
    void findCountings()
    {
        m_logs.countingAt.reserve(m_at.size());
        const CallRules *last = nullptr;
        for (const CallRulesPtr &rules : m_at) {
            if (rules.get() == last) {
                m_logs.countingAt.push_back(m_logs.countingAt.back());
                continue;
            }
            last = rules.get();
            const auto known = std::find_if(m_countings.begin(), m_countings.end(), [&](const CallRules *other) {
                return other->rules.counter == last->rules.counter
                    && sameShortening(other->rules.truncateArgs, last->rules.truncateArgs);
            });
            m_logs.countingAt.push_back(static_cast<std::size_t>(known - m_countings.begin()));
            if (known == m_countings.end())
                m_countings.push_back(last);
        }
        static const CallRules none;
        if (m_countings.empty())
            m_countings.push_back(&none);
    }

    void countRecordedSummaries()
    {
        m_logs.recordedSummaries.resize(m_at.size());
        std::map<std::pair<const SummarizationEvent *, double>, std::int64_t> known;
        const auto tokens = [&](const EventPtr &event, const CallRules &rules) {
            if (!event)
                return std::int64_t{0};
            const auto [entry, fresh] = known.try_emplace({event.get(), rules.rules.counter.charsPerToken});
            if (fresh)
                entry->second = stateOf(event, rules.rules).summaryTokens;
            return entry->second;
        };
        for (std::size_t i = 0; i < m_at.size(); ++i) {
            const ReplayInput::CallInput &call = m_input.calls()[i];
            m_logs.recordedSummaries[i] = {tokens(call.recordedEvent, *m_at[i]), tokens(call.recordedBefore, *m_at[i])};
        }
    }

    PreparedTrack prepare(const ReplayInput::Track &track)
    {
        PreparedTrack prepared;
        std::vector<MessagePtr> requests;
        std::vector<MessagePtr> recorded;
        requests.reserve(track.messages.size());
        bool differs = false;
        bool moves = false;
        for (std::size_t i = 0; i < track.messages.size(); ++i) {
            const ReplayInput::Original &original = track.messages[i];
            const CallRules &rules = rulesAt(original.firstCall);
            MessagePtr state = original.message;
            MessagePtr request = state;
            if (rules.rules.dialect.evictsMessages()) {
                if (state->kind == MessageKind::Tool) {
                    state = request = toolResult(original, rules, i);
                } else if (state->kind == MessageKind::Human) {
                    request = humanMessage(original, i);
                    moves = moves || state->additionalKwargs.contains("read_file_media_result");
                }
                request = scrubbed(request, rules);
            }
            MessagePtr asRecorded = recordedRequest(original, request, rules);
            if (asRecorded != request) {
                if (recorded.empty())
                    recorded.assign(requests.begin(), requests.end());
                differs = true;
            }
            if (differs)
                recorded.push_back(std::move(asRecorded));
            prepared.state.push_back(withReferences(original, state, rules, i));
            requests.push_back(std::move(request));
        }
        if (moves) {
            if (auto moved = moveMediaResults(requests))
                requests = std::move(*moved);
        }
        if (m_every)
            return prepared;
        prepared.logs = counted(requests);
        prepared.recorded = differs ? counted(recorded) : prepared.logs;
        return prepared;
    }

    [[nodiscard]] PreparedTrack::Logs counted(const std::vector<MessagePtr> &messages)
    {
        PreparedTrack::Logs logs;
        for (const CallRules *rules : m_countings) {
            auto log = std::make_shared<CountedLog>(rules->rules.counter, rules->rules.truncateArgs);
            log->append(messages);
            m_logs.reportsUsage = m_logs.reportsUsage || log->lastReporting(log->size()) >= 0;
            logs.push_back(std::move(log));
        }
        return logs;
    }

    [[nodiscard]] static MessageDecision decisionAbout(const Message &message, const char *stage)
    {
        MessageDecision decision;
        decision.stage = stage;
        decision.messageId = message.id;
        decision.toolCallId = message.toolCallId;
        decision.unit = "characters";
        return decision;
    }

    /// Once for a message, however many branches share it; a failed call's decision is its own.
    void note(
        MessageDecision decision, const ReplayInput::Original &original, std::size_t place, std::int32_t call = -1)
    {
        if (!m_noted.emplace(original.message.get(), decision.stage, call).second)
            return;
        decision.index = static_cast<std::int64_t>(place);
        m_logs.decisions.push_back(std::move(decision));
    }

    /// Bytes are at least as many as characters: most messages need no closer look.
    [[nodiscard]] bool isSurelyBelow(const Message &message, const std::optional<std::int64_t> &limit) const
    {
        return !m_every && limit && *limit > 0 && message.content.isText()
            && static_cast<std::int64_t>(message.content.asText().size()) <= *limit * evictionCharsPerToken;
    }

    MessagePtr toolResult(const ReplayInput::Original &original, const CallRules &rules, std::size_t place)
    {
        const MessagePtr &message = original.message;
        if (original.missing) {
            MessageDecision decision = decisionAbout(*message, "large-tool-result");
            decision.outcome = MessageDecision::Outcome::Missing;
            decision.path = original.recordedPath;
            decision.reason = "The original is not in the recording any more; the stub stays.";
            note(std::move(decision), original, place);
            return message;
        }
        if (message->name) {
            if (const std::string_view why = evictionExclusion(*message->name); !why.empty()) {
                MessageDecision decision = decisionAbout(*message, "large-tool-result");
                decision.outcome = MessageDecision::Outcome::Excluded;
                decision.reason = std::string(why);
                note(std::move(decision), original, place);
                return message;
            }
        }
        const auto limit = rules.settings->toolTokenLimitBeforeEvict;
        if (const MessagePtr again = madeUpAgain(message, rules.rules.dialect))
            return again;
        if (isSurelyBelow(*message, limit))
            return message;
        ArtifactBackend &backend = backendOf(rules);
        const FreshNames names{[&] {
            return nameFrom(
                original.recordedPath, "tool " + message->toolCallId.value_or("") + " " + std::to_string(place));
        }};
        auto result = processLargeMessage(message, limit, backend, rules.rules.dialect, names);
        if (!result)
            return message;
        note(std::move(result->decision), original, place);
        return *result->message == *original.recorded ? original.recorded : result->message;
    }

    void noteNotLast(const ReplayInput::Original &original, std::size_t place)
    {
        const MessagePtr &message = original.message;
        const auto limit = rulesAt(original.firstCall).settings->humanMessageTokenLimitBeforeEvict;
        if (!limit || *limit <= 0 || isSurelyBelow(*message, limit))
            return;
        const auto text = extractText(*message);
        const std::int64_t size = text ? static_cast<std::int64_t>(text::length(*text)) : 0;
        if (!m_every && size <= *limit * evictionCharsPerToken)
            return;
        MessageDecision decision = decisionAbout(*message, "human-message");
        decision.size = size;
        decision.threshold = *limit * evictionCharsPerToken;
        decision.reason = "It was not the last message at any answered call; only the last one is ever moved.";
        note(std::move(decision), original, place);
    }

    MessagePtr humanMessage(const ReplayInput::Original &original, std::size_t place)
    {
        const MessagePtr &message = original.message;
        if (original.lastAtCall < 0) {
            noteNotLast(original, place);
            return message;
        }
        return evicted(original, original.lastAtCall, place);
    }

    /// The message with its binary content moved to blobs, as the state then holds it; requests have the content in
    /// place (deepagents/middleware/filesystem.py `_offload_history_messages`, 0.7.32).
    MessagePtr withReferences(
        const ReplayInput::Original &original, const MessagePtr &message, const CallRules &rules, std::size_t place)
    {
        const bool looked =
            message->kind == MessageKind::Human || (message->kind == MessageKind::Tool && message->name == "read_file");
        if (!looked || !rules.settings->offloadBinaryContent || !rules.rules.dialect.offloadsBlobs
            || m_input.artifactsSeenInState())
            return message;
        auto result = offloadBlobs({message}, backendOf(rules), m_blobs);
        if (!result)
            return message;
        for (MessageDecision &decision : result->decisions)
            note(std::move(decision), original, place);
        return result->messages.front();
    }

    /// The message as a call sends it that finds it last.
    MessagePtr evicted(const ReplayInput::Original &original, std::int32_t call, std::size_t place)
    {
        const MessagePtr &message = original.message;
        const CallRules &rules = rulesAt(call);
        const auto limit = rules.settings->humanMessageTokenLimitBeforeEvict;
        if (!limit || *limit <= 0 || isSurelyBelow(*message, limit))
            return message;
        ArtifactBackend &backend = backendOf(rules);
        const bool answered = call == original.lastAtCall;
        const FreshNames names{[&] {
            return nameFrom(answered ? original.recordedPath : std::string(),
                "human " + message->id.value_or("") + " " + std::to_string(place)
                    + (answered ? std::string() : " at call " + std::to_string(call)));
        }};
        auto result = evictHumanMessages({message}, limit, backend, rules.rules.dialect, names);
        if (!result)
            return message;
        for (MessageDecision &decision : result->decisions)
            note(std::move(decision), original, place, answered ? -1 : call);
        return result->changed ? result->messages.front() : message;
    }

    /// A failed call's stub is its own: the next call finds the message untagged.
    void stubFailedCalls()
    {
        for (std::size_t i = 0; i < m_at.size(); ++i) {
            const ReplayInput::CallInput &call = m_input.calls()[i];
            if (m_input.call(i).outcome == Call::Outcome::Ok || call.length == 0
                || !m_at[i]->rules.dialect.evictsMessages())
                continue;
            const auto place = static_cast<std::size_t>(call.length - 1);
            const ReplayInput::Original &last = m_input.tracks()[call.track].messages[place];
            const bool tagged = last.lastAtCall >= 0 && static_cast<std::size_t>(last.lastAtCall) < i;
            if (tagged || last.message->kind != MessageKind::Human)
                continue;
            const ArtifactBackend before = m_logs.backend;
            const MessagePtr stub = scrubbed(evicted(last, static_cast<std::int32_t>(i), place), *m_at[i]);
            if (m_input.archivesInState())
                m_logs.backend = before; // the file is lost with the call
            if (*stub != *last.message)
                m_logs.ownStubs[i] = {static_cast<std::int64_t>(place), stub,
                    messageTokens(*stub, m_at[i]->rules.counter.charsPerToken).value_or(0)};
        }
    }

    /// The message as the recorded request had it.
    MessagePtr recordedRequest(
        const ReplayInput::Original &original, const MessagePtr &request, const CallRules &rules) const
    {
        if (original.recorded == request)
            return request;
        MessagePtr message = original.recorded;
        if (message->kind == MessageKind::Human) {
            if (const std::string path = evictedTo(*message); !path.empty()) {
                if (auto stub = truncatedHumanMessage(*message, path, rules.rules.dialect))
                    message = *stub;
            }
        }
        if (rules.rules.dialect.evictsMessages())
            message = scrubbed(message, rules);
        return *message == *request ? request : message;
    }

    ArtifactBackend &backendOf(const CallRules &rules)
    {
        if (m_backendSettings != rules.settings) {
            m_logs.backend.setOptions(backendOptions(*rules.settings));
            m_backendSettings = rules.settings;
        }
        return m_logs.backend;
    }

    const ReplayInput &m_input;
    const std::vector<CallRulesPtr> &m_at;
    PreparedLogs m_logs;
    bool m_every;
    std::set<std::tuple<const Message *, std::string, std::int32_t>> m_noted; ///< message, stage, failed call
    BlobCache m_blobs;
    std::vector<const CallRules *> m_countings; ///< the first rules of each way of counting
    const Settings *m_backendSettings = nullptr;
};

} // namespace

PreparedLogs prepareLogs(const ReplayInput &input, const std::vector<CallRulesPtr> &at)
{
    return Preparation(input, at, false).run();
}

std::vector<MessageDecision> everyDecision(const ReplayInput &input, const std::vector<CallRulesPtr> &at)
{
    return Preparation(input, at, true).run().decisions;
}

std::string preparedKey(const std::vector<CallRulesPtr> &at)
{
    std::string key;
    const CallRules *last = nullptr;
    for (std::size_t i = 0; i < at.size(); ++i) {
        if (at[i].get() == last)
            continue;
        last = at[i].get();
        const Settings &settings = *last->settings;
        char number[64];
        std::snprintf(number, sizeof number, "%zu|%.17g|", i, last->rules.counter.charsPerToken);
        key += number;
        key += last->rules.dialect.name + '|' + settings.model.llmType + '|' + settings.artifactsRoot + '|';
        key += std::to_string(settings.toolTokenLimitBeforeEvict.value_or(-1)) + '|'
            + std::to_string(settings.humanMessageTokenLimitBeforeEvict.value_or(-1));
        key += settings.artifactsFail ? "|fails|" : "|";
        key += settings.offloadBinaryContent ? "blobs|" : "|";
        if (last->rules.truncateArgs)
            key += std::to_string(last->rules.truncateArgs->maxLength) + '|' + last->rules.truncateArgs->truncationText;
        key += '\n';
    }
    return key;
}

BackendOptions backendOptions(const Settings &settings)
{
    BackendOptions options;
    options.kind = BackendOptions::Kind::StateFiles;
    if (settings.artifactsRoot != "/")
        options.artifactsRoot = settings.artifactsRoot;
    if (settings.artifactsFail)
        options.failures = BackendFailures::readOnly();
    return options;
}

std::shared_ptr<const CountedLog> PreparedLogs::owned(const CountedLog *log) const
{
    for (const PreparedTrack &track : tracks) {
        for (const auto &own : track.logs) {
            if (own.get() == log)
                return own;
        }
    }
    return nullptr;
}

std::string uuidFrom(std::string_view text)
{
    // FNV-1a twice, with different beginnings: names need to be stable and distinct, not secret.
    const auto hash = [&](std::uint64_t state) {
        for (const char c : text) {
            state ^= static_cast<unsigned char>(c);
            state *= 0x100000001B3ULL;
        }
        return state;
    };
    const auto high = static_cast<unsigned long long>(hash(0xCBF29CE484222325ULL));
    const auto low = static_cast<unsigned long long>(hash(0x84222325CBF29CE4ULL ^ high));
    char uuid[40];
    std::snprintf(uuid, sizeof uuid, "%08llx-%04llx-4%03llx-8%03llx-%012llx", high >> 32, (high >> 16) & 0xFFFF,
        high & 0xFFF, low >> 52, low & 0xFFFFFFFFFFFFULL);
    return uuid;
}

} // namespace palimpsest
