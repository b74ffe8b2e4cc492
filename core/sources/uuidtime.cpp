// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sources/uuidtime.h"

#include <chrono>
#include <cstdio>

namespace palimpsest {

std::optional<IdParts> partsOfId(std::string_view id)
{
    if (id.size() != 36 || id[8] != '-' || id[13] != '-' || id[18] != '-' || id[23] != '-' || id[14] != '6')
        return std::nullopt;
    std::uint64_t high = 0;
    std::uint64_t low = 0;
    int digits = 0;
    for (const char c : id) {
        if (c == '-')
            continue;
        int digit = 0;
        if (c >= '0' && c <= '9')
            digit = c - '0';
        else if (c >= 'a' && c <= 'f')
            digit = c - 'a' + 10;
        else if (c >= 'A' && c <= 'F')
            digit = c - 'A' + 10;
        else
            return std::nullopt;
        (digits < 16 ? high : low) = ((digits < 16 ? high : low) << 4) | static_cast<unsigned>(digit);
        ++digits;
    }
    if (digits != 32)
        return std::nullopt;
    IdParts parts;
    parts.ticks = static_cast<std::int64_t>(((high >> 16) << 12) | (high & 0xfff));
    const int raw = static_cast<int>((low >> 48) & 0x3fff);
    parts.step = raw >= 0x3ff0 ? raw - 0x4000 : raw;
    return parts;
}

std::string isoTimeOfId(std::string_view id)
{
    const std::optional<IdParts> parts = partsOfId(id);
    constexpr std::int64_t epoch = 0x01B21DD213814000; // 1970-01-01 in 100 ns since 1582-10-15
    if (!parts || parts->ticks < epoch)
        return {};
    const std::int64_t micros = (parts->ticks - epoch) / 10;
    using namespace std::chrono;
    const sys_time<microseconds> at{microseconds(micros)};
    const auto day = floor<days>(at);
    const year_month_day date(day);
    const hh_mm_ss time(at - day);
    if (!date.ok() || static_cast<int>(date.year()) > 9999)
        return {};
    char text[48];
    std::snprintf(text, sizeof text, "%04d-%02u-%02uT%02d:%02d:%02d.%06d+00:00", static_cast<int>(date.year()),
        static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), static_cast<int>(time.hours().count()),
        static_cast<int>(time.minutes().count()), static_cast<int>(time.seconds().count()),
        static_cast<int>(time.subseconds().count()));
    return text;
}

} // namespace palimpsest
