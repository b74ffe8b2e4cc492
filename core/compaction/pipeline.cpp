// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compaction/pipeline.h"

#include "core/base/text.h"
#include "core/compaction/stages/archive.h"
#include "core/compaction/stages/argumenttruncation.h"
#include "core/compaction/stages/cutoff.h"
#include "core/compaction/stages/media.h"
#include "core/compaction/stages/overflowclip.h"
#include "core/compaction/stages/summarymessage.h"
#include "core/compaction/stages/trigger.h"
#include "core/thread/events.h"

#include <algorithm>

namespace palimpsest {
namespace {

constexpr const char *exhaustedText =
    "Model input still does not fit after recovery; reduce input, tools, or configured output tokens.";
constexpr const char *aboveBudgetText =
    "Context remains above the input budget after compaction; reduce input, tools, or configured output tokens.";
constexpr const char *archiveFailedText =
    "Offloading conversation history to backend failed during summarization. Older messages will not be recoverable.";

std::string mediaFailedText(const std::string &path, std::int64_t blocks)
{
    return "Conversation history was offloaded to " + path + ", but " + std::to_string(blocks)
        + " media block(s) could not be offloaded and appear as failed placeholders in the saved history; the original "
          "media is not recoverable.";
}

CallError overflow(const char *text)
{
    return {{"ContextOverflowError", text}, {}};
}

/// The steps of one call, over the state they share.
class Run {
public:
    Run(const PipelineCall &call, const CompactionRules &rules, PipelineServices &services)
        : m_call(call)
        , m_rules(rules)
        , m_services(services)
    {
    }

    PipelineResult go()
    {
        if (m_rules.dialect.rewritesState)
            runBeforeModel();
        else
            runWrapModelCall();
        m_result.more = std::move(m_details);
        return std::move(m_result);
    }

private:
    void runBeforeModel()
    {
        m_result.counted = m_call.effective.count();
        m_result.reported = reportedTokens(m_call.effective, m_rules);
        TriggerDecision trigger = shouldSummarize(m_call.effective, m_result.counted, m_rules);
        m_result.summarize = trigger.fires;
        if (trigger.fires)
            details().clause = std::move(trigger.clause);
        RequestView request = m_call.effective;
        if (trigger.fires) {
            const std::int64_t cutoff = determineCutoffIndex(request, m_rules);
            details().cutoffIndex = cutoff;
            if (cutoff > 0) {
                const auto summarized = summarize(request, cutoff);
                if (!summarized)
                    return;
                request = *summarized;
                details().event = details().triedEvent; // stored by its own node, whatever the model then answers
            }
        }
        if (auto error = send(request))
            details().error = std::move(error);
    }

    void runWrapModelCall()
    {
        // Step 1: truncation, with one count for both checks.
        std::int64_t total = m_call.effective.count(m_call.base);
        const ArgumentTruncation truncation = truncateArgs(m_call.effective, total, m_rules);
        m_truncated = truncation.view;
        m_result.truncated = truncation.changed > 0;
        m_result.truncateCutoff = truncation.cutoff;
        m_result.truncatedMessages = truncation.changed;
        if (m_result.truncated)
            total = m_truncated.count(m_call.base);
        m_result.counted = total;
        m_result.reported = reportedTokens(m_truncated, m_rules);

        // Step 2: the triggers, then one optimistic attempt.
        TriggerDecision trigger = shouldSummarize(m_truncated, total, m_rules);
        m_result.summarize = trigger.fires;
        if (trigger.fires)
            details().clause = std::move(trigger.clause);
        if (!trigger.fires && overBudget(m_rules, total)) {
            m_result.summarize = true;
            details().clause =
                "tokens " + std::to_string(total) + " > input budget " + std::to_string(*inputBudget(m_rules));
        }
        std::optional<CallError> refusal;
        if (!m_result.summarize) {
            refusal = send(m_truncated);
            if (!refusal)
                return;
            if (!isContextOverflow(*refusal, m_rules.dialect)) {
                details().error = std::move(refusal);
                return;
            }
            m_result.summarize = true;
            details().clause = "context overflow";
        }

        // Step 3: summarization.
        const std::int64_t cutoff = determineCutoffIndex(m_truncated, m_rules);
        details().cutoffIndex = cutoff;
        if (cutoff <= 0)
            sendUnsummarized(refusal);
        else
            sendSummarized(cutoff, refusal);
    }

    void sendUnsummarized(const std::optional<CallError> &refusal)
    {
        if (m_rules.dialect.retriesSmaller) {
            if (!sendWithinBudget(m_truncated, refusal, m_truncated))
                details().replacements.clear();
        } else if (auto error = send(m_truncated)) {
            details().error = std::move(error);
        }
    }

    void sendSummarized(std::int64_t cutoff, const std::optional<CallError> &refusal)
    {
        RequestView source = m_truncated;
        if (refusal && !m_rules.dialect.retriesSmaller) {
            const auto clipped = clip(source, cutoff, m_rules.keep);
            if (!clipped)
                return;
            source = *clipped;
        }
        const auto summarized = summarize(source, cutoff);
        if (!summarized)
            return;
        RequestView request = *summarized;
        if (m_rules.dialect.retriesSmaller) {
            if (!sendWithinBudget(request, refusal, m_truncated)) {
                details().replacements.clear();
                return;
            }
        } else if (auto error = send(request)) {
            details().error = std::move(error);
            details().replacements.clear();
            return;
        }
        details().event = details().triedEvent;
    }

    /// One attempt at the provider.
    std::optional<CallError> send(const RequestView &request)
    {
        PipelineAttempt attempt;
        attempt.request = request;
        attempt.tokens = request.countUnscaled(m_call.base);
        auto error = m_services.provider ? m_services.provider(request, m_sent) : std::nullopt;
        ++m_sent;
        if (error)
            attempt.outcome = isContextOverflow(*error, m_rules.dialect) ? PipelineAttempt::Outcome::ContextOverflow
                                                                         : PipelineAttempt::Outcome::Error;
        keep(std::move(attempt));
        return error;
    }

    void keep(PipelineAttempt attempt)
    {
        if (!m_result.only && (!m_details || m_details->attempts.empty())) {
            m_result.only = std::move(attempt);
            return;
        }
        auto &all = details().attempts;
        if (m_result.only) {
            all.push_back(std::move(*m_result.only));
            m_result.only.reset();
        }
        all.push_back(std::move(attempt));
    }

    /// `_call_with_budget`: false when the call raised.
    bool sendWithinBudget(RequestView request, std::optional<CallError> refusal, const RequestView &rejected)
    {
        for (RequestView original = rejected;;) {
            bool replaced = false;
            if (refusal || overBudget(m_rules, request.count(m_call.base))) {
                const std::size_t before = details().replacements.size();
                const auto clipped = clip(request, 0, ContextSize{ContextSize::Kind::Tokens, 1});
                if (!clipped)
                    return false;
                request = *clipped;
                replaced = details().replacements.size() > before;
                if (!smaller(original, request, refusal))
                    return false;
            }
            auto error = send(request);
            if (!error)
                return true;
            if (!isContextOverflow(*error, m_rules.dialect)) {
                details().error = std::move(error);
                return false;
            }
            if (refusal || replaced) {
                details().error = overflow(exhaustedText);
                return false;
            }
            refusal = std::move(error);
            original = request;
        }
    }

    /// `_check_reduction`: false when the call raised instead of sending.
    bool smaller(const RequestView &original, const RequestView &reduced, const std::optional<CallError> &refusal)
    {
        const std::int64_t count = reduced.count(m_call.base);
        if (refusal && count >= original.count(m_call.base)) {
            details().error = overflow(exhaustedText);
            return false;
        }
        if (const auto budget = inputBudget(m_rules); budget && count > *budget) {
            details().error = overflow(aboveBudgetText);
            if (m_sent == 0) {
                PipelineAttempt attempt;
                attempt.request = reduced;
                attempt.outcome = PipelineAttempt::Outcome::OverBudget;
                attempt.tokens = reduced.countUnscaled(m_call.base);
                keep(std::move(attempt));
            }
            return false;
        }
        return true;
    }

    /// Clips the trailing tool results of the messages from `from` on; nothing when the call raised.
    std::optional<RequestView> clip(const RequestView &view, std::int64_t from, const ContextSize &keep)
    {
        const std::int64_t size = view.size();
        if (size <= from || !view.isTool(size - 1))
            return view;
        const auto counter = [this](std::span<const MessagePtr> tail) {
            return viewOf({tail.begin(), tail.end()}, m_rules.counter).count();
        };
        auto clipped = clipOverflowTail(view.messages(from, size), keep, m_rules.maxInputTokens, counter,
            m_rules.largeResultsPrefix, m_services.backend, m_rules.dialect, m_services.names);
        if (!clipped) {
            details().error = CallError{clipped.error(), {}};
            return std::nullopt;
        }
        for (MessageDecision &decision : clipped->decisions) {
            if (decision.index)
                *decision.index += from;
            details().decisions.push_back(std::move(decision));
        }
        if (clipped->replacements.empty())
            return view;
        auto replacements = view.replacements ? *view.replacements : std::vector<RequestView::Replacement>();
        for (std::int64_t i = from; i < size; ++i) {
            const MessagePtr &message = clipped->messages[static_cast<std::size_t>(i - from)];
            if (message == view.at(i))
                continue;
            const std::int64_t place = view.placeOf(i);
            std::erase_if(replacements, [&](const auto &old) { return old.place == place; });
            replacements.push_back(
                {place, message, messageTokens(*message, m_rules.counter.charsPerToken).value_or(0)});
        }
        RequestView result = view;
        result.replacements = std::make_shared<const std::vector<RequestView::Replacement>>(std::move(replacements));
        details().replacements.insert(
            details().replacements.end(), clipped->replacements.begin(), clipped->replacements.end());
        return result;
    }

    /// Archives and summarizes the messages before `cutoff`; the request that follows from it, or nothing when the call
    /// raised.
    std::optional<RequestView> summarize(const RequestView &view, std::int64_t cutoff)
    {
        SummaryRequest request{m_call.taskId, m_call.toolCallId, {}, &m_rules, &view, cutoff};
        if (summaryNeedsMessages(request, m_services))
            request.messages = view.messages(0, cutoff);
        std::optional<std::string> path;
        if (m_rules.dialect.hasArchive()) {
            if (!archive(request.messages, path))
                return std::nullopt;
        }
        auto summary = askForSummary(request, m_services);
        if (!summary) {
            details().error = CallError{summary.error(), {}};
            return std::nullopt;
        }
        details().summaryPrompts = std::move(summary->prompts);
        details().promptTokens = summary->promptTokens;

        auto event = std::make_shared<SummarizationEvent>();
        event->summaryMessage = summaryMessage(summary->text, path);
        // Fixed summaries are all the same: one message serves them.
        if (const MessagePtr before = m_call.prior ? m_call.prior->summaryMessage : nullptr;
            before && *before == *event->summaryMessage)
            event->summaryMessage = before;
        event->filePath = path;
        event->cutoffIndex = stateCutoff(m_call.prior.get(), cutoff).value_or(cutoff);
        if (m_rules.dialect.eventHasCreatedAtIndex)
            event->createdAtIndex = m_call.messageCount;
        details().stateCutoffIndex = event->cutoffIndex;

        RequestView next = view.from(cutoff);
        next.summary = event->summaryMessage;
        next.summaryTokens = messageTokens(*next.summary, m_rules.counter.charsPerToken).value_or(0);
        if (m_rules.dialect.dropsBoundReasoning)
            next.reasoningFrom = next.end;
        details().triedEvent = std::move(event);
        return next;
    }

    /// Media and archive of `messages`; false when the call raised.
    bool archive(std::vector<MessagePtr> &messages, std::optional<std::string> &path)
    {
        std::int64_t failedMedia = 0;
        const bool written = !messages.empty() || m_services.texts;
        if (written) {
            auto media = offloadInlineMedia(messages, m_services.backend);
            if (!media) {
                details().error = CallError{media.error(), {}};
                return false;
            }
            messages = std::move(media->messages);
            failedMedia = media->failedBlocks;
            details().decisions.insert(details().decisions.end(), media->decisions.begin(), media->decisions.end());
        }
        details().sessionId =
            m_call.sessionId.empty() ? freshSessionId(m_services.names) : std::string(m_call.sessionId);
        const std::string_view name = m_call.archiveName.value_or(details().sessionId);
        if (m_services.texts) {
            auto write = offloadToBackend(messages, name, m_call.timestamp, m_services.backend);
            if (!write) {
                details().error = CallError{write.error(), {}};
                return false;
            }
            path = std::move(write->path);
        } else if (m_services.backend.options().failures.write == BackendFailure::None) {
            path = m_rules.historyPrefix + "/" + std::string(name) + ".md";
        }
        if (!path)
            details().warnings.emplace_back(archiveFailedText);
        else if (failedMedia > 0)
            details().warnings.push_back(mediaFailedText(*path, failedMedia));
        return true;
    }

    PipelineDetails &details()
    {
        if (!m_details)
            m_details = std::make_shared<PipelineDetails>();
        return *m_details;
    }

    const PipelineCall &m_call;
    const CompactionRules &m_rules;
    PipelineServices &m_services;
    PipelineResult m_result;
    std::shared_ptr<PipelineDetails> m_details;
    RequestView m_truncated;
    int m_sent = 0;
};

} // namespace

PipelineResult runModelCall(const PipelineCall &call, const CompactionRules &rules, PipelineServices &services)
{
    return Run(call, rules, services).go();
}

const PipelineDetails &PipelineResult::details() const
{
    static const PipelineDetails none;
    return more ? *more : none;
}

std::span<const PipelineAttempt> PipelineResult::attempts() const
{
    if (only)
        return {&*only, 1};
    return details().attempts;
}

bool summaryNeedsMessages(const SummaryRequest &request, const PipelineServices &services)
{
    if (services.texts || services.summarizer.needsMessages(request))
        return true;
    return services.countsPrompts && (request.rules->trimTokensToSummarize || !request.view->xmlLength(request.count));
}

Attempt<SummaryText> askForSummary(const SummaryRequest &request, PipelineServices &services)
{
    auto summary = services.summarizer.summarize(request);
    if (!summary)
        return summary;
    const CompactionRules &rules = *request.rules;
    if (!services.texts && !services.countsPrompts)
        return summary;
    if (summary->prompts.empty() && !services.texts && !rules.trimTokensToSummarize) {
        if (const auto length = request.view->xmlLength(request.count)) {
            summary->promptTokens = promptTokens(promptOverhead(rules) + *length, rules.counter);
            return summary;
        }
    }
    if (summary->prompts.empty()) {
        if (auto prompt = summaryPromptFor(request.messages, rules))
            summary->prompts.push_back(std::move(*prompt));
    }
    for (const std::string &prompt : summary->prompts)
        summary->promptTokens += promptTokens(static_cast<std::int64_t>(text::length(prompt)), rules.counter);
    return summary;
}

std::string freshSessionId(const FreshNames &names)
{
    std::string uuid = names.uuid ? names.uuid() : std::string();
    std::erase(uuid, '-');
    return "session_" + uuid;
}

} // namespace palimpsest
