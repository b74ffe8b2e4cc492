// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/trace/losses.h"

#include "core/artifacts/archive.h"
#include "core/artifacts/links.h"
#include "core/compaction/contextsize.h"
#include "core/compaction/stages/bufferstring.h"
#include "core/compaction/stages/humaneviction.h"
#include "core/compaction/stages/summarytrim.h"
#include "core/insight/trace/messageparts.h"
#include "core/thread/requests.h"
#include "core/values/json.h"

#include <algorithm>

namespace palimpsest {
namespace {

/// The text as a summarizer's prompt has the message: an archive's form, read back.
bool isInPrompt(const MessagePtr &message, const TraceQuery &query)
{
    const Attempt<std::string> xml = bufferStringXml({message});
    return xml && findInFile("## Summarized at -\n\n" + *xml, true, query.needle);
}

std::string quoted(const std::string &text)
{
    std::string out;
    writeJsonText(out, text);
    return out;
}

/// What the input of a call's summary was made of.
struct SummaryInput {
    std::vector<MessagePtr> messages;
    std::vector<MessageIndex> raw; ///< invalid for the summary before it
};

class LossFinder {
public:
    LossFinder(Trace &trace, Tracer &tracer)
        : m_trace(trace)
        , m_tracer(tracer)
        , m_space(tracer.space())
    {
    }

    void run()
    {
        for (std::size_t i = 0; i < m_trace.calls.size(); ++i)
            if (m_trace.calls[i].eventMade)
                look(i);
        if (m_trace.calls.empty())
            return;
        std::vector<std::size_t> branch;
        for (auto at = static_cast<std::int32_t>(m_trace.calls.size()) - 1; at >= 0;
            at = m_trace.calls[static_cast<std::size_t>(at)].parent)
            branch.push_back(static_cast<std::size_t>(at));
        std::reverse(branch.begin(), branch.end());
        findLosses(branch);
        findRecovery();
        findSurvival(branch);
    }

private:
    [[nodiscard]] const TracedCall &traced(std::size_t call) const { return m_trace.calls[call]; }

    // --- what a summarizer was given

    [[nodiscard]] SummaryInput inputOf(std::size_t call)
    {
        SummaryInput input;
        const Call &at = m_space.calls[call];
        const TracedCall &here = traced(call);
        const EventPtr before =
            here.parent < 0 ? eventBefore(m_space, at) : m_space.calls[static_cast<std::size_t>(here.parent)].event;
        const Projection from = projectionOf(at.log.size(), before.get());
        const Projection to = m_tracer.projection(call);
        if (from.summary && before->summaryMessage) {
            input.messages.push_back(before->summaryMessage);
            input.raw.emplace_back();
        }
        for (MessageIndex raw = from.first; raw < to.first; ++raw) {
            MessagePtr message = m_tracer.shown(call, raw);
            input.messages.push_back(std::move(message));
            input.raw.push_back(raw);
        }
        return input;
    }

    /// Whether the summarizer saw the text, and what became of it, at a call whose event is new.
    void look(std::size_t call)
    {
        const SummaryInput input = inputOf(call);
        const auto [step, saw] = blame(call, input);
        const bool among = std::any_of(input.messages.begin(), input.messages.end(), [&](const MessagePtr &message) {
            return isSummary(*message) ? m_tracer.query().needle.isIn(textOf(*message)) : m_tracer.match(message).found;
        });
        const std::vector<MessageIndex> hits = m_tracer.hits(call);
        const bool rawAmong = std::any_of(hits.begin(), hits.end(),
            [&](MessageIndex raw) { return std::find(input.raw.begin(), input.raw.end(), raw) != input.raw.end(); });
        if (among || rawAmong || step != SummaryBlame::None)
            m_trace.calls[call].summarizerSaw = saw;
    }

    /// Which step lost the text, and whether the input held it.
    [[nodiscard]] std::pair<SummaryBlame, bool> blame(std::size_t call, const SummaryInput &input)
    {
        const std::vector<MessagePtr> trimmed = m_tracer.options().settings
            ? trimMessagesForSummary(input.messages, m_tracer.rulesAt(call))
            : input.messages;
        bool inSummary = false;
        for (const MessagePtr &message : trimmed) {
            if (isSummary(*message)) {
                inSummary = inSummary || m_tracer.query().needle.isIn(textOf(*message));
                continue;
            }
            if (m_tracer.match(message).found && holds(message))
                return {SummaryBlame::SummaryOmits, true};
        }
        if (inSummary)
            return {SummaryBlame::LaterSummaryLost, true};
        for (std::size_t i = 0; i < input.messages.size(); ++i) {
            const MessagePtr &message = input.messages[i];
            if (!input.raw[i].isValid()) {
                if (m_tracer.query().needle.isIn(textOf(*message)))
                    return {SummaryBlame::Trimmed, false};
                continue;
            }
            const BodyHit &whole = m_tracer.match(m_space.calls[call].log[input.raw[i].at()]);
            if (m_tracer.match(message).found && holds(message))
                return {SummaryBlame::Trimmed, false};
            const std::optional<ArtifactLink> link = stubLink(textOf(*message));
            if (link
                && (whole.found
                    || m_tracer.query().needle.isIn(m_tracer.files().content(m_space.calls[call], link->path))))
                return {SummaryBlame::Stub, false};
            if (whole.found)
                return {whole.inArguments ? SummaryBlame::TruncatedArgument : SummaryBlame::DroppedBlock, false};
        }
        return {SummaryBlame::None, false};
    }

    /// A message that has the text has it in the prompt's form as well.
    [[nodiscard]] bool holds(const MessagePtr &message)
    {
        if (m_tracer.query().messageId)
            return !m_tracer.match(message).inPreview;
        return isInPrompt(message, m_tracer.query());
    }

    // --- losses

    void findLosses(const std::vector<std::size_t> &branch)
    {
        bool visible = false;
        for (std::size_t i = 0; i < branch.size(); ++i) {
            const std::size_t call = branch[i];
            const TracedCall &here = traced(call);
            const bool sees = here.visible();
            const bool appeared = !here.has(TraceKind::NotYet);
            if (sees && !m_trace.losses.empty() && m_trace.losses.back().regained < 0)
                m_trace.losses.back().regained = static_cast<std::int32_t>(call);
            // What was moved away before any call saw it is lost at the first call that would have.
            const bool first = appeared && !sees && i > 0 && traced(branch[i - 1]).has(TraceKind::NotYet);
            if ((visible && !sees) || (first && !onlyInFiles(call))
                || (i == 0 && appeared && !sees && !onlyInFiles(call)))
                m_trace.losses.push_back(lossAt(call, i > 0 ? static_cast<std::int32_t>(branch[i - 1]) : -1));
            visible = sees;
        }
        if (!m_trace.losses.empty() && m_trace.losses.back().regained < 0 && !isParaphrased(traced(branch.back())))
            m_trace.lostAt = m_trace.losses.back();
    }

    /// A file that no message of the log speaks for: nothing was taken away.
    [[nodiscard]] bool onlyInFiles(std::size_t call) const
    {
        if (!m_tracer.hits(call).empty())
            return false;
        return std::none_of(traced(call).where.begin(), traced(call).where.end(), [&](const TracePlacePtr &place) {
            return place->kind == TraceKind::File && !stubOf(call, place->path).empty();
        });
    }

    /// The id of the message in a call's log whose stub names the path.
    [[nodiscard]] std::string stubOf(std::size_t call, const std::string &path) const
    {
        const MessageLog &log = m_space.calls[call].log;
        for (std::size_t at = log.size(); at-- > 0;) {
            const std::optional<ArtifactLink> link =
                log[at]->kind == MessageKind::Tool ? stubLink(textOf(*log[at])) : std::nullopt;
            if (link && (link->path == path || link->path.ends_with(path) || path.ends_with(link->path)))
                return log[at]->id.value_or("?");
        }
        return {};
    }

    /// A summary that has all names, numbers, paths and negations is no loss.
    [[nodiscard]] static bool isParaphrased(const TracedCall &call)
    {
        return std::any_of(call.where.begin(), call.where.end(), [](const TracePlacePtr &place) {
            return place->kind == TraceKind::Similar && place->missing.empty() && place->shared.size() >= 2;
        });
    }

    [[nodiscard]] std::string settingText(std::size_t call, std::string_view key) const
    {
        std::string text(key);
        const Settings *settings = m_tracer.settingsAt(call);
        if (!settings)
            return text;
        const CompactionRules rules = m_tracer.rulesAt(call);
        const auto limit = [](const std::optional<std::int64_t> &number) {
            return number ? " " + std::to_string(*number) : std::string(" null");
        };
        if (key == "keep")
            return "keep " + toJson(contextSizeToValue(rules.keep)) + ", trigger "
                + toJson(triggerToValue(rules.trigger));
        if (key == "truncate_args" && rules.truncateArgs)
            return text + " keep " + toJson(contextSizeToValue(rules.truncateArgs->keep)) + ", max_length "
                + std::to_string(rules.truncateArgs->maxLength);
        if (key == "tool_token_limit_before_evict")
            return text + limit(settings->toolTokenLimitBeforeEvict);
        if (key == "human_message_token_limit_before_evict")
            return text + limit(settings->humanMessageTokenLimitBeforeEvict);
        return text;
    }

    /// The summary of this call's event was asked for by the agent itself.
    [[nodiscard]] bool byCompactTool(std::size_t call) const
    {
        const Call &at = m_space.calls[call];
        if (at.eventFrom == Call::EventFrom::ThisCall || traced(call).parent < 0)
            return false;
        const std::size_t from = m_space.calls[static_cast<std::size_t>(traced(call).parent)].log.size();
        for (std::size_t i = from; i < at.log.size(); ++i)
            if (at.log[i]->kind == MessageKind::Tool && at.log[i]->name == "compact_conversation")
                return true;
        return false;
    }

    [[nodiscard]] TraceLoss lossAt(std::size_t call, std::int32_t before)
    {
        TraceLoss loss;
        loss.call = call;
        const MessageLog &log = m_space.calls[call].log;
        // The message that carried it last.
        MessagePtr carrier;
        if (before >= 0) {
            const std::vector<MessageIndex> places = m_tracer.hits(static_cast<std::size_t>(before));
            const MessageIndex first = m_tracer.projection(static_cast<std::size_t>(before)).first;
            for (const MessageIndex raw : places)
                if (raw >= first)
                    carrier = m_space.calls[static_cast<std::size_t>(before)].log[raw.at()];
        }
        MessageIndex at;
        for (std::size_t i = 0; i < log.size(); ++i)
            if (carrier ? log[i] == carrier || (carrier->id && log[i]->id == carrier->id)
                        : m_tracer.match(log[i]).found)
                at = MessageIndex(i);
        if (!carrier && at.isValid())
            carrier = log[at.at()];
        if (carrier)
            loss.messageId = carrier->id;
        if (!at.isValid())
            withoutMessage(loss, call, carrier);
        else
            withMessage(loss, call, carrier, at);
        return loss;
    }

    void summarization(TraceLoss &loss, std::size_t call)
    {
        const bool tool = byCompactTool(call);
        loss.stage = tool ? "compact_conversation" : "summarization";
        loss.setting = tool ? "compact_tool" : settingText(call, "keep");
        loss.blame = blame(call, inputOf(call)).first;
        const std::string lead =
            tool ? "The agent called compact_conversation" : "The call summarized what lay before it";
        switch (loss.blame) {
        case SummaryBlame::SummaryOmits:
            loss.why = lead + ": the summarizer was given the text, and the summary does not hold it.";
            break;
        case SummaryBlame::LaterSummaryLost:
            loss.why = lead + ": an earlier summary held the text, and the new one does not.";
            break;
        case SummaryBlame::Trimmed:
            loss.why = lead + ": trim_tokens_to_summarize cut the text off before the summarizer saw it.";
            break;
        case SummaryBlame::TruncatedArgument:
            loss.why = lead + ": the summarizer was given the argument shortened.";
            break;
        case SummaryBlame::Stub:
            loss.why = lead + ": the summarizer was given a stub, whose preview does not show the text.";
            break;
        case SummaryBlame::DroppedBlock:
            loss.why = lead + ": the text stood in a block that the summarizer's input leaves out.";
            break;
        case SummaryBlame::None:
            loss.why = lead + ", and the summary does not hold the text.";
            break;
        }
    }

    void withoutMessage(TraceLoss &loss, std::size_t call, const MessagePtr &carrier)
    {
        const MessageLog &log = m_space.calls[call].log;
        for (const TracePlacePtr &place : traced(call).where) {
            const std::string id = place->kind == TraceKind::File ? stubOf(call, place->path) : std::string();
            if (id.empty())
                continue;
            loss.messageId = id;
            loss.stage = "large-tool-result";
            loss.setting = settingText(call, "tool_token_limit_before_evict");
            loss.why = "The tool's result was moved to " + place->path
                + " before a call could see it; its preview does not show the text.";
            return;
        }
        if (!carrier && traced(call).eventMade) {
            summarization(loss, call);
            return;
        }
        const bool summarized =
            std::any_of(log.begin(), log.end(), [](const MessagePtr &message) { return isSummary(*message); });
        if (carrier && summarized) {
            loss.stage = "summarization";
            loss.setting = settingText(call, "keep");
            loss.why = "The message was removed from the state, where a summary stands in its place that does not hold "
                       "the text.";
            loss.blame = SummaryBlame::SummaryOmits;
        } else if (carrier) {
            loss.stage = "removal";
            loss.setting = "RemoveMessage";
            loss.why = "The message is no longer in the state: it was removed or another branch was taken.";
        } else {
            loss.stage = traced(call).eventMade ? "summarization" : "unknown";
            loss.why = "Nothing in the recording says what took the text away.";
        }
    }

    void withMessage(TraceLoss &loss, std::size_t call, const MessagePtr &carrier, MessageIndex at)
    {
        const MessagePtr &now = m_space.calls[call].log[at.at()];
        const Projection projected = m_tracer.projection(call);
        if (at < projected.first) {
            if (traced(call).eventMade)
                summarization(loss, call);
            else
                loss.stage = "summarization", loss.setting = settingText(call, "keep"),
                loss.why = "The message lies before the cutoff of the event in force.";
            return;
        }
        const MessagePtr shown = m_tracer.shown(call, at);
        const std::optional<ArtifactLink> link = stubLink(textOf(*shown));
        if (link && now->kind == MessageKind::Human) {
            loss.stage = "human-message";
            loss.setting = settingText(call, "human_message_token_limit_before_evict");
            loss.why = "The message was moved to " + link->path + "; the request carries a stub.";
        } else if (now != carrier && now->kind == MessageKind::Tool) {
            loss.stage = "overflow-clip";
            loss.setting = settingText(call, "keep");
            loss.why = "The provider refused the request, and the tool result at its end was cut"
                + (link ? " and moved to " + link->path : std::string()) + ".";
        } else if (link) {
            loss.stage = "large-tool-result";
            loss.setting = settingText(call, "tool_token_limit_before_evict");
            loss.why = "The tool's result was moved to " + link->path + "; a stub stands in its place.";
        } else if (shown->toolCalls != now->toolCalls) {
            loss.stage = "argument-truncation";
            loss.setting = settingText(call, "truncate_args");
            loss.why = "The request carries the arguments of this old call shortened.";
        } else if (shown != now) {
            loss.stage = "bound-reasoning";
            loss.setting = "keep";
            loss.why = "Reasoning that is bound to the conversation before the summary was dropped.";
        } else {
            loss.stage = "rewrite";
            loss.setting = "messages";
            loss.why = "The message was given another body.";
        }
    }

    // --- getting it back

    void findRecovery()
    {
        if (!m_trace.found)
            return;
        TraceRecovery recovery;
        const std::size_t last = m_trace.calls.size() - 1;
        const TracePlace *best = nullptr;
        for (const TracePlacePtr &place : traced(last).where)
            if ((place->kind == TraceKind::File || place->kind == TraceKind::Archive) && place->readable && !best)
                best = place.get();
        if (best) {
            recovery.path = best->path;
            recovery.offset = std::max<std::int64_t>(0, best->line - 1);
            recovery.limit = std::max<std::int64_t>(1, best->lines);
        }
        for (std::size_t i = m_trace.calls.size(); i-- > 0 && recovery.checkpointId.empty();) {
            const std::vector<MessageIndex> hits = m_tracer.hits(i);
            const Call &call = m_space.calls[i];
            if (hits.empty() || !call.checkpoint.isValid())
                continue;
            recovery.checkpointId = m_space.checkpoints[call.checkpoint.at()].id;
            // What was lost last, where the log still has it: a later message may only speak of it.
            const auto lost = std::find_if(hits.rbegin(), hits.rend(), [&](MessageIndex hit) {
                return !m_trace.losses.empty() && m_trace.losses.back().messageId
                    && call.log[hit.at()]->id == m_trace.losses.back().messageId;
            });
            recovery.messageId = call.log[(lost == hits.rend() ? hits.back() : *lost).at()]->id;
        }
        if (!recovery.path.empty() || !recovery.checkpointId.empty())
            m_trace.recovery = std::move(recovery);
    }

    void findSurvival(const std::vector<std::size_t> &branch)
    {
        if (!m_trace.found)
            return;
        for (const std::size_t call : branch)
            if (traced(call).eventMade && m_space.calls[call].event->summaryMessage)
                m_trace.summaries.push_back(call);
        if (m_trace.summaries.size() > 8) // the newest ones
            m_trace.summaries.erase(m_trace.summaries.begin(), m_trace.summaries.end() - 8);
        std::string source = m_tracer.query().needle.text();
        for (std::size_t i = branch.size(); i-- > 0;) {
            const std::vector<MessageIndex> hits = m_tracer.hits(branch[i]);
            if (hits.empty())
                continue;
            const MessagePtr &message = m_space.calls[branch[i]].log[hits.front().at()];
            source = m_tracer.query().messageId ? textOf(*message) : m_tracer.match(message).sentence;
            break;
        }
        std::vector<KeyTerm> terms = keyTerms(source);
        std::stable_partition(terms.begin(), terms.end(), [](const KeyTerm &term) { return term.isKey(); });
        if (terms.size() > 24)
            terms.resize(24);
        std::vector<std::string> summaries;
        for (const std::size_t call : m_trace.summaries)
            summaries.push_back(foldedText(textOf(*m_space.calls[call].event->summaryMessage)));
        const std::string window = windowText(branch.back());
        const std::string archive = archiveText(branch.back());
        for (KeyTerm &term : terms) {
            TermSurvival row;
            row.window = holdsTerm(window, term.folded);
            for (const std::string &summary : summaries)
                row.summaries.push_back(holdsTerm(summary, term.folded));
            row.archive = holdsTerm(archive, term.folded);
            row.term = std::move(term);
            m_trace.survival.push_back(std::move(row));
        }
    }

    [[nodiscard]] std::string windowText(std::size_t call)
    {
        constexpr std::size_t limit = 4 << 20; // a table over a window of megabytes says nothing
        std::string text;
        const MessageLog &log = m_space.calls[call].log;
        for (std::size_t i = log.size(); i-- > m_tracer.projection(call).first.at() && text.size() < limit;)
            visitParts(*m_tracer.shown(call, MessageIndex(i)), [&](const MessagePart &part) {
                text.append(part.text).append("\n");
                return text.size() < limit;
            });
        return foldedText(text);
    }

    [[nodiscard]] std::string archiveText(std::size_t call)
    {
        const Call &at = m_space.calls[call];
        return at.event && at.event->filePath ? foldedText(m_tracer.files().content(at, *at.event->filePath))
                                              : std::string();
    }

    Trace &m_trace;
    Tracer &m_tracer;
    const ThreadNamespace &m_space;
};

} // namespace

std::string TraceRecovery::readFile() const
{
    if (path.empty())
        return {};
    return "read_file(file_path=" + quoted(path) + ", offset=" + std::to_string(offset)
        + ", limit=" + std::to_string(limit) + ")";
}

void findLosses(Trace &trace, Tracer &tracer)
{
    LossFinder(trace, tracer).run();
}

} // namespace palimpsest
