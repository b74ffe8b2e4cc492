// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/postgrescluster.h"

#include <QDir>
#include <QFile>
#include <QStandardPaths>
#include <QThread>

#include <libpq-fe.h>

#include <csignal>
#include <grp.h>
#include <memory>
#include <pwd.h>
#include <sys/prctl.h>
#include <unistd.h>

namespace palimpsest::test {
namespace {

constexpr int patienceMs = 120'000;

struct Finish {
    void operator()(PGconn *connection) const { PQfinish(connection); }
    void operator()(PGresult *result) const { PQclear(result); }
};
using Connection = std::unique_ptr<PGconn, Finish>;
using Answer = std::unique_ptr<PGresult, Finish>;

/// Debian keeps the server's programs out of PATH, in a folder for each version.
QString serverProgram(const QString &name)
{
    const QDir versions(QStringLiteral("/usr/lib/postgresql"));
    QStringList names = versions.entryList(QDir::Dirs | QDir::NoDotAndDotDot);
    std::sort(names.begin(), names.end(), [](const QString &a, const QString &b) { return a.toInt() > b.toInt(); });
    for (const QString &version : std::as_const(names)) {
        const QString path = versions.filePath(version + QStringLiteral("/bin/") + name);
        if (QFile::exists(path))
            return path;
    }
    return QStandardPaths::findExecutable(name);
}

/// One statement block, or the rows of a COPY … FROM stdin.
std::string send(PGconn *connection, const std::string &sql, const std::string &rows)
{
    Answer answer(PQexec(connection, sql.c_str()));
    if (PQresultStatus(answer.get()) == PGRES_COPY_IN) {
        PQputCopyData(connection, rows.data(), static_cast<int>(rows.size()));
        PQputCopyEnd(connection, nullptr);
        answer.reset(PQgetResult(connection));
        while (Answer more{PQgetResult(connection)}) { }
    }
    const ExecStatusType status = PQresultStatus(answer.get());
    return status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK || status == PGRES_EMPTY_QUERY
        ? std::string()
        : std::string(PQerrorMessage(connection));
}

} // namespace

PostgresCluster::PostgresCluster()
    : m_folder(QDir::tempPath() + QStringLiteral("/palimpsest-pg-XXXXXX"))
    , m_user(::geteuid())
    , m_group(::getegid())
{
    if (m_user == 0) {
        const passwd *unprivileged = ::getpwnam("postgres");
        if (!unprivileged)
            unprivileged = ::getpwnam("nobody");
        if (!unprivileged) {
            m_problem = QStringLiteral("no user to run PostgreSQL as");
            return;
        }
        m_user = unprivileged->pw_uid;
        m_group = unprivileged->pw_gid;
        if (::chown(qPrintable(m_folder.path()), m_user, m_group) != 0) {
            m_problem = QStringLiteral("the folder cannot be given to the server's user");
            return;
        }
    }
    const QString server = serverProgram(QStringLiteral("postgres"));
    const QString data = m_folder.filePath(QStringLiteral("data"));
    if (server.isEmpty()) {
        m_problem = QStringLiteral("PostgreSQL's server is not installed: packaging/install-deps.sh --tests");
        return;
    }
    if (!execute(serverProgram(QStringLiteral("initdb")),
            {QStringLiteral("-D"), data, QStringLiteral("-U"), QStringLiteral("palimpsest"),
                QStringLiteral("--auth=trust"), QStringLiteral("-N"), QStringLiteral("--encoding=UTF8"),
                QStringLiteral("--locale=C")}))
        return;
    prepare(m_server);
    m_server.setStandardOutputFile(QProcess::nullDevice());
    m_server.setStandardErrorFile(m_folder.filePath(QStringLiteral("log")));
    QStringList arguments{QStringLiteral("-D"), data, QStringLiteral("-k"), m_folder.path()};
    for (const char *setting : {"listen_addresses=", "fsync=off", "full_page_writes=off", "synchronous_commit=off",
             "shared_buffers=64MB", "max_connections=40"})
        arguments << QStringLiteral("-c") << QString::fromLatin1(setting);
    m_server.start(server, arguments);
    const std::string target = uri("postgres");
    for (int waited = 0; PQping(target.c_str()) != PQPING_OK; waited += 20) {
        if (waited > patienceMs || m_server.waitForFinished(20)) {
            QFile log(m_folder.filePath(QStringLiteral("log")));
            m_problem = QStringLiteral("the server does not start: ")
                + (log.open(QIODevice::ReadOnly) ? QString::fromUtf8(log.readAll()) : QString());
            return;
        }
    }
}

PostgresCluster::~PostgresCluster()
{
    if (m_server.state() == QProcess::NotRunning)
        return;
    ::kill(static_cast<pid_t>(m_server.processId()), SIGQUIT); // "immediate": nothing here is to be kept
    if (!m_server.waitForFinished(patienceMs))
        m_server.kill();
}

void PostgresCluster::prepare(QProcess &process) const
{
    process.setWorkingDirectory(m_folder.path());
    process.setChildProcessModifier([user = m_user, group = m_group, root = ::geteuid() == 0] {
        if (root && (::setgroups(0, nullptr) != 0 || ::setgid(group) != 0 || ::setuid(user) != 0))
            ::_exit(1);
        ::prctl(PR_SET_PDEATHSIG, SIGQUIT);
    });
}

bool PostgresCluster::execute(const QString &program, const QStringList &arguments)
{
    QProcess process;
    prepare(process);
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.start(program, arguments);
    if (process.waitForFinished(patienceMs) && process.exitStatus() == QProcess::NormalExit && process.exitCode() == 0)
        return true;
    m_problem = program + QStringLiteral(": ") + process.errorString() + u' ' + QString::fromUtf8(process.readAll());
    return false;
}

std::string PostgresCluster::uri(const std::string &database) const
{
    return "postgresql://palimpsest@/" + database + "?host=" + m_folder.path().toStdString();
}

pg_conn *PostgresCluster::connect(const std::string &database) const
{
    PGconn *connection = PQconnectdb(uri(database).c_str());
    PQsetNoticeProcessor(connection, [](void *, const char *) { }, nullptr);
    return connection;
}

std::string PostgresCluster::load(const std::string &database, const std::string &dump)
{
    if (const std::string answer = run("postgres", "CREATE DATABASE " + database); answer.starts_with("error"))
        return answer;
    const Connection connection(connect(database));
    std::string statements;
    std::string why;
    for (std::size_t at = 0; at < dump.size() && why.empty();) {
        const std::size_t end = std::min(dump.find('\n', at), dump.size());
        const std::string line = dump.substr(at, end - at);
        at = end + 1;
        if (line.starts_with('\\')) // \restrict is psql's
            continue;
        statements += line + '\n';
        if (line.starts_with("COPY ") && line.ends_with("FROM stdin;")) {
            const std::size_t over = dump.find("\n\\.\n", end);
            why = send(connection.get(), statements, dump.substr(at, over - end));
            statements.clear();
            at = over + 4;
        }
    }
    return why.empty() ? send(connection.get(), statements, {}) : why;
}

std::string PostgresCluster::loadRecording(const std::string &name)
{
    const std::string dump = unpacked(name + ".sql.z");
    return dump.empty() ? "there is no dump " + name : load(name, dump);
}

std::string PostgresCluster::run(const std::string &database, const std::string &sql)
{
    const Connection connection(connect(database));
    const Answer answer(PQexec(connection.get(), sql.c_str()));
    const ExecStatusType status = PQresultStatus(answer.get());
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)
        return std::string("error: ") + PQerrorMessage(connection.get());
    std::string rows;
    for (int row = 0; row < PQntuples(answer.get()); ++row) {
        rows += row ? "\n" : "";
        for (int column = 0; column < PQnfields(answer.get()); ++column)
            rows += std::string(column ? "|" : "") + PQgetvalue(answer.get(), row, column);
    }
    return rows;
}

std::string unpacked(const std::string &name)
{
    QFile file(QStringLiteral(PALIMPSEST_TEST_DATA "/postgres/") + QString::fromStdString(name));
    return file.open(QIODevice::ReadOnly) ? qUncompress(file.readAll()).toStdString() : std::string();
}

} // namespace palimpsest::test
