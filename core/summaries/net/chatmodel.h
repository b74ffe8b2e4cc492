// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compaction/summarizer.h"
#include "core/summaries/net/chatendpoint.h"

#include <functional>
#include <stop_token>
#include <string>
#include <string_view>

namespace palimpsest {

/// What accompanies the requests of a session.
struct ChatSession {
    std::string key; ///< typed for this session; empty: from the environment. Never stored, logged or shown
    std::stop_token stop; ///< cancels a request and the waiting before the next attempt
    std::function<void(std::string_view text)> onText; ///< the answer as it comes, on the calling thread; may be empty
};

/// A summarizer's model behind a URL. Sends the prompt when invoked and waits on the calling thread, which must not be
/// the window's; for one thread at a time. Requests go through the proxy that the environment names.
class ChatModel final : public SummaryModel {
public:
    explicit ChatModel(ChatEndpoint endpoint, ChatSession session = {});

    /// The exception's types: "ContextOverflowError" when the provider says that the prompt is too long,
    /// "AuthenticationError", "RateLimitError", "TimeoutError", "Cancelled", "APIStatusError", "APIConnectionError" and
    /// "MissingKey". No text holds the key.
    [[nodiscard]] Attempt<std::string> invoke(const std::string &prompt) override;

    /// Requests that were sent so far, repeated ones included.
    [[nodiscard]] int requests() const { return m_requests; }

private:
    /// One request's outcome.
    struct Reply {
        Attempt<std::string> answer;
        bool again = false; ///< may be tried again
        int delayMs = -1; ///< that the server asks for; -1: none
    };
    [[nodiscard]] Reply send(const std::string &prompt);
    [[nodiscard]] bool wait(int milliseconds) const;
    [[nodiscard]] std::string withoutKey(std::string text) const;

    ChatEndpoint m_endpoint;
    ChatSession m_session;
    std::string m_key;
    int m_requests = 0;
};

} // namespace palimpsest
