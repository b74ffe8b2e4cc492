// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/jobcontext.h"
#include "core/sources/checkpointsource.h"

#include <memory>
#include <string>

namespace palimpsest {

/// What a LangGraph server is asked with.
struct ServerAccess {
    std::string apiKey; ///< sent as `x-api-key` to the server that the address names, and nowhere else; may be empty
    int timeoutMs = 30'000; ///< without a byte coming in
    int page = 100; ///< states asked for at once

    /// The key in LANGGRAPH_API_KEY, LANGSMITH_API_KEY or LANGCHAIN_API_KEY, the first that is set, as LangGraph's own
    /// client takes it (langgraph_sdk/client.py, 0.4.14).
    static ServerAccess fromEnvironment();
};

/// True for `http(s)://host/…`.
bool isServerAddress(const std::string &location);

/// Reads a thread from a running server: `http(s)://host/…/threads/<id>`, its whole history, page by page. Only reads:
/// no run, no state is made. Blocks until it is there or the job is stopped; needs an application object, and no event
/// loop of the caller's. Errors: Invalid (no such address), NotFound, Unreadable (connection, status, time-out),
/// Malformed, Cancelled.
Result<std::unique_ptr<CheckpointSource>> openServerThread(
    const std::string &address, const ServerAccess &access, const JobContext &job);

} // namespace palimpsest
