// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/thread/states.h"

#include "core/thread/threadreader.h"

#include <QByteArrayView>
#include <QCryptographicHash>

#include <chrono>
#include <cmath>
#include <sys/resource.h>

namespace palimpsest {
namespace {

double since(std::chrono::steady_clock::time_point begin)
{
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

Value rounded(double number)
{
    return Value(std::round(number * 10) / 10);
}

} // namespace

double peakRssMb()
{
    struct rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) / 1024; // Linux counts in KiB
}

StatesReport statesOf(const ThreadNamespace &space)
{
    StatesReport report;
    report.checkpoints = static_cast<std::int64_t>(space.checkpoints.size());
    QCryptographicHash hash(QCryptographicHash::Sha256);
    std::string line;
    for (const Checkpoint &checkpoint : space.checkpoints) {
        const MessageLog &log = checkpoint.messages;
        report.messagesInAll += static_cast<std::int64_t>(log.size());
        line = checkpoint.id + ' ' + std::to_string(log.size()) + ' ';
        line += log.empty() ? "-" : log.back()->id.value_or("-");
        line += '\n';
        hash.addData(QByteArrayView(line.data(), static_cast<qsizetype>(line.size())));
    }
    report.lastIdsSha256 = hash.result().toHex().toStdString();
    if (!space.checkpoints.empty()) {
        report.messagesAtHead = static_cast<std::int64_t>(space.checkpoints.back().messages.size());
        report.filesAtHead = static_cast<std::int64_t>(space.checkpoints.back().files.size());
    }
    return report;
}

Result<StatesReport> rebuildStates(CheckpointSource &source, const std::string &threadId, const std::string &ns,
    const JobContext &job, const std::string &messagesChannel)
{
    const auto begin = std::chrono::steady_clock::now();
    double timeline = 0;
    LoadOptions options;
    options.allMetadata = false;
    options.calls = false;
    options.onlyNamespace = ns;
    options.messagesChannel = messagesChannel;
    options.rowsRead = [&] { timeline = since(begin); };
    const Result<ThreadPtr> thread = loadThread(source, threadId, options, job);
    if (!thread)
        return tl::unexpected(thread.error());
    const ThreadNamespace *space = (*thread)->find(ns);
    if (!space)
        return failure(Error::Code::NotFound, source.info().location, "the thread has no namespace \"" + ns + "\"");
    StatesReport report = statesOf(*space);
    report.timelineMs = timeline;
    report.allStatesMs = since(begin);
    report.peakRssMb = peakRssMb();
    return report;
}

Value statesToValue(const StatesReport &report)
{
    return Value::map({{"format", Value("palimpsest.states/1")}, {"checkpoints", Value(report.checkpoints)},
        {"messages_at_head", Value(report.messagesAtHead)}, {"messages_in_all", Value(report.messagesInAll)},
        {"files_at_head", Value(report.filesAtHead)}, {"last_ids_sha256", Value(report.lastIdsSha256)},
        {"ms",
            Value::map({{"open", rounded(report.openMs)}, {"timeline", rounded(report.timelineMs)},
                {"all_states", rounded(report.allStatesMs)}})},
        {"peak_rss_mb", rounded(report.peakRssMb)}});
}

} // namespace palimpsest
