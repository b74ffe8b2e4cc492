// SPDX-License-Identifier: GPL-3.0-or-later
// How long the window takes to show a checkpoint that another process wrote, and what following costs while nothing is
// written. The window runs as it is used, offscreen, in a process of its own (`palimpsest --measure FILE --follow N`);
// this program writes: the newest checkpoints of a recording, taken out before, go back one at a time, with their
// writes. PALIMPSEST_BENCH_FILES may name more databases (separated by ':').
#include "tests/support/checkpointfile.h"
#include "tests/support/postgrescluster.h"

#include <QCoreApplication>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>
#include <QThread>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <vector>

using namespace palimpsest;
using test::CheckpointFile;

namespace {

constexpr int written = 20; ///< checkpoints
constexpr int pauseMs = 700; ///< between two of them
constexpr int idleSeconds = 40; ///< after the last
constexpr double shownGoalMs = 300;
constexpr double idleGoalPercent = 1;

std::int64_t now()
{
    return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
        .count();
}

QJsonObject line(QProcess &process)
{
    while (!process.canReadLine() && process.waitForReadyRead(120'000)) { }
    return QJsonDocument::fromJson(process.readLine()).object();
}

/// What writes: all that belongs to the n-th withheld checkpoint, committed; false when there is none left.
using Write = std::function<bool(int n)>;

bool measure(const std::string &name, const std::string &location, const Write &write)
{
    QProcess window;
    window.setProcessChannelMode(QProcess::SeparateChannels);
    const int seconds = written * pauseMs / 1000 + idleSeconds;
    window.start(QStringLiteral(PALIMPSEST_PROGRAM),
        {QStringLiteral("--measure"), QString::fromStdString(location), QStringLiteral("--follow"),
            QString::number(seconds)});
    if (line(window)[QStringLiteral("event")].toString() != QStringLiteral("begin")) {
        std::printf("bench: follow %s: %s\n", name.c_str(), window.readAllStandardError().constData());
        return false;
    }
    QThread::msleep(2000); // what is found out about the thread, in jobs
    std::vector<double> behind;
    QJsonObject shown = line(window); // following begins with a reading of its own
    for (int i = 0; i < written; ++i) {
        if (!write(i))
            break;
        const std::int64_t committed = now();
        shown = line(window);
        behind.push_back(shown[QStringLiteral("shown_at_ms")].toDouble() - static_cast<double>(committed));
        QThread::msleep(pauseMs);
        while (window.waitForReadyRead(0) || window.canReadLine())
            shown = line(window); // a change that was seen in two parts
    }
    QJsonObject end;
    do
        end = line(window);
    while (!end.isEmpty() && end[QStringLiteral("event")].toString() != QStringLiteral("end"));
    window.waitForFinished();
    std::sort(behind.begin(), behind.end());
    const double idle = end[QStringLiteral("idle_cpu_percent")].toDouble();
    const bool good = !behind.empty() && behind.back() <= shownGoalMs && idle <= idleGoalPercent;
    std::printf("bench: follow %-28s shown after %4.0f ms (median), %4.0f ms (slowest of %zu)   goal %3.0f ms   idle "
                "%.2f %% of a core over %d s   goal %.0f %%   %s\n",
        name.c_str(), behind.empty() ? -1 : behind[behind.size() / 2], behind.empty() ? -1 : behind.back(),
        behind.size(), shownGoalMs, idle, end[QStringLiteral("idle_s")].toInt(), idleGoalPercent,
        good ? "reached" : "missed");
    std::fflush(stdout);
    return good;
}

/// Takes the newest rows out of a copy of `file` and puts them back while the window looks.
bool measureFile(const std::string &name, const std::string &file, bool writeAhead)
{
    const QTemporaryDir folder;
    const std::string copy = folder.filePath(QStringLiteral("followed.sqlite")).toStdString();
    std::filesystem::copy_file(file, copy);
    std::filesystem::permissions(copy, std::filesystem::perms::owner_write, std::filesystem::perm_options::add);
    CheckpointFile db(copy);
    const std::string thread = db.ask("SELECT thread_id FROM checkpoints GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 1");
    if (writeAhead)
        db.run("PRAGMA journal_mode = WAL");
    db.run("ATTACH ':memory:' AS held");
    const std::string newest = "(SELECT checkpoint_id FROM main.checkpoints WHERE thread_id = '" + thread
        + "' AND checkpoint_ns = '' ORDER BY 1 DESC LIMIT " + std::to_string(written) + ")";
    db.run("CREATE TABLE held.checkpoints AS SELECT * FROM main.checkpoints WHERE thread_id = '" + thread
        + "' AND checkpoint_ns = '' AND checkpoint_id IN " + newest);
    db.run("CREATE TABLE held.writes AS SELECT * FROM main.writes WHERE thread_id = '" + thread
        + "' AND checkpoint_ns = '' AND checkpoint_id IN " + newest);
    for (const char *table : {"writes", "checkpoints"})
        db.run("DELETE FROM main." + std::string(table) + " WHERE thread_id = '" + thread
            + "' AND checkpoint_ns = '' AND checkpoint_id IN (SELECT checkpoint_id FROM held.checkpoints)");
    return measure(name, copy, [&](int n) {
        const std::string id =
            db.ask("SELECT checkpoint_id FROM held.checkpoints ORDER BY 1 LIMIT 1 OFFSET " + std::to_string(n));
        if (id.empty())
            return false;
        return db.run("BEGIN; INSERT INTO main.checkpoints SELECT * FROM held.checkpoints WHERE checkpoint_id = '" + id
            + "'; INSERT INTO main.writes SELECT * FROM held.writes WHERE checkpoint_id = '" + id + "'; COMMIT");
    });
}

bool measurePostgres(const std::string &recording)
{
    test::PostgresCluster cluster;
    if (!cluster.problem().isEmpty() || !cluster.loadRecording(recording).empty()) {
        std::printf("bench: follow %s on PostgreSQL: %s\n", recording.c_str(), qPrintable(cluster.problem()));
        return false;
    }
    const std::string where = "checkpoint_ns = '' AND checkpoint_id IN (SELECT checkpoint_id FROM held)";
    cluster.run(recording,
        "CREATE TABLE held AS SELECT * FROM checkpoints WHERE checkpoint_ns = '' ORDER BY checkpoint_id DESC LIMIT "
            + std::to_string(written) + "; CREATE TABLE held_writes AS SELECT * FROM checkpoint_writes WHERE " + where
            + "; DELETE FROM checkpoint_writes WHERE " + where + "; DELETE FROM checkpoints WHERE " + where);
    return measure(recording + " on PostgreSQL", cluster.uri(recording), [&](int n) {
        const std::string id = "(SELECT checkpoint_id FROM held ORDER BY 1 LIMIT 1 OFFSET " + std::to_string(n) + ")";
        const std::string done = cluster.run(recording,
            "INSERT INTO checkpoints SELECT * FROM held WHERE checkpoint_id = " + id
                + "; INSERT INTO checkpoint_writes SELECT * FROM held_writes WHERE checkpoint_id = " + id
                + "; SELECT count(*) FROM held WHERE checkpoint_id = " + id);
        return done.starts_with('1');
    });
}

} // namespace

int main(int argc, char **argv)
{
    const QCoreApplication app(argc, argv);
    const std::string small = PALIMPSEST_TEST_DATA "/recordings/0.7.7/summarize_chain.sqlite";
    bool good = measureFile("summarize_chain", small, true);
    good &= measureFile("summarize_chain, no log", small, false);
    const QTemporaryDir folder;
    const std::string made = folder.filePath(QStringLiteral("made.sqlite")).toStdString();
    test::makeDeltaThread(made, 2000, 50, 300);
    good &= measureFile("2000 steps", made, true);
    const QByteArray more = qgetenv("PALIMPSEST_BENCH_FILES");
    for (const QByteArray &file : more.split(':'))
        if (!file.isEmpty())
            good &= measureFile(std::filesystem::path(file.toStdString()).stem().string(), file.toStdString(), true);
    for (const char *recording : {"summarize_chain", "long_run"})
        good &= measurePostgres(recording);
    return good ? 0 : 1;
}
