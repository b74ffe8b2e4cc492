// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compaction/summarizer.h"

#include <memory>

namespace palimpsest {

/// The summary that the recording holds for a call, else what another summarizer makes.
class RecordedSummarizer final : public Summarizer {
public:
    /// Texts by the task id of the model call, or by the id of the `compact_conversation` call.
    using Texts = SummaryMaterial::Texts;

    RecordedSummarizer(std::shared_ptr<const Texts> texts, Summarizer &otherwise)
        : m_texts(std::move(texts))
        , m_otherwise(otherwise)
    {
    }
    [[nodiscard]] bool needsMessages(const SummaryRequest &request) const override
    {
        return !recorded(request) && m_otherwise.needsMessages(request);
    }
    [[nodiscard]] Attempt<SummaryText> summarize(const SummaryRequest &request) override;

private:
    /// The recorded text; null when there is none.
    [[nodiscard]] const std::string *recorded(const SummaryRequest &request) const;

    std::shared_ptr<const Texts> m_texts;
    Summarizer &m_otherwise;
};

} // namespace palimpsest
