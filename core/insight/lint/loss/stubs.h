// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/artifacts/links.h"
#include "core/insight/lint/rule.h"

#include <string>
#include <vector>

namespace palimpsest {

/// A stub of an offloaded tool result, as the log of a namespace first shows it.
struct StubRecord {
    MessagePtr message;
    std::string path; ///< as the stub has it
    std::string toolCallId; ///< the message's own
    std::int64_t raw = 0; ///< place in the log
    CheckpointIndex checkpoint; ///< the first whose log has it
    StubPreview preview;
};

/// Every stub of the namespace, in the order in which the log got them.
std::vector<StubRecord> stubsOf(const LintContext &context);

} // namespace palimpsest
