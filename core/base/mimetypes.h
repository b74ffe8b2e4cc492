// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <string>
#include <string_view>

/// Python's built-in mimetypes tables (CPython 3.11), as they are on a machine without /etc/mime.types.
namespace palimpsest::mime {

struct Mapping {
    std::string_view extension; ///< with its dot
    std::string_view type;
};

/// `mimetypes._types_map_default`, in its order.
std::span<const Mapping> standardTypes();
/// `mimetypes._common_types_default`: what guess_extension does not look at.
std::span<const Mapping> commonTypes();

/// `mimetypes.guess_extension(type)`: the first extension of the lower-cased type, with its dot; empty when there is
/// none.
std::string_view guessExtension(std::string_view type);

/// `mimetypes.guess_type(path)` without encodings and the case of the extension: empty when its table does not know it.
std::string_view typeOf(std::string_view path);

} // namespace palimpsest::mime
