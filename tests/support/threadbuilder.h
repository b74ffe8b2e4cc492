// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/thread/thread.h"

#include <string>
#include <utility>
#include <vector>

namespace palimpsest {

/// Builds small threads by hand, without a database: add messages, then save a checkpoint, and so on. Each checkpoint
/// is the child of the one before.
class ThreadBuilder {
public:
    explicit ThreadBuilder(std::string threadId = "thread");

    /// Another namespace from here on; the root is there from the start.
    ThreadBuilder &space(const std::string &ns);
    ThreadBuilder &human(const std::string &id, const std::string &text);
    ThreadBuilder &ai(const std::string &id, const std::string &text);
    /// An AI message that calls tools: (tool call id, name) pairs, each with the argument topic="…".
    ThreadBuilder &calls(const std::string &id, const std::vector<std::pair<std::string, std::string>> &calls);
    ThreadBuilder &tool(
        const std::string &id, const std::string &callId, const std::string &name, const std::string &text);
    ThreadBuilder &message(Message message);
    /// Takes a message out of the log; the next checkpoint has a tombstone of it.
    ThreadBuilder &remove(const std::string &id);
    /// Gives a message another body.
    ThreadBuilder &rewrite(const std::string &id, const std::string &text);
    ThreadBuilder &file(const std::string &path, const std::string &content);
    /// An event that keeps the log from `cutoff` on. With a path, a section with the messages up to there is added to
    /// that archive.
    ThreadBuilder &event(std::int64_t cutoff, const std::string &summary, const std::string &path = {});
    /// Saves the state so far.
    ThreadBuilder &checkpoint();
    /// A model call that starts from the last checkpoint; its answer reports so many input tokens (0: none).
    ThreadBuilder &call(std::int64_t inputTokens = 0);
    ThreadBuilder &subagent(SubagentLink link);

    /// The thread, with a last checkpoint when something was added since.
    ThreadPtr build();

private:
    ThreadNamespace &here() { return m_thread.namespaces[m_space]; }
    void add(Message message);

    Thread m_thread;
    std::size_t m_space = 0;
    Checkpoint m_next;
    std::vector<std::pair<std::string, MessagePtr>> m_rewritten; ///< since the last checkpoint; null: removed
    bool m_dirty = false;
    int m_number = 0;
};

} // namespace palimpsest
