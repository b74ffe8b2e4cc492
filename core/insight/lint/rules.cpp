// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/lint/rules.h"

namespace palimpsest {

const std::vector<Rule> &lintRules()
{
    static const std::vector<Rule> all{
        rules::orphanToolResult,
        rules::unansweredToolCall,
        rules::misplacedToolResult,
        rules::toolCallId,
        rules::userTurnMissing,
        rules::systemMessages,
        rules::emptyRequest,
        rules::emptyContent,
        rules::malformedArguments,
        rules::reasoningPartner,
        rules::providerChanged,
        rules::malformedEvent,
        rules::cutoffOutOfRange,
        rules::cutoffDrift,
        rules::inheritedEvent,
        rules::eventLost,
        rules::neverCompacts,
        rules::triggerUnreachable,
        rules::fractionWithoutProfile,
        rules::reportedUsageDecided,
        rules::overflowRescued,
        rules::worthlessSummary,
        rules::archiveMissing,
        rules::archiveElsewhere,
        rules::archivePartial,
        rules::archiveMixed,
        rules::archiveOrphanSection,
        rules::archiveArgumentsTruncated,
        rules::mediaLost,
        rules::reasoningNotArchived,
        rules::offloadOverwritten,
        rules::stubFileMismatch,
        rules::offloadFailed,
        rules::destructiveSummarization,
        rules::todoLost,
        rules::instructionLost,
        rules::pathsInvented,
        rules::compactionEveryCall,
        rules::compactionNoGain,
        rules::requestUnexplained,
        rules::secretInThread,
        rules::largeArguments,
        rules::longHumanMessage,
        rules::largeTail,
        rules::toolUseBlockWhole,
        rules::overheadNotCounted,
        rules::archiveIdPrivate,
        rules::foreignType,
        rules::ambiguousFork,
        rules::parallelOrderUnknown,
        rules::prunedHistory,
        rules::untypedOverwrite,
        rules::overwriteBatchDiffers,
        rules::undecodableValue,
        rules::oldCheckpointVersion,
        rules::unknownDeltaForm,
        rules::orphanWrites,
        rules::damagedFile,
        rules::noWritesTable,
        rules::sourceChanging,
        rules::encryptedRows,
        rules::mixedEncryption,
        rules::rowIdMismatch,
        rules::unknownMigration,
    };
    return all;
}

std::string ruleTable()
{
    const auto severity = [](Finding::Severity gravest) -> std::string_view {
        return gravest == Finding::Severity::Error  ? "error"
            : gravest == Finding::Severity::Warning ? "warning"
                                                    : "info";
    };
    std::string table =
        "| rule | severity | needs | what it means | what to do | source |\n|---|---|---|---|---|---|\n";
    for (const Rule &rule : lintRules()) {
        const RuleInfo &info = rule.info;
        table += "| `" + std::string(info.id) + "` | " + std::string(severity(info.severity)) + " | "
            + (info.needsSettings                   ? "settings"
                    : info.id == "secret-in-thread" ? "--secrets"
                                                    : "")
            + " | " + std::string(info.meaning) + " | " + std::string(info.advice) + " | " + std::string(info.source)
            + " |\n";
    }
    return table;
}

const RuleInfo *ruleInfo(std::string_view id)
{
    for (const Rule &rule : lintRules())
        if (rule.info.id == id)
            return &rule.info;
    return nullptr;
}

} // namespace palimpsest
