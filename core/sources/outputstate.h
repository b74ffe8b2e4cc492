// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>

namespace palimpsest {

/// The metadata's `source` of a state that is a run's output, from a trace or a stream: it lacks the private channels,
/// the summarization event among them, so what is missing in it was not taken away.
inline constexpr std::string_view outputSource = "output";

} // namespace palimpsest
