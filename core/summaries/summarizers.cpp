// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compaction/stages/summarytrim.h"
#include "core/compaction/summarizer.h"
#include "core/summaries/extractive.h"
#include "core/summaries/fixed.h"
#include "core/summaries/recorded.h"

namespace palimpsest {
namespace {

/// Stands in for a model, which upstream does not ask where trimming leaves nothing to summarize.
template <class Stand> class UnlessTooLong final : public Summarizer {
public:
    [[nodiscard]] bool needsMessages(const SummaryRequest &request) const override
    {
        return request.rules->trimTokensToSummarize || m_stand.needsMessages(request);
    }
    [[nodiscard]] Attempt<SummaryText> summarize(const SummaryRequest &request) override
    {
        if (request.rules->trimTokensToSummarize && trimMessagesForSummary(request.messages, *request.rules).empty())
            return SummaryText{std::string(tooLongToSummarize), {}};
        return m_stand.summarize(request);
    }

private:
    Stand m_stand;
};

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
    UnlessTooLong<ExtractiveSummarizer> m_extractive;
    RecordedSummarizer m_recorded;
};

} // namespace

std::unique_ptr<Summarizer> makeSummarizer(SummarySource source, SummaryMaterial material)
{
    switch (source) {
    case SummarySource::Recorded:
        return std::make_unique<RecordedElseExtractive>(std::move(material.recorded));
    case SummarySource::Extractive:
        return std::make_unique<UnlessTooLong<ExtractiveSummarizer>>();
    case SummarySource::Fixed:
        return std::make_unique<UnlessTooLong<FixedSummarizer>>();
    case SummarySource::Model:
        break;
    }
    return material.model ? std::make_unique<ModelSummarizer>(*material.model) : nullptr;
}

} // namespace palimpsest
