// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/cli.h"
#include "core/serde/json.h"
#include "core/sources/sourceprobe.h"
#include "core/values/json.h"
#include "tests/support/recordings.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <set>
#include <sstream>

using namespace palimpsest;

namespace {

std::string taskOf(const Value &call)
{
    const std::string &ns = call["ns"].asText();
    return ns.substr(ns.rfind(':') + 1);
}

std::string namespaceOf(const Value &call)
{
    const std::string &ns = call["ns"].asText();
    const std::size_t bar = ns.rfind('|');
    return bar == std::string::npos ? std::string() : ns.substr(0, bar);
}

/// Task ids as the file has them: exit durability puts the step into their first groups.
class StoredTasks {
public:
    StoredTasks(const std::string &database, const std::string &threadId)
    {
        Result<std::unique_ptr<CheckpointSource>> source = openSource(database);
        if (!source)
            return;
        const auto spaces = (*source)->namespaces(threadId);
        for (const std::string &ns : spaces ? *spaces : std::vector<std::string>()) {
            WriteScan scan;
            scan.noValues = true;
            (void)(*source)->scanWrites(threadId, ns, scan,
                [this](WriteRow &&row) {
                    m_ids.insert(row.taskId);
                    m_byTail[tail(row.taskId)] = row.taskId;
                    return true;
                },
                {});
        }
    }

    /// Empty when the task left nothing in the file.
    [[nodiscard]] std::string id(const std::string &task) const
    {
        if (m_ids.contains(task))
            return task;
        const auto found = m_byTail.find(tail(task));
        return found == m_byTail.end() ? std::string() : found->second;
    }

private:
    /// The last two groups: late supersteps of an exit-durability run replace the first three.
    static std::string tail(const std::string &task) { return task.size() == 36 ? task.substr(19) : task; }

    std::set<std::string> m_ids;
    std::map<std::string, std::string> m_byTail;
};

/// The settings file that the recording was made with.
Value settingsOf(const Value &truth, const StoredTasks &tasks)
{
    Value::Map refused;
    Value system;
    for (const Value &call : truth["calls"].asList()) {
        if (call["kind"].asText() != "agent")
            continue;
        if (system.isNil() && !call["messages"].asList().empty()) {
            const Value &first = truth["messages"][call["messages"].asList().front().asText()];
            if (first["type"].asText() == "system")
                system = first;
        }
        if (call["outcome"].asText() == "context_overflow") {
            const std::string stored = tasks.id(taskOf(call));
            refused.emplace_back(Value(stored.empty() ? taskOf(call) : stored), Value(1));
        }
    }
    Value settings = truth["settings"].with("dialect", Value("deepagents-" + truth["packages"]["deepagents"].asText()));
    settings = settings.with("tools", truth["tools"])
                   .with("system_message", system)
                   .with("refused_calls", Value(std::move(refused)));
    return settings.with("artifacts_fail", Value(truth["settings"]["backend"].asText() == "ReadOnly"));
}

} // namespace

class TestRecordingRequests : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void tellsWhatTheModelReceived_data()
    {
        QTest::addColumn<QString>("database");
        QTest::addColumn<QString>("truth");
        for (const recordings::Recording &one : recordings::all())
            QTest::addRow("%s", one.name.c_str())
                << QString::fromStdString(one.database) << QString::fromStdString(one.truth);
    }

    void tellsWhatTheModelReceived()
    {
        QFETCH(QString, database);
        QFETCH(QString, truth);
        const Value expected = recordings::readJson(truth.toStdString());
        QVERIFY(expected.contains("thread_id"));
        if (!expected.contains("calls") || expected["settings"]["middleware"].truthy())
            return; // a graph without Deep Agents' middleware: nothing but the reading to compare
        const std::string threadId = expected["thread_id"].asText();
        const StoredTasks tasks(database.toStdString(), threadId);
        QTemporaryDir folder;
        const QString settings = folder.filePath(QStringLiteral("settings.json"));
        QFile file(settings);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(QByteArray::fromStdString(toJson(settingsOf(expected, tasks))));
        file.close();

        std::vector<std::string> spaces{""};
        for (const auto &[ns, rows] : expected["namespaces"].asMap())
            spaces.push_back(ns.asText());
        std::size_t compared = 0;
        for (const std::string &ns : spaces) {
            std::ostringstream out;
            std::ostringstream err;
            const int status = runCli({"requests", database.toStdString(), "--thread", threadId, "--ns", ns,
                                          "--settings", settings.toStdString()},
                out, err);
            QVERIFY2(status == 0, err.str().c_str());
            const Result<Value> answer = parseJson(out.str());
            QVERIFY2(answer, answer ? "" : answer.error().what.c_str());
            const Value::List &requests = (*answer)["requests"].asList();
            for (std::size_t i = 0; i < requests.size(); ++i)
                QCOMPARE(requests[i]["call"].asInt(), static_cast<std::int64_t>(i) + 1);
            for (const Value &call : expected["calls"].asList()) {
                const bool model = !call.contains("node") || call["node"].asText() == "model";
                if (call["kind"].asText() != "agent" || !model || namespaceOf(call) != ns
                    || call["outcome"].asText() != "ok")
                    continue;
                const std::string task = tasks.id(taskOf(call));
                if (task.empty())
                    continue;
                const auto mine = std::find_if(
                    requests.begin(), requests.end(), [&](const Value &r) { return r["task_id"].asText() == task; });
                QVERIFY2(mine != requests.end(), ("no request for task " + task).c_str());
                std::vector<Value> asked = recordings::bodies(call["messages"], expected["messages"]);
                std::erase_if(asked, [](const Value &message) { return message["type"].asText() == "system"; });
                const std::string why = recordings::messagesDifference(
                    asked, recordings::bodies((*mine)["messages"], (*answer)["messages"]));
                QVERIFY2(why.empty(), ("call " + std::to_string((*mine)["call"].asInt()) + ": " + why).c_str());
                ++compared;
            }
        }
        QVERIFY(compared > 0);
    }
};

QTEST_GUILESS_MAIN(TestRecordingRequests)
#include "tst_recording_requests.moc"
