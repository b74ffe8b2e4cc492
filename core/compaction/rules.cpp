// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compaction/rules.h"

#include "core/compaction/stages/summaryprompt.h"

namespace palimpsest {

SummarizationDefaults computeSummarizationDefaults(const std::optional<std::int64_t> &maxInputTokens)
{
    using Kind = ContextSize::Kind;
    SummarizationDefaults defaults;
    if (maxInputTokens) {
        defaults.trigger = {{{Kind::Fraction, 0.85}}};
        defaults.keep = {Kind::Fraction, 0.10};
        defaults.truncateArgs.trigger = {Kind::Fraction, 0.85};
        defaults.truncateArgs.keep = {Kind::Fraction, 0.10};
    } else {
        defaults.trigger = {{{Kind::Tokens, 170000}}};
        defaults.keep = {Kind::Messages, 6};
        defaults.truncateArgs.trigger = {Kind::Messages, 20};
        defaults.truncateArgs.keep = {Kind::Messages, 20};
    }
    return defaults;
}

std::string artifactPrefix(std::string_view artifactsRoot, std::string_view folder)
{
    while (artifactsRoot.ends_with('/'))
        artifactsRoot.remove_suffix(1);
    return std::string(artifactsRoot) + "/" + std::string(folder);
}

CompactionRules rulesFor(const Settings &settings, const Dialect &dialect)
{
    CompactionRules rules;
    rules.dialect = dialect;
    rules.maxInputTokens = settings.model.maxInputTokens;
    rules.outputTokens = std::max<std::int64_t>(0, settings.model.maxOutputTokens.value_or(0));
    rules.provider = settings.model.provider;
    rules.counter = counterRule(settings.model, settings.charsPerToken);
    rules.trimTokensToSummarize = settings.trimTokensToSummarize;
    const SummarizationDefaults defaults = computeSummarizationDefaults(settings.model.maxInputTokens);
    if (settings.modelDefaults) {
        rules.trigger = defaults.trigger;
        rules.keep = defaults.keep;
        rules.truncateArgs = defaults.truncateArgs;
    } else {
        rules.trigger = settings.trigger ? *settings.trigger : dialect.rewritesState ? Trigger() : defaults.trigger;
        rules.keep = settings.keep;
        rules.truncateArgs = settings.truncateArgs;
    }
    if (!dialect.truncatesArguments())
        rules.truncateArgs.reset();
    rules.summaryPrompt = dialect.hasArchive() ? deepAgentsSummaryPrompt() : defaultSummaryPrompt();
    rules.summaryText = stripped(settings.summaryText.value_or("")); // as upstream strips a model's answer
    rules.historyPrefix = artifactPrefix(settings.artifactsRoot, "conversation_history");
    rules.largeResultsPrefix = artifactPrefix(settings.artifactsRoot, "large_tool_results");
    return rules;
}

RequestBase requestBase(const Settings &settings, const CompactionRules &rules)
{
    RequestBase base;
    if (!rules.dialect.countsToolsAndSystem())
        return base;
    const double chars = rules.counter.charsPerToken;
    // A counter that cannot be told from its signature is tried with tools first; the approximate one takes them.
    if (settings.counterAcceptsTools.value_or(true)) {
        if (const auto *tokens = std::get_if<std::int64_t>(&settings.tools))
            base.toolTokens = *tokens;
        else
            base.toolTokens = toolTokens(std::get<Value>(settings.tools), chars);
    }
    if (const auto *tokens = std::get_if<std::int64_t>(&settings.systemMessage)) {
        base.systemTokens = *tokens;
        base.systemMessage = *tokens > 0;
    } else if (const Value &system = std::get<Value>(settings.systemMessage); !system.isNil()) {
        MessagePtr message;
        if (system.isText()) {
            auto plain = std::make_shared<Message>();
            plain->kind = MessageKind::System;
            plain->type = "system";
            plain->content = system;
            message = plain;
        } else {
            message = messageFromValue(system);
        }
        if (message && settings.compactTool && settings.compactToolPrompt)
            message = withSystemText(message, *settings.compactToolPrompt);
        if (message) {
            base.systemTokens = messageTokens(*message, chars).value_or(0);
            base.systemMessage = true;
        }
    } else if (settings.compactTool && settings.compactToolPrompt) {
        base.systemTokens = messageTokens(*withSystemText(nullptr, *settings.compactToolPrompt), chars).value_or(0);
        base.systemMessage = true;
    }
    return base;
}

} // namespace palimpsest
