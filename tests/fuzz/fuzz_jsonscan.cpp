// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/serde/json.h"
#include "core/serde/jsonscan.h"

#include <cstdint>
#include <cstdlib>

using namespace palimpsest;

/// What is JSON is cut into the very parts that decoding gives; what is not ends in an error or parts within the text.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const std::string_view text(reinterpret_cast<const char *>(data), size);
    const Result<std::vector<ByteRange>> elements = jsonElements(text);
    const Result<std::vector<JsonEntry>> entries = jsonEntries(text);
    const auto inside = [&](const ByteRange &range) { return range.begin <= range.end && range.end <= size; };
    if (elements)
        for (const ByteRange &range : *elements)
            if (!inside(range))
                std::abort();
    if (entries)
        for (const JsonEntry &entry : *entries)
            if (!inside(entry.key) || !inside(entry.value))
                std::abort();
    const Result<Value> value = parseJson(text, jsonDepth - 1);
    if (!value || text.starts_with("\xEF\xBB\xBF"))
        return 0;
    if (value->isList() && (!elements || elements->size() != value->asList().size()))
        std::abort();
    if (!value->isMap())
        return 0;
    if (!entries || entries->size() != value->asMap().size())
        std::abort();
    for (std::size_t i = 0; i < entries->size(); ++i) {
        const Result<Value> part = parseJson((*entries)[i].value.of(text));
        if (!part || !(*part == value->asMap()[i].second))
            std::abort();
    }
    return 0;
}
