// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/insight/lint/findingsink.h"
#include "core/insight/lint/rule.h"

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace palimpsest {

/// How the effective list of each checkpoint follows from that of the one before it in the namespace. Found once for
/// all rules.
std::vector<ListChange> listChanges(const ThreadNamespace &ns);

/// The effective messages of one checkpoint as a rule sees them, with where each came from.
struct EffectiveView {
    CheckpointIndex checkpoint;
    std::vector<MessagePtr> messages; ///< effective list
    std::vector<std::int64_t> raw; ///< place in the raw log, -1 for a summary
    std::size_t firstNew = 0; ///< messages from here on were not in the list before
    bool fresh = true; ///< the list is not the one before plus new messages at its end: look at all of it
    /// Whose rules the list goes by ("anthropic", "openai", "openai-responses", …): those of the answer to the next
    /// call that gets it, else of the newest answer so far; empty when none says.
    std::string_view provider;
    bool incomplete = false; ///< the start of the log is not known
};

/// Whose message rules an answer was made by: its `model_provider`, with OpenAI's Responses API told from Chat
/// Completions as "openai-responses" (langchain_openai/chat_models/base.py _construct_lc_result_from_responses_api
/// keeps the response's `object` and id). Empty when it does not say.
std::string ruleSetOf(const Message &answer);

/// Walks a namespace's checkpoints so that a rule over effective lists costs what was added, not the whole list each
/// time. `look(view)` is called whenever a list changed; findings seen through `see` hold until the next fresh list and
/// are extended over the checkpoints between.
class RequestWalk {
public:
    RequestWalk(const LintContext &context, FindingSink &sink)
        : m_context(context)
        , m_sink(sink)
    {
    }

    template <class Look> void run(Look &&look)
    {
        while (advance())
            look(m_view);
    }

    /// `look(view, i, message)` for every message that is new to its list.
    template <class Look> void runNew(Look &&look)
    {
        run([&](const EffectiveView &view) { eachNew(view, look); });
    }
    /// The same with an index over the list that is brought up to date before its new messages are looked at.
    template <class Index, class Look> void runNew(Index &index, Look &&look)
    {
        run([&](const EffectiveView &view) {
            index.update(view);
            eachNew(view, look);
        });
    }

    /// Reports a finding about the request at hand.
    void see(Finding finding, const std::string &key);
    /// The same of what is wrong before any model call meets it: then it is a warning.
    void seeAlways(Finding finding, const std::string &key);

private:
    template <class Look> static void eachNew(const EffectiveView &view, Look &look)
    {
        for (std::size_t i = view.firstNew; i < view.messages.size(); ++i)
            look(view, i, view.messages[i]);
    }
    bool advance();
    std::size_t seeHere(Finding finding, const std::string &key);

    const LintContext &m_context;
    FindingSink &m_sink;
    EffectiveView m_view;
    std::int64_t m_next = 0;
    std::vector<std::size_t> m_active;
    std::vector<std::string> m_nextProviders; ///< by checkpoint; made at the first step
    std::string m_newestProvider;
    std::string m_provider;
};

/// The finding of a protocol rule at one message.
Finding protocolFinding(std::string_view rule, Finding::Severity severity, const MessagePtr &message, std::string text);

} // namespace palimpsest
