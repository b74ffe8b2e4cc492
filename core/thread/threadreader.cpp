// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/thread/threadreader.h"

#include "core/thread/namespaceloader.h"
#include "core/thread/subagents.h"

#include <algorithm>

namespace palimpsest {
namespace {

/// A source that another process writes to is read again this often before what was read is taken as it is.
constexpr int attempts = 3;

/// A namespace with more checkpoints than this is shown before it is read in full.
constexpr std::int64_t newestRows = 400;

/// Gives what can be shown soonest: the newest part of the root namespace.
void showNewest(CheckpointSource &source, const std::string &threadId, NamespaceLoader &loader, const std::string &ns,
    const LoadOptions &options)
{
    Result<std::optional<ThreadNamespace>> newest = loader.loadNewest(ns, newestRows);
    if (!newest || !*newest)
        return;
    auto thread = std::make_shared<Thread>();
    thread->id = threadId;
    thread->language = source.info().language;
    thread->namespaces.push_back(std::move(**newest));
    options.partial(std::move(thread));
}

Result<std::shared_ptr<Thread>> loadOnce(
    CheckpointSource &source, const std::string &threadId, const LoadOptions &options, const JobContext &job)
{
    const Result<std::vector<std::string>> spaces = source.namespaces(threadId);
    if (!spaces)
        return tl::unexpected(spaces.error());
    if (spaces->empty())
        return failure(Error::Code::NotFound, source.info().location, "there is no thread " + threadId);
    auto thread = std::make_shared<Thread>();
    thread->id = threadId;
    thread->language = source.info().language;
    thread->findings = source.info().findings;
    std::vector<std::vector<TaskWrites>> tasks;
    for (const std::string &ns : *spaces) {
        if (options.onlyNamespace && ns != *options.onlyNamespace)
            continue;
        NamespaceLoader loader(source, threadId, options, job);
        if (options.partial && thread->namespaces.empty())
            showNewest(source, threadId, loader, ns, options);
        Result<ThreadNamespace> space = loader.load(ns);
        for (Finding &finding : loader.takeFindings())
            thread->findings.push_back(std::move(finding));
        if (space) {
            thread->namespaces.push_back(std::move(*space));
            tasks.push_back(loader.inputs().tasks);
            continue;
        }
        if (space.error().code == Error::Code::Cancelled)
            return tl::unexpected(space.error());
        Finding finding;
        finding.rule = "damaged-file";
        finding.severity = Finding::Severity::Error;
        finding.message = "The namespace cannot be read: " + space.error().what + ".";
        finding.checkpointNs = ns;
        thread->findings.push_back(std::move(finding));
    }
    if (thread->namespaces.empty() && options.onlyNamespace && thread->findings.size() == source.info().findings.size())
        return failure(Error::Code::NotFound, source.info().location,
            "the thread has no namespace \"" + *options.onlyNamespace + "\"");
    if (thread->namespaces.empty())
        return failure(Error::Code::Malformed, source.info().location,
            thread->findings.empty() ? "nothing of the thread can be read" : thread->findings.back().message);
    if (options.calls)
        thread->subagents = linkSubagents(*thread, tasks);
    if (Result<std::map<std::string, std::map<std::string, Value>>> store = source.store())
        thread->store = std::move(*store);
    return thread;
}

} // namespace

Result<ThreadPtr> loadThread(
    CheckpointSource &source, const std::string &threadId, const LoadOptions &options, const JobContext &job)
{
    Result<std::shared_ptr<Thread>> thread;
    for (int i = 0; i < attempts; ++i) {
        if (Result<void> begun = source.beginRead(); !begun)
            return tl::unexpected(begun.error());
        thread = loadOnce(source, threadId, options, job);
        const bool mixed = source.endRead();
        if (!thread && thread.error().code == Error::Code::Cancelled)
            return tl::unexpected(thread.error());
        if (!mixed)
            break;
        if (thread && i + 1 == attempts) {
            Finding finding;
            finding.rule = "source-changing";
            finding.severity = Finding::Severity::Warning;
            finding.message =
                "Another process wrote the file while it was read, several times; what is shown may mix two states.";
            (*thread)->findings.push_back(std::move(finding));
        }
    }
    if (!thread)
        return tl::unexpected(thread.error());
    return ThreadPtr(std::move(*thread));
}

} // namespace palimpsest
