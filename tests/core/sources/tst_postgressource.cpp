// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sources/postgresconnection.h"
#include "core/sources/sourceprobe.h"
#include "core/thread/threadfollower.h"
#include "core/thread/threadlist.h"
#include "core/thread/threadreader.h"
#include "core/values/json.h"
#include "tests/support/postgrescluster.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <thread>

using namespace palimpsest;

namespace {

/// Row counts, the schema and a digest of all rows: what reading must not change.
constexpr const char *everything =
    "SELECT (SELECT string_agg(table_name || '.' || column_name || ' ' || data_type, ',' ORDER BY 1) FROM "
    "information_schema.columns WHERE table_schema = 'public'), "
    "(SELECT string_agg(indexdef, ',' ORDER BY 1) FROM pg_indexes WHERE schemaname = 'public'), "
    "(SELECT md5(string_agg(c::text, '' ORDER BY c::text)) FROM checkpoints c), "
    "(SELECT md5(string_agg(b::text, '' ORDER BY b::text)) FROM checkpoint_blobs b), "
    "(SELECT md5(string_agg(w::text, '' ORDER BY w::text)) FROM checkpoint_writes w), "
    "(SELECT md5(string_agg(m::text, '' ORDER BY m::text)) FROM checkpoint_migrations m)";

/// Tables as old savers made them (MIGRATIONS 0 to 3 of langgraph-checkpoint-postgres), empty.
std::string tables(const std::string &schema)
{
    return "CREATE SCHEMA IF NOT EXISTS " + schema + "; SET search_path = " + schema
        + ";"
          "CREATE TABLE checkpoint_migrations (v INTEGER PRIMARY KEY);"
          "CREATE TABLE checkpoints (thread_id TEXT NOT NULL, checkpoint_ns TEXT NOT NULL DEFAULT '', checkpoint_id "
          "TEXT NOT NULL, parent_checkpoint_id TEXT, type TEXT, checkpoint JSONB NOT NULL, metadata JSONB NOT NULL "
          "DEFAULT '{}', PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id));"
          "CREATE TABLE checkpoint_blobs (thread_id TEXT NOT NULL, checkpoint_ns TEXT NOT NULL DEFAULT '', channel "
          "TEXT NOT NULL, version TEXT NOT NULL, type TEXT NOT NULL, blob BYTEA, PRIMARY KEY (thread_id, "
          "checkpoint_ns, channel, version));"
          "CREATE TABLE checkpoint_writes (thread_id TEXT NOT NULL, checkpoint_ns TEXT NOT NULL DEFAULT '', "
          "checkpoint_id TEXT NOT NULL, task_id TEXT NOT NULL, idx INTEGER NOT NULL, channel TEXT NOT NULL, type TEXT, "
          "blob BYTEA NOT NULL, PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id, task_id, idx));";
}

/// A list of one human message as LangGraph's serializer stores it.
constexpr const char *hello =
    "'[{\"lc\":1,\"type\":\"constructor\",\"id\":[\"langchain\",\"schema\",\"messages\",\"HumanMessage\"],"
    "\"kwargs\":{\"content\":\"hello\",\"id\":\"m1\"}}]'";

const ChannelState *named(const std::vector<ChannelState> &states, const std::string &name)
{
    const auto found =
        std::find_if(states.begin(), states.end(), [&](const ChannelState &s) { return s.name == name; });
    return found == states.end() ? nullptr : &*found;
}

bool hasFinding(const std::vector<Finding> &findings, const std::string &rule)
{
    return std::any_of(findings.begin(), findings.end(), [&](const Finding &f) { return f.rule == rule; });
}

} // namespace

class TestPostgresSource : public QObject {
    Q_OBJECT

    std::unique_ptr<test::PostgresCluster> m_cluster;

    std::unique_ptr<CheckpointSource> open(const std::string &location)
    {
        Result<std::unique_ptr<CheckpointSource>> source = openSource(location);
        if (!source)
            qWarning("%s: %s", source.error().where.c_str(), source.error().what.c_str());
        return source ? std::move(*source) : nullptr;
    }

private Q_SLOTS:
    void initTestCase()
    {
        m_cluster = std::make_unique<test::PostgresCluster>();
        QVERIFY2(m_cluster->problem().isEmpty(), qPrintable(m_cluster->problem()));
        for (const char *name : {"summarize_chain", "store_backend", "fork"})
            QCOMPARE(m_cluster->loadRecording(name), std::string());
    }

    void cleanupTestCase() { m_cluster.reset(); }

    void readsAThreadWithEverythingThatIsInIt()
    {
        const auto source = open(m_cluster->uri("summarize_chain"));
        QVERIFY(source);
        QCOMPARE(source->info().kind, std::string("postgres"));
        QVERIFY(source->info().findings.empty());
        const Result<ThreadPtr> thread = loadThread(*source, "summarize_chain", {}, {});
        QVERIFY2(thread, thread ? "" : thread.error().what.c_str());
        const ThreadNamespace *root = (*thread)->find("");
        QVERIFY(root);
        QCOMPARE(root->checkpoints.size(), 48U);
        QVERIFY(!root->calls.empty());
        QVERIFY(!root->eventCheckpoints.empty());
        for (const Checkpoint &checkpoint : root->checkpoints) {
            QVERIFY(!checkpoint.incomplete);
            QVERIFY(checkpoint.findings.empty());
        }
        const Result<std::vector<ChannelState>> channels =
            readChannels(*source, **thread, "", CheckpointIndex(root->checkpoints.size() - 1));
        QVERIFY(channels);
        QVERIFY(named(*channels, "messages"));
        for (const ChannelState &state : *channels)
            QVERIFY2(state.undecodable.empty(), state.name.c_str());
    }

    void listsThreadsWithoutReadingLogs()
    {
        const auto source = open(m_cluster->uri("summarize_chain"));
        QVERIFY(source);
        Result<std::vector<ThreadRow>> rows = listThreads(*source, false, {});
        QVERIFY(rows);
        QCOMPARE(rows->size(), 1U);
        const ThreadRow cheap = rows->front();
        QCOMPARE(cheap.checkpoints, 48);
        QVERIFY(!cheap.messages && !cheap.bytes && !cheap.model);
        QVERIFY(cheap.events && *cheap.events > 0);
        QVERIFY(!cheap.title.empty());
        QVERIFY(!cheap.metadata["step"].isNil());
        rows = listThreads(*source, true, {});
        QVERIFY(rows);
        const Result<ThreadPtr> thread = loadThread(*source, "summarize_chain", {}, {});
        QVERIFY(thread);
        const ThreadNamespace *root = (*thread)->find("");
        QCOMPARE(rows->front().messages,
            std::optional<std::int64_t>(static_cast<std::int64_t>(root->checkpoints.back().messages.size())));
        QCOMPARE(rows->front().events, cheap.events);
        QCOMPARE(*cheap.events, static_cast<std::int64_t>(root->eventCheckpoints.size()));
        QVERIFY(rows->front().bytes && *rows->front().bytes > 10'000);
        QCOMPARE(rows->front().title, cheap.title);
        QCOMPARE(rows->front().first, cheap.first);
    }

    void giveManyThreadsInPages()
    {
        QCOMPARE(m_cluster->load("many", tables("public")), std::string());
        QCOMPARE(m_cluster->run("many",
                     "INSERT INTO checkpoints SELECT 'thread-' || lpad(i::text, 5, '0'), '', "
                     "'1f1ece2a-7a6a-6905-8000-' || lpad(i::text, 12, '0'), NULL, NULL, '{\"v\": 4}', "
                     "json_build_object('user_id', i % 7)::jsonb FROM generate_series(1, 3000) i"),
            std::string());
        const auto source = open(m_cluster->uri("many"));
        QVERIFY(source);
        std::size_t seen = 0;
        std::size_t pages = 0;
        std::string last;
        const auto count = [&](ThreadPage &&page) {
            ++pages;
            for (const ThreadRow &row : page.rows) {
                if (row.id <= last)
                    return false;
                last = row.id;
                seen += row.metadata["user_id"].isInt();
            }
            return true;
        };
        QVERIFY(source->scanThreads(false, count, {}));
        QCOMPARE(seen, 3000U);
        QVERIFY(pages > 2);
        std::size_t first = 0;
        QVERIFY(source->scanThreads(false,
            [&](ThreadPage &&page) {
                first += page.rows.size();
                return false;
            },
            {}));
        QVERIFY(first > 0 && first < 200);
        std::stop_source stop;
        JobContext job;
        job.stop = stop.get_token();
        const Result<void> stopped = source->scanThreads(
            false,
            [&](ThreadPage &&) {
                stop.request_stop();
                return true;
            },
            job);
        QVERIFY(!stopped);
        QCOMPARE(stopped.error().code, Error::Code::Cancelled);
        // A session that was stopped goes on working.
        QCOMPARE(source->threadIds({})->size(), 3000U);
    }

    void stopsAStatementThatRunsLong()
    {
        QCOMPARE(m_cluster->load("slow", tables("public")), std::string());
        m_cluster->run("slow",
            "INSERT INTO checkpoints SELECT 't', '', i::text, NULL, NULL, '{}', '{}' FROM generate_series(1, 50) i; "
            "ALTER "
            "TABLE checkpoints RENAME TO slow_ones; CREATE VIEW checkpoints AS SELECT thread_id, checkpoint_ns, "
            "checkpoint_id, parent_checkpoint_id, type, checkpoint, metadata FROM slow_ones WHERE pg_sleep(0.5) IS NOT "
            "NULL");
        const auto source = open(m_cluster->uri("slow"));
        QVERIFY(source);
        std::stop_source stop;
        JobContext job;
        job.stop = stop.get_token();
        std::jthread stopper([&stop] { stop.request_stop(); });
        const Result<std::vector<std::string>> ids = source->threadIds(job);
        QVERIFY(!ids);
        QCOMPARE(ids.error().code, Error::Code::Cancelled);
    }

    void changesNothingAndLocksNothing()
    {
        const std::string before = m_cluster->run("fork", everything);
        QVERIFY2(!before.starts_with("error"), before.c_str());
        const auto source = open(m_cluster->uri("fork"));
        QVERIFY(source);
        QVERIFY(listThreads(*source, true, {}));
        const Result<ThreadPtr> thread = loadThread(*source, "fork", {}, {});
        QVERIFY(thread);
        QVERIFY(readChannels(*source, **thread, "", CheckpointIndex(0)));
        QVERIFY(source->changeMark("fork"));
        QCOMPARE(m_cluster->run("fork", everything), before);
        // While it idles: no transaction, no lock but this question's own, a session that could not write.
        QCOMPARE(m_cluster->run("postgres",
                     "SELECT string_agg(state, ',') FROM pg_stat_activity WHERE application_name = 'palimpsest' AND "
                     "datname = 'fork'"),
            std::string("idle"));
        QCOMPARE(m_cluster->run("postgres",
                     "SELECT count(*) FROM pg_locks l JOIN pg_stat_activity a USING (pid) WHERE a.application_name = "
                     "'palimpsest'"),
            std::string("0"));
        // DDL that would wait for any reader's lock goes through.
        QCOMPARE(m_cluster->run("fork", "SET lock_timeout = '2s'; ALTER TABLE checkpoints ADD COLUMN extra text"),
            std::string());
        QVERIFY(loadThread(*source, "fork", {}, {}));
        m_cluster->run("fork", "ALTER TABLE checkpoints DROP COLUMN extra");
    }

    void cannotWriteAndEndsLongStatements()
    {
        const Result<std::unique_ptr<PostgresConnection>> session = PostgresConnection::open(m_cluster->uri("fork"));
        QVERIFY(session);
        const Result<PostgresRows> written = (*session)->query("DELETE FROM checkpoints", {}, {});
        QVERIFY(!written);
        QVERIFY2(written.error().what.find("read-only") != std::string::npos, written.error().what.c_str());
        const Result<PostgresRows> limit = (*session)->query("SELECT current_setting('statement_timeout')", {}, {});
        QVERIFY(limit);
        QCOMPARE(limit->text(0, 0), std::string("5min"));
        // A limit that the user gave stays, and ends a statement with words that say so.
        const Result<std::unique_ptr<PostgresConnection>> hurried =
            PostgresConnection::open(m_cluster->uri("fork") + "&options=-c%20statement_timeout%3D50");
        QVERIFY(hurried);
        const Result<PostgresRows> slept = (*hurried)->query("SELECT pg_sleep(20)", {}, {});
        QVERIFY(!slept);
        QCOMPARE(slept.error().code, Error::Code::Limit);
        QVERIFY((*hurried)->query("SELECT 1", {}, {}));
    }

    void followsALostConnection()
    {
        const auto source = open(m_cluster->uri("fork"));
        QVERIFY(source);
        m_cluster->run("postgres",
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'palimpsest' AND datname "
            "= "
            "'fork'");
        // The first use may meet the end of the old session; the next one has a new one.
        (void)loadThread(*source, "fork", {}, {});
        QVERIFY(loadThread(*source, "fork", {}, {}));
    }

    void keepsThePasswordToItself_data()
    {
        QTest::addColumn<QString>("location");
        QTest::newRow("plain") << QStringLiteral("postgresql://someone:hunter2@127.0.0.1:1/db");
        QTest::newRow("parameter") << QStringLiteral("postgresql://127.0.0.1:1/db?user=someone&password=hunter2");
        QTest::newRow("unescaped") << QStringLiteral("postgres://someone:hunter2/x@y@127.0.0.1:1/db");
        QTest::newRow("bad port") << QStringLiteral("postgresql://someone:hunter2@127.0.0.1:hunter2/db");
        QTest::newRow("unknown parameter")
            << QStringLiteral("postgresql://someone:hunter2@127.0.0.1:1/db?colour=hunter2");
        QTest::newRow("driver") << QStringLiteral("postgresql+psycopg://someone:hunter2@127.0.0.1:1/db");
        QTest::newRow("key") << QStringLiteral("postgresql://127.0.0.1:1/db?sslmode=disable&sslpassword=hunter2");
    }
    void keepsThePasswordToItself()
    {
        QFETCH(QString, location);
        const Result<std::unique_ptr<CheckpointSource>> source = openSource(location.toStdString());
        QVERIFY(!source);
        QVERIFY2(source.error().what.find("hunter2") == std::string::npos, source.error().what.c_str());
        QVERIFY2(source.error().where.find("hunter2") == std::string::npos, source.error().where.c_str());
        const std::string shown = publicLocation(location.toStdString());
        if (!location.contains(QStringLiteral("colour")) && !location.contains(QStringLiteral(":hunter2/db")))
            QVERIFY2(shown.find("hunter2") == std::string::npos, shown.c_str());
        QVERIFY(shown.starts_with("postgres"));
    }

    void takesTheAddressFromTheEnvironment()
    {
        qputenv("POSTGRES_URI", QByteArray::fromStdString(m_cluster->uri("fork")));
        QVERIFY(open("postgresql://"));
        QVERIFY(open("POSTGRES_URI"));
        QVERIFY(open(""));
        qunsetenv("POSTGRES_URI");
        qputenv("DATABASE_URI", QByteArray::fromStdString(m_cluster->uri("fork")));
        QVERIFY(open("postgres://"));
        qunsetenv("DATABASE_URI");
        QTemporaryDir folder;
        QFile services(folder.filePath(QStringLiteral("services")));
        QVERIFY(services.open(QIODevice::WriteOnly));
        const std::string uri = m_cluster->uri("fork");
        services.write(QByteArray::fromStdString(
            "[threads]\nuser=palimpsest\ndbname=fork\nhost=" + uri.substr(uri.find("host=") + 5) + "\n"));
        services.close();
        qputenv("PGSERVICEFILE", services.fileName().toUtf8());
        QVERIFY(open("service=threads"));
        QVERIFY(open("postgresql:///?service=threads"));
        qunsetenv("PGSERVICEFILE");
    }

    void saysWhatIsWrongWithATlsConnection()
    {
        const Result<std::unique_ptr<CheckpointSource>> source =
            openSource(m_cluster->uri("fork") + "&sslmode=verify-full&sslrootcert=/nowhere.pem");
        // A socket needs no TLS: the parameters are taken and the connection is made.
        QVERIFY(source);
        const Result<std::unique_ptr<CheckpointSource>> wrong = openSource(m_cluster->uri("fork") + "&sslmode=perhaps");
        QVERIFY(!wrong);
        QVERIFY2(wrong.error().what.find("sslmode") != std::string::npos, wrong.error().what.c_str());
    }

    void choosesAmongSchemas()
    {
        QCOMPARE(m_cluster->load("schemas", tables("alpha") + tables("beta")), std::string());
        m_cluster->run("schemas", "INSERT INTO alpha.checkpoints VALUES ('a', '', '1', NULL, NULL, '{}', '{}')");
        m_cluster->run("schemas", "INSERT INTO beta.checkpoints VALUES ('b', '', '1', NULL, NULL, '{}', '{}')");
        const std::string uri = m_cluster->uri("schemas");
        const Result<std::unique_ptr<CheckpointSource>> open1 = openSource(uri);
        QVERIFY(!open1);
        QVERIFY2(open1.error().what.find("alpha, beta") != std::string::npos, open1.error().what.c_str());
        const auto beta = open(uri + "&schema=beta");
        QVERIFY(beta);
        QCOMPARE(beta->threadIds({}).value(), std::vector<std::string>{"b"});
        const auto alpha = open(uri + "&options=-csearch_path%3Dalpha");
        QVERIFY(alpha);
        QCOMPARE(alpha->threadIds({}).value(), std::vector<std::string>{"a"});
        QVERIFY(hasFinding(alpha->info().findings, "other-schemas"));
        QVERIFY(!openSource(uri + "&schema=gamma"));
    }

    void saysWhatADatabaseOfOthersHolds()
    {
        QCOMPARE(m_cluster->load("others", "CREATE TABLE users (id int); CREATE TABLE checkpoints (id int);"),
            std::string());
        const Result<std::unique_ptr<CheckpointSource>> source = openSource(m_cluster->uri("others"));
        QVERIFY(!source);
        QVERIFY2(source.error().what.find("public.users") != std::string::npos, source.error().what.c_str());
        QVERIFY(!openSource(m_cluster->uri("nowhere")));
    }

    void readsTablesOfOlderAndNewerSavers()
    {
        QCOMPARE(m_cluster->load("older", tables("public")), std::string());
        m_cluster->run("older",
            "INSERT INTO checkpoint_migrations SELECT generate_series(0, 3);"
            "INSERT INTO checkpoints VALUES ('t', '', 'c0', NULL, NULL, '{\"v\": 1, \"id\": \"c0\", \"ts\": "
            "\"2024-05-04T06:32:42+00:00\", \"channel_versions\": {\"messages\": \"1\", \"gone\": \"1\"}}', "
            "'{\"source\": \"input\", \"step\": -1}'), ('t', '', 'c1', 'c0', NULL, '{\"v\": 3, \"id\": \"c1\", "
            "\"channel_values\": {\"count\": 7, \"name\": \"Ada\", \"nothing\": null, \"ratio\": 0.5, \"yes\": true}, "
            "\"channel_versions\": {\"messages\": \"1\", \"count\": \"2\"}}', '{\"source\": \"loop\", \"step\": 0}')");
        m_cluster->run("older",
            std::string("INSERT INTO checkpoint_blobs VALUES ('t', '', 'messages', '1', 'json', convert_to(") + hello
                + ", 'UTF8')), ('t', '', 'gone', '1', 'empty', '')");
        m_cluster->run("older",
            "INSERT INTO checkpoint_writes VALUES ('t', '', 'c0', 'task', 0, '__pregel_tasks', 'json', "
            "'{\"node\": \"a\"}'), ('t', '', 'c0', 'task', 1, '__pregel_tasks', 'json', '{\"node\": \"b\"}')");
        const auto source = open(m_cluster->uri("older"));
        QVERIFY(source);
        QVERIFY(hasFinding(source->info().findings, "unknown-migration"));
        QVERIFY(!source->info().hasTaskPath);
        const Result<ThreadPtr> thread = loadThread(*source, "t", {}, {});
        QVERIFY(thread);
        const ThreadNamespace *root = (*thread)->find("");
        QCOMPARE(root->checkpoints.size(), 2U);
        QCOMPARE(root->checkpoints[1].messages.size(), 1U);
        QCOMPARE(*root->checkpoints[1].messages[0]->id, std::string("m1"));
        const Result<std::vector<ChannelState>> states = readChannels(*source, **thread, "", CheckpointIndex(1));
        QVERIFY(states);
        QCOMPARE(named(*states, "count")->value, Value(7));
        QCOMPARE(named(*states, "name")->value, Value("Ada"));
        QCOMPARE(named(*states, "ratio")->value, Value(0.5));
        QCOMPARE(named(*states, "yes")->value, Value(true));
        QVERIFY(named(*states, "nothing")->value.isNil());
        // What the parent's tasks sent off belongs to the checkpoint after it.
        const ChannelState *sends = named(*states, "__pregel_tasks");
        QVERIFY(sends);
        QCOMPARE(toJson(sends->value), std::string(R"([{"node":"a"},{"node":"b"}])"));
        const Result<std::vector<ChannelState>> first = readChannels(*source, **thread, "", CheckpointIndex(0));
        QVERIFY(first && named(*first, "gone") && named(*first, "gone")->value.isNil());

        m_cluster->run("older", "INSERT INTO checkpoint_migrations VALUES (99)");
        const auto newer = open(m_cluster->uri("older"));
        QVERIFY(newer);
        QVERIFY(hasFinding(newer->info().findings, "unknown-migration"));
        QCOMPARE(m_cluster->run("older", "SELECT count(*) FROM checkpoint_migrations"), std::string("5"));
    }

    void survivesHostileRows()
    {
        QCOMPARE(m_cluster->load("hostile", tables("public")), std::string());
        m_cluster->run("hostile",
            "ALTER TABLE checkpoint_blobs ALTER COLUMN type DROP NOT NULL;"
            "INSERT INTO checkpoints VALUES ('t', '', '1', NULL, NULL, '5', '3'), ('t', '', '2', '2', NULL, '[]', "
            "'[]'), "
            "('t', '', '3', '9', NULL, '{\"v\": \"x\", \"id\": 5, \"channel_versions\": [1], \"channel_values\": 4}', "
            "'null'), ('t', '', '4', '3', NULL, '{\"channel_versions\": {\"messages\": 1.5, \"files\": \"2\", "
            "\"_summarization_event\": \"3\", \"a\\\\\\\"}\": \"4\"}}', '{\"step\": \"x\"}'), "
            "('', '', '5', NULL, NULL, '{\"channel_versions\": {\"messages\": null}}', '{}')");
        m_cluster->run("hostile",
            "INSERT INTO checkpoint_blobs VALUES ('t', '', 'messages', '1.5', 'msgpack', '\\xdd7fffffff'), "
            "('t', '', 'files', '2', 'pickle', '\\x80'), ('t', '', '_summarization_event', '3', 'msgpack', '\\xc1'), "
            "('t', '', 'a\\\"}', '4', NULL, NULL)");
        m_cluster->run("hostile",
            "INSERT INTO checkpoint_writes VALUES ('t', '', '4', 'x', -3, '__interrupt__', NULL, '\\xff'), ('t', '', "
            "'gone', 'x', 0, 'messages', 'msgpack', '\\x91')");
        const auto source = open(m_cluster->uri("hostile"));
        QVERIFY(source);
        QVERIFY(listThreads(*source, false, {}));
        QVERIFY(listThreads(*source, true, {}));
        const Result<ThreadPtr> thread = loadThread(*source, "t", {}, {});
        QVERIFY2(thread, thread ? "" : thread.error().what.c_str());
        const ThreadNamespace *root = (*thread)->find("");
        QCOMPARE(root->checkpoints.size(), 4U);
        QVERIFY(root->checkpoints[3].incomplete);
        QVERIFY(hasFinding(root->checkpoints[3].findings, "undecodable-value"));
        for (std::size_t i = 0; i < 4; ++i)
            QVERIFY(readChannels(*source, **thread, "", CheckpointIndex(i)));
        QVERIFY(loadThread(*source, "", {}, {}));
        QVERIFY(!loadThread(*source, "'; DROP TABLE checkpoints; --", {}, {}));
    }

    void opensEncryptedChannelsWithTheKey()
    {
        // The row that a saver with EncryptedSerializer wrote in SQLite, as PostgreSQL would hold it.
        QCOMPARE(m_cluster->load("encrypted", tables("public")), std::string());
        const Result<std::unique_ptr<CheckpointSource>> file = openSource("tests/data/serde/encrypted.sqlite");
        QVERIFY(file);
        const std::string threadId = (*file)->threadIds({}).value().front();
        std::string value;
        std::string type;
        QVERIFY((*file)->writes(threadId, "", {"messages"},
            [&](WriteRow &&row) {
                value = row.value.bytes;
                type = row.value.type;
                return false;
            },
            {}));
        QCOMPARE(type, std::string("msgpack+aes"));
        const std::string hex = QByteArray::fromStdString(value).toHex().toStdString();
        m_cluster->run("encrypted",
            "INSERT INTO checkpoints VALUES ('t', '', 'c', NULL, NULL, '{\"v\": 4, \"channel_versions\": "
            "{\"messages\": "
            "\"1\"}}', '{}'); INSERT INTO checkpoint_blobs VALUES ('t', '', 'messages', '1', 'msgpack+aes', '\\x"
                + hex + "')");
        const auto closed = open(m_cluster->uri("encrypted"));
        QVERIFY(closed);
        const Result<ThreadPtr> opaque = loadThread(*closed, "t", {}, {});
        QVERIFY(opaque);
        QVERIFY(hasFinding((*opaque)->find("")->checkpoints[0].findings, "encrypted-rows"));
        Result<std::unique_ptr<CheckpointSource>> opened =
            openSource(m_cluster->uri("encrypted"), {.aesKey = "0123456789abcdef"});
        QVERIFY(opened);
        const Result<ThreadPtr> plain = loadThread(**opened, "t", {}, {});
        QVERIFY(plain);
        QVERIFY(!(*plain)->find("")->checkpoints[0].messages.empty());
        // Another key, and one of no length that AES has: the structure is there, and each says what is wrong.
        for (const char *key : {"fedcba9876543210", "heron"}) {
            Result<std::unique_ptr<CheckpointSource>> wrong = openSource(m_cluster->uri("encrypted"), {.aesKey = key});
            QVERIFY(wrong);
            const Result<ThreadPtr> shut = loadThread(**wrong, "t", {}, {});
            QVERIFY2(shut, key);
            const Checkpoint &checkpoint = (*shut)->find("")->checkpoints.at(0);
            QVERIFY2(hasFinding(checkpoint.findings, "undecodable-value"), key);
            QVERIFY(checkpoint.findings.front().message.find("the key does not open it") != std::string::npos);
            QVERIFY(checkpoint.incomplete);
            QVERIFY(checkpoint.messages.empty());
            const auto channels = readChannels(**wrong, **shut, "", CheckpointIndex(std::int64_t{0}));
            QVERIFY(channels);
            QVERIFY(std::ranges::any_of(*channels, [](const ChannelState &channel) {
                return channel.name == "messages" && !channel.undecodable.empty();
            }));
            QCOMPARE(hasFinding((*wrong)->info().findings, "invalid-key"), std::string(key) == "heron");
            for (const Finding &finding : checkpoint.findings)
                QVERIFY(finding.message.find(key) == std::string::npos);
        }
    }

    void locksNothingWhileItFollows()
    {
        QCOMPARE(m_cluster->loadRecording("media"), std::string());
        const auto source = open(m_cluster->uri("media"));
        QVERIFY(source);
        ThreadFollower follower(*source, "media");
        QVERIFY(follower.poll({}).value());
        for (int i = 0; i < 3; ++i) {
            QVERIFY(!follower.poll({}).value());
            QCOMPARE(m_cluster->run("postgres",
                         "SELECT string_agg(state, ','), count(l.pid) FROM pg_stat_activity a LEFT JOIN pg_locks l "
                         "USING (pid) WHERE application_name = 'palimpsest' AND a.datname = 'media'"),
                std::string("idle|0"));
        }
        // Pruned by another process, then deleted.
        m_cluster->run(
            "media", "DELETE FROM checkpoints WHERE checkpoint_id = (SELECT max(checkpoint_id) FROM checkpoints)");
        QVERIFY(follower.poll({}).value());
        m_cluster->run("media", "DELETE FROM checkpoints");
        const Result<ThreadPtr> gone = follower.poll({});
        QVERIFY(!gone);
        QCOMPARE(gone.error().code, Error::Code::NotFound);
    }

    void readsTheStoreTable()
    {
        const auto source = open(m_cluster->uri("store_backend"));
        QVERIFY(source);
        QVERIFY(source->info().hasStore);
        const auto items = source->store();
        QVERIFY(items);
        QVERIFY(!items->empty());
    }

    void followsWhatIsAdded()
    {
        // The thread as it was 20 checkpoints ago, and then what its run wrote, checkpoint by checkpoint.
        const std::string database = "summarize_chain";
        m_cluster->run(database,
            "CREATE SCHEMA later; CREATE TABLE later.checkpoints AS SELECT * FROM checkpoints ORDER BY checkpoint_id "
            "DESC "
            "LIMIT 20; CREATE TABLE later.checkpoint_writes AS SELECT * FROM checkpoint_writes WHERE checkpoint_id >= "
            "(SELECT min(checkpoint_id) FROM later.checkpoints); DELETE FROM checkpoints WHERE checkpoint_id IN "
            "(SELECT "
            "checkpoint_id FROM later.checkpoints); DELETE FROM checkpoint_writes WHERE checkpoint_id IN (SELECT "
            "checkpoint_id FROM later.checkpoints)");
        const auto source = open(m_cluster->uri(database));
        QVERIFY(source);
        ThreadFollower follower(*source, database);
        ThreadPtr followed = follower.poll({}).value();
        QVERIFY(followed);
        QCOMPARE(followed->find("")->checkpoints.size(), 28U);
        for (int i = 0; i < 20; ++i) {
            const std::string id = m_cluster->run(database, "SELECT min(checkpoint_id) FROM later.checkpoints");
            for (const char *table : {"checkpoints", "checkpoint_writes"}) {
                m_cluster->run(database,
                    std::string("INSERT INTO ") + table + " SELECT * FROM later." + table + " WHERE checkpoint_id = '"
                        + id + "'; DELETE FROM later." + table + " WHERE checkpoint_id = '" + id + "'");
                Result<ThreadPtr> now = follower.poll({});
                QVERIFY2(now, now ? "" : now.error().what.c_str());
                if (*now)
                    followed = *now;
            }
            QCOMPARE(followed->find("")->checkpoints.back().id, id);
        }
        QVERIFY(!follower.poll({}).value());
        const Result<ThreadPtr> fresh = loadThread(*source, database, {}, {});
        QVERIFY(fresh);
        const ThreadNamespace &a = *followed->find("");
        const ThreadNamespace &b = *(*fresh)->find("");
        QCOMPARE(a.checkpoints.size(), b.checkpoints.size());
        QCOMPARE(a.calls.size(), b.calls.size());
        QCOMPARE(a.eventCheckpoints, b.eventCheckpoints);
        for (std::size_t i = 0; i < b.checkpoints.size(); ++i) {
            QCOMPARE(a.checkpoints[i].messages.size(), b.checkpoints[i].messages.size());
            QCOMPARE(!a.checkpoints[i].event, !b.checkpoints[i].event);
            QVERIFY(!a.checkpoints[i].incomplete);
        }
        m_cluster->run(database, "DROP SCHEMA later CASCADE");
    }

    void marksEveryChange()
    {
        const auto source = open(m_cluster->uri("fork"));
        QVERIFY(source);
        const std::string before = source->changeMark("fork").value();
        QVERIFY(!before.empty());
        QCOMPARE(source->changeMark("fork").value(), before);
        m_cluster->run("fork",
            "INSERT INTO checkpoint_writes SELECT thread_id, checkpoint_ns, max(checkpoint_id), 'mark', 0, 'x', "
            "'null', '' "
            "FROM checkpoints WHERE checkpoint_ns = '' GROUP BY 1, 2");
        const std::string written = source->changeMark("fork").value();
        QVERIFY(written != before);
        m_cluster->run("fork", "DELETE FROM checkpoint_writes WHERE task_id = 'mark'");
        QCOMPARE(source->changeMark("fork").value(), before);
    }
};

QTEST_GUILESS_MAIN(TestPostgresSource)
#include "tst_postgressource.moc"
