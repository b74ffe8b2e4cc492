// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/values/value.h"

#include <optional>
#include <string>

namespace palimpsest {

/// Something wrong or lost, with its place and its evidence.
struct Finding {
    enum class Severity { Info, Warning, Error };

    std::string rule; ///< "undecodable-value"
    Severity severity = Severity::Warning;
    std::string message; ///< what and why, one sentence
    std::string checkpointNs;
    std::string checkpointId; ///< empty when it concerns the whole thread
    std::optional<std::string> taskId;
    std::optional<std::string> messageId;
    std::optional<std::int64_t> block; ///< 0-based place in the message's content
    std::optional<std::string> path;
    Value evidence = Value(Value::Map{});

    bool operator==(const Finding &) const = default;
};

} // namespace palimpsest
