// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/jobcontext.h"
#include "core/compaction/settings.h"
#include "core/insight/lint/material.h"
#include "core/thread/thread.h"

#include <string>
#include <string_view>
#include <vector>

namespace palimpsest {

/// What `lint --rules` prints of a rule.
struct RuleInfo {
    std::string_view id; ///< "orphan-tool-result"
    Finding::Severity severity = Finding::Severity::Warning; ///< the gravest it speaks with
    std::string_view meaning; ///< one sentence
    std::string_view advice; ///< what to do
    std::string_view source; ///< the upstream report, document or file and version it comes from
    bool needsSettings = false; ///< silent unless the settings of the run are given or inferred
};

class FindingSink;
struct Replay; // core/compaction/replay.h

/// Same: the list of the checkpoint before it. Grew: that list with messages added at its end. Fresh: any other.
enum class ListChange { Same, Grew, Fresh };

/// What a rule looks at: one namespace of a thread.
struct LintContext {
    const Thread &thread;
    const ThreadNamespace &ns;
    const std::vector<ListChange> &changes; ///< of the effective lists, by checkpoint
    LintMaterial &material;
    const SettingsSet *settings = nullptr; ///< null: not known
    const Replay *replay = nullptr; ///< every call decided anew under the settings; null without settings
    std::string settingsFrom; ///< "" when the user gave them, else how they were inferred (goes into evidence.assumed)
    bool secrets = false; ///< the opt-in rule may run
    const JobContext &job;
};

/// A rule is data and a function; it never stops a run and reports through the sink.
struct Rule {
    RuleInfo info;
    /// Null: what the rule speaks of is seen while the rows are read (core/sources, core/thread), and reported there.
    void (*check)(const LintContext &, FindingSink &) = nullptr;
};

/// All rules, in the order of the documentation. One rule a file; this list is the only place that names them all.
const std::vector<Rule> &lintRules();
const RuleInfo *ruleInfo(std::string_view id);
/// Every rule with severity, needs, meaning, advice and source, as a table in Markdown.
std::string ruleTable();

} // namespace palimpsest
