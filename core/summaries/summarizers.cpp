// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compaction/summarizer.h"
#include "core/summaries/extractive.h"
#include "core/summaries/fixed.h"
#include "core/summaries/recorded.h"

namespace palimpsest {
namespace {

/// The recorded text where there is one, else the extractive.
class RecordedElseExtractive final : public Summarizer {
public:
    explicit RecordedElseExtractive(std::shared_ptr<const RecordedSummarizer::Texts> texts)
        : m_recorded(std::move(texts), m_extractive)
    {
    }
    [[nodiscard]] bool needsMessages(const SummaryRequest &request) const override
    {
        return m_recorded.needsMessages(request);
    }
    [[nodiscard]] Attempt<SummaryText> summarize(const SummaryRequest &request) override
    {
        return m_recorded.summarize(request);
    }

private:
    ExtractiveSummarizer m_extractive;
    RecordedSummarizer m_recorded;
};

} // namespace

std::unique_ptr<Summarizer> makeSummarizer(SummarySource source, SummaryMaterial material)
{
    switch (source) {
    case SummarySource::Recorded:
        return std::make_unique<RecordedElseExtractive>(std::move(material.recorded));
    case SummarySource::Extractive:
        return std::make_unique<ExtractiveSummarizer>();
    case SummarySource::Fixed:
        return std::make_unique<FixedSummarizer>();
    case SummarySource::Model:
        break;
    }
    return material.model ? std::make_unique<ModelSummarizer>(*material.model) : nullptr;
}

} // namespace palimpsest
