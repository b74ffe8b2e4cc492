// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/statescommand.h"

#include "app/cli/jsonoutput.h"
#include "core/thread/states.h"

#include <CLI/CLI.hpp>

#include <chrono>

namespace palimpsest {

void StatesCommand::declare(CLI::App &app)
{
    m_source.declare(app);
    app.add_flag("--json", m_json, "The only form there is");
}

Result<int> StatesCommand::run(Console &console)
{
    const auto begun = std::chrono::steady_clock::now();
    Result<std::unique_ptr<CheckpointSource>> source = m_source.open();
    if (!source)
        return tl::unexpected(source.error());
    const JobContext job = console.job();
    const Result<std::string> id = m_source.threadId(**source, job);
    if (!id)
        return tl::unexpected(id.error());
    const std::chrono::duration<double, std::milli> opened = std::chrono::steady_clock::now() - begun;
    Result<StatesReport> report = rebuildStates(**source, *id, m_source.ns(), job, m_source.channel());
    if (!report)
        return tl::unexpected(report.error());
    report->openMs = opened.count();
    JsonOutput(console.out()).value(statesToValue(*report)).newline();
    return 0;
}

} // namespace palimpsest
