// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compaction/settings.h"
#include "core/thread/message.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <malloc.h>
#include <time.h>

/// What the benchmarks share: time, memory, and a line for each figure.
namespace palimpsest::benchmark {

/// Processor time of all threads of this process so far, milliseconds: other work on the machine does not count.
inline double cpuMs()
{
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return 1e3 * static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e6;
}

/// Processor time of the middle one of several runs, milliseconds.
inline double median(int runs, const std::function<void()> &work)
{
    std::vector<double> times;
    for (int i = 0; i < runs; ++i) {
        const double begun = cpuMs();
        work();
        times.push_back(cpuMs() - begun);
    }
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

/// The same by the clock, which work on all cores is about; other work on the machine counts as well.
inline double medianByClock(int runs, const std::function<void()> &work)
{
    std::vector<double> times;
    for (int i = 0; i < runs; ++i) {
        const auto begun = std::chrono::steady_clock::now();
        work();
        times.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begun).count());
    }
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

/// Heap in use, bytes.
inline double heapBytes()
{
    const auto info = mallinfo2();
    return static_cast<double>(info.uordblks) + static_cast<double>(info.hblkhd);
}

/// Something that the same run measured, so that a figure is a ratio and not a property of the machine.
struct Reference {
    std::string name;
    double ms = 0; ///< 0: not measured
};

inline void report(const char *what, double ms, double goalMs, const std::vector<Reference> &references = {})
{
    std::printf("bench: %-46s %10.4f ms   goal %9.4f ms  %s", what, ms, goalMs, ms <= goalMs ? "reached" : "missed ");
    for (const Reference &reference : references) {
        if (reference.ms > 0)
            std::printf("   %s %.3f ms, ratio %.5f", reference.name.c_str(), reference.ms, ms / reference.ms);
    }
    std::printf("\n");
    std::fflush(stdout);
}

/// One set of settings for the root namespace.
inline SettingsSet setOf(Settings settings)
{
    SettingsSet set;
    set.namespaces[""] = {{1, std::move(settings)}};
    return set;
}

/// The package's times of the same work on the same messages, by name, milliseconds of processor time; empty unless
/// PALIMPSEST_PYTHON names an interpreter that has deepagents (compaction_reference.py).
std::map<std::string, double> pythonTimes(const std::vector<MessagePtr> &messages, const char *what);

/// Copies every text of the messages once: what any work on them costs at the least.
Reference copyReference(const std::vector<MessagePtr> &messages);

} // namespace palimpsest::benchmark
