// SPDX-License-Identifier: GPL-3.0-or-later
// What LangGraph JS stores and no recording shows: its delta channels, Overwrite, and messages with members left out.
#include "core/sources/sourceprobe.h"
#include "core/thread/threadreader.h"
#include "tests/support/checkpointfile.h"

#include <QTemporaryDir>
#include <QTest>

using namespace palimpsest;
using namespace Qt::StringLiterals;

namespace {

const std::string threadId = "js";

std::string message(const std::string &kind, const std::string &id, const std::string &content)
{
    return R"({"lc":1,"type":"constructor","id":["langchain_core","messages",")" + kind + R"("],"kwargs":{"content":")"
        + content + R"(","id":")" + id + R"("}})";
}

/// A database as the JavaScript saver makes it: JSON, integer versions, no task paths.
class JavaScriptFile {
public:
    explicit JavaScriptFile(const std::string &path)
        : m_file(path)
    {
        m_file.createTables(false);
    }

    /// `log` is the JSON of the channel; empty where it is absent.
    void checkpoint(int step, const std::string &log, const std::string &more = {})
    {
        const std::string id = test::CheckpointFile::id(step + 2, step);
        std::string values = log.empty() ? std::string() : "\"messages\":" + log;
        if (!more.empty())
            values += (values.empty() ? "" : ",") + more;
        m_file.checkpointRow(threadId, {}, id, m_last, "json",
            R"({"v":4,"id":")" + id + R"(","ts":"2026-11-30T17:38:17.310Z","channel_values":{)" + values
                + R"(},"channel_versions":{"messages":)" + std::to_string(step + 2) + "}}",
            R"({"source":"loop","step":)" + std::to_string(step)
                + R"(,"parents":{},"delta_writes_versioned":true,"counters_since_delta_snapshot":{"messages":[1,1]}})");
        m_last = id;
    }
    void write(const std::string &task, const std::string &value)
    {
        m_file.run("INSERT INTO writes (thread_id, checkpoint_ns, checkpoint_id, task_id, idx, channel, type, value) "
                   "VALUES ('js', '', '"
            + m_last + "', '" + task + "', 0, 'messages', 'json', CAST('" + value + "' AS BLOB))");
    }

private:
    test::CheckpointFile m_file;
    std::string m_last;
};

std::vector<std::string> idsOf(const MessageLog &log)
{
    std::vector<std::string> ids;
    for (const MessagePtr &one : log)
        ids.push_back(one->id.value_or("-"));
    return ids;
}

using Ids = std::vector<std::string>;

} // namespace

class TestJavaScriptThread : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void rebuildsDeltaChannels()
    {
        const std::string path = m_folder.filePath(u"delta.sqlite"_s).toStdString();
        {
            JavaScriptFile file(path);
            file.checkpoint(
                0, R"({"lc":2,"type":"delta_snapshot","value":[)" + message("HumanMessage", "h1", "hi") + "]}");
            file.write("t1", "[" + message("AIMessage", "a1", "one") + "]");
            file.checkpoint(1, {});
            file.write("t2", message("AIMessage", "a2", "a single message")); // JavaScript nodes may return one alone
            file.checkpoint(2, {});
            file.write(
                "t3", "[" + message("AIMessage", "a1", "rewritten") + "," + message("RemoveMessage", "h1", "") + "]");
            file.checkpoint(3, {});
            file.write("t4", R"({"__overwrite__":[)" + message("HumanMessage", "h2", "anew") + "]}");
            file.checkpoint(4, {});
            file.checkpoint(5, R"({"lc":2,"type":"undefined"})");
        }
        auto source = openSource(path);
        QVERIFY(source);
        QCOMPARE((*source)->info().language, std::string("js"));
        const auto thread = loadThread(**source, threadId, {}, {});
        QVERIFY(thread);
        const std::vector<Checkpoint> &all = (*thread)->namespaces.front().checkpoints;
        QCOMPARE(all.size(), std::size_t(6));
        QCOMPARE(idsOf(all[0].messages), Ids{"h1"});
        QCOMPARE(idsOf(all[1].messages), (Ids{"h1", "a1"}));
        QCOMPARE(idsOf(all[2].messages), (Ids{"h1", "a1", "a2"}));
        QCOMPARE(idsOf(all[3].messages), (Ids{"a1", "a2"}));
        QCOMPARE(textOf(*all[3].messages[0]), std::string("rewritten"));
        QCOMPARE(idsOf(all[4].messages), Ids{"h2"});
        QCOMPARE(idsOf(all[5].messages), Ids{});
        for (const Checkpoint &one : all)
            QVERIFY2(!one.incomplete, one.id.c_str());
    }

    void leavesMembersOutAsJavaScriptDoes()
    {
        const std::string path = m_folder.filePath(u"members.sqlite"_s).toStdString();
        {
            JavaScriptFile file(path);
            file.checkpoint(0,
                R"([{"lc":1,"type":"constructor","id":["langchain_core","messages","ToolMessage"],"kwargs":{"content":"x",)"
                R"("tool_call_id":"c","metadata":{"versions":{"@langchain/core":"1.4.0"},"mine":1},)"
                R"("artifact":{"__lc_escaped__":{"lc":1,"bytes":{"lc":2,"type":"constructor","id":["Uint8Array"],)"
                R"("method":"from","args":[[0,255]],"kwargs":{}}}}}}])",
                R"("_summarizationEvent":{"cutoffIndex":0,"summaryMessage":)" + message("HumanMessage", "s", "sum")
                    + R"(,"filePath":null},"_summarizationSessionId":"session_12345678","files":{"/a":{"content":)"
                      R"({"lc":2,"type":"constructor","id":["Uint8Array"],"method":"from","args":[[1,2]],"kwargs":{}},)"
                      R"("mimeType":"image/png"}})");
        }
        auto source = openSource(path);
        QVERIFY(source);
        const auto thread = loadThread(**source, threadId, {}, {});
        QVERIFY(thread);
        const Checkpoint &only = (*thread)->namespaces.front().checkpoints.front();
        const Message &tool = *only.messages[0];
        QVERIFY(tool.status.empty());
        QCOMPARE(tool.extra["metadata"].asMap().size(), std::size_t(1));
        QCOMPARE(tool.artifact["lc"].asInt(), 1);
        QCOMPARE(tool.artifact["bytes"]["1"].asInt(), 255);
        QVERIFY(only.event && only.event->cutoffIndex == 0 && !only.event->malformed);
        QCOMPARE(only.sessionId, std::optional<std::string>("session_12345678"));
        const FileEntryPtr *file = only.files.find("/a");
        QVERIFY(file);
        QCOMPARE((*file)->content.asBytes(), std::string("\1\2"));
    }

private:
    QTemporaryDir m_folder;
};

QTEST_GUILESS_MAIN(TestJavaScriptThread)
#include "tst_javascriptthread.moc"
