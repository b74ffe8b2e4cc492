// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/interrupt.h"

#include <csignal>
#include <ctime>
#include <unistd.h>

namespace palimpsest {
namespace {

sigset_t watched()
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    return set;
}

} // namespace

Interrupt::Interrupt()
{
    const sigset_t set = watched();
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
    // A closed pipe is an error of the stream, not the end of the program.
    std::signal(SIGPIPE, SIG_IGN);
    m_watcher = std::jthread([source = m_source](const std::stop_token &ended) mutable {
        const sigset_t signals = watched();
        const timespec wait{0, 200'000'000};
        while (!ended.stop_requested()) {
            if (sigtimedwait(&signals, nullptr, &wait) < 0)
                continue;
            if (!source.request_stop())
                _exit(130);
        }
    });
}

Interrupt::~Interrupt() = default;

} // namespace palimpsest
