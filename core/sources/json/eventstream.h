// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/sources/json/jsonrows.h"
#include "core/values/value.h"

#include <string>
#include <string_view>
#include <vector>

namespace palimpsest {

/// One event of a stream as servers send it (WHATWG HTML, "Server-sent events").
struct ServerEvent {
    std::string_view name; ///< "values", "updates|tools:<id>"; empty: a message without a name
    std::string_view data;
};

/// True when the text begins as a stream of events does: with a field or a comment of one.
bool looksLikeEventStream(std::string_view text);

/// The events of a stream, in order; what the text ends in without a blank line is an event too, for a stream may be
/// cut. Views into `text`, or into `rows.texts` where an event's data takes several lines.
std::vector<ServerEvent> serverEvents(std::string_view text, JsonRows &rows);

/// Rows of what a run streamed (`POST /threads/{id}/runs/stream`, langgraph-api 0.16.7), in any of its modes: `values`
/// are states, `updates` what a node wrote after the last of them, `checkpoints` and `debug` whole checkpoints,
/// `messages` the last body of each message, or the pieces of it that a model streamed. Values of a stream lack private
/// channels, as every run's output does.
class EventStream {
public:
    EventStream(JsonRows &rows, std::string threadId)
        : m_rows(rows)
        , m_thread(std::move(threadId))
    {
    }

    /// False when no event holds anything of a thread.
    bool read(std::string_view text);

private:
    void add(const ServerEvent &event);
    void addValues(const std::string &ns, std::string_view values);
    void addUpdates(const std::string &ns, std::string_view updates);
    void addMessages(std::string_view list);
    void addPiece(std::string_view pair);
    struct Streamed {
        std::string id;
        std::string_view body; ///< newest whole one
        Value pieces; ///< else members of the newest piece …
        std::string text; ///< … and the text of all of them
    };
    Streamed &streamed(std::string id);
    void addError(std::string_view error);
    void finishMessages();
    HeldRow &lastRow(const std::string &ns);

    JsonRows &m_rows;
    std::string m_thread;
    std::size_t m_states = 0;
    bool m_anyCheckpoint = false;
    std::vector<Streamed> m_messages; ///< in order of appearance
};

} // namespace palimpsest
