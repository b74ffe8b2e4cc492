// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/summaries/given.h"

#include "core/base/text.h"
#include "core/compaction/requestview.h"
#include "core/compaction/stages/summaryprompt.h"
#include "core/compaction/stages/summarytrim.h"

namespace palimpsest {

SummarySubject subjectOf(const SummaryRequest &request)
{
    const std::string_view id = request.toolCallId.empty() ? request.taskId : request.toolCallId;
    return {std::string(id), request.view->first, request.view->placeOf(request.count)};
}

GivenSummarizer::GivenSummarizer(std::shared_ptr<const GivenSummaries> given, std::shared_ptr<Summarizer> otherwise)
    : m_given(std::move(given))
    , m_otherwise(std::move(otherwise))
{
}

const std::string *GivenSummarizer::given(const SummaryRequest &request) const
{
    const auto found = m_given->find(subjectOf(request));
    return found == m_given->end() ? nullptr : &found->second;
}

bool GivenSummarizer::needsMessages(const SummaryRequest &request) const
{
    return !given(request) && m_otherwise->needsMessages(request);
}

Attempt<SummaryText> GivenSummarizer::summarize(const SummaryRequest &request)
{
    if (const std::string *text = given(request))
        return SummaryText{*text, {}};
    return m_otherwise->summarize(request);
}

QuestionNotes::QuestionNotes(std::shared_ptr<Summarizer> answers)
    : m_answers(std::move(answers))
{
}

Attempt<SummaryText> QuestionNotes::summarize(const SummaryRequest &request)
{
    const auto tokens = [&](const std::string &prompt) {
        return promptTokens(static_cast<std::int64_t>(text::length(prompt)), request.rules->counter);
    };
    SummaryQuestion question;
    question.subject = subjectOf(request);
    question.prompt = summaryPromptFor(request.messages, *request.rules);
    if (question.prompt) {
        question.tokens = tokens(*question.prompt);
        const auto smaller =
            overflowRetryPrompt(*request.rules, trimMessagesForSummary(request.messages, *request.rules));
        if (smaller && *smaller) {
            question.smaller = **smaller;
            question.smallerTokens = tokens(*question.smaller);
        }
    }
    auto answer = m_answers->summarize(request);
    if (answer)
        question.text = answer->text;
    m_questions.push_back(std::move(question));
    return answer;
}

} // namespace palimpsest
