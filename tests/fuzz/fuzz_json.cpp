// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/serde/json.h"
#include "core/values/json.h"

#include <cstdint>
#include <cstdlib>

using namespace palimpsest;

/// Any bytes: a value or an error; what was read can be written, and reads again.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const Result<Value> value = parseJson(std::string_view(reinterpret_cast<const char *>(data), size));
    if (!value) {
        return 0;
    }
    if (!parseJson(toJson(*value), 4000)) {
        std::abort();
    }
    return 0;
}
