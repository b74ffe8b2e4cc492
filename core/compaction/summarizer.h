// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/artifacts/backend.h"
#include "core/compaction/rules.h"
#include "core/thread/message.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace palimpsest {

/// The summary where trimming leaves nothing to ask a model about
/// (`_create_summary`, langchain/agents/middleware/summarization.py, 1.5.2).
inline constexpr std::string_view tooLongToSummarize = "Previous conversation was too long to summarize.";

/// What is asked for when messages are to be summarized.
struct SummaryRequest {
    std::string_view taskId; ///< of the model call; empty for a tool's
    std::string_view toolCallId; ///< of the `compact_conversation` call; empty for a model's
    /// The messages to summarize, inline media already replaced by references. Empty when the run wants no texts and
    /// the summarizer does not need them.
    std::vector<MessagePtr> messages;
    const CompactionRules *rules = nullptr; ///< never null
    const RequestView *view = nullptr; ///< holds the messages as they are, without a copy of any; never null
    std::int64_t count = 0; ///< of the view's messages that are to be summarized
};

struct SummaryText {
    std::string text;
    std::vector<std::string> prompts; ///< every prompt that a model was sent, retries included; empty when none was
    std::int64_t promptTokens = 0; ///< counted, of all of them; filled by askForSummary()
};

/// Gives the text of a summary. One object may serve many runs at once.
class Summarizer {
public:
    virtual ~Summarizer() = default;
    /// Whether `messages` of the request must be filled even in a run without texts; the request's is still empty.
    [[nodiscard]] virtual bool needsMessages(const SummaryRequest &request) const = 0;
    /// The exception is what a failing model call would raise.
    [[nodiscard]] virtual Attempt<SummaryText> summarize(const SummaryRequest &request) = 0;
};

/// A chat model as the summarizer uses it: one prompt, one answer. Endpoints implement this.
class SummaryModel {
public:
    virtual ~SummaryModel() = default;
    /// One attempt. The exception's type "ContextOverflowError" says that the prompt was too long.
    [[nodiscard]] virtual Attempt<std::string> invoke(const std::string &prompt) = 0;
};

/// Asks a model as upstream does: fixed texts when there is nothing to summarize, three attempts, one smaller prompt
/// after an overflow
/// (`_create_summary`, langchain/agents/middleware/summarization.py, 1.5.2).
class ModelSummarizer final : public Summarizer {
public:
    explicit ModelSummarizer(SummaryModel &model)
        : m_model(model)
    {
    }
    [[nodiscard]] bool needsMessages(const SummaryRequest &) const override { return true; }
    [[nodiscard]] Attempt<SummaryText> summarize(const SummaryRequest &request) override;

private:
    SummaryModel &m_model;
};

/// Where a replay's summaries come from.
enum class SummarySource { Recorded, Extractive, Fixed, Model };

/// What the summarizers of the sources need.
struct SummaryMaterial {
    /// Texts by the task id of the model call, or by the id of the `compact_conversation` call.
    using Texts = std::map<std::string, std::string, std::less<>>;
    std::shared_ptr<const Texts> recorded;
    SummaryModel *model = nullptr; ///< not owned
};

/// The summarizer of a source; null for `Model` without a model. Declared for the replay and defined one room up
/// (core/summaries/summarizers.cpp), where the kinds of summaries live: this room does not look up to them.
std::unique_ptr<Summarizer> makeSummarizer(SummarySource source, SummaryMaterial material);

/// Tokens of a prompt of so many code points, which is sent as a human message.
std::int64_t promptTokens(std::int64_t length, const CounterRule &counter);
/// Code points that a summary's prompt has beside the messages' XML.
std::int64_t promptOverhead(const CompactionRules &rules);

/// The prompt that a model would be sent first; nothing when upstream would send none or cannot format it.
std::optional<std::string> summaryPromptFor(const std::vector<MessagePtr> &messages, const CompactionRules &rules);

} // namespace palimpsest
