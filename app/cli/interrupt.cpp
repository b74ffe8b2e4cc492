// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/interrupt.h"

#include <csignal>
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
        while (true) {
            if (sigwaitinfo(&signals, nullptr) < 0)
                continue;
            if (ended.stop_requested())
                return;
            if (!source.request_stop())
                _exit(130);
        }
    });
}

Interrupt::~Interrupt()
{
    // The watcher sleeps until a signal comes; this one is for its thread alone, so that leaving costs no waiting.
    m_watcher.request_stop();
    pthread_kill(m_watcher.native_handle(), SIGINT);
}

} // namespace palimpsest
