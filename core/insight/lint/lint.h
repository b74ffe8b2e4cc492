// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/jobcontext.h"
#include "core/base/result.h"
#include "core/compaction/settings.h"
#include "core/thread/thread.h"

#include <optional>
#include <string>
#include <vector>

namespace palimpsest {

struct LintOptions {
    const SettingsSet *settings = nullptr; ///< of the run; rules that need them are silent without
    std::string settingsFrom; ///< how they were inferred, when the user did not give them
    bool secrets = false; ///< look for keys and tokens in texts; reports place and kind, never the value
};

/// Everything wrong or lost in a thread: what reading it found (thread and checkpoints) and what the rules see, by
/// namespace and first checkpoint. Error Cancelled when the job was stopped.
Result<std::vector<Finding>> lint(const Thread &thread, const LintOptions &options, const JobContext &job);

} // namespace palimpsest
