// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/values/finding.h"

#include <string_view>

namespace palimpsest {

/// The contract's word: "info", "warning" or "error".
std::string_view severityName(Finding::Severity severity);

} // namespace palimpsest
