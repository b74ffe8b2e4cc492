// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/transcript/formats.h"

#include <string>

namespace palimpsest {

/// The folder for media beside a transcript, by its name alone: "thread.media" for "/a/thread.html".
std::string mediaFolderFor(const std::string &path);

/// Writes a transcript to a file, code highlighted, media of MediaPlacement::Beside into `mediaFolderFor(path)`. The
/// file and the folder are there in full or not at all: a failed or cancelled export leaves what was there before.
/// Called on any thread. Errors as `writeTranscript`; Io names the file.
Result<void> exportTranscript(
    const Transcript &transcript, TranscriptFormat format, const std::string &path, const JobContext &job);

/// The same to a stream, without media beside; text formats only.
Result<void> exportTranscript(
    std::ostream &out, const Transcript &transcript, TranscriptFormat format, const JobContext &job);

} // namespace palimpsest
