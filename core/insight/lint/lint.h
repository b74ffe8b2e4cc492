// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/artifacts/artifactview.h"
#include "core/base/jobcontext.h"
#include "core/base/result.h"
#include "core/compaction/settings.h"
#include "core/thread/thread.h"

#include <optional>
#include <string>
#include <vector>

namespace palimpsest {

struct LintOptions {
    const SettingsSet *settings = nullptr; ///< of the run; null: they are inferred where events tell them
    bool infer = true; ///< false: rules that need settings are silent without
    bool secrets = false; ///< look for keys and tokens in texts; reports place and kind, never the value
    std::vector<ArtifactFolder> folders; ///< where archives and other files may be, beside the state and the store
    std::vector<std::string> searched; ///< folders where a missing archive is looked for by its name, to be proposed
};

/// Everything wrong or lost in a thread: what reading it found (thread and checkpoints) and what the rules see, by
/// namespace and first checkpoint. What holds at many checkpoints is said once, at the first, with the last one in
/// `evidence.last_checkpoint_id`; only incomplete checkpoints each say so. Error Cancelled when the job was stopped.
Result<std::vector<Finding>> lint(const Thread &thread, const LintOptions &options, const JobContext &job);

/// The options for a source: its folders are looked at for files, and around it missing archives are looked for.
LintOptions lintOptionsFor(const SourceInfo &source);

/// The findings by the checkpoint of `ns` that they stand at: those of `lint`, and what reading each checkpoint itself
/// found, also where `lint` has said it before.
std::vector<std::vector<Finding>> findingsByCheckpoint(const std::vector<Finding> &findings, const ThreadNamespace &ns);

} // namespace palimpsest
