// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/lintcommand.h"

#include "app/cli/jsonoutput.h"
#include "app/cli/jsonparts.h"
#include "app/cli/settingsfile.h"
#include "core/insight/lint/lint.h"
#include "core/insight/lint/rule.h"
#include "core/thread/threadreader.h"

#include <CLI/CLI.hpp>

#include <sstream>

namespace palimpsest {
namespace {

Finding::Severity severityOf(const std::string &name)
{
    return name == "info"   ? Finding::Severity::Info
        : name == "warning" ? Finding::Severity::Warning
                            : Finding::Severity::Error;
}

/// The document of a thread of which nothing can be read.
FleetAnswer unreadable(const std::string &threadId, const Error &error)
{
    Finding finding;
    finding.rule = "unreadable-thread";
    finding.severity = Finding::Severity::Error;
    finding.message = "Nothing of the thread can be read: " + error.what + ".";
    std::ostringstream out;
    JsonOutput json(out);
    json.beginObject().key("format").text("palimpsest.findings/1").key("thread_id").text(threadId);
    json.key("findings").beginArray();
    writeFinding(json, finding);
    json.endArray().endObject().newline();
    json.flush();
    return {out.str(), 1};
}

} // namespace

void LintCommand::declare(CLI::App &app)
{
    m_source.declare(app);
    m_source.declareFiles(app);
    app.get_option("SOURCE")->required(false);
    app.add_option("--settings", m_settings, "Settings file of the run, for the rules that need it");
    app.add_option("--fail-on", m_failOn, "Exit status 1 for findings of this severity or above")
        ->check(CLI::IsMember({"info", "warning", "error"}));
    m_fleet.declare(app);
    app.add_flag("--secrets", m_secrets, "Also look for keys and tokens in texts");
    app.add_flag("--rules", m_rules, "Print every rule instead");
    app.add_flag("--json", m_json, "With --rules: as JSON instead of a table; findings are always JSON");
}

void LintCommand::printRules(Console &console) const
{
    if (!m_json) {
        console.out() << ruleTable();
        return;
    }
    JsonOutput json(console.out());
    json.beginArray();
    for (const Rule &rule : lintRules()) {
        json.newline()
            .beginObject()
            .key("rule")
            .text(rule.info.id)
            .key("severity")
            .text(severityName(rule.info.severity));
        json.key("meaning")
            .text(rule.info.meaning)
            .key("advice")
            .text(rule.info.advice)
            .key("source")
            .text(rule.info.source);
        json.key("needs_settings").boolean(rule.info.needsSettings).endObject();
    }
    json.endArray().newline();
}

Result<FleetAnswer> LintCommand::lintThread(
    CheckpointSource &source, const std::string &threadId, const SettingsSet *settings, const JobContext &job) const
{
    LoadOptions load;
    m_source.fill(load);
    load.readSnapshots = true;
    const Result<ThreadPtr> thread = loadThread(source, threadId, load, job);
    if (!thread)
        return tl::unexpected(thread.error());
    Result<std::vector<ArtifactFolder>> folders = m_source.folders(source, job);
    if (!folders)
        return tl::unexpected(folders.error());
    LintOptions options = lintOptionsFor(source.info());
    options.folders = *std::move(folders);
    options.settings = settings;
    options.secrets = m_secrets;
    const Result<std::vector<Finding>> findings = lint(**thread, options, job);
    if (!findings)
        return tl::unexpected(findings.error());
    std::ostringstream out;
    FleetAnswer answer;
    JsonOutput json(out);
    json.beginObject().key("format").text("palimpsest.findings/1").key("thread_id").text(threadId);
    json.key("findings").beginArray();
    for (const Finding &finding : *findings) {
        writeFinding(json, finding);
        if (finding.severity >= severityOf(m_failOn))
            answer.status = 1;
    }
    json.endArray().endObject().newline();
    json.flush();
    answer.text = out.str();
    return answer;
}

Result<int> LintCommand::run(Console &console)
{
    if (m_rules) {
        printRules(console);
        return 0;
    }
    if (m_source.location().empty())
        return failure(Error::Code::Invalid, "lint", "SOURCE is missing: lint SOURCE, or lint --rules");
    const Result<std::optional<SettingsSet>> settings = optionalSettings(m_settings);
    if (!settings)
        return tl::unexpected(settings.error());
    if (Result<void> prepared = m_fleet.prepare(); !prepared)
        return tl::unexpected(prepared.error());
    Result<std::unique_ptr<CheckpointSource>> source = m_source.open();
    if (!source)
        return tl::unexpected(source.error());
    const SettingsSet *given = *settings ? &**settings : nullptr;
    const JobContext job = console.job();
    Result<std::vector<std::string>> threads = (*source)->threadIds(job);
    if (!threads)
        return tl::unexpected(threads.error());
    if (m_source.hasThread() || threads->size() == 1) {
        Result<std::string> id = m_source.threadId(**source, job);
        if (!id)
            return tl::unexpected(id.error());
        threads->assign(1, std::move(*id));
    }
    std::erase_if(*threads, [this](const std::string &id) { return !m_source.hasThread() && !m_fleet.wants(id); });
    if (threads->size() == 1) {
        Result<FleetAnswer> answer = lintThread(**source, threads->front(), given, job);
        if (!answer)
            return tl::unexpected(answer.error());
        console.out() << answer->text;
        return answer->status;
    }
    return runFleet(
        threads->size(), m_fleet.jobs(), [this] { return m_source.open(); },
        [&](CheckpointSource &own, std::size_t place, const JobContext &inside) {
            Result<FleetAnswer> answer = lintThread(own, (*threads)[place], given, inside);
            // One thread that cannot be read hides no other.
            return answer || answer.error().code == Error::Code::Cancelled
                ? answer
                : unreadable((*threads)[place], answer.error());
        },
        [&console](std::size_t, const FleetAnswer &answer) { console.out() << answer.text; }, console);
}

} // namespace palimpsest
