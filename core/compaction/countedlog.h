// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compaction/formsums.h"
#include "core/compaction/settings.h"
#include "core/thread/message.h"

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
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

    void append(MessagePtr message);
    /// Many are measured on all cores: the bodies lie all over the memory, and waiting for it is most of the time.
    void append(std::span<const MessagePtr> messages);

    [[nodiscard]] const CounterRule &rule() const { return m_rule; }
    [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(m_messages.size()); }
    [[nodiscard]] const MessagePtr &message(std::int64_t place) const
    {
        return m_messages[static_cast<std::size_t>(place)];
    }
    [[nodiscard]] const MessagePtr &message(std::int64_t place, MessageForm form) const;
    [[nodiscard]] bool isAi(std::int64_t place) const { return isKind(place, MessageKind::Ai); }
    [[nodiscard]] bool isTool(std::int64_t place) const { return isKind(place, MessageKind::Tool); }
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
    /// What an AI message says of itself and of those before it.
    struct Answer {
        std::int64_t reported = -1; ///< -1: nothing
        std::int32_t place = -1;
        std::int32_t provider = -1; ///< place in m_providers, or -1
        /// Place of the last AI message with a provider before the run of equal ones that ends here, or -1.
        std::int32_t runBefore = -1;
        std::int32_t lastReporting = -1; ///< place of the last one that reports, this one included, or -1
    };
    /// Forms that differ from the message itself; null where they do not.
    struct Forms {
        MessagePtr truncated;
        MessagePtr withoutReasoning;
        MessagePtr both;
    };
    /// What is known of a message by a look at it alone.
    struct Measured {
        std::int64_t tokens = -1; ///< -1: uncountable
        std::unique_ptr<std::pair<Forms, FormSums::Sizes>> other; ///< null where no form differs
    };
    [[nodiscard]] Measured measure(const MessagePtr &message) const;
    void append(MessagePtr message, Measured measured);
    void reserve(std::size_t count);
    template <class Measure>
    static FormSums::Sizes sizesOf(const Forms &forms, std::int64_t plain, const Measure &measure);
    void appendAnswer(const Message &message, std::int64_t place);
    void measureXml() const;
    [[nodiscard]] bool isKind(std::int64_t place, MessageKind kind) const
    {
        return m_kinds[static_cast<std::size_t>(place)] == static_cast<std::uint8_t>(kind);
    }
    /// The last one before `end`; null: none.
    [[nodiscard]] const Answer *answerBefore(std::int64_t end) const
    {
        const std::int32_t count = m_answersBefore[static_cast<std::size_t>(end)];
        return count == 0 ? nullptr : &m_answers[static_cast<std::size_t>(count) - 1];
    }

    CounterRule m_rule;
    std::optional<TruncateArgsSettings> m_truncation;
    bool m_countable = true;
    std::vector<MessagePtr> m_messages;
    std::vector<std::uint8_t> m_kinds; ///< where a look at the message itself would cost more
    std::vector<std::int32_t> m_formPlace; ///< place in m_forms, or -1; empty as long as no form differs
    std::vector<Forms> m_forms;
    FormSums m_tokens;
    mutable std::once_flag m_xmlMade;
    mutable FormSums m_xml;
    // Prefix sums, one longer than the list.
    mutable std::vector<std::int32_t> m_special; ///< made with m_xml
    std::vector<std::int32_t> m_shortened; ///< empty as long as there are none
    std::vector<std::int32_t> m_answersBefore; ///< how many AI messages
    std::vector<Answer> m_answers; ///< one an AI message
    std::vector<Value> m_providers; ///< distinct names
    std::int32_t m_lastWithProvider = -1;
};

} // namespace palimpsest
