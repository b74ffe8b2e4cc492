// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/serde/json.h"
#include "core/values/json.h"
#include "tests/support/clirun.h"

#include <QtTest>

using namespace palimpsest;

namespace {

const QString recordings = QStringLiteral("tests/data/recordings/0.7.7/");

std::string recording(const char *name)
{
    return (recordings + QString::fromLatin1(name) + QStringLiteral(".sqlite")).toStdString();
}

std::string write(const QTemporaryDir &folder, const char *name, const std::string &content)
{
    QFile file(folder.filePath(QString::fromLatin1(name)));
    if (!file.open(QIODevice::WriteOnly))
        return {};
    file.write(QByteArray::fromStdString(content));
    return file.fileName().toStdString();
}

constexpr const char *grid = R"({"base": {"dialect": "deepagents-0.7.7", "tools": 2700, "system_message": 12,
  "model": {"llm_type": "scripted-chat", "provider": "openai"}, "prices": {"input": 3, "cached_input": 0.3, "output": 15}},
 "axes": [{"key": "trigger", "values": [["messages", 8], ["messages", 14], ["tokens", 3600], ["messages", 4]]},
          {"key": "keep", "values": [["messages", 4], ["messages", 6]]}],
 "needles": ["vault passphrase", "no such words"]})";

} // namespace

class SweepTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyCellEqualsItsOwnReplay();
    void goesOnFromItsJournal();
    void takesFilesFromElsewhere();
    void refusesAnotherGridsJournal();
    void sumsUpManyThreads();
    void namesWhatIsWrongWithAGrid_data();
    void namesWhatIsWrongWithAGrid();
    void writesCsv();
};

void SweepTest::everyCellEqualsItsOwnReplay()
{
    QTemporaryDir folder;
    const std::string gridFile = write(folder, "grid.json", grid);
    int status = -1;
    std::string messages;
    const auto answer = parseJson(
        runOnBuffers({"sweep", recording("summarize_chain"), "--grid", gridFile, "--json"}, &status, &messages));
    QVERIFY2(status == 0, messages.c_str());
    QVERIFY(answer);
    const Value::List &rows = (*answer)["rows"].asList();
    QCOMPARE(rows.size(), std::size_t(8));
    const Value base = (*parseJson(grid))["base"];
    for (const Value &row : rows) {
        const Value settings = base.with("trigger", row["values"].asList()[0]).with("keep", row["values"].asList()[1]);
        const std::string file = write(folder, "settings.json", toJson(settings));
        const auto replay =
            parseJson(runOnBuffers({"replay", recording("summarize_chain"), "--settings", file}, &status, &messages));
        QVERIFY2(replay && status == 0, messages.c_str());
        std::int64_t events = 0;
        std::int64_t sent = 0;
        std::int64_t peak = 0;
        std::int64_t kept = 0;
        Value last;
        for (const Value &call : (*replay)["calls"].asList()) {
            events += call["event"].isMap() ? 1 : 0;
            for (const Value &attempt : call["attempts"].asList()) {
                if (attempt["outcome"].asText() != "ok")
                    continue;
                const std::int64_t tokens = attempt["tokens"].asInt();
                sent += tokens;
                peak = std::max(peak, tokens);
                kept = tokens - call["tokens"]["tools"].asInt() - call["tokens"]["system"].asInt();
                last = attempt["messages"];
            }
        }
        QCOMPARE(row["events"].asInt(), events);
        QCOMPARE(row["calls"].asInt(), static_cast<std::int64_t>((*replay)["calls"].asList().size()));
        QCOMPARE(row["tokens_sent"].asInt(), sent);
        QCOMPARE(row["peak_tokens"].asInt(), peak);
        QCOMPARE(row["tokens_kept_at_end"].asInt(), kept);
        QCOMPARE(row["summaries"].asInt(), events);
        QVERIFY(row["cost"].asDouble() > 0);
        bool needle = false;
        for (const Value &key : last.asList())
            needle = needle
                || (*replay)["messages"][key.asText()]["content"].asText().find("vault passphrase")
                    != std::string::npos;
        QCOMPARE(row["needles"]["vault passphrase"].asBool(), needle);
        QVERIFY(!row["needles"]["no such words"].asBool());
        QCOMPARE(row["unworkable"].isText(), row["values"].asList()[0] == Value::list({Value("messages"), Value(4)}));
    }
}

void SweepTest::goesOnFromItsJournal()
{
    QTemporaryDir folder;
    const std::string gridFile = write(folder, "grid.json", grid);
    const std::string journal = folder.filePath(QStringLiteral("journal.jsonl")).toStdString();
    const std::vector<std::string> args{
        "sweep", recording("summarize_chain"), "--grid", gridFile, "--json", "--resume", journal};
    const std::string whole = runOnBuffers(args, nullptr, nullptr);
    QFile file(QString::fromStdString(journal));
    QVERIFY(file.open(QIODevice::ReadWrite));
    const QByteArray content = file.readAll();
    QCOMPARE(content.count('\n'), 9);
    // As if it had been interrupted in the middle of the fifth cell.
    qsizetype cut = 0;
    for (int i = 0; i < 5; ++i)
        cut = content.indexOf('\n', cut) + 1;
    QVERIFY(file.resize(cut + 20));
    file.close();
    QCOMPARE(runOnBuffers(args, nullptr, nullptr), whole);
    QVERIFY(file.open(QIODevice::ReadOnly));
    QCOMPARE(file.readAll().count("\"cell\""), 9); // four kept, a cut one, four done again
}

void SweepTest::takesFilesFromElsewhere()
{
    QTemporaryDir folder;
    const std::string gridFile = write(folder, "grid.json",
        R"({"base": {"dialect": "deepagents-0.7.32", "keep": ["messages", 3], "offload_binary_content": true},
            "axes": [{"key": "trigger", "values": [["messages", 6], ["messages", 8]]}]})");
    const std::string original = PALIMPSEST_TEST_DATA "/recordings/0.7.32/blob_offload.sqlite";
    const std::string alone = folder.filePath(QStringLiteral("alone.sqlite")).toStdString();
    QVERIFY(QFile::copy(QString::fromStdString(original), QString::fromStdString(alone)));
    const auto cells = [&](const std::string &source, const std::vector<std::string> &files) {
        std::vector<std::string> args{"sweep", source, "--grid", gridFile, "--json"};
        args.insert(args.end(), files.begin(), files.end());
        return (*parseJson(runOnBuffers(args, nullptr, nullptr)))["rows"];
    };
    const Value beside = cells(original, {});
    QCOMPARE(beside.asList().size(), 2U);
    QVERIFY(!(cells(alone, {}) == beside)); // requests carry the content of blobs
    QVERIFY(cells(alone, {"--files", PALIMPSEST_TEST_DATA "/recordings/0.7.32/blob_offload.files"}) == beside);
    int status = 0;
    std::string messages;
    runOnBuffers({"sweep", alone, "--grid", gridFile, "--files", "nowhere"}, &status, &messages);
    QCOMPARE(status, 2);
    QVERIFY2(messages.find("--files nowhere") != std::string::npos, messages.c_str());
}

void SweepTest::refusesAnotherGridsJournal()
{
    QTemporaryDir folder;
    const std::string gridFile = write(folder, "grid.json", grid);
    const std::string journal = write(folder, "journal.jsonl", "{\"format\": \"something else\"}\n");
    int status = 0;
    std::string messages;
    runOnBuffers({"sweep", recording("summarize_chain"), "--grid", gridFile, "--resume", journal}, &status, &messages);
    QCOMPARE(status, 2);
    QVERIFY2(messages.find("is no journal of this grid") != std::string::npos, messages.c_str());
}

void SweepTest::sumsUpManyThreads()
{
    QTemporaryDir folder;
    const std::string gridFile = write(folder, "grid.json", grid);
    const auto answer = parseJson(runOnBuffers(
        {"sweep", recording("summarize_chain"), recording("plain"), "--grid", gridFile, "--json"}, nullptr, nullptr));
    QVERIFY(answer);
    for (const Value &row : (*answer)["rows"].asList()) {
        QCOMPARE(row["threads"].asList().size(), std::size_t(2));
        const std::int64_t first = row["threads"].asList()[0]["tokens_sent"].asInt();
        const std::int64_t second = row["threads"].asList()[1]["tokens_sent"].asInt();
        QCOMPARE(row["tokens_sent"].asInt(), first + second);
        QCOMPARE(row["spread"]["tokens_sent"]["median"].asDouble(), static_cast<double>(first + second) / 2);
        QCOMPARE(row["spread"]["tokens_sent"]["worst"].asDouble(), static_cast<double>(std::max(first, second)));
        QVERIFY(row["spread"]["tokens_sent"]["worst_thread"].asText().ends_with("summarize_chain"));
    }
}

void SweepTest::namesWhatIsWrongWithAGrid_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("words");
    QTest::newRow("no axes") << QByteArray("{\"base\": {}}") << QByteArray("axes: must have at least one axis");
    QTest::newRow("empty values") << QByteArray("{\"axes\": [{\"key\": \"keep\", \"values\": []}]}")
                                  << QByteArray("axes[0].values");
    QTest::newRow("unknown setting") << QByteArray("{\"axes\": [{\"key\": \"trigge\", \"values\": [1]}]}")
                                     << QByteArray("trigge: is no setting");
    QTest::newRow("unknown price") << QByteArray(
        "{\"base\": {\"prices\": {\"inputs\": 3}}, \"axes\": [{\"key\": \"keep\", \"values\": [[\"messages\", 4]]}]}")
                                   << QByteArray("prices.inputs: is no price");
    QTest::newRow("no cell can run") << QByteArray("{\"base\": {\"trigger\": [\"messages\", 0]}, \"axes\": [{\"key\": "
                                                   "\"keep\", \"values\": [[\"messages\", 4]]}]}")
                                     << QByteArray("trigger thresholds must be greater than 0, got 0.");
    QTest::newRow("no JSON") << QByteArray("{") << QByteArray("grid.json");
    QTest::newRow("needles") << QByteArray("{\"axes\": [{\"key\": \"window\", \"values\": [1]}], \"needles\": [1]}")
                             << QByteArray("needles");
}

void SweepTest::namesWhatIsWrongWithAGrid()
{
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, words);
    QTemporaryDir folder;
    const std::string gridFile = write(folder, "grid.json", text.toStdString());
    int status = 0;
    std::string messages;
    runOnBuffers({"sweep", recording("plain"), "--grid", gridFile}, &status, &messages);
    QCOMPARE(status, 2);
    QVERIFY2(messages.find(words.toStdString()) != std::string::npos, messages.c_str());
}

void SweepTest::writesCsv()
{
    QTemporaryDir folder;
    const std::string gridFile = write(folder, "grid.json", grid);
    const std::string csv =
        runOnBuffers({"sweep", recording("summarize_chain"), "--grid", gridFile, "--csv"}, nullptr, nullptr);
    const QStringList lines = QString::fromStdString(csv).split(QStringLiteral("\r\n"), Qt::SkipEmptyParts);
    QCOMPARE(lines.size(), 9);
    QVERIFY(lines[0].startsWith(QStringLiteral("trigger,keep,events,calls,tokens_sent")));
    QVERIFY(lines[1].startsWith(QStringLiteral("\"[\"\"messages\"\",")));
}

QTEST_GUILESS_MAIN(SweepTest)
#include "tst_sweep.moc"
