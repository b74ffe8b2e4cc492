// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/values/severity.h"

namespace palimpsest {

std::string_view severityName(Finding::Severity severity)
{
    switch (severity) {
    case Finding::Severity::Info:
        return "info";
    case Finding::Severity::Warning:
        return "warning";
    case Finding::Severity::Error:
        break;
    }
    return "error";
}

} // namespace palimpsest
