// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace palimpsest {

/// One prepared statement. Columns are read as bytes, whatever their storage class.
class SqliteStatement {
public:
    SqliteStatement() = default;
    SqliteStatement(sqlite3 *db, std::string_view sql);
    ~SqliteStatement();
    SqliteStatement(SqliteStatement &&other) noexcept;
    SqliteStatement &operator=(SqliteStatement &&other) noexcept;

    SqliteStatement &bind(
        int place, std::string_view text); ///< places count from 1; the text must outlive the statement's run
    SqliteStatement &bind(int place, std::int64_t number);
    /// True: a row is there. False: the end, or an error (see `failed`).
    bool step();
    void reset();
    [[nodiscard]] bool failed() const;
    /// SQLite's primary result code of the last failure.
    [[nodiscard]] int code() const;
    [[nodiscard]] std::string error() const;

    // Columns count from 0. The views live until the next step or reset.
    [[nodiscard]] std::string_view text(int column) const;
    [[nodiscard]] std::string string(int column) const { return std::string(text(column)); }
    [[nodiscard]] std::int64_t number(int column) const;
    [[nodiscard]] bool isNull(int column) const;

private:
    sqlite3 *m_db = nullptr;
    sqlite3_stmt *m_statement = nullptr;
    int m_code = 0;
    std::string m_error;
};

/// An SQLite database opened so that neither it nor the files beside it change, and none appears:
/// - no `-wal`, or an empty one: `immutable=1`, and `torn` tells whether the file changed meanwhile;
/// - `-wal` and `-shm`: `mode=ro&readonly_shm=1`, which sees a consistent state while others write;
/// - `-wal` alone, or a rollback journal: a private temporary folder with a hard link (else a copy) of the database and
/// a
///   copy of the journal.
class SqliteFile {
public:
    /// `path` as given by the user. Errors: NotFound, Unreadable; Unsupported when the bytes are no SQLite database.
    static Result<std::unique_ptr<SqliteFile>> open(const std::string &path);
    ~SqliteFile();
    SqliteFile(const SqliteFile &) = delete;
    SqliteFile &operator=(const SqliteFile &) = delete;

    [[nodiscard]] sqlite3 *handle() const { return m_handle; }
    [[nodiscard]] const std::string &path() const { return m_path; }
    /// "immutable", "wal" or "copy".
    [[nodiscard]] const std::string &mode() const { return m_mode; }
    /// True when the bytes that this object reads from were changed since it was opened, so that what was read may be a
    /// mixture of two states. Never in mode "wal".
    [[nodiscard]] bool torn() const;
    /// True when another opening would see something newer (a `-wal` that appeared, grew or went away).
    [[nodiscard]] bool stale() const;
    /// Sizes and times of the file and of what lies beside it, as they are now.
    [[nodiscard]] std::string stampText() const;
    /// Begins or ends a read transaction, which keeps several statements on one state in mode "wal".
    void hold();
    void release();
    /// The file is shorter than its header says: rows may be missing.
    [[nodiscard]] bool damaged() const { return m_damaged; }

    [[nodiscard]] SqliteStatement prepare(std::string_view sql) const { return SqliteStatement(m_handle, sql); }

private:
    struct Stamp {
        std::int64_t size = -1; ///< -1: not there
        std::int64_t modified = 0; ///< nanoseconds since 1970
        std::int64_t changed = 0;
        std::uint64_t inode = 0;
        std::string head; ///< the first bytes, with SQLite's change counter
        bool operator==(const Stamp &) const = default;
    };
    SqliteFile() = default;
    static Stamp stampOf(const std::string &path);
    Result<void> connect(const std::string &path, const std::string &parameters);
    Result<void> openCopy(bool withJournal);
    Result<void> probe();
    void close();

    std::string m_path;
    std::string m_mode;
    std::string m_connection; ///< Qt's connection name
    std::string m_folder; ///< private temporary folder of mode "copy"
    sqlite3 *m_handle = nullptr;
    Stamp m_file;
    Stamp m_wal;
    Stamp m_journal;
    bool m_holding = false;
    bool m_damaged = false;
};

/// True when the file begins as an SQLite database does.
bool looksLikeSqlite(const std::string &path);

} // namespace palimpsest
