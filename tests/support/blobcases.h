// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compaction/stages/bloboffload.h"
#include "tests/support/stagecases.h"

namespace palimpsest::blobcases {

/// Runs a blob stage with a case's backend and cache: `stage(backend, cache)`. Gives messages (those of `given` as
/// references to it, or the error), cache, files and operations in the form of a case's output.
template <class Stage>
Value run(const goldens::Case &one, const std::string &version, const std::vector<MessagePtr> &given, Stage &&stage)
{
    ArtifactBackend backend = stagecases::backend(one.input["backend"], version);
    BlobCache cache;
    for (const auto &[digest, payload] : one.input["cache"].asMap())
        cache[digest.asText()] = payload.asText();
    const Attempt<BlobResult> made = stage(backend, cache);
    Value::Map known;
    for (const auto &[digest, payload] : cache)
        known.emplace_back(Value(digest), Value(payload));
    const Value messages = made ? stagecases::messages(made->messages, given) : stagecases::error(made.error());
    return Value::map({{"messages", messages}, {"cache", Value(std::move(known))},
        {"files", stagecases::files(backend)}, {"backend_ops", stagecases::operations(backend)}});
}

} // namespace palimpsest::blobcases
