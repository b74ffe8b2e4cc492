// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/explain/explain.h"

#include "core/insight/explain/wordings.h"
#include "core/insight/lint/lint.h"
#include "core/insight/lint/rule.h"
#include "core/thread/requests.h"

#include <algorithm>

namespace palimpsest {
namespace {

/// A finding with the stretch of checkpoints over which it holds.
struct Candidate {
    const Finding *finding = nullptr;
    const ThreadNamespace *ns = nullptr;
    CheckpointIndex first;
    CheckpointIndex last;
    int score = 0;
};

CheckpointIndex placeOf(const ThreadNamespace &ns, const std::string &id)
{
    for (std::size_t i = 0; i < ns.checkpoints.size(); ++i)
        if (ns.checkpoints[i].id == id)
            return CheckpointIndex(i);
    return {};
}

/// The provider's index as places of the request that it may mean: with or without a system message before it, and with
/// runs of user messages and results merged into one turn, as langchain_anthropic sends them.
std::vector<std::int64_t> placesMeant(const MessageLog &request, std::int64_t index)
{
    std::vector<std::int64_t> places{index, index - 1};
    std::int64_t turn = -1;
    bool user = false;
    for (std::size_t i = 0; i < request.size(); ++i) {
        const bool isUser = request[i]->kind == MessageKind::Human || request[i]->kind == MessageKind::Tool;
        if (!isUser || !user || turn < 0)
            ++turn;
        user = isUser;
        if (turn == index)
            places.push_back(static_cast<std::int64_t>(i));
    }
    return places;
}

/// The call whose request holds the finding: one that failed, else the first.
const Call *callOf(const Candidate &candidate, std::string_view error)
{
    const Call *found = nullptr;
    for (const Call &call : candidate.ns->calls) {
        if (!call.checkpoint.isValid())
            continue;
        const bool own = call.eventFrom == Call::EventFrom::ThisCall;
        // A call that compacted sent what the next checkpoint holds.
        const auto &children = candidate.ns->checkpoints[call.checkpoint.at()].children;
        const CheckpointIndex at = own && !children.empty() ? children.front() : call.checkpoint;
        if (at < candidate.first || at > candidate.last)
            continue;
        if (call.outcome == Call::Outcome::Error && (error.empty() || call.error == error))
            return &call;
        found = found ? found : &call;
    }
    return found;
}

/// A run that began without an input after the state was changed by hand: `before_agent` hooks did not run.
bool resumedWithNone(const ThreadNamespace &ns, CheckpointIndex update, const Call *call)
{
    CheckpointIndex at = call ? call->checkpoint : CheckpointIndex(ns.checkpoints.size() - 1);
    while (at.isValid() && at != update) {
        if (ns.checkpoints[at.at()].source == "input")
            return false;
        at = ns.checkpoints[at.at()].parent;
    }
    return at == update && call;
}

std::string eventWords(const ThreadNamespace &ns, CheckpointIndex at)
{
    const Checkpoint &checkpoint = ns.checkpoints[at.at()];
    std::string by;
    for (const Call &call : ns.calls)
        if (call.eventFrom == Call::EventFrom::ThisCall && call.checkpoint == checkpoint.parent)
            by = " of call " + std::to_string(call.number.value);
    return "the summarization" + by + ", whose cutoff " + std::to_string(checkpoint.event->cutoffIndex)
        + " (checkpoint " + checkpoint.id + ") put the rest out of context";
}

/// Where the message behind the broken one came from: it is what breaks a pair of call and result.
CheckpointIndex breaksAt(const Candidate &candidate)
{
    return candidate.first;
}

std::string madeBy(const Candidate &candidate, const Call *call)
{
    const ThreadNamespace &ns = *candidate.ns;
    const CheckpointIndex at = breaksAt(candidate);
    const Checkpoint &checkpoint = ns.checkpoints[at.at()];
    const EventPtr before = checkpoint.parent.isValid() ? ns.checkpoints[checkpoint.parent.at()].event : nullptr;
    const bool newEvent = checkpoint.event && !(before && *before == *checkpoint.event);
    if (newEvent && candidate.finding->rule != "unanswered-tool-call")
        return eventWords(ns, at);
    if (candidate.finding->rule == "orphan-tool-result" && checkpoint.event
        && !candidate.finding->evidence["call_raw_index"].isNil())
        for (std::size_t i = at.at() + 1; i-- > 0;)
            if (ns.checkpoints[i].event && *ns.checkpoints[i].event == *checkpoint.event
                && (!ns.checkpoints[i].parent.isValid() || !ns.checkpoints[ns.checkpoints[i].parent.at()].event
                    || !(*ns.checkpoints[ns.checkpoints[i].parent.at()].event == *checkpoint.event)))
                return eventWords(ns, CheckpointIndex(i));
    const std::string where = " at checkpoint " + checkpoint.id + " (step " + std::to_string(checkpoint.step) + ")";
    if (checkpoint.source == "update" || checkpoint.source == "fork") {
        std::string words = "update_state" + where + ", which changed the log from outside of the graph";
        if (resumedWithNone(ns, at, call))
            words += "; the run was then resumed with None, and such a run never passes PatchToolCallsMiddleware "
                     "(before_agent), which would have added the missing results";
        return words;
    }
    if (checkpoint.source == "input")
        return "the input of a run" + where;
    if (call && call->checkpoint == at)
        return "what the graph had written before call " + std::to_string(call->number.value) + where;
    return "the graph's own step" + where;
}

std::string fixFor(const Candidate &candidate, const std::string &madeByWords)
{
    std::string fix;
    if (candidate.finding->rule == "unanswered-tool-call" && madeByWords.find("resumed with None") != std::string::npos)
        fix =
            "Resume with a message instead of None (then the patcher adds a result), or write a ToolMessage for call \""
            + candidate.finding->evidence["tool_call_id"].asText() + "\" in the same update_state. ";
    const RuleInfo *info = ruleInfo(candidate.finding->rule);
    return fix + (info ? std::string(info->advice) : std::string());
}

Explanation overflow(const Thread &thread, const ErrorReading &reading, std::string_view error)
{
    Explanation explanation;
    explanation.cause = reading.cause;
    explanation.rule = reading.rule;
    explanation.provider = reading.provider;
    for (const ThreadNamespace &ns : thread.namespaces) {
        for (const Call &call : ns.calls) {
            if (call.outcome != Call::Outcome::Error || (explanation.call && call.error != error))
                continue;
            explanation.call = call.number.value;
            explanation.checkpointNs = ns.name;
            explanation.checkpointId = ns.checkpoints[call.checkpoint.at()].id;
            const MessageLog request = requestMessages(call);
            std::size_t largest = 0;
            for (std::size_t i = 0; i < request.size(); ++i)
                if (request[i]->content.footprint() + request[i]->toolCalls.footprint()
                    > request[largest]->content.footprint() + request[largest]->toolCalls.footprint())
                    largest = i;
            if (!request.empty()) {
                explanation.requestIndex = static_cast<std::int64_t>(largest);
                explanation.messageId = request[largest]->id;
            }
        }
    }
    explanation.madeBy = "the size of the request; the message named is its largest";
    explanation.fix = "Lower the trigger below the window less output, tools and system prompt; keep less; move large "
                      "results to files.";
    return explanation;
}

/// What can be said when no rule is broken: the message that an id or index of the text means.
void nameMessage(Explanation &explanation, const Thread &thread, const ErrorReading &reading, std::string_view error)
{
    for (const ThreadNamespace &ns : thread.namespaces) {
        for (auto call = ns.calls.rbegin(); call != ns.calls.rend(); ++call) {
            const bool failed = call->outcome == Call::Outcome::Error && (error.empty() || call->error == error);
            const MessageLog request = requestMessages(*call);
            for (std::size_t i = 0; i < request.size(); ++i) {
                const Message &message = *request[i];
                const auto named = [&](std::string_view id) {
                    return !id.empty() && std::find(reading.ids.begin(), reading.ids.end(), id) != reading.ids.end();
                };
                bool meant = message.toolCallId && named(*message.toolCallId);
                for (const ToolCallView &made : toolCalls(message))
                    meant = meant || named(made.id);
                if (!meant && !(failed && reading.ids.empty() && reading.index == static_cast<std::int64_t>(i)))
                    continue;
                explanation.call = call->number.value;
                explanation.checkpointNs = ns.name;
                explanation.checkpointId = ns.checkpoints[call->checkpoint.at()].id;
                explanation.requestIndex = static_cast<std::int64_t>(i);
                explanation.messageId = message.id;
                return;
            }
            if (failed && !explanation.call) {
                explanation.call = call->number.value;
                explanation.checkpointNs = ns.name;
                explanation.checkpointId = ns.checkpoints[call->checkpoint.at()].id;
            }
        }
    }
}

/// Rules that a provider's wording may stand for beside the one that it names.
bool alsoFits(std::string_view wanted, std::string_view rule)
{
    if (wanted == rule)
        return true;
    const auto pair = [&](std::string_view a, std::string_view b) {
        return (wanted == a && rule == b) || (wanted == b && rule == a);
    };
    return pair("orphan-tool-result", "misplaced-tool-result") || pair("unanswered-tool-call", "misplaced-tool-result")
        || (wanted == "user-turn-missing" && rule == "unanswered-tool-call")
        || (wanted == "unanswered-tool-call" && rule == "orphan-tool-result");
}

} // namespace

Result<Explanation> explainError(const Thread &thread, std::string_view error, const JobContext &job)
{
    const ErrorReading reading = readErrorText(error);
    if (reading.rule == "context-overflow")
        return overflow(thread, reading, error);
    LintOptions options;
    options.infer = false;
    const Result<std::vector<Finding>> findings = lint(thread, options, job);
    if (!findings)
        return tl::unexpected(findings.error());
    std::vector<Candidate> candidates;
    for (const Finding &finding : *findings) {
        const ThreadNamespace *ns = thread.find(finding.checkpointNs);
        const Value &id = finding.evidence["tool_call_id"];
        const bool named = id.isText() && !id.asText().empty()
            && std::any_of(reading.ids.begin(), reading.ids.end(),
                [&](const std::string &known) { return known == id.asText() || id.asText().starts_with(known); });
        const bool item = std::any_of(reading.ids.begin(), reading.ids.end(),
            [&](const std::string &known) { return finding.evidence["item"] == Value(known); });
        const bool fits = reading.rule.empty() ? named : alsoFits(reading.rule, finding.rule);
        if (!ns || !fits || !finding.evidence.contains("effective_index"))
            if (!(ns && fits && (finding.rule == "empty-request" || finding.rule == "user-turn-missing")))
                continue;
        Candidate candidate{&finding, ns, placeOf(*ns, finding.checkpointId), {}, 0};
        if (!candidate.first.isValid())
            continue;
        const Value &last = finding.evidence["last_checkpoint_id"];
        candidate.last = last.isText() ? placeOf(*ns, last.asText()) : candidate.first;
        candidate.score = (finding.rule == reading.rule ? 4 : 0) + (named || item ? 16 : 0)
            + (!reading.ids.empty() && !named && !item ? -8 : 0)
            + (finding.severity == Finding::Severity::Error ? 1 : 0);
        const Call *call = callOf(candidate, error);
        if (call) {
            candidate.score += 2 + (call->outcome == Call::Outcome::Error ? 8 : 0);
            if (reading.index) {
                const std::vector<std::int64_t> places = placesMeant(requestMessages(*call), *reading.index);
                if (std::find(places.begin(), places.end(), finding.evidence["effective_index"].asInt(-2))
                    != places.end())
                    candidate.score += 6;
            }
        }
        candidates.push_back(candidate);
    }
    Explanation explanation;
    explanation.cause = reading.cause;
    explanation.rule = reading.rule;
    explanation.provider = reading.provider;
    // The newest of equals.
    const auto best =
        std::max_element(candidates.begin(), candidates.end(), [](const Candidate &a, const Candidate &b) {
            return a.score < b.score || (a.score == b.score && a.first < b.first);
        });
    if (best == candidates.end()) {
        nameMessage(explanation, thread, reading, error);
        if (reading.rule.empty())
            explanation.cause = "The text is of no form that is known; it names no rule.";
        else
            explanation.cause +=
                " No recorded request of this thread breaks that rule: middleware or the client changed "
                "the request after the checkpoint.";
        if (const RuleInfo *info = ruleInfo(reading.rule))
            explanation.fix = info->advice;
        explanation.madeBy = "unknown: the recording shows no step that made it";
        return explanation;
    }
    const Call *call = callOf(*best, error);
    const Finding &finding = *best->finding;
    explanation.rule = finding.rule;
    explanation.cause = (reading.cause.empty() ? std::string() : reading.cause + " ") + finding.message;
    explanation.checkpointNs = finding.checkpointNs;
    explanation.checkpointId = finding.checkpointId;
    if (call)
        explanation.call = call->number.value;
    if (finding.evidence["effective_index"].isInt())
        explanation.requestIndex = finding.evidence["effective_index"].asInt();
    else if (finding.rule == "user-turn-missing")
        explanation.requestIndex = 0;
    explanation.messageId = finding.messageId;
    explanation.toolCallId = finding.evidence["tool_call_id"].asText();
    explanation.madeBy = madeBy(*best, call);
    explanation.fix = fixFor(*best, explanation.madeBy);
    return explanation;
}

std::optional<RecordedError> recordedError(const Thread &thread)
{
    std::optional<RecordedError> newest;
    for (const ThreadNamespace &ns : thread.namespaces) {
        const auto take = [&](const std::string &text, CheckpointIndex at, const std::string &task,
                              std::optional<std::int64_t> call) {
            const std::string &id = ns.checkpoints[at.at()].id;
            if (!text.empty() && (!newest || id > newest->checkpointId || (id == newest->checkpointId && call)))
                newest = RecordedError{text, ns.name, id, task, call};
        };
        for (std::size_t i = 0; i < ns.checkpoints.size(); ++i)
            for (const Waiting &waiting : ns.checkpoints[i].waiting)
                if (waiting.kind == Waiting::Kind::Error)
                    take(errorText(waiting.value), CheckpointIndex(i), waiting.taskId, std::nullopt);
        for (const Call &call : ns.calls)
            if (call.outcome == Call::Outcome::Error && call.checkpoint.isValid())
                take(call.error, call.checkpoint, call.taskId, call.number.value);
    }
    return newest;
}

} // namespace palimpsest
