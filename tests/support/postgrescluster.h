// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QProcess>
#include <QTemporaryDir>

#include <string>

struct pg_conn;

namespace palimpsest::test {

/// A PostgreSQL server of its own in a temporary folder, reachable through a socket there only; it ends with this
/// object, and with the process. Needs the server's programs (packaging/install-deps.sh --tests).
class PostgresCluster {
public:
    PostgresCluster();
    ~PostgresCluster();

    /// Why there is no server; empty when it runs.
    [[nodiscard]] const QString &problem() const { return m_problem; }
    [[nodiscard]] std::string uri(const std::string &database) const;

    /// Makes a database and runs a dump of pg_dump on it; gives what the server complained of.
    std::string load(const std::string &database, const std::string &dump);
    /// Loads tests/data/postgres/<name>.sql.z into a database of that name.
    std::string loadRecording(const std::string &name);
    /// Runs statements; gives the rows of the last one, columns parted by '|' and rows by a line end, or "error: …".
    std::string run(const std::string &database, const std::string &sql);

private:
    [[nodiscard]] pg_conn *connect(const std::string &database) const;
    bool execute(const QString &program, const QStringList &arguments);
    void prepare(QProcess &process) const;

    QTemporaryDir m_folder;
    QProcess m_server;
    QString m_problem;
    unsigned m_user = 0; ///< the server refuses to run as root
    unsigned m_group = 0;
};

/// A file of tests/data/postgres that was made with qCompress (or zlib behind four bytes of length).
std::string unpacked(const std::string &name);

} // namespace palimpsest::test
