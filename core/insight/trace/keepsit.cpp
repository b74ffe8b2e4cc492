// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/trace/keepsit.h"

#include "core/artifacts/links.h"
#include "core/base/text.h"
#include "core/compaction/contextsize.h"
#include "core/compaction/replay.h"
#include "core/compaction/stages/largemessage.h"
#include "core/insight/trace/messageparts.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace palimpsest {
namespace {

constexpr int replayLimit = 192; ///< replays over all settings

/// One setting that can be turned up, step by step, until nothing is taken away any more.
struct Axis {
    std::string setting;
    Value from;
    std::int64_t low = 0; ///< the settings as they are
    std::int64_t high = 0; ///< as far as it goes
    std::function<Value(std::int64_t)> value;
    std::function<void(Settings &, std::int64_t)> apply;
};

class Search {
public:
    Search(const ReplayInputPtr &input, const SettingsSet &settings, const Trace &trace, const TraceQuery &query,
        const JobContext &job)
        : m_replayer(input)
        , m_input(input)
        , m_settings(settings)
        , m_trace(trace)
        , m_query(query)
        , m_job(job)
    {
        for (const ReplayInput::Track &track : input->tracks()) {
            std::vector<std::int64_t> &places = m_hits.emplace_back();
            for (std::size_t i = 0; i < track.messages.size(); ++i)
                if (holds(track.messages[i].message) || holds(track.messages[i].recorded))
                    places.push_back(static_cast<std::int64_t>(i));
        }
    }

    Result<std::vector<KeepsIt>> run()
    {
        std::vector<std::size_t> calls;
        for (std::size_t i = m_trace.lostAt->call; i < m_trace.calls.size(); ++i)
            if (!m_trace.calls[i].visible())
                calls.push_back(i);
        for (const Axis &axis : axes()) {
            m_found.assign(m_trace.calls.size(), Answer());
            std::vector<std::size_t> helped;
            const Result<std::vector<bool>> most = kept(axis, axis.high);
            if (!most)
                return tl::unexpected(most.error());
            for (const std::size_t call : calls)
                if ((*most)[call])
                    helped.push_back(call);
            if (const Result<void> done = bisect(axis, axis.low, axis.high, helped); !done)
                return tl::unexpected(done.error());
            collect(axis);
        }
        std::stable_sort(m_result.begin(), m_result.end(),
            [](const KeepsIt &a, const KeepsIt &b) { return a.fromCall < b.fromCall; });
        return std::move(m_result);
    }

private:
    struct Answer {
        std::int64_t value = -1;
        bool smallest = true;
    };

    /// The message carries the text, not only in a stub's preview.
    bool holds(const MessagePtr &message)
    {
        if (!message)
            return false;
        const auto [known, fresh] = m_holds.try_emplace(message.get(), false);
        if (!fresh)
            return known->second;
        m_kept.push_back(message);
        bool found = false;
        if (m_query.messageId)
            found = message->id == m_query.messageId && !stubLink(textOf(*message)) && wholeArguments(*message);
        else if (!stubLink(textOf(*message)))
            visitParts(*message, [&](const MessagePart &part) {
                found = m_query.needle.isIn(part.text);
                return !found;
            });
        known->second = found;
        return found;
    }

    /// None of a message's arguments was shortened: they are those of the conversation.
    [[nodiscard]] bool wholeArguments(const Message &message) const
    {
        if (message.toolCalls.asList().empty())
            return true;
        for (const ReplayInput::Track &track : m_input->tracks())
            for (const ReplayInput::Original &original : track.messages)
                if (original.message->id == message.id)
                    return original.message->toolCalls == message.toolCalls;
        return true;
    }

    /// Which calls have the text in the request that was accepted.
    Result<std::vector<bool>> kept(const Axis &axis, std::int64_t value)
    {
        SettingsSet changed = m_settings;
        for (auto &[ns, segments] : changed.namespaces)
            for (SettingsSet::Segment &segment : segments)
                axis.apply(segment.settings, value);
        ReplayOptions options;
        options.texts = false;
        ++m_replays;
        const Result<Replay> replay = m_replayer.run(changed, options, m_job);
        if (!replay)
            return tl::unexpected(replay.error());
        std::vector<bool> calls(m_trace.calls.size(), false);
        for (std::size_t i = m_trace.lostAt->call; i < calls.size() && i < replay->calls.size(); ++i)
            if (const PipelineAttempt *attempt = replay->calls[i].accepted())
                calls[i] = isVisible(attempt->request, m_hits[m_input->calls()[i].track]);
        return calls;
    }

    bool isVisible(const RequestView &view, const std::vector<std::int64_t> &places)
    {
        const auto begin = std::lower_bound(places.begin(), places.end(), view.first);
        for (auto at = begin; at != places.end() && *at < view.end; ++at)
            if (holds(view.at(*at - view.first + (view.summary ? 1 : 0))))
                return true;
        return false;
    }

    /// `calls` fail at `low` and succeed at `high`: finds where each begins to succeed.
    Result<void> bisect(const Axis &axis, std::int64_t low, std::int64_t high, const std::vector<std::size_t> &calls)
    {
        if (calls.empty())
            return {};
        if (high - low <= 1 || m_replays >= replayLimit) {
            for (const std::size_t call : calls)
                m_found[call] = {high, high - low <= 1};
            return {};
        }
        const std::int64_t middle = low + (high - low) / 2;
        const Result<std::vector<bool>> at = kept(axis, middle);
        if (!at)
            return tl::unexpected(at.error());
        std::vector<std::size_t> below;
        std::vector<std::size_t> above;
        for (const std::size_t call : calls)
            ((*at)[call] ? below : above).push_back(call);
        if (const Result<void> done = bisect(axis, low, middle, below); !done)
            return done;
        return bisect(axis, middle, high, above);
    }

    void collect(const Axis &axis)
    {
        for (std::size_t i = 0; i < m_found.size(); ++i) {
            if (m_found[i].value < 0)
                continue;
            std::size_t end = i;
            while (end + 1 < m_found.size() && m_found[end + 1].value == m_found[i].value)
                ++end;
            m_result.push_back({i, end, axis.setting, axis.from, axis.value(m_found[i].value), m_found[i].smallest});
            i = end;
        }
    }

    [[nodiscard]] std::vector<Axis> axes() const
    {
        const Settings &now =
            settingsFor(m_settings, m_input->space().name, static_cast<std::int64_t>(m_trace.lostAt->call) + 1);
        const Result<DialectChoice> choice = dialectFor(now.dialect);
        const CompactionRules rules = rulesFor(now, choice ? choice->dialect : knownDialects().front());
        std::int64_t longest = 0;
        for (const ReplayInput::CallInput &call : m_input->calls())
            longest = std::max(longest, call.length);
        std::vector<Axis> all;
        addKeep(all, rules, longest);
        addTrigger(all, rules, longest);
        if (rules.truncateArgs)
            addArguments(all, rules.truncateArgs->maxLength);
        addLimit(all, "tool_token_limit_before_evict", &Settings::toolTokenLimitBeforeEvict, now, MessageKind::Tool);
        addLimit(all, "human_message_token_limit_before_evict", &Settings::humanMessageTokenLimitBeforeEvict, now,
            MessageKind::Human);
        return all;
    }

    /// The length up to which arguments stay whole, raised until the longest one does.
    void addArguments(std::vector<Axis> &all, std::int64_t maxLength) const
    {
        std::size_t longest = 0;
        for (const ReplayInput::Track &track : m_input->tracks())
            for (const ReplayInput::Original &original : track.messages)
                for (const ToolCallView &call : toolCalls(*original.message))
                    for (const auto &[name, argument] : call.args->asMap())
                        if (argument.isText())
                            longest = std::max(longest, text::length(argument.asText()));
        all.push_back({"truncate_args", Value(maxLength), 0,
            std::max<std::int64_t>(1, static_cast<std::int64_t>(longest) - maxLength),
            [maxLength](std::int64_t value) { return Value(maxLength + value); },
            [](Settings &settings, std::int64_t value) {
                unfold(settings);
                if (settings.truncateArgs)
                    settings.truncateArgs->maxLength += value;
            }});
    }

    /// A limit above which a text moves to a file, raised until the longest one stays.
    void addLimit(std::vector<Axis> &all, const char *name, std::optional<std::int64_t> Settings::*limit,
        const Settings &now, MessageKind kind) const
    {
        if (!(now.*limit))
            return;
        std::size_t longest = 0;
        for (const ReplayInput::Track &track : m_input->tracks())
            for (const ReplayInput::Original &original : track.messages)
                if (original.message->kind == kind)
                    longest = std::max(longest, text::length(textOf(*original.message)));
        const std::int64_t enough = static_cast<std::int64_t>(longest) / evictionCharsPerToken + 1;
        const std::int64_t from = *(now.*limit);
        all.push_back({name, Value(from), 0, std::max<std::int64_t>(1, enough - from),
            [from](std::int64_t value) { return Value(from + value); },
            [limit](Settings &settings, std::int64_t value) {
                if (settings.*limit)
                    *(settings.*limit) += value;
            }});
    }

    /// The model's defaults as plain settings, so that one of them can be changed.
    static void unfold(Settings &settings)
    {
        if (!settings.modelDefaults)
            return;
        const SummarizationDefaults defaults = computeSummarizationDefaults(settings.model.maxInputTokens);
        settings.modelDefaults = false;
        settings.trigger = defaults.trigger;
        settings.keep = defaults.keep;
        settings.truncateArgs = defaults.truncateArgs;
    }

    /// Steps of a size: messages and tokens by one, fractions by a hundredth.
    static double step(ContextSize::Kind kind) { return kind == ContextSize::Kind::Fraction ? 0.01 : 1; }

    [[nodiscard]] std::int64_t steps(const ContextSize &size, std::int64_t messages) const
    {
        std::int64_t tokens = 0;
        for (const ReplayInput::Track &track : m_input->tracks())
            for (const ReplayInput::Original &original : track.messages)
                tokens += messageTokens(*original.message, 4.0).value_or(0);
        const double most = size.kind == ContextSize::Kind::Messages ? static_cast<double>(messages)
            : size.kind == ContextSize::Kind::Tokens                 ? static_cast<double>(tokens) * 1.5 + 20000
                                                                     : 1.0;
        return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil((most - size.value) / step(size.kind))));
    }

    static ContextSize raised(const ContextSize &size, std::int64_t by)
    {
        ContextSize more = size;
        more.value = size.value + static_cast<double>(by) * step(size.kind);
        if (size.kind == ContextSize::Kind::Fraction)
            more.value = std::min(1.0, std::round(more.value * 100) / 100);
        return more;
    }

    void addKeep(std::vector<Axis> &all, const CompactionRules &rules, std::int64_t messages) const
    {
        const ContextSize keep = rules.keep;
        all.push_back({"keep", contextSizeToValue(keep), 0, steps(keep, messages),
            [keep](std::int64_t value) { return contextSizeToValue(raised(keep, value)); },
            [](Settings &settings, std::int64_t value) {
                unfold(settings);
                settings.keep = raised(settings.keep, value);
            }});
    }

    /// Every size of every clause is raised by the same number of steps; at the end nothing triggers.
    void addTrigger(std::vector<Axis> &all, const CompactionRules &rules, std::int64_t messages) const
    {
        if (rules.trigger.empty())
            return;
        std::int64_t most = 1;
        for (const TriggerClause &clause : rules.trigger)
            for (const ContextSize &size : clause)
                most = std::max(most, steps(size, messages + 1));
        const auto raise = [](Trigger trigger, std::int64_t by) {
            for (TriggerClause &clause : trigger)
                for (ContextSize &size : clause)
                    size = raised(size, by);
            return trigger;
        };
        all.push_back({"trigger", triggerToValue(rules.trigger), 0, most + 1,
            [trigger = rules.trigger, raise](std::int64_t value) { return triggerToValue(raise(trigger, value)); },
            [trigger = rules.trigger, raise](Settings &settings, std::int64_t value) {
                unfold(settings);
                settings.trigger = raise(settings.trigger.value_or(trigger), value);
            }});
    }

    Replayer m_replayer;
    ReplayInputPtr m_input;
    const SettingsSet &m_settings;
    const Trace &m_trace;
    const TraceQuery &m_query;
    const JobContext &m_job;
    std::vector<std::vector<std::int64_t>> m_hits; ///< places that hold the text, by track
    std::unordered_map<const Message *, bool> m_holds;
    std::vector<MessagePtr> m_kept; ///< keeps the addresses above taken
    std::vector<Answer> m_found; ///< by call
    std::vector<KeepsIt> m_result;
    int m_replays = 0;
};

} // namespace

Result<std::vector<KeepsIt>> findKeepsIt(const ReplayInputPtr &input, const SettingsSet &settings, const Trace &trace,
    const TraceQuery &query, const JobContext &job)
{
    if (!trace.lostAt || input->calls().size() != trace.calls.size())
        return std::vector<KeepsIt>();
    return Search(input, settings, trace, query, job).run();
}

} // namespace palimpsest
