// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compaction/formsums.h"

namespace palimpsest {

void FormSums::append(const Sizes &sizes)
{
    const std::array<std::int64_t, 3> change{
        sizes.truncated - sizes.plain, sizes.withoutReasoning - sizes.plain, sizes.both - sizes.plain};
    if (m_changes.empty() && (change[0] || change[1] || change[2])) {
        m_changes.reserve(m_plain.capacity());
        m_changes.resize(m_plain.size());
    }
    m_plain.push_back(m_plain.back() + sizes.plain);
    if (m_changes.empty())
        return;
    const auto &before = m_changes.back();
    m_changes.push_back({before[0] + change[0], before[1] + change[1], before[2] + change[2]});
}

} // namespace palimpsest
