// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compaction/summarizer.h"

#include <cstddef>

namespace palimpsest {

/// A summary made of the messages' own sentences, without a model: offline, the same text for the same messages. Four
/// sections, SESSION INTENT, SUMMARY, ARTIFACTS and NEXT STEPS, within a budget of code points.
class ExtractiveSummarizer final : public Summarizer {
public:
    explicit ExtractiveSummarizer(std::size_t budget = 3000)
        : m_budget(budget)
    {
    }
    [[nodiscard]] bool needsMessages() const override { return true; }
    [[nodiscard]] Attempt<SummaryText> summarize(const SummaryRequest &request) override;

private:
    std::size_t m_budget;
};

/// The text itself. `budget` is in code points; headings and the line "None" are always written, so that a tiny budget
/// still gives the four sections.
std::string extractiveSummary(const std::vector<MessagePtr> &messages, std::size_t budget);

} // namespace palimpsest
