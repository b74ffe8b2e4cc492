// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/cli.h"
#include "app/cli/jsonoutput.h"
#include "core/serde/json.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <set>
#include <sstream>

using namespace Qt::StringLiterals;
using namespace palimpsest;

namespace {

const std::string data = PALIMPSEST_TEST_DATA "/recordings/0.7.7/";

struct Answer {
    int status = -1;
    std::string out;
    std::string err;
};

Answer run(const std::vector<std::string> &args, const CliOptions &options = {})
{
    std::ostringstream out;
    std::ostringstream err;
    const int status = runCli(args, out, err, options);
    return {status, out.str(), err.str()};
}

Value json(const Answer &answer)
{
    const Result<Value> parsed = parseJson(answer.out);
    return parsed ? *parsed : Value();
}

std::ptrdiff_t lines(const std::string &text)
{
    return std::count(text.begin(), text.end(), '\n');
}

} // namespace

class TestCli : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void refusesWhatItCannotUse_data()
    {
        QTest::addColumn<QStringList>("args");
        QTest::addColumn<QString>("says");
        const QString plain = QString::fromStdString(data + "plain.sqlite");
        QTest::newRow("no subcommand") << QStringList{} << u"--help"_s;
        QTest::newRow("no source") << QStringList{u"dump"_s} << u"SOURCE"_s;
        QTest::newRow("unknown option") << QStringList{u"dump"_s, plain, u"--colour"_s} << u"--colour"_s;
        QTest::newRow("no such file") << QStringList{u"dump"_s, u"/no/such/file"_s} << u"/no/such/file"_s;
        QTest::newRow("no such thread") << QStringList{u"dump"_s, plain, u"--thread"_s, u"other"_s} << u"other"_s;
        QTest::newRow("no such namespace") << QStringList{u"dump"_s, plain, u"--ns"_s, u"tools:1"_s} << u"tools:1"_s;
        QTest::newRow("no such checkpoint") << QStringList{u"dump"_s, plain, u"--checkpoint"_s, u"zz"_s} << u"zz"_s;
        QTest::newRow("ambiguous checkpoint")
            << QStringList{u"dump"_s, plain, u"--checkpoint"_s, u"1f"_s} << u"several"_s;
        QTest::newRow("no such settings")
            << QStringList{u"requests"_s, plain, u"--settings"_s, u"/no/settings.json"_s} << u"/no/settings.json"_s;
        QTest::newRow("condition without a value")
            << QStringList{u"threads"_s, plain, u"--where"_s, u"agent"_s} << u"KEY=VALUE"_s;
    }

    void refusesWhatItCannotUse()
    {
        QFETCH(QStringList, args);
        QFETCH(QString, says);
        std::vector<std::string> words;
        for (const QString &word : args)
            words.push_back(word.toStdString());
        const Answer answer = run(words);
        QCOMPARE(answer.status, exitstatus::unusable);
        QVERIFY(answer.out.empty());
        QCOMPARE(lines(answer.err), 1);
        QVERIFY2(QString::fromStdString(answer.err).contains(says), answer.err.c_str());
    }

    void refusesUnknownSettingsByName()
    {
        QTemporaryDir folder;
        QFile file(folder.filePath(QStringLiteral("settings.json")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("{\"triger\": [\"messages\", 3]}");
        file.close();
        const Answer answer = run({"requests", data + "plain.sqlite", "--settings", file.fileName().toStdString()});
        QCOMPARE(answer.status, exitstatus::unusable);
        QVERIFY2(answer.err.find("triger") != std::string::npos, answer.err.c_str());
    }

    void helpsOnStandardOutput()
    {
        const Answer answer = run({"--help"});
        QCOMPARE(answer.status, exitstatus::done);
        QVERIFY(answer.err.empty());
        for (const auto &command : allCommands())
            QVERIFY(answer.out.find(std::string(command->name())) != std::string::npos);
        QCOMPARE(run({"dump", "--help"}).status, exitstatus::done);
        QVERIFY(run({"--version"}).out.starts_with("palimpsest "));
    }

    void knowsASubcommandFromASource()
    {
        QVERIFY(isCliCall({"dump", "file"}));
        QVERIFY(isCliCall({"--help"}));
        QVERIFY(!isCliCall({}));
        QVERIFY(!isCliCall({"/some/file.sqlite", "--call", "3"}));
    }

    void listsThreads()
    {
        const Value rows = json(run({"threads", data + "summarize_chain.sqlite", "--json"}));
        QCOMPARE(rows.asList().size(), 1U);
        const Value &row = rows.asList().front();
        QCOMPARE(row["thread_id"].asText(), std::string("summarize_chain"));
        QCOMPARE(row["checkpoints"].asInt(), 48);
        QCOMPARE(row["messages"].asInt(), 42);
        QCOMPARE(row["events"].asInt(), 4);
        QCOMPARE(row["namespaces"][""]["checkpoints"].asInt(), 48);
        QVERIFY(row["title"].asText().starts_with("Remember the vault passphrase"));
        const Answer table = run({"threads", data + "summarize_chain.sqlite"});
        QCOMPARE(lines(table.out), 2);
        QVERIFY(table.out.starts_with("THREAD"));
    }

    void listsOnlyThreadsWithTheMetadata()
    {
        const std::string file = data + "plain.sqlite";
        QCOMPARE(json(run({"threads", file, "--json", "--where", "ls_integration=deepagents"})).asList().size(), 1U);
        QVERIFY(json(run({"threads", file, "--json", "--where", "ls_integration=other"})).asList().empty());
        QVERIFY(json(run({"threads", file, "--json", "--where", "ls_integration=deepagents", "--where", "step=-7"}))
                .asList()
                .empty());
    }

    void dumpsChosenCheckpointsWithChannels()
    {
        const std::string file = data + "summarize_chain.sqlite";
        const Value all = json(run({"dump", file}));
        const Value::List &checkpoints = all["checkpoints"].asList();
        QCOMPARE(checkpoints.size(), 48U);
        const std::string first = checkpoints[3]["checkpoint_id"].asText();
        const std::string last = checkpoints.back()["checkpoint_id"].asText();
        const Value chosen = json(run({"dump", file, "--checkpoint", last, "--checkpoint", first, "--channels"}));
        QCOMPARE(chosen["checkpoints"].asList().size(), 2U);
        const Value &head = chosen["checkpoints"].asList().back();
        QCOMPARE(head["checkpoint_id"].asText(), last);
        QVERIFY(head["channels"].contains("_summarization_event"));
        QCOMPARE(head["channels"]["messages"].asList().size(), head["messages"].asList().size());
        QVERIFY(head["undecodable"].asMap().empty());
    }

    void takesAnotherChannelAsTheLog()
    {
        const Value dump = json(run({"dump", data + "plain.sqlite", "--channel", "no_such_channel"}));
        QCOMPARE(dump["checkpoints"].asList().size(), 10U);
        for (const Value &checkpoint : dump["checkpoints"].asList())
            QVERIFY(checkpoint["messages"].asList().empty());
    }

    void showsTheDoubtOfAFork()
    {
        const Answer answer =
            run({"dump", PALIMPSEST_TEST_DATA "/cases/lg129_fork_leak_8443.sqlite", "--thread", "mid"});
        QCOMPARE(answer.status, exitstatus::done);
        QVERIFY2(answer.out.find("ambiguous-fork") != std::string::npos, answer.err.c_str());
    }

    void givesTheSameBodyTheSameKey()
    {
        const Value dump = json(run({"dump", data + "summarize_chain.sqlite"}));
        const Value::Map &pool = dump["messages"].asMap();
        QVERIFY(!pool.empty());
        for (std::size_t i = 0; i < pool.size(); ++i)
            for (std::size_t j = i + 1; j < pool.size(); ++j)
                QVERIFY(!(pool[i].second == pool[j].second));
    }

    void measuresStates()
    {
        const Value states = json(run({"states", data + "long_run.sqlite"}));
        QCOMPARE(states["checkpoints"].asInt(), 264);
        QCOMPARE(states["messages_at_head"].asInt(), 262);
        QCOMPARE(states["messages_in_all"].asInt(), 34454);
        QCOMPARE(states["last_ids_sha256"].asText(),
            std::string("67e8d8e96f2b58e175ef1e7fb4ea9a2e83413e5593659999a59b540f4569cec1"));
        QVERIFY(states["ms"]["all_states"].asDouble() > 0);
        QVERIFY(states["peak_rss_mb"].asDouble() > 0);
    }

    void saysWhereAnEventCameFrom()
    {
        const Value answer = json(run({"requests", data + "summarize_chain.sqlite"}));
        const Value::List &requests = answer["requests"].asList();
        QCOMPARE(requests.size(), 21U);
        QVERIFY(requests.front()["event_from"].isNil());
        const auto own = std::count_if(
            requests.begin(), requests.end(), [](const Value &r) { return r["event_from"].asText() == "this call"; });
        QCOMPARE(own, 4);
        for (const Value &request : requests) {
            QCOMPARE(request["certainty"].asText(), std::string("derived"));
            QCOMPARE(request["outcome"].asText(), std::string("ok"));
            QCOMPARE(request["model"].asText(), std::string("scripted-1"));
        }
    }

    void assumesSettingsOnlyWhereTheyMatter()
    {
        QTemporaryDir folder;
        QFile file(folder.filePath(QStringLiteral("settings.json")));
        const auto certainties = [&](const char *settings) {
            if (!file.open(QIODevice::WriteOnly | QIODevice::Truncate))
                return std::set<std::string>();
            file.write(settings);
            file.close();
            const Value answer =
                json(run({"requests", data + "truncate_args.sqlite", "--settings", file.fileName().toStdString()}));
            std::set<std::string> seen;
            for (const Value &request : answer["requests"].asList()) {
                const bool first = request["call"].asInt() == 1;
                seen.insert((first ? "first " : "") + request["certainty"].asText());
            }
            return seen;
        };
        // Nothing was written before the first call: no setting could have changed its request.
        const std::set<std::string> touched = certainties(
            R"({"truncate_args": {"trigger": ["messages", 8], "keep": ["messages", 6], "max_length": 2000}})");
        QVERIFY(touched.contains("first derived"));
        QVERIFY(touched.contains("derived assuming settings"));
        QCOMPARE(certainties(R"({"truncate_args": null})"), (std::set<std::string>{"first derived", "derived"}));
    }

    void tellsWhatAResumeWouldSend()
    {
        // The thread rests at an interrupt with an unanswered call.
        const Value next = json(run({"requests", data + "interrupted.sqlite", "--next"}))["next"];
        QCOMPARE(next.asList().size(), 3U);
        const Value &message = next.asList()[0];
        QCOMPARE(message["resume"].asText(), std::string("message"));
        QVERIFY(message["patcher_runs"].asBool());
        QCOMPARE(message["patched"].asInt(), 1);
        QVERIFY(message["unanswered_tool_calls"].asList().empty());
        const Value &none = next.asList()[1];
        QCOMPARE(none["first"].asText(), std::string("interrupt"));
        QVERIFY(!none["patcher_runs"].asBool());
        QVERIFY(none["messages"].asList().empty());
        const Value &update = next.asList()[2];
        QVERIFY(!update["patcher_runs"].asBool());
        QCOMPARE(update["unanswered_tool_calls"].asList().size(), 1U);
    }

    void stopsWhenAsked()
    {
        std::stop_source stop;
        stop.request_stop();
        const Answer answer = run({"dump", data + "long_run.sqlite"}, {stop.get_token(), false});
        QCOMPARE(answer.status, exitstatus::stopped);
        QCOMPARE(lines(answer.err), 1);
    }

    void doesNotLetStoredTextSteerTheTerminal()
    {
        QCOMPARE(printable("a\x1b[31mb\nc\u202e", 100), std::string("a\ufffd[31mb c\ufffd"));
        QCOMPARE(printable("abcdef", 3), std::string("abc…"));
    }

    void writesJsonPieceByPiece()
    {
        std::ostringstream out;
        {
            JsonOutput json(out);
            json.beginObject().key("a").beginArray().number(std::int64_t(1)).number(2.0).text("x\"").null().endArray();
            json.key("b").beginObject().endObject().key("c").boolean(false).endObject();
        }
        QCOMPARE(out.str(), std::string("{\"a\":[1,2.0,\"x\\\"\",null],\"b\":{},\"c\":false}"));
    }
    void lintsAThreadAndListsItsRules()
    {
        const Answer healthy = run({"lint", data + "plain.sqlite"});
        QCOMPARE(healthy.status, 0);
        QCOMPARE(json(healthy)["findings"], Value(Value::List{}));
        const Answer interrupted = run({"lint", data + "interrupted.sqlite", "--fail-on", "info"});
        QCOMPARE(interrupted.status, json(interrupted)["findings"].asList().empty() ? 0 : 1);
        const Answer rules = run({"lint", "--rules", "--json"});
        QCOMPARE(rules.status, 0);
        QVERIFY(json(rules).asList().size() > 50);
        QVERIFY(run({"lint", "--rules"}).out.starts_with("| rule | severity |"));
        QCOMPARE(run({"lint", data + "plain.sqlite", "--shard", "3/2"}).status, 2);
        QCOMPARE(run({"lint"}).status, 2);
    }
    void lintsEveryThreadInExactlyOneShard()
    {
        std::ptrdiff_t documents = 0;
        for (const char *shard : {"1/3", "2/3", "3/3"})
            documents += lines(run({"lint", data + "plain.sqlite", "--shard", shard}).out);
        QCOMPARE(documents, 1);
    }
};

QTEST_GUILESS_MAIN(TestCli)
#include "tst_cli.moc"
