// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/compare/compare.h"

#include "core/insight/diff/messagekeys.h"
#include "core/insight/diff/textdiff.h"

#include <algorithm>
#include <functional>
#include <unordered_map>

namespace palimpsest {
namespace {

bool sameBody(const MessagePtr &a, const MessagePtr &b)
{
    if (a == b)
        return true;
    if (isSummary(*a) && isSummary(*b))
        return a->content == b->content;
    return a->id == b->id ? *a == *b : sameButForIds(*a, *b);
}

/// Visits both sequences in order, place by place; -1: only the other one has it.
void walkRuns(const std::vector<DiffRun> &runs, const std::function<void(std::int64_t a, std::int64_t b)> &visit)
{
    for (const DiffRun &run : runs)
        for (std::size_t k = 0; k < run.length; ++k)
            visit(run.kind == DiffRun::Kind::Added ? -1 : static_cast<std::int64_t>(run.a + k),
                run.kind == DiffRun::Kind::Removed ? -1 : static_cast<std::int64_t>(run.b + k));
}

/// Equal without looking at any message.
bool sameView(const RequestView &a, const RequestView &b)
{
    const auto in = [](const RequestView &view, std::int64_t place) { return std::clamp(place, view.first, view.end); };
    const bool sameSummary = a.summary == b.summary || (a.summary && b.summary && sameBody(a.summary, b.summary));
    return a.log == b.log && sameSummary && a.first == b.first && a.end == b.end
        && in(a, a.truncatedUntil) == in(b, b.truncatedUntil) && in(a, a.reasoningFrom) == in(b, b.reasoningFrom)
        && a.replacements == b.replacements;
}

std::string decision(const ReplayedCall &call)
{
    if (!call.result.summarize)
        return "does not summarize (" + std::to_string(call.result.counted) + " tokens)";
    const PipelineDetails &details = call.result.details();
    return "summarizes because of " + details.clause
        + (details.stateCutoffIndex ? ", cutoff " + std::to_string(*details.stateCutoffIndex) : std::string());
}

bool holdsReasoning(const Message &message)
{
    const auto &blocks = message.content.asList();
    return std::any_of(blocks.begin(), blocks.end(), [](const Value &block) {
        return block["type"].asText() == "reasoning" || block["type"].asText() == "thinking";
    });
}

class Comparer {
public:
    Comparer(const Replay &a, const Replay &b, RunComparison &out)
        : m_a(a)
        , m_b(b)
        , m_out(out)
    {
        if (a.dialect != b.dialect && !a.dialect.empty() && !b.dialect.empty()) {
            const auto first = dialectFor(a.dialect);
            const auto second = dialectFor(b.dialect);
            if (first && second) {
                m_dialectA = first->dialect;
                m_dialectB = second->dialect;
                m_dialects = true;
            }
        }
    }

    void compare(std::int32_t callA, std::int32_t callB)
    {
        CallDifference line;
        line.callA = callA;
        line.callB = callB;
        if (callA < 0 || callB < 0) {
            line.differs = true;
            line.why = callA < 0 ? "Only the second run has this call." : "Only the first run has this call.";
        } else {
            pair(m_a.calls[static_cast<std::size_t>(callA)], m_b.calls[static_cast<std::size_t>(callB)], line);
        }
        m_out.differing += line.differs ? 1 : 0;
        if (line.differs && m_first < 0 && callA >= 0)
            m_first = callA;
        m_out.calls.push_back(std::move(line));
    }

private:
    void pair(const ReplayedCall &a, const ReplayedCall &b, CallDifference &line)
    {
        const PipelineAttempt *sentA = a.accepted();
        const PipelineAttempt *sentB = b.accepted();
        bool reasoning = false;
        bool tool = false;
        if (sentA && sentB && !sameView(sentA->request, sentB->request)) {
            const auto messagesA = sentA->request.messages();
            const auto messagesB = sentB->request.messages();
            for (const RequestLine &one : diffRequests(messagesA, messagesB)) {
                line.onlyA += one.kind == RequestLine::Kind::OnlyA ? 1 : 0;
                line.onlyB += one.kind == RequestLine::Kind::OnlyB ? 1 : 0;
                if (one.kind != RequestLine::Kind::Changed)
                    continue;
                ++line.changed;
                const Message &first = *messagesA[static_cast<std::size_t>(one.a)];
                const Message &second = *messagesB[static_cast<std::size_t>(one.b)];
                reasoning = reasoning || holdsReasoning(first) != holdsReasoning(second);
                tool = tool || (first.kind == MessageKind::Tool && second.kind == MessageKind::Tool);
            }
        }
        const bool outcome = !sentA != !sentB;
        const bool event = !a.event != !b.event || (a.event && b.event && a.event->cutoffIndex != b.event->cutoffIndex);
        line.differs = outcome || event || line.onlyA + line.onlyB + line.changed > 0;
        if (!line.differs)
            return;
        if (event || a.result.summarize != b.result.summarize)
            line.why = "The first run " + decision(a) + ", the second " + decision(b) + ".";
        else if (outcome)
            line.why = sentA ? "Only the first run's request was taken." : "Only the second run's request was taken.";
        else if (a.result.truncatedMessages != b.result.truncatedMessages)
            line.why = "The first run shortened the arguments of " + std::to_string(a.result.truncatedMessages)
                + " messages, the second of " + std::to_string(b.result.truncatedMessages) + ".";
        else if (m_first >= 0)
            line.why = "It follows from the difference at call "
                + std::to_string(m_a.input->call(static_cast<std::size_t>(m_first)).number.value) + ".";
        else
            line.why = std::to_string(line.changed) + " messages read differently.";
        if (m_dialects)
            line.why += ruleBehind(a, b, reasoning, tool);
    }

    /// The rule of the dialects that makes this difference: the one that it shows, or that of the call it follows from.
    [[nodiscard]] std::string ruleBehind(const ReplayedCall &a, const ReplayedCall &b, bool reasoning, bool tool)
    {
        std::string rule = ruleShown(a, b, reasoning, tool);
        if (rule.empty())
            rule = m_rule;
        if (rule.empty()) {
            for (const std::string &one : changedRules(m_dialectA, m_dialectB))
                rule += (rule.empty() ? "one of: " : " ") + one;
            return rule.empty() ? std::string() : " Rule: " + rule;
        }
        m_rule = rule;
        return " Rule: " + rule + ".";
    }

    [[nodiscard]] std::string ruleShown(const ReplayedCall &a, const ReplayedCall &b, bool reasoning, bool tool) const
    {
        const auto budget = [](const ReplayedCall &call) {
            return call.result.details().clause.find("input budget") != std::string::npos
                || std::ranges::any_of(call.result.attempts(), [](const PipelineAttempt &attempt) {
                       return attempt.outcome == PipelineAttempt::Outcome::OverBudget;
                   });
        };
        if (m_dialectA.rewritesState != m_dialectB.rewritesState)
            return "LangChain's middleware counts messages only and rewrites the state";
        if (m_dialectA.checksInputBudget != m_dialectB.checksInputBudget && budget(a) != budget(b))
            return "the whole request is held against 95 % of the window";
        if (m_dialectA.retriesSmaller != m_dialectB.retriesSmaller
            && (a.result.attempts().size() > 1 || b.result.attempts().size() > 1))
            return "one strictly smaller retry after a refusal, with a clipped tail";
        if (m_dialectA.dropsBoundReasoning != m_dialectB.dropsBoundReasoning && reasoning)
            return "messages kept from before a summary lose the reasoning bound to it";
        if (m_dialectA.previewNotesLosses != m_dialectB.previewNotesLosses && tool)
            return "the wording of stubs of moved results";
        return {};
    }

    const Replay &m_a;
    const Replay &m_b;
    RunComparison &m_out;
    Dialect m_dialectA;
    Dialect m_dialectB;
    bool m_dialects = false;
    std::int32_t m_first = -1; ///< first differing call of A
    std::string m_rule; ///< of the dialects, that made the differences so far
};

/// What the model answered at a call, as far as two threads can be lined up by it.
std::string answerText(const Replay &run, std::size_t call)
{
    std::string text;
    for (const MessagePtr &answer : run.input->call(call).answers) {
        text += textOf(*answer);
        for (const ToolCallView &tool : toolCalls(*answer))
            text += '\n' + std::string(tool.name);
    }
    return text;
}

std::vector<std::pair<std::int32_t, std::int32_t>> aligned(const Replay &a, const Replay &b, CallAlignment alignment)
{
    std::vector<std::pair<std::int32_t, std::int32_t>> pairs;
    const auto sizeA = static_cast<std::int32_t>(a.calls.size());
    const auto sizeB = static_cast<std::int32_t>(b.calls.size());
    if (alignment == CallAlignment::ByCall) {
        for (std::int32_t i = 0; i < std::max(sizeA, sizeB); ++i)
            pairs.emplace_back(i < sizeA ? i : -1, i < sizeB ? i : -1);
        return pairs;
    }
    std::unordered_map<std::string, std::uint32_t> known;
    const auto answers = [&known](const Replay &run) {
        std::vector<std::uint32_t> keys;
        for (std::size_t i = 0; i < run.calls.size(); ++i)
            keys.push_back(known.emplace(answerText(run, i), static_cast<std::uint32_t>(known.size())).first->second);
        return keys;
    };
    const std::vector<std::uint32_t> first = answers(a);
    walkRuns(diffSequences(first, answers(b)), [&](std::int64_t callA, std::int64_t callB) {
        pairs.emplace_back(static_cast<std::int32_t>(callA), static_cast<std::int32_t>(callB));
    });
    return pairs;
}

} // namespace

RunSummary summarizeRun(const Replay &replay, const SettingsSet &settings, std::string name)
{
    RunSummary summary;
    summary.name = std::move(name);
    const Settings &first = settingsFor(settings, replay.input->space().name, 1);
    const auto prices = pricesFromValue(first.prices);
    summary.figures = figuresOf(replay, settings);
    summary.cost = costOf(replay, settings, prices ? *prices : Prices());
    for (const auto &[path, file] : replay.files) {
        if (path.find("conversation_history/") != std::string::npos && path.ends_with(".md"))
            summary.archiveBytes += static_cast<std::int64_t>(file->content.size());
    }
    for (std::size_t i = replay.calls.size(); i-- > 0;) {
        const PipelineAttempt *accepted = replay.calls[i].accepted();
        if (!accepted)
            continue;
        const RequestView &request = accepted->request;
        const double chars = request.log->rule().charsPerToken;
        for (std::int64_t m = 0; m < request.size(); ++m) {
            const bool isFirst = m == 0 && request.summary;
            summary.keptByRole[isFirst ? std::string("summary") : request.at(m)->type] +=
                messageTokens(*request.at(m), chars).value_or(0);
        }
        summary.outOfContextAtEnd = replay.input->calls()[i].length - (request.end - request.first);
        break;
    }
    return summary;
}

std::vector<RequestLine> diffRequests(const std::vector<MessagePtr> &a, const std::vector<MessagePtr> &b)
{
    // Requests of one thread know their messages by id; another thread's ids say nothing.
    MessageKeys keys = messageKeys(a, b, UnsharedIds::Differ);
    if (keys.sharedIds.empty())
        keys = messageKeys(a, b, UnsharedIds::ByWords);
    std::vector<RequestLine> lines;
    walkRuns(diffSequences(keys.a, keys.b), [&](std::int64_t first, std::int64_t second) {
        RequestLine::Kind kind = first < 0 ? RequestLine::Kind::OnlyB : RequestLine::Kind::OnlyA;
        if (first >= 0 && second >= 0)
            kind = sameBody(a[static_cast<std::size_t>(first)], b[static_cast<std::size_t>(second)])
                ? RequestLine::Kind::Same
                : RequestLine::Kind::Changed;
        lines.push_back({kind, first, second});
    });
    return lines;
}

CallAlignment alignmentFor(const ReplayInput &a, const ReplayInput &b)
{
    const auto &callsA = a.space().calls;
    const auto &callsB = b.space().calls;
    const std::size_t count = std::min(callsA.size(), callsB.size());
    for (std::size_t i = 0; i < count; ++i)
        if (!callsA[i].answers.empty() && !callsB[i].answers.empty() && callsA[i].answers.front()->id
            && callsA[i].answers.front()->id == callsB[i].answers.front()->id)
            return CallAlignment::ByCall;
    return count > 0 && &a == &b ? CallAlignment::ByCall : CallAlignment::ByText;
}

RunComparison compareRuns(const Replay &a, const SettingsSet &settingsA, const Replay &b, const SettingsSet &settingsB,
    CallAlignment alignment, const JobContext &job)
{
    RunComparison comparison;
    comparison.a = summarizeRun(a, settingsA, "A");
    comparison.b = summarizeRun(b, settingsB, "B");
    Comparer comparer(a, b, comparison);
    for (const auto &[callA, callB] : aligned(a, b, alignment)) {
        if (job.stopped())
            break;
        comparer.compare(callA, callB);
    }
    return comparison;
}

std::vector<std::string> changedRules(const Dialect &a, const Dialect &b)
{
    struct Rule {
        bool Dialect::*member;
        const char *words;
    };
    static constexpr std::array<Rule, 12> rules{{
        {&Dialect::rewritesState, "the state itself is rewritten and nothing is archived"},
        {&Dialect::eventHasCreatedAtIndex, "an event tells the length of the log at its making"},
        {&Dialect::dropsBoundReasoning, "messages kept from before a summary lose the reasoning bound to it"},
        {&Dialect::checksInputBudget, "the whole request is held against 95 % of the window less the output tokens"},
        {&Dialect::recognisesOverflowByText, "status 400, 413 or 422 with a known wording counts as overflow"},
        {&Dialect::retriesSmaller, "one strictly smaller retry with a clipped tail follows a refusal"},
        {&Dialect::previewNotesLosses, "a stub tells what its preview leaves out"},
        {&Dialect::randomNameWithoutId, "a result without an id gets a random file name"},
        {&Dialect::stubNamesBackendPath, "a stub names the path that the backend reports"},
        {&Dialect::scrubsUnsupportedMedia, "blocks that the model does not take become text"},
        {&Dialect::offloadsBlobs, "binary content can be moved to files"},
        {&Dialect::patchedCallsAreErrors, "the made-up result of an unanswered call is an error"},
    }};
    std::vector<std::string> changed;
    for (const Rule &rule : rules) {
        if (a.*rule.member != b.*rule.member)
            changed.push_back(std::string("Only ") + (a.*rule.member ? a.name : b.name) + ": " + rule.words + ".");
    }
    if (a.patchWording != b.patchWording)
        changed.emplace_back("The words that an unanswered tool call is told differ.");
    if (a.visibleToolCallIdLimit != b.visibleToolCallIdLimit || a.toolCallPathLimit != b.toolCallPathLimit)
        changed.emplace_back("Long tool call ids are cut or hashed from another length on.");
    return changed;
}

} // namespace palimpsest
