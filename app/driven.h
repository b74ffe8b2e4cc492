// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

namespace palimpsest {

/// Whether the command line asks for the window to be driven by the program itself: `--measure` or `--picture FILE`.
bool isDrivenCall(const std::vector<std::string> &args);

/// Opens the window offscreen, drives it, and ends. `--measure SOURCE` prints one JSON document (milliseconds,
/// megabytes): `first_picture_ms` from the start of `main` until the thread is painted, `all_loaded_ms` until
/// everything is, `longest_stall_ms` of the event loop meanwhile, `scroll_frame_ms_p95` over 100,000 messages,
/// `scrub_frame_ms_p95` over the source's own calls, `setting_to_screen_ms_p95` from a changed trigger until its
/// what-if is painted (null without calls), `peak_rss_mb`; beside them `longest_stall_cpu_ms` and
/// `longest_event`, what the window's own thread worked at a stretch and on which event (another program's load does
/// not change it), `loaded_rss_mb` and the `goals`. With PALIMPSEST_STALLS set, every event of more than 3 ms is told
/// on standard error. `--picture FILE.png [--theme light|dark|contrast] [--layout read|study|tune]
/// [--size 1600x1000]` writes what the window shows. All other arguments are those of the window. Exit status as of the
/// command line.
int runDriven(int &argc, char **argv, const std::vector<std::string> &args);

} // namespace palimpsest
