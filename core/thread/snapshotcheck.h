// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/jobcontext.h"
#include "core/sources/checkpointsource.h"
#include "core/thread/thread.h"

namespace palimpsest {

/// Whether every stored snapshot of the channels "messages" and "files" says what `thread`, loaded from the same
/// source, shows at its checkpoint. Reads the whole thread once, a row at a time, and keeps of it only by which bytes a
/// message is known: no second thread is built. False may also mean a checkpoint with writes of its own; a reading with
/// `LoadOptions::readSnapshots` tells what differs. Errors: those of the source, Cancelled, and Io when another process
/// wrote meanwhile, so that nothing can be said.
Result<bool> snapshotsAgree(CheckpointSource &source, const Thread &thread, const JobContext &job);

} // namespace palimpsest
