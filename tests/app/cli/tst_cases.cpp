// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/serde/json.h"
#include "tests/support/clirun.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <set>

using namespace palimpsest;

namespace {

const std::string cases = PALIMPSEST_TEST_DATA "/cases/";

Value json(const std::string &text)
{
    const Result<Value> value = parseJson(text);
    return value ? *value : Value();
}

Value answer(const std::vector<std::string> &args)
{
    return json(runOnBuffers(args, nullptr, nullptr));
}

/// The findings of one thread of a case, as `lint` prints them.
Value::List lint(const std::string &name, const std::string &thread, const std::vector<std::string> &more = {})
{
    std::vector<std::string> args{"lint", cases + name + ".sqlite", "--thread", thread, "--json"};
    args.insert(args.end(), more.begin(), more.end());
    return answer(args)["findings"].asList();
}

Value::List of(const Value::List &findings, std::string_view rule)
{
    Value::List out;
    std::copy_if(findings.begin(), findings.end(), std::back_inserter(out),
        [&](const Value &finding) { return finding["rule"] == Value(rule); });
    return out;
}

/// The rules that speak, each once, with their severity.
std::set<std::string> said(const Value::List &findings)
{
    std::set<std::string> rules;
    for (const Value &finding : findings)
        rules.insert(finding["severity"].asText() + " " + finding["rule"].asText());
    return rules;
}

std::string words(const std::set<std::string> &rules)
{
    std::string text;
    for (const std::string &rule : rules)
        text += (text.empty() ? "" : ", ") + rule;
    return text;
}

} // namespace

class TestCases : public QObject {
    Q_OBJECT
private Q_SLOTS:
    // D1: langchain#38352
    void namesTheResultThatACutLeftWithoutItsCall_data()
    {
        QTest::addColumn<QString>("thread");
        QTest::newRow("summary first") << QStringLiteral("first");
        QTest::newRow("two calls in a row") << QStringLiteral("second");
    }
    void namesTheResultThatACutLeftWithoutItsCall()
    {
        QFETCH(QString, thread);
        const Value::List found = lint("orphan_by_cutoff", thread.toStdString());
        const Value::List orphans = of(found, "orphan-tool-result");
        QCOMPARE(orphans.size(), 1U);
        QCOMPARE(orphans[0]["severity"], Value("error"));
        QCOMPARE(orphans[0]["evidence"]["tool_call_id"], Value("call_A"));
        QCOMPARE(orphans[0]["evidence"]["call_raw_index"], Value(1));
        QVERIFY(orphans[0]["message"].asText().find("400") != std::string::npos);
        QCOMPARE(of(found, "unanswered-tool-call").size(), 0U);
    }
    void replaysTheVeryCut()
    {
        const Value replay = answer({"replay", cases + "orphan_by_cutoff.sqlite", "--thread", "second", "--settings",
            cases + "orphan_second.settings.json", "--json"});
        QCOMPARE(replay["calls"].asList().at(0)["decision"]["cutoff_index"], Value(2));
        // The first shape's event came from outside: every run has it.
        const Value first = answer({"replay", cases + "orphan_by_cutoff.sqlite", "--thread", "first", "--settings",
            cases + "orphan_first.settings.json", "--json"});
        const Value &decision = first["calls"].asList().at(0)["decision"];
        QCOMPARE(decision["cutoff_index"], Value(1));
        QCOMPARE(decision["clause"], Value("messages 5 >= 5"));
        QCOMPARE(first["verify"]["agree"], first["verify"]["calls"]);
    }

    // D2: deepagents#3788
    void opensAThreadWithAnUntypedOverwrite()
    {
        const Value::List found = lint("untyped_overwrite", "typed");
        const Value::List marked = of(found, "untyped-overwrite");
        QCOMPARE(marked.size(), 1U);
        QCOMPARE(marked[0]["severity"], Value("warning"));
        const Value dump = answer({"dump", cases + "untyped_overwrite.sqlite", "--json"});
        const Value::List &checkpoints = dump["checkpoints"].asList();
        // The write is not taken as the reset point by itself.
        QCOMPARE(checkpoints.back()["messages"].asList().size(), 4U);
        QVERIFY(!checkpoints[checkpoints.size() - 2]["incomplete"].asBool());
        QCOMPARE(checkpoints[checkpoints.size() - 2]["messages"].asList().size(), 4U);
    }

    void takesAnUntypedOverwriteAsTheResetPointWhereTheUserChooses()
    {
        const Value dump =
            answer({"dump", cases + "untyped_overwrite.sqlite", "--json", "--reset-at-untyped-overwrite"});
        const Value::List &checkpoints = dump["checkpoints"].asList();
        const Value &marked = *std::ranges::find_if(checkpoints,
            [](const Value &checkpoint) { return !of(checkpoint["findings"].asList(), "untyped-overwrite").empty(); });
        const Value finding = of(marked["findings"].asList(), "untyped-overwrite").front();
        QCOMPARE(finding["severity"], Value("info"));
        QCOMPARE(finding["evidence"]["taken_as_reset"], Value(true));
    }

    // D3: langgraph#6970 and others
    void showsValuesOfGoneClassesByTheirStructure()
    {
        const Value::List found = lint("gone_classes", "gone");
        std::set<std::string> types;
        for (const Value &finding : of(found, "foreign-type"))
            types.insert(finding["evidence"]["channel"].asText() + " " + finding["evidence"]["type"].asText());
        QVERIFY(types.contains("ticket gone_app.models.Ticket"));
        QVERIFY(types.contains("customer gone_app.models.Customer"));
        QCOMPARE(types.size(), 3U);
        const Value::List closed = of(found, "undecodable-value");
        QCOMPARE(closed.size(), 1U);
        QCOMPARE(closed[0]["evidence"]["type"], Value("pickle"));
        const Value dump = answer({"dump", cases + "gone_classes.sqlite", "--channels", "--json"});
        const Value &second = dump["checkpoints"].asList()[1];
        QVERIFY(second["channels"].contains("nothing") && second["channels"]["nothing"].isNil());
        QVERIFY(!second["undecodable"].contains("nothing"));
        QVERIFY(second["channels"]["ticket"]["$class"].asText().find("Ticket") != std::string::npos);
        QVERIFY(!dump["checkpoints"].asList()[2]["undecodable"].asMap().empty());
    }

    // D4: langgraph#8443
    void namesTheWritesOfAnAmbiguousFork()
    {
        const Value::List forks = of(lint("lg129_fork_leak_8443", "mid"), "ambiguous-fork");
        QVERIFY(!forks.empty());
        for (const Value &fork : forks) {
            QCOMPARE(fork["evidence"]["channel"], Value("log"));
            QVERIFY(!fork["evidence"]["writes"].asList().empty());
        }
    }

    // D5: deepagents#6312, #2873
    void saysPerBlockWhichMediaAreLost()
    {
        const Value::List byTool = of(lint("media_lost", "tool"), "media-lost");
        QCOMPARE(byTool.size(), 1U);
        QCOMPARE(byTool[0]["severity"], Value("warning"));
        QCOMPARE(byTool[0]["block"], Value(1));
        QCOMPARE(byTool[0]["evidence"]["raw_index"], Value(0));
        QCOMPARE(byTool[0]["evidence"]["in_raw_log"], Value(true));
        QCOMPARE(byTool[0]["evidence"]["bytes_still_at"].asList()[0]["where"], Value("raw log"));
        QCOMPARE(of(lint("media_lost", "automatic"), "media-lost").size(), 0U);
        const Value::List refused = of(lint("media_lost", "refused"), "media-lost");
        QCOMPARE(refused.size(), 1U);
        QCOMPARE(refused[0]["evidence"]["placeholder_in_archive"], Value(true));
        const Value::List blocks = lint("media_lost", "blocks");
        QCOMPARE(of(blocks, "media-lost").size(), 3U);
        QCOMPARE(of(blocks, "reasoning-not-archived").size(), 1U);
    }

    // D6: deepagentsjs#621, deepagents#2247
    void tellsWhatBecameOfArchives_data()
    {
        QTest::addColumn<QString>("thread");
        QTest::addColumn<QString>("rule");
        QTest::addColumn<QString>("severity");
        QTest::addColumn<QString>("member");
        QTest::addColumn<QString>("value");
        const auto row = [](const char *thread, const char *rule, const char *severity, const char *member,
                             const char *value) {
            QTest::newRow(thread) << QString::fromLatin1(thread) << QString::fromLatin1(rule)
                                  << QString::fromLatin1(severity) << QString::fromLatin1(member)
                                  << QString::fromLatin1(value);
        };
        row("missing", "archive-missing", "warning", "why", "missing");
        row("not_loaded", "archive-missing", "info", "why", "not-loaded");
        row("null_path", "archive-missing", "warning", "why", "not-written");
        row("renamed", "archive-elsewhere", "warning", "found_at", "/conversation_history/renamed.md");
        row("other_root", "archive-elsewhere", "warning", "kept_in", "state");
        row("partial", "archive-partial", "warning", "", "");
    }
    void tellsWhatBecameOfArchives()
    {
        QFETCH(QString, thread);
        QFETCH(QString, rule);
        QFETCH(QString, severity);
        QFETCH(QString, member);
        QFETCH(QString, value);
        const Value::List all = lint("archives", thread.toStdString());
        const Value::List found = of(all, rule.toStdString());
        QVERIFY2(!found.empty(), words(said(all)).c_str());
        QCOMPARE(found[0]["severity"].asText(), severity.toStdString());
        if (!member.isEmpty())
            QCOMPARE(found[0]["evidence"][member.toStdString()].asText(), value.toStdString());
        for (const std::string_view other : {"archive-missing", "archive-elsewhere", "archive-partial"})
            if (rule.toStdString() != other)
                QCOMPARE(of(all, other).size(), 0U);
    }
    void findsAnArchiveWhereItIsSaidToBe()
    {
        const std::string path = of(lint("archives", "not_loaded"), "archive-missing")[0]["path"].asText();
        const QTemporaryDir folder;
        const QString file = folder.path() + QString::fromStdString(path);
        QVERIFY(QDir().mkpath(QFileInfo(file).path()));
        QFile archive(file);
        QVERIFY(archive.open(QIODevice::WriteOnly));
        archive.write("## Summarized at 2026-01-01T00:00:00+00:00\n\nHuman: kept elsewhere\n\n");
        archive.close();
        const std::string place = folder.path().toStdString();
        QVERIFY(of(lint("archives", "not_loaded", {"--files", place}), "archive-missing").empty());
        // Under a route that the path has not, the file is another one.
        QVERIFY(!of(lint("archives", "not_loaded", {"--files", "/elsewhere/=" + place + "/conversation_history"}),
            "archive-missing")
                .empty());
        int status = 0;
        std::string messages;
        runOnBuffers({"lint", cases + "archives.sqlite", "--thread", "not_loaded", "--files", "store:nobody"}, &status,
            &messages);
        QCOMPARE(status, 2);
        QVERIFY2(messages.find("namespace \"nobody\"") != std::string::npos, messages.c_str());
    }
    void countsTheSectionsOfAPartialArchive()
    {
        const Value::List found = of(lint("archives", "partial"), "archive-partial");
        QCOMPARE(found.size(), 1U);
        QCOMPARE(found[0]["evidence"]["sections"], Value(1));
        QVERIFY(found[0]["evidence"]["events"].asInt() >= 3);
        QCOMPARE(found[0]["evidence"]["in_raw_log"], Value(true));
    }
    void tellsTwoAgentsInOneArchive()
    {
        const Value::List found = of(lint("archives", "mixed"), "archive-mixed");
        QCOMPARE(found.size(), 1U);
        QVERIFY(found[0]["checkpoint_ns"].asText().starts_with("tools:"));
        QCOMPARE(found[0]["path"], Value("/conversation_history/mixed.md"));
    }
    void saysThatAnArchiveWasNeverWritten()
    {
        // Each of the two events lost its archive.
        QCOMPARE(of(lint("archives", "null_path"), "offload-failed").size(), 2U);
    }

    // D7: langchain#38867, #39261
    void flagsSummariesThatSayNothing_data()
    {
        QTest::addColumn<QString>("thread");
        for (const char *thread : {"error", "long", "none", "empty", "reasoning"})
            QTest::newRow(thread) << QString::fromLatin1(thread);
    }
    void flagsSummariesThatSayNothing()
    {
        QFETCH(QString, thread);
        const Value::List found = of(lint("worthless_summaries", thread.toStdString()), "worthless-summary");
        QVERIFY(!found.empty());
        QCOMPARE(found[0]["severity"], Value("error"));
        QVERIFY(found[0]["evidence"]["hidden_messages"].asInt() > 0);
        QVERIFY(found[0]["evidence"]["last_good_checkpoint_id"].isText());
    }
    void leavesASummaryThatQuotesSuchWordsAlone()
    {
        QCOMPARE(of(lint("worthless_summaries", "quoting"), "worthless-summary").size(), 0U);
    }

    // D9: deepagents#5559, #6302
    void namesBothCallsOfAnOverwrittenFile_data()
    {
        QTest::addColumn<QString>("thread");
        QTest::addColumn<QString>("earlier");
        QTest::addColumn<QString>("later");
        QTest::addColumn<QString>("path");
        QTest::newRow("empty ids") << "empty_ids" << "" << "" << "/large_tool_results/unknown";
        QTest::newRow("same after sanitizing") << "same_name" << "call/1" << "call.1" << "/large_tool_results/call_1";
        QTest::newRow("used again") << "reused" << "again" << "again" << "/large_tool_results/again";
    }
    void namesBothCallsOfAnOverwrittenFile()
    {
        QFETCH(QString, thread);
        QFETCH(QString, earlier);
        QFETCH(QString, later);
        QFETCH(QString, path);
        const Value::List all = lint("offloads", thread.toStdString());
        const Value::List found = of(all, "offload-overwritten");
        QCOMPARE(found.size(), 1U);
        QCOMPARE(found[0]["evidence"]["tool_call_id"].asText(), earlier.toStdString());
        QCOMPARE(found[0]["evidence"]["overwritten_by_tool_call_id"].asText(), later.toStdString());
        QCOMPARE(found[0]["path"].asText(), path.toStdString());
        const Value::List mismatch = of(all, "stub-file-mismatch");
        QCOMPARE(mismatch.size(), 1U);
        QCOMPARE(mismatch[0]["message_id"], found[0]["message_id"]);
    }
    void findsNothingWhereIdsAreOnlyOdd_data()
    {
        QTest::addColumn<QString>("thread");
        for (const char *thread : {"long_id", "climbing", "with_picture"})
            QTest::newRow(thread) << QString::fromLatin1(thread);
    }
    void findsNothingWhereIdsAreOnlyOdd()
    {
        QFETCH(QString, thread);
        const Value::List all = lint("offloads", thread.toStdString());
        QCOMPARE(of(all, "offload-overwritten").size(), 0U);
        QCOMPARE(of(all, "stub-file-mismatch").size(), 0U);
    }

    // D10: langchain#34664, deepagentsjs#467
    void saysWhenReportedUsageDecided()
    {
        const Value::List found =
            lint("usage_decides", "matches", {"--settings", cases + "usage_matches.settings.json"});
        const Value::List decided = of(found, "reported-usage-decided");
        QCOMPARE(decided.size(), 1U);
        QCOMPARE(decided[0]["severity"], Value("info"));
        QCOMPARE(decided[0]["evidence"]["reported"], Value(2000));
        QVERIFY(decided[0]["evidence"]["counted"].asInt() < 1000);
        QCOMPARE(decided[0]["evidence"]["threshold"], Value(1000));
        QVERIFY(decided[0]["evidence"]["usage"].isText());
        QCOMPARE(of(lint("usage_decides", "differs", {"--settings", cases + "usage_differs.settings.json"}),
                     "reported-usage-decided")
                     .size(),
            0U);
    }
    void saysThatTheFixedTriggerIsOutOfReach()
    {
        const Value::List found =
            of(lint("usage_decides", "differs", {"--settings", cases + "usage_no_profile.settings.json"}),
                "trigger-unreachable");
        QCOMPARE(found.size(), 1U);
        QCOMPARE(found[0]["evidence"]["threshold"], Value(170000));
    }
    void saysThatNothingEverCompacts()
    {
        const Value::List found =
            of(lint("usage_decides", "overhead", {"--settings", cases + "usage_overhead.settings.json"}),
                "never-compacts");
        QCOMPARE(found.size(), 1U);
        QCOMPARE(found[0]["evidence"]["tools_and_system_alone"], Value(true));
        QCOMPARE(found[0]["evidence"]["cutoff_index"], Value(0));
    }

    void dumpShowsTheSameFindings()
    {
        const Value::List linted = lint("worthless_summaries", "error");
        const Value dump = answer({"dump", cases + "worthless_summaries.sqlite", "--thread", "error", "--json"});
        Value::List dumped;
        for (const Value &checkpoint : dump["checkpoints"].asList())
            for (const Value &finding : checkpoint["findings"].asList())
                dumped.push_back(finding);
        QCOMPARE(dumped.size(), linted.size());
        for (const Value &finding : linted)
            QVERIFY(std::find(dumped.begin(), dumped.end(), finding) != dumped.end());
    }
};

QTEST_GUILESS_MAIN(TestCases)
#include "tst_cases.moc"
