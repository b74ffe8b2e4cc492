// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/transcript/transcript.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace palimpsest {

/// What is to be taken out of a text.
struct RedactionRule {
    std::string name; ///< of its replacements: "email" gives "[email-1]", "[email-2]"
    std::string pattern; ///< Perl-compatible regular expression

    bool operator==(const RedactionRule &) const = default;
};

/// What is to be taken out of a transcript.
struct RedactionRules {
    /// Secrets (core/base/secrets.h, with any care), e-mail and IP addresses, paths under a home folder, long base64.
    bool standard = true;
    std::vector<RedactionRule> own; ///< come first

    bool operator==(const RedactionRules &) const = default;
    [[nodiscard]] bool empty() const { return !standard && own.empty(); }
};

/// One text that was, or would be, replaced.
struct RedactionHit {
    std::string rule;
    std::string original;
    std::string replacement;
    std::int64_t count = 0; ///< how often it was replaced

    bool operator==(const RedactionHit &) const = default;
};

/// Replaces what its rules find: the same text by the same name, and wherever it stands, also where no rule would have
/// seen it (a password is a word like others away from its name). So that this holds for what comes first as well,
/// everything is looked at before anything is replaced. Keys of maps and ids are texts too. Pictures lose the chunks in
/// which programs keep words (PNG and JPEG); any other medium cannot be looked into and is left out.
class Redactor {
public:
    /// Error Invalid names the expression that is none.
    static Result<Redactor> make(const RedactionRules &rules);
    ~Redactor();
    Redactor(Redactor &&) noexcept;
    Redactor &operator=(Redactor &&) noexcept;

    /// First pass: finds what is to be replaced.
    void look(std::string_view wtf8);
    void look(const Value &value);
    void look(const MessagePtr &message);
    /// Everything that a writer could write of it.
    void look(const Transcript &transcript);

    /// Second pass; looks first at what was not looked at.
    [[nodiscard]] std::string text(std::string_view wtf8);
    /// Of a text that was cut out of another: also what the cut left of an original at both ends.
    [[nodiscard]] std::string excerpt(std::string_view wtf8);
    [[nodiscard]] Value value(const Value &value);
    /// The message itself when nothing in it is replaced.
    [[nodiscard]] MessagePtr message(const MessagePtr &message);
    /// What a transcript holds beside its messages, which are taken as replaced already: they were cut and their media
    /// moved afterwards.
    void finish(Transcript &transcript);

    /// In the order in which they were first met.
    [[nodiscard]] const std::vector<RedactionHit> &hits() const;

private:
    struct State;
    explicit Redactor(std::unique_ptr<State> state);
    [[nodiscard]] std::optional<Value> mediaBlock(const Value &block);

    std::unique_ptr<State> m_state;
};

/// The picture without comments, text chunks and embedded descriptions; nothing when it is neither PNG nor JPEG or is
/// damaged.
std::optional<std::string> withoutPictureTexts(std::string_view picture);

} // namespace palimpsest
