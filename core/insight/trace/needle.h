// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace palimpsest {

/// A range of bytes in a text.
struct TextSpan {
    std::size_t begin = 0;
    std::size_t end = 0;

    bool operator==(const TextSpan &) const = default;
};

/// How a text is looked for.
enum class NeedleKind {
    Plain, ///< byte for byte
    Folded, ///< without regard to case, width (full-width letters) and canonical form, as NFKC case folding does
    Regex, ///< a Perl-compatible regular expression
    FoldedRegex, ///< … without regard to case
};

/// A text that is looked for in many others. Cheap to copy; may be used from several threads.
class Needle {
public:
    /// Error Invalid for an empty text and for an expression that is none.
    static Result<Needle> make(std::string text, NeedleKind kind = NeedleKind::Plain);

    /// The first place at which it stands; nothing when it does not. An expression that matches the empty text
    /// matches nowhere by that.
    [[nodiscard]] std::optional<TextSpan> find(std::string_view wtf8) const;
    [[nodiscard]] bool isIn(std::string_view wtf8) const { return find(wtf8).has_value(); }

    [[nodiscard]] const std::string &text() const { return m_text; }
    [[nodiscard]] NeedleKind kind() const { return m_kind; }

private:
    struct Expression;
    [[nodiscard]] std::optional<TextSpan> findFolded(std::string_view wtf8) const;
    [[nodiscard]] std::optional<TextSpan> findExpression(std::string_view wtf8) const;

    std::string m_text;
    std::string m_folded; ///< of kind Folded
    NeedleKind m_kind = NeedleKind::Plain;
    std::shared_ptr<const Expression> m_expression;
};

/// The text as kind Folded compares it: compatibility decomposition and full case folding of each code point.
std::string foldedText(std::string_view wtf8);

/// The line of a text on which the byte `at` stands, counted from 1; only LF ends a line.
std::int64_t lineOf(std::string_view text, std::size_t at);
/// The sentence around a range, without the blanks around it: up to a full stop, a question or exclamation mark
/// before a blank, or a line's end; at most `limit` code points.
std::string_view sentenceAround(std::string_view text, TextSpan range, std::size_t limit = 400);

} // namespace palimpsest
