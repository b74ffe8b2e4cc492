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
    std::size_t offset = 0; ///< bytes
    std::size_t length = 0;

    bool operator==(const SecretPlace &) const = default;
};

/// Keys of known shape: cloud and model providers, code hosts, chat services, private keys, JSON web tokens, passwords
/// in URLs. Each place once, in order.
std::vector<SecretPlace> findSecrets(std::string_view text);

} // namespace palimpsest
