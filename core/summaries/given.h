// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compaction/summarizer.h"

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace palimpsest {

/// Which messages of which call a summary is about.
struct SummarySubject {
    std::string id; ///< task id of the model call, or id of the `compact_conversation` call
    std::int64_t first = 0; ///< place in the conversation of the first message after the summary before
    std::int64_t end = 0; ///< … behind the last one that is summarized

    auto operator<=>(const SummarySubject &) const = default;
};
SummarySubject subjectOf(const SummaryRequest &request);

/// Summaries that were made outside of runs, by what they are about.
using GivenSummaries = std::map<SummarySubject, std::string>;

/// The given text where a run summarizes the very messages that it is about, else what another summarizer makes.
class GivenSummarizer final : public Summarizer {
public:
    GivenSummarizer(std::shared_ptr<const GivenSummaries> given, std::shared_ptr<Summarizer> otherwise);
    [[nodiscard]] bool needsMessages(const SummaryRequest &request) const override;
    [[nodiscard]] Attempt<SummaryText> summarize(const SummaryRequest &request) override;

private:
    [[nodiscard]] const std::string *given(const SummaryRequest &request) const;

    std::shared_ptr<const GivenSummaries> m_given;
    std::shared_ptr<Summarizer> m_otherwise;
};

/// What a model would be asked for one summary, by the dialect's own rules.
struct SummaryQuestion {
    SummarySubject subject;
    std::optional<std::string> prompt; ///< nothing when upstream would ask no model
    std::int64_t tokens = 0; ///< counted, of the prompt
    std::optional<std::string> smaller; ///< what follows when the model says that the prompt is too long
    std::int64_t smallerTokens = 0;
    std::string text; ///< the summary that the run has instead
};

/// Notes what a model would be asked for each summary of a run, and lets another summarizer answer. For one run.
class QuestionNotes final : public Summarizer {
public:
    explicit QuestionNotes(std::shared_ptr<Summarizer> answers);
    [[nodiscard]] bool needsMessages(const SummaryRequest &) const override { return true; }
    [[nodiscard]] Attempt<SummaryText> summarize(const SummaryRequest &request) override;

    /// In the order of the run.
    [[nodiscard]] std::vector<SummaryQuestion> take() { return std::move(m_questions); }

private:
    std::shared_ptr<Summarizer> m_answers;
    std::vector<SummaryQuestion> m_questions;
};

} // namespace palimpsest
