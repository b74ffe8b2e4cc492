// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/findingsmodel.h"
#include "models/statemodel.h"
#include "models/threadfindings.h"

#include <QAbstractItemModelTester>
#include <QTest>

using namespace palimpsest;
using namespace Qt::StringLiterals;

namespace {

ChannelState channelOf(const char *name, Value value, bool changed = false)
{
    ChannelState state;
    state.name = name;
    state.value = std::move(value);
    state.changed = changed;
    return state;
}

QString words(const StateModel &model, int row, const QModelIndex &parent = {})
{
    return model.index(row, StateModel::ValueColumn, parent).data().toString();
}

Finding findingOf(const char *rule, Finding::Severity severity, const char *message, const char *checkpoint = "")
{
    Finding finding;
    finding.rule = rule;
    finding.severity = severity;
    finding.message = message;
    finding.checkpointId = checkpoint;
    return finding;
}

} // namespace

class TestStateModel : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyValueIsATree()
    {
        StateModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        const Value tagged(
            Value::Tagged{Value::Form::PydanticV2, "my.mod", "Thing", Value::map({{"x", Value(1)}}), {}});
        model.setChannels({channelOf("todos", Value::list({Value::map({{"content", Value("write")}}), tagged}), true),
            channelOf("blob", Value::bytes("\x01\x02"))});
        QCOMPARE(model.rowCount(), 2);
        QCOMPARE(words(model, 0), u"[2 items]"_s);
        QCOMPARE(words(model, 1), u"2 bytes  01 02"_s);
        const QModelIndex todos = model.index(0, 0);
        QVERIFY(todos.data(StateModel::ChangedRole).toBool());
        QCOMPARE(model.rowCount(todos), 2);
        const QModelIndex first = model.index(0, 0, todos);
        const QModelIndex content = model.index(0, 0, first);
        QCOMPARE(content.data(StateModel::PathRole).toString(), u"todos[0][\"content\"]"_s);
        QCOMPARE(content.data(StateModel::CopyRole).toString(), u"write"_s);
        QCOMPARE(words(model, 1, todos), u"my.mod.Thing{x}"_s);
        QCOMPARE(words(model, 0, model.index(1, 0, todos)), u"1"_s);
        QCOMPARE(model.changedCount(), 1);
    }

    void storedNullAndWhatCannotBeRebuiltDiffer()
    {
        StateModel model;
        ChannelState broken = channelOf("broken", Value());
        broken.undecodable = "row is cut at byte 12";
        model.setChannels({channelOf("empty", Value()), broken});
        QCOMPARE(words(model, 0), u"null, as stored"_s);
        QCOMPARE(words(model, 1), u"cannot be rebuilt: row is cut at byte 12"_s);
        QVERIFY(!model.index(0, 0).data(StateModel::UndecodableRole).toBool());
        QVERIFY(model.index(1, 0).data(StateModel::UndecodableRole).toBool());
    }

    void unknownReducersAreShownInPieces()
    {
        StateModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        ChannelState delta = channelOf("notes", Value::list({Value(1)}));
        delta.delta = true;
        WriteRow write;
        write.taskId = "0123456789";
        write.idx = 3;
        write.value = {"msgpack", "\x91\x02"};
        delta.writes.push_back(write);
        model.setChannels({delta});
        QCOMPARE(words(model, 0), u"reducer not known: snapshot and writes"_s);
        const QModelIndex channel = model.index(0, 0);
        QCOMPARE(model.rowCount(channel), 2);
        QCOMPARE(words(model, 0, channel), u"[1 item]"_s);
        QCOMPARE(words(model, 1, channel), u"1"_s);
        const QModelIndex writes = model.index(1, 0, channel);
        QCOMPARE(model.index(0, 0, writes).data().toString(), u"task 01234567 · 3"_s);
        QCOMPARE(words(model, 0, writes), u"2 bytes  91 02"_s);
    }

    void filtersChannels()
    {
        StateModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setChannels(
            {channelOf("messages", Value(1), true), channelOf("files", Value(2)), channelOf("todos", Value(3), true)});
        model.setFilter(true, {});
        QCOMPARE(model.rowCount(), 2);
        model.setFilter(false, u"FILE"_s);
        QCOMPARE(model.rowCount(), 1);
        QCOMPARE(model.index(0, 0).data().toString(), u"files"_s);
        model.setFilter(true, u"FILE"_s);
        QCOMPARE(model.rowCount(), 0);
    }

    void findingsAreGroupedAndFiltered()
    {
        FindingsModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setFindings({findingOf("note", Finding::Severity::Info, "one"),
            findingOf("orphan", Finding::Severity::Error, "two", "c7"),
            findingOf("note", Finding::Severity::Warning, "three")});
        QCOMPARE(model.rowCount(), 2);
        QCOMPARE(model.index(0, 0).data().toString(), u"orphan"_s);
        QCOMPARE(model.rowCount(model.index(1, 0)), 2);
        QCOMPARE(
            model.index(1, 0).data(FindingsModel::SeverityRole).toInt(), static_cast<int>(Finding::Severity::Warning));
        const QModelIndex orphan = model.index(0, 0, model.index(0, 0));
        QCOMPARE(orphan.data(FindingsModel::CheckpointRole).toByteArray(), QByteArray("c7"));
        QCOMPARE(model.findingAt(orphan)->message, std::string("two"));
        QVERIFY(!model.findingAt(model.index(0, 0)));
        model.setFilter(Finding::Severity::Warning, {});
        QCOMPARE(model.shownCount(), 2);
        model.setFilter(Finding::Severity::Info, u"three"_s);
        QCOMPARE(model.shownCount(), 1);
        QCOMPARE(model.count(Finding::Severity::Info), 1);
    }

    void findingsOfAThreadAreEachThereOnce()
    {
        Thread thread;
        thread.findings = {findingOf("a", Finding::Severity::Info, "x")};
        ThreadNamespace space;
        Checkpoint checkpoint;
        checkpoint.findings = {
            findingOf("a", Finding::Severity::Info, "x"), findingOf("b", Finding::Severity::Error, "y")};
        space.checkpoints.push_back(checkpoint);
        thread.namespaces.push_back(space);
        QCOMPARE(findingsOf(thread).size(), 2u);
    }
};

QTEST_APPLESS_MAIN(TestStateModel)
#include "tst_statemodel.moc"
