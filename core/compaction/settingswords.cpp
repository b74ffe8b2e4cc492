// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compaction/settingswords.h"

#include "core/compaction/contextsize.h"
#include "core/compaction/dialect.h"
#include "core/compaction/rules.h"

#include <format>

namespace palimpsest {
namespace {

std::string sizeWords(const ContextSize &size)
{
    if (size.kind == ContextSize::Kind::Fraction)
        return std::format("{:.4g} of the window", size.value);
    return std::format("{} {:.0f}", kindName(size.kind), size.value);
}

} // namespace

std::string settingsWords(const Settings &settings)
{
    const auto choice = dialectFor(settings.dialect);
    if (!choice)
        return {};
    const CompactionRules rules = rulesFor(settings, choice->dialect);
    std::string words;
    for (const TriggerClause &clause : rules.trigger) {
        words += words.empty() ? "" : " or ";
        for (std::size_t i = 0; i < clause.size(); ++i)
            words += (i ? " and " : "") + sizeWords(clause[i]);
    }
    return (words.empty() ? "never" : words) + ", keep " + sizeWords(rules.keep);
}

} // namespace palimpsest
