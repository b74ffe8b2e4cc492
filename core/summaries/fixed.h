// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compaction/summarizer.h"

namespace palimpsest {

/// The same text every time (`summary_text` of the settings).
class FixedSummarizer final : public Summarizer {
public:
    explicit FixedSummarizer(std::string text)
        : m_text(std::move(text))
    {
    }
    [[nodiscard]] bool needsMessages() const override { return false; }
    [[nodiscard]] Attempt<SummaryText> summarize(const SummaryRequest &) override { return SummaryText{m_text, {}}; }

private:
    std::string m_text;
};

} // namespace palimpsest
