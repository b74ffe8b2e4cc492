// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/tracing.h"

#include "core/insight/infer/infer.h"

namespace palimpsest {
Result<TracePtr> traceFor(const TraceQuestion &question, const std::vector<ArtifactFolder> &folders,
    const JobContext &job, const std::function<void(Result<TracePtr>)> &first)
{
    const ThreadNamespace *space = question.thread->find(question.ns);
    if (!space)
        return failure(Error::Code::NotFound, question.ns, "is no namespace of this thread");
    const Result<TraceQuery> query = question.message ? TraceQuery::message(*space, *question.message)
                                                      : TraceQuery::text(question.text, question.kind);
    if (!query)
        return tl::unexpected(query.error());
    TraceOptions options;
    options.folders = folders;
    const auto shared = [](Trace &&made) -> TracePtr { return std::make_shared<const Trace>(std::move(made)); };
    Result<Trace> places = trace(question.thread, question.ns, *query, options, job);
    if (!places)
        return tl::unexpected(places.error());
    const bool worth = places->found && !space->eventCheckpoints.empty();
    TracePtr answer = shared(std::move(*places));
    if (!worth)
        return answer;
    first(answer);
    const auto settings = inferredSettings(question.thread, question.ns, folders, job);
    if (!settings || !*settings)
        return answer;
    options.settings = &**settings;
    Result<Trace> whole = trace(question.thread, question.ns, *query, options, job);
    return whole ? Result<TracePtr>(shared(std::move(*whole))) : Result<TracePtr>(answer);
}

} // namespace palimpsest
