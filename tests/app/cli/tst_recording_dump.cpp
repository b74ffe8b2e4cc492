// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/cli.h"
#include "core/serde/json.h"
#include "tests/support/goldens.h"
#include "tests/support/recordings.h"

#include <QTest>

#include <sstream>

using namespace palimpsest;

namespace {

/// deepagents 0.7.32, `_drop_bound_reasoning`, for the providers of the recordings.
Value withoutReasoning(const Value &message)
{
    if (message["type"].asText() != "ai" || !message["content"].isList())
        return message;
    const Value &provider = message["response_metadata"]["model_provider"];
    const bool claude = provider.asText() == "anthropic";
    Value::List kept;
    for (const Value &block : message["content"].asList()) {
        const std::string &type = block["type"].asText();
        const bool native = type == "thinking" || type == "redacted_thinking" || type == "reasoning_content";
        if (!((native && (claude || provider.isNil())) || (claude && type == "reasoning")))
            kept.push_back(block);
    }
    return message.with("content", Value(std::move(kept)));
}

std::string difference(const Value &row, const Value &mine, const Value &truePool, const Value &pool)
{
    for (const char *key : {"step", "source", "parent_checkpoint_id", "session_id"})
        if (row.contains(key))
            if (std::string d = goldens::difference(row[key], mine[key], key); !d.empty())
                return d;
    const std::vector<Value> messages = recordings::bodies(row["messages"], truePool);
    if (std::string d = recordings::messagesDifference(messages, recordings::bodies(mine["messages"], pool));
        !d.empty())
        return "messages" + d;
    const Value event = recordings::eventOf(row["event"], truePool);
    const Value got = recordings::eventOf(mine["event"], pool);
    if (std::string d = goldens::difference(recordings::tidy(event), recordings::tidy(got), "event"); !d.empty())
        return d;

    // The projection by its definition.
    std::vector<Value> effective = messages;
    if (!event.isNil()) {
        for (std::int64_t i = 0; i < event["created_at_index"].asInt(); ++i)
            if (static_cast<std::size_t>(i) < effective.size())
                effective[static_cast<std::size_t>(i)] = withoutReasoning(effective[static_cast<std::size_t>(i)]);
        effective.erase(effective.begin(), effective.begin() + event["cutoff_index"].asInt());
        effective.insert(effective.begin(), event["summary_message"]);
    }
    if (std::string d = recordings::messagesDifference(effective, recordings::bodies(mine["effective"], pool));
        !d.empty())
        return "effective" + d;

    const Value::Map &files = row["files"].asMap();
    if (files.size() != mine["files"].asMap().size())
        return "expected " + std::to_string(files.size()) + " files";
    for (const auto &[path, file] : files)
        for (const char *key : {"content", "encoding"})
            if (std::string d = goldens::difference(
                    recordings::tidy(file)[key], recordings::tidy(mine["files"][path.asText()])[key], path.asText());
                !d.empty())
                return d;
    return {};
}

} // namespace

class TestRecordingDump : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void dumpsWhatLangGraphReads_data()
    {
        QTest::addColumn<QString>("database");
        QTest::addColumn<QString>("truth");
        for (const recordings::Recording &one : recordings::all())
            QTest::addRow("%s", one.name.c_str())
                << QString::fromStdString(one.database) << QString::fromStdString(one.truth);
    }

    void dumpsWhatLangGraphReads()
    {
        QFETCH(QString, database);
        QFETCH(QString, truth);
        const Value expected = recordings::readJson(truth.toStdString());
        QVERIFY(expected.contains("checkpoints"));
        const std::string threadId = expected["thread_id"].asText();
        Value::Map spaces{{Value(""), expected["checkpoints"]}};
        for (const auto &space : expected["namespaces"].asMap())
            spaces.push_back(space);
        for (const auto &[ns, rows] : spaces) {
            std::ostringstream out;
            std::ostringstream err;
            const int status =
                runCli({"dump", database.toStdString(), "--thread", threadId, "--ns", ns.asText()}, out, err);
            QVERIFY2(status == 0, err.str().c_str());
            const Result<Value> dump = parseJson(out.str());
            QVERIFY2(dump, dump ? "" : dump.error().what.c_str());
            QCOMPARE((*dump)["format"].asText(), std::string("palimpsest.dump/1"));
            const Value::List &mine = (*dump)["checkpoints"].asList();
            QCOMPARE(mine.size(), rows.asList().size());
            for (std::size_t i = 1; i < mine.size(); ++i)
                QVERIFY(mine[i - 1]["checkpoint_id"].asText() < mine[i]["checkpoint_id"].asText());
            for (const Value &row : rows.asList()) {
                const auto same = std::find_if(mine.begin(), mine.end(),
                    [&](const Value &m) { return m["checkpoint_id"] == row["checkpoint_id"]; });
                QVERIFY2(same != mine.end(), row["checkpoint_id"].asText().c_str());
                const std::string why = difference(row, *same, expected["messages"], (*dump)["messages"]);
                QVERIFY2(why.empty(), (ns.asText() + " " + row["checkpoint_id"].asText() + ": " + why).c_str());
            }
        }
    }
};

QTEST_GUILESS_MAIN(TestRecordingDump)
#include "tst_recording_dump.moc"
