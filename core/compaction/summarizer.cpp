// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compaction/summarizer.h"

#include "core/base/text.h"
#include "core/compaction/stages/summaryprompt.h"
#include "core/compaction/stages/summarytrim.h"
#include "core/tokens/approximate.h"

namespace palimpsest {
namespace {

constexpr int attempts = 3; ///< Runnable.with_retry, stop_after_attempt

bool isOverflow(const Raised &error)
{
    return error.type == "ContextOverflowError";
}

/// Runnable.with_retry with `default_retry_on`: an overflow is not tried again.
Attempt<std::string> invoke(SummaryModel &model, const std::string &prompt, std::vector<std::string> &prompts)
{
    Attempt<std::string> answer;
    for (int i = 0; i < attempts; ++i) {
        prompts.push_back(prompt);
        answer = model.invoke(prompt);
        if (answer || isOverflow(answer.error()))
            break;
    }
    return answer;
}

} // namespace

Attempt<SummaryText> ModelSummarizer::summarize(const SummaryRequest &request)
{
    SummaryText result;
    if (request.messages.empty()) {
        result.text = "No previous conversation history.";
        return result;
    }
    const std::vector<MessagePtr> trimmed = trimMessagesForSummary(request.messages, *request.rules);
    if (trimmed.empty()) {
        result.text = tooLongToSummarize;
        return result;
    }
    const auto prompt = formatSummaryPrompt(request.rules->summaryPrompt, trimmed);
    if (!prompt)
        return tl::unexpected(prompt.error());
    auto answer = invoke(m_model, *prompt, result.prompts);
    if (!answer && isOverflow(answer.error())) {
        const auto retry = overflowRetryPrompt(*request.rules, trimmed);
        if (!retry)
            return tl::unexpected(retry.error());
        if (*retry)
            answer = invoke(m_model, **retry, result.prompts);
    }
    if (!answer)
        return tl::unexpected(answer.error());
    result.text = std::string(stripped(*answer));
    return result;
}

std::int64_t promptTokens(std::int64_t length, const CounterRule &counter)
{
    ApproximateOptions options;
    options.charsPerToken = counter.charsPerToken;
    return static_cast<std::int64_t>(approximateHumanTokens(static_cast<std::size_t>(length), options));
}

std::int64_t promptOverhead(const CompactionRules &rules)
{
    const auto around = [](const std::string &prompt) {
        const auto formatted = formatSummaryPrompt(prompt, {});
        return formatted ? static_cast<std::int64_t>(text::length(*formatted)) : 0;
    };
    // Asked at every event, and nearly always about the same text.
    static const std::int64_t usual = around(deepAgentsSummaryPrompt());
    return rules.summaryPrompt == deepAgentsSummaryPrompt() ? usual : around(rules.summaryPrompt);
}

std::optional<std::string> summaryPromptFor(const std::vector<MessagePtr> &messages, const CompactionRules &rules)
{
    const std::vector<MessagePtr> trimmed = trimMessagesForSummary(messages, rules);
    if (trimmed.empty())
        return std::nullopt;
    auto prompt = formatSummaryPrompt(rules.summaryPrompt, trimmed);
    return prompt ? std::optional(std::move(*prompt)) : std::nullopt;
}

} // namespace palimpsest
