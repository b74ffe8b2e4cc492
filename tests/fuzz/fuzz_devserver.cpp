// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sources/devserversource.h"
#include "core/thread/threadlist.h"
#include "core/thread/threadreader.h"

#include <QTemporaryDir>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>

using namespace palimpsest;

/// Any bytes as a file of a development server: of langgraphjs where they begin as JSON does, with its store the same,
/// else the first of langgraph's pickles. Threads that can be listed and loaded, or an error that says what is wrong.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    static const QTemporaryDir folder;
    const std::filesystem::path root(folder.path().toStdString());
    const bool json = size > 0 && data[0] == '{';
    for (const char *name : {".langgraphjs_api.checkpointer.json", ".langgraphjs_api.store.json",
             ".langgraph_checkpoint.1.pckl", "store.pckl"}) {
        std::filesystem::remove(root / name);
        if (json == std::string_view(name).ends_with(".json"))
            std::ofstream(root / name, std::ios::binary)
                .write(reinterpret_cast<const char *>(data), static_cast<std::streamsize>(size));
    }
    const auto source = DevServerSource::open(root.string());
    if (!source) {
        if (source.error().what.empty())
            std::abort();
        return 0;
    }
    const Result<std::vector<ThreadRow>> rows = listThreads(**source, true, {});
    if (!rows)
        std::abort();
    for (const ThreadRow &row : *rows)
        if (!loadThread(**source, row.id, {}, {}))
            std::abort();
    return 0;
}
