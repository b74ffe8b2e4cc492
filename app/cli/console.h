// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/jobcontext.h"
#include "core/values/finding.h"

#include <ostream>
#include <stop_token>
#include <string>
#include <string_view>

namespace palimpsest {

/// What a subcommand talks to: the answer's stream, the messages' stream, and whoever may stop it.
class Console {
public:
    Console(std::ostream &out, std::ostream &err, std::stop_token stop, bool terminal);
    ~Console();
    Console(const Console &) = delete;
    Console &operator=(const Console &) = delete;

    /// Standard output: the answer, nothing else.
    [[nodiscard]] std::ostream &out() { return m_out; }
    /// For work that takes long: stops on Ctrl+C, shows progress on a terminal.
    [[nodiscard]] JobContext job();
    /// One line on standard error.
    void message(std::string_view line);
    /// A finding as one line on standard error.
    void message(const Finding &finding);
    [[nodiscard]] bool stopped() const { return m_stop.stop_requested(); }

private:
    void clearProgress();

    std::ostream &m_out;
    std::ostream &m_err;
    std::stop_token m_stop;
    bool m_terminal = false;
    bool m_shown = false; ///< a progress line stands on the terminal
};

/// Text as a terminal may show it: control characters replaced, line breaks as spaces, not longer than `limit` code
/// points.
std::string printable(std::string_view wtf8, std::size_t limit = static_cast<std::size_t>(-1));

} // namespace palimpsest
