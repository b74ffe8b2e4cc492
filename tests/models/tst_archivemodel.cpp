// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/archivemodel.h"
#include "models/navigator.h"
#include "models/search.h"
#include "models/threadlistmodel.h"
#include "tests/support/threadbuilder.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QtTest>

using namespace palimpsest;
using namespace Qt::StringLiterals;

class TestArchiveModel : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void groupsFilesAndSections();
    void aSummarizedMessageIsFoundInItsSection();
    void scrubbingOverTheSameFilesKeepsTheTree();
    void searchCountsByPane();
    void idsLeadToTheirPlace();
    void stepsStayOnTheBranch();
    void threadsShowWordsAndMetadata();
};

namespace {

const char *const archivePath = "/conversation_history/session_1.md";

ThreadPtr sample()
{
    ThreadBuilder builder("thread-one");
    builder.human("h1", "first words").ai("a1", "the heron answers").human("h2", "second").checkpoint();
    builder.ai("a2", "more").event(2, "summary one", archivePath).checkpoint();
    builder.human("h3", "third").ai("a3", "again").event(4, "summary two", archivePath).checkpoint();
    builder.file("/large_tool_results/call_1", "heron result")
        .file("/media/a.png", "png")
        .file("/notes.txt", "note")
        .checkpoint();
    builder.human("h4", "last").checkpoint();
    return builder.build();
}

struct Fixture {
    Selection selection;
    Focus focus{&selection};
    ArchiveModel model{&focus};
    QAbstractItemModelTester tester{&model, QAbstractItemModelTester::FailureReportingMode::QtTest};

    explicit Fixture(const ThreadPtr &thread)
    {
        selection.setThread(thread->id);
        focus.setThread(thread);
        focus.setFacts(*makeLogFacts(thread, {}));
    }
};

} // namespace

void TestArchiveModel::groupsFilesAndSections()
{
    Fixture f(sample());
    QCOMPARE(f.model.rowCount(), 4);
    const QModelIndex archives = f.model.index(0, 0);
    QCOMPARE(f.model.rowCount(archives), 1);
    const QModelIndex file = f.model.index(0, 0, archives);
    QCOMPARE(file.data().toString(), u"session_1.md"_s);
    QCOMPARE(f.model.rowCount(file), 2);
    QCOMPARE(f.model.index(0, 0, file).data(ArchiveModel::Event).toInt(), 1);
    QCOMPARE(f.model.index(1, 0, file).data(ArchiveModel::Event).toInt(), 2);
    QCOMPARE(f.model.findEvent(2), f.model.index(1, 0, file));
    QCOMPARE(f.model.rowCount(f.model.index(1, 0)), 1);
    QCOMPARE(f.model.rowCount(f.model.index(2, 0)), 1);
    QCOMPARE(f.model.rowCount(f.model.index(3, 0)), 1);
    QCOMPARE(f.model.messagesOf(archivePath, 1), std::pair(MessageIndex(2), MessageIndex(4)));
    QVERIFY(f.model.content("/notes.txt").has_value());
    QVERIFY(!f.model.content("/nowhere.txt").has_value());
}

void TestArchiveModel::aSummarizedMessageIsFoundInItsSection()
{
    Fixture f(sample());
    QCOMPARE(f.model.placeOf("a1"), (ArchivePlace{archivePath, 0, 1}));
    QCOMPARE(f.model.placeOf("h2"), (ArchivePlace{archivePath, 1, 0}));
    QCOMPARE(f.model.placeOf("h4"), ArchivePlace());
    QCOMPARE(f.model.placeOf("nobody"), ArchivePlace());
}

void TestArchiveModel::scrubbingOverTheSameFilesKeepsTheTree()
{
    Fixture f(sample());
    const auto &checkpoints = f.focus.thread()->namespaces[0].checkpoints;
    QSignalSpy reset(&f.model, &QAbstractItemModel::modelReset);
    f.selection.setCheckpoint(checkpoints[3].id);
    QCOMPARE(reset.count(), 0);
    f.selection.setCheckpoint(checkpoints[0].id);
    QCOMPARE(reset.count(), 1);
    QCOMPARE(f.model.rowCount(f.model.index(0, 0)), 0);
}

void TestArchiveModel::searchCountsByPane()
{
    Fixture f(sample());
    const SearchAnswer answer = searchScene(*f.focus.scene(), {}, u"HERON"_s, {});
    QCOMPARE(answer.count(SearchHit::Pane::RawLog), 1);
    QCOMPARE(answer.count(SearchHit::Pane::Effective), 0);
    QCOMPARE(answer.count(SearchHit::Pane::Archive), 2);
    QCOMPARE(answer.hits[0].message, std::string("a1"));
    std::stop_source stop;
    stop.request_stop();
    JobContext stopped;
    stopped.stop = stop.get_token();
    QVERIFY(searchScene(*f.focus.scene(), {}, u"heron"_s, stopped).hits.empty());
}

void TestArchiveModel::idsLeadToTheirPlace()
{
    ThreadBuilder builder("thread-one");
    builder.human("message-00001", "go")
        .calls("message-00002", {{"call_abcdef", "task"}})
        .tool("m3", "call_abcdef", "task", "done")
        .call();
    builder.space("tools:7777aaaa-1").human("inner-000001", "sub").checkpoint();
    Fixture f(builder.build());
    const Scene &scene = *f.focus.scene();
    const auto at = [&](const std::string &id) { return findId(scene, {}, f.selection.place(), id); };
    QCOMPARE(at("message-00001")->place.message, std::string("message-00001"));
    QCOMPARE(at("call_abcdef")->place.message, std::string("message-00002"));
    const std::string checkpoint = scene.space->checkpoints[0].id;
    QCOMPARE(at(checkpoint)->place.checkpoint, checkpoint);
    QCOMPARE(at("task-1")->place.call, CallNumber(1));
    QCOMPARE(at("7777aaaa-1")->place.ns, std::string("tools:7777aaaa-1"));
    QCOMPARE(at("inner-000001")->place.ns, std::string("tools:7777aaaa-1"));
    QVERIFY(!at("no such id"));
    QVERIFY(!at("zzz"));
}

void TestArchiveModel::stepsStayOnTheBranch()
{
    Fixture f(sample());
    const auto &checkpoints = f.focus.thread()->namespaces[0].checkpoints;
    const auto go = [&](auto step, int direction) {
        f.selection.setPlace(step(*f.focus.scene(), f.selection.place(), direction));
    };
    go(stepEvent, -1);
    QCOMPARE(f.selection.place().checkpoint, checkpoints[2].id);
    QCOMPARE(f.focus.scene()->inForce, 2);
    go(stepEvent, -1);
    QCOMPARE(f.focus.scene()->inForce, 1);
    go(stepEvent, -1);
    QCOMPARE(f.selection.place().checkpoint, checkpoints[1].id);
    go(stepCheckpoint, -1);
    QCOMPARE(f.focus.scene()->inForce, 0);
    QCOMPARE(f.focus.scene()->events.size(), std::size_t(2));
    go(stepCheckpoint, -1);
    QCOMPARE(f.selection.place().checkpoint, checkpoints[0].id);
    go(stepMessage, 1);
    QCOMPARE(f.selection.place().message, std::string("h1"));
    go(stepMessage, 1);
    QCOMPARE(f.selection.place().message, std::string("a1"));
}

void TestArchiveModel::threadsShowWordsAndMetadata()
{
    ThreadListModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    ThreadRow old;
    old.id = "t1";
    old.title = "Find the passphrase";
    old.last = "2026-01-01T10:00:00";
    old.namespaces = {{"", 4, 1}};
    old.metadata = Value::map({{"user_id", Value("ada")}, {"source", Value("loop")}});
    ThreadRow young;
    young.id = "t2";
    young.last = "2026-02-01T10:00:00";
    young.error = "ValueError('no')";
    young.namespaces = {{"", 4, {}}, {"tools:1", 2, {}}};
    model.setRows({old, young});
    QCOMPARE(model.rowCount(), 2);
    QCOMPARE(model.index(0, 0).data(ThreadListModel::ThreadId).toString(), u"t2"_s);
    QCOMPARE(model.index(0, 0).data().toString(), u"t2"_s);
    QVERIFY(model.index(0, 0).data(ThreadListModel::HasError).toBool());
    QCOMPARE(model.rowCount(model.index(0, 0)), 2);
    QCOMPARE(model.rowCount(model.index(1, 0)), 0);
    QCOMPARE(model.index(1, 0).data().toString(), u"Find the passphrase"_s);
    // The time, which tells threads of the same words apart, is not what a narrow list cuts.
    const QString detail = model.index(1, 0).data(ThreadListModel::Detail).toString();
    QVERIFY2(detail.startsWith(u"2026-01-01 10:00 · "_s), qPrintable(detail));
    QVERIFY(!detail.contains(u"event"_s));
    QVERIFY(model.index(1, 0).data(Qt::ToolTipRole).toString().contains(detail));
    QCOMPARE(model.headerData(ThreadListModel::FirstMetadata, Qt::Horizontal).toString(), u"user_id"_s);
    QCOMPARE(model.index(1, ThreadListModel::FirstMetadata).data().toString(), u"ada"_s);
    QCOMPARE(model.find("t2", "tools:1").parent(), model.index(0, 0));
    QVERIFY(!model.find("t3", "").isValid());
}

QTEST_GUILESS_MAIN(TestArchiveModel)
#include "tst_archivemodel.moc"
