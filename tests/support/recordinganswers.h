// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/values/value.h"

#include <map>
#include <set>
#include <string>

/// Answers of the command line against the truth of a recording, wherever the thread is kept.
namespace palimpsest::recordings {

/// The namespaces of a truth and their checkpoints.
Value::Map spacesOf(const Value &truth);

/// Where `dump`'s answer for one namespace differs from the rows of the truth; empty when it does not.
std::string dumpDifference(const Value &rows, const Value &pool, const Value &dump);

/// The task of a recorded call, and the checkpoint namespace that it ran in.
std::string taskOf(const Value &call);
std::string namespaceOf(const Value &call);

/// Task ids as the source has them: exit durability puts the step into their first groups.
class StoredTasks {
public:
    /// Of no source: every id is as the truth has it.
    StoredTasks() = default;
    StoredTasks(const std::string &location, const std::string &threadId);
    /// Empty when the task left nothing in the source.
    [[nodiscard]] std::string id(const std::string &task) const;

private:
    std::set<std::string> m_ids;
    std::map<std::string, std::string> m_byTail;
};

/// The settings file that the recording was made with.
Value settingsOf(const Value &truth, const StoredTasks &tasks);

/// Where `requests`' answer for one namespace differs from what the model received; counts the calls that were
/// compared.
std::string requestsDifference(
    const Value &truth, const std::string &ns, const Value &answer, const StoredTasks &tasks, std::size_t &compared);

} // namespace palimpsest::recordings
