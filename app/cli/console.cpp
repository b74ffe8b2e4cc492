// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/console.h"

#include "core/base/text.h"

#include <utility>

namespace palimpsest {

Console::Console(std::ostream &out, std::ostream &err, std::stop_token stop, bool terminal)
    : m_out(out)
    , m_err(err)
    , m_stop(std::move(stop))
    , m_terminal(terminal)
{
}

Console::~Console()
{
    clearProgress();
}

JobContext Console::job()
{
    JobContext job;
    job.stop = m_stop;
    if (m_terminal) {
        job.progress = [this](double fraction, std::string_view doing) {
            std::string line = "\r\x1b[K";
            if (fraction >= 0)
                line += std::to_string(static_cast<int>(fraction * 100)) + " % ";
            m_err << line << printable(doing, 70) << std::flush;
            m_shown = true;
        };
    }
    return job;
}

void Console::message(std::string_view line)
{
    clearProgress();
    m_err << "palimpsest: " << printable(line) << '\n' << std::flush;
}

void Console::message(const Finding &finding)
{
    message(finding.rule + ": " + finding.message);
}

void Console::clearProgress()
{
    if (std::exchange(m_shown, false))
        m_err << "\r\x1b[K" << std::flush;
}

std::string printable(std::string_view wtf8, std::size_t limit)
{
    std::string out;
    std::size_t count = 0;
    for (std::size_t at = 0; at < wtf8.size(); ++count) {
        if (count == limit) {
            text::append(out, U'…');
            break;
        }
        const char32_t c = text::next(wtf8, at);
        // Stored text must not steer the terminal: control characters, bidirectional overrides, lone surrogates.
        const bool bad = c < 0x20 || (c >= 0x7f && c < 0xa0) || (c >= 0x202a && c <= 0x202e)
            || (c >= 0x2066 && c <= 0x2069) || (c >= 0xd800 && c <= 0xdfff);
        text::append(out, c == U'\n' || c == U'\t' ? U' ' : bad ? U'\ufffd' : c);
    }
    return out;
}

} // namespace palimpsest
