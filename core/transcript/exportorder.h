// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/jobcontext.h"
#include "core/compaction/settings.h"
#include "core/insight/trace/needle.h"
#include "core/transcript/formats.h"
#include "core/transcript/redaction.h"
#include "core/transcript/transcript.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace palimpsest {

/// A thread beside the open one, perhaps of another source.
struct OtherThread {
    std::string location; ///< of its source
    std::string threadId; ///< empty: the only one there

    bool operator==(const OtherThread &) const = default;
};

/// What is to leave the program, and how: the options of `export` and the fields of the window's dialog.
struct ExportOrder {
    TranscriptFormat format = TranscriptFormat::Markdown;
    TranscriptSubject subject = TranscriptSubject::Raw;

    // Which part of it.
    bool wholeThread = false; ///< every namespace, the one asked for first; for Raw and Effective
    CheckpointIndex checkpoint; ///< end of the branch; invalid: the newest head
    int event = 0; ///< of Effective, from 1; 0: the one in force
    CallNumber call; ///< of Request
    std::optional<std::int64_t> fromCall;
    std::optional<std::int64_t> toCall;
    std::optional<std::int64_t> fromTurn;
    std::optional<std::int64_t> toTurn;
    std::vector<std::string> selected; ///< as TranscriptRequest::selected

    // What runs and questions need.
    std::vector<SettingsSet> settings; ///< of Replay and Request; of Comparison A, or A and B
    std::optional<std::pair<std::string, std::string>> sides; ///< of Comparison: two places, in the words of `diff`
    std::optional<OtherThread> other; ///< of Comparison: another recorded thread; `settings` then counts both
    std::string needle; ///< of Trace
    NeedleKind needleKind = NeedleKind::Plain;
    std::string needleMessage; ///< of Trace: a message's id in place of a text

    TranscriptDetail detail = TranscriptDetail::Full;
    MediaPlacement media = MediaPlacement::Inline;
    ArchivePlacement archive = ArchivePlacement::Linked;
    RedactionRules redaction{.standard = false, .own = {}};

    bool scrub = false; ///< of a bundle
    Value settingsDocument; ///< goes into a bundle; nil: none
};

/// What an order is about: a namespace of a thread.
struct ExportMaterial {
    ThreadPtr thread;
    std::string ns;
    std::string location; ///< as commands name the source
    std::vector<ArtifactFolder> folders;
    std::shared_ptr<const ExportMaterial> other = {}; ///< what ExportOrder::other names; null: not read
};

struct PreparedExport {
    Transcript transcript;
    std::vector<RedactionHit> hits; ///< what redaction replaced
};

/// "thread-1 of agents.sqlite": how a comparison names the other thread.
std::string otherName(const ExportMaterial &other);

/// Makes the transcript that an order is for; runs replays, comparisons, traces and rules where it needs them.
/// `mediaFolder` is how the transcript names the folder of media beside it. Errors: NotFound, Invalid (the order asks
/// for what is not there or does not fit), Cancelled, and those of the runs.
Result<PreparedExport> prepareExport(
    const ExportMaterial &material, const ExportOrder &order, const std::string &mediaFolder, const JobContext &job);

} // namespace palimpsest
