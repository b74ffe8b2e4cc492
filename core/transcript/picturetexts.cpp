// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/transcript/redaction.h"

#include <algorithm>
#include <array>

namespace palimpsest {
namespace {

std::size_t bigEndian(std::string_view bytes)
{
    std::size_t number = 0;
    for (const char c : bytes)
        number = number << 8 | static_cast<unsigned char>(c);
    return number;
}

/// Keeps the chunks that make the picture (PNG, third edition, 4.7 and 11.2–11.3); those of words, times and unknown
/// kinds go.
std::optional<std::string> cleanPng(std::string_view png)
{
    constexpr std::array<std::string_view, 12> kept{
        "IHDR", "PLTE", "IDAT", "IEND", "tRNS", "gAMA", "cHRM", "sRGB", "sBIT", "bKGD", "pHYs", "acTL"};
    constexpr std::size_t signature = 8;
    constexpr std::size_t around = 12; // length, type and checksum of a chunk
    std::string out(png.substr(0, signature));
    for (std::size_t at = signature; at + around <= png.size();) {
        const std::size_t size = bigEndian(png.substr(at, 4));
        if (size > png.size() - at - around)
            return std::nullopt;
        const std::string_view type = png.substr(at + 4, 4);
        if (std::ranges::find(kept, type) != kept.end())
            out.append(png.substr(at, size + around));
        at += size + around;
        if (type == "IEND")
            return out;
    }
    return std::nullopt;
}

/// Place of the marker that ends coded data (ITU-T T.81, B.1.1.5): stuffed zeros and restart markers are within it.
std::size_t scanEnd(std::string_view jpeg, std::size_t at)
{
    for (; at + 1 < jpeg.size(); ++at) {
        const auto next = static_cast<unsigned char>(jpeg[at + 1]);
        if (jpeg[at] == '\xFF' && next != 0x00 && next != 0xFF && (next < 0xD0 || next > 0xD7))
            return at;
    }
    return jpeg.size();
}

/// Keeps the segments that make the picture (ITU-T T.81, annex B); application segments but JFIF's and Adobe's colour
/// transform, and comments, go.
std::optional<std::string> cleanJpeg(std::string_view jpeg)
{
    std::string out(jpeg.substr(0, 2));
    for (std::size_t at = 2; at + 2 <= jpeg.size();) {
        if (jpeg[at] != '\xFF')
            return std::nullopt;
        const auto marker = static_cast<unsigned char>(jpeg[at + 1]);
        if (marker == 0xFF) { // a fill byte
            ++at;
            continue;
        }
        if (marker == 0xD9) // what follows is no part of this picture: others, with words of their own, or anything
            return out.append(jpeg.substr(at, 2));
        if (at + 4 > jpeg.size())
            return std::nullopt;
        const std::size_t size = bigEndian(jpeg.substr(at + 2, 2));
        if (size < 2 || size > jpeg.size() - at - 2)
            return std::nullopt;
        const bool words = (marker >= 0xE1 && marker <= 0xEF && marker != 0xEE) || marker == 0xFE;
        if (!words)
            out.append(jpeg.substr(at, size + 2));
        at += size + 2;
        if (marker == 0xDA) { // a scan's coded data; a progressive picture has segments between its scans
            const std::size_t end = scanEnd(jpeg, at);
            out.append(jpeg.substr(at, end - at));
            at = end;
        }
    }
    return std::nullopt;
}

} // namespace

std::optional<std::string> withoutPictureTexts(std::string_view picture)
{
    if (picture.starts_with("\x89PNG\r\n\x1A\n"))
        return cleanPng(picture);
    if (picture.starts_with("\xFF\xD8"))
        return cleanJpeg(picture);
    return std::nullopt;
}

} // namespace palimpsest
