// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What a sentence cannot lose without changing its meaning: names, numbers, paths and negations. Words are compared
/// without regard to case. Nothing here understands a text.
namespace palimpsest {

struct KeyTerm {
    enum class Kind {
        Name, ///< a capitalised word within a sentence, an identifier (camelCase, snake_case, with digits), a quoted
              ///< text
        Number,
        Path, ///< a file path, a URL, an e-mail address
        Negation, ///< "not", "never", "no longer", "don't", …
        Word, ///< any other word of four letters or more that is not among the commonest
    };
    Kind kind = Kind::Word;
    std::string text; ///< as it stands
    std::string folded; ///< as it is compared

    bool operator==(const KeyTerm &) const = default;
    /// Everything but a plain word.
    [[nodiscard]] bool isKey() const { return kind != Kind::Word; }
};

/// The distinct terms of a text in the order of their first appearance.
std::vector<KeyTerm> keyTerms(std::string_view text);
std::string_view termKindName(KeyTerm::Kind kind);

/// Whether a folded term stands in a folded text, not as a part of a longer word or number.
bool holdsTerm(std::string_view folded, std::string_view term);

/// The sentence of a text that is nearest to another text.
struct SimilarText {
    std::string sentence;
    std::vector<KeyTerm> shared; ///< terms that both have
    std::vector<KeyTerm> missing; ///< names, numbers, paths and negations that the sentence lacks
    double share = 0; ///< of the terms looked for, from 0 to 1

    /// All names, numbers, paths and negations are there, and there are some.
    [[nodiscard]] bool keepsKeys() const;
};

/// Nothing when no sentence shares enough: at least two terms and a quarter of all of them, or a name or path that is
/// half of all.
std::optional<SimilarText> nearestSentence(std::string_view text, const std::vector<KeyTerm> &terms);

} // namespace palimpsest
