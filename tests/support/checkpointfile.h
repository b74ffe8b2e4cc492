// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/values/value.h"

#include <string>
#include <vector>

struct sqlite3;

namespace palimpsest::test {

/// Makes a checkpoint database as LangGraph's Python saver does, row by row, or changes one. Journal mode DELETE.
class CheckpointFile {
public:
    explicit CheckpointFile(const std::string &path);
    ~CheckpointFile();
    CheckpointFile(const CheckpointFile &) = delete;
    CheckpointFile &operator=(const CheckpointFile &) = delete;

    /// Creates the two tables; without `task_path` as savers before it did.
    void createTables(bool taskPath = true);
    /// A row of `checkpoints`; `parent` empty for none. `values` and `versions` are maps by channel.
    void checkpoint(const std::string &thread, const std::string &ns, const std::string &id, const std::string &parent,
        const Value &values, const Value &versions, const Value &metadata);
    void checkpointRow(const std::string &thread, const std::string &ns, const std::string &id,
        const std::string &parent, const std::string &type, const std::string &blob, const std::string &metadata);
    /// A row of `writes`; no path where the table has none.
    void write(const std::string &thread, const std::string &ns, const std::string &checkpoint, const std::string &task,
        const std::string &path, int idx, const std::string &channel, const Value &value);
    /// Runs SQL; false when it fails.
    bool run(const std::string &sql);
    /// The first column of the first row, as bytes.
    std::string ask(const std::string &sql);

    /// A UUIDv6 of the `n`-th checkpoint with its step in the fourth group.
    static std::string id(int n, int step);
    /// A stored message: a LangChain class with these keyword arguments.
    static Value message(const std::string &kind, const std::string &id, const std::string &content);
    static Value snapshot(Value content);

private:
    void insert(const std::string &sql, const std::vector<std::string> &texts, const std::vector<std::string> &blobs,
        int idx, int idxPlace);
    sqlite3 *m_db = nullptr;
    bool m_taskPath = true;
};

/// A thread "made" of `steps` supersteps: a question, then AI messages with ids m0, m1, …; `messages` is a delta
/// channel with a snapshot at every `frequency`-th update. Texts get `characters` more.
void makeDeltaThread(const std::string &path, int steps, int frequency, int characters = 0);

} // namespace palimpsest::test
