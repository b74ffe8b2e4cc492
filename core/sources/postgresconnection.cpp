// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sources/postgresconnection.h"

#include "core/base/text.h"

#include <libpq-fe.h>

#include <algorithm>
#include <cstdlib>
#include <poll.h>

namespace palimpsest {
namespace {

/// Rows are fetched in portions of about this many bytes.
constexpr std::int64_t portionBytes = 4 * 1024 * 1024;
constexpr int firstPortion = 128;
constexpr int largestPortion = 4096;
constexpr int waitMilliseconds = 50;

std::string trimmed(std::string text)
{
    for (char &c : text)
        if (c == '\n' || c == '\t')
            c = ' ';
    text.erase(text.find_last_not_of(' ') + 1);
    return text;
}

/// A slash in a password that was not written as %2F ends the host's part: what follows would be taken for a port or a
/// database and named in errors.
bool looksMisread(const std::string &target, const PQconninfoOption &first)
{
    const std::size_t scheme = target.find("://");
    if (scheme == std::string::npos)
        return false;
    const std::string path = target.substr(0, target.find('?'));
    const std::size_t slash = path.find('/', scheme + 3);
    if (slash != std::string::npos && path.find('@', slash) != std::string::npos)
        return true;
    for (const PQconninfoOption *option = &first; option->keyword; ++option)
        if (option->val && std::string_view(option->keyword) == "port")
            return std::string_view(option->val).find_first_not_of("0123456789,") != std::string_view::npos;
    return false;
}

/// A parameter of a URI that libpq does not know, to be named in an error; empty where there is none or where what
/// stands for one may be a piece of a password.
std::string unknownParameter(const std::string &target)
{
    const std::size_t question = target.find('?');
    if (target.find("://") == std::string::npos || question == std::string::npos
        || target.find('@', question) != std::string::npos)
        return {};
    const std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)> known(PQconndefaults(), &PQconninfoFree);
    for (std::size_t at = question + 1; known && at < target.size();) {
        const std::size_t end = std::min(target.find('&', at), target.size());
        const std::string name = target.substr(at, std::min(target.find('=', at), end) - at);
        const PQconninfoOption *option = known.get();
        while (option->keyword && name != option->keyword)
            ++option;
        if (!option->keyword && !name.empty() && name != "ssl"
            && name.find_first_not_of("abcdefghijklmnopqrstuvwxyz_") == std::string::npos)
            return name;
        at = end + 1;
    }
    return {};
}

struct ClearResult {
    void operator()(pg_result *result) const { PQclear(result); }
};
using ResultHandle = std::unique_ptr<pg_result, ClearResult>;

bool hasRows(const ResultHandle &result)
{
    return PQresultStatus(result.get()) == PGRES_TUPLES_OK || PQresultStatus(result.get()) == PGRES_COMMAND_OK;
}

} // namespace

PostgresRows::PostgresRows(pg_result *result)
    : m_result(result, ClearResult())
{
}

int PostgresRows::count() const
{
    return PQntuples(m_result.get());
}

std::int64_t PostgresRows::size() const
{
    std::int64_t size = 0;
    for (int row = 0; row < count(); ++row)
        for (int column = 0; column < PQnfields(m_result.get()); ++column)
            size += PQgetlength(m_result.get(), row, column);
    return size;
}

bool PostgresRows::isNull(int row, int column) const
{
    return PQgetisnull(m_result.get(), row, column) != 0;
}

std::string_view PostgresRows::bytes(int row, int column) const
{
    return {
        PQgetvalue(m_result.get(), row, column), static_cast<std::size_t>(PQgetlength(m_result.get(), row, column))};
}

std::string PostgresRows::text(int row, int column) const
{
    return text::repaired(bytes(row, column));
}

std::int64_t PostgresRows::number(int row, int column) const
{
    const std::string_view raw = bytes(row, column);
    if (raw.empty() || raw.size() > 8)
        return 0;
    // Two's complement, the highest byte first.
    std::uint64_t value = (raw.front() & 0x80) != 0 ? ~std::uint64_t(0) : 0;
    for (const char c : raw)
        value = value << 8 | static_cast<unsigned char>(c);
    return static_cast<std::int64_t>(value);
}

bool PostgresRows::isTrue(int row, int column) const
{
    const std::string_view raw = bytes(row, column);
    return !raw.empty() && raw.front() != 0;
}

Result<std::unique_ptr<PostgresConnection>> PostgresConnection::open(const std::string &target)
{
    // libpq's words about a target that it cannot take apart may hold pieces of the password.
    const std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)> parsed(
        PQconninfoParse(target.c_str(), nullptr), &PQconninfoFree);
    if (const std::string name = parsed ? std::string() : unknownParameter(target); !name.empty())
        return failure(Error::Code::Invalid, "postgresql",
            "the address has the parameter " + name
                + ", which is none of libpq's; leave it out (schema chooses a schema)");
    if (!parsed || looksMisread(target, *parsed))
        return failure(Error::Code::Invalid, "postgresql",
            "the address cannot be read; it is postgresql://user:password@host:port/database?parameter=value, with "
            "special "
            "characters in names and passwords as %XX");
    std::unique_ptr<PostgresConnection> connection(new PostgresConnection);
    bool hasTimeout = std::getenv("PGCONNECT_TIMEOUT") != nullptr;
    for (const PQconninfoOption *option = parsed.get(); option->keyword; ++option) {
        const std::string_view keyword = option->keyword;
        if (option->val && keyword == "connect_timeout")
            hasTimeout = true;
        if (option->val && *option->val && (keyword == "password" || keyword == "sslpassword"))
            connection->m_secrets.emplace_back(option->val);
    }
    const char *const keywords[] = {
        "dbname", "fallback_application_name", "client_encoding", hasTimeout ? nullptr : "connect_timeout", nullptr};
    const char *const values[] = {target.c_str(), "palimpsest", "UTF8", "10", nullptr};
    connection->m_connection = PQconnectdbParams(keywords, values, 1);
    if (!connection->m_connection)
        return failure(Error::Code::Unreadable, "postgresql", "there is no memory for a connection");
    PGconn *const handle = connection->m_connection;
    if (const char *password = PQpass(handle); password && *password)
        connection->m_secrets.emplace_back(password);
    const auto part = [](const char *words) { return std::string(words ? words : ""); };
    const std::string host = part(PQhost(handle));
    const std::string port = part(PQport(handle));
    const bool socket = host.starts_with('/');
    connection->m_place = "postgresql://" + part(PQuser(handle)) + "@" + (socket ? "" : host)
        + (port.empty() || socket ? "" : ":" + port) + "/" + part(PQdb(handle));
    if (socket)
        connection->m_place += "?host=" + host + (port.empty() ? "" : "&port=" + port);
    if (PQstatus(handle) != CONNECTION_OK)
        return failure(
            Error::Code::Unreadable, connection->m_place, connection->discreet(trimmed(PQerrorMessage(handle))));
    if (Result<void> greeted = connection->greet(); !greeted)
        return tl::unexpected(greeted.error());
    return connection;
}

PostgresConnection::~PostgresConnection()
{
    PQfinish(m_connection);
}

Result<void> PostgresConnection::greet()
{
    PQsetNoticeProcessor(m_connection, [](void *, const char *) { }, nullptr);
    // A limit that the user set, in `options` or for the role, stays.
    static const std::string settings = "SELECT set_config('default_transaction_read_only', 'on', false), "
                                        "CASE WHEN current_setting('statement_timeout') = '0' "
                                        "THEN set_config('statement_timeout', '"
        + std::to_string(statementSeconds)
        + "s', false) END, "
          "set_config('idle_in_transaction_session_timeout', '10min', false)";
    return command(settings.c_str());
}

std::string PostgresConnection::serverVersion() const
{
    const char *version = PQparameterStatus(m_connection, "server_version");
    const std::string_view all = version ? version : "";
    return std::string(all.substr(0, all.find(' ')));
}

std::string PostgresConnection::discreet(std::string words) const
{
    for (const std::string &secret : m_secrets)
        for (std::size_t at = words.find(secret); at != std::string::npos; at = words.find(secret, at + 3))
            words.replace(at, secret.size(), "***");
    return words;
}

Error PostgresConnection::errorOf(const pg_result *result, const JobContext &job) const
{
    const char *field = result ? PQresultErrorField(result, PG_DIAG_SQLSTATE) : nullptr;
    const std::string_view state = field ? field : "";
    if (state == "57014" && job.stopped())
        return {Error::Code::Cancelled, {}, "stopped"};
    const std::string words = discreet(
        trimmed(result && *PQresultErrorMessage(result) ? PQresultErrorMessage(result) : PQerrorMessage(m_connection)));
    if (state == "57014")
        return {Error::Code::Limit, m_place,
            "a statement took longer than the server allows this session (statement_timeout): " + words};
    return {Error::Code::Unreadable, m_place, words.empty() ? "the connection was lost" : words};
}

Result<void> PostgresConnection::command(const char *sql)
{
    const ResultHandle result(PQexec(m_connection, sql));
    if (!hasRows(result))
        return tl::unexpected(errorOf(result.get(), {}));
    return {};
}

Result<PostgresRows> PostgresConnection::query(
    const std::string &sql, const Parameters &parameters, const JobContext &job)
{
    std::vector<const char *> values;
    values.reserve(parameters.size());
    for (const std::optional<std::string> &parameter : parameters)
        values.push_back(parameter ? parameter->c_str() : nullptr);
    if (PQsendQueryParams(
            m_connection, sql.c_str(), static_cast<int>(values.size()), nullptr, values.data(), nullptr, nullptr, 1)
        == 0)
        return tl::unexpected(errorOf(nullptr, job));
    bool cancelled = false;
    while (PQisBusy(m_connection) != 0) {
        pollfd waiting{PQsocket(m_connection), POLLIN, 0};
        if (PQflush(m_connection) > 0)
            waiting.events |= POLLOUT;
        ::poll(&waiting, 1, waitMilliseconds);
        if (PQconsumeInput(m_connection) == 0)
            break;
        if (!cancelled && job.stopped()) {
            cancelled = true;
            const std::unique_ptr<PGcancel, decltype(&PQfreeCancel)> cancel(PQgetCancel(m_connection), &PQfreeCancel);
            char why[256];
            if (cancel)
                PQcancel(cancel.get(), why, sizeof why);
        }
    }
    ResultHandle result(PQgetResult(m_connection));
    while (ResultHandle more{PQgetResult(m_connection)})
        if (hasRows(result))
            result = std::move(more);
    if (hasRows(result))
        return PostgresRows(result.release());
    const Error error = errorOf(result.get(), job);
    if (PQtransactionStatus(m_connection) == PQTRANS_INERROR) {
        // The state that was held is gone with the transaction; what follows reads another one.
        (void)command("ROLLBACK");
        if (m_depth > 0)
            (void)command("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    }
    return tl::unexpected(error);
}

Result<void> PostgresConnection::stream(
    const std::string &sql, const Parameters &parameters, const VisitRow &visit, const JobContext &job)
{
    if (Result<void> begun = begin(); !begun)
        return begun;
    const std::string cursor = "palimpsest_" + std::to_string(++m_cursors);
    Result<PostgresRows> rows = query("DECLARE " + cursor + " NO SCROLL CURSOR FOR " + sql, parameters, job);
    int portion = firstPortion;
    for (bool more = rows.has_value(); more;) {
        rows = query("FETCH " + std::to_string(portion) + " FROM " + cursor, {}, job);
        more = rows && rows->count() == portion;
        for (int row = 0; rows && row < rows->count(); ++row) {
            if (row % 64 == 0 && job.stopped()) {
                rows = failure(Error::Code::Cancelled, {}, "stopped");
                more = false;
                break;
            }
            if (!visit(*rows, row)) {
                more = false;
                break;
            }
        }
        if (more) {
            const std::int64_t size = rows->size();
            const std::int64_t fitting = size > 0 ? portion * portionBytes / size : largestPortion;
            portion = static_cast<int>(std::clamp<std::int64_t>(fitting, 1, largestPortion));
        }
    }
    if (PQtransactionStatus(m_connection) == PQTRANS_INTRANS && m_depth > 1)
        (void)command(("CLOSE " + cursor).c_str());
    end();
    if (!rows)
        return tl::unexpected(rows.error());
    return {};
}

Result<void> PostgresConnection::begin()
{
    if (m_depth == 0) {
        if (PQstatus(m_connection) != CONNECTION_OK) {
            PQreset(m_connection);
            if (PQstatus(m_connection) != CONNECTION_OK)
                return tl::unexpected(errorOf(nullptr, {}));
            if (Result<void> greeted = greet(); !greeted)
                return greeted;
        }
        if (Result<void> begun = command("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"); !begun)
            return begun;
    }
    ++m_depth;
    return {};
}

void PostgresConnection::end()
{
    if (m_depth > 0 && --m_depth == 0)
        (void)command("COMMIT");
}

std::string postgresArray(const std::vector<std::string> &items)
{
    std::string out = "{";
    for (const std::string &item : items) {
        out += out.size() > 1 ? ",\"" : "\"";
        for (const char c : item) {
            if (c == '"' || c == '\\')
                out += '\\';
            out += c;
        }
        out += '"';
    }
    return out + "}";
}

} // namespace palimpsest
