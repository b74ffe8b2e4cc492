// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace palimpsest {

/// The rules of one version of the middleware, as data: a stage asks what a rule says and never which version it is.
/// Sources: deepagents/middleware/{summarization,_overflow_clip,_message_eviction,filesystem,patch_tool_calls}.py and
/// deepagents/backends/utils.py of 0.7.7 and 0.7.32; langchain/agents/middleware/summarization.py 1.5.2.
struct Dialect {
    /// What an unanswered tool call is told (deepagents/middleware/patch_tool_calls.py).
    enum class PatchWording { Cancelled, DidNotComplete };

    std::string name; ///< "deepagents-0.7.7"
    std::string package; ///< "deepagents" or "langchain"

    // Summarization (deepagents/middleware/summarization.py)
    bool rewritesState =
        false; ///< LangChain's own middleware: messages are removed from the state, nothing is archived
    bool eventHasCreatedAtIndex = false; ///< the event tells the length of the log when it was made
    bool dropsBoundReasoning = false; ///< messages kept from before a summary lose the reasoning blocks bound to it
    bool checksInputBudget = false; ///< the whole request is held against 95 % of the window less the output tokens
    bool recognisesOverflowByText = false; ///< status 400, 413 or 422 with a known wording counts as overflow too
    bool retriesSmaller = false; ///< one strictly smaller retry with a clipped tail; else the tail is clipped once,
                                 ///< before the archive is written
    double inputBudgetShare = 1.0; ///< of max_input_tokens, before the output tokens are taken off

    // Offloading (deepagents/middleware/_message_eviction.py, filesystem.py, deepagents/backends/utils.py)
    bool previewNotesLosses =
        false; ///< the stub's sentence tells what this preview left out, else it always promises head and tail
    std::size_t visibleToolCallIdLimit = 0; ///< code points of an id that a stub shows; 0: all of it
    std::size_t toolCallPathLimit = 0; ///< bytes of a path component before a hashed name is used; 0: never hashed
    bool randomNameWithoutId = false; ///< `unknown-` and eight digits for a result without an id, else `unknown`
    bool stubNamesBackendPath = false; ///< the path that the backend reports back, else the one asked for
    bool scrubsUnsupportedMedia = false; ///< blocks that the model's profile excludes become text before the call
    bool offloadsBlobs = false; ///< `offload_binary_content` exists (deepagents/middleware/_blob_offload.py)

    // Dangling tool calls (deepagents/middleware/patch_tool_calls.py)
    PatchWording patchWording = PatchWording::Cancelled;
    bool patchedCallsAreErrors = false; ///< the patched result has status "error"

    bool operator==(const Dialect &) const = default;

    [[nodiscard]] bool hasArchive() const { return !rewritesState; }
    [[nodiscard]] bool truncatesArguments() const { return !rewritesState; }
    [[nodiscard]] bool evictsMessages() const { return !rewritesState; }
    /// An attempt that is refused falls back to summarization.
    [[nodiscard]] bool recoversFromOverflow() const { return !rewritesState; }
    /// The count that decides covers the tool schemas and the system message.
    [[nodiscard]] bool countsToolsAndSystem() const { return !rewritesState; }
};

/// Every dialect whose rules are known, oldest first within a package.
const std::vector<Dialect> &knownDialects();

struct DialectChoice {
    Dialect dialect;
    std::string notice; ///< empty when the name is known; else which rules were taken instead, one sentence
};

/// The rules for `name` ("deepagents-0.7.20", "langchain-1.5"): the newest known ones not above it, with a notice when
/// they are not its own. Error Invalid when the name is of no known package or holds no version.
Result<DialectChoice> dialectFor(std::string_view name);

} // namespace palimpsest
