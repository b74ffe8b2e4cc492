// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/thread/thread.h"

namespace palimpsest {

std::string_view certaintyName(Certainty certainty)
{
    switch (certainty) {
    case Certainty::Recorded:
        return "recorded";
    case Certainty::Derived:
        return "derived";
    case Certainty::DerivedAssumingSettings:
        return "derived assuming settings";
    case Certainty::Inferred:
        return "inferred";
    case Certainty::Uncertain:
        break;
    }
    return "uncertain";
}

const ThreadNamespace *Thread::find(std::string_view ns) const
{
    for (const ThreadNamespace &space : namespaces)
        if (space.name == ns)
            return &space;
    return nullptr;
}

} // namespace palimpsest
