// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/text.h"

#include <cstdint>
#include <cstdlib>

using namespace palimpsest;

/// Any bytes: the text helpers agree with each other on lengths, cuts and repair.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const std::string_view bytes(reinterpret_cast<const char *>(data), size);
    const std::size_t length = text::length(bytes);
    std::size_t counted = 0;
    for (std::size_t at = 0; at < bytes.size(); ++counted) {
        const std::size_t before = at;
        text::next(bytes, at);
        if (at <= before || at > bytes.size()) {
            std::abort();
        }
    }
    if (counted != length || text::offset(bytes, length) != size) {
        std::abort();
    }
    const std::size_t cut = size ? data[0] % (length + 1) : 0;
    const std::string_view head = text::head(bytes, cut);
    if (text::length(head) != cut || text::slice(bytes, 0, cut) != head) {
        std::abort();
    }
    if (cut && text::length(text::tail(bytes, cut)) != cut) {
        std::abort();
    }
    const std::string repaired = text::repaired(bytes);
    if (!text::isValid(repaired) || (text::isValid(bytes) && repaired != bytes)) {
        std::abort();
    }
    return 0;
}
