// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>

namespace palimpsest {

class Desk;

/// Follows the open thread for a time, as the window does, and prints what is seen of it as JSON lines on standard
/// output: one as soon as following has begun, one for each change once the timeline and the raw log are painted
/// (`shown_at_ms`, milliseconds since 1970 by the system's clock; the newest checkpoint; how many checkpoints and
/// messages there are; where the raw log stands), and a last one with the processor time of the whole process over the
/// stretches of a second in which nothing changed. Returns an exit status.
int watchFollowed(Desk &desk, std::chrono::milliseconds time);

} // namespace palimpsest
