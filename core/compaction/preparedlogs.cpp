// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compaction/preparedlogs.h"

#include "core/base/text.h"
#include "core/compaction/stages/contentblocks.h"
#include "core/compaction/stages/humaneviction.h"
#include "core/compaction/stages/largemessage.h"

#include <algorithm>
#include <cstdio>

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

class Preparation {
public:
    Preparation(const ReplayInput &input, const std::vector<CallRulesPtr> &at)
        : m_input(input)
        , m_at(at)
    {
    }

    PreparedLogs run()
    {
        m_logs.tracks.reserve(m_input.tracks().size());
        for (const ReplayInput::Track &track : m_input.tracks())
            m_logs.tracks.push_back(prepare(track));
        if (m_backend)
            m_logs.backend = *m_backend;
        else if (!m_at.empty())
            m_logs.backend = backendFor(*m_at.front()->settings);
        return std::move(m_logs);
    }

private:
    [[nodiscard]] const CallRules &rulesAt(std::int32_t call) const
    {
        return *m_at[call < 0 ? 0 : static_cast<std::size_t>(call)];
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
            prepared.state.push_back(std::move(state));
            requests.push_back(std::move(request));
        }
        if (moves) {
            if (auto moved = moveMediaResults(requests))
                requests = std::move(*moved);
        }
        prepared.log = counted(requests);
        prepared.recorded = differs ? counted(recorded) : prepared.log;
        return prepared;
    }

    [[nodiscard]] std::shared_ptr<const CountedLog> counted(const std::vector<MessagePtr> &messages)
    {
        // One counter and one truncation for a log; a thread whose segments differ in them is counted by the first.
        static const CallRules none;
        const CallRules &rules = m_at.empty() ? none : *m_at.front();
        auto log = std::make_shared<CountedLog>(rules.rules.counter, rules.rules.truncateArgs);
        log->reserve(messages.size());
        for (const MessagePtr &message : messages)
            log->append(message);
        m_logs.reportsUsage = m_logs.reportsUsage || log->lastReporting(log->size()) >= 0;
        return log;
    }

    MessagePtr toolResult(const ReplayInput::Original &original, const CallRules &rules, std::size_t place)
    {
        const MessagePtr &message = original.message;
        const auto note = [&](MessageDecision decision) {
            decision.index = static_cast<std::int64_t>(place);
            m_logs.decisions.push_back(std::move(decision));
        };
        if (original.missing) {
            MessageDecision decision;
            decision.stage = "large-tool-result";
            decision.outcome = MessageDecision::Outcome::Missing;
            decision.messageId = message->id;
            decision.toolCallId = message->toolCallId;
            decision.path = original.recordedPath;
            decision.reason = "The original is not in the recording any more; the stub stays.";
            note(std::move(decision));
            return message;
        }
        if (message->name) {
            if (const std::string_view why = evictionExclusion(*message->name); !why.empty()) {
                MessageDecision decision;
                decision.stage = "large-tool-result";
                decision.outcome = MessageDecision::Outcome::Excluded;
                decision.messageId = message->id;
                decision.toolCallId = message->toolCallId;
                decision.reason = std::string(why);
                note(std::move(decision));
                return message;
            }
        }
        const auto limit = rules.settings->toolTokenLimitBeforeEvict;
        // Bytes are at least as many as characters: most results need no closer look.
        if (limit && *limit > 0 && message->content.isText()
            && static_cast<std::int64_t>(message->content.asText().size()) <= *limit * evictionCharsPerToken)
            return message;
        ArtifactBackend &backend = backendOf(rules);
        const FreshNames names{[&] {
            return nameFrom(
                original.recordedPath, "tool " + message->toolCallId.value_or("") + " " + std::to_string(place));
        }};
        auto result = processLargeMessage(message, limit, backend, rules.rules.dialect, names);
        if (!result)
            return message;
        note(result->decision);
        return *result->message == *original.recorded ? original.recorded : result->message;
    }

    void noteNotLast(const ReplayInput::Original &original, std::size_t place)
    {
        const MessagePtr &message = original.message;
        const auto limit = rulesAt(original.firstCall).settings->humanMessageTokenLimitBeforeEvict;
        if (!limit || *limit <= 0
            || (message->content.isText()
                && static_cast<std::int64_t>(message->content.asText().size()) <= *limit * evictionCharsPerToken))
            return;
        const auto text = extractText(*message);
        const std::int64_t size = text ? static_cast<std::int64_t>(text::length(*text)) : 0;
        if (size <= *limit * evictionCharsPerToken)
            return;
        MessageDecision decision;
        decision.stage = "human-message";
        decision.index = static_cast<std::int64_t>(place);
        decision.messageId = message->id;
        decision.size = size;
        decision.threshold = *limit * evictionCharsPerToken;
        decision.unit = "characters";
        decision.reason = "It was not the last message at any call; only the last one is ever moved.";
        m_logs.decisions.push_back(std::move(decision));
    }

    MessagePtr humanMessage(const ReplayInput::Original &original, std::size_t place)
    {
        const MessagePtr &message = original.message;
        if (original.lastAtCall < 0) {
            noteNotLast(original, place);
            return message;
        }
        const CallRules &rules = rulesAt(original.lastAtCall);
        const auto limit = rules.settings->humanMessageTokenLimitBeforeEvict;
        if (!limit || *limit <= 0)
            return message;
        if (message->content.isText()
            && static_cast<std::int64_t>(message->content.asText().size()) <= *limit * evictionCharsPerToken)
            return message;
        ArtifactBackend &backend = backendOf(rules);
        const FreshNames names{[&] {
            return nameFrom(original.recordedPath, "human " + message->id.value_or("") + " " + std::to_string(place));
        }};
        auto result = evictHumanMessages({message}, limit, backend, rules.rules.dialect, names);
        if (!result)
            return message;
        for (MessageDecision &decision : result->decisions) {
            decision.index = static_cast<std::int64_t>(place);
            m_logs.decisions.push_back(std::move(decision));
        }
        return result->changed ? result->messages.front() : message;
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
        if (!m_backend || m_backendSettings != rules.settings) {
            ArtifactBackend next = backendFor(*rules.settings);
            if (m_backend) {
                for (const auto &[path, file] : m_backend->files())
                    next.preset(path, file->content, file->base64);
            }
            m_backend = std::make_unique<ArtifactBackend>(std::move(next));
            m_backendSettings = rules.settings;
        }
        return *m_backend;
    }

    const ReplayInput &m_input;
    const std::vector<CallRulesPtr> &m_at;
    PreparedLogs m_logs;
    std::unique_ptr<ArtifactBackend> m_backend;
    const Settings *m_backendSettings = nullptr;
};

} // namespace

PreparedLogs prepareLogs(const ReplayInput &input, const std::vector<CallRulesPtr> &at)
{
    return Preparation(input, at).run();
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
        if (last->rules.truncateArgs)
            key += std::to_string(last->rules.truncateArgs->maxLength) + '|' + last->rules.truncateArgs->truncationText;
        key += '\n';
    }
    return key;
}

ArtifactBackend backendFor(const Settings &settings)
{
    BackendOptions options;
    options.kind = BackendOptions::Kind::StateFiles;
    if (settings.artifactsRoot != "/")
        options.artifactsRoot = settings.artifactsRoot;
    if (settings.artifactsFail)
        options.failures = BackendFailures::readOnly();
    return ArtifactBackend(options);
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
