// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/cli.h"

#include <sstream>
#include <string>
#include <vector>

namespace palimpsest {

/// Runs a command in this process; gives its standard output, and its status and messages where they are asked for.
inline std::string runOnBuffers(const std::vector<std::string> &args, int *status, std::string *messages)
{
    std::ostringstream out;
    std::ostringstream err;
    const int code = runCli(args, out, err);
    if (status)
        *status = code;
    if (messages)
        *messages = err.str();
    return out.str();
}

} // namespace palimpsest
