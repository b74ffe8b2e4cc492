// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sources/jsonsource.h"
#include "core/thread/threadlist.h"
#include "core/thread/threadreader.h"

#include <cstdint>
#include <cstdlib>

using namespace palimpsest;

/// Any text: a source whose threads can be listed and loaded, or an error that says what is wrong.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const Result<std::unique_ptr<JsonSource>> source =
        JsonSource::fromText(std::string(reinterpret_cast<const char *>(data), size), "fuzz.json");
    if (!source) {
        if (source.error().what.empty())
            std::abort();
        return 0;
    }
    const Result<std::vector<ThreadRow>> rows = listThreads(**source, true, {});
    if (!rows || rows->empty())
        std::abort();
    for (const ThreadRow &row : *rows)
        if (!loadThread(**source, row.id, {}, {}))
            std::abort();
    return 0;
}
