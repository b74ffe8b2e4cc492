// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace palimpsest {

/// The messages of what OpenAI's clients send and receive, in the form of its chat messages, as JSON text of a list:
/// requests to `/v1/responses` (`instructions` and `input`) and their input items, its answers (`output`), answers of
/// `/v1/chat/completions` (`choices`), and lines of its batch files (`body`). A turn's answer, reasoning and function
/// calls, items of their own there, become one message. Nothing for any other object.
std::optional<std::string> openAiMessages(std::string_view object);

} // namespace palimpsest
