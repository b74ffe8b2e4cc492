// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/compare/cost.h"

#include "core/compaction/stages/summarymessage.h"
#include "core/sources/uuidtime.h"
#include "core/tokens/approximate.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace palimpsest {
namespace {

constexpr double million = 1e6;

struct NamedRule {
    std::string_view provider;
    CacheRule rule;
};
/// OpenAI, prompt caching guide: from 1,024 tokens, in steps of 128, for 5 to 10 minutes. Anthropic, prompt caching:
/// 1,024 tokens for most models, 5 minutes. Google, context caching: 1,024 tokens for the flash models. DeepSeek,
/// context caching: units of 64 tokens, hours.
constexpr std::array<NamedRule, 6> cacheRules{{
    {"openai", {1024, 128, 600}},
    {"anthropic", {1024, 1, 300}},
    {"google_genai", {1024, 1, 3600}},
    {"google_vertexai", {1024, 1, 3600}},
    {"deepseek", {64, 64, 7200}},
    {"bedrock", {1024, 1, 300}},
}};

struct NamedPrice {
    std::string_view name;
    std::optional<double> Prices::*price;
};
constexpr std::array<NamedPrice, 6> priceNames{{
    {"input", &Prices::input},
    {"cached_input", &Prices::cachedInput},
    {"cache_write", &Prices::cacheWrite},
    {"output", &Prices::output},
    {"summary_input", &Prices::summaryInput},
    {"summary_output", &Prices::summaryOutput},
}};

double secondsOf(const ReplayInput &input, const Call &call)
{
    if (!call.checkpoint.isValid())
        return 0;
    const auto parts = partsOfId(input.space().checkpoints[call.checkpoint.at()].id);
    return parts ? static_cast<double>(parts->ticks) / 1e7 : 0;
}

std::int64_t counted(const std::string &text, double charsPerToken)
{
    return text.empty() ? 0 : static_cast<std::int64_t>(std::ceil(static_cast<double>(text.size()) / charsPerToken));
}

/// First place in [from, to) where two forms of the log differ; `to` when nowhere.
std::int64_t firstDifference(const RequestView &a, const RequestView &b, std::int64_t from, std::int64_t to)
{
    for (std::int64_t place = from; place < to; ++place) {
        if (a.at(place - a.first + (a.summary ? 1 : 0)) != b.at(place - b.first + (b.summary ? 1 : 0)))
            return place;
    }
    return to;
}

} // namespace

Result<Prices> pricesFromValue(const Value &value)
{
    Prices prices;
    if (value.isNil())
        return prices;
    if (!value.isMap())
        return failure(Error::Code::Invalid, "prices", "must be an object of dollars a million tokens");
    for (const auto &[key, number] : value.asMap()) {
        const auto known = std::find_if(priceNames.begin(), priceNames.end(),
            [&key = key](const NamedPrice &one) { return one.name == key.asText(); });
        if (known == priceNames.end())
            return failure(Error::Code::Invalid, "prices." + key.asText(),
                "is no price; there are input, cached_input, cache_write, output, summary_input and summary_output");
        if (number.isNil())
            continue;
        if (!(number.isInt() || number.isFloat()) || !(number.asDouble() >= 0))
            return failure(Error::Code::Invalid, "prices." + key.asText(), "must be a number from 0");
        prices.*(known->price) = number.asDouble();
    }
    return prices;
}

Value pricesToValue(const Prices &prices)
{
    Value::Map map;
    for (const NamedPrice &one : priceNames) {
        if (prices.*(one.price))
            map.emplace_back(Value(one.name), Value(*(prices.*(one.price))));
    }
    return Value(std::move(map));
}

CacheRule cacheRule(std::string_view provider)
{
    const auto known = std::find_if(
        cacheRules.begin(), cacheRules.end(), [&](const NamedRule &one) { return one.provider == provider; });
    return known == cacheRules.end() ? CacheRule() : known->rule;
}

CostMeter::CostMeter(const ReplayInput &input, const SettingsSet &settings, Prices prices)
    : m_input(input)
    , m_settings(settings)
    , m_prices(std::move(prices))
{
    if (!m_prices.empty())
        m_cost.dollars = 0;
}

std::int64_t CostMeter::commonPrefix(const RequestView &before, const RequestView &now, std::string &breakBy) const
{
    if (before.log != now.log) {
        // Another branch of the conversation: message by message.
        std::int64_t tokens = 0;
        for (std::int64_t i = 0; i < std::min(before.size(), now.size()); ++i) {
            if (before.at(i) != now.at(i)) {
                breakBy = "branch";
                break;
            }
            tokens = now.tokensFrom(0) - now.tokensFrom(i + 1);
        }
        return tokens;
    }
    if (before.summary != now.summary || before.first != now.first) {
        breakBy = "event";
        return 0;
    }
    // Only stretches where a form may differ need to be looked at.
    const std::int64_t end = std::min(before.end, now.end);
    std::int64_t same = end;
    const auto look = [&](std::int64_t a, std::int64_t b, const char *why) {
        if (a == b)
            return;
        const std::int64_t from = std::clamp(std::min(a, b), now.first, same);
        const std::int64_t to = std::clamp(std::max(a, b), now.first, same);
        if (const std::int64_t place = firstDifference(before, now, from, to); place < to) {
            same = place;
            breakBy = why;
        }
    };
    look(before.truncatedUntil, now.truncatedUntil, "truncation");
    look(before.reasoningFrom, now.reasoningFrom, "event");
    if (before.replacements != now.replacements) {
        if (const std::int64_t place = firstDifference(before, now, now.first, same); place < same) {
            same = place;
            breakBy = "clip";
        }
    }
    const std::int64_t index = same - now.first + (now.summary ? 1 : 0);
    return now.tokensFrom(0) - (index < now.size() ? now.tokensFrom(index) : 0);
}

void CostMeter::addCached(CallCost &line, const RequestView &request, const RequestBase &base, double time)
{
    if (!m_last.any)
        return;
    const Settings &settings = settingsFor(m_settings, m_input.space().name, line.call + 1);
    const CacheRule rule = cacheRule(settings.model.provider);
    const std::int64_t beside = base.toolTokens + base.systemTokens;
    std::int64_t prefix = beside + commonPrefix(m_last.view, request, line.breakBy);
    if (time - m_last.time > rule.lifetimeSeconds) {
        prefix = 0;
        line.breakBy = "time";
    }
    line.cached = prefix < rule.minimumTokens ? 0 : prefix / rule.step * rule.step;
    if (!line.breakBy.empty())
        line.lost = std::max<std::int64_t>(0, std::min(m_last.tokens, line.input) - prefix);
}

void CostMeter::add(const ReplayedCall &call)
{
    const Call &recorded = m_input.call(static_cast<std::size_t>(call.index));
    CallCost line;
    line.call = call.index;
    line.summaryInput = call.result.details().promptTokens;
    const Settings &settings = settingsFor(m_settings, m_input.space().name, call.index + 1);
    const double chars = counterRule(settings.model, settings.charsPerToken).charsPerToken;
    if (const EventPtr &made = call.result.details().triedEvent; made && made->summaryMessage)
        line.summaryOutput = counted(summaryTextOf(*made->summaryMessage), chars);
    for (const ReplayedCompaction &compaction : call.compactions)
        line.summaryOutput += counted(compaction.result.summaryText, chars);
    if (const PipelineAttempt *accepted = call.accepted()) {
        const double time = secondsOf(m_input, recorded);
        line.input = accepted->tokens;
        addCached(line, accepted->request, call.base, time);
        if (const Value *output = recorded.usage.find("output_tokens"); output && output->isInt()) {
            line.output = output->asInt();
        } else {
            for (const MessagePtr &answer : recorded.answers)
                line.output += messageTokens(*answer, chars).value_or(0);
        }
        m_last = {accepted->request, accepted->tokens, time, true};
    }
    if (const Value *read = recorded.usage["input_token_details"].find("cache_read"); read && read->isInt()) {
        line.recordedCacheRead = read->asInt();
        ++m_cost.checkedCalls;
        m_cost.checkedModel += line.cached;
        m_cost.checkedRecorded += read->asInt();
    }
    if (m_cost.dollars) {
        const double input = m_prices.input.value_or(0);
        const double cached = m_prices.cachedInput.value_or(input);
        const double written = m_prices.cacheWrite.value_or(input);
        const double output = m_prices.output.value_or(0);
        line.dollars = (static_cast<double>(line.input - line.cached) * written
                           + static_cast<double>(line.cached) * cached + static_cast<double>(line.output) * output
                           + static_cast<double>(line.summaryInput) * m_prices.summaryInput.value_or(input)
                           + static_cast<double>(line.summaryOutput) * m_prices.summaryOutput.value_or(output))
            / million;
        line.breakDollars = static_cast<double>(line.lost) * (written - cached) / million;
        *m_cost.dollars += line.dollars;
    }
    m_cost.input += line.input;
    m_cost.cached += line.cached;
    m_cost.output += line.output;
    m_cost.summaryInput += line.summaryInput;
    m_cost.summaryOutput += line.summaryOutput;
    m_cost.calls.push_back(std::move(line));
}

RunCost costOf(const Replay &replay, const SettingsSet &settings, const Prices &prices)
{
    CostMeter meter(*replay.input, settings, prices);
    for (const ReplayedCall &call : replay.calls)
        meter.add(call);
    return meter.take();
}

} // namespace palimpsest
