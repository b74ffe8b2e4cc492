// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/sources/json/jsonrows.h"

namespace palimpsest {

/// Rows of what a LangGraph server answers (langgraph-api 0.16.7, langgraphjs 1.5.1): `GET /threads/{id}` and thread
/// searches, `/threads/{id}/state`, `/threads/{id}/history`; and of LangGraph's StateSnapshot written by
/// `langchain_core.load.dumps` as the list of its eight members. Tasks bring what they wrote, so calls can be told.
class StateJson {
public:
    explicit StateJson(JsonRows &rows)
        : m_rows(rows)
    {
    }

    /// True for one state of a thread, as /state and each element of /history give it.
    static bool isState(std::string_view object);
    /// True for a thread with its newest values.
    static bool isThread(std::string_view object);
    /// True for a StateSnapshot as a list.
    static bool isSnapshot(std::string_view array);

    void addState(std::string_view object);
    void addThread(std::string_view object);
    void addSnapshot(std::string_view array);
    /// Says what a history lacks: parents that are not in it, or all but one state. Call once, at the end.
    void finish();

private:
    void addTask(HeldSpace &space, const std::string &checkpointId, std::string_view task, std::string_view type);
    void addTaskTuple(HeldSpace &space, const std::string &checkpointId, std::string_view task, std::string_view type);

    std::string_view look(std::string_view values);

    JsonRows &m_rows;
    std::string_view m_type; ///< of values; empty until messages were seen
};

} // namespace palimpsest
