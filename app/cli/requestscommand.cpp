// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/requestscommand.h"

#include "app/cli/jsonoutput.h"
#include "app/cli/jsonparts.h"
#include "app/cli/openedthread.h"
#include "app/cli/settingsfile.h"
#include "core/compaction/nextrequest.h"
#include "core/compaction/recordedrequest.h"

#include <CLI/CLI.hpp>

#include <algorithm>

namespace palimpsest {
namespace {

void writeCall(
    JsonOutput &json, MessagePool &pool, const ThreadNamespace &space, const Call &call, const RecordedRequest &request)
{
    json.key("call").number(call.number.value).key("task_id").text(call.taskId);
    json.key("checkpoint_id")
        .text(space.checkpoints[call.checkpoint.at()].id)
        .key("step")
        .number(static_cast<std::int64_t>(call.step));
    json.key("messages");
    pool.writeKeys(json, request.messages);
    json.key("event_from")
        .textOrNull(eventFromName(call.eventFrom))
        .key("certainty")
        .text(certaintyName(request.certainty));
    json.key("outcome").text(call.outcome == Call::Outcome::Ok ? "ok" : "error").key("error").textOrNull(call.error);
    json.key("model").textOrNull(call.model).key("provider").textOrNull(call.provider).key("usage").value(call.usage);
}

/// A request that the source holds itself beside the one that the state says.
void writeComparison(
    JsonOutput &json, MessagePool &pool, const RecordedRequest &recorded, const RecordedRequest &derived)
{
    const std::optional<std::size_t> difference = firstDifference(recorded.messages, derived.messages);
    json.key("derived").beginObject().key("agrees").boolean(!difference).key("first_difference");
    if (difference)
        json.number(static_cast<std::int64_t>(*difference));
    else
        json.null();
    json.key("messages");
    pool.writeKeys(json, derived.messages);
    json.endObject();
}

void writeNext(JsonOutput &json, MessagePool &pool, const ThreadNamespace &space, const NextRequest &next)
{
    json.newline().beginObject().key("checkpoint_id").text(space.checkpoints[next.head.at()].id);
    json.key("resume").text(resumeName(next.resume)).key("first").text(firstName(next.first));
    json.key("patcher_runs").boolean(next.patcherRuns).key("patched").number(next.patched);
    json.key("unanswered_tool_calls").beginArray();
    for (const std::string &id : next.unanswered)
        json.text(id);
    json.endArray().key("messages");
    pool.writeKeys(json, next.request.messages);
    json.key("certainty").text(certaintyName(next.request.certainty)).endObject();
}

} // namespace

void RequestsCommand::declare(CLI::App &app)
{
    m_source.declare(app);
    m_source.declareFiles(app);
    app.add_option("--settings", m_settings, "Settings file: shortens arguments as it says");
    app.add_flag("--next", m_next, "Also what a resume would send from each head");
    app.add_flag("--json", m_json, "The only form there is");
}

Result<int> RequestsCommand::run(Console &console)
{
    Result<std::optional<SettingsSet>> given = optionalSettings(m_settings);
    if (!given)
        return tl::unexpected(given.error());
    std::optional<SettingsSet> settings = std::move(*given);
    const Result<OpenedThread> opened = openThread(m_source, console);
    if (!opened)
        return tl::unexpected(opened.error());
    const ThreadNamespace &space = *opened->space;
    if (!space.hasWrites)
        console.message("no calls can be told: the saver that wrote this file kept no writes");

    JsonOutput json(console.out());
    MessagePool pool;
    json.beginObject().key("format").text("palimpsest.requests/1").key("thread_id").text(opened->thread->id);
    json.key("checkpoint_ns").text(space.name).key("has_writes").boolean(space.hasWrites).key("requests").beginArray();
    const std::string dialect =
        settings ? settingsFor(*settings, space.name, 1).dialect : recordedDialect(*opened->thread);
    RecordedRequests requests(opened->thread, space, std::move(settings));
    requests.setBlobs(blobsOf(*opened));
    const JobContext job = console.job();
    const std::size_t count = space.calls.size();
    for (std::size_t i = 0; i < count; ++i) {
        if (job.stopped() || !console.out().good())
            return failure(Error::Code::Cancelled, {}, "stopped");
        if (i % std::max<std::size_t>(1, count / 50) == 0)
            job.report(static_cast<double>(i) / static_cast<double>(count), "Writing requests");
        json.newline().beginObject();
        const RecordedRequest request = requests.at(space.calls[i]);
        writeCall(json, pool, space, space.calls[i], request);
        if (space.calls[i].request)
            writeComparison(json, pool, request, requests.derived(space.calls[i]));
        json.endObject();
    }
    json.endArray().newline();
    if (m_next) {
        json.key("next").beginArray();
        for (const NextRequest &next : nextRequests(requests, *opened->thread, space, dialect))
            writeNext(json, pool, space, next);
        json.endArray().newline();
    }
    pool.writeBodies(json);
    json.endObject().newline();
    return 0;
}

} // namespace palimpsest
