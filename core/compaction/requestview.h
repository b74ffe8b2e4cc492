// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compaction/countedlog.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace palimpsest {

/// What counts beside the messages of a request.
struct RequestBase {
    std::int64_t toolTokens = 0;
    std::int64_t systemTokens = 0;
    bool systemMessage = false; ///< it is one more message for the counter

    bool operator==(const RequestBase &) const = default;
};

/// A list of messages that a stage works on, without a copy of any: an optional summary, then a stretch of a counted
/// log with forms and single replacements. Cheap to copy.
struct RequestView {
    struct Replacement {
        std::int64_t place = 0; ///< in the log
        MessagePtr message;
        std::int64_t tokens = 0;
    };

    std::shared_ptr<const CountedLog> log;
    MessagePtr summary; ///< null: none
    std::int64_t summaryTokens = 0;
    std::int64_t first = 0; ///< place in the log of the first message after the summary
    std::int64_t end = 0; ///< place in the log behind the last message
    std::int64_t reasoningFrom = 0; ///< messages before this place have lost bound reasoning
    std::int64_t truncatedUntil = 0; ///< messages before this place have shortened arguments
    std::shared_ptr<const std::vector<Replacement>> replacements; ///< by place; null: none
    /// What AI messages reported, by place in the log, where a what-if changes it; null: as stored. -1: nothing.
    std::shared_ptr<const std::vector<std::int64_t>> reportedByPlace;
    bool ignoresUsage = false;

    [[nodiscard]] std::int64_t size() const { return (summary ? 1 : 0) + end - first; }
    /// Place in the log of an effective message; -1 for the summary.
    [[nodiscard]] std::int64_t placeOf(std::int64_t index) const
    {
        return summary ? (index == 0 ? -1 : first + index - 1) : first + index;
    }
    [[nodiscard]] const MessagePtr &at(std::int64_t index) const;
    [[nodiscard]] bool isTool(std::int64_t index) const;
    [[nodiscard]] bool isAi(std::int64_t index) const;
    [[nodiscard]] std::vector<MessagePtr> messages() const { return messages(0, size()); }
    [[nodiscard]] std::vector<MessagePtr> messages(std::int64_t from, std::int64_t to) const;

    /// Unscaled tokens of the messages from `index` on (`_partial_token_counter`).
    [[nodiscard]] std::int64_t tokensFrom(std::int64_t index) const;
    /// The counter's answer for the whole list (`token_counter`), with what counts beside the messages.
    [[nodiscard]] std::int64_t count(const RequestBase &base = {}) const;
    /// The same without usage scaling.
    [[nodiscard]] std::int64_t countUnscaled(const RequestBase &base = {}) const;
    /// Code points of the XML of the first `count` messages, as a summary's prompt shows them; nothing where that takes
    /// a look at the messages: inline media, a kind without XML.
    [[nodiscard]] std::optional<std::int64_t> xmlLength(std::int64_t count) const;
    /// Place in the log of the last AI message, or -1.
    [[nodiscard]] std::int64_t lastAi() const;
    /// What the AI message at that place reports in this run.
    [[nodiscard]] std::optional<std::int64_t> reported(std::int64_t place) const;
    /// The messages from `index` on, without the summary.
    [[nodiscard]] RequestView from(std::int64_t index) const;

private:
    /// Sum of a size over places [from, to), without what replacements change of it.
    [[nodiscard]] std::int64_t plainStretch(const FormSums &sizes, std::int64_t from, std::int64_t to) const;
    /// Tokens of places [from, to).
    [[nodiscard]] std::int64_t stretch(std::int64_t from, std::int64_t to) const;
};

/// A plain list as a view.
RequestView viewOf(const std::vector<MessagePtr> &messages, CounterRule rule,
    const std::optional<TruncateArgsSettings> &truncation = std::nullopt);

/// The count that `count_tokens_approximately` gives for unscaled tokens of all messages and of those up to the last
/// reporting AI message.
std::int64_t scaledCount(std::int64_t tokens, std::int64_t tokensToReport, std::int64_t reported);

} // namespace palimpsest
