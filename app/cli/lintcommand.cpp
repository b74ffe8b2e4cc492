// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/lintcommand.h"

#include "app/cli/jsonoutput.h"
#include "app/cli/jsonparts.h"
#include "app/cli/settingsfile.h"
#include "core/insight/lint/lint.h"
#include "core/insight/lint/rule.h"
#include "core/serde/json.h"
#include "core/thread/threadlist.h"
#include "core/thread/threadreader.h"

#include <CLI/CLI.hpp>

#include <charconv>
#include <fstream>

namespace palimpsest {
namespace {

struct Shard {
    std::size_t index = 0; ///< from 0
    std::size_t of = 1;
};

/// "I/N", counted from 1.
Result<Shard> shardOf(const std::string &text)
{
    if (text.empty())
        return Shard{};
    const std::size_t slash = text.find('/');
    Shard shard;
    if (slash != std::string::npos) {
        const char *end = text.data() + text.size();
        const auto first = std::from_chars(text.data(), text.data() + slash, shard.index);
        const auto second = std::from_chars(text.data() + slash + 1, end, shard.of);
        if (first.ec == std::errc() && second.ec == std::errc() && second.ptr == end && shard.index >= 1
            && shard.index <= shard.of) {
            --shard.index;
            return shard;
        }
    }
    return failure(Error::Code::Invalid, "--shard", "expected I/N with 1 <= I <= N, as in 2/8");
}

/// A stable hash (FNV-1a), so that every machine agrees on which shard a thread is in.
std::size_t shardHash(std::string_view id)
{
    std::uint64_t hash = 14695981039346656037ULL;
    for (const char c : id)
        hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
    return hash;
}

Finding::Severity severityOf(const std::string &name)
{
    return name == "info"   ? Finding::Severity::Info
        : name == "warning" ? Finding::Severity::Warning
                            : Finding::Severity::Error;
}

} // namespace

void LintCommand::declare(CLI::App &app)
{
    m_source.declare(app);
    app.get_option("SOURCE")->required(false);
    app.add_option("--settings", m_settings, "Settings file of the run, for the rules that need it");
    app.add_option("--fail-on", m_failOn, "Exit status 1 for findings of this severity or above")
        ->check(CLI::IsMember({"info", "warning", "error"}));
    app.add_option("--shard", m_shard, "Only the threads of part I of N: I/N");
    app.add_option("--resume", m_resume, "An earlier, interrupted answer: its threads are left out");
    app.add_flag("--secrets", m_secrets, "Also look for keys and tokens in texts");
    app.add_flag("--rules", m_rules, "Print every rule instead");
    app.add_flag("--json", m_json, "The only form there is");
}

void LintCommand::printRules(Console &console) const
{
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

Result<std::set<std::string>> LintCommand::finishedThreads() const
{
    std::set<std::string> finished;
    if (m_resume.empty())
        return finished;
    std::ifstream file(m_resume);
    if (!file)
        return failure(Error::Code::Unreadable, m_resume, "the earlier answer cannot be read");
    for (std::string line; std::getline(file, line);)
        // The last line of an interrupted run may be cut: its thread is simply done again.
        if (const Result<Value> document = parseJson(line); document && document->isMap())
            finished.insert((*document)["thread_id"].asText());
    return finished;
}

Result<int> LintCommand::lintThread(
    Console &console, CheckpointSource &source, const std::string &threadId, const SettingsSet *settings)
{
    const JobContext job = console.job();
    const Result<ThreadPtr> thread = loadThread(source, threadId, {}, job);
    if (!thread)
        return tl::unexpected(thread.error());
    LintOptions options;
    options.settings = settings;
    options.secrets = m_secrets;
    const Result<std::vector<Finding>> findings = lint(**thread, options, job);
    if (!findings)
        return tl::unexpected(findings.error());
    JsonOutput json(console.out());
    json.beginObject().key("format").text("palimpsest.findings/1").key("thread_id").text(threadId);
    json.key("findings").beginArray();
    int status = 0;
    for (const Finding &finding : *findings) {
        writeFinding(json, finding);
        if (finding.severity >= severityOf(m_failOn))
            status = 1;
    }
    json.endArray().endObject().newline();
    json.flush();
    return status;
}

Result<int> LintCommand::run(Console &console)
{
    if (m_rules) {
        printRules(console);
        return 0;
    }
    if (m_source.location().empty())
        return failure(Error::Code::Invalid, "lint", "SOURCE is missing: lint SOURCE, or lint --rules");
    std::optional<SettingsSet> settings;
    if (!m_settings.empty()) {
        Result<SettingsSet> read = readSettingsFile(m_settings);
        if (!read)
            return tl::unexpected(read.error());
        settings = std::move(*read);
    }
    const Result<Shard> shard = shardOf(m_shard);
    if (!shard)
        return tl::unexpected(shard.error());
    const Result<std::set<std::string>> finished = finishedThreads();
    if (!finished)
        return tl::unexpected(finished.error());
    Result<std::unique_ptr<CheckpointSource>> source = m_source.open();
    if (!source)
        return tl::unexpected(source.error());
    std::vector<std::string> threads;
    if (m_source.hasThread()) {
        Result<std::string> id = m_source.threadId(**source, console.job());
        if (!id)
            return tl::unexpected(id.error());
        threads.push_back(std::move(*id));
    } else {
        const Result<std::vector<ThreadRow>> rows = (*source)->threads(console.job());
        if (!rows)
            return tl::unexpected(rows.error());
        for (const ThreadRow &row : *rows)
            if (shardHash(row.id) % shard->of == shard->index && !finished->contains(row.id))
                threads.push_back(row.id);
    }
    int status = 0;
    for (const std::string &thread : threads) {
        const Result<int> one = lintThread(console, **source, thread, settings ? &*settings : nullptr);
        if (!one)
            return one;
        status = std::max(status, *one);
    }
    return status;
}

} // namespace palimpsest
