// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/transcript/transcript.h"

#include "core/artifacts/archive.h"
#include "core/artifacts/artifactview.h"
#include "core/artifacts/links.h"
#include "core/base/base64.h"
#include "core/base/mimetypes.h"
#include "core/base/text.h"
#include "core/compaction/recordedrequest.h"
#include "core/thread/events.h"
#include "core/thread/placecommand.h"
#include "core/thread/projection.h"
#include "core/tokens/approximate.h"
#include "core/transcript/messageforms.h"
#include "core/transcript/redaction.h"

#include <algorithm>
#include <format>
#include <unordered_map>

namespace palimpsest {
namespace {

constexpr std::size_t shortResult = 400; // code points of a result at detail `high`
constexpr auto sameActions = "the agent would have acted the same";

std::string fileNameOf(const std::string &location)
{
    const std::size_t slash = location.find_last_of("/\\");
    return slash == std::string::npos ? location : location.substr(slash + 1);
}

std::string firstLineOf(const std::string &whole)
{
    const std::string_view line = std::string_view(whole).substr(0, whole.find('\n'));
    const std::string_view head = text::head(line, 100);
    return std::string(head) + (head.size() < line.size() ? "…" : "");
}

std::int64_t sizeOf(const MessageLog &log)
{
    return static_cast<std::int64_t>(log.size());
}

class Builder {
public:
    Builder(const ThreadPtr &thread, const ThreadNamespace &space, const TranscriptRequest &request)
        : m_thread(*thread)
        , m_space(space)
        , m_request(request)
        , m_media(request.media, request.mediaFolder, m_out.files)
    {
        for (const std::string &key : request.selected)
            m_selected.emplace(key, false);
    }

    Result<Transcript> build()
    {
        if (Result<void> found = findPlace(); !found)
            return tl::unexpected(found.error());
        describe();
        Result<void> done;
        switch (m_request.subject) {
        case TranscriptSubject::Raw:
        case TranscriptSubject::Replay:
            done = addLog();
            break;
        case TranscriptSubject::Effective:
            done = addEffective();
            break;
        case TranscriptSubject::Request:
            done = addRequest();
            break;
        case TranscriptSubject::Findings:
        case TranscriptSubject::Comparison:
        case TranscriptSubject::Trace:
            addTables();
            break;
        }
        if (done && m_request.tables.empty())
            done = checkSelection();
        if (!done)
            return tl::unexpected(done.error());
        pairResults();
        if (m_request.archive == ArchivePlacement::Appended)
            addArchives();
        if (m_request.redactor)
            m_request.redactor->finish(m_out);
        return std::move(m_out);
    }

private:
    Result<void> findPlace()
    {
        m_place = m_request.checkpoint;
        if (m_request.subject == TranscriptSubject::Request) {
            const std::int64_t number = m_request.call.value;
            if (number < 1 || number > static_cast<std::int64_t>(m_space.calls.size()))
                return failure(Error::Code::NotFound, std::format("call {}", number),
                    std::format("there is no such call; this namespace has calls 1 to {}", m_space.calls.size()));
            m_place = call(number).checkpoint;
        }
        if (!m_place.isValid() && !m_space.checkpoints.empty())
            m_place = m_space.heads.empty() ? CheckpointIndex(m_space.checkpoints.size() - 1) : m_space.heads.back();
        if (m_place.isValid() && m_place.at() < m_space.checkpoints.size()) {
            m_checkpoint = &m_space.checkpoints[m_place.at()];
            m_branch = branchTo(m_space, m_place);
            m_events = eventsAlong(m_space, m_branch);
        }
        return {};
    }

    [[nodiscard]] const Call &call(std::int64_t number) const
    {
        return m_space.calls[static_cast<std::size_t>(number - 1)];
    }

    void addTables()
    {
        m_out.subject = m_request.name;
        m_out.settings = m_request.settings;
        m_out.notes = m_request.notes;
        m_out.tables = m_request.tables;
        setCertainty(m_request.certainty);
        if (m_request.whatIf)
            m_out.assumes = sameActions;
    }

    void describe()
    {
        m_out.threadId = m_thread.id;
        m_out.checkpointNs = m_space.name;
        m_out.source = fileNameOf(m_request.sourceLocation);
        CommandPlace place{m_request.sourceLocation, m_thread.id, m_space.name, {}, {}, {}};
        if (m_request.subject == TranscriptSubject::Request)
            place.call = m_request.call.value;
        if (m_checkpoint) {
            m_out.checkpointId = place.checkpoint = m_checkpoint->id;
            m_out.metadata = m_checkpoint->metadata;
            for (const MessagePtr &message : m_checkpoint->messages)
                if (message && message->kind == MessageKind::Human && !isSummary(*message)) {
                    m_out.title = firstLineOf(textOf(*message));
                    break;
                }
        }
        m_out.place = placeCommand(place);
        for (const Call &each : m_space.calls)
            if (!each.model.empty())
                m_out.model = each.model;
        setCertainty(m_checkpoint && m_checkpoint->incomplete ? Certainty::Uncertain : Certainty::Derived);
    }

    void setCertainty(Certainty certainty)
    {
        m_out.certainty = certainty;
        switch (certainty) {
        case Certainty::Recorded:
            m_out.known = "Recorded: the source holds it as it is here.";
            break;
        case Certainty::Derived:
            m_out.known = "Derived from the checkpoints alone.";
            break;
        case Certainty::DerivedAssumingSettings:
            m_out.known = "Derived from the checkpoints, assuming the settings below.";
            break;
        case Certainty::Inferred:
            m_out.known = "Inferred: settings were estimated from the recorded events.";
            break;
        case Certainty::Uncertain:
            m_out.known = "Uncertain: the source does not hold all that would be needed.";
            break;
        }
    }

    /// Running sums of the log's tokens, so that any stretch is a subtraction.
    void count(const MessageLog &log)
    {
        m_sums.assign(1, 0);
        m_sums.reserve(log.size() + 1);
        for (const MessagePtr &message : log)
            m_sums.push_back(m_sums.back() + tokensOf(*message));
    }

    static std::int64_t tokensOf(const Message &message)
    {
        return static_cast<std::int64_t>(approximateMessageTokensOrBest(message));
    }

    [[nodiscard]] std::int64_t effectiveTokens(const SummarizationEvent *event, std::int64_t end) const
    {
        const Projection projection = projectionOf(static_cast<std::size_t>(end), event);
        const std::int64_t first = std::min(projection.first.value, end);
        std::int64_t tokens = m_sums[static_cast<std::size_t>(end)] - m_sums[static_cast<std::size_t>(first)];
        if (projection.summary && event && event->summaryMessage)
            tokens += tokensOf(*event->summaryMessage);
        return tokens;
    }

    struct PlacedEvent {
        std::int64_t before = 0; ///< raw place before which it stands
        TranscriptEvent event;
        EventPtr stored;
    };

    [[nodiscard]] const Call *callOfEvent(const EventMark &mark) const
    {
        const CheckpointIndex parent = m_space.checkpoints[mark.checkpoint.at()].parent;
        for (const Call &each : m_space.calls)
            if (each.eventFrom == Call::EventFrom::ThisCall && each.event && *each.event == *mark.event
                && (each.checkpoint == parent || !parent.isValid()))
                return &each;
        return nullptr;
    }

    [[nodiscard]] PlacedEvent placed(const EventMark &mark, const Call *maker, std::int64_t size) const
    {
        PlacedEvent out;
        out.stored = mark.event;
        const Checkpoint &carrier = m_space.checkpoints[mark.checkpoint.at()];
        const bool hasParent = carrier.parent.isValid() && carrier.parent.at() < m_space.checkpoints.size();
        const MessageLog &before = maker ? maker->log
            : hasParent                  ? m_space.checkpoints[carrier.parent.at()].messages
                                         : carrier.messages;
        out.before = std::min(sizeOf(before), size);
        out.event.origin = maker ? TranscriptEvent::Origin::Automatic : TranscriptEvent::Origin::Outside;
        for (std::int64_t i = out.before; !maker && i < sizeOf(carrier.messages); ++i)
            if (const Message &message = *carrier.messages[static_cast<std::size_t>(i)];
                message.kind == MessageKind::Tool && message.name == "compact_conversation")
                out.event.origin = TranscriptEvent::Origin::Tool;
        out.event.checkpointId = carrier.id;
        return out;
    }

    std::vector<PlacedEvent> placedEvents(const MessageLog &log)
    {
        std::vector<PlacedEvent> out;
        const std::int64_t size = sizeOf(log);
        if (m_request.subject == TranscriptSubject::Replay) {
            for (const ReplayedEvent &each : m_request.replayed) {
                PlacedEvent event;
                event.stored = each.event;
                event.before = std::min(sizeOf(call(each.call.value).log), size);
                out.push_back(std::move(event));
            }
        } else {
            for (const EventMark &mark : m_events)
                out.push_back(placed(mark, callOfEvent(mark), size));
        }
        const SummarizationEvent *last = nullptr;
        std::map<std::string, int> sections;
        int number = 0;
        for (PlacedEvent &each : out) {
            const SummarizationEvent &stored = *each.stored;
            TranscriptEvent &event = each.event;
            event.number = ++number;
            event.tokensBefore = effectiveTokens(last, each.before);
            event.tokensAfter = effectiveTokens(&stored, each.before);
            event.cutoff = std::clamp<std::int64_t>(cutoffOf(stored).value_or(0), 0, size);
            const std::int64_t first = last ? std::clamp<std::int64_t>(cutoffOf(*last).value_or(0), 0, size) : 0;
            event.messages = std::max<std::int64_t>(event.cutoff - first, 0);
            event.archive = stored.filePath;
            if (event.archive)
                event.section = ++sections[*event.archive];
            event.summary = redacted(stored.summaryMessage);
            last = &stored;
        }
        return out;
    }

    [[nodiscard]] bool isWhole() const
    {
        return !m_request.fromCall && !m_request.toCall && !m_request.fromTurn && !m_request.toTurn;
    }

    /// Raw places [first, second) that the range of calls or turns covers.
    [[nodiscard]] Result<std::pair<std::int64_t, std::int64_t>> range(const MessageLog &log) const
    {
        if (isWhole())
            return std::pair(std::int64_t{0}, sizeOf(log));
        return m_request.fromTurn || m_request.toTurn ? turnRange(log) : callRange(log);
    }

    [[nodiscard]] Result<std::pair<std::int64_t, std::int64_t>> turnRange(const MessageLog &log) const
    {
        std::vector<std::int64_t> begins;
        std::int64_t i = 0;
        for (const MessagePtr &message : log) {
            if (message->kind == MessageKind::Human && !isSummary(*message))
                begins.push_back(i);
            ++i;
        }
        const auto turns = static_cast<std::int64_t>(begins.size());
        const std::int64_t from = m_request.fromTurn.value_or(1);
        const std::int64_t to = m_request.toTurn.value_or(turns);
        if (from < 1 || to > turns || from > to)
            return failure(Error::Code::Invalid, std::format("turns {} to {}", from, to),
                std::format("no such range; this log has turns 1 to {}", turns));
        // What stands before the first human message belongs to the first turn.
        return std::pair(from == 1 ? 0 : begins[static_cast<std::size_t>(from - 1)],
            to == turns ? sizeOf(log) : begins[static_cast<std::size_t>(to)]);
    }

    /// What was new to the first of the calls up to the results of the last one's answer.
    [[nodiscard]] Result<std::pair<std::int64_t, std::int64_t>> callRange(const MessageLog &log) const
    {
        const std::int64_t size = sizeOf(log);
        const auto calls = static_cast<std::int64_t>(m_space.calls.size());
        const std::int64_t from = m_request.fromCall.value_or(1);
        const std::int64_t to = m_request.toCall.value_or(calls);
        if (from < 1 || to > calls || from > to)
            return failure(Error::Code::Invalid, std::format("calls {} to {}", from, to),
                std::format("no such range; this namespace has calls 1 to {}", calls));
        std::int64_t first = 0;
        if (from > 1) {
            const Call &before = call(from - 1);
            first = std::min(size, sizeOf(before.log) + static_cast<std::int64_t>(before.answers.size()));
            while (first < size && log[static_cast<std::size_t>(first)]->kind == MessageKind::Tool)
                ++first;
        }
        const Call &last = call(to);
        std::int64_t end = std::min(size, sizeOf(last.log) + static_cast<std::int64_t>(last.answers.size()));
        while (end < size && log[static_cast<std::size_t>(end)]->kind == MessageKind::Tool)
            ++end;
        return std::pair(first, std::max(first, end));
    }

    [[nodiscard]] bool wanted(const Message &message, std::int64_t index)
    {
        return isSelected(message, index) && isInDetail(message);
    }

    /// Also notes which of those asked for there are.
    [[nodiscard]] bool isSelected(const Message &message, std::int64_t index)
    {
        if (m_selected.empty())
            return true;
        const std::string place = index < 0 ? "summary" : "#" + std::to_string(index);
        for (const std::string &key : {message.id.value_or(std::string()), place})
            if (const auto wish = m_selected.find(key); wish != m_selected.end()) {
                wish->second = true;
                return true;
            }
        return false;
    }

    [[nodiscard]] Result<void> checkSelection() const
    {
        for (const auto &[key, found] : m_selected)
            if (!found)
                return failure(Error::Code::NotFound, std::format("message {}", key), "there is no such message here");
        return {};
    }

    [[nodiscard]] bool isInDetail(const Message &message) const
    {
        switch (m_request.detail) {
        case TranscriptDetail::Full:
        case TranscriptDetail::High:
            return true;
        case TranscriptDetail::Low:
            return message.kind != MessageKind::Tool;
        case TranscriptDetail::UserOnly:
            break;
        }
        return message.kind == MessageKind::Human && !isSummary(message);
    }

    [[nodiscard]] MessagePtr redacted(const MessagePtr &message) const
    {
        return m_request.redactor ? m_request.redactor->message(message) : message;
    }

    /// Redaction comes first: what is shortened or moved would no longer be found.
    [[nodiscard]] TranscriptMessage entry(const MessagePtr &message, std::int64_t index)
    {
        TranscriptMessage out;
        out.index = index;
        out.tokens = tokensOf(*message);
        out.message = m_media.moved(redacted(message));
        if (m_request.detail == TranscriptDetail::High && message->kind == MessageKind::Tool)
            out.message = withShortTexts(out.message, shortResult);
        return out;
    }

    Result<void> addLog()
    {
        const bool replay = m_request.subject == TranscriptSubject::Replay;
        m_out.subject = replay ? "Replayed run" : "Raw log";
        if (replay) {
            m_out.settings = m_request.settings;
            m_out.assumes = sameActions;
            setCertainty(Certainty::DerivedAssumingSettings);
        }
        if (!m_checkpoint)
            return {};
        const MessageLog &log = m_checkpoint->messages;
        const auto covered = range(log);
        if (!covered)
            return tl::unexpected(covered.error());
        count(log);
        const std::vector<PlacedEvent> events = placedEvents(log);
        const EventPtr inForce = events.empty() ? nullptr : events.back().stored;
        const std::int64_t cutoff = projectionOf(log.size(), inForce.get()).first.value;
        std::size_t born = 0;
        std::size_t next = 0;
        std::int64_t i = 0;
        for (const MessagePtr &message : log) {
            while (born < m_branch.size() && sizeOf(m_space.checkpoints[m_branch[born].at()].messages) <= i)
                ++born;
            for (; next < events.size() && events[next].before <= i; ++next)
                if (i >= covered->first && i < covered->second && m_selected.empty())
                    m_out.entries.emplace_back(events[next].event);
            if (i >= covered->first && i < covered->second && wanted(*message, i)) {
                TranscriptMessage out = entry(message, i);
                out.inContext = i >= cutoff;
                if (born < m_branch.size())
                    out.time = m_space.checkpoints[m_branch[born].at()].createdAt;
                m_out.entries.emplace_back(std::move(out));
            }
            ++i;
        }
        for (; next < events.size() && covered->second >= i && m_selected.empty(); ++next)
            m_out.entries.emplace_back(events[next].event);
        if (m_selected.empty() && isWhole())
            addEffectiveBeside(log, inForce);
        return {};
    }

    void addEffectiveBeside(const MessageLog &log, const EventPtr &event)
    {
        const Projection projection = projectionOf(log.size(), event.get());
        std::int64_t place = 0;
        for (const MessagePtr &message : effectiveMessages(log, event.get())) {
            const MessageIndex raw = rawIndex(projection, EffectiveIndex(place++));
            if (isInDetail(*message))
                m_out.effective.push_back(entry(message, raw.value));
        }
    }

    Result<void> addEffective()
    {
        if (!m_checkpoint)
            return failure(Error::Code::NotFound, {}, "this namespace has no checkpoint");
        MessageLog log = m_checkpoint->messages;
        EventPtr event = m_checkpoint->event;
        m_out.subject = event ? "Effective messages at the checkpoint" : "Messages (no event yet)";
        if (m_request.event != 0) {
            if (m_request.event < 0 || m_request.event > static_cast<int>(m_events.size()))
                return failure(Error::Code::NotFound, std::format("event {}", m_request.event),
                    std::format("there is no such event; this branch has {}", m_events.size()));
            const EventMark &mark = m_events[static_cast<std::size_t>(m_request.event - 1)];
            event = mark.event;
            const Call *maker = callOfEvent(mark);
            log = maker ? maker->log : m_space.checkpoints[mark.checkpoint.at()].messages;
            m_out.checkpointId = m_space.checkpoints[mark.checkpoint.at()].id;
            m_out.place =
                placeCommand({m_request.sourceLocation, m_thread.id, m_space.name, m_out.checkpointId, {}, {}});
            m_out.subject = std::format("Effective messages after event {}", m_request.event);
        }
        addList(effectiveMessages(log, event.get()), projectionOf(log.size(), event.get()));
        return {};
    }

    Result<void> addRequest()
    {
        const Call &made = call(m_request.call.value);
        m_out.subject = std::format("Request of call {}", m_request.call.value);
        m_out.settings = m_request.settings;
        setCertainty(m_request.certainty);
        addList(m_request.request, projectionOf(made.log.size(), made.event.get()));
        return {};
    }

    void addList(const MessageLog &messages, const Projection &projection)
    {
        std::int64_t place = 0;
        for (const MessagePtr &message : messages) {
            const MessageIndex raw = rawIndex(projection, EffectiveIndex(place++));
            if (wanted(*message, raw.value))
                m_out.entries.emplace_back(entry(message, raw.value));
        }
    }

    /// Results stand with the calls that they answer, the nearest call of that id before them.
    void pairResults()
    {
        std::unordered_map<std::string, std::size_t> callers;
        for (std::size_t i = 0; i < m_out.entries.size(); ++i) {
            auto *here = std::get_if<TranscriptMessage>(&m_out.entries[i]);
            if (!here)
                continue;
            for (const ToolCallView &made : toolCalls(*here->message))
                if (made.hasId)
                    callers[std::string(made.id)] = i;
            if (here->message->kind != MessageKind::Tool || !here->message->toolCallId)
                continue;
            const auto caller = callers.find(*here->message->toolCallId);
            if (caller == callers.end())
                continue;
            std::get<TranscriptMessage>(m_out.entries[caller->second]).results.push_back(i);
            here->paired = true;
        }
    }

    void addArchives()
    {
        if (!m_checkpoint)
            return;
        ArtifactView view(m_thread, m_space, m_place);
        for (const ArtifactFolder &folder : m_request.folders)
            view.addFolder(folder);
        std::vector<std::string> paths;
        for (const EventMark &mark : m_events)
            if (mark.event->filePath && std::ranges::find(paths, *mark.event->filePath) == paths.end())
                paths.push_back(*mark.event->filePath);
        for (const std::string &path : paths)
            if (std::optional<ArtifactContent> content = view.read(path)) {
                const std::vector<std::string> media = mediaPaths(content->bytes);
                m_out.files.push_back({TranscriptFile::Kind::Archive, path, fileNameOf(path), "text/markdown",
                    std::move(content->bytes), {}});
                for (const std::string &medium : media)
                    addArchivedMedium(view, medium);
            }
    }

    /// As the block that the summarization moved to the file, so that redaction cleans it as it cleans any other.
    void addArchivedMedium(const ArtifactView &view, const std::string &path)
    {
        const std::optional<ArtifactContent> content = view.read(path);
        if (!content)
            return;
        const std::string_view type = mime::typeOf(path);
        auto carrier = std::make_shared<Message>();
        carrier->kind = MessageKind::Human;
        carrier->content = Value(Value::List{Value::map({{"type", Value("image_url")},
            {"image_url",
                Value::map({{"url",
                    Value(std::format("data:{};base64,{}", type.empty() ? "application/octet-stream" : type,
                        base64::encode(mediumBytes(path, content->bytes))))}})}})});
        m_media.addArchived(redacted(carrier)->content.asList().front(), path);
    }

    const Thread &m_thread;
    const ThreadNamespace &m_space;
    const TranscriptRequest &m_request;
    CheckpointIndex m_place;
    const Checkpoint *m_checkpoint = nullptr;
    std::vector<CheckpointIndex> m_branch;
    std::vector<EventMark> m_events;
    std::vector<std::int64_t> m_sums;
    std::map<std::string, bool> m_selected; ///< ids or places, and whether they were met
    Transcript m_out;
    MediaMover m_media;
};

} // namespace

Result<Transcript> makeTranscript(
    const ThreadPtr &thread, const ThreadNamespace &space, const TranscriptRequest &request)
{
    return Builder(thread, space, request).build();
}

std::string_view originName(TranscriptEvent::Origin origin)
{
    switch (origin) {
    case TranscriptEvent::Origin::Automatic:
        return "automatic";
    case TranscriptEvent::Origin::Tool:
        return "compact_conversation";
    case TranscriptEvent::Origin::Outside:
        break;
    }
    return "from outside";
}

std::string shortCount(std::int64_t number)
{
    if (number < 10'000)
        return std::to_string(number);
    return std::format("{}k", (number + 500) / 1000);
}

const TranscriptFile *archivedMedium(const Transcript &transcript, std::string_view path)
{
    const auto found = std::ranges::find_if(transcript.files,
        [&](const TranscriptFile &file) { return file.kind == TranscriptFile::Kind::Media && file.path == path; });
    return found == transcript.files.end() ? nullptr : &*found;
}

std::string addressOf(const TranscriptFile &medium)
{
    if (!medium.link.empty())
        return medium.link;
    return std::format("data:{};base64,{}", medium.mime, base64::encode(medium.bytes));
}

std::string eventLine(const TranscriptEvent &event)
{
    std::string line = std::format("Compacted · {} · {} → {} tokens · {} message{}", originName(event.origin),
        shortCount(event.tokensBefore), shortCount(event.tokensAfter), event.messages, event.messages == 1 ? "" : "s");
    if (event.section > 0)
        line += std::format(" → archive section {}", event.section);
    else
        line += " → no archive";
    return line;
}

} // namespace palimpsest
