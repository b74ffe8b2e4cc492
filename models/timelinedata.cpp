// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/timelinedata.h"

#include "core/base/text.h"
#include "core/compaction/dialect.h"
#include "core/compaction/rules.h"
#include "core/compaction/settings.h"
#include "core/thread/projection.h"

#include <immer/algorithm.hpp>

#include <algorithm>
#include <format>
#include <numeric>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

namespace palimpsest {

namespace {

constexpr std::size_t labelLength = 80; // code points of a mark's text

std::size_t at(ContextPart part)
{
    return static_cast<std::size_t>(part);
}

std::string firstWords(const std::string &text)
{
    std::string line(text::head(text, labelLength));
    std::ranges::replace_if(line, [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
    if (line.size() < text.size())
        line += "…";
    return line;
}

/// Running sums over one raw log after another. Logs that follow each other share structure, so what they share is
/// found by comparing chunks, and only the rest is counted.
class RunningSums {
public:
    explicit RunningSums(const TimelineOptions &options)
        : m_options(options)
    {
        m_sums.push_back({});
    }

    /// Makes the sums those of `log`. Gives the number of leading messages that stayed.
    std::size_t moveTo(const MessageLog &log)
    {
        std::size_t same = 0;
        std::size_t chunk = 0;
        std::vector<Chunk> chunks;
        chunks.reserve(m_chunks.size() + 1);
        bool equal = true;
        immer::for_each_chunk(log, [&](const MessagePtr *begin, const MessagePtr *end) {
            const auto size = static_cast<std::size_t>(end - begin);
            chunks.push_back({begin, size});
            if (!equal)
                return;
            if (chunk < m_chunks.size() && m_chunks[chunk] == chunks.back()) {
                same += size;
                ++chunk;
                return;
            }
            for (const MessagePtr *it = begin; it != end; ++it, ++same)
                if (same >= m_bodies.size() || m_bodies[same] != it->get()) {
                    equal = false;
                    return;
                }
            ++chunk;
        });
        same = std::min(same, log.size());
        m_chunks = std::move(chunks);
        m_bodies.resize(same);
        m_sums.resize(same + 1);
        for (std::size_t i = same; i < log.size(); ++i)
            add(*log[i]);
        return same;
    }

    void fill(TimelinePoint &point, std::size_t first, const SummarizationEvent *event)
    {
        first = std::min(first, m_bodies.size());
        const Sums &low = m_sums[first];
        const Sums &high = m_sums.back();
        for (std::size_t part = 0; part < contextParts; ++part) {
            point.tokens[part] = high.tokens[part] - low.tokens[part];
            point.messages[part] = high.messages[part] - low.messages[part];
        }
        if (event && event->summaryMessage) {
            point.tokens[at(ContextPart::Summary)] += tokensOf(*event->summaryMessage);
            ++point.messages[at(ContextPart::Summary)];
        }
        point.tokens[at(ContextPart::ToolsAndSystem)] += m_options.toolsAndSystem;
    }

private:
    struct Sums {
        std::array<std::int64_t, contextParts> tokens{};
        std::array<std::int64_t, contextParts> messages{};
    };
    struct Chunk {
        const MessagePtr *begin = nullptr;
        std::size_t size = 0;
        bool operator==(const Chunk &) const = default;
    };

    std::int64_t tokensOf(const Message &message)
    {
        const auto [it, isNew] = m_tokens.try_emplace(&message, 0);
        if (isNew && m_options.count)
            it->second = m_options.count(message);
        return it->second;
    }

    void add(const Message &message)
    {
        Sums sums = m_sums.back();
        const std::size_t part = at(partOf(message));
        sums.tokens[part] += tokensOf(message);
        ++sums.messages[part];
        m_bodies.push_back(&message);
        m_sums.push_back(sums);
    }

    const TimelineOptions &m_options;
    std::vector<const Message *> m_bodies;
    std::vector<Sums> m_sums; ///< one more than bodies
    std::vector<Chunk> m_chunks;
    std::unordered_map<const Message *, std::int64_t> m_tokens;
};

/// Events counted along each branch: number in force at every checkpoint.
std::vector<int> eventNumbers(const ThreadNamespace &space)
{
    std::vector<int> numbers(space.checkpoints.size(), 0);
    std::size_t next = 0;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const CheckpointIndex parent = space.checkpoints[i].parent;
        numbers[i] = parent.isValid() && parent.at() < i ? numbers[parent.at()] : 0;
        while (next < space.eventCheckpoints.size() && space.eventCheckpoints[next].at() < i)
            ++next;
        if (next < space.eventCheckpoints.size() && space.eventCheckpoints[next].at() == i)
            ++numbers[i];
    }
    return numbers;
}

bool isOffloaded(const Message &message)
{
    // deepagents/middleware/_message_eviction.py TOO_LARGE_TOOL_MSG and filesystem.py "lc_evicted_to", 0.7.7
    if (message.kind == MessageKind::Human)
        return message.additionalKwargs.contains("lc_evicted_to");
    return message.kind == MessageKind::Tool && textOf(message).starts_with("Tool result too large");
}

std::string wordOf(const ContextSize &size)
{
    switch (size.kind) {
    case ContextSize::Kind::Messages:
        return std::format("messages {:.0f}", size.value);
    case ContextSize::Kind::Tokens:
        return std::format("tokens {:.0f}", size.value);
    case ContextSize::Kind::Fraction:
        break;
    }
    return std::format("{:.0f} % of the window", size.value * 100);
}

/// What one point adds to the lanes.
class Lanes {
public:
    explicit Lanes(TimelineData &data)
        : m_data(data)
    {
    }

    void addNew(const MessageLog &log, std::size_t from, const TimelinePoint &point, double position)
    {
        std::int64_t offloads = 0;
        std::string offloaded;
        for (std::size_t i = from; i < log.size(); ++i) {
            const Message &message = *log[i];
            const std::string key = message.id ? *message.id : std::format("{}", static_cast<const void *>(&message));
            if (message.kind == MessageKind::Human && !isSummary(message) && m_turns.insert(key).second)
                m_data.turns.push_back(
                    {TimelineMark::Kind::Turn, position, point.checkpoint, static_cast<std::int64_t>(m_turns.size()),
                        firstWords(textOf(message)), Finding::Severity::Info, message.id.value_or("")});
            if (isOffloaded(message) && m_offloads.insert(key).second) {
                ++offloads;
                offloaded = message.id.value_or("");
            }
        }
        if (offloads > 0)
            m_data.offloads.push_back({TimelineMark::Kind::Offload, position, point.checkpoint, offloads,
                offloads == 1 ? "1 result offloaded" : std::format("{} results offloaded", offloads),
                Finding::Severity::Info, offloaded});
    }

    void addAnswers(const Call &call, TimelinePoint &point, double position)
    {
        std::string names;
        std::string message;
        for (const MessagePtr &answer : call.answers)
            for (const ToolCallView &tool : toolCalls(*answer)) {
                ++point.toolCalls;
                names += (names.empty() ? "" : ", ") + std::string(tool.name);
                message = answer->id.value_or("");
            }
        if (point.toolCalls > 0)
            m_data.tools.push_back({TimelineMark::Kind::ToolCalls, position + 0.5, point.checkpoint, point.toolCalls,
                firstWords(names), Finding::Severity::Info, message});
        if (point.failed)
            m_data.problems.push_back({TimelineMark::Kind::Failure, position, point.checkpoint, 1,
                firstWords(call.error), Finding::Severity::Error, {}});
    }

private:
    TimelineData &m_data;
    std::unordered_set<std::string> m_turns;
    std::unordered_set<std::string> m_offloads;
};

/// Event in force at each point, as flags where it changes, and what happened at checkpoints.
void addCheckpointMarks(TimelineData &data, const ThreadNamespace &space, const std::vector<int> &numbers)
{
    std::unordered_map<std::int64_t, double> madeByCall; // first checkpoint after a call that made an event → position
    if (data.pointsAreCalls)
        for (std::size_t i = 0; i < space.calls.size(); ++i)
            if (space.calls[i].eventFrom == Call::EventFrom::ThisCall && space.calls[i].checkpoint.isValid()
                && space.calls[i].checkpoint.at() < space.checkpoints.size())
                for (const CheckpointIndex child : space.checkpoints[space.calls[i].checkpoint.at()].children)
                    madeByCall.try_emplace(child.value, static_cast<double>(i));
    for (const CheckpointIndex index : space.eventCheckpoints) {
        if (!index.isValid() || index.at() >= space.checkpoints.size())
            continue;
        const Checkpoint &checkpoint = space.checkpoints[index.at()];
        const auto made = madeByCall.find(index.value);
        TimelineMark mark;
        mark.position = made != madeByCall.end() ? made->second : data.positionOf(index);
        mark.checkpoint = index;
        mark.number = numbers[index.at()];
        if (checkpoint.event) {
            mark.text = std::format("cutoff {}", checkpoint.event->cutoffIndex);
            mark.text += checkpoint.event->filePath ? " · " + *checkpoint.event->filePath : " · no archive";
        }
        data.events.push_back(std::move(mark));
    }
    for (std::size_t i = 0; i < space.checkpoints.size(); ++i) {
        const Checkpoint &checkpoint = space.checkpoints[i];
        const CheckpointIndex index(i);
        if (checkpoint.children.size() > 1)
            data.problems.push_back({TimelineMark::Kind::Fork, data.positionOf(index), index,
                static_cast<std::int64_t>(checkpoint.children.size()),
                std::format("fork: {} branches", checkpoint.children.size()), Finding::Severity::Info, {}});
    }
}

/// A mark for each checkpoint that something was found at, as grave as the gravest.
void addFindingMarks(TimelineData &data, const ThreadNamespace &space, const ThreadFindings &findings)
{
    std::unordered_map<std::string_view, TimelineMark> marks;
    for (const Finding &finding : findings.all()) {
        if (finding.checkpointNs != space.name || finding.checkpointId.empty())
            continue;
        const auto [mark, fresh] = marks.try_emplace(finding.checkpointId);
        ++mark->second.number;
        if (!fresh && finding.severity <= mark->second.severity)
            continue;
        mark->second.severity = finding.severity;
        mark->second.text = firstWords(finding.message);
        mark->second.message = finding.messageId.value_or("");
    }
    for (auto &[id, mark] : marks) {
        const auto at = std::ranges::lower_bound(space.checkpoints, id, {}, &Checkpoint::id);
        if (at == space.checkpoints.end() || at->id != id)
            continue;
        mark.kind = TimelineMark::Kind::Finding;
        mark.checkpoint = CheckpointIndex(static_cast<std::size_t>(at - space.checkpoints.begin()));
        mark.position = data.positionOf(mark.checkpoint);
        data.problems.push_back(std::move(mark));
    }
}

} // namespace

std::int64_t TimelinePoint::total(ContextUnit unit) const
{
    const auto &all = parts(unit);
    return std::accumulate(all.begin(), all.end(), std::int64_t(0));
}

double TimelineData::positionOf(CheckpointIndex checkpoint) const
{
    const auto after = std::ranges::lower_bound(points, checkpoint, {}, &TimelinePoint::checkpoint);
    const auto place = static_cast<double>(after - points.begin());
    if (after != points.end() && after->checkpoint == checkpoint)
        return place;
    if (after == points.begin())
        return -0.5;
    if (after == points.end())
        return place - 0.5;
    const auto low = static_cast<double>(std::prev(after)->checkpoint.value);
    const auto high = static_cast<double>(after->checkpoint.value);
    return place - 1 + (static_cast<double>(checkpoint.value) - low) / (high - low);
}

std::int64_t TimelineData::pointOf(CallNumber call) const
{
    const std::int64_t place = call.value - 1;
    return pointsAreCalls && place >= 0 && place < static_cast<std::int64_t>(points.size()) ? place : -1;
}

ContextPart partOf(const Message &message)
{
    if (isSummary(message))
        return ContextPart::Summary;
    switch (message.kind) {
    case MessageKind::Human:
        return ContextPart::Human;
    case MessageKind::Tool:
    case MessageKind::Function:
        return ContextPart::Tool;
    case MessageKind::System:
    case MessageKind::Remove:
        return ContextPart::ToolsAndSystem;
    case MessageKind::Ai:
    case MessageKind::Chat:
    case MessageKind::Other:
        break;
    }
    return ContextPart::Ai;
}

std::string_view partName(ContextPart part)
{
    switch (part) {
    case ContextPart::ToolsAndSystem:
        return "tools and system";
    case ContextPart::Summary:
        return "summary";
    case ContextPart::Human:
        return "human";
    case ContextPart::Ai:
        return "AI";
    case ContextPart::Tool:
        break;
    }
    return "tool results";
}

TimelineDataPtr makeTimeline(
    const ThreadPtr &thread, std::string_view ns, const TimelineOptions &options, const JobContext &job)
{
    const ThreadNamespace *space = thread ? thread->find(ns) : nullptr;
    if (!space)
        return nullptr;
    auto data = std::make_shared<TimelineData>();
    data->partial = space->partial;
    data->pointsAreCalls = !space->calls.empty();
    const std::vector<int> numbers = eventNumbers(*space);
    RunningSums sums(options);
    Lanes lanes(*data);
    const std::size_t count = data->pointsAreCalls ? space->calls.size() : space->checkpoints.size();
    data->points.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
        if (i % 64 == 0 && job.stopped())
            return nullptr;
        const Call *call = data->pointsAreCalls ? &space->calls[i] : nullptr;
        const CheckpointIndex index = call ? call->checkpoint : CheckpointIndex(i);
        const bool known = index.isValid() && index.at() < space->checkpoints.size();
        const MessageLog &log = call ? call->log : space->checkpoints[i].messages;
        const EventPtr &event = call ? call->event : space->checkpoints[i].event;
        TimelinePoint point;
        point.checkpoint = index;
        point.event = known ? numbers[index.at()] : 0;
        const std::size_t same = sums.moveTo(log);
        const Projection projection = projectionOf(log.size(), event.get());
        sums.fill(
            point, projection.first.isValid() ? projection.first.at() : 0, projection.summary ? event.get() : nullptr);
        const auto position = static_cast<double>(i);
        lanes.addNew(log, same, point, position);
        if (call) {
            point.call = call->number;
            point.step = call->step;
            point.failed = call->outcome == Call::Outcome::Error;
            point.certainty = call->certainty;
            if (call->eventFrom == Call::EventFrom::ThisCall)
                ++point.event;
            if (const Value *input = call->usage.find("input_tokens"); input && input->isInt())
                point.reported = input->asInt();
            lanes.addAnswers(*call, point, position);
        } else {
            point.step = space->checkpoints[i].step;
        }
        data->mostTokens = std::max(data->mostTokens, point.total(ContextUnit::Tokens));
        data->mostMessages = std::max(data->mostMessages, point.total(ContextUnit::Messages));
        data->points.push_back(point);
    }
    addCheckpointMarks(*data, *space, numbers);
    const ThreadFindingsPtr findings =
        options.findings ? options.findings : std::make_shared<const ThreadFindings>(thread, findingsOf(*thread));
    addFindingMarks(*data, *space, *findings);
    const auto byPosition = [](const TimelineMark &a, const TimelineMark &b) {
        return std::tie(a.position, a.checkpoint) < std::tie(b.position, b.checkpoint);
    };
    std::ranges::stable_sort(data->events, byPosition);
    std::ranges::stable_sort(data->problems, byPosition);
    return data;
}

namespace {

/// Nothing pretends: a line that the recording does not speak of is not to pass for one that it does.
std::string_view wordsOf(TriggerOrigin origin)
{
    switch (origin) {
    case TriggerOrigin::Default:
        return "default trigger, not inferred: ";
    case TriggerOrigin::Inferred:
        return "inferred trigger: ";
    case TriggerOrigin::Unreached:
    case TriggerOrigin::Chosen:
        break;
    }
    return "trigger: ";
}

} // namespace

std::vector<TimelineLimit> limitsOf(const Settings &settings, TriggerOrigin origin)
{
    std::vector<TimelineLimit> limits;
    const auto choice = dialectFor(settings.dialect);
    if (!choice || origin == TriggerOrigin::Unreached)
        return limits;
    // Where nothing is said, the version's own trigger is in force.
    for (const TriggerClause &clause : rulesFor(settings, choice->dialect).trigger) {
        std::string label(wordsOf(origin));
        for (std::size_t i = 0; i < clause.size(); ++i)
            label += (i ? " and " : "") + wordOf(clause[i]);
        for (const ContextSize &size : clause) {
            TimelineLimit limit{ContextUnit::Tokens, size.value, label};
            if (size.kind == ContextSize::Kind::Messages)
                limit.unit = ContextUnit::Messages;
            else if (size.kind == ContextSize::Kind::Fraction) {
                if (!settings.model.maxInputTokens)
                    continue;
                limit.value = size.value * static_cast<double>(*settings.model.maxInputTokens);
            }
            limits.push_back(std::move(limit));
        }
    }
    return limits;
}

ContextUnit unitOf(const Settings &settings)
{
    if (settings.trigger && !settings.trigger->empty() && !settings.trigger->front().empty()
        && settings.trigger->front().front().kind == ContextSize::Kind::Messages)
        return ContextUnit::Messages;
    return ContextUnit::Tokens;
}

} // namespace palimpsest
