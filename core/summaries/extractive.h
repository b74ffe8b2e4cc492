// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compaction/summarizer.h"

#include <cstddef>
#include <memory>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace palimpsest {

struct MessageExtract;

/// A summary made of the messages' own sentences, without a model: offline, the same text for the same messages. Four
/// sections, SESSION INTENT, SUMMARY, ARTIFACTS and NEXT STEPS, within a budget of code points. What it takes from a
/// message is kept for further summaries; many threads may share one object.
class ExtractiveSummarizer final : public Summarizer {
public:
    explicit ExtractiveSummarizer(std::size_t budget = 3000);
    ~ExtractiveSummarizer() override;
    [[nodiscard]] bool needsMessages(const SummaryRequest &) const override { return false; }
    [[nodiscard]] Attempt<SummaryText> summarize(const SummaryRequest &request) override;

private:
    /// One for each of the first `count` messages; null for a summary.
    std::vector<const MessageExtract *> extracts(const RequestView &view, std::int64_t count);

    std::size_t m_budget;
    std::shared_mutex m_mutex;
    std::unordered_map<MessagePtr, std::unique_ptr<const MessageExtract>> m_extracts;
};

/// The text itself. `budget` is in code points; headings and the line "None" are always written, so that a tiny budget
/// still gives the four sections.
std::string extractiveSummary(const std::vector<MessagePtr> &messages, std::size_t budget);

} // namespace palimpsest
