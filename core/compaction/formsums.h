// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace palimpsest {

/// Which form of a message is meant; both may hold.
struct MessageForm {
    bool truncated = false; ///< arguments shortened
    bool withoutReasoning = false; ///< without reasoning bound to an older conversation
};

/// Sums over any stretch of a list of something that each message has in each of its forms, in O(1).
class FormSums {
public:
    /// What one message has in each form.
    struct Sizes {
        std::int64_t plain = 0;
        std::int64_t truncated = 0;
        std::int64_t withoutReasoning = 0;
        std::int64_t both = 0;
    };

    void reserve(std::size_t count) { m_plain.reserve(count + 1); }
    void append(const Sizes &sizes);

    /// Of the messages [first, end), all in one form.
    [[nodiscard]] std::int64_t sum(std::int64_t first, std::int64_t end, MessageForm form = {}) const
    {
        if (first >= end)
            return 0;
        const auto from = static_cast<std::size_t>(first);
        const auto to = static_cast<std::size_t>(end);
        const std::int64_t plain = m_plain[to] - m_plain[from];
        if (m_changes.empty() || (!form.truncated && !form.withoutReasoning))
            return plain;
        const std::size_t which = form.truncated ? (form.withoutReasoning ? 2 : 0) : 1;
        return plain + m_changes[to][which] - m_changes[from][which];
    }

private:
    // Prefix sums, one longer than the list: the plain form, and what the others change of it.
    std::vector<std::int64_t> m_plain{0};
    std::vector<std::array<std::int64_t, 3>> m_changes; ///< empty as long as no form differs
};

} // namespace palimpsest
