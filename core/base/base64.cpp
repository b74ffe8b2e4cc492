// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/base64.h"

#include <array>
#include <cstdint>

namespace palimpsest::base64 {
namespace {

constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t noDigit = 64;

constexpr std::array<std::uint8_t, 256> digits = [] {
    std::array<std::uint8_t, 256> table{};
    table.fill(noDigit);
    for (std::size_t i = 0; i < alphabet.size(); ++i)
        table[static_cast<unsigned char>(alphabet[i])] = static_cast<std::uint8_t>(i);
    return table;
}();

tl::unexpected<Error> malformed(std::string what)
{
    return failure(Error::Code::Malformed, "base64", std::move(what));
}

/// Modules/binascii.c binascii_a2b_base64_impl, CPython 3.11.
Result<std::string> decodeAs(std::string_view text, bool strict)
{
    for (const char c : text)
        if (static_cast<unsigned char>(c) >= 0x80)
            return malformed("string argument should contain only ASCII characters");
    if (strict && !text.empty() && text.front() == '=')
        return malformed("Leading padding not allowed");
    std::string out;
    out.reserve(text.size() / 4 * 3 + 3);
    int place = 0;
    int pads = 0;
    unsigned left = 0;
    bool paddingStarted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '=') {
            paddingStarted = true;
            if (place >= 2 && place + ++pads >= 4) {
                if (strict && i + 1 < text.size())
                    return malformed("Excess data after padding");
                return out;
            }
            continue;
        }
        const unsigned digit = digits[static_cast<unsigned char>(text[i])];
        if (digit == noDigit) {
            if (strict)
                return malformed("Only base64 data is allowed");
            continue;
        }
        if (strict && paddingStarted)
            return malformed("Discontinuous padding not allowed");
        pads = 0;
        if (place == 1)
            out += static_cast<char>((left << 2) | (digit >> 4));
        else if (place == 2)
            out += static_cast<char>((left << 4) | (digit >> 2));
        else if (place == 3)
            out += static_cast<char>((left << 6) | digit);
        left = place == 1 ? digit & 0x0F : place == 2 ? digit & 0x03 : digit;
        place = (place + 1) % 4;
    }
    if (place == 1)
        return malformed("Invalid base64-encoded string: number of data characters ("
            + std::to_string(out.size() / 3 * 4 + 1) + ") cannot be 1 more than a multiple of 4");
    if (place != 0)
        return malformed("Incorrect padding");
    return out;
}

} // namespace

std::string encode(std::string_view bytes)
{
    std::string out;
    out.reserve((bytes.size() + 2) / 3 * 4);
    std::size_t i = 0;
    const auto at = [&](std::size_t k) { return static_cast<unsigned>(static_cast<unsigned char>(bytes[k])); };
    for (; i + 3 <= bytes.size(); i += 3) {
        const unsigned n = (at(i) << 16) | (at(i + 1) << 8) | at(i + 2);
        out += alphabet[n >> 18];
        out += alphabet[(n >> 12) & 63];
        out += alphabet[(n >> 6) & 63];
        out += alphabet[n & 63];
    }
    if (const std::size_t rest = bytes.size() - i; rest > 0) {
        const unsigned n = (at(i) << 16) | (rest == 2 ? at(i + 1) << 8 : 0);
        out += alphabet[n >> 18];
        out += alphabet[(n >> 12) & 63];
        out += rest == 2 ? alphabet[(n >> 6) & 63] : '=';
        out += '=';
    }
    return out;
}

Result<std::string> decode(std::string_view text)
{
    return decodeAs(text, false);
}

Result<std::string> decodeStrict(std::string_view text)
{
    return decodeAs(text, true);
}

} // namespace palimpsest::base64
