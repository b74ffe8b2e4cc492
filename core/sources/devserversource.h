// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/sources/rowsource.h"

#include <deque>
#include <memory>
#include <string>

namespace palimpsest {

/// Threads in the files that LangGraph's development servers leave in `.langgraph_api`: the pickles of
/// `langgraph dev` (langgraph-runtime-inmem 0.36.7), read by the closed reader (core/serde/pickle.h), and the JSON of
/// `langgraphjs dev` (langgraph-api 1.5.1). They are written when a server ends, so a running one has more.
class DevServerSource : public RowSource {
public:
    /// The folder that a path means: `.langgraph_api` under any name, the folder that holds it, or a file of it; empty
    /// when there is none.
    static std::string folderOf(const std::string &path);
    /// Errors: Unreadable, Malformed and Limit as the readers say, Unsupported with the name of what a pickle must not
    /// hold.
    static Result<std::unique_ptr<DevServerSource>> open(const std::string &folder);

private:
    DevServerSource() = default;
    Result<void> readPickles(const std::string &folder);
    Result<void> readJson(const std::string &file);
    void readStore(const std::string &folder);

    std::deque<std::string> m_texts; ///< what the rows' views point into
};

} // namespace palimpsest
