// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/messagemodel.h"
#include "models/unseen.h"
#include "tests/support/threadbuilder.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QtTest>

using namespace palimpsest;
using namespace Qt::StringLiterals;

class TestMessageModel : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void rawRowsOutOfContextStay();
    void effectiveRowsBeginWithTheSummary();
    void resultsFindTheirCallAndBatch();
    void aCallWithoutResultDangles();
    void removedMessagesStandWhereTheyStood();
    void rewrittenMessagesHaveVersions();
    void filterKeepsTheWayBack();
    void subagentsAreLinked();
    void unseenPartComesFromTheReportedInput();
    void hundredThousandRowsCostNothingUntilSeen();
    void remoteMediaStaysText();
};

namespace {

struct Fixture {
    Selection selection;
    Focus focus{&selection};
    MessageModel raw{&focus, MessageModel::List::RawLog};
    MessageModel effective{&focus, MessageModel::List::Effective};
    QAbstractItemModelTester rawTester{&raw, QAbstractItemModelTester::FailureReportingMode::QtTest};
    QAbstractItemModelTester effectiveTester{&effective, QAbstractItemModelTester::FailureReportingMode::QtTest};

    explicit Fixture(const ThreadPtr &thread)
    {
        selection.setThread(thread->id);
        focus.setThread(thread);
        focus.setFacts(*makeLogFacts(thread, {}));
    }
};

ThreadBuilder chain()
{
    ThreadBuilder builder;
    builder.human("h1", "Remember the vault passphrase").checkpoint();
    builder.calls("a1", {{"c1", "needle"}}).checkpoint();
    builder.tool("t1", "c1", "needle", "the passphrase is heron").checkpoint();
    builder.calls("a2", {{"c2", "lookup"}, {"c3", "lookup"}}).checkpoint();
    builder.tool("t2", "c2", "lookup", "ledger").tool("t3", "c3", "lookup", "cache").checkpoint();
    builder.event(3, "## SESSION INTENT", "/conversation_history/s.md").checkpoint();
    return builder;
}

} // namespace

void TestMessageModel::rawRowsOutOfContextStay()
{
    Fixture f(chain().build());
    QCOMPARE(f.raw.rowCount(), 6);
    QCOMPARE(f.raw.index(0, 0).data(int(MessageRole::InContext)).toBool(), false);
    QCOMPARE(f.raw.index(3, 0).data(int(MessageRole::InContext)).toBool(), true);
    const MessageRow row = f.raw.describe(0);
    QCOMPARE(row.fate.kind, Fate::Kind::Summarized);
    QCOMPARE(row.fate.event, 1);
    QCOMPARE(row.role, u"human"_s);
    QCOMPARE(row.preview, u"Remember the vault passphrase"_s);
    QVERIFY(row.tokens > 5);
    QCOMPARE(row.time, u"2026-01-01T10:00:01.000000+00:00"_s);
    QCOMPARE(f.raw.describe(2).tool, u"needle"_s);
    QCOMPARE(f.raw.describe(1).preview, u"needle(topic=\"c1\")"_s);
}

void TestMessageModel::effectiveRowsBeginWithTheSummary()
{
    Fixture f(chain().build());
    QCOMPARE(f.effective.rowCount(), 4);
    QVERIFY(f.effective.describe(0).summary);
    QVERIFY(!f.effective.indexAt(0).isValid());
    QCOMPARE(f.effective.indexAt(1), MessageIndex(3));
    QCOMPARE(f.effective.rowOf(std::string("a2")), 1);
    QCOMPARE(f.effective.rowOf(std::string("h1")), -1);
    // An earlier checkpoint has no event: all are there.
    f.selection.setCheckpoint(f.focus.thread()->namespaces[0].checkpoints[4].id);
    QCOMPARE(f.effective.rowCount(), 6);
    QCOMPARE(f.effective.rowOf(std::string("h1")), 0);
}

void TestMessageModel::resultsFindTheirCallAndBatch()
{
    Fixture f(chain().build());
    const MessageRow call = f.raw.describe(3);
    QCOMPARE(call.calls, 2);
    QCOMPARE(call.partner, u"t2"_s);
    QVERIFY(!call.dangling);
    const MessageRow second = f.raw.describe(5);
    QCOMPARE(second.partner, u"a2"_s);
    QCOMPARE(second.batch, 2);
    QCOMPARE(second.place, 1);
    QVERIFY(second.callIsNear);
    QVERIFY(second.lastOfBatch);
    QVERIFY(!f.raw.describe(4).lastOfBatch);
}

void TestMessageModel::aCallWithoutResultDangles()
{
    ThreadBuilder builder;
    builder.human("h", "go").calls("a", {{"c1", "lookup"}, {"c2", "lookup"}}).tool("t", "c2", "lookup", "x");
    Fixture f(builder.build());
    QVERIFY(f.raw.describe(1).dangling);
    QCOMPARE(f.raw.describe(1).partner, u"t"_s);
}

void TestMessageModel::removedMessagesStandWhereTheyStood()
{
    ThreadBuilder builder;
    builder.human("h1", "one").human("h2", "two").human("h3", "three").checkpoint();
    builder.remove("h2").checkpoint();
    builder.human("h4", "four");
    Fixture f(builder.build());
    QCOMPARE(f.raw.rowCount(), 4);
    QVERIFY(f.raw.describe(1).tombstone);
    QCOMPARE(f.raw.describe(1).preview, u"two"_s);
    QCOMPARE(f.raw.rowOf(std::string("h2")), 1);
    QCOMPARE(f.raw.rowOf(std::string("h3")), 2);
    QCOMPARE(f.raw.indexAt(2), MessageIndex(1));
    QVERIFY(!f.raw.indexAt(1).isValid());
    // Before it was removed there is no tombstone.
    f.selection.setCheckpoint(f.focus.thread()->namespaces[0].checkpoints[0].id);
    QCOMPARE(f.raw.rowCount(), 3);
    QVERIFY(!f.raw.describe(1).tombstone);
}

void TestMessageModel::rewrittenMessagesHaveVersions()
{
    ThreadBuilder builder;
    builder.human("h1", "one").calls("a", {{"c", "read"}}).tool("t", "c", "read", "long text").checkpoint();
    builder.rewrite("t", "short").checkpoint();
    Fixture f(builder.build());
    QCOMPARE(f.raw.describe(2).versions, 2);
    QCOMPARE(f.raw.describe(2).preview, u"short"_s);
    QCOMPARE(f.raw.describe(0).versions, 1);
    f.selection.setMessage("t");
    QSignalSpy changed(&f.raw, &QAbstractItemModel::dataChanged);
    f.selection.setVersion(0);
    QCOMPARE(changed.count(), 1);
    QCOMPARE(f.raw.index(2, 0).data(int(MessageRole::Text)).toString(), u"long text"_s);
    QVERIFY(f.raw.describe(2).firstWritten);
    f.selection.setVersion(-1);
    QCOMPARE(f.raw.index(2, 0).data(int(MessageRole::Text)).toString(), u"short"_s);
}

void TestMessageModel::filterKeepsTheWayBack()
{
    Fixture f(chain().build());
    MessageFilter filter;
    filter.roles = QStringList{u"tool"_s};
    f.raw.setFilter(filter);
    QCOMPARE(f.raw.rowCount(), 3);
    QCOMPARE(f.raw.indexAt(0), MessageIndex(2));
    QCOMPARE(f.raw.rowOf(MessageIndex(2)), 0);
    QCOMPARE(f.raw.rowOf(MessageIndex(0)), -1);
    filter = {};
    filter.context = MessageFilter::Context::In;
    f.raw.setFilter(filter);
    QCOMPARE(f.raw.rowCount(), 3);
    filter = {};
    filter.tool = u"needle"_s;
    f.raw.setFilter(filter);
    QCOMPARE(f.raw.rowCount(), 2);
    f.raw.setFilter({});
    QCOMPARE(f.raw.rowCount(), 6);
}

void TestMessageModel::subagentsAreLinked()
{
    ThreadBuilder builder;
    builder.human("h", "go").calls("a", {{"c1", "task"}, {"c2", "task"}}).tool("t", "c1", "task", "done");
    builder.subagent({"tools:1", "", "c1", "researcher", "look into it", true});
    builder.subagent({"tools:2", "", "c2", "writer", "write it up", false});
    Fixture f(builder.build());
    QCOMPARE(f.raw.describe(1).subagents,
        (QList<RowSubagent>{{u"tools:1"_s, u"researcher"_s, u"look into it"_s, false},
            {u"tools:2"_s, u"writer"_s, u"write it up"_s, true}}));
    // The answer leads there as well.
    QCOMPARE(f.raw.describe(2).subagents.size(), 1);
    QCOMPARE(f.raw.describe(2).subagents.front().title(), u"researcher: look into it"_s);
}

void TestMessageModel::unseenPartComesFromTheReportedInput()
{
    ThreadBuilder builder;
    builder.human("h", "go").call(1000);
    Fixture f(builder.build());
    const Unseen unseen = unseenAt(*f.focus.scene());
    QCOMPARE(unseen.from, CallNumber(1));
    QCOMPARE(unseen.reported, std::int64_t(1000));
    QVERIFY(unseen.tokens.has_value());
    QCOMPARE(*unseen.tokens + unseen.counted, std::int64_t(1000));
    // Before a worker has counted the messages, nothing is counted here.
    Selection selection;
    Focus early(&selection);
    selection.setThread("thread");
    early.setThread(ThreadBuilder().human("h", "go").call(1000).build());
    QVERIFY(unseenAt(*early.scene()).counting);
    QVERIFY(!unseenAt(*early.scene()).tokens);
    Fixture without(ThreadBuilder().human("h", "go").call().build());
    QVERIFY(!unseenAt(*without.focus.scene()).tokens);
}

void TestMessageModel::hundredThousandRowsCostNothingUntilSeen()
{
    ThreadBuilder builder;
    for (int i = 0; i < 50000; ++i)
        builder.human("h" + std::to_string(i), "question").ai("a" + std::to_string(i), "answer");
    Selection selection;
    Focus focus(&selection);
    MessageModel raw(&focus, MessageModel::List::RawLog);
    selection.setThread("thread");
    focus.setThread(builder.build());
    QCOMPARE(raw.rowCount(), 100000);
    QElapsedTimer timer;
    timer.start();
    for (int row = 60000; row < 60050; ++row)
        QVERIFY(!raw.describe(row).preview.isEmpty());
    QVERIFY2(timer.elapsed() < 500, "describing a screenful must not walk the log");
}

void TestMessageModel::remoteMediaStaysText()
{
    Message message;
    message.kind = MessageKind::Human;
    message.type = "human";
    message.id = "m";
    message.content = Value(Value::List{Value::map(
        {{"type", Value("image_url")}, {"image_url", Value::map({{"url", Value("http://203.0.113.7/a.png")}})}})});
    ThreadBuilder builder;
    builder.message(message);
    Fixture f(builder.build());
    const MessageRow row = f.raw.describe(0);
    QVERIFY(row.media);
    QVERIFY(row.remote);
    QVERIFY(row.preview.contains(u"http://203.0.113.7/a.png"_s));
}

QTEST_GUILESS_MAIN(TestMessageModel)
#include "tst_messagemodel.moc"
