// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compaction/countedlog.h"

#include "core/compaction/stages/argumenttruncation.h"
#include "core/compaction/stages/bufferstring.h"
#include "core/thread/projection.h"
#include "core/tokens/approximate.h"

#include <algorithm>
#include <thread>
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
    return first >= end || sums.empty() ? 0
                                        : sums[static_cast<std::size_t>(end)] - sums[static_cast<std::size_t>(first)];
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
    , m_answersBefore{0}
{
}

void CountedLog::reserve(std::size_t count)
{
    m_messages.reserve(count);
    m_kinds.reserve(count);
    m_tokens.reserve(count);
    m_answersBefore.reserve(count + 1);
}

CountedLog::Measured CountedLog::measure(const MessagePtr &message) const
{
    Measured measured;
    measured.tokens = messageTokens(*message, m_rule.charsPerToken).value_or(-1);
    if (message->kind != MessageKind::Ai)
        return measured;
    Forms forms;
    if (m_truncation)
        forms.truncated = truncateToolCalls(message, *m_truncation);
    if (message->content.isList()) {
        if (MessagePtr dropped = dropBoundReasoning(message); dropped != message)
            forms.withoutReasoning = std::move(dropped);
    }
    if (forms.truncated && forms.withoutReasoning)
        forms.both = truncateToolCalls(forms.withoutReasoning, *m_truncation);
    else
        forms.both = forms.truncated ? forms.truncated : forms.withoutReasoning;
    if (!forms.both)
        return measured;
    const FormSums::Sizes sizes = sizesOf(forms, std::max<std::int64_t>(0, measured.tokens),
        [&](const MessagePtr &form) { return messageTokens(*form, m_rule.charsPerToken).value_or(0); });
    measured.other = std::make_unique<std::pair<Forms, FormSums::Sizes>>(std::move(forms), sizes);
    return measured;
}

void CountedLog::append(MessagePtr message)
{
    Measured measured = measure(message);
    append(std::move(message), std::move(measured));
}

void CountedLog::append(std::span<const MessagePtr> messages)
{
    constexpr std::size_t share = 2500; ///< messages that are worth a thread
    reserve(m_messages.size() + messages.size());
    const std::size_t workers = std::min<std::size_t>(std::thread::hardware_concurrency(), messages.size() / share);
    if (workers < 2) {
        for (const MessagePtr &message : messages)
            append(message);
        return;
    }
    std::vector<Measured> measured(messages.size());
    {
        std::vector<std::jthread> others;
        const auto work = [&](std::size_t worker) {
            const std::size_t end = messages.size() * (worker + 1) / workers;
            for (std::size_t i = messages.size() * worker / workers; i < end; ++i)
                measured[i] = measure(messages[i]);
        };
        for (std::size_t worker = 1; worker < workers; ++worker)
            others.emplace_back(work, worker);
        work(0);
    }
    for (std::size_t i = 0; i < messages.size(); ++i)
        append(messages[i], std::move(measured[i]));
}

void CountedLog::append(MessagePtr message, Measured measured)
{
    const std::size_t place = m_messages.size();
    m_countable = m_countable && measured.tokens >= 0;
    m_kinds.push_back(static_cast<std::uint8_t>(message->kind));
    const std::int64_t tokens = std::max<std::int64_t>(0, measured.tokens);
    m_tokens.append(measured.other ? measured.other->second : FormSums::Sizes{tokens, tokens, tokens, tokens});
    const bool shortened = measured.other && measured.other->first.truncated;
    if (shortened && m_shortened.empty())
        m_shortened.assign(place + 1, 0);
    if (!m_shortened.empty())
        m_shortened.push_back(m_shortened.back() + (shortened ? 1 : 0));
    if (measured.other && m_formPlace.empty())
        m_formPlace.assign(place, -1);
    if (measured.other || !m_formPlace.empty())
        m_formPlace.push_back(measured.other ? static_cast<std::int32_t>(m_forms.size()) : -1);
    if (measured.other)
        m_forms.push_back(std::move(measured.other->first));
    if (message->kind == MessageKind::Ai)
        appendAnswer(*message, static_cast<std::int64_t>(place));
    m_answersBefore.push_back(static_cast<std::int32_t>(m_answers.size()));
    m_messages.push_back(std::move(message));
}

void CountedLog::appendAnswer(const Message &message, std::int64_t place)
{
    Answer answer;
    answer.place = static_cast<std::int32_t>(place);
    if (const Value *total = message.usageMetadata.find("total_tokens"); total && (total->isInt() || total->isBool()))
        answer.reported = total->isBool() ? (total->asBool() ? 1 : 0) : total->asInt();
    if (const Value *name = message.responseMetadata.find("model_provider"); name && !name->isNil()) {
        const auto known = std::find(m_providers.begin(), m_providers.end(), *name);
        answer.provider = static_cast<std::int32_t>(known - m_providers.begin());
        if (known == m_providers.end())
            m_providers.push_back(*name);
    }
    const Answer before = m_answers.empty() ? Answer() : m_answers.back();
    // A run of AI messages of one provider goes on, or a new one begins here.
    const bool goesOn = answer.provider >= 0 && before.provider == answer.provider;
    answer.runBefore = goesOn ? before.runBefore : m_lastWithProvider;
    answer.lastReporting = answer.reported >= 0 ? answer.place : before.lastReporting;
    if (answer.provider >= 0)
        m_lastWithProvider = answer.place;
    m_answers.push_back(answer);
}

const MessagePtr &CountedLog::message(std::int64_t place, MessageForm form) const
{
    const auto at = static_cast<std::size_t>(place);
    if ((form.truncated || form.withoutReasoning) && !m_formPlace.empty() && m_formPlace[at] >= 0) {
        const Forms &forms = m_forms[static_cast<std::size_t>(m_formPlace[at])];
        const MessagePtr &chosen = form.truncated && form.withoutReasoning ? forms.both
            : form.truncated                                               ? forms.truncated
                                                                           : forms.withoutReasoning;
        if (chosen)
            return chosen;
    }
    return m_messages[at];
}

void CountedLog::measureXml() const
{
    const auto lengthOf = [](const MessagePtr &message) { return xmlLength(*message) + 1; };
    m_xml.reserve(m_messages.size());
    m_special.reserve(m_messages.size() + 1);
    m_special.push_back(0);
    for (std::size_t i = 0; i < m_messages.size(); ++i) {
        const std::int64_t length = lengthOf(m_messages[i]);
        m_xml.append(m_formPlace.empty() || m_formPlace[i] < 0
                ? FormSums::Sizes{length, length, length, length}
                : sizesOf(m_forms[static_cast<std::size_t>(m_formPlace[i])], length, lengthOf));
        m_special.push_back(m_special.back() + (promptShowsOwnXml(*m_messages[i]) ? 0 : 1));
    }
}

const FormSums &CountedLog::xmlLengths() const
{
    std::call_once(m_xmlMade, [this] { measureXml(); });
    return m_xml;
}

std::int64_t CountedLog::specialInPrompts(std::int64_t first, std::int64_t end) const
{
    std::call_once(m_xmlMade, [this] { measureXml(); });
    return between(m_special, first, end);
}

std::int64_t CountedLog::shortened(std::int64_t first, std::int64_t end) const
{
    return between(m_shortened, first, end);
}

std::int64_t CountedLog::lastAi(std::int64_t end) const
{
    const Answer *answer = answerBefore(end);
    return answer ? answer->place : -1;
}

std::int64_t CountedLog::lastReporting(std::int64_t end) const
{
    const Answer *answer = answerBefore(end);
    return answer ? answer->lastReporting : -1;
}

std::optional<std::int64_t> CountedLog::reported(std::int64_t place) const
{
    if (!isAi(place))
        return std::nullopt;
    const std::int64_t total = answerBefore(place + 1)->reported;
    return total < 0 ? std::nullopt : std::optional(total);
}

const Value &CountedLog::provider(std::int64_t place) const
{
    static const Value none;
    const std::int32_t provider = isAi(place) ? answerBefore(place + 1)->provider : -1;
    return provider < 0 ? none : m_providers[static_cast<std::size_t>(provider)];
}

bool CountedLog::oneProvider(std::int64_t first, std::int64_t end) const
{
    const Answer *last = answerBefore(end);
    return last && last->place >= first && last->provider >= 0 && last->runBefore < first;
}

} // namespace palimpsest
