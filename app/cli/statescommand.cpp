// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/statescommand.h"

#include "app/cli/jsonoutput.h"
#include "core/thread/threadreader.h"

#include <CLI/CLI.hpp>

#include <QCryptographicHash>

#include <chrono>
#include <optional>
#include <sys/resource.h>

namespace palimpsest {
namespace {

class Watch {
public:
    [[nodiscard]] double ms() const
    {
        const auto passed = std::chrono::steady_clock::now() - m_begun;
        return static_cast<double>(std::chrono::duration_cast<std::chrono::microseconds>(passed).count()) / 1000.0;
    }

private:
    std::chrono::steady_clock::time_point m_begun = std::chrono::steady_clock::now();
};

double peakMegabytes()
{
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) / 1024.0; // Linux counts in KiB
}

/// Over the lines "<checkpoint id> <message count> <id of the last message or ->".
std::string lastIdsHash(const ThreadNamespace &space)
{
    QCryptographicHash hash(QCryptographicHash::Sha256);
    for (const Checkpoint &checkpoint : space.checkpoints) {
        std::string line = checkpoint.id + ' ' + std::to_string(checkpoint.messages.size()) + ' ';
        const bool named = !checkpoint.messages.empty() && checkpoint.messages.back()->id;
        line += (named ? *checkpoint.messages.back()->id : "-") + "\n";
        hash.addData(QByteArrayView(line.data(), static_cast<qsizetype>(line.size())));
    }
    return hash.result().toHex().toStdString();
}

} // namespace

void StatesCommand::declare(CLI::App &app)
{
    m_source.declare(app);
    app.add_flag("--json", m_json, "The only form there is");
}

Result<int> StatesCommand::run(Console &console)
{
    const Watch watch;
    Result<std::unique_ptr<CheckpointSource>> source = m_source.open();
    if (!source)
        return tl::unexpected(source.error());
    const JobContext job = console.job();
    const Result<std::string> id = m_source.threadId(**source, job);
    if (!id)
        return tl::unexpected(id.error());
    const double open = watch.ms();
    std::optional<double> timeline;
    LoadOptions options;
    options.partial = [&](const ThreadPtr &) {
        if (!timeline)
            timeline = watch.ms();
    };
    const Result<ThreadPtr> thread = loadThread(**source, *id, options, job);
    if (!thread)
        return tl::unexpected(thread.error());
    const double all = watch.ms();
    const Result<const ThreadNamespace *> found = m_source.findNamespace(**thread);
    if (!found)
        return tl::unexpected(found.error());
    const ThreadNamespace &space = **found;

    std::int64_t messages = 0;
    for (const Checkpoint &checkpoint : space.checkpoints)
        messages += static_cast<std::int64_t>(checkpoint.messages.size());
    const Checkpoint *head = nullptr;
    if (!space.heads.empty())
        head = &space.checkpoints[space.heads.back().at()];
    else if (!space.checkpoints.empty())
        head = &space.checkpoints.back();

    JsonOutput json(console.out());
    json.beginObject().key("format").text("palimpsest.states/1");
    json.key("checkpoints").number(static_cast<std::int64_t>(space.checkpoints.size()));
    json.key("messages_at_head").number(static_cast<std::int64_t>(head ? head->messages.size() : 0));
    json.key("messages_in_all").number(messages);
    json.key("files_at_head").number(static_cast<std::int64_t>(head ? head->files.size() : 0));
    json.key("last_ids_sha256").text(lastIdsHash(space));
    json.key("ms")
        .beginObject()
        .key("open")
        .number(open)
        .key("timeline")
        .number(timeline.value_or(all))
        .key("all_states")
        .number(all)
        .endObject();
    json.key("peak_rss_mb").number(peakMegabytes()).endObject().newline();
    return 0;
}

} // namespace palimpsest
