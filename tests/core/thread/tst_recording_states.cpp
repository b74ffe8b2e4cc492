// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/serde/json.h"
#include "core/sources/sourceprobe.h"
#include "core/thread/threadlist.h"
#include "core/thread/threadreader.h"
#include "core/values/json.h"
#include "tests/support/goldens.h"

#include <QDirIterator>
#include <QFile>
#include <QTest>

using namespace Qt::StringLiterals;
using namespace palimpsest;

namespace {

bool isEmpty(const Value &value)
{
    return value.isNil() || (value.isText() && value.asText().empty()) || (value.isList() && value.asList().empty())
        || (value.isMap() && value.asMap().empty());
}

/// Where two messages differ, members that are null or empty counting as left out.
std::string messageDifference(const Value &expected, const Message &message)
{
    const Value actual = messageToValue(message);
    for (const auto &[key, value] : expected.asMap())
        if (!isEmpty(value))
            if (const std::string found = goldens::difference(value, actual[key.asText()], key.asText());
                !found.empty())
                return found;
    for (const auto &[key, value] : actual.asMap())
        if (!isEmpty(value) && isEmpty(expected[key.asText()]))
            return key.asText() + " is not expected";
    return {};
}

std::string eventDifference(const Value &expected, const Value &pool, const EventPtr &event)
{
    if (expected.isNil() || !event)
        return expected.isNil() == !event ? std::string() : std::string("there is an event on one side only");
    if (event->cutoffIndex != expected["cutoff_index"].asInt())
        return "cutoff " + std::to_string(event->cutoffIndex);
    if (event->filePath.value_or("") != expected["file_path"].asText())
        return "path " + event->filePath.value_or("");
    if (!event->summaryMessage)
        return "no summary";
    const Value &summary = expected["summary_message"];
    return messageDifference(summary.isText() ? pool[summary.asText()] : summary, *event->summaryMessage);
}

std::string checkpointDifference(const Value &expected, const Value &pool, const Checkpoint &checkpoint)
{
    if (checkpoint.step != expected["step"].asInt())
        return "step " + std::to_string(checkpoint.step);
    if (checkpoint.source != expected["source"].asText())
        return "source " + checkpoint.source;
    if (expected.contains("parent_checkpoint_id")
        && checkpoint.parentId.value_or("") != expected["parent_checkpoint_id"].asText())
        return "parent " + checkpoint.parentId.value_or("");
    if (expected.contains("created_at") && checkpoint.createdAt != expected["created_at"].asText())
        return "created at " + checkpoint.createdAt;
    if (checkpoint.incomplete)
        return "incomplete";
    const Value::List &messages = expected["messages"].asList();
    if (messages.size() != checkpoint.messages.size())
        return std::to_string(checkpoint.messages.size()) + " messages, not " + std::to_string(messages.size());
    for (std::size_t i = 0; i < messages.size(); ++i) {
        const Value &body = messages[i].isText() ? pool[messages[i].asText()] : messages[i];
        if (const std::string found = messageDifference(body, *checkpoint.messages[i]); !found.empty())
            return "message " + std::to_string(i) + ": " + found;
    }
    if (const std::string found = eventDifference(expected["event"], pool, checkpoint.event); !found.empty())
        return "event: " + found;
    if (expected.contains("session_id") && checkpoint.sessionId.value_or("") != expected["session_id"].asText())
        return "session " + checkpoint.sessionId.value_or("");
    const Value::Map &files = expected["files"].asMap();
    if (files.size() != checkpoint.files.size())
        return std::to_string(checkpoint.files.size()) + " files";
    for (const auto &[path, file] : files) {
        const FileEntryPtr *entry = checkpoint.files.find(path.asText());
        if (!entry)
            return "no file " + path.asText();
        if (const std::string found = goldens::difference(file["content"], (*entry)->content); !found.empty())
            return "file " + path.asText() + found;
    }
    return {};
}

std::vector<QString> recordings()
{
    const QString given = qEnvironmentVariable("PALIMPSEST_RECORDINGS");
    QDirIterator files(given.isEmpty() ? QStringLiteral(PALIMPSEST_TEST_DATA "/recordings") : given,
        {u"*.expected.json"_s}, QDir::Files, QDirIterator::Subdirectories);
    std::vector<QString> found;
    while (files.hasNext())
        found.push_back(files.next());
    std::sort(found.begin(), found.end());
    return found;
}

} // namespace

class TestRecordingStates : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void rebuildsEveryCheckpointAsLangGraphDoes_data()
    {
        QTest::addColumn<QString>("path");
        for (const QString &path : recordings())
            QTest::addRow("%s", qPrintable(path.section(u'/', -2))) << path;
    }

    void rebuildsEveryCheckpointAsLangGraphDoes()
    {
        QFETCH(QString, path);
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const Result<Value> truth = parseJson(file.readAll().toStdString());
        QVERIFY(truth.has_value());
        const QString database = path.chopped(14) + u".sqlite"_s;
        Result<std::unique_ptr<CheckpointSource>> source = openSource(database.toStdString());
        QVERIFY2(source, source ? "" : source.error().what.c_str());
        const std::string threadId = (*truth)["thread_id"].asText();
        const Result<ThreadPtr> thread = loadThread(**source, threadId, {}, {});
        QVERIFY2(thread, thread ? "" : thread.error().what.c_str());
        const auto compare = [&](const std::string &ns, const Value &rows) {
            const ThreadNamespace *space = (*thread)->find(ns);
            if (!space)
                return "no namespace " + ns;
            if (space->checkpoints.size() != rows.asList().size())
                return ns + ": " + std::to_string(space->checkpoints.size()) + " checkpoints";
            for (const Value &row : rows.asList()) {
                const auto mine = std::find_if(space->checkpoints.begin(), space->checkpoints.end(),
                    [&](const Checkpoint &c) { return c.id == row["checkpoint_id"].asText(); });
                if (mine == space->checkpoints.end())
                    return "no checkpoint " + row["checkpoint_id"].asText();
                if (const std::string found = checkpointDifference(row, (*truth)["messages"], *mine); !found.empty())
                    return ns + " step " + std::to_string(mine->step) + ": " + found;
                for (const Finding &finding : mine->findings)
                    return ns + " step " + std::to_string(mine->step) + ": false alarm " + finding.rule + " "
                        + finding.message;
            }
            return std::string();
        };
        std::string found = compare("", (*truth)["checkpoints"]);
        QVERIFY2(found.empty(), found.c_str());
        for (const auto &[ns, rows] : (*truth)["namespaces"].asMap()) {
            found = compare(ns.asText(), rows);
            QVERIFY2(found.empty(), found.c_str());
        }
        const Result<std::vector<ThreadRow>> rows = listThreads(**source, false, {});
        QVERIFY(rows.has_value());
        QCOMPARE(rows->size(), std::size_t(1));
        const ThreadNamespace *root = (*thread)->find("");
        QCOMPARE(
            rows->front().messages.value_or(-1), static_cast<std::int64_t>(root->checkpoints.back().messages.size()));
        std::size_t events = 0;
        for (const ThreadNamespace &space : (*thread)->namespaces)
            events += space.eventCheckpoints.size();
        QCOMPARE(rows->front().events.value_or(-1), static_cast<std::int64_t>(events));
        QVERIFY(!rows->front().title.empty());
    }
};

QTEST_GUILESS_MAIN(TestRecordingStates)
#include "tst_recording_states.moc"
