// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// Text in core is WTF-8: UTF-8 that may also hold lone surrogates as three bytes each. Lengths and cuts count code points, as
/// Python's len() and slices do.
namespace palimpsest::text {

/// Number of code points. A byte that starts no valid sequence counts as one.
std::size_t length(std::string_view wtf8);
/// Byte offset at which code point `n` starts; the size of the text when it has no more than `n`.
std::size_t offset(std::string_view wtf8, std::size_t n);
/// The first `n` code points: Python's s[:n] for n >= 0.
std::string_view head(std::string_view wtf8, std::size_t n);
/// The last `n` code points: Python's s[-n:] for n > 0.
std::string_view tail(std::string_view wtf8, std::size_t n);
/// Python's s[begin:end] for 0 <= begin, end.
std::string_view slice(std::string_view wtf8, std::size_t begin, std::size_t end);
/// Decodes the code point at byte `at` and moves `at` behind it. Lone surrogates come back as they are, a stray byte as U+DC80 + (byte - 0x80)
/// (Python's surrogateescape).
char32_t next(std::string_view wtf8, std::size_t &at);
/// Python's str.splitlines(): breaks at LF, CR, CRLF, VT, FF, FS, GS, RS, NEL, LS and PS; no empty line at the end.
std::vector<std::string_view> splitLines(std::string_view wtf8);
/// Appends one code point; surrogates are written as three bytes.
void append(std::string &out, char32_t codePoint);
/// True when the bytes are WTF-8 throughout (surrogates allowed, overlong forms not).
bool isValid(std::string_view bytes);
/// The bytes as WTF-8: each stray byte becomes U+FFFD.
std::string repaired(std::string_view bytes);

} // namespace palimpsest::text
