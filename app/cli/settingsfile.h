// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compaction/settings.h"
#include "core/compaction/summarizer.h"

#include <optional>
#include <string>

namespace palimpsest {

/// Reads a settings file. The Error names the file and, where it can, the key.
Result<SettingsSet> readSettingsFile(const std::string &path);
/// The same for an option that may be left out: none for an empty path.
Result<std::optional<SettingsSet>> optionalSettings(const std::string &path);

/// What the option --summaries names; `model` where a model may be asked. The Error names the words there are.
Result<SummarySource> summarySourceNamed(const std::string &name, bool model);

/// A whole file, at most 256 MB.
Result<std::string> readFile(const std::string &path);

} // namespace palimpsest
