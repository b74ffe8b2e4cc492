// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/replaycommand.h"

#include "app/cli/cli.h"
#include "app/cli/jsonoutput.h"
#include "app/cli/jsonparts.h"
#include "app/cli/settingsfile.h"
#include "core/compaction/replay.h"
#include "core/compaction/threadartifacts.h"
#include "core/summaries/net/chatmodel.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <map>

namespace palimpsest {
namespace {

std::string_view outcomeName(PipelineAttempt::Outcome outcome)
{
    switch (outcome) {
    case PipelineAttempt::Outcome::Ok:
        return "ok";
    case PipelineAttempt::Outcome::ContextOverflow:
        return "context_overflow";
    case PipelineAttempt::Outcome::OverBudget:
        return "over_budget";
    case PipelineAttempt::Outcome::Error:
        break;
    }
    return "error";
}

std::string_view outcomeName(MessageDecision::Outcome outcome)
{
    using Outcome = MessageDecision::Outcome;
    switch (outcome) {
    case Outcome::Kept:
        return "kept";
    case Outcome::Excluded:
        return "excluded";
    case Outcome::Offloaded:
        return "offloaded";
    case Outcome::Failed:
        return "failed";
    case Outcome::Clipped:
        return "clipped";
    case Outcome::Restubbed:
        return "restubbed";
    case Outcome::Patched:
        return "patched";
    case Outcome::Restored:
        return "restored";
    case Outcome::Missing:
        break;
    }
    return "missing";
}

void writeDecisions(JsonOutput &json, const std::vector<MessageDecision> &decisions)
{
    json.beginArray();
    for (const MessageDecision &decision : decisions) {
        json.beginObject().key("stage").text(decision.stage).key("outcome").text(outcomeName(decision.outcome));
        json.key("index").number(decision.index);
        json.key("message_id").optionalText(decision.messageId).key("tool_call_id").optionalText(decision.toolCallId);
        json.key("size").number(decision.size);
        json.key("threshold").number(decision.threshold);
        json.key("unit")
            .textOrNull(decision.unit)
            .key("path")
            .textOrNull(decision.path)
            .key("reason")
            .textOrNull(decision.reason)
            .endObject();
    }
    json.endArray();
}

class Writer {
public:
    Writer(JsonOutput &json, const Replay &replay, bool decisions)
        : m_json(json)
        , m_replay(replay)
        , m_decisions(decisions)
    {
    }

    void write()
    {
        const ReplayInput &input = *m_replay.input;
        m_json.beginObject().key("format").text("palimpsest.replay/1").key("thread_id").text(input.thread().id);
        m_json.key("checkpoint_ns").text(input.space().name);
        if (!m_replay.verification.faithful())
            m_json.key("assumes").text("the agent would have acted the same");
        m_json.key("calls").beginArray();
        for (const ReplayedCall &call : m_replay.calls)
            writeCall(call);
        m_json.endArray().newline().key("files").beginObject();
        std::map<std::string, StoredArtifactPtr> files;
        for (const auto &[path, file] : m_replay.files)
            files.emplace(path, file);
        for (const auto &[path, file] : files) {
            m_json.newline().key(path).beginObject().key("content").text(file->content);
            m_json.key("encoding").text(file->base64 ? "base64" : "utf-8").endObject();
        }
        m_json.endObject().newline();
        if (m_decisions) {
            m_json.key("messages_decided");
            writeDecisions(m_json, m_replay.decisions);
        }
        writeVerification();
        m_json.key("findings");
        writeFindings(m_json, m_replay.findings);
        m_json.newline();
        m_pool.writeBodies(m_json);
        m_json.endObject().newline();
    }

private:
    void writeMessages(const RequestView &view)
    {
        m_json.beginArray();
        const std::int64_t size = view.size();
        for (std::int64_t i = 0; i < size; ++i)
            m_json.text(m_pool.key(view.at(i)));
        m_json.endArray();
    }

    void writeCall(const ReplayedCall &call)
    {
        const ReplayInput &input = *m_replay.input;
        const Call &recorded = input.call(static_cast<std::size_t>(call.index));
        const PipelineResult &result = call.result;
        m_json.newline().beginObject().key("call").number(recorded.number.value).key("task_id").text(recorded.taskId);
        m_json.key("checkpoint_id");
        if (recorded.checkpoint.isValid())
            m_json.text(input.space().checkpoints[recorded.checkpoint.at()].id);
        else
            m_json.null();
        m_json.key("step")
            .number(static_cast<std::int64_t>(recorded.step))
            .key("certainty")
            .text(certaintyName(call.certainty));
        m_json.key("tokens").beginObject().key("counted").number(result.counted);
        m_json.key("reported").number(result.reported);
        m_json.key("tools").number(call.base.toolTokens).key("system").number(call.base.systemTokens).endObject();
        m_json.key("decision")
            .beginObject()
            .key("truncate_args")
            .boolean(result.truncated)
            .key("summarize")
            .boolean(result.summarize);
        m_json.key("clause").textOrNull(result.details().clause);
        m_json.key("cutoff_index").number(result.details().cutoffIndex);
        m_json.key("state_cutoff_index").number(result.details().stateCutoffIndex);
        m_json.endObject().key("attempts").beginArray();
        for (const PipelineAttempt &attempt : result.attempts()) {
            m_json.beginObject().key("messages");
            writeMessages(attempt.request);
            m_json.key("outcome").text(outcomeName(attempt.outcome)).key("tokens").number(attempt.tokens).endObject();
        }
        m_json.endArray().key("event");
        writeEvent(m_json, m_pool, call.event.get());
        m_json.key("summary_prompt");
        if (result.details().summaryPrompts.empty())
            m_json.null();
        else
            m_json.text(result.details().summaryPrompts.front());
        if (result.details().error)
            m_json.key("error").text(
                result.details().error->raised.type + ": " + result.details().error->raised.message);
        if (!call.compactions.empty())
            writeCompactions(call);
        if (m_decisions && !result.details().decisions.empty()) {
            m_json.key("messages_decided");
            writeDecisions(m_json, result.details().decisions);
        }
        m_json.endObject();
    }

    /// What `compact_conversation` did between the call before and this one.
    void writeCompactions(const ReplayedCall &call)
    {
        m_json.key("compactions").beginArray();
        for (const ReplayedCompaction &compaction : call.compactions) {
            m_json.beginObject()
                .key("tool_call_id")
                .text(compaction.result.toolCallId)
                .key("answer")
                .text(compaction.result.text);
            m_json.key("recorded_answer").text(compaction.recordedText).key("event");
            writeEvent(m_json, m_pool, compaction.result.event.get());
            m_json.endObject();
        }
        m_json.endArray();
    }

    void writeVerification()
    {
        const ReplayVerification &verification = m_replay.verification;
        m_json.key("verify")
            .beginObject()
            .key("calls")
            .number(verification.calls)
            .key("agree")
            .number(verification.agree);
        m_json.key("events")
            .number(verification.events)
            .key("events_agree")
            .number(verification.eventsAgree)
            .key("first_difference");
        if (verification.firstDifference) {
            const auto &difference = *verification.firstDifference;
            const Call &call = m_replay.input->call(static_cast<std::size_t>(difference.call));
            m_json.beginObject().key("call").number(call.number.value).key("task_id").text(call.taskId);
            m_json.key("what").text(difference.what).key("why").text(difference.why).endObject();
        } else {
            m_json.null();
        }
        m_json.endObject().newline();
    }

    JsonOutput &m_json;
    const Replay &m_replay;
    bool m_decisions;
    MessagePool m_pool;
};

} // namespace

void ReplayCommand::declare(CLI::App &app)
{
    m_source.declare(app);
    m_source.declareFiles(app);
    app.add_option("--settings", m_settings, "Settings file")->required();
    app.add_option("--summaries", m_summaries, "Where summaries come from: recorded, extractive, fixed or model");
    app.add_flag("--verify", m_verify, "Exit status 1 when the replay differs from the recording");
    app.add_flag("--decisions", m_decisions, "Also what was decided about each tool result and human message");
    app.add_flag("--json", m_json, "The only form there is");
}

Result<int> ReplayCommand::run(Console &console)
{
    const auto source = summarySourceNamed(m_summaries, true);
    if (!source)
        return tl::unexpected(source.error());
    auto settings = readSettingsFile(m_settings);
    if (!settings)
        return tl::unexpected(settings.error());
    const auto opened = openThread(m_source, console);
    if (!opened)
        return tl::unexpected(opened.error());
    if (!opened->space->hasWrites)
        console.message("no calls can be told: the saver that wrote this file kept no writes");
    if (m_verify) {
        // A verify run keeps what the answers reported.
        for (auto &[ns, segments] : settings->namespaces) {
            for (SettingsSet::Segment &segment : segments)
                segment.settings.usage = Settings::Usage::Keep;
        }
    }
    Replayer replayer(ReplayInput::make(
        opened->thread, opened->space->name, threadArtifacts(opened->thread, opened->space->name, opened->folders)));
    ReplayOptions options;
    options.summaries = *source;
    std::optional<ChatModel> model;
    if (*source == SummarySource::Model) {
        const auto endpoint = chatEndpointFromValue(settingsFor(*settings, opened->space->name, 1).summarizer);
        if (!endpoint)
            return failure(endpoint.error().code, m_settings + ": " + endpoint.error().where, endpoint.error().what);
        ChatSession session;
        session.stop = console.job().stop;
        model.emplace(*endpoint, std::move(session));
        options.model = &*model;
        console.message("summaries are asked of " + endpointHost(*endpoint));
    }
    options.everyDecision = m_decisions;
    const auto replay = replayer.run(*settings, options, console.job());
    if (!replay)
        return tl::unexpected(replay.error());
    for (const std::string &notice : replay->notices)
        console.message(notice);
    JsonOutput json(console.out());
    Writer(json, *replay, m_decisions).write();
    json.flush();
    return m_verify && replay->claimsFidelity && !replay->verification.faithful() ? exitstatus::no : exitstatus::done;
}

} // namespace palimpsest
