// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/text.h"
#include "core/serde/typed.h"
#include "core/thread/message.h"
#include "core/tokens/approximate.h"
#include "core/values/pyrepr.h"

#include <cstdint>
#include <cstdlib>

using namespace palimpsest;

/// Any bytes as a stored JSON row: its envelopes open, its messages are counted, and the length of its repr is true.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const Result<Value> value = decodeTyped("json", std::string_view(reinterpret_cast<const char *>(data), size));
    if (!value) {
        return 0;
    }
    if (pyreprLength(*value) != text::length(pyrepr(*value))) {
        std::abort();
    }
    for (const Value &item : value->asList()) {
        if (const MessagePtr message = messageFromValue(item);
            message && approximateMessageTokensOrBest(*message) < 3) {
            std::abort();
        }
    }
    return 0;
}
