// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sources/splitcheckpoint.h"

#include <cstdint>
#include <cstdlib>
#include <string_view>

using namespace palimpsest;

/// Any bytes: a checkpoint with its channels apart that packs into the same bytes again, or an error.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const std::string_view bytes(reinterpret_cast<const char *>(data), size);
    const Result<SplitCheckpoint> checkpoint = unpackSplit(bytes);
    if (checkpoint ? packSplit(*checkpoint) != bytes : checkpoint.error().what.empty())
        std::abort();
    return 0;
}
