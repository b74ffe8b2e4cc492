// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace palimpsest {

/// What went wrong, where, and (in `what`) what the user can do about it.
struct Error {
    enum class Code {
        Cancelled, ///< the job was asked to stop
        NotFound, ///< the named thing is not in the source
        Unreadable, ///< the file or connection cannot be read at all
        Malformed, ///< bytes that are not what they claim to be
        Limit, ///< a depth or size limit of a parser was reached
        Unsupported, ///< understood, but of a kind this program does not take
        Invalid, ///< an argument or a setting that makes no sense
        Io, ///< writing failed
    };
    Code code = Code::Malformed;
    std::string where; ///< file, table and row, byte offset: as exact as known
    std::string what; ///< one sentence

    bool operator==(const Error &) const = default;
};

template <class T>
using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> failure(Error::Code code, std::string where, std::string what)
{
    return tl::unexpected<Error>(Error{code, std::move(where), std::move(what)});
}

} // namespace palimpsest
