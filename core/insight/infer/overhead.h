// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/insight/infer/evidence.h"

#include <cstdint>
#include <optional>
#include <string>

namespace palimpsest {

/// What counts beside the messages, and how that is known.
struct Overhead {
    std::int64_t tools = 0;
    std::optional<std::int64_t> system; ///< null: not told apart from the tools, or unknown
    std::string from; ///< one sentence
    bool atLeast = false; ///< estimated from the tools that were seen: others may be bound, and a system message

    bool operator==(const Overhead &) const = default;
};

/// From what the model reported against the counted messages; nothing when nothing was reported.
std::optional<Overhead> overheadFromUsage(const ReplayInput &input, const Evidence &withoutOverhead);
/// Tools that deepagents binds by itself, and those whose calls the recording holds, described as LangChain would from
/// the arguments seen.
Overhead overheadFromTools(const ReplayInput &input, const Dialect &dialect, double charsPerToken);
/// The better founded of both: usage that is below what deepagents alone binds does not count tools.
Overhead overheadOf(
    const ReplayInput &input, const Evidence &withoutOverhead, const Dialect &dialect, double charsPerToken);

} // namespace palimpsest
