// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/panes/startpage.h"

namespace palimpsest {

/// The sample threads that are compiled in, as ":/samples/index.json" names them.
QList<SampleThread> sampleThreads();

/// A file that can be opened: a compiled-in sample is copied to `folder` (the user's cache when empty), anything else
/// stays as it is. Empty when it cannot be written.
QString extractedSample(const QString &location, const QString &folder = {});

} // namespace palimpsest
