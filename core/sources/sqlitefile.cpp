// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sources/sqlitefile.h"

#include <QFile>
#include <QSqlDatabase>
#include <QSqlDriver>
#include <QSqlError>
#include <QString>
#include <QVariant>

#include <sqlite3.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

using namespace Qt::StringLiterals;

namespace palimpsest {
namespace {

constexpr std::string_view magic("SQLite format 3\0", 16);

std::string headOf(const std::string &path, std::size_t length)
{
    std::string head(length, '\0');
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return {};
    const ssize_t got = ::read(fd, head.data(), length);
    ::close(fd);
    head.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    return head;
}

/// An SQLite URI of the path: everything but letters, digits and a few marks as %XX, so that `?` and `#` in names stay
/// names.
std::string uriOf(const std::string &path)
{
    static constexpr char digits[] = "0123456789ABCDEF";
    std::string uri = "file:";
    for (const char c : path) {
        if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || std::strchr("/-_.~", c)) {
            uri += c;
        } else {
            uri += '%';
            uri += digits[static_cast<unsigned char>(c) >> 4];
            uri += digits[static_cast<unsigned char>(c) & 15];
        }
    }
    return uri;
}

bool copyFile(const std::string &from, const std::string &to)
{
    std::error_code error;
    std::filesystem::copy_file(from, to, std::filesystem::copy_options::overwrite_existing, error);
    if (!error)
        ::chmod(to.c_str(), 0600);
    return !error;
}

std::string canonical(const std::string &path)
{
    std::error_code error;
    const std::filesystem::path real = std::filesystem::canonical(path, error);
    return error ? path : real.string();
}

} // namespace

SqliteStatement::SqliteStatement(sqlite3 *db, std::string_view sql)
    : m_db(db)
{
    m_code = sqlite3_prepare_v2(db, sql.data(), static_cast<int>(sql.size()), &m_statement, nullptr);
    if (m_code != SQLITE_OK)
        m_error = sqlite3_errmsg(db);
}

SqliteStatement::~SqliteStatement()
{
    sqlite3_finalize(m_statement);
}

SqliteStatement::SqliteStatement(SqliteStatement &&other) noexcept
    : m_db(other.m_db)
    , m_statement(std::exchange(other.m_statement, nullptr))
    , m_code(other.m_code)
    , m_error(std::move(other.m_error))
{
}

SqliteStatement &SqliteStatement::operator=(SqliteStatement &&other) noexcept
{
    std::swap(m_db, other.m_db);
    std::swap(m_statement, other.m_statement);
    std::swap(m_code, other.m_code);
    std::swap(m_error, other.m_error);
    return *this;
}

SqliteStatement &SqliteStatement::bind(int place, std::string_view text)
{
    if (m_statement)
        sqlite3_bind_text64(
            m_statement, place, text.data() ? text.data() : "", text.size(), SQLITE_STATIC, SQLITE_UTF8);
    return *this;
}

SqliteStatement &SqliteStatement::bind(int place, std::int64_t number)
{
    if (m_statement)
        sqlite3_bind_int64(m_statement, place, number);
    return *this;
}

bool SqliteStatement::step()
{
    if (!m_statement)
        return false;
    m_code = sqlite3_step(m_statement);
    if (m_code == SQLITE_ROW)
        return true;
    if (m_code != SQLITE_DONE)
        m_error = sqlite3_errmsg(m_db);
    return false;
}

void SqliteStatement::reset()
{
    if (m_statement)
        sqlite3_reset(m_statement);
}

bool SqliteStatement::failed() const
{
    return m_code != SQLITE_OK && m_code != SQLITE_ROW && m_code != SQLITE_DONE;
}

int SqliteStatement::code() const
{
    return m_code & 0xff;
}

std::string SqliteStatement::error() const
{
    return m_error;
}

std::string_view SqliteStatement::text(int column) const
{
    const int type = sqlite3_column_type(m_statement, column);
    if (type == SQLITE_NULL)
        return {};
    const void *data = type == SQLITE_BLOB ? sqlite3_column_blob(m_statement, column)
                                           : static_cast<const void *>(sqlite3_column_text(m_statement, column));
    const int size = sqlite3_column_bytes(m_statement, column);
    return data ? std::string_view(static_cast<const char *>(data), static_cast<std::size_t>(size))
                : std::string_view();
}

std::int64_t SqliteStatement::number(int column) const
{
    return sqlite3_column_int64(m_statement, column);
}

bool SqliteStatement::isNull(int column) const
{
    return sqlite3_column_type(m_statement, column) == SQLITE_NULL;
}

SqliteFile::~SqliteFile()
{
    close();
}

void SqliteFile::close()
{
    release();
    m_handle = nullptr;
    if (!m_connection.empty()) {
        const QString name = QString::fromStdString(m_connection);
        {
            QSqlDatabase db = QSqlDatabase::database(name, false);
            db.close();
        }
        QSqlDatabase::removeDatabase(name);
        m_connection.clear();
    }
    if (!m_folder.empty()) {
        std::error_code ignored;
        std::filesystem::remove_all(m_folder, ignored);
        m_folder.clear();
    }
}

SqliteFile::Stamp SqliteFile::stampOf(const std::string &path)
{
    Stamp stamp;
    struct stat info{};
    if (::stat(path.c_str(), &info) != 0)
        return stamp;
    stamp.size = info.st_size;
    stamp.modified = info.st_mtim.tv_sec * 1'000'000'000LL + info.st_mtim.tv_nsec;
    stamp.inode = info.st_ino;
    stamp.head = headOf(path, 100);
    return stamp;
}

bool SqliteFile::torn() const
{
    return m_mode != "wal" && stampOf(m_path) != m_file;
}

bool SqliteFile::stale() const
{
    if (torn())
        return true;
    const Stamp wal = stampOf(m_path + "-wal");
    // The last writer takes its log away when it ends, and the next one begins another.
    if (m_mode == "wal")
        return wal.inode != m_wal.inode;
    return wal != m_wal || stampOf(m_path + "-journal") != m_journal;
}

std::string SqliteFile::stampText() const
{
    std::string text;
    for (const char *suffix : {"", "-wal", "-journal"}) {
        const Stamp stamp = stampOf(m_path + suffix);
        text += std::to_string(stamp.size) + ' ' + std::to_string(stamp.modified) + ' ' + std::to_string(stamp.inode)
            + ' ' + stamp.head + ' ';
    }
    return text;
}

void SqliteFile::hold()
{
    if (!m_handle || m_holding)
        return;
    m_holding = sqlite3_exec(m_handle, "BEGIN", nullptr, nullptr, nullptr) == SQLITE_OK;
}

void SqliteFile::release()
{
    if (m_handle && m_holding)
        sqlite3_exec(m_handle, "ROLLBACK", nullptr, nullptr, nullptr);
    m_holding = false;
}

Result<void> SqliteFile::connect(const std::string &path, const std::string &parameters)
{
    static std::atomic<unsigned> counter = 0;
    m_connection = "palimpsest-sqlite-" + std::to_string(++counter);
    QSqlDatabase db = QSqlDatabase::addDatabase(u"QSQLITE"_s, QString::fromStdString(m_connection));
    if (!db.isValid()) {
        return failure(
            Error::Code::Unreadable, m_path, "Qt's SQLite driver cannot be loaded; install libqt6sql6-sqlite");
    }
    db.setConnectOptions(u"QSQLITE_OPEN_URI;QSQLITE_OPEN_READONLY;QSQLITE_BUSY_TIMEOUT=2000"_s);
    db.setDatabaseName(QString::fromStdString(uriOf(path) + "?" + parameters));
    if (!db.open())
        return failure(Error::Code::Unreadable, m_path, "SQLite: " + db.lastError().text().toStdString());
    // Rows are fetched through the handle, not QSqlQuery: a blob of 5 MB would pass through two copies (QByteArray,
    // QVariant), parts of blobs cannot be read through Qt at all, and QSqlQuery is bound to the thread that opened the
    // connection.
    const QVariant handle = db.driver()->handle();
    if (qstrcmp(handle.typeName(), "sqlite3*") != 0 || !handle.constData())
        return failure(Error::Code::Unreadable, m_path, "Qt's SQLite driver gives no handle");
    m_handle = *static_cast<sqlite3 *const *>(handle.constData());
    sqlite3_db_config(m_handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
    sqlite3_db_config(m_handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    sqlite3_db_config(m_handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_exec(m_handle,
        "PRAGMA query_only=1; PRAGMA temp_store=MEMORY; PRAGMA cell_size_check=1; PRAGMA cache_size=-4096;", nullptr,
        nullptr, nullptr);
    return {};
}

/// Makes SQLite read the first page and the schema, so that an unusable file is told at once.
Result<void> SqliteFile::probe()
{
    const auto tryIt = [this] {
        SqliteStatement statement = prepare("SELECT count(*) FROM sqlite_master");
        statement.step();
        return std::pair(statement.failed() ? statement.code() : SQLITE_OK, statement.error());
    };
    auto [code, text] = tryIt();
    if (code == SQLITE_CORRUPT) {
        // A file that was cut off: with this setting SQLite reads the pages that are there.
        sqlite3_db_config(m_handle, SQLITE_DBCONFIG_DEFENSIVE, 0, nullptr);
        sqlite3_db_config(m_handle, SQLITE_DBCONFIG_WRITABLE_SCHEMA, 1, nullptr);
        m_damaged = true;
        std::tie(code, text) = tryIt();
    }
    if (code == SQLITE_OK)
        return {};
    if (code == SQLITE_NOTADB)
        return failure(Error::Code::Unsupported, m_path, "no SQLite database, or an encrypted one: " + text);
    return failure(
        code == SQLITE_CORRUPT ? Error::Code::Malformed : Error::Code::Unreadable, m_path, "SQLite: " + text);
}

Result<void> SqliteFile::openCopy(bool withJournal)
{
    std::string pattern = (std::filesystem::temp_directory_path() / "palimpsest-XXXXXX").string();
    if (!::mkdtemp(pattern.data()))
        return failure(
            Error::Code::Io, pattern, std::string("a temporary folder cannot be made: ") + std::strerror(errno));
    m_folder = pattern;
    const std::string database = m_folder + "/database";
    // A rollback journal is played back into the database, so that needs a copy of its own.
    const bool linked = !withJournal && ::link(m_path.c_str(), database.c_str()) == 0;
    if (!linked && !copyFile(m_path, database))
        return failure(Error::Code::Io, m_folder,
            "the database cannot be copied to a temporary folder; make room there or set TMPDIR");
    if (withJournal) {
        if (!copyFile(m_path + "-journal", database + "-journal"))
            return failure(Error::Code::Io, m_folder, "the rollback journal cannot be copied to a temporary folder");
        // Qt opens read-only, and SQLite plays a journal back only for a writer: let a writer of our own do it on the
        // copy.
        sqlite3 *writer = nullptr;
        if (sqlite3_open_v2(database.c_str(), &writer, SQLITE_OPEN_READWRITE, nullptr) == SQLITE_OK)
            sqlite3_exec(writer, "SELECT count(*) FROM sqlite_master", nullptr, nullptr, nullptr);
        sqlite3_close(writer);
    } else if (!copyFile(m_path + "-wal", database + "-wal")) {
        return failure(Error::Code::Io, m_folder, "the write-ahead log cannot be copied to a temporary folder");
    }
    m_mode = "copy";
    return connect(database, "mode=ro");
}

Result<std::unique_ptr<SqliteFile>> SqliteFile::open(const std::string &path)
{
    std::unique_ptr<SqliteFile> file(new SqliteFile);
    file->m_path = canonical(path);
    const auto attempt = [&file]() -> Result<void> {
        const std::string &name = file->m_path;
        file->m_file = stampOf(name);
        file->m_wal = stampOf(name + "-wal");
        file->m_journal = stampOf(name + "-journal");
        if (file->m_file.size < 0)
            return failure(Error::Code::NotFound, name, "there is no such file");
        if (::access(name.c_str(), R_OK) != 0)
            return failure(Error::Code::Unreadable, name, std::strerror(errno));
        const bool wal = file->m_wal.size > 0;
        // A journal whose first bytes are zero was finished (journal_mode=PERSIST).
        const bool journal =
            file->m_journal.size > 0 && !file->m_journal.head.empty() && file->m_journal.head.front() != '\0';
        if (journal) {
            if (Result<void> done = file->openCopy(true); !done)
                return done;
            return file->probe();
        }
        if (!wal) {
            file->m_mode = "immutable";
            if (Result<void> done = file->connect(name, "immutable=1"); !done)
                return done;
            return file->probe();
        }
        if (stampOf(name + "-shm").size > 0) {
            file->m_mode = "wal";
            Result<void> done = file->connect(name, "mode=ro&readonly_shm=1");
            if (done)
                done = file->probe();
            if (done)
                return done;
            // A `-shm` that no reader can use as it is (nobody has marked a read yet): read a copy instead.
            file->close();
            file->m_damaged = false;
        }
        if (Result<void> done = file->openCopy(false); !done)
            return done;
        return file->probe();
    };
    constexpr int attempts = 4;
    Result<void> done;
    for (int i = 0; i < attempts; ++i) {
        done = attempt();
        // Another process may have written between our looks at its files.
        if (done && !file->torn())
            break;
        if (!done && (done.error().code == Error::Code::NotFound || done.error().code == Error::Code::Unsupported))
            break;
        if (i + 1 < attempts) {
            file->close();
            file->m_damaged = false;
        }
    }
    if (!done)
        return tl::unexpected(done.error());
    return file;
}

bool looksLikeSqlite(const std::string &path)
{
    return headOf(path, magic.size()) == magic;
}

} // namespace palimpsest
