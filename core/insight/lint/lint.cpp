// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/lint/lint.h"

#include "core/insight/lint/findingsink.h"
#include "core/insight/lint/requestwalk.h"
#include "core/insight/lint/rule.h"

namespace palimpsest {

Result<std::vector<Finding>> lint(const Thread &thread, const LintOptions &options, const JobContext &job)
{
    std::vector<Finding> findings = thread.findings;
    const double steps = static_cast<double>(thread.namespaces.size() * lintRules().size());
    double done = 0;
    for (const ThreadNamespace &ns : thread.namespaces) {
        for (const Checkpoint &checkpoint : ns.checkpoints)
            findings.insert(findings.end(), checkpoint.findings.begin(), checkpoint.findings.end());
        FindingSink sink(ns);
        const std::vector<ListChange> changes = listChanges(ns);
        const LintContext context{thread, ns, changes, options.settings, options.settingsFrom, options.secrets, job};
        for (const Rule &rule : lintRules()) {
            if (job.stopped())
                return failure(Error::Code::Cancelled, "lint", "stopped before all rules had run");
            if (rule.check && (!rule.info.needsSettings || options.settings))
                rule.check(context, sink);
            job.report(++done / steps, rule.info.id);
        }
        std::vector<Finding> seen = sink.take();
        findings.insert(findings.end(), std::make_move_iterator(seen.begin()), std::make_move_iterator(seen.end()));
    }
    return findings;
}

} // namespace palimpsest
