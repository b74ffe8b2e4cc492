// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compaction/countedlog.h"

#include "core/compaction/stages/argumenttruncation.h"
#include "core/thread/projection.h"
#include "core/tokens/approximate.h"

#include <utility>

namespace palimpsest {

CounterRule counterRule(const ModelProfile &model, std::optional<double> charsPerToken)
{
    CounterRule rule;
    if (model.llmType.starts_with("anthropic-chat"))
        rule.charsPerToken = 3.3;
    if (charsPerToken)
        rule.charsPerToken = *charsPerToken;
    return rule;
}

std::optional<std::int64_t> messageTokens(const Message &message, double charsPerToken)
{
    ApproximateOptions options;
    options.charsPerToken = charsPerToken;
    const Result<double> tokens = approximateMessageTokens(message, options);
    return tokens ? std::optional(static_cast<std::int64_t>(*tokens)) : std::nullopt;
}

std::int64_t toolTokens(const Value &tools, double charsPerToken)
{
    return static_cast<std::int64_t>(approximateToolTokens(tools, charsPerToken).value_or(0));
}

CountedLog::CountedLog(CounterRule rule, std::optional<TruncateArgsSettings> truncation)
    : m_rule(rule)
    , m_truncation(std::move(truncation))
    , m_sum{0}
    , m_truncatedDelta{0}
    , m_reasoningDelta{0}
    , m_bothDelta{0}
    , m_shortened{0}
    , m_lastAi{-1}
    , m_lastReporting{-1}
{
}

void CountedLog::reserve(std::size_t count)
{
    m_messages.reserve(count);
    m_marks.reserve(count);
    m_formPlace.reserve(count);
    for (auto *sums : {&m_sum, &m_truncatedDelta, &m_reasoningDelta, &m_bothDelta})
        sums->reserve(count + 1);
    for (auto *places : {&m_shortened, &m_lastAi, &m_lastReporting})
        places->reserve(count + 1);
    m_reported.reserve(count);
    m_provider.reserve(count);
    m_runBefore.reserve(count);
}

void CountedLog::append(MessagePtr message)
{
    const std::int64_t place = size();
    const Message &body = *message;
    const auto count = messageTokens(body, m_rule.charsPerToken);
    m_countable = m_countable && count.has_value();
    const std::int64_t tokens = count.value_or(0);
    const bool ai = body.kind == MessageKind::Ai;
    m_marks.push_back({ai, body.kind == MessageKind::Tool});

    Forms forms;
    std::int64_t truncatedDelta = 0;
    std::int64_t reasoningDelta = 0;
    std::int64_t bothDelta = 0;
    if (ai) {
        const auto delta = [&](const MessagePtr &form) {
            return form ? messageTokens(*form, m_rule.charsPerToken).value_or(0) - tokens : 0;
        };
        if (m_truncation)
            forms.truncated = truncateToolCalls(message, *m_truncation);
        if (body.content.isList()) {
            if (MessagePtr dropped = dropBoundReasoning(message); dropped != message)
                forms.withoutReasoning = std::move(dropped);
        }
        truncatedDelta = delta(forms.truncated);
        reasoningDelta = delta(forms.withoutReasoning);
        if (forms.truncated && forms.withoutReasoning) {
            forms.both = truncateToolCalls(forms.withoutReasoning, *m_truncation);
            bothDelta = delta(forms.both);
        } else {
            forms.both = forms.truncated ? forms.truncated : forms.withoutReasoning;
            bothDelta = truncatedDelta + reasoningDelta;
        }
    }
    const bool shortened = forms.truncated != nullptr;
    if (forms.both) {
        m_formPlace.push_back(static_cast<std::int32_t>(m_forms.size()));
        m_forms.push_back(std::move(forms));
    } else {
        m_formPlace.push_back(-1);
    }
    m_sum.push_back(m_sum.back() + tokens);
    m_truncatedDelta.push_back(m_truncatedDelta.back() + truncatedDelta);
    m_reasoningDelta.push_back(m_reasoningDelta.back() + reasoningDelta);
    m_bothDelta.push_back(m_bothDelta.back() + bothDelta);
    m_shortened.push_back(m_shortened.back() + (shortened ? 1 : 0));
    appendProvider(body, place);
    m_messages.push_back(std::move(message));
}

void CountedLog::appendProvider(const Message &message, std::int64_t place)
{
    std::int64_t reportedTokens = -1;
    std::int32_t provider = -1;
    std::int32_t before = -1;
    if (message.kind == MessageKind::Ai) {
        if (const Value *total = message.usageMetadata.find("total_tokens");
            total && (total->isInt() || total->isBool()))
            reportedTokens = total->isBool() ? (total->asBool() ? 1 : 0) : total->asInt();
        if (const Value *name = message.responseMetadata.find("model_provider"); name && !name->isNil()) {
            std::size_t known = 0;
            while (known < m_providers.size() && !(m_providers[known] == *name))
                ++known;
            if (known == m_providers.size())
                m_providers.push_back(*name);
            provider = static_cast<std::int32_t>(known);
        }
        // A run of AI messages of one provider goes on, or a new one begins here.
        const bool goesOn =
            m_lastAiPlace >= 0 && provider >= 0 && m_provider[static_cast<std::size_t>(m_lastAiPlace)] == provider;
        before = goesOn ? m_runBefore[static_cast<std::size_t>(m_lastAiPlace)] : m_lastWithProvider;
        m_lastAiPlace = static_cast<std::int32_t>(place);
        if (provider >= 0)
            m_lastWithProvider = m_lastAiPlace;
    }
    m_reported.push_back(reportedTokens);
    m_provider.push_back(provider);
    m_runBefore.push_back(before);
    m_lastAi.push_back(m_lastAiPlace);
    m_lastReporting.push_back(reportedTokens >= 0 ? static_cast<std::int32_t>(place) : m_lastReporting.back());
}

const MessagePtr &CountedLog::message(std::int64_t place, MessageForm form) const
{
    const auto at = static_cast<std::size_t>(place);
    if (m_formPlace[at] >= 0 && (form.truncated || form.withoutReasoning)) {
        const Forms &forms = m_forms[static_cast<std::size_t>(m_formPlace[at])];
        const MessagePtr &chosen = form.truncated && form.withoutReasoning ? forms.both
            : form.truncated                                               ? forms.truncated
                                                                           : forms.withoutReasoning;
        if (chosen)
            return chosen;
    }
    return m_messages[at];
}

std::int64_t CountedLog::tokens(std::int64_t first, std::int64_t end, MessageForm form) const
{
    if (first >= end)
        return 0;
    const auto from = static_cast<std::size_t>(first);
    const auto to = static_cast<std::size_t>(end);
    std::int64_t sum = m_sum[to] - m_sum[from];
    if (form.truncated && form.withoutReasoning)
        sum += m_bothDelta[to] - m_bothDelta[from];
    else if (form.truncated)
        sum += m_truncatedDelta[to] - m_truncatedDelta[from];
    else if (form.withoutReasoning)
        sum += m_reasoningDelta[to] - m_reasoningDelta[from];
    return sum;
}

std::int64_t CountedLog::shortened(std::int64_t first, std::int64_t end) const
{
    return first >= end ? 0 : m_shortened[static_cast<std::size_t>(end)] - m_shortened[static_cast<std::size_t>(first)];
}

std::int64_t CountedLog::lastAi(std::int64_t end) const
{
    return m_lastAi[static_cast<std::size_t>(end)];
}

std::int64_t CountedLog::lastReporting(std::int64_t end) const
{
    return m_lastReporting[static_cast<std::size_t>(end)];
}

std::optional<std::int64_t> CountedLog::reported(std::int64_t place) const
{
    const std::int64_t total = m_reported[static_cast<std::size_t>(place)];
    return total < 0 ? std::nullopt : std::optional(total);
}

bool CountedLog::oneProvider(std::int64_t first, std::int64_t end) const
{
    const std::int64_t last = lastAi(end);
    if (last < first)
        return false;
    const auto at = static_cast<std::size_t>(last);
    return m_provider[at] >= 0 && m_runBefore[at] < first;
}

} // namespace palimpsest
