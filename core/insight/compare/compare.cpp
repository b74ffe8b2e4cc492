// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/compare/compare.h"

#include <algorithm>
#include <unordered_map>

namespace palimpsest {
namespace {

constexpr std::size_t mostCellsAligned = 4000000; ///< of a table of two lists; longer ones are lined up greedily

/// What makes two messages the same one in two requests.
std::string identity(const Message &message)
{
    if (isSummary(message))
        return "summary";
    if (message.id && !message.id->empty())
        return "id " + *message.id;
    return message.type + ' ' + message.toolCallId.value_or("") + ' ' + textOf(message);
}

/// Pairs of places of equal keys, in order: the longest common course of two lists.
std::vector<std::pair<std::int64_t, std::int64_t>> commonCourse(
    const std::vector<std::string> &a, const std::vector<std::string> &b)
{
    std::vector<std::pair<std::int64_t, std::int64_t>> pairs;
    std::size_t begin = 0;
    while (begin < a.size() && begin < b.size() && a[begin] == b[begin]) {
        pairs.emplace_back(begin, begin);
        ++begin;
    }
    std::size_t endA = a.size();
    std::size_t endB = b.size();
    while (endA > begin && endB > begin && a[endA - 1] == b[endB - 1]) {
        --endA;
        --endB;
    }
    const std::size_t rows = endA - begin;
    const std::size_t columns = endB - begin;
    if (rows > 0 && columns > 0 && rows * columns <= mostCellsAligned) {
        std::vector<std::uint32_t> table((rows + 1) * (columns + 1), 0);
        const auto cell = [&](std::size_t r, std::size_t c) -> std::uint32_t & { return table[r * (columns + 1) + c]; };
        for (std::size_t r = rows; r-- > 0;) {
            for (std::size_t c = columns; c-- > 0;)
                cell(r, c) =
                    a[begin + r] == b[begin + c] ? cell(r + 1, c + 1) + 1 : std::max(cell(r + 1, c), cell(r, c + 1));
        }
        for (std::size_t r = 0, c = 0; r < rows && c < columns;) {
            if (a[begin + r] == b[begin + c]) {
                pairs.emplace_back(begin + r, begin + c);
                ++r;
                ++c;
            } else if (cell(r + 1, c) >= cell(r, c + 1)) {
                ++r;
            } else {
                ++c;
            }
        }
    } else {
        std::unordered_map<std::string, std::vector<std::size_t>> places;
        for (std::size_t c = begin; c < endB; ++c)
            places[b[c]].push_back(c);
        std::size_t next = begin;
        for (std::size_t r = begin; r < endA; ++r) {
            const auto known = places.find(a[r]);
            if (known == places.end())
                continue;
            const auto found = std::lower_bound(known->second.begin(), known->second.end(), next);
            if (found == known->second.end())
                continue;
            pairs.emplace_back(r, *found);
            next = *found + 1;
        }
    }
    for (std::size_t i = 0; endA + i < a.size(); ++i)
        pairs.emplace_back(endA + i, endB + i);
    return pairs;
}

bool sameBody(const MessagePtr &a, const MessagePtr &b)
{
    if (a == b)
        return true;
    if (isSummary(*a) && isSummary(*b))
        return a->content == b->content;
    return *a == *b;
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

    /// The rule of the dialects that makes this difference, when one can be told from it.
    [[nodiscard]] std::string ruleBehind(const ReplayedCall &a, const ReplayedCall &b, bool reasoning, bool tool) const
    {
        const auto by = [&](const char *words) { return std::string(" Rule: ") + words + "."; };
        const auto budget = [](const ReplayedCall &call) {
            return call.result.details().clause.find("input budget") != std::string::npos;
        };
        if (m_dialectA.checksInputBudget != m_dialectB.checksInputBudget && budget(a) != budget(b))
            return by("the whole request is held against 95 % of the window");
        if (m_dialectA.retriesSmaller != m_dialectB.retriesSmaller
            && (a.result.attempts().size() > 1 || b.result.attempts().size() > 1))
            return by("one strictly smaller retry after a refusal, with a clipped tail");
        if (m_dialectA.dropsBoundReasoning != m_dialectB.dropsBoundReasoning && reasoning)
            return by("messages kept from before a summary lose the reasoning bound to it");
        if (m_dialectA.previewNotesLosses != m_dialectB.previewNotesLosses && tool)
            return by("the wording of stubs of moved results");
        if (m_dialectA.rewritesState != m_dialectB.rewritesState)
            return by("LangChain's middleware counts messages only and rewrites the state");
        return {};
    }

    const Replay &m_a;
    const Replay &m_b;
    RunComparison &m_out;
    Dialect m_dialectA;
    Dialect m_dialectB;
    bool m_dialects = false;
    std::int32_t m_first = -1; ///< first differing call of A
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
    std::vector<std::string> textsA;
    std::vector<std::string> textsB;
    for (std::size_t i = 0; i < a.calls.size(); ++i)
        textsA.push_back(answerText(a, i));
    for (std::size_t i = 0; i < b.calls.size(); ++i)
        textsB.push_back(answerText(b, i));
    std::int32_t nextA = 0;
    std::int32_t nextB = 0;
    const auto until = [&](std::int32_t endA, std::int32_t endB) {
        while (nextA < endA)
            pairs.emplace_back(nextA++, -1);
        while (nextB < endB)
            pairs.emplace_back(-1, nextB++);
    };
    for (const auto &[first, second] : commonCourse(textsA, textsB)) {
        until(static_cast<std::int32_t>(first), static_cast<std::int32_t>(second));
        pairs.emplace_back(nextA++, nextB++);
    }
    until(sizeA, sizeB);
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
    const auto keys = [](const std::vector<MessagePtr> &messages) {
        std::vector<std::string> list;
        list.reserve(messages.size());
        for (const MessagePtr &message : messages)
            list.push_back(identity(*message));
        return list;
    };
    std::vector<RequestLine> lines;
    std::int64_t nextA = 0;
    std::int64_t nextB = 0;
    const auto until = [&](std::int64_t endA, std::int64_t endB) {
        while (nextA < endA)
            lines.push_back({RequestLine::Kind::OnlyA, nextA++, -1});
        while (nextB < endB)
            lines.push_back({RequestLine::Kind::OnlyB, -1, nextB++});
    };
    for (const auto &[first, second] : commonCourse(keys(a), keys(b))) {
        until(first, second);
        const bool same = sameBody(a[static_cast<std::size_t>(first)], b[static_cast<std::size_t>(second)]);
        lines.push_back({same ? RequestLine::Kind::Same : RequestLine::Kind::Changed, nextA++, nextB++});
    }
    until(static_cast<std::int64_t>(a.size()), static_cast<std::int64_t>(b.size()));
    return lines;
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
