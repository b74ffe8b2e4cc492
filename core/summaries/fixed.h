// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compaction/summarizer.h"

namespace palimpsest {

/// The same text every time: `summary_text` of the settings in force.
class FixedSummarizer final : public Summarizer {
public:
    [[nodiscard]] bool needsMessages(const SummaryRequest &) const override { return false; }
    [[nodiscard]] Attempt<SummaryText> summarize(const SummaryRequest &request) override
    {
        return SummaryText{request.rules->summaryText, {}};
    }
};

} // namespace palimpsest
