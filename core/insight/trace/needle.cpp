// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/trace/needle.h"

#include "core/base/text.h"

#include <QRegularExpression>
#include <QString>

#include <algorithm>
#include <cstring>
#include <vector>

namespace palimpsest {
namespace {

/// Folds one code point; most of a text is ASCII, which is handled before.
void appendFolded(std::string &out, std::string_view bytes, char32_t c)
{
    if (c >= 0xD800 && c <= 0xDFFF) {
        out += bytes;
        return;
    }
    if (c == U'ß' || c == U'ẞ') {
        out += "ss"; // full case folding, which Qt leaves out
        return;
    }
    const QString folded = QString::fromUcs4(&c, 1)
                               .normalized(QString::NormalizationForm_KD)
                               .toCaseFolded()
                               .normalized(QString::NormalizationForm_KD);
    out += folded.toStdString();
}

/// Folds a text; with `origins`, also where each folded byte comes from.
std::string fold(std::string_view wtf8, std::vector<std::size_t> *origins)
{
    std::string out;
    out.reserve(wtf8.size());
    for (std::size_t at = 0; at < wtf8.size();) {
        const std::size_t begin = at;
        const auto byte = static_cast<unsigned char>(wtf8[at]);
        if (byte < 0x80) {
            out += byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte + 32) : wtf8[at];
            ++at;
        } else {
            const char32_t c = text::next(wtf8, at);
            appendFolded(out, wtf8.substr(begin, at - begin), c);
        }
        if (origins)
            origins->resize(out.size(), begin);
    }
    return out;
}

bool isAscii(std::string_view text)
{
    return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

std::optional<TextSpan> findPlain(std::string_view text, std::string_view needle, std::size_t from = 0)
{
    if (needle.empty() || text.size() < from + needle.size())
        return std::nullopt;
    const void *found = memmem(text.data() + from, text.size() - from, needle.data(), needle.size());
    if (!found)
        return std::nullopt;
    const auto begin = static_cast<std::size_t>(static_cast<const char *>(found) - text.data());
    return TextSpan{begin, begin + needle.size()};
}

} // namespace

struct Needle::Expression {
    QRegularExpression regex;
};

Result<Needle> Needle::make(std::string text, NeedleKind kind)
{
    if (text.empty())
        return failure(Error::Code::Invalid, "--text", "the text to look for is empty; give some of its words");
    Needle needle;
    needle.m_kind = kind;
    if (kind == NeedleKind::Folded)
        needle.m_folded = foldedText(text);
    if (kind == NeedleKind::Regex || kind == NeedleKind::FoldedRegex) {
        auto expression = std::make_shared<Expression>();
        QRegularExpression::PatternOptions options =
            QRegularExpression::MultilineOption | QRegularExpression::UseUnicodePropertiesOption;
        if (kind == NeedleKind::FoldedRegex)
            options |= QRegularExpression::CaseInsensitiveOption;
        expression->regex = QRegularExpression(QString::fromStdString(text), options);
        if (!expression->regex.isValid())
            return failure(Error::Code::Invalid, "--regex",
                "\"" + text + "\" is no regular expression: " + expression->regex.errorString().toStdString()
                    + " at character " + std::to_string(expression->regex.patternErrorOffset() + 1));
        expression->regex.optimize();
        needle.m_expression = std::move(expression);
    }
    needle.m_text = std::move(text);
    return needle;
}

std::optional<TextSpan> Needle::find(std::string_view wtf8) const
{
    switch (m_kind) {
    case NeedleKind::Plain:
        return findPlain(wtf8, m_text);
    case NeedleKind::Folded:
        return findFolded(wtf8);
    case NeedleKind::Regex:
    case NeedleKind::FoldedRegex:
        break;
    }
    return findExpression(wtf8);
}

std::optional<TextSpan> Needle::findFolded(std::string_view wtf8) const
{
    const bool ascii = isAscii(wtf8);
    const std::string folded = fold(wtf8, nullptr);
    const std::optional<TextSpan> found = findPlain(folded, m_folded);
    if (!found || ascii)
        return found;
    std::vector<std::size_t> origins;
    fold(wtf8, &origins);
    const std::size_t begin = origins[found->begin];
    std::size_t end = origins[found->end - 1];
    text::next(wtf8, end);
    return TextSpan{begin, end};
}

std::optional<TextSpan> Needle::findExpression(std::string_view wtf8) const
{
    const QString text = QString::fromUtf8(wtf8.data(), static_cast<qsizetype>(wtf8.size()));
    const QRegularExpressionMatch match = m_expression->regex.match(text);
    if (!match.hasMatch() || match.capturedLength() == 0)
        return std::nullopt;
    // Where the text is valid UTF-8, its pieces convert back to as many bytes as they came from.
    const QStringView view(text);
    const auto begin = static_cast<std::size_t>(view.first(match.capturedStart()).toUtf8().size());
    const auto size = static_cast<std::size_t>(match.capturedView().toUtf8().size());
    return TextSpan{std::min(begin, wtf8.size()), std::min(begin + size, wtf8.size())};
}

std::string foldedText(std::string_view wtf8)
{
    return fold(wtf8, nullptr);
}

std::int64_t lineOf(std::string_view text, std::size_t at)
{
    return 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(std::min(at, text.size())), '\n');
}

std::string_view sentenceAround(std::string_view text, TextSpan range, std::size_t limit)
{
    const auto isEnd = [&](std::size_t at) {
        return text[at] == '\n'
            || ((text[at] == '.' || text[at] == '?' || text[at] == '!') && at + 1 < text.size()
                && (text[at + 1] == ' ' || text[at + 1] == '\n'));
    };
    std::size_t begin = std::min(range.begin, text.size());
    while (begin > 0 && !isEnd(begin - 1))
        --begin;
    std::size_t end = std::min(std::max(range.end, begin), text.size());
    while (end < text.size() && !isEnd(end))
        ++end;
    if (end < text.size() && text[end] != '\n')
        ++end;
    while (begin < end && (text[begin] == ' ' || text[begin] == '\n'))
        ++begin;
    std::string_view sentence = text.substr(begin, end - begin);
    if (text::length(sentence) <= limit)
        return sentence;
    // A line of thousands of words: what stands around the place.
    const std::size_t before = text::length(text.substr(begin, range.begin - begin));
    const std::size_t from = before > limit / 3 ? before - limit / 3 : 0;
    return text::slice(sentence, from, from + limit);
}

} // namespace palimpsest
