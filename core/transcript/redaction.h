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

/// Keys and tokens of well-known services, passwords in assignments and addresses of hosts with credentials, e-mail and
/// IP addresses, paths under a home folder.
std::vector<RedactionRule> standardRedactions();

/// One text that was, or would be, replaced.
struct RedactionHit {
    std::string rule;
    std::string original;
    std::string replacement;
    std::int64_t count = 0; ///< how often it was met

    bool operator==(const RedactionHit &) const = default;
};

/// Replaces what its rules find: the same text by the same name everywhere. Keys of maps and ids are texts too.
/// Pictures lose the chunks in which programs keep words (PNG and JPEG); any other medium cannot be looked into and is
/// left out.
class Redactor {
public:
    /// Error Invalid names the expression that is none.
    static Result<Redactor> make(const std::vector<RedactionRule> &rules);
    ~Redactor();
    Redactor(Redactor &&) noexcept;
    Redactor &operator=(Redactor &&) noexcept;

    [[nodiscard]] std::string text(std::string_view wtf8);
    [[nodiscard]] Value value(const Value &value);
    /// The message itself when nothing in it is replaced.
    [[nodiscard]] MessagePtr message(const MessagePtr &message);
    /// Everything that a writer could write of it.
    void apply(Transcript &transcript);

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
