// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/jobcontext.h"
#include "core/base/result.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

struct pg_conn;
struct pg_result;

namespace palimpsest {

/// The rows of one answer. Views live as long as the object.
class PostgresRows {
public:
    explicit PostgresRows(pg_result *result);

    [[nodiscard]] int count() const;
    /// Bytes of all values.
    [[nodiscard]] std::int64_t size() const;
    [[nodiscard]] bool isNull(int row, int column) const;
    /// Text or bytea; empty for null.
    [[nodiscard]] std::string_view bytes(int row, int column) const;
    /// Text, with what is not UTF-8 in it replaced.
    [[nodiscard]] std::string text(int row, int column) const;
    /// A smallint, integer or bigint; 0 for null.
    [[nodiscard]] std::int64_t number(int row, int column) const;
    [[nodiscard]] bool isTrue(int row, int column) const;

private:
    std::shared_ptr<pg_result> m_result;
};

/// A read-only session with a PostgreSQL server, through libpq: binary answers, statements that can be stopped.
///
/// Every transaction of the session is read-only, statements end after `statementSeconds`, and outside of `begin` …
/// `end` no transaction is open, so that nothing is locked while idle. The password goes to libpq and nowhere else: no
/// error names it.
class PostgresConnection {
public:
    static constexpr int statementSeconds = 300;

    using Parameters = std::vector<std::optional<std::string>>;
    using VisitRow = std::function<bool(const PostgresRows &rows, int row)>;

    /// `target` is a URI or a libpq connection string; what it leaves open libpq takes from the environment, the
    /// service file and the password file. Errors: Invalid (the text is no such thing), Unreadable (with the server's
    /// words).
    static Result<std::unique_ptr<PostgresConnection>> open(const std::string &target);
    ~PostgresConnection();
    PostgresConnection(const PostgresConnection &) = delete;
    PostgresConnection &operator=(const PostgresConnection &) = delete;

    /// Where it leads, without the password.
    [[nodiscard]] const std::string &place() const { return m_place; }
    /// "15.18"
    [[nodiscard]] std::string serverVersion() const;

    /// Runs one statement with parameters $1, $2, …; all as text. Errors: Cancelled, Limit (the statement took longer
    /// than allowed), Unreadable.
    Result<PostgresRows> query(const std::string &sql, const Parameters &parameters, const JobContext &job);
    /// Runs one SELECT and gives its rows one by one without holding all of them: other statements may run meanwhile.
    /// The visitor returns false to stop.
    Result<void> stream(
        const std::string &sql, const Parameters &parameters, const VisitRow &visit, const JobContext &job);

    /// Holds one state of the database until `end`; may be nested. Connects again first when the connection was lost.
    Result<void> begin();
    void end();

private:
    PostgresConnection() = default;
    Result<void> greet();
    Result<void> command(const char *sql);
    [[nodiscard]] Error errorOf(const pg_result *result, const JobContext &job) const;
    [[nodiscard]] std::string discreet(std::string words) const;

    pg_conn *m_connection = nullptr;
    std::string m_place;
    std::vector<std::string> m_secrets;
    int m_depth = 0;
    int m_cursors = 0;
};

/// {"a","b"} as the text of a parameter of type text[].
std::string postgresArray(const std::vector<std::string> &items);

} // namespace palimpsest
