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
extern const Rule neverCompacts;
extern const Rule triggerUnreachable;
extern const Rule fractionWithoutProfile;
extern const Rule reportedUsageDecided;
extern const Rule overflowRescued;

// Loss: what no one can look up any more, or only in the raw log.
extern const Rule worthlessSummary;
extern const Rule archiveMissing;
extern const Rule archiveElsewhere;
extern const Rule archivePartial;
extern const Rule archiveMixed;
extern const Rule archiveOrphanSection;
extern const Rule archiveArgumentsTruncated;
extern const Rule mediaLost;
extern const Rule reasoningNotArchived;
extern const Rule offloadOverwritten;
extern const Rule stubFileMismatch;
extern const Rule offloadFailed;
extern const Rule destructiveSummarization;
extern const Rule todoLost;
extern const Rule instructionLost;
extern const Rule pathsInvented;

// Arithmetic: what a compaction costs and gains.
extern const Rule compactionEveryCall;
extern const Rule compactionNoGain;
extern const Rule requestUnexplained;

// Secrets, opt-in.
extern const Rule secretInThread;

// Known limits of the middleware that this thread met.
extern const Rule largeArguments;
extern const Rule longHumanMessage;
extern const Rule largeTail;
extern const Rule toolUseBlockWhole;
extern const Rule overheadNotCounted;
extern const Rule archiveIdPrivate;

// Storage: what the file itself leaves open.
extern const Rule foreignType;
extern const Rule ambiguousFork;
extern const Rule parallelOrderUnknown;
extern const Rule prunedHistory;
extern const Rule untypedOverwrite;
extern const Rule overwriteBatchDiffers;
extern const Rule undecodableValue;
extern const Rule oldCheckpointVersion;
extern const Rule unknownDeltaForm;
extern const Rule orphanWrites;
extern const Rule damagedFile;
extern const Rule noWritesTable;
extern const Rule sourceChanging;

// Rows.
extern const Rule encryptedRows;
extern const Rule mixedEncryption;
extern const Rule rowIdMismatch;
extern const Rule unknownMigration;

} // namespace palimpsest::rules
