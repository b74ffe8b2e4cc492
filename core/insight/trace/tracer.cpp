// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/trace/tracer.h"

#include "core/artifacts/links.h"
#include "core/compaction/stages/argumenttruncation.h"
#include "core/compaction/stages/humaneviction.h"
#include "core/insight/trace/messageparts.h"

#include <algorithm>
#include <array>

namespace palimpsest {
namespace {

constexpr std::size_t placesOfAKind = 24;

/// Whether `log` is `before` with messages added at its end; cheap where both share their nodes.
bool continues(const MessageLog &before, const MessageLog &log)
{
    return log.size() >= before.size() && (before.identity() == log.identity() || log.take(before.size()) == before);
}

/// The lines that a stub shows, without their numbers.
std::vector<std::string> previewTexts(const StubPreview &preview)
{
    std::vector<std::string> texts;
    for (const std::vector<std::string> *part : {&preview.head, &preview.tail}) {
        std::string joined;
        for (const std::string &line : *part)
            joined += (joined.empty() ? "" : "\n") + line;
        if (!joined.empty())
            texts.push_back(std::move(joined));
    }
    return texts;
}

std::string joined(const std::vector<std::string> &texts)
{
    std::string all;
    for (const std::string &text : texts)
        all += (all.empty() ? "" : "\n") + text;
    return all;
}

/// A place that is none.
const TracePlacePtr &bare(TraceKind kind)
{
    const auto made = [](TraceKind of) {
        auto place = std::make_shared<TracePlace>();
        place->kind = of;
        return TracePlacePtr(std::move(place));
    };
    static const TracePlacePtr notYet = made(TraceKind::NotYet);
    static const TracePlacePtr nowhere = made(TraceKind::Nowhere);
    return kind == TraceKind::NotYet ? notYet : nowhere;
}

/// A tool result that reads files.
bool readsFiles(const Message &message)
{
    return message.kind == MessageKind::Tool && (message.name == "read_file" || message.name == "grep");
}

std::vector<std::string> texts(const std::vector<KeyTerm> &terms)
{
    std::vector<std::string> all;
    all.reserve(terms.size());
    for (const KeyTerm &term : terms)
        all.push_back(term.text);
    return all;
}

} // namespace

Tracer::Tracer(ThreadPtr thread, const ThreadNamespace &space, const TraceQuery &query, const TraceOptions &options)
    : m_thread(std::move(thread))
    , m_space(space)
    , m_query(query)
    , m_options(options)
    , m_files(*m_thread, space, options.folders, query.needle)
    , m_requests(m_thread, space)
    , m_truncated(space.calls.size(), -1)
{
    if (!query.messageId)
        return;
    const auto versions = space.versions.find(*query.messageId);
    if (versions != space.versions.end())
        for (const BodyVersion &version : versions->second)
            if (version.body && !m_original)
                m_original = version.body;
    if (m_original)
        return;
    for (const CheckpointIndex head : space.heads)
        for (const MessagePtr &message : space.checkpoints[head.at()].messages)
            if (message->id == query.messageId)
                m_original = message;
}

Result<void> Tracer::run(Trace &trace, const JobContext &job)
{
    trace.calls.resize(m_space.calls.size());
    findLines(trace.calls);
    findParents(trace.calls);
    for (std::size_t i = 0; i < trace.calls.size(); ++i) {
        if ((i & 63) == 0) {
            if (job.stopped())
                return failure(Error::Code::Cancelled, "trace", "stopped");
            if ((i & 1023) == 0)
                job.report(static_cast<double>(i) / static_cast<double>(trace.calls.size()), "Tracing");
        }
        place(i, trace);
    }
    findReadBacks(trace);
    return {};
}

void Tracer::findLines(std::vector<TracedCall> &calls)
{
    m_lineOf.resize(calls.size());
    std::size_t looked = 0;
    for (std::size_t i = 0; i < calls.size(); ++i) {
        const MessageLog &log = m_space.calls[i].log;
        if (i == 0 || !continues(m_lines.back().log, log)) {
            m_lines.emplace_back();
            looked = 0;
        }
        Line &line = m_lines.back();
        for (std::size_t at = looked; at < log.size(); ++at) {
            const MessagePtr &message = log[at];
            if (isSummary(*message))
                line.summaries.push_back(at);
            else if (match(message).found || (!evictedTo(*message).empty() && match(stub(message)).found))
                line.hits.push_back(at);
        }
        looked = log.size();
        line.log = log;
        m_lineOf[i] = m_lines.size() - 1;
    }
}

void Tracer::findParents(std::vector<TracedCall> &calls) const
{
    std::unordered_map<std::int64_t, std::int32_t> lastAt; // checkpoint → last call that starts from it
    for (std::size_t i = 0; i < calls.size(); ++i) {
        const Call &call = m_space.calls[i];
        std::int32_t parent = -1;
        CheckpointIndex at = call.checkpoint;
        while (at.isValid() && parent < 0) {
            if (const auto found = lastAt.find(at.value); found != lastAt.end())
                parent = found->second;
            at = m_space.checkpoints[at.at()].parent;
        }
        // A cut or pruned history: the call before is the best there is.
        if (parent < 0 && i > 0 && call.log.size() >= m_space.calls[i - 1].log.size() && !call.checkpoint.isValid())
            parent = static_cast<std::int32_t>(i) - 1;
        if (call.checkpoint.isValid())
            lastAt[call.checkpoint.value] = static_cast<std::int32_t>(i);
        calls[i].parent = parent;
        const EventPtr before = parent < 0 ? nullptr : m_space.calls[static_cast<std::size_t>(parent)].event;
        calls[i].eventMade = call.event && call.event != before && !(before && *call.event == *before);
    }
}

MessagePtr Tracer::stub(const MessagePtr &message)
{
    if (message->kind != MessageKind::Human || evictedTo(*message).empty())
        return message;
    MessagePtr &made = m_stubs[message.get()];
    if (!made) {
        m_kept.push_back(message);
        made = m_requests.of(MessageLog({message}), nullptr, 1).messages.front();
    }
    return made;
}

bool Tracer::shortens(const MessagePtr &message, const TruncateArgsSettings &rule)
{
    MessagePtr &made = m_shortened[message.get()];
    if (!made) {
        m_kept.push_back(message);
        made = truncateToolCalls(message, rule);
        if (!made)
            made = message;
    }
    return made != message;
}

BodyHit Tracer::compare(const Message &message) const
{
    BodyHit hit;
    if (message.id != m_query.messageId || !m_original)
        return hit;
    const bool sameContent = message.content == m_original->content;
    const bool sameCalls = message.toolCalls == m_original->toolCalls;
    const std::string text = textOf(message);
    hit.sentence = sentenceAround(text, {0, 0});
    hit.inArguments = !m_original->toolCalls.asList().empty();
    if (stubLink(text)) {
        const std::vector<std::string> preview = previewTexts(stubPreview(text));
        hit.found = true;
        hit.inPreview = true;
        hit.sentence = joined(preview);
    } else if (sameContent && sameCalls) {
        hit.found = true;
        hit.inText = true;
    } else if (!sameContent) {
        // Cut by the middleware: a part of it is left.
        hit.found = true;
        hit.inPreview = true;
    }
    return hit;
}

BodyHit Tracer::search(const Message &message) const
{
    BodyHit hit;
    const Needle &needle = m_query.needle;
    visitParts(message, [&](const MessagePart &part) {
        const auto range = needle.find(part.text);
        if (!range)
            return true;
        if (part.kind == MessagePart::Kind::Arguments) {
            hit.inArguments = true;
            if (!hit.found)
                hit.sentence = sentenceAround(part.text, *range);
            hit.found = true;
            return false;
        }
        if (hit.found)
            return true;
        hit.found = true;
        hit.inText = true;
        hit.block = part.block;
        hit.sentence = sentenceAround(part.text, *range);
        return true;
    });
    const std::string text =
        message.kind == MessageKind::Tool || message.kind == MessageKind::Human ? textOf(message) : std::string();
    if (text.empty() || !stubLink(text))
        return hit;
    for (const std::string &shown : previewTexts(stubPreview(text))) {
        if (const auto range = needle.find(shown)) {
            hit.found = true;
            hit.inPreview = true;
            hit.sentence = sentenceAround(shown, *range);
            break;
        }
    }
    return hit;
}

const BodyHit &Tracer::match(const MessagePtr &message)
{
    if (const auto known = m_bodies.find(message.get()); known != m_bodies.end())
        return known->second;
    return m_bodies.emplace(message.get(), m_query.messageId ? compare(*message) : search(*message)).first->second;
}

Projection Tracer::projection(std::size_t call) const
{
    const Call &at = m_space.calls[call];
    return projectionOf(at.log.size(), at.event.get());
}

const Settings *Tracer::settingsAt(std::size_t call) const
{
    return m_options.settings ? &settingsFor(*m_options.settings, m_space.name, static_cast<std::int64_t>(call) + 1)
                              : nullptr;
}

Dialect Tracer::dialectAt(std::size_t call) const
{
    const Settings *settings = settingsAt(call);
    const Result<DialectChoice> choice = dialectFor(settings ? settings->dialect : recordedDialect(*m_thread));
    return choice ? choice->dialect : knownDialects().front();
}

CompactionRules Tracer::rulesAt(std::size_t call) const
{
    const Settings *settings = settingsAt(call);
    return rulesFor(settings ? *settings : Settings(), dialectAt(call));
}

std::int64_t Tracer::truncatedUntil(std::size_t call)
{
    if (m_truncated[call] >= 0)
        return m_truncated[call];
    std::int64_t &until = m_truncated[call];
    until = 0;
    const Settings *settings = settingsAt(call);
    if (!settings)
        return until;
    const CompactionRules rules = rulesAt(call);
    if (!rules.truncateArgs)
        return until;
    // It was decided on what the event before the call left of the log.
    Line &line = m_lines[m_lineOf[call]];
    if (!line.counted || line.countedFor != settings) {
        auto counted = std::make_shared<CountedLog>(rules.counter, rules.truncateArgs);
        std::vector<MessagePtr> messages;
        messages.reserve(line.log.size());
        for (const MessagePtr &message : line.log)
            messages.push_back(stub(message));
        counted->append(messages);
        line.counted = std::move(counted);
        line.countedFor = settings;
    }
    const Call &at = m_space.calls[call];
    const EventPtr before = eventBefore(m_space, at);
    const Projection projection = projectionOf(at.log.size(), before.get());
    RequestView view;
    view.log = line.counted;
    view.first = projection.first.value;
    view.end = static_cast<std::int64_t>(at.log.size());
    view.reasoningFrom = projection.reasoningFrom.value;
    view.ignoresUsage = settings->usage == Settings::Usage::Ignore || !settings->model.reportsUsage;
    if (projection.summary && before->summaryMessage) {
        view.summary = before->summaryMessage;
        view.summaryTokens = messageTokens(*view.summary, rules.counter.charsPerToken).value_or(0);
    }
    const ArgumentTruncation truncation = truncateArgs(view, view.count(requestBase(*settings, rules)), rules);
    if (truncation.changed > 0)
        until = truncation.view.truncatedUntil;
    return until;
}

MessagePtr Tracer::shown(std::size_t call, MessageIndex raw)
{
    MessagePtr message = stub(m_space.calls[call].log[raw.at()]);
    if (message->kind != MessageKind::Ai)
        return message;
    if (const Settings *settings = settingsAt(call)) {
        const CompactionRules rules = rulesFor(*settings, dialectAt(call));
        if (rules.truncateArgs && shortens(message, *rules.truncateArgs) && raw.value < truncatedUntil(call))
            message = m_shortened[message.get()];
    }
    if (raw < projection(call).reasoningFrom) {
        MessagePtr &unbound = m_unbound[message.get()];
        if (!unbound) {
            m_kept.push_back(message);
            unbound = dropBoundReasoning(message);
        }
        message = unbound;
    }
    return message;
}

std::vector<MessageIndex> Tracer::hits(std::size_t call) const
{
    const std::vector<std::size_t> &all = m_lines[m_lineOf[call]].hits;
    const std::size_t size = m_space.calls[call].log.size();
    std::vector<MessageIndex> places;
    for (const std::size_t at : all) {
        if (at >= size)
            break;
        places.emplace_back(at);
    }
    return places;
}

TracePlacePtr Tracer::messagePlace(TraceKind kind, const MessagePtr &shown, MessageIndex raw)
{
    TracePlacePtr &made = m_places[shown.get()];
    if (made && made->kind == kind && made->raw == raw)
        return made;
    const BodyHit &hit = match(shown);
    auto place = std::make_shared<TracePlace>();
    place->kind = kind;
    place->messageId = shown->id;
    place->raw = raw;
    place->block = hit.block;
    place->text = hit.sentence;
    made = std::move(place);
    return made;
}

void Tracer::placeMessages(std::size_t call, TracedCall &traced)
{
    const Line &line = m_lines[m_lineOf[call]];
    const std::size_t size = m_space.calls[call].log.size();
    const std::size_t first = projection(call).first.at();
    std::array<std::size_t, 3> counts{};
    const auto add = [&](TraceKind kind, const MessagePtr &message, MessageIndex raw) {
        std::size_t &count = counts[static_cast<std::size_t>(kind) - static_cast<std::size_t>(TraceKind::Verbatim)];
        if (count++ < placesOfAKind)
            traced.where.push_back(messagePlace(kind, message, raw));
        else
            ++traced.more;
    };
    const auto begin = std::lower_bound(line.hits.begin(), line.hits.end(), first);
    for (auto at = begin; at != line.hits.end() && *at < size; ++at) {
        if (counts[0] >= placesOfAKind) {
            traced.more += std::lower_bound(at, line.hits.end(), size) - at;
            break;
        }
        const MessageIndex raw(*at);
        const MessagePtr &whole = m_space.calls[call].log[*at];
        const MessagePtr message = shown(call, raw);
        const BodyHit hit = match(message);
        if (hit.found)
            add(hit.inPreview ? TraceKind::StubPreview : TraceKind::Verbatim, message, raw);
        else if (message != whole && match(whole).inArguments && message->toolCalls != whole->toolCalls)
            add(TraceKind::ArgumentTruncated, message, raw);
    }
    std::stable_sort(traced.where.begin(), traced.where.end(),
        [](const TracePlacePtr &a, const TracePlacePtr &b) { return a->kind < b->kind; });
}

TracePlacePtr Tracer::similar(const MessagePtr &summary)
{
    const auto [known, fresh] = m_similar.try_emplace(summary.get());
    if (!fresh)
        return known->second;
    if (!m_termsKnown) {
        m_termsKnown = true;
        std::string text = m_original ? textOf(*m_original) : m_query.needle.text();
        if (m_query.needle.kind() == NeedleKind::Regex || m_query.needle.kind() == NeedleKind::FoldedRegex) {
            text.clear();
            for (const Line &line : m_lines)
                if (text.empty() && !line.hits.empty())
                    text = match(line.log[line.hits.front()]).sentence;
        }
        m_terms = keyTerms(text);
    }
    const std::optional<SimilarText> nearest = nearestSentence(textOf(*summary), m_terms);
    if (!nearest)
        return nullptr;
    auto place = std::make_shared<TracePlace>();
    place->kind = TraceKind::Similar;
    place->messageId = summary->id;
    place->text = nearest->sentence;
    place->shared = texts(nearest->shared);
    place->missing = texts(nearest->missing);
    known->second = std::move(place);
    return known->second;
}

void Tracer::placeSummaries(std::size_t call, TracedCall &traced)
{
    const Line &line = m_lines[m_lineOf[call]];
    const Call &at = m_space.calls[call];
    const Projection projected = projection(call);
    std::vector<MessagePtr> summaries;
    if (projected.summary && at.event->summaryMessage)
        summaries.push_back(at.event->summaryMessage);
    for (const std::size_t place : line.summaries)
        if (place >= projected.first.at() && place < at.log.size())
            summaries.push_back(at.log[place]);
    const bool replaced = !line.hits.empty() && (line.hits.front() < projected.first.at() || !line.summaries.empty());
    std::vector<TracePlacePtr> similars;
    for (const MessagePtr &summary : summaries) {
        const bool verbatim = m_query.messageId ? m_query.needle.isIn(textOf(*summary)) : match(summary).found;
        if (verbatim) {
            TracePlacePtr &made = m_places[summary.get()];
            if (!made) {
                const std::string text = textOf(*summary);
                auto place = std::make_shared<TracePlace>();
                place->kind = TraceKind::Summary;
                place->messageId = summary->id;
                if (const auto range = m_query.needle.find(text))
                    place->text = sentenceAround(text, *range);
                made = std::move(place);
            }
            traced.where.push_back(made);
        } else if (replaced || traced.parent >= 0) {
            if (TracePlacePtr place = similar(summary))
                similars.push_back(std::move(place));
        }
    }
    traced.where.insert(traced.where.end(), similars.begin(), similars.end());
}

void Tracer::placeFiles(std::size_t call, TracedCall &traced)
{
    const Call &at = m_space.calls[call];
    std::vector<FileHitPtr> found = m_files.at(at);
    if (m_query.messageId) {
        // A message is where its stub points and where its section holds it, also where its words are not searched for.
        const std::vector<MessageIndex> places = hits(call);
        if (!places.empty()) {
            const MessageIndex raw = places.back();
            const MessagePtr &message = at.log[raw.at()];
            std::optional<ArtifactLink> link = stubLink(textOf(*message));
            const std::string path = link ? link->path : evictedTo(*message);
            if (!path.empty())
                if (FileHitPtr whole = m_files.whole(at, path))
                    found.insert(found.begin(), std::move(whole));
            const bool known =
                std::any_of(found.begin(), found.end(), [](const FileHitPtr &hit) { return hit->archive; });
            if (raw < projection(call).first && !known)
                if (FileHitPtr archived = m_files.archived(at, raw))
                    found.push_back(std::move(archived));
        }
    }
    const std::size_t summariesAt =
        static_cast<std::size_t>(std::find_if(traced.where.begin(), traced.where.end(), [](const TracePlacePtr &place) {
            return place->kind > TraceKind::File;
        }) - traced.where.begin());
    std::vector<TracePlacePtr> files;
    for (const FileHitPtr &hit : found) {
        TracePlacePtr &made = m_filePlaces[hit.get()];
        if (!made) {
            auto place = std::make_shared<TracePlace>();
            place->kind = hit->archive ? TraceKind::Archive : TraceKind::File;
            place->path = hit->path;
            place->line = hit->line;
            place->lines = hit->lines;
            place->readable = hit->readable;
            place->section = hit->section;
            place->sectionTime = hit->sectionTime;
            place->text = hit->text;
            made = std::move(place);
        }
        if (hit->archive)
            traced.where.push_back(made);
        else if (files.size() < placesOfAKind)
            files.push_back(made);
    }
    traced.where.insert(traced.where.begin() + static_cast<std::ptrdiff_t>(summariesAt), files.begin(), files.end());
}

void Tracer::place(std::size_t call, Trace &trace)
{
    TracedCall &traced = trace.calls[call];
    placeMessages(call, traced);
    placeSummaries(call, traced);
    placeFiles(call, traced);
    const std::vector<std::size_t> &lineHits = m_lines[m_lineOf[call]].hits;
    bool appeared = !lineHits.empty() && lineHits.front() < m_space.calls[call].log.size();
    const auto similarOnly = [](const TracePlacePtr &place) { return place->kind == TraceKind::Similar; };
    appeared = appeared || !std::all_of(traced.where.begin(), traced.where.end(), similarOnly);
    const TracedCall *parent = traced.parent < 0 ? nullptr : &trace.calls[static_cast<std::size_t>(traced.parent)];
    appeared = appeared || (parent && !parent->has(TraceKind::NotYet));
    if (!appeared)
        traced.where.clear(); // a summary of other things
    trace.found = trace.found || appeared;
    if (!traced.where.empty() && !std::all_of(traced.where.begin(), traced.where.end(), similarOnly))
        return;
    if (traced.where.empty())
        traced.where.push_back(bare(appeared ? TraceKind::Nowhere : TraceKind::NotYet));
}

void Tracer::findReadBacks(Trace &trace)
{
    for (std::size_t i = 0; i < m_lines.size(); ++i) {
        const Line &line = m_lines[i];
        for (const std::size_t at : line.hits) {
            const MessagePtr &message = line.log[at];
            if (!readsFiles(*message) || !message->toolCallId)
                continue;
            std::string path;
            for (std::size_t before = at; before-- > 0 && path.empty();) {
                for (const ToolCallView &call : toolCalls(*line.log[before]))
                    if (call.id == *message->toolCallId)
                        path = call.args->contains("file_path") ? (*call.args)["file_path"].asText()
                                                                : (*call.args)["path"].asText();
                if (line.log[before]->kind == MessageKind::Human)
                    break;
            }
            if (path.empty())
                continue;
            const auto first = std::find(m_lineOf.begin(), m_lineOf.end(), i);
            for (auto call = first; call != m_lineOf.end() && *call == i; ++call) {
                const auto number = static_cast<std::size_t>(call - m_lineOf.begin());
                if (m_space.calls[number].log.size() <= at)
                    continue;
                std::vector<std::size_t> &calls = trace.readBack[path];
                if (std::find(calls.begin(), calls.end(), number) == calls.end())
                    calls.push_back(number);
                break;
            }
        }
    }
}

} // namespace palimpsest
