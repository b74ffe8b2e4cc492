// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/serde/msgpack.h"
#include "core/serde/msgpackscan.h"
#include "core/values/json.h"
#include "core/values/pyrepr.h"

#include <cstdint>
#include <cstdlib>

using namespace palimpsest;

/// Any bytes: the decoder gives a value or an error, the scanner agrees on where a value ends, and the value can be
/// shown.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const std::string_view bytes(reinterpret_cast<const char *>(data), size);
    const Result<Value> value = decodeMsgpack(bytes);
    const Result<std::size_t> end = msgpackSkip(bytes, 0);
    if (value && (!end || *end != size)) {
        std::abort();
    }
    if (end && *end > size) {
        std::abort();
    }
    const auto messages = msgpackFind(bytes, {"channel_values", "messages"});
    if (messages && *messages && ((*messages)->begin > (*messages)->end || (*messages)->end > size)) {
        std::abort();
    }
    if (const auto elements = msgpackElements(bytes, 0);
        elements && !elements->empty() && elements->back().end > size) {
        std::abort();
    }
    if (value && size < 4096) {
        if (toJson(*value).empty() || pyrepr(*value).empty()) {
            std::abort();
        }
    }
    return 0;
}
