// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace palimpsest {

/// A key or token in a text: what kind and where, never its value.
struct SecretPlace {
    std::string_view kind; ///< "AWS access key"
    std::string_view name; ///< in a word, for what stands in its place: "key", "token", "private-key", "secret"
    std::size_t offset = 0; ///< bytes
    std::size_t length = 0;

    bool operator==(const SecretPlace &) const = default;
};

/// How much has to speak for a secret.
enum class SecretCare {
    Sure, ///< to report it: a known shape that looks random
    Any, ///< to take it out: also short ones, and whatever is assigned to a password
};

/// Keys of known shape: cloud and model providers, code hosts, chat services, private keys, JSON web tokens, tokens of
/// an Authorization header, passwords in URLs; with `Any` also what a text assigns to a name such as `api_key`. Each
/// place once, in order.
std::vector<SecretPlace> findSecrets(std::string_view text, SecretCare care = SecretCare::Sure);

} // namespace palimpsest
