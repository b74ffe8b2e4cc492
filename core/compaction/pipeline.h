// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compaction/requestview.h"
#include "core/compaction/rules.h"
#include "core/compaction/stages/decision.h"
#include "core/compaction/stages/inputbudget.h"
#include "core/compaction/summarizer.h"
#include "core/thread/checkpoint.h"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace palimpsest {

/// One model call as the summarization middleware meets it: after the file system's middleware, before the provider.
struct PipelineCall {
    RequestView effective; ///< what the event in force leaves of the messages
    std::int64_t messageCount = 0; ///< of the whole log
    EventPtr prior; ///< event in force; null: none
    RequestBase base; ///< tools and system message
    // Texts of the caller's, which outlive the call.
    std::string_view taskId;
    std::string_view toolCallId; ///< of a `compact_conversation` call
    std::string_view sessionId; ///< stored before; empty: a fresh one is made
    std::optional<std::string_view> archiveName; ///< instead of the session id
    std::string_view timestamp; ///< of an archive section, Python's isoformat
};

/// What a call uses beside its input.
struct PipelineServices {
    ArtifactBackend &backend;
    Summarizer &summarizer;
    FreshNames names;
    /// The provider's answer to an attempt: an exception, or nothing when it took it.
    std::function<std::optional<CallError>(const RequestView &request, int attempt)> provider;
    /// False: no archive sections and no prompts are made, only decisions and requests.
    bool texts = true;
    /// Without texts: `PipelineDetails::promptTokens` is known all the same.
    bool countsPrompts = false;
};

struct PipelineAttempt {
    enum class Outcome {
        Ok,
        ContextOverflow, ///< the provider refused
        OverBudget, ///< the middleware did not send it
        Error, ///< another exception
    };
    RequestView request;
    Outcome outcome = Outcome::Ok;
    std::int64_t tokens = 0; ///< counted, with tools and system, without usage scaling
};

/// What only a call has that summarized, clipped or failed.
struct PipelineDetails {
    std::string clause; ///< why it summarized: "messages 14 >= 14"
    std::optional<std::int64_t> cutoffIndex; ///< effective; nothing when it was never asked for
    std::optional<std::int64_t> stateCutoffIndex; ///< in the raw log
    EventPtr event; ///< to be stored; null: none, or the call failed
    EventPtr triedEvent; ///< made, also when the call failed; its message holds the summary
    std::string sessionId; ///< to be stored with the event
    std::vector<MessagePtr> replacements; ///< tool results to be stored by id
    std::vector<std::string> summaryPrompts; ///< every one that was sent, retries too
    std::int64_t promptTokens = 0; ///< counted, of all of them
    std::vector<std::string> warnings; ///< upstream's words
    std::vector<MessageDecision> decisions; ///< about single messages
    std::optional<CallError> error; ///< the call raised
    std::vector<PipelineAttempt> attempts; ///< of a call that has more than one; read PipelineResult::attempts()
};

/// Everything that one call did, and why. Small: a replay keeps one for every call, and most did nothing but send.
struct PipelineResult {
    std::int64_t counted = 0; ///< the count that the decision used
    std::optional<std::int64_t> reported; ///< what the last AI message reports, when its provider is the model's
    std::int64_t truncateCutoff = 0;
    std::int64_t truncatedMessages = 0;
    bool truncated = false; ///< arguments were shortened
    bool summarize = false; ///< by trigger, budget or overflow; the clause is among the details
    std::optional<PipelineAttempt> only; ///< of a call that has one attempt
    std::shared_ptr<const PipelineDetails> more; ///< null for most calls

    [[nodiscard]] const PipelineDetails &details() const;
    /// What was sent, or would have been, in order.
    [[nodiscard]] std::span<const PipelineAttempt> attempts() const;
};

/// `wrap_model_call` (deepagents/middleware/summarization.py, 0.7.7 and 0.7.32), or LangChain's `before_model`
/// (langchain/agents/middleware/summarization.py, 1.5.2) where the dialect rewrites the state.
PipelineResult runModelCall(const PipelineCall &call, const CompactionRules &rules, PipelineServices &services);

/// Whether a summary's request must hold the messages: for texts, for the summarizer, or because the prompt cannot be
/// measured without them.
bool summaryNeedsMessages(const SummaryRequest &request, const PipelineServices &services);
/// Asks the summarizer and fills in the prompts and their tokens as far as the services ask for them.
Attempt<SummaryText> askForSummary(const SummaryRequest &request, PipelineServices &services);

/// `"session_"` and 32 hexadecimal digits of a fresh UUID (`_get_session_id`).
std::string freshSessionId(const FreshNames &names);

} // namespace palimpsest
