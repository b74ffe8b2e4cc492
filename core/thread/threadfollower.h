// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/thread/namespaceloader.h"
#include "core/thread/threadreader.h"

#include <map>
#include <memory>

namespace palimpsest {

/// Reads a thread that another process goes on with: first in full, then only what was added, into a new immutable
/// Thread that shares all else with the one before. Used by one thread at a time, as its source.
class ThreadFollower {
public:
    /// The source must outlive this object.
    ThreadFollower(CheckpointSource &source, std::string threadId, LoadOptions options = {});

    /// The thread as it is now, or null when it has not changed since it was asked for last. Asking costs a look at the
    /// file's stamps, or a few look-ups in an index. Rows that were changed or deleted in place show when the thread is
    /// read in full again, which happens when what was added does not carry on from what is known (a fork, a new
    /// beginning).
    Result<ThreadPtr> poll(const JobContext &job);

private:
    Result<ThreadPtr> loadAll();
    /// Null: to be read in full again.
    Result<ThreadPtr> extend(bool &changed);
    [[nodiscard]] ThreadPtr assemble(std::vector<Finding> findings);

    CheckpointSource &m_source;
    std::string m_threadId;
    LoadOptions m_options;
    JobContext m_job; ///< of the call that runs
    std::string m_mark;
    std::map<std::string, std::unique_ptr<NamespaceLoader>> m_loaders;
    std::map<std::string, std::map<std::string, Value>> m_store;
    ThreadPtr m_thread;
};

} // namespace palimpsest
