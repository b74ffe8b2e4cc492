// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/values/value.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace palimpsest {

/// A chat model behind a URL: the settings file's `summarizer`. A key is never part of it: it comes from the
/// environment, or lives in memory for a session.
struct ChatEndpoint {
    enum class Api {
        OpenAi, ///< POST /v1/chat/completions, and everything compatible with it
        Anthropic, ///< POST /v1/messages
        Ollama, ///< POST /api/chat
    };
    Api api = Api::OpenAi;
    std::string url; ///< of the server, or of the very endpoint; empty: the provider's own
    std::string model;
    std::int64_t maxTokens = 4096; ///< of the answer
    int timeoutSeconds = 120; ///< without a byte
    int attempts = 4; ///< on 429 and 5xx
    int firstDelayMs = 500; ///< before the second attempt, doubled each time; the server's Retry-After wins
    std::string keyVariable; ///< environment variable; empty: the provider's usual one

    bool operator==(const ChatEndpoint &) const = default;
};

/// {"api", "url", "model", "max_tokens", "timeout_seconds", "attempts", "key_variable"}. Error Invalid names what makes
/// no sense, and a key that someone wrote into the file.
Result<ChatEndpoint> chatEndpointFromValue(const Value &summarizer);
Value chatEndpointToValue(const ChatEndpoint &endpoint);

/// Where requests go, in full.
std::string endpointUrl(const ChatEndpoint &endpoint);
/// The host that a prompt is sent to, to be shown before.
std::string endpointHost(const ChatEndpoint &endpoint);
/// The environment variable that holds the key; empty where none is needed.
std::string keyVariable(const ChatEndpoint &endpoint);

/// The body of a streaming request with one human message.
std::string chatRequestBody(const ChatEndpoint &endpoint, std::string_view prompt);

/// Takes a streamed answer apart: server-sent events, or a JSON document a line.
class ChatStream {
public:
    explicit ChatStream(ChatEndpoint::Api api)
        : m_api(api)
    {
    }
    /// Takes the next bytes; gives the text that they complete.
    std::string feed(std::string_view bytes);
    /// The server said that the answer is complete.
    [[nodiscard]] bool finished() const { return m_finished; }
    /// An error that the stream itself reported.
    [[nodiscard]] const std::optional<std::string> &error() const { return m_error; }

private:
    void line(std::string_view text, std::string &out);

    ChatEndpoint::Api m_api;
    std::string m_rest; ///< of a line that is not complete
    bool m_finished = false;
    std::optional<std::string> m_error;
};

/// What an error body says, in the words of the provider; the body's beginning when it has no known form.
std::string providerMessage(std::string_view body);

} // namespace palimpsest
