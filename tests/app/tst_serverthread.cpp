// SPDX-License-Identifier: GPL-3.0-or-later
// A thread straight from a running server: a small one in this process.
#include "core/serde/json.h"
#include "core/sources/net/serverthread.h"
#include "core/thread/threadreader.h"
#include "core/values/json.h"
#include "tests/support/clirun.h"
#include "tests/support/recordings.h"

#include <QHash>
#include <QTcpServer>
#include <QTcpSocket>
#include <QTest>
#include <QThread>
#include <QUrlQuery>

#include <atomic>
#include <memory>
#include <thread>

using namespace palimpsest;
using namespace Qt::StringLiterals;

namespace {

const std::string threadId = "00000000-0000-4000-8000-0000000000a1";

/// Answers as a LangGraph server does, a page of the history at a time. Lives on a thread of its own, for the client
/// blocks.
class Server : public QObject {
public:
    explicit Server(Value history)
        : m_history(std::move(history))
    {
        moveToThread(&m_thread);
        m_thread.start();
        QMetaObject::invokeMethod(this, [this] { listen(); }, Qt::BlockingQueuedConnection);
    }
    ~Server() override
    {
        QMetaObject::invokeMethod(this, [this] { m_server.reset(); }, Qt::BlockingQueuedConnection);
        m_thread.quit();
        m_thread.wait();
    }

    [[nodiscard]] std::string address() const
    {
        return "http://127.0.0.1:" + std::to_string(m_port) + "/threads/" + threadId;
    }

    // Set before it is asked, read after.
    bool onlyGet = false;
    bool javascript = false;
    bool repeats = false; ///< ignores `before`
    bool silent = false;
    int status = 200;
    QByteArray body; ///< in place of the history
    QByteArray thread;
    std::atomic<int> asked = 0;
    QList<QByteArray> keys;

private:
    void listen()
    {
        m_server = std::make_unique<QTcpServer>();
        m_server->listen(QHostAddress::LocalHost);
        m_port = m_server->serverPort();
        connect(m_server.get(), &QTcpServer::newConnection, this, [this] {
            QTcpSocket *socket = m_server->nextPendingConnection();
            connect(socket, &QTcpSocket::readyRead, this, [this, socket] { take(socket); });
        });
    }

    void take(QTcpSocket *socket)
    {
        QByteArray &got = m_got[socket];
        got += socket->readAll();
        const qsizetype end = got.indexOf("\r\n\r\n");
        if (end < 0)
            return;
        qsizetype length = 0;
        for (const QByteArray &line : got.first(end).split('\n')) {
            const QByteArray lower = line.trimmed().toLower();
            if (lower.startsWith("content-length:"))
                length = lower.mid(15).trimmed().toLongLong();
            if (lower.startsWith("x-api-key:"))
                keys.append(line.trimmed().mid(10).trimmed());
        }
        if (got.size() < end + 4 + length)
            return;
        const QByteArray sent = got.mid(end + 4, length);
        const QByteArray first = got.first(got.indexOf("\r\n"));
        got.clear();
        ++asked;
        if (silent)
            return;
        answer(socket, first, sent);
    }

    void answer(QTcpSocket *socket, const QByteArray &first, const QByteArray &sent)
    {
        const bool history = first.contains("/history");
        if (history && onlyGet && first.startsWith("POST"))
            return write(socket, 405, "{}");
        if (!history || status != 200)
            return write(socket, status, thread);
        if (body.isNull() && first.startsWith("POST") && !takes(sent))
            return write(socket, 422, "{}");
        write(socket, 200, body.isNull() ? page(first, sent) : body);
    }

    /// langgraph-api takes the place as a config only, langgraphjs as text only.
    bool takes(const QByteArray &sent) const
    {
        const Result<Value> question = parseJson(sent.toStdString());
        const Value before = question ? (*question)["before"] : Value();
        return before.isNil() || (javascript ? before.isText() : before.isMap());
    }

    QByteArray page(const QByteArray &first, const QByteArray &sent) const
    {
        const Result<Value> question = parseJson(sent.toStdString());
        std::string before = question ? (*question)["before"].asText() : std::string();
        if (question && (*question)["before"].isMap())
            before = (*question)["before"]["configurable"]["checkpoint_id"].asText();
        std::int64_t limit = question ? (*question)["limit"].asInt() : 0;
        if (first.startsWith("GET")) {
            const QUrlQuery query(QUrl(QString::fromLatin1(first.split(' ').value(1))));
            before = query.queryItemValue(u"before"_s).toStdString();
            limit = query.queryItemValue(u"limit"_s).toLongLong();
        }
        Value::List states;
        bool on = before.empty() || repeats;
        for (const Value &state : m_history.asList()) {
            if (on && static_cast<std::int64_t>(states.size()) < limit)
                states.push_back(state);
            on |= state["checkpoint"]["checkpoint_id"].asText() == before;
        }
        return QByteArray::fromStdString(toJson(Value(std::move(states))));
    }

    static void write(QTcpSocket *socket, int code, const QByteArray &content)
    {
        socket->write("HTTP/1.1 " + QByteArray::number(code)
            + " X\r\nContent-Type: application/json\r\nContent-Length: " + QByteArray::number(content.size())
            + "\r\n\r\n" + content);
    }

    QThread m_thread;
    Value m_history;
    std::unique_ptr<QTcpServer> m_server;
    QHash<QTcpSocket *, QByteArray> m_got;
    quint16 m_port = 0;
};

Value recordedHistory()
{
    return recordings::readJson(PALIMPSEST_TEST_DATA "/formats/api/history_post_limit1000.json");
}

} // namespace

class TestServerThread : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void cleanup()
    {
        for (const char *name : {"LANGGRAPH_API_KEY", "LANGSMITH_API_KEY", "LANGCHAIN_API_KEY"})
            qunsetenv(name);
    }

    void readsAHistoryPageByPage_data()
    {
        QTest::addColumn<int>("page");
        QTest::addColumn<bool>("onlyGet");
        QTest::addColumn<bool>("javascript");
        QTest::addRow("at once") << 100 << false << false;
        QTest::addRow("in pages") << 5 << false << false;
        QTest::addRow("one by one") << 1 << false << false;
        QTest::addRow("in pages from a JavaScript server") << 5 << false << true;
        QTest::addRow("where only GET is let through") << 5 << true << false;
    }

    void readsAHistoryPageByPage()
    {
        QFETCH(int, page);
        QFETCH(bool, onlyGet);
        QFETCH(bool, javascript);
        Server server(recordedHistory());
        server.onlyGet = onlyGet;
        server.javascript = javascript;
        ServerAccess access;
        access.page = page;
        const auto source = openServerThread(server.address(), access, {});
        QVERIFY2(source, source ? "" : source.error().what.c_str());
        QCOMPARE((*source)->info().kind, std::string("server"));
        const auto thread = loadThread(**source, threadId, {}, {});
        QVERIFY(thread);
        QCOMPARE((*thread)->namespaces.front().checkpoints.size(), recordedHistory().asList().size());
        QVERIFY((*source)->info().findings.empty());
        QVERIFY(!(*thread)->namespaces.front().calls.empty());
    }

    void theCommandLineReadsFromAServer()
    {
        Server server(recordedHistory());
        qputenv("LANGSMITH_API_KEY", "the-key");
        int status = 1;
        std::string messages;
        const std::string fromServer = runOnBuffers({"requests", server.address() + "/"}, &status, &messages);
        QVERIFY2(status == 0, messages.c_str());
        const std::string fromFile = runOnBuffers(
            {"requests", PALIMPSEST_TEST_DATA "/formats/api/history_post_limit1000.json"}, &status, &messages);
        QCOMPARE(fromServer, fromFile);
        QCOMPARE(server.keys.value(0), QByteArray("the-key"));
        QVERIFY(fromServer.find("the-key") == std::string::npos);
    }

    void stopsAskingAServerThatRepeatsItself()
    {
        Server server(recordedHistory());
        server.repeats = true;
        ServerAccess access;
        access.page = 3;
        const auto source = openServerThread(server.address(), access, {});
        QVERIFY(source);
        QCOMPARE(server.asked.load(), 2);
    }

    void showsAThreadWithoutAHistory()
    {
        Server server(Value(Value::List{}));
        server.thread =
            R"({"thread_id": "t", "status": "idle", "values": {"messages": [{"type": "human", "content": "x"}]}})";
        const auto source = openServerThread(server.address(), {}, {});
        QVERIFY(source);
        QCOMPARE(*(*source)->threadIds({}), std::vector<std::string>{"t"});
    }

    void saysWhatIsWrong_data()
    {
        QTest::addColumn<int>("status");
        QTest::addColumn<QByteArray>("body");
        QTest::addColumn<QString>("word");
        QTest::addRow("no such thread") << 404 << QByteArray() << u"no such thread"_s;
        QTest::addRow("no key") << 401 << QByteArray() << u"LANGGRAPH_API_KEY"_s;
        QTest::addRow("broken") << 500 << QByteArray() << u"status 500"_s;
        QTest::addRow("elsewhere") << 302 << QByteArray() << u"status 302"_s;
        QTest::addRow("a web page") << 200 << QByteArray("<html>") << u"list of states"_s;
        QTest::addRow("cut") << 200 << QByteArray("[{\"values\": {") << u"ends"_s;
        QTest::addRow("an object") << 200 << QByteArray("{\"detail\": 1}") << u"list of states"_s;
    }

    void saysWhatIsWrong()
    {
        QFETCH(int, status);
        QFETCH(QByteArray, body);
        QFETCH(QString, word);
        Server server{Value()};
        server.status = status;
        server.body = body;
        const auto source = openServerThread(server.address(), {}, {});
        QVERIFY(!source);
        QVERIFY2(source.error().what.find(word.toStdString()) != std::string::npos, source.error().what.c_str());
    }

    void refusesOtherAddresses()
    {
        for (const char *address : {"http://127.0.0.1/", "http://", "https://host/threads/", "http:///threads/x"}) {
            const auto source = openServerThread(address, {}, {});
            QVERIFY2(!source && source.error().code == Error::Code::Invalid, address);
        }
        const auto source = openServerThread("http://user:secret@127.0.0.1:1/threads/x", {}, {});
        QVERIFY(!source);
        QVERIFY(source.error().where.find("secret") == std::string::npos);
        QVERIFY(source.error().what.find("secret") == std::string::npos);
    }

    void stopsWhenItsJobDoes()
    {
        Server server(recordedHistory());
        server.silent = true;
        std::stop_source stop;
        JobContext job;
        job.stop = stop.get_token();
        const std::jthread later([&] {
            while (server.asked == 0 && !stop.stop_requested())
                std::this_thread::yield();
            stop.request_stop();
        });
        const auto source = openServerThread(server.address(), {}, job);
        QVERIFY(!source);
        QVERIFY(source.error().code == Error::Code::Cancelled);
    }

    void doesNotWaitForever()
    {
        Server server(recordedHistory());
        server.silent = true;
        ServerAccess access;
        access.timeoutMs = 100;
        const auto source = openServerThread(server.address(), access, {});
        QVERIFY(!source);
        QVERIFY(source.error().code == Error::Code::Unreadable);
    }
};

QTEST_GUILESS_MAIN(TestServerThread)
#include "tst_serverthread.moc"
