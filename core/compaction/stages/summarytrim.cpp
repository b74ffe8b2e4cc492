// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compaction/stages/summarytrim.h"

#include <algorithm>
#include <bit>
#include <string_view>

namespace palimpsest {
namespace {

constexpr std::size_t fallbackCount = 15; ///< `_DEFAULT_FALLBACK_MESSAGE_COUNT`

using Messages = std::vector<MessagePtr>;

/// int.bit_length()
int bitLength(std::size_t n)
{
    return static_cast<int>(std::bit_width(n));
}

class Trimmer {
public:
    Trimmer(const CompactionRules &rules, std::int64_t budget)
        : m_rule(rules.counter)
        , m_budget(budget)
    {
    }

    /// `_first_max_tokens` over the reversed list, with partial messages and `end_on` human.
    Messages first(Messages messages) const
    {
        if (messages.empty())
            return messages;
        RequestView view = viewOf(messages, m_rule);
        if (view.count() <= m_budget) {
            while (!messages.empty() && messages.back()->kind != MessageKind::Human)
                messages.pop_back();
            return messages;
        }
        std::size_t whole = search(messages.size(), [&](std::size_t n) {
            view.end = static_cast<std::int64_t>(n);
            return view.count() <= m_budget;
        });
        if (whole < messages.size()) {
            if (MessagePtr part = partial(messages, whole)) {
                messages.resize(whole);
                messages.push_back(std::move(part));
                ++whole;
            }
        }
        while (whole > 0 && messages[whole - 1]->kind != MessageKind::Human)
            --whole;
        messages.resize(whole);
        return messages;
    }

private:
    /// The largest n for which `fits`, as upstream's bounded binary search finds it.
    template <class Fits> static std::size_t search(std::size_t size, const Fits &fits)
    {
        std::size_t left = 0;
        std::size_t right = size;
        for (int i = 0; i < bitLength(size) && left < right; ++i) {
            const std::size_t middle = (left + right + 1) / 2;
            if (fits(middle))
                left = middle;
            else
                right = middle - 1;
        }
        return left;
    }

    [[nodiscard]] bool fits(const Messages &messages, std::size_t whole, const MessagePtr &last) const
    {
        Messages list(messages.begin(), messages.begin() + static_cast<std::ptrdiff_t>(whole));
        list.push_back(last);
        return viewOf(list, m_rule).count() <= m_budget;
    }

    /// What of the first message that does not fit still does: its last blocks, or the last lines of its text. Null
    /// when nothing.
    [[nodiscard]] MessagePtr partial(const Messages &messages, std::size_t whole) const
    {
        auto excluded = std::make_shared<Message>(*messages[whole]);
        if (excluded->content.isList()) {
            Value::List blocks = excluded->content.asList();
            const std::size_t count = blocks.size();
            std::reverse(blocks.begin(), blocks.end());
            excluded->content = Value(blocks);
            for (std::size_t dropped = 1; dropped < count; ++dropped) {
                blocks.pop_back();
                excluded->content = Value(blocks);
                if (fits(messages, whole, excluded)) {
                    std::reverse(blocks.begin(), blocks.end());
                    excluded->content = Value(blocks);
                    return excluded;
                }
            }
        }
        const std::string text = firstText(excluded->content);
        if (text.empty())
            return nullptr;
        // Lines from the last to the first.
        std::vector<std::string_view> lines;
        for (std::size_t end = text.size();;) {
            const std::size_t before = end == 0 ? std::string::npos : text.rfind('\n', end - 1);
            // A line keeps its newline; what follows the last newline is a line even when it is empty.
            if (lines.empty()) {
                const std::size_t start = before == std::string::npos ? 0 : before + 1;
                lines.push_back(std::string_view(text).substr(start));
                end = start;
            } else {
                const std::size_t start = end < 2 ? std::string::npos : text.rfind('\n', end - 2);
                const std::size_t from = start == std::string::npos ? 0 : start + 1;
                lines.push_back(std::string_view(text).substr(from, end - from));
                end = from;
            }
            if (end == 0)
                break;
        }
        Messages head(messages.begin(), messages.begin() + static_cast<std::ptrdiff_t>(whole));
        const std::int64_t base = viewOf(head, m_rule).count();
        const auto joined = [&](std::size_t n) {
            std::string content;
            for (std::size_t i = n; i-- > 0;)
                content += lines[i];
            return content;
        };
        const std::size_t kept = search(lines.size(), [&](std::size_t n) {
            excluded->content = Value(joined(n));
            return base + messageTokens(*excluded, m_rule.charsPerToken).value_or(0) <= m_budget;
        });
        if (kept == 0)
            return nullptr;
        excluded->content = Value(joined(kept));
        return excluded;
    }

    static std::string firstText(const Value &content)
    {
        if (content.isText())
            return content.asText();
        for (const Value &block : content.asList()) {
            if (block.isText())
                return block.asText();
            if (block["type"].isText() && block["type"].asText() == "text")
                return block["text"].asText();
        }
        return {};
    }

    CounterRule m_rule;
    std::int64_t m_budget;
};

} // namespace

Messages trimMessagesForSummary(const Messages &messages, const CompactionRules &rules)
{
    if (!rules.trimTokensToSummarize || messages.empty())
        return messages;
    const RequestView all = viewOf(messages, rules.counter);
    if (!all.log->countable()) {
        const std::size_t from = messages.size() > fallbackCount ? messages.size() - fallbackCount : 0;
        return {messages.begin() + static_cast<std::ptrdiff_t>(from), messages.end()};
    }
    Messages reversed = messages;
    std::int64_t budget = *rules.trimTokensToSummarize;
    MessagePtr system;
    if (messages.front()->kind == MessageKind::System) {
        system = messages.front();
        reversed.erase(reversed.begin());
        budget = std::max<std::int64_t>(0, budget - messageTokens(*system, rules.counter.charsPerToken).value_or(0));
    }
    std::reverse(reversed.begin(), reversed.end());
    Messages kept = Trimmer(rules, budget).first(std::move(reversed));
    std::reverse(kept.begin(), kept.end());
    if (system)
        kept.insert(kept.begin(), system);
    return kept;
}

} // namespace palimpsest
