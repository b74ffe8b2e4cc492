// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/jobcontext.h"
#include "core/transcript/transcript.h"

class QIODevice;

namespace palimpsest {

/// A transcript as PDF: A4, page numbers, and an outline of its turns and events. Needs a QGuiApplication (the
/// offscreen platform suffices) for its fonts. Errors: Cancelled; Io when the device fails.
Result<void> writePdf(QIODevice &device, const Transcript &transcript, const JobContext &job);

} // namespace palimpsest
