// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compaction/formsums.h"
#include "core/compaction/settings.h"
#include "core/thread/message.h"

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace palimpsest {

/// How a model's approximate counter counts (langchain/agents/middleware/summarization.py
/// `_get_approximate_token_counter`, 1.5.2).
struct CounterRule {
    double charsPerToken = 4.0;
    bool scalesByUsage = true; ///< `use_usage_metadata_scaling`

    bool operator==(const CounterRule &) const = default;
};

/// 3.3 characters a token for "anthropic-chat…", else 4; a custom number from the settings wins.
CounterRule counterRule(const ModelProfile &model, std::optional<double> charsPerToken = std::nullopt);

/// Tokens of one message: characters rounded up, 85 an image, 3 for the message. Nothing for a kind that upstream's
/// counter refuses (RemoveMessage): it raises there.
std::optional<std::int64_t> messageTokens(const Message &message, double charsPerToken);
/// Tokens of tool schemas: the length of their JSON, rounded up (langchain_core/messages/utils.py, 1.8.3).
std::int64_t toolTokens(const Value &tools, double charsPerToken);

/// A list of messages, and everything the stages ask of it counted once, so that any suffix's count is a subtraction.
/// Each message also has the forms that stages give it: with shortened arguments, and without reasoning bound to an
/// older conversation. Built by appending; shared read-only afterwards.
class CountedLog {
public:
    /// `truncation` null: arguments are never shortened.
    CountedLog(CounterRule rule, std::optional<TruncateArgsSettings> truncation);

    void reserve(std::size_t count);
    void append(MessagePtr message);

    [[nodiscard]] const CounterRule &rule() const { return m_rule; }
    [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(m_messages.size()); }
    [[nodiscard]] const MessagePtr &message(std::int64_t place) const
    {
        return m_messages[static_cast<std::size_t>(place)];
    }
    [[nodiscard]] const MessagePtr &message(std::int64_t place, MessageForm form) const;
    [[nodiscard]] bool isAi(std::int64_t place) const { return m_marks[static_cast<std::size_t>(place)].ai; }
    [[nodiscard]] bool isTool(std::int64_t place) const { return m_marks[static_cast<std::size_t>(place)].tool; }
    /// False where upstream's counter would raise.
    [[nodiscard]] bool countable() const { return m_countable; }

    /// Unscaled tokens of every message.
    [[nodiscard]] const FormSums &tokens() const { return m_tokens; }
    /// Unscaled tokens of the messages [first, end), all in one form.
    [[nodiscard]] std::int64_t tokens(std::int64_t first, std::int64_t end, MessageForm form = {}) const
    {
        return m_tokens.sum(first, end, form);
    }
    /// Code points of every message's XML, and one for the newline between two. Made at the first call, which any
    /// thread may do.
    [[nodiscard]] const FormSums &xmlLengths() const;
    /// How many of [first, end) have a prompt's XML that is not simply their own: inline media is replaced first, and a
    /// kind that has no XML makes the summarizer raise.
    [[nodiscard]] std::int64_t specialInPrompts(std::int64_t first, std::int64_t end) const;
    /// How many of [first, end) have arguments that truncation shortens.
    [[nodiscard]] std::int64_t shortened(std::int64_t first, std::int64_t end) const;
    /// `response_metadata["model_provider"]` of the AI message at that place; nil when it names none.
    [[nodiscard]] const Value &provider(std::int64_t place) const;
    /// Place of the last AI message before `end`, or -1.
    [[nodiscard]] std::int64_t lastAi(std::int64_t end) const;
    /// Place of the last AI message before `end` that reports its total, or -1.
    [[nodiscard]] std::int64_t lastReporting(std::int64_t end) const;
    /// What the AI message reported as `total_tokens`, when it is a whole number.
    [[nodiscard]] std::optional<std::int64_t> reported(std::int64_t place) const;
    /// All AI messages of [first, end) that follow the first one with a provider name that same provider, and there is
    /// one.
    [[nodiscard]] bool oneProvider(std::int64_t first, std::int64_t end) const;

private:
    struct Marks {
        bool ai = false;
        bool tool = false;
    };
    /// Forms that differ from the message itself; null where they do not.
    struct Forms {
        MessagePtr truncated;
        MessagePtr withoutReasoning;
        MessagePtr both;
    };
    template <class Measure>
    static FormSums::Sizes sizesOf(const Forms &forms, std::int64_t plain, const Measure &measure);
    void appendProvider(const Message &message, std::int64_t place);

    CounterRule m_rule;
    std::optional<TruncateArgsSettings> m_truncation;
    bool m_countable = true;
    std::vector<MessagePtr> m_messages;
    std::vector<Marks> m_marks;
    std::vector<std::int32_t> m_formPlace; ///< place in m_forms, or -1
    std::vector<Forms> m_forms;
    FormSums m_tokens;
    mutable std::once_flag m_xmlMade;
    mutable FormSums m_xml;
    // Prefix sums, one longer than the list.
    std::vector<std::int32_t> m_special;
    std::vector<std::int32_t> m_shortened;
    // At n: about the messages before n.
    std::vector<std::int32_t> m_lastAi;
    std::vector<std::int32_t> m_lastReporting;
    // By AI message.
    std::vector<std::int64_t> m_reported; ///< -1: none
    std::vector<Value> m_providers; ///< distinct names
    std::vector<std::int32_t> m_provider; ///< place in m_providers, or -1
    std::vector<std::int32_t>
        m_runBefore; ///< last AI message with a provider before the run of equal ones that ends here, or -1
    std::int32_t m_lastWithProvider = -1;
    std::int32_t m_lastAiPlace = -1;
};

} // namespace palimpsest
