// SPDX-License-Identifier: GPL-3.0-or-later
// Rebuilding the state of every checkpoint against decoding every row of the same file with msgpack-cxx alone, and the
// growth of its cost with the number of steps. PALIMPSEST_BENCH_FILES may name more databases (separated by ':') to
// measure.
#include "core/sources/sourceprobe.h"
#include "core/thread/states.h"
#include "core/thread/threadlist.h"
#include "tests/support/checkpointfile.h"

#include <QCoreApplication>
#include <QTemporaryDir>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <msgpack.hpp>
#include <vector>

using namespace palimpsest;

namespace {

double median(const std::function<void()> &work)
{
    std::vector<double> times;
    for (int i = 0; i < 5; ++i) {
        const auto begin = std::chrono::steady_clock::now();
        work();
        times.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
    }
    std::sort(times.begin(), times.end());
    return times[2];
}

void decode(const char *bytes, std::size_t size)
{
    const msgpack::object_handle handle = msgpack::unpack(bytes, size);
    const std::function<void(const msgpack::object &)> inside = [&](const msgpack::object &object) {
        if (object.type == msgpack::type::EXT)
            decode(object.via.ext.data(), object.via.ext.size);
        else if (object.type == msgpack::type::ARRAY)
            std::for_each(object.via.array.ptr, object.via.array.ptr + object.via.array.size, inside);
        else if (object.type == msgpack::type::MAP)
            std::for_each(object.via.map.ptr, object.via.map.ptr + object.via.map.size,
                [&](const msgpack::object_kv &entry) { inside(entry.val); });
    };
    inside(handle.get());
}

void decodeEverything(const std::string &file)
{
    Result<std::unique_ptr<CheckpointSource>> source = openSource(file);
    const Result<std::vector<ThreadRow>> rows = (*source)->threads({});
    for (const ThreadRow &row : *rows) {
        for (const ThreadRow::Space &space : row.namespaces) {
            CheckpointScan scan;
            scan.blobsUpTo = std::int64_t(1) << 40;
            (void)(*source)->scanCheckpoints(row.id, space.name, scan,
                [](CheckpointRow &&checkpoint) {
                    if (checkpoint.type == "msgpack" && checkpoint.blob)
                        decode(checkpoint.blob->data(), checkpoint.blob->size());
                    return true;
                },
                {});
            (void)(*source)->scanWrites(row.id, space.name, {},
                [](WriteRow &&write) {
                    if (write.value.type == "msgpack")
                        decode(write.value.bytes.data(), write.value.bytes.size());
                    return true;
                },
                {});
        }
    }
}

double states(const std::string &file)
{
    return median([&] {
        Result<std::unique_ptr<CheckpointSource>> source = openSource(file);
        const Result<std::vector<ThreadRow>> rows = (*source)->threads({});
        for (const ThreadRow &row : *rows)
            (void)rebuildStates(**source, row.id, row.namespaces.front().name, {});
    });
}

} // namespace

int main(int argc, char **argv)
{
    const QCoreApplication app(argc, argv);
    const QTemporaryDir folder;
    bool good = true;
    const auto measure = [&](const std::string &name, const std::string &file, double limit) {
        const double mine = states(file);
        const double reference = median([&] { decodeEverything(file); });
        const double list = median([&] {
            Result<std::unique_ptr<CheckpointSource>> source = openSource(file);
            (void)listThreads(**source, false, {});
        });
        std::printf(
            "%s: all states %.1f ms, every row decoded %.1f ms, ratio %.2f (limit %.2f), threads listed %.1f ms\n",
            name.c_str(), mine, reference, mine / reference, limit, list);
        good &= mine / reference <= limit;
        return mine;
    };
    std::vector<double> perStep;
    for (const int steps : {2500, 5000, 10000}) {
        const std::string file = folder.filePath(QStringLiteral("steps%1").arg(steps)).toStdString();
        test::makeDeltaThread(file, steps, 50, 300);
        perStep.push_back(measure(std::to_string(steps) + " steps", file, steps > 2500 ? 1.0 : 1.5) / steps);
    }
    std::printf("cost per step at 10000 steps against 2500: %.2f (limit 1.60)\n", perStep.back() / perStep.front());
    good &= perStep.back() / perStep.front() <= 1.6;
    const QByteArray more = qgetenv("PALIMPSEST_BENCH_FILES");
    for (const QByteArray &file : more.split(':'))
        if (!file.isEmpty())
            measure(file.toStdString(), file.toStdString(), 1.0);
    return good ? 0 : 1;
}
