// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compaction/countedlog.h"

#include "core/compaction/stages/argumenttruncation.h"
#include "core/compaction/stages/bufferstring.h"
#include "core/thread/projection.h"
#include "core/tokens/approximate.h"

#include <algorithm>
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

namespace {

std::int64_t between(const std::vector<std::int32_t> &sums, std::int64_t first, std::int64_t end)
{
    return first >= end ? 0 : sums[static_cast<std::size_t>(end)] - sums[static_cast<std::size_t>(first)];
}

} // namespace

template <class Measure>
FormSums::Sizes CountedLog::sizesOf(const Forms &forms, std::int64_t plain, const Measure &measure)
{
    FormSums::Sizes sizes{plain, plain, plain, plain};
    if (forms.truncated)
        sizes.truncated = measure(forms.truncated);
    if (forms.withoutReasoning)
        sizes.withoutReasoning = measure(forms.withoutReasoning);
    sizes.both = forms.truncated && forms.withoutReasoning ? measure(forms.both)
        : forms.truncated                                  ? sizes.truncated
                                                           : sizes.withoutReasoning;
    return sizes;
}

CountedLog::CountedLog(CounterRule rule, std::optional<TruncateArgsSettings> truncation)
    : m_rule(rule)
    , m_truncation(std::move(truncation))
    , m_special{0}
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
    m_tokens.reserve(count);
    for (auto *places : {&m_special, &m_shortened, &m_lastAi, &m_lastReporting})
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

    FormSums::Sizes sizes{tokens, tokens, tokens, tokens};
    Forms forms;
    if (ai) {
        if (m_truncation)
            forms.truncated = truncateToolCalls(message, *m_truncation);
        if (body.content.isList()) {
            if (MessagePtr dropped = dropBoundReasoning(message); dropped != message)
                forms.withoutReasoning = std::move(dropped);
        }
        if (forms.truncated && forms.withoutReasoning)
            forms.both = truncateToolCalls(forms.withoutReasoning, *m_truncation);
        else
            forms.both = forms.truncated ? forms.truncated : forms.withoutReasoning;
        if (forms.both)
            sizes = sizesOf(forms, tokens,
                [&](const MessagePtr &form) { return messageTokens(*form, m_rule.charsPerToken).value_or(0); });
    }
    const bool shortened = forms.truncated != nullptr;
    if (forms.both) {
        m_formPlace.push_back(static_cast<std::int32_t>(m_forms.size()));
        m_forms.push_back(std::move(forms));
    } else {
        m_formPlace.push_back(-1);
    }
    m_tokens.append(sizes);
    m_special.push_back(m_special.back() + (promptShowsOwnXml(body) ? 0 : 1));
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

const FormSums &CountedLog::xmlLengths() const
{
    std::call_once(m_xmlMade, [this] {
        const auto lengthOf = [](const MessagePtr &message) { return xmlLength(*message) + 1; };
        m_xml.reserve(m_messages.size());
        for (std::size_t i = 0; i < m_messages.size(); ++i) {
            const std::int64_t length = lengthOf(m_messages[i]);
            m_xml.append(m_formPlace[i] < 0
                    ? FormSums::Sizes{length, length, length, length}
                    : sizesOf(m_forms[static_cast<std::size_t>(m_formPlace[i])], length, lengthOf));
        }
    });
    return m_xml;
}

std::int64_t CountedLog::specialInPrompts(std::int64_t first, std::int64_t end) const
{
    return between(m_special, first, end);
}

std::int64_t CountedLog::shortened(std::int64_t first, std::int64_t end) const
{
    return between(m_shortened, first, end);
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

const Value &CountedLog::provider(std::int64_t place) const
{
    static const Value none;
    const std::int32_t provider = m_provider[static_cast<std::size_t>(place)];
    return provider < 0 ? none : m_providers[static_cast<std::size_t>(provider)];
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
