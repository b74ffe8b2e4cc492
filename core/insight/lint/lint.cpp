// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/lint/lint.h"

#include "core/artifacts/folderproposal.h"
#include "core/compaction/replay.h"
#include "core/insight/infer/infer.h"
#include "core/insight/lint/findingsink.h"
#include "core/insight/lint/requestwalk.h"
#include "core/insight/lint/rule.h"
#include "core/values/pyrepr.h"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace palimpsest {
namespace {

/// The settings that rules of one namespace go by, and the calls decided anew under them.
struct Decided {
    std::optional<SettingsSet> inferred;
    const SettingsSet *settings = nullptr;
    std::string from;
    std::optional<Replay> replay;
};

bool hasEvents(const ThreadNamespace &ns)
{
    return !ns.eventCheckpoints.empty();
}

/// Error Cancelled alone; settings that a replay refuses leave their rules silent.
Result<Decided> decide(
    const Thread &thread, const ThreadNamespace &ns, const LintOptions &options, const JobContext &job)
{
    Decided decided;
    decided.settings = options.settings;
    if (ns.calls.empty() || (!decided.settings && (!options.infer || !hasEvents(ns))))
        return decided;
    // The caller keeps the thread for as long as the rules run.
    const ThreadPtr borrowed(ThreadPtr(), &thread);
    const ReplayInputPtr input = ReplayInput::make(borrowed, ns.name);
    if (!decided.settings) {
        const Result<Inference> inference = inferSettings(*input, {}, job, InferenceDepth::Best);
        if (!inference)
            return inference.error().code == Error::Code::Cancelled ? Result<Decided>(tl::unexpected(inference.error()))
                                                                    : Result<Decided>(std::move(decided));
        decided.inferred = proposedSettings(*inference, ns.name);
        if (!decided.inferred)
            return decided;
        decided.from = describe(*inference);
        if (decided.from.empty())
            decided.from = "settings inferred from the recorded events";
    }
    ReplayOptions replayOptions;
    replayOptions.texts = false;
    Replayer replayer(input);
    Result<Replay> replay = replayer.run(decided.inferred ? *decided.inferred : *decided.settings, replayOptions, job);
    if (!replay)
        return replay.error().code == Error::Code::Cancelled ? Result<Decided>(tl::unexpected(replay.error()))
                                                             : Result<Decided>(std::move(decided));
    decided.replay = std::move(*replay);
    return decided;
}

/// What reading the rows found: the same thing at many checkpoints is one finding.
void addReaderFindings(const ThreadNamespace &ns, FindingSink &sink)
{
    for (std::size_t i = 0; i < ns.checkpoints.size(); ++i) {
        for (const Finding &finding : ns.checkpoints[i].findings) {
            std::string key = finding.message + "\n" + finding.taskId.value_or("") + "\n"
                + finding.messageId.value_or("") + "\n" + pyrepr(finding.evidence);
            if (finding.rule == "pruned-history")
                key += "\n" + ns.checkpoints[i].id;
            sink.see(finding, key, CheckpointIndex(i));
        }
    }
}

/// Says of archives that are nowhere which file has their name (`evidence.proposed`).
void proposeArchives(std::vector<Finding> &findings, const std::vector<std::string> &searched)
{
    std::map<std::string, std::optional<FolderProposal>> known;
    for (Finding &finding : findings) {
        if (finding.rule != "archive-missing" || !finding.path || searched.empty())
            continue;
        const auto [place, fresh] = known.try_emplace(*finding.path);
        if (fresh)
            place->second = proposeFolder(*finding.path, searched);
        const std::optional<FolderProposal> &proposal = place->second;
        if (!proposal)
            continue;
        finding.message += " A file of this name is " + proposal->file + ": add the folder " + proposal->folder
            + (proposal->route.empty() ? "." : " as " + proposal->route + ".");
        finding.evidence = finding.evidence.with("proposed",
            Value::map({{"file", Value(proposal->file)}, {"folder", Value(proposal->folder)},
                {"route", Value(proposal->route)}}));
    }
}

} // namespace

Result<std::vector<Finding>> lint(const Thread &thread, const LintOptions &options, const JobContext &job)
{
    std::vector<Finding> findings = thread.findings;
    const double steps = static_cast<double>(thread.namespaces.size() * lintRules().size());
    double done = 0;
    for (const ThreadNamespace &ns : thread.namespaces) {
        FindingSink sink(ns);
        addReaderFindings(ns, sink);
        const std::vector<ListChange> changes = listChanges(ns);
        LintMaterial material(thread, ns, options.folders);
        const Result<Decided> decided = decide(thread, ns, options, job);
        if (!decided)
            return tl::unexpected(decided.error());
        const SettingsSet *settings = decided->inferred ? &*decided->inferred : decided->settings;
        const LintContext context{thread, ns, changes, material, settings,
            decided->replay ? &*decided->replay : nullptr, decided->from, options.secrets, job};
        for (const Rule &rule : lintRules()) {
            if (job.stopped())
                return failure(Error::Code::Cancelled, "lint", "stopped before all rules had run");
            sink.assume(rule.info.needsSettings ? decided->from : std::string());
            if (rule.check && (!rule.info.needsSettings || context.replay))
                rule.check(context, sink);
            job.report(++done / steps, rule.info.id);
        }
        std::vector<Finding> seen = sink.take();
        findings.insert(findings.end(), std::make_move_iterator(seen.begin()), std::make_move_iterator(seen.end()));
    }
    proposeArchives(findings, options.searched);
    return findings;
}

LintOptions lintOptionsFor(const SourceInfo &source)
{
    LintOptions options;
    options.folders = foldersOf(source);
    options.searched = searchFolders(source);
    return options;
}

std::vector<std::vector<Finding>> findingsByCheckpoint(const std::vector<Finding> &findings, const ThreadNamespace &ns)
{
    std::vector<std::vector<Finding>> by(ns.checkpoints.size());
    std::unordered_map<std::string_view, std::size_t> places;
    for (std::size_t i = 0; i < ns.checkpoints.size(); ++i)
        places.emplace(ns.checkpoints[i].id, i);
    for (const Finding &finding : findings)
        if (const auto place = places.find(finding.checkpointId);
            place != places.end() && finding.checkpointNs == ns.name)
            by[place->second].push_back(finding);
    for (std::size_t i = 0; i < ns.checkpoints.size(); ++i) {
        for (const Finding &finding : ns.checkpoints[i].findings) {
            const bool said = std::any_of(by[i].begin(), by[i].end(), [&](const Finding &known) {
                return known.rule == finding.rule && known.message == finding.message && known.taskId == finding.taskId;
            });
            if (!said)
                by[i].push_back(finding);
        }
    }
    return by;
}

} // namespace palimpsest
