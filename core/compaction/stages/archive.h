// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/artifacts/backend.h"
#include "core/thread/message.h"

#include <optional>
#include <string>
#include <vector>

namespace palimpsest {

/// The archive's file for a name ("session_ab12cd34", or a thread id up to 0.7.5):
/// <root>/conversation_history/<name>.md.
std::string archivePath(const ArtifactBackend &backend, std::string_view name);

/// One section as it is written: the time in Python's isoformat, the messages in LangChain's XML (without earlier
/// summaries).
Attempt<std::string> archiveSection(const std::vector<MessagePtr> &messages, std::string_view timestamp);

struct ArchiveWrite {
    std::optional<std::string> path; ///< null: the write failed, the event gets `file_path` null
    std::string triedPath;
    std::string warning; ///< why it failed, as upstream logs it; empty when it did not
    std::int64_t archivedMessages = 0;
    std::int64_t leftOut = 0; ///< summaries of earlier events
};

/// `_offload_to_backend` (deepagents/middleware/summarization.py, 0.7.7 and 0.7.32): appends a section to the archive.
/// `timestamp` is what datetime.now(UTC).isoformat() gave. Raises only where upstream does: for messages that the XML
/// has no form for.
Attempt<ArchiveWrite> offloadToBackend(const std::vector<MessagePtr> &messages, std::string_view name,
    std::string_view timestamp, ArtifactBackend &backend);

} // namespace palimpsest
