// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/compaction/replay.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// What a run's tokens cost, and which of them a provider's prompt cache would have served.
namespace palimpsest {

/// Prices in dollars for a million tokens; a price that is not there leaves its part out.
struct Prices {
    std::optional<double> input;
    std::optional<double> cachedInput; ///< null: as input
    std::optional<double> cacheWrite; ///< null: as input
    std::optional<double> output;
    std::optional<double> summaryInput; ///< of the summarizer's model; null: as input
    std::optional<double> summaryOutput; ///< null: as output

    bool operator==(const Prices &) const = default;
    [[nodiscard]] bool empty() const { return !input && !output; }
};
/// `prices` of the settings file: {"input", "cached_input", "cache_write", "output", "summary_input",
/// "summary_output"}, dollars a million tokens. Error Invalid names what is no price.
Result<Prices> pricesFromValue(const Value &value);
Value pricesToValue(const Prices &prices);

/// How a provider caches prompts.
struct CacheRule {
    std::int64_t minimumTokens = 1024; ///< a shorter prefix is not cached
    std::int64_t step = 128; ///< cached in multiples of it
    double lifetimeSeconds = 300;
};
/// The rule of a provider ("openai", "anthropic", "google", …); the common one for others. Sources are in the table.
CacheRule cacheRule(std::string_view provider);

/// One accepted attempt's tokens.
struct CallCost {
    std::int32_t call = -1;
    std::int64_t input = 0; ///< with tools and system, cached ones included
    std::int64_t cached = 0; ///< common prefix with the request before, by the provider's rule
    std::int64_t output = 0; ///< reported, else counted
    std::int64_t summaryInput = 0;
    std::int64_t summaryOutput = 0;
    std::int64_t lost =
        0; ///< tokens of the request before that its own change (event, truncation) took out of the cache
    std::string breakBy; ///< what broke the prefix: "event", "truncation", "eviction", "time"; empty: nothing did
    std::optional<std::int64_t> recordedCacheRead; ///< `cache_read` of the recorded answer's usage
    double dollars = 0;
    double breakDollars = 0; ///< what the break cost
};

struct RunCost {
    std::vector<CallCost> calls;
    std::int64_t input = 0;
    std::int64_t cached = 0;
    std::int64_t output = 0;
    std::int64_t summaryInput = 0;
    std::int64_t summaryOutput = 0;
    std::optional<double> dollars; ///< null without prices
    /// The model of the cache against recorded `cache_read`: calls that report one, and the sums of both over them.
    std::int64_t checkedCalls = 0;
    std::int64_t checkedModel = 0;
    std::int64_t checkedRecorded = 0;
};

/// Adds up what a run costs, call by call in their order.
class CostMeter {
public:
    CostMeter(const ReplayInput &input, const SettingsSet &settings, Prices prices);
    void add(const ReplayedCall &call);
    [[nodiscard]] const RunCost &cost() const { return m_cost; }
    RunCost take() { return std::move(m_cost); }

private:
    /// What of a request the provider's cache compares. Its log outlives the run only.
    struct Sent {
        RequestView view;
        std::int64_t tokens = 0;
        double time = 0; ///< seconds
        bool any = false;
    };
    /// Tokens that two requests begin with in common, without tools and system; why they part.
    [[nodiscard]] std::int64_t commonPrefix(
        const RequestView &before, const RequestView &now, std::string &breakBy) const;
    void addCached(CallCost &line, const RequestView &request, const RequestBase &base, double time);

    const ReplayInput &m_input;
    const SettingsSet &m_settings;
    Prices m_prices;
    RunCost m_cost;
    Sent m_last;
};

/// What a replay costs.
RunCost costOf(const Replay &replay, const SettingsSet &settings, const Prices &prices);

} // namespace palimpsest
