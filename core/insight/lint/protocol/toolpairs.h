// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/insight/lint/requestwalk.h"

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace palimpsest {

/// A tool call that a message makes, in `tool_calls`, `invalid_tool_calls` or only in a content block.
struct CallRef {
    std::string id;
    std::string name;
    std::optional<std::int64_t> block; ///< set when only a `tool_use` or `function_call` block holds it
    bool invalid = false; ///< from `invalid_tool_calls`
};

/// A result that a message brings: a tool message, or a `tool_result` / `function_call_output` block.
struct ResultRef {
    std::string id;
    std::optional<std::int64_t> block;
};

/// Server tools (`server_tool_use` and their results) pair inside one message and are no business of the client.
std::vector<CallRef> callsOf(const Message &message);
std::vector<ResultRef> resultsOf(const Message &message);

/// Calls and results of one effective list, kept up to date along a walk.
class ToolPairs {
public:
    /// Takes in what is new in the view; starts anew when it is fresh.
    void update(const EffectiveView &view);

    struct Made {
        std::size_t at; ///< place in the effective list
        CallRef call;
    };
    /// The latest call with this id before effective place `at`, or null.
    [[nodiscard]] const Made *callBefore(const std::string &id, std::size_t at) const;
    /// Every call with this id, oldest first.
    [[nodiscard]] const std::vector<Made> &callsWith(const std::string &id) const;
    /// Place of the first result with this id after `at`, if any.
    [[nodiscard]] std::optional<std::size_t> resultAfter(const std::string &id, std::size_t at) const;

private:
    std::unordered_map<std::string, std::vector<Made>> m_calls;
    std::unordered_map<std::string, std::vector<std::size_t>> m_results;
};

/// What the provider answers to a broken pair, in its own words.
std::string orphanWording(std::string_view provider, const std::string &id);
std::string unansweredWording(std::string_view provider, const std::string &id);

} // namespace palimpsest
