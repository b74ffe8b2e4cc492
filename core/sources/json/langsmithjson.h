// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/sources/json/jsonrows.h"

#include <map>
#include <string>
#include <vector>

namespace palimpsest {

/// Rows of LangSmith runs (langsmith/schemas.py Run, 0.9): one run, the runs of a trace, runs nested in `child_runs`.
///
/// A node's run that was given messages becomes a checkpoint: its inputs are the state that the node's task started
/// from, its outputs that task's writes. The model's run inside it holds exactly what the model saw: the call's
/// recorded request. The root's outputs are the last state; like every run's output they lack the private channels. A
/// model's run without a node's becomes a thread of one call.
class LangSmithJson {
public:
    explicit LangSmithJson(JsonRows &rows)
        : m_rows(rows)
    {
    }

    static bool isRun(std::string_view object);
    /// Adds a run and those nested in it.
    void addRun(std::string_view object);
    /// Makes the rows. Call once, at the end.
    void finish();

private:
    struct Run {
        std::string id;
        std::string parentId;
        std::string name;
        std::string kind; ///< "llm", "chain", "tool", …
        std::string threadId;
        std::string ns; ///< of the graph that the node belongs to
        std::string taskId;
        std::string node;
        std::string path; ///< `langgraph_path` as savers store it
        bool summarizes = false; ///< a model's run that the summarization middleware began
        int step = 0;
        std::string start;
        std::string end;
        std::string_view inputs;
        std::string_view outputs;
        std::string_view metadata;
        std::string_view error;
    };
    struct Model {
        std::string_view request; ///< list of messages; empty when it cannot be told
        std::string_view answer; ///< message; empty when there is none
    };

    static Model modelOf(const Run &run);
    void addNode(const Run &run);
    void addLastState(const Run &root);
    void addLonely(const Run &run);
    [[nodiscard]] bool hasCalls(const Run &summarizer) const;

    JsonRows &m_rows;
    std::vector<Run> m_runs;
    std::map<std::string, std::string> m_newest; ///< thread and namespace → its last checkpoint's id
};

} // namespace palimpsest
