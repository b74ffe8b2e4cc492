// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/summaries/recorded.h"

namespace palimpsest {

const std::string *RecordedSummarizer::recorded(const SummaryRequest &request) const
{
    const auto found = m_texts->find(request.toolCallId.empty() ? request.taskId : request.toolCallId);
    return found == m_texts->end() ? nullptr : &found->second;
}

Attempt<SummaryText> RecordedSummarizer::summarize(const SummaryRequest &request)
{
    if (const std::string *text = recorded(request))
        return SummaryText{*text, {}};
    return m_otherwise.summarize(request);
}

} // namespace palimpsest
