// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What providers' error texts say, told by their wording.
namespace palimpsest {

/// The kind of complaint, and what the text names.
struct ErrorReading {
    std::string rule; ///< id of the lint rule that is broken, or "context-overflow"; empty: not recognised
    std::string
        provider; ///< whose wording it is: "anthropic", "openai", "openai-responses", "gemini"; empty when several's
    std::string cause; ///< one sentence
    std::vector<std::string> ids; ///< tool call or item ids that the text names
    std::optional<std::int64_t>
        index; ///< the provider's own index of a message ("messages.12", "messages[3]", "input[4]")
};

/// Reads an error text: plain, as a Python or JavaScript exception prints it, or as the JSON of a response.
ErrorReading readErrorText(std::string_view text);

} // namespace palimpsest
