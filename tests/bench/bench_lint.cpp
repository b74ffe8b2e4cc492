// SPDX-License-Identifier: GPL-3.0-or-later
// All rules over a thread against loading it in the same process: lint is to cost less. Loaded as `lint` does it, with
// every stored snapshot. PALIMPSEST_BENCH_FILES may name more databases (separated by ':') to measure; of those with
// many threads all are loaded and looked at.
#include "core/insight/lint/lint.h"
#include "core/sources/sourceprobe.h"
#include "core/thread/threadreader.h"
#include "tests/bench/benchmark.h"

#include <QCoreApplication>

#include <string>
#include <vector>

using namespace palimpsest;

namespace {

std::vector<ThreadPtr> loadAll(const std::string &file)
{
    std::vector<ThreadPtr> threads;
    const Result<std::unique_ptr<CheckpointSource>> source = openSource(file);
    if (!source)
        return threads;
    const Result<std::vector<std::string>> ids = (*source)->threadIds({});
    if (!ids)
        return threads;
    LoadOptions options;
    options.readSnapshots = true;
    for (const std::string &id : *ids)
        if (Result<ThreadPtr> thread = loadThread(**source, id, options, {}))
            threads.push_back(std::move(*thread));
    return threads;
}

bool measure(const std::string &name, const std::string &file)
{
    constexpr int runs = 3;
    const std::vector<ThreadPtr> threads = loadAll(file);
    if (threads.empty()) {
        std::printf("bench: %s cannot be read\n", name.c_str());
        return false;
    }
    const double loading = benchmark::median(runs, [&] { (void)loadAll(file); });
    const double linting = benchmark::median(runs, [&] {
        for (const ThreadPtr &thread : threads)
            (void)lint(*thread, {}, {});
    });
    benchmark::report(("lint of " + name).c_str(), linting, loading, {{"loading", loading}});
    return linting <= loading;
}

} // namespace

int main(int argc, char **argv)
{
    const QCoreApplication app(argc, argv);
    bool good = true;
    for (const char *name : {"long_run", "summarize_chain", "profile_defaults"})
        good &= measure(name, std::string(PALIMPSEST_TEST_DATA "/recordings/0.7.7/") + name + ".sqlite");
    for (const QByteArray &file : qgetenv("PALIMPSEST_BENCH_FILES").split(':'))
        if (!file.isEmpty())
            good &= measure(file.toStdString(), file.toStdString());
    return good ? 0 : 1;
}
