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
        rules::compactionEveryCall,
    };
    return all;
}

const RuleInfo *ruleInfo(std::string_view id)
{
    for (const Rule &rule : lintRules())
        if (rule.info.id == id)
            return &rule.info;
    return nullptr;
}

} // namespace palimpsest
