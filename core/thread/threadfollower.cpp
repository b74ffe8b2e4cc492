// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/thread/threadfollower.h"

#include "core/thread/subagents.h"

#include <numeric>

namespace palimpsest {
namespace {

std::size_t eventCount(const Thread &thread)
{
    return std::accumulate(thread.namespaces.begin(), thread.namespaces.end(), std::size_t(0),
        [](std::size_t sum, const ThreadNamespace &space) { return sum + space.eventCheckpoints.size(); });
}

} // namespace

ThreadFollower::ThreadFollower(CheckpointSource &source, std::string threadId, LoadOptions options)
    : m_source(source)
    , m_threadId(std::move(threadId))
    , m_options(std::move(options))
{
}

Result<ThreadPtr> ThreadFollower::poll(const JobContext &job)
{
    m_job = job;
    // Before reading: what is written meanwhile is seen the next time.
    Result<std::string> mark = m_source.changeMark(m_threadId);
    if (!mark)
        return tl::unexpected(mark.error());
    if (m_thread && *mark == m_mark)
        return ThreadPtr();
    if (Result<void> begun = m_source.beginRead(); !begun)
        return tl::unexpected(begun.error());
    bool changed = false;
    Result<ThreadPtr> thread = m_thread ? extend(changed) : ThreadPtr();
    if (thread && !*thread && !changed) {
        thread = loadAll();
        changed = true;
    }
    if (m_source.endRead()) {
        // Two states may be mixed: what was read is not kept.
        m_loaders.clear();
        m_thread.reset();
        return ThreadPtr();
    }
    if (!thread) {
        m_loaders.clear();
        m_thread.reset();
        return thread;
    }
    m_mark = std::move(*mark);
    m_thread = *thread;
    return changed ? *thread : ThreadPtr();
}

Result<ThreadPtr> ThreadFollower::loadAll()
{
    m_loaders.clear();
    const Result<std::vector<std::string>> spaces = m_source.namespaces(m_threadId);
    if (!spaces)
        return tl::unexpected(spaces.error());
    if (spaces->empty())
        return failure(Error::Code::NotFound, m_source.info().location, "there is no thread " + m_threadId);
    std::vector<Finding> findings = m_source.info().findings;
    for (const std::string &ns : *spaces) {
        auto loader = std::make_unique<NamespaceLoader>(m_source, m_threadId, m_options, m_job);
        loader->keepOpen();
        if (Result<ThreadNamespace> space = loader->load(ns); !space)
            return tl::unexpected(space.error());
        for (Finding &finding : loader->takeFindings())
            findings.push_back(std::move(finding));
        m_loaders.emplace(ns, std::move(loader));
    }
    if (auto store = m_source.store())
        m_store = std::move(*store);
    return assemble(std::move(findings));
}

Result<ThreadPtr> ThreadFollower::extend(bool &changed)
{
    const Result<std::vector<std::string>> spaces = m_source.namespaces(m_threadId);
    if (!spaces)
        return tl::unexpected(spaces.error());
    if (spaces->size() < m_loaders.size())
        return ThreadPtr();
    for (const std::string &ns : *spaces) {
        std::unique_ptr<NamespaceLoader> &loader = m_loaders[ns];
        if (!loader) {
            loader = std::make_unique<NamespaceLoader>(m_source, m_threadId, m_options, m_job);
            loader->keepOpen();
            if (Result<ThreadNamespace> space = loader->load(ns); !space)
                return tl::unexpected(space.error());
            changed = true;
            continue;
        }
        bool grown = false;
        const Result<bool> extended = loader->extend(grown);
        if (!extended)
            return tl::unexpected(extended.error());
        if (!*extended) {
            changed = false;
            return ThreadPtr();
        }
        changed |= grown;
    }
    if (!changed)
        return m_thread;
    ThreadPtr thread = assemble(m_thread->findings);
    // An archive in the store is written with its event.
    if (eventCount(*thread) != eventCount(*m_thread)) {
        if (auto store = m_source.store()) {
            m_store = std::move(*store);
            thread = assemble(m_thread->findings);
        }
    }
    return thread;
}

ThreadPtr ThreadFollower::assemble(std::vector<Finding> findings)
{
    auto thread = std::make_shared<Thread>();
    thread->id = m_threadId;
    thread->language = m_source.info().language;
    thread->findings = std::move(findings);
    thread->store = m_store;
    std::vector<std::vector<TaskWrites>> tasks;
    for (const auto &[ns, loader] : m_loaders) {
        thread->namespaces.push_back(loader->space());
        tasks.push_back(loader->inputs().tasks);
    }
    if (m_options.calls)
        thread->subagents = linkSubagents(*thread, tasks);
    return thread;
}

} // namespace palimpsest
