// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/artifacts/folderproposal.h"
#include "core/thread/thread.h"

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace palimpsest {

/// Everything wrong or lost in a thread, looked up by message. Made once by a worker, then immutable.
class ThreadFindings {
public:
    ThreadFindings(ThreadPtr thread, std::vector<Finding> all, std::vector<FolderProposal> proposals = {});

    [[nodiscard]] const ThreadPtr &thread() const { return m_thread; }
    [[nodiscard]] const std::vector<Finding> &all() const { return m_all; }
    /// Folders that hold files of the names of those that are missing.
    [[nodiscard]] const std::vector<FolderProposal> &proposals() const { return m_proposals; }
    /// What concerns one message; empty when nothing does.
    [[nodiscard]] std::vector<const Finding *> of(std::string_view ns, std::string_view messageId) const;

private:
    static std::string keyOf(std::string_view ns, std::string_view messageId);

    ThreadPtr m_thread; ///< what they were found in
    std::vector<Finding> m_all;
    std::vector<FolderProposal> m_proposals;
    std::unordered_map<std::string, std::vector<std::size_t>> m_byMessage; ///< places in `m_all`
};
using ThreadFindingsPtr = std::shared_ptr<const ThreadFindings>;

/// What reading a thread found: its own findings and those of its checkpoints, each once.
std::vector<Finding> findingsOf(const Thread &thread);

} // namespace palimpsest
