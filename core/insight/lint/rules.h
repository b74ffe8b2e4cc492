// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/insight/lint/rule.h"

namespace palimpsest::rules {

// Protocol: what a provider refuses.
extern const Rule orphanToolResult;
extern const Rule unansweredToolCall;
extern const Rule misplacedToolResult;
extern const Rule toolCallId;
extern const Rule userTurnMissing;
extern const Rule systemMessages;
extern const Rule emptyRequest;
extern const Rule emptyContent;
extern const Rule malformedArguments;
extern const Rule reasoningPartner;
extern const Rule providerChanged;

// Events: what became of a compaction.
extern const Rule malformedEvent;
extern const Rule cutoffOutOfRange;
extern const Rule cutoffDrift;
extern const Rule inheritedEvent;
extern const Rule eventLost;
extern const Rule compactionEveryCall;

} // namespace palimpsest::rules
