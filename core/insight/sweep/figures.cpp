// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/compare/cost.h"
#include "core/insight/sweep/sweep.h"

#include "core/compaction/contextsize.h"
#include "core/compaction/rules.h"
#include "core/values/json.h"

#include <algorithm>

namespace palimpsest {
namespace {

using Kind = ContextSize::Kind;

/// Whether the text is verbatim in the message, as the model reads it.
bool holds(const Message &message, const std::string &needle)
{
    const auto in = [&](const std::string &text) { return text.find(needle) != std::string::npos; };
    if (message.content.isText() && in(message.content.asText()))
        return true;
    for (const Value &block : message.content.asList()) {
        if (in(block.isText() ? block.asText() : block["text"].asText()))
            return true;
    }
    const auto calls = toolCalls(message);
    return std::any_of(calls.begin(), calls.end(), [&](const ToolCallView &call) { return in(toJson(*call.args)); });
}

RunFigures figuresFrom(const ReplayTotals &totals)
{
    RunFigures figures;
    figures.events = totals.events;
    figures.calls = totals.calls;
    figures.tokensSent = totals.tokensSent;
    figures.summaryTokens = totals.summaryTokens;
    figures.peakTokens = totals.peakTokens;
    figures.tokensKeptAtEnd = totals.tokensKeptAtEnd;
    figures.summaries = totals.summaries;
    return figures;
}

/// The prices of the first settings in force; none when they are no price table.
Prices pricesOf(const SettingsSet &settings, const ReplayInput &input)
{
    const auto prices = pricesFromValue(settingsFor(settings, input.space().name, 1).prices);
    return prices ? *prices : Prices();
}

} // namespace

std::int64_t RunFigures::needlesLost() const
{
    return std::count(needles.begin(), needles.end(), false);
}

NeedleSearch::NeedleSearch(std::vector<std::string> needles)
    : m_needles(std::move(needles))
{
}

const std::vector<bool> &NeedleSearch::inMessage(const MessagePtr &message)
{
    auto &found = m_known[message];
    if (found.empty()) {
        for (const std::string &needle : m_needles)
            found.push_back(holds(*message, needle));
    }
    return found;
}

std::vector<bool> NeedleSearch::find(const RequestView &request)
{
    std::vector<bool> found(m_needles.size(), false);
    if (m_needles.empty())
        return found;
    for (std::int64_t i = 0; i < request.size(); ++i) {
        const MessagePtr &message = request.at(i);
        if (i == 0 && request.summary) {
            // Made anew by every run: not worth remembering.
            for (std::size_t n = 0; n < found.size(); ++n)
                found[n] = holds(*message, m_needles[n]);
            continue;
        }
        const std::vector<bool> &here = inMessage(message);
        for (std::size_t n = 0; n < found.size(); ++n)
            found[n] = found[n] || here[n];
    }
    return found;
}

RunFigures figuresOf(const Replay &replay, const SettingsSet &settings, const std::vector<std::string> &needles)
{
    ReplayTotals totals;
    for (const ReplayedCall &call : replay.calls)
        totals.add(call);
    RunFigures figures = figuresFrom(totals);
    if (const Prices prices = pricesOf(settings, *replay.input); !prices.empty())
        figures.cost = costOf(replay, settings, prices).dollars;
    NeedleSearch search(needles);
    figures.needles = totals.lastRequest ? search.find(*totals.lastRequest) : std::vector<bool>(needles.size(), false);
    return figures;
}

Result<RunFigures> figuresOf(const Replayer &replayer, const SettingsSet &settings, SummarySource summaries,
    NeedleSearch &needles, const JobContext &job)
{
    const Prices prices = pricesOf(settings, *replayer.input());
    ReplayOptions options;
    options.summaries = summaries;
    options.texts = false;
    CostMeter meter(*replayer.input(), settings, prices);
    Replayer::CallSink sink;
    if (!prices.empty())
        sink = [&](const ReplayedCall &call) { meter.add(call); };
    const auto totals = replayer.totals(settings, options, sink, job);
    if (!totals)
        return tl::unexpected(totals.error());
    RunFigures figures = figuresFrom(*totals);
    if (!prices.empty())
        figures.cost = meter.cost().dollars;
    figures.needles = totals->lastRequest ? needles.find(*totals->lastRequest) : needles.find(RequestView());
    return figures;
}

std::string unworkableReason(const Settings &settings)
{
    const auto choice = dialectFor(settings.dialect);
    if (!choice)
        return {};
    const CompactionRules rules = rulesFor(settings, choice->dialect);
    const RequestBase base = requestBase(settings, rules);
    const std::int64_t beside = base.toolTokens + base.systemTokens;
    const auto tokensOf = [&](const ContextSize &size) -> std::int64_t {
        if (size.kind == Kind::Tokens)
            return static_cast<std::int64_t>(size.value);
        return size.kind == Kind::Fraction && rules.maxInputTokens
            ? fractionThreshold(*rules.maxInputTokens, size.value)
            : 0;
    };
    const std::int64_t keptTokens = rules.keep.kind == Kind::Messages ? 0 : tokensOf(rules.keep);
    for (const TriggerClause &clause : rules.trigger) {
        std::string words;
        const bool reached = !clause.empty() && std::all_of(clause.begin(), clause.end(), [&](const ContextSize &size) {
            if (size.kind == Kind::Messages) {
                // What is kept, behind a summary.
                const double kept = rules.keep.kind == Kind::Messages ? rules.keep.value + 1 : 0;
                words +=
                    (words.empty() ? "" : " and ") + std::string("the summary and the messages kept reach the trigger");
                return kept >= size.value;
            }
            const std::int64_t threshold = tokensOf(size);
            words += (words.empty() ? "" : " and ") + std::string("tools, system message and what is kept (")
                + std::to_string(beside) + " + " + std::to_string(keptTokens) + " tokens) reach the trigger of "
                + std::to_string(threshold);
            return threshold > 0 && beside + keptTokens >= threshold;
        });
        if (reached)
            return "It would summarize at every call: " + words + ".";
    }
    return {};
}

} // namespace palimpsest
