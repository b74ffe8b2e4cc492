// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/trace/trace.h"

#include "core/compaction/replayinput.h"
#include "core/compaction/settings.h"
#include "core/compaction/threadartifacts.h"
#include "core/insight/trace/keepsit.h"
#include "core/insight/trace/losses.h"
#include "core/insight/trace/tracer.h"
#include "core/values/pyjson.h"

#include <algorithm>

namespace palimpsest {
namespace {

MessagePtr findMessage(const ThreadNamespace &space, const std::string &id)
{
    const auto in = [&](const MessageLog &log) -> MessagePtr {
        for (const MessagePtr &message : log)
            if (message->id == id)
                return message;
        return nullptr;
    };
    if (const auto versions = space.versions.find(id); versions != space.versions.end())
        for (const BodyVersion &version : versions->second)
            if (version.body)
                return version.body;
    for (const CheckpointIndex head : space.heads)
        if (MessagePtr found = in(space.checkpoints[head.at()].messages))
            return found;
    for (const Call &call : space.calls)
        if (call.event && call.event->summaryMessage && call.event->summaryMessage->id == id)
            return call.event->summaryMessage;
    for (const Checkpoint &checkpoint : space.checkpoints)
        if (MessagePtr found = in(checkpoint.messages))
            return found;
    return nullptr;
}

} // namespace

std::string_view traceKindName(TraceKind kind)
{
    switch (kind) {
    case TraceKind::NotYet:
        return "not-yet";
    case TraceKind::Verbatim:
        return "verbatim";
    case TraceKind::ArgumentTruncated:
        return "argument-truncated";
    case TraceKind::StubPreview:
        return "stub-preview";
    case TraceKind::File:
        return "file";
    case TraceKind::Summary:
        return "summary";
    case TraceKind::Similar:
        return "similar";
    case TraceKind::Archive:
        return "archive";
    case TraceKind::Nowhere:
        break;
    }
    return "nowhere";
}

std::string_view blameName(SummaryBlame blame)
{
    switch (blame) {
    case SummaryBlame::Trimmed:
        return "input-trimmed";
    case SummaryBlame::TruncatedArgument:
        return "input-argument-truncated";
    case SummaryBlame::Stub:
        return "input-stub";
    case SummaryBlame::DroppedBlock:
        return "input-block-dropped";
    case SummaryBlame::SummaryOmits:
        return "summary-omits";
    case SummaryBlame::LaterSummaryLost:
        return "later-summary-lost";
    case SummaryBlame::None:
        break;
    }
    return {};
}

bool TracedCall::has(TraceKind kind) const
{
    return std::any_of(where.begin(), where.end(), [kind](const TracePlacePtr &place) { return place->kind == kind; });
}

Result<TraceQuery> TraceQuery::text(std::string text, NeedleKind kind)
{
    Result<Needle> needle = Needle::make(std::move(text), kind);
    if (!needle)
        return tl::unexpected(needle.error());
    return TraceQuery{std::move(*needle), std::nullopt};
}

Result<TraceQuery> TraceQuery::message(const ThreadNamespace &space, const std::string &id)
{
    const MessagePtr message = findMessage(space, id);
    if (!message)
        return failure(Error::Code::NotFound, "--message",
            "no message of namespace \"" + space.name + "\" has the id \"" + id + "\"; `palimpsest dump` lists them");
    std::string text = textOf(*message);
    PyJsonOptions json;
    json.ensureAscii = false;
    for (const ToolCallView &call : toolCalls(*message))
        if (text.empty())
            text = pyjson(*call.args, json).value_or("");
    Result<Needle> needle = Needle::make(text.empty() ? id : std::move(text));
    if (!needle)
        return tl::unexpected(needle.error());
    return TraceQuery{std::move(*needle), id};
}

Result<Trace> trace(const ThreadPtr &thread, const std::string &ns, const TraceQuery &query,
    const TraceOptions &options, const JobContext &job)
{
    const ThreadNamespace *space = thread->find(ns);
    if (!space)
        return failure(Error::Code::NotFound, thread->id, "has no namespace \"" + ns + "\"");
    Trace trace;
    trace.needle = query.messageId.value_or(query.needle.text());
    Tracer tracer(thread, *space, query, options);
    if (const Result<void> done = tracer.run(trace, job); !done)
        return tl::unexpected(done.error());
    if (options.first)
        options.first(trace);
    findLosses(trace, tracer);
    if (options.replays && options.settings && trace.lostAt) {
        const ReplayInputPtr input = ReplayInput::make(thread, ns, threadArtifacts(thread, ns, options.folders));
        Result<std::vector<KeepsIt>> kept = findKeepsIt(input, *options.settings, trace, query, job);
        if (!kept)
            return tl::unexpected(kept.error());
        trace.keepsIt = std::move(*kept);
    }
    return trace;
}

} // namespace palimpsest
