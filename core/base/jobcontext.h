// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <stop_token>
#include <string_view>

namespace palimpsest {

/// What a long-running function gets from whoever started it. It looks at `stop` often and reports progress at most 100 times.
struct JobContext {
    std::stop_token stop;
    /// Fraction done (0 to 1, negative when unknown) and what is being done. Called on the worker's thread; may be empty.
    std::function<void(double fraction, std::string_view doing)> progress;

    [[nodiscard]] bool stopped() const { return stop.stop_requested(); }
    void report(double fraction, std::string_view doing) const
    {
        if (progress)
            progress(fraction, doing);
    }
};

} // namespace palimpsest
