// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/trace/keyterms.h"

#include "core/base/text.h"
#include "core/insight/trace/needle.h"

#include <algorithm>
#include <array>
#include <unordered_set>

namespace palimpsest {
namespace {

constexpr std::array<std::string_view, 15> negations{"not", "no", "never", "none", "nothing", "nobody", "without",
    "cannot", "neither", "nor", "don't", "doesn't", "isn't", "won't", "can't"};

constexpr std::array<std::string_view, 58> commonWords{"about", "after", "again", "also", "been", "before", "being",
    "both", "could", "does", "done", "down", "each", "even", "every", "from", "have", "here", "into", "just", "like",
    "made", "make", "many", "more", "most", "much", "must", "only", "other", "over", "same", "should", "some", "such",
    "than", "that", "their", "them", "then", "there", "these", "they", "this", "those", "through", "very", "want",
    "were", "what", "when", "where", "which", "while", "will", "with", "would", "your"};

bool isWordByte(char c)
{
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x80 || (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z')
        || byte == '_';
}

bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}

bool isUpper(char c)
{
    return c >= 'A' && c <= 'Z';
}

/// Bytes that may join words of one term: paths, identifiers, numbers, contractions.
bool isJoiner(char c)
{
    return c == '-' || c == '.' || c == '/' || c == '\'' || c == '@' || c == ':' || c == '%' || c == ',' || c == '~'
        || c == '\\';
}

/// Where the term that begins at `at` ends: words, joined by marks between them.
std::size_t termEnd(std::string_view text, std::size_t at)
{
    std::size_t end = at;
    while (end < text.size()) {
        if (isWordByte(text[end])) {
            ++end;
            continue;
        }
        const bool slash = text[end] == '/' || text[end] == '~' || text[end] == '.';
        std::size_t next = end;
        while (next < text.size() && isJoiner(text[next]) && next - end < 3)
            ++next;
        // A comma joins digits only, a colon numbers or a URL's parts.
        const bool joins = next > end && next < text.size() && isWordByte(text[next])
            && (text[end] != ',' || (end > at && isDigit(text[end - 1]) && isDigit(text[next]))) && (end > at || slash);
        if (!joins)
            break;
        end = next;
    }
    return end;
}

bool isNumber(std::string_view term)
{
    return std::any_of(term.begin(), term.end(), isDigit) && std::all_of(term.begin(), term.end(), [](char c) {
        return isDigit(c) || c == '.' || c == ',' || c == ':' || c == '%';
    });
}

bool isPath(std::string_view term)
{
    return term.find('/') != std::string_view::npos || term.find('\\') != std::string_view::npos
        || term.find('@') != std::string_view::npos;
}

bool isIdentifier(std::string_view term)
{
    const bool digits = std::any_of(term.begin(), term.end(), isDigit);
    const bool joined = term.find_first_of("_-.") != std::string_view::npos;
    const bool inner = std::any_of(term.begin() + 1, term.end(), isUpper);
    return digits || inner || (joined && term.find('\'') == std::string_view::npos);
}

bool beginsSentence(std::string_view text, std::size_t at)
{
    while (at > 0 && (text[at - 1] == ' ' || text[at - 1] == '"' || text[at - 1] == '*' || text[at - 1] == '('))
        --at;
    return at == 0 || text[at - 1] == '.' || text[at - 1] == '!' || text[at - 1] == '?' || text[at - 1] == '\n'
        || text[at - 1] == ':' || text[at - 1] == '#' || text[at - 1] == '-';
}

std::optional<KeyTerm::Kind> kindOfTerm(
    std::string_view text, std::size_t at, std::string_view term, std::string_view folded)
{
    if (isNumber(term))
        return KeyTerm::Kind::Number;
    if (isPath(term))
        return KeyTerm::Kind::Path;
    if (std::find(negations.begin(), negations.end(), folded) != negations.end())
        return KeyTerm::Kind::Negation;
    if (isIdentifier(term) || (isUpper(term.front()) && term.size() > 1 && !beginsSentence(text, at)))
        return KeyTerm::Kind::Name;
    if (text::length(term) < 4 && static_cast<unsigned char>(term.front()) < 0x80)
        return std::nullopt;
    if (std::find(commonWords.begin(), commonWords.end(), folded) != commonWords.end())
        return std::nullopt;
    return KeyTerm::Kind::Word;
}

std::vector<std::string_view> sentences(std::string_view text)
{
    std::vector<std::string_view> all;
    for (std::size_t at = 0; at < text.size();) {
        const std::string_view sentence = sentenceAround(text, {at, at}, text.size());
        if (sentence.empty()) {
            ++at;
            continue;
        }
        all.push_back(sentence);
        at = std::max(at + 1, static_cast<std::size_t>(sentence.data() + sentence.size() - text.data()));
    }
    return all;
}

} // namespace

std::vector<KeyTerm> keyTerms(std::string_view text)
{
    std::vector<KeyTerm> terms;
    std::unordered_set<std::string> known;
    for (std::size_t at = 0; at < text.size();) {
        const bool begins = isWordByte(text[at]) || text[at] == '/' || text[at] == '~';
        const std::size_t end = begins ? termEnd(text, at) : at;
        if (end == at) {
            ++at;
            continue;
        }
        const std::string_view term = text.substr(at, end - at);
        std::string folded = foldedText(term);
        if (const auto kind = kindOfTerm(text, at, term, folded); kind && known.insert(folded).second)
            terms.push_back({*kind, std::string(term), std::move(folded)});
        at = end;
    }
    return terms;
}

std::string_view termKindName(KeyTerm::Kind kind)
{
    switch (kind) {
    case KeyTerm::Kind::Name:
        return "name";
    case KeyTerm::Kind::Number:
        return "number";
    case KeyTerm::Kind::Path:
        return "path";
    case KeyTerm::Kind::Negation:
        return "negation";
    case KeyTerm::Kind::Word:
        break;
    }
    return "word";
}

bool holdsTerm(std::string_view folded, std::string_view term)
{
    for (std::size_t at = folded.find(term); at != std::string_view::npos; at = folded.find(term, at + 1)) {
        const std::size_t end = at + term.size();
        const bool before = at > 0 && isWordByte(folded[at - 1]) && isWordByte(term.front());
        const bool after = end < folded.size() && isWordByte(folded[end]) && isWordByte(term.back());
        if (!before && !after)
            return true;
    }
    return false;
}

bool SimilarText::keepsKeys() const
{
    return missing.empty()
        && std::any_of(shared.begin(), shared.end(), [](const KeyTerm &term) { return term.isKey(); });
}

std::optional<SimilarText> nearestSentence(std::string_view text, const std::vector<KeyTerm> &terms)
{
    std::optional<SimilarText> best;
    if (terms.empty())
        return best;
    for (const std::string_view sentence : sentences(text)) {
        const std::string folded = foldedText(sentence);
        SimilarText similar;
        bool name = false;
        for (const KeyTerm &term : terms) {
            if (holdsTerm(folded, term.folded)) {
                similar.shared.push_back(term);
                name = name || term.kind == KeyTerm::Kind::Name || term.kind == KeyTerm::Kind::Path;
            } else if (term.isKey()) {
                similar.missing.push_back(term);
            }
        }
        similar.share = static_cast<double>(similar.shared.size()) / static_cast<double>(terms.size());
        const bool enough = (similar.shared.size() >= 2 && similar.share >= 0.25) || (name && similar.share >= 0.5);
        if (!enough || (best && best->share >= similar.share))
            continue;
        similar.sentence = sentence;
        best = std::move(similar);
    }
    return best;
}

} // namespace palimpsest
