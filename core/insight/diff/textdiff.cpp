// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/diff/textdiff.h"

#include <algorithm>
#include <unordered_map>

namespace palimpsest {
namespace {

constexpr std::size_t mostEdits = 2000; ///< beyond them a difference helps nobody, and costs its square
constexpr std::size_t wordsOfAText = 40000; ///< longer texts are compared by lines

using Ids = std::vector<std::uint32_t>;

void append(std::vector<DiffRun> &runs, DiffRun::Kind kind, std::size_t a, std::size_t b, std::size_t length)
{
    if (length == 0)
        return;
    if (!runs.empty() && runs.back().kind == kind) {
        runs.back().length += length;
        return;
    }
    runs.push_back({kind, a, b, length});
}

/// Myers' greedy search for [aFrom, aTo) and [bFrom, bTo); false when it takes too many edits.
bool search(const Ids &a, std::size_t aFrom, std::size_t aTo, const Ids &b, std::size_t bFrom, std::size_t bTo,
    std::vector<DiffRun> &runs)
{
    const auto n = static_cast<std::int64_t>(aTo - aFrom);
    const auto m = static_cast<std::int64_t>(bTo - bFrom);
    const auto most = std::min<std::int64_t>(n + m, mostEdits);
    std::vector<std::vector<std::int32_t>> trace; // furthest x by diagonal, for each number of edits
    std::vector<std::int32_t> x(static_cast<std::size_t>(2 * most + 3), 0);
    const auto at = [&](std::int64_t k) -> std::int32_t & { return x[static_cast<std::size_t>(k + most + 1)]; };
    std::int64_t edits = 0;
    for (bool done = false; !done; ++edits) {
        if (edits > most)
            return false;
        for (std::int64_t k = -edits; k <= edits; k += 2) {
            std::int64_t px = k == -edits || (k != edits && at(k - 1) < at(k + 1)) ? at(k + 1) : at(k - 1) + 1;
            std::int64_t py = px - k;
            while (px < n && py < m
                && a[aFrom + static_cast<std::size_t>(px)] == b[bFrom + static_cast<std::size_t>(py)]) {
                ++px;
                ++py;
            }
            at(k) = static_cast<std::int32_t>(px);
            if (px >= n && py >= m) {
                done = true;
                break;
            }
        }
        trace.emplace_back(x.begin() + static_cast<std::ptrdiff_t>(most - edits),
            x.begin() + static_cast<std::ptrdiff_t>(most + edits + 3));
    }
    // Back from the end: the path in reverse.
    struct Step {
        DiffRun::Kind kind;
        std::int64_t x;
        std::int64_t y;
        std::int64_t length;
    };
    std::vector<Step> steps;
    std::int64_t px = n;
    std::int64_t py = m;
    for (std::int64_t d = edits - 1; d > 0; --d) {
        const std::vector<std::int32_t> &before = trace[static_cast<std::size_t>(d - 1)];
        const auto reached = [&](std::int64_t k) -> std::int64_t { return before[static_cast<std::size_t>(k + d)]; };
        const std::int64_t k = px - py;
        const bool down = k == -d || (k != d && reached(k - 1) < reached(k + 1));
        const std::int64_t fromX = down ? reached(k + 1) : reached(k - 1);
        const std::int64_t fromY = fromX - (down ? k + 1 : k - 1);
        const std::int64_t startX = down ? fromX : fromX + 1;
        steps.push_back({DiffRun::Kind::Same, startX, startX - k, px - startX});
        steps.push_back({down ? DiffRun::Kind::Added : DiffRun::Kind::Removed, fromX, fromY, 1});
        px = fromX;
        py = fromY;
    }
    steps.push_back({DiffRun::Kind::Same, 0, 0, px});
    for (auto step = steps.rbegin(); step != steps.rend(); ++step)
        append(runs, step->kind, aFrom + static_cast<std::size_t>(step->x), bFrom + static_cast<std::size_t>(step->y),
            static_cast<std::size_t>(step->length));
    return true;
}

bool isBreak(char c)
{
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

/// Words with the blank behind them, or lines with their end.
std::vector<std::string_view> pieces(std::string_view text, bool lines)
{
    std::vector<std::string_view> all;
    for (std::size_t at = 0; at < text.size();) {
        std::size_t end = at;
        if (lines) {
            end = std::min(text.find('\n', at), text.size() - 1) + 1;
        } else {
            // Marks stand alone, so that a changed word leaves the comma behind it as it is.
            const auto isMark = [](char c) { return c == ',' || c == ';' || c == ')' || c == '(' || c == '"'; };
            while (end < text.size() && !isBreak(text[end]) && !isMark(text[end]))
                ++end;
            if (end == at)
                ++end;
        }
        all.push_back(text.substr(at, end - at));
        at = end;
    }
    return all;
}

void addPiece(std::vector<TextPiece> &out, DiffRun::Kind kind, std::string_view text)
{
    if (text.empty())
        return;
    if (!out.empty() && out.back().kind == kind)
        out.back().text += text;
    else
        out.push_back({kind, std::string(text)});
}

std::vector<TextPiece> diffPieces(std::string_view a, std::string_view b, bool lines)
{
    std::unordered_map<std::string_view, std::uint32_t> known;
    const auto idsOf = [&](const std::vector<std::string_view> &parts) {
        Ids ids;
        ids.reserve(parts.size());
        for (const std::string_view part : parts)
            ids.push_back(known.emplace(part, static_cast<std::uint32_t>(known.size())).first->second);
        return ids;
    };
    const std::vector<std::string_view> first = pieces(a, lines);
    const std::vector<std::string_view> second = pieces(b, lines);
    std::vector<TextPiece> out;
    const std::vector<DiffRun> runs = diffSequences(idsOf(first), idsOf(second));
    const auto joined = [](const std::vector<std::string_view> &parts, std::size_t from, std::size_t count) {
        const char *begin = parts[from].data();
        const std::string_view last = parts[from + count - 1];
        return std::string_view(begin, static_cast<std::size_t>(last.data() + last.size() - begin));
    };
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const DiffRun &run = runs[i];
        // Changed lines are compared by their words.
        if (lines && run.kind == DiffRun::Kind::Removed && i + 1 < runs.size()
            && runs[i + 1].kind == DiffRun::Kind::Added) {
            const std::string_view gone = joined(first, run.a, run.length);
            const std::string_view come = joined(second, runs[i + 1].b, runs[i + 1].length);
            if (gone.size() + come.size() < wordsOfAText) {
                for (const TextPiece &piece : diffPieces(gone, come, false))
                    addPiece(out, piece.kind, piece.text);
                ++i;
                continue;
            }
        }
        addPiece(out, run.kind,
            run.kind == DiffRun::Kind::Added ? joined(second, run.b, run.length) : joined(first, run.a, run.length));
    }
    return out;
}

} // namespace

std::vector<DiffRun> diffSequences(const std::vector<std::uint32_t> &a, const std::vector<std::uint32_t> &b)
{
    std::size_t begin = 0;
    while (begin < a.size() && begin < b.size() && a[begin] == b[begin])
        ++begin;
    std::size_t aEnd = a.size();
    std::size_t bEnd = b.size();
    while (aEnd > begin && bEnd > begin && a[aEnd - 1] == b[bEnd - 1]) {
        --aEnd;
        --bEnd;
    }
    std::vector<DiffRun> runs;
    append(runs, DiffRun::Kind::Same, 0, 0, begin);
    std::vector<DiffRun> middle;
    if (aEnd > begin && bEnd > begin && search(a, begin, aEnd, b, begin, bEnd, middle)) {
        for (const DiffRun &run : middle)
            append(runs, run.kind, run.a, run.b, run.length);
    } else {
        append(runs, DiffRun::Kind::Removed, begin, begin, aEnd - begin);
        append(runs, DiffRun::Kind::Added, aEnd, begin, bEnd - begin);
    }
    append(runs, DiffRun::Kind::Same, aEnd, bEnd, a.size() - aEnd);
    return runs;
}

std::vector<TextPiece> diffTexts(std::string_view a, std::string_view b)
{
    return diffPieces(a, b, a.size() + b.size() > wordsOfAText);
}

} // namespace palimpsest
