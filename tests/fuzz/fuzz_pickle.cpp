// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/serde/pickle.h"
#include "core/values/json.h"

#include <cstdint>
#include <cstdlib>

using namespace palimpsest;

/// Any bytes: the closed reader gives a value or says what it refuses.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const Result<Value> value =
        readClosedPickle(std::string_view(reinterpret_cast<const char *>(data), size), {200, 100000});
    if (value ? toJson(*value).empty() : value.error().what.empty()) {
        std::abort();
    }
    return 0;
}
