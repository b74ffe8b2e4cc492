// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/fuzzy.h"

#include <algorithm>
#include <vector>

namespace palimpsest {

int fuzzyScore(QStringView pattern, QStringView text)
{
    constexpr int none = -1'000'000;
    const qsizetype columns = text.size();
    // best[j]: best score with the pattern so far matched and its last letter at text[j].
    std::vector<int> best(static_cast<std::size_t>(columns), none);
    bool isFirst = true;
    int result = 0;
    for (const QChar letter : pattern) {
        if (letter.isSpace())
            continue;
        std::vector<int> next(static_cast<std::size_t>(columns), none);
        int before = isFirst ? 0 : none; // the best that ends left of here
        result = none;
        for (qsizetype j = 0; j < columns; ++j) {
            const auto at = static_cast<std::size_t>(j);
            if (text[j].toCaseFolded() == letter.toCaseFolded()) {
                const bool startsWord = j == 0 || !text[j - 1].isLetterOrNumber();
                int score = before > none ? before + (startsWord ? 8 : 1) : none;
                if (!isFirst && j > 0 && best[at - 1] > none)
                    score = std::max(score, best[at - 1] + (startsWord ? 8 : 5));
                next[at] = score;
                result = std::max(result, score);
            }
            if (!isFirst && best[at] > before)
                before = best[at];
        }
        if (result == none)
            return -1;
        best = std::move(next);
        isFirst = false;
    }
    return isFirst ? 0 : result * 100 - static_cast<int>(std::min<qsizetype>(columns, 90));
}

} // namespace palimpsest
