// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/summaries/recorded.h"

namespace palimpsest {

Attempt<SummaryText> RecordedSummarizer::summarize(const SummaryRequest &request)
{
    const std::string &key = request.toolCallId.empty() ? request.taskId : request.toolCallId;
    if (const auto found = m_texts->find(key); found != m_texts->end())
        return SummaryText{found->second, {}};
    return m_otherwise.summarize(request);
}

} // namespace palimpsest
