// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/sources/checkpointsource.h"
#include "core/transcript/exportorder.h"

#include <iosfwd>
#include <string>

namespace palimpsest {

/// Does what an order says: the one way out, of the command line and of the window. Writes a transcript, code
/// highlighted, media of MediaPlacement::Beside into a folder beside it ("thread.media" beside "thread.html"), or a
/// bundle, for which `source` is read (else it may be null). The file and the folder are there in full or not at all: a
/// failed or cancelled export leaves what was there before. Called on any thread. Errors as `prepareExport`,
/// `writeTranscript` and `writeBundle`; Io names the file.
Result<void> runExport(const ExportOrder &order, const ExportMaterial &material, CheckpointSource *source,
    const std::string &path, const JobContext &job);

/// The same to a stream, for text formats without media beside. Error Unsupported for others.
Result<void> runExport(
    const ExportOrder &order, const ExportMaterial &material, std::ostream &out, const JobContext &job);

/// Reads a thread that is held against another, or against part `ns` of it: its own part of that name, else its root
/// (another thread's subagent has another name). Error NotFound when it holds no model call; errors of opening.
Result<ExportMaterial> readOtherThread(const OtherThread &other, const std::string &ns, const JobContext &job);

/// The material with the other thread that the order names, which is read.
Result<ExportMaterial> withOtherThread(ExportMaterial material, const ExportOrder &order, const JobContext &job);

} // namespace palimpsest
