// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sources/sourceprobe.h"
#include "core/thread/snapshotcheck.h"
#include "core/thread/states.h"
#include "core/thread/threadlist.h"
#include "core/thread/threadreader.h"
#include "tests/support/checkpointfile.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>

using namespace Qt::StringLiterals;
using namespace palimpsest;
using palimpsest::test::CheckpointFile;

namespace {

std::vector<std::string> texts(const MessageLog &log)
{
    std::vector<std::string> found;
    for (const MessagePtr &message : log)
        found.push_back(textOf(*message));
    return found;
}

std::vector<std::string> ids(const MessageLog &log)
{
    std::vector<std::string> found;
    for (const MessagePtr &message : log)
        found.push_back(message->id.value_or("-"));
    return found;
}

const Finding *findingOf(const Checkpoint &checkpoint, const std::string &rule)
{
    const auto found = std::find_if(
        checkpoint.findings.begin(), checkpoint.findings.end(), [&](const Finding &f) { return f.rule == rule; });
    return found == checkpoint.findings.end() ? nullptr : &*found;
}

using Words = std::vector<std::string>;

} // namespace

class TestThreadReader : public QObject {
    Q_OBJECT

private:
    QTemporaryDir m_folder;

    std::string path(const QString &name) const { return m_folder.filePath(name).toStdString(); }
    std::string copyOf(const QString &recording)
    {
        const QString to =
            m_folder.filePath(recording.section(u'/', -1) + u"-"_s + QString::fromLatin1(QTest::currentTestFunction()));
        QFile::remove(to);
        QFile::copy(QStringLiteral(PALIMPSEST_TEST_DATA "/") + recording + u".sqlite"_s, to);
        QFile::setPermissions(to, QFile::ReadOwner | QFile::WriteOwner);
        return to.toStdString();
    }
    static ThreadPtr load(const std::string &file, const std::string &thread, const LoadOptions &options = {})
    {
        Result<std::unique_ptr<CheckpointSource>> source = openSource(file);
        if (!source)
            return nullptr;
        Result<ThreadPtr> loaded = loadThread(**source, thread, options, {});
        return loaded ? *loaded : nullptr;
    }

private Q_SLOTS:
    void leavesAnAbandonedBranchesWritesOut()
    {
        const std::string file = copyOf(u"cases/lg129_fork_leak_8443"_s);
        LoadOptions options;
        options.messagesChannel = "log";
        const ThreadPtr thread = load(file, "mid", options);
        QVERIFY(thread);
        const ThreadNamespace &root = thread->namespaces.front();
        QCOMPARE(root.heads.size(), std::size_t(2));
        QCOMPARE(texts(root.checkpoints[root.heads[0].at()].messages), (Words{"in-1", "first-out"}));
        QCOMPARE(texts(root.checkpoints[root.heads[1].at()].messages), (Words{"in-1", "in-3", "third-out"}));
        // Whatever is taken as the log, the doubt is said, with the writes it is about.
        const ThreadPtr plain = load(file, "mid");
        QVERIFY(plain);
        const Checkpoint &fork = plain->namespaces.front().checkpoints[3];
        const Finding *doubt = findingOf(fork, "ambiguous-fork");
        QVERIFY(doubt);
        QCOMPARE(doubt->evidence["channel"].asText(), std::string("log"));
        QCOMPARE(doubt->evidence["writes"].asList().size(), std::size_t(1));
        QCOMPARE(doubt->evidence["settled_by"].asText(), std::string("channel_versions"));
        QCOMPARE(doubt->severity, Finding::Severity::Info);
    }

    void showsAChannelOfUnknownReducerAsSnapshotAndWrites()
    {
        Result<std::unique_ptr<CheckpointSource>> source = openSource(copyOf(u"cases/lg129_fork_leak_8443"_s));
        const Result<ThreadPtr> thread = loadThread(**source, "mid", {}, {});
        QVERIFY(thread.has_value());
        const auto channels = readChannels(**source, **thread, "", CheckpointIndex(2));
        QVERIFY(channels.has_value());
        const auto log =
            std::find_if(channels->begin(), channels->end(), [](const ChannelState &c) { return c.name == "log"; });
        QVERIFY(log != channels->end());
        QVERIFY(log->delta);
        QVERIFY(!log->rebuilt);
        QVERIFY(log->changed);
        QCOMPARE(log->value["writes_since"].asList().size(), std::size_t(2));
        const auto full =
            std::find_if(channels->begin(), channels->end(), [](const ChannelState &c) { return c.name == "full"; });
        QVERIFY(full != channels->end());
        QCOMPARE(full->value.asList().size(), std::size_t(2));
        QVERIFY(!full->delta);
    }

    void tellsPrunedHistoryFromAnEmptyLog()
    {
        const std::string file = path(u"pruned"_s);
        test::makeDeltaThread(file, 120, 50);
        {
            CheckpointFile change(file);
            QVERIFY(change.run("DELETE FROM checkpoints WHERE checkpoint_id < '" + CheckpointFile::id(20, 20) + "'"));
            QVERIFY(change.run("DELETE FROM writes WHERE checkpoint_id < '" + CheckpointFile::id(20, 20) + "'"));
        }
        const ThreadPtr thread = load(file, "made");
        QVERIFY(thread);
        const std::vector<Checkpoint> &all = thread->namespaces.front().checkpoints;
        QCOMPARE(all.size(), std::size_t(100));
        QVERIFY(all[0].incomplete);
        const Finding *pruned = findingOf(all[5], "pruned-history");
        QVERIFY(pruned);
        QCOMPARE(pruned->evidence["missing_updates"].asInt(), std::int64_t(20));
        // The known tail is kept, and the next snapshot settles it.
        QCOMPARE(ids(all[2].messages), (Words{"m20", "m21"}));
        QVERIFY(!all[30].incomplete);
        QCOMPARE(all[30].messages.size(), std::size_t(50));
        QCOMPARE(all[99].messages.size(), std::size_t(119));
        QVERIFY(!all[99].incomplete);
    }

    void namesAnOverwriteThatLostItsType()
    {
        const std::string file = path(u"untyped"_s);
        test::makeDeltaThread(file, 10, 50);
        {
            CheckpointFile change(file);
            QVERIFY(change.run("DELETE FROM writes WHERE checkpoint_id = '" + CheckpointFile::id(5, 5) + "'"));
            change.write("made", "", CheckpointFile::id(5, 5), "task-5", "~__pregel_pull, model", 0, "messages",
                Value::map({{"value", Value::list({CheckpointFile::message("human", "x", "new start")})}}));
        }
        const ThreadPtr thread = load(file, "made");
        const std::vector<Checkpoint> &all = thread->namespaces.front().checkpoints;
        QVERIFY(findingOf(all[5], "untyped-overwrite"));
        QVERIFY(!all[5].incomplete);
        QCOMPARE(all[5].messages.size(), std::size_t(5));
        QVERIFY(all[6].incomplete);
        QVERIFY(all[9].incomplete);
        QCOMPARE(all[9].messages.size(), std::size_t(8));
        // The user may take it for what it was; then it is said, and nothing is unknown.
        LoadOptions choice;
        choice.untypedOverwriteResets = true;
        const ThreadPtr chosen = load(file, "made", choice);
        const std::vector<Checkpoint> &known = chosen->namespaces.front().checkpoints;
        QVERIFY(findingOf(known[5], "untyped-overwrite"));
        QCOMPARE(findingOf(known[5], "untyped-overwrite")->severity, Finding::Severity::Info);
        QCOMPARE(ids(known[9].messages), (Words{"x", "m6", "m7", "m8"}));
        QVERIFY(!known[9].incomplete);
    }

    void startsAnewAtAnOverwrite()
    {
        const std::string file = path(u"overwrite"_s);
        test::makeDeltaThread(file, 10, 50);
        {
            CheckpointFile change(file);
            QVERIFY(change.run("DELETE FROM writes WHERE checkpoint_id = '" + CheckpointFile::id(5, 5) + "'"));
            change.write("made", "", CheckpointFile::id(5, 5), "task-5", "~__pregel_pull, model", 0, "messages",
                Value::map({{"__overwrite__", Value::list({CheckpointFile::message("human", "x", "new start")})}}));
        }
        const ThreadPtr thread = load(file, "made");
        const ThreadNamespace &root = thread->namespaces.front();
        QCOMPARE(ids(root.checkpoints[9].messages), (Words{"x", "m6", "m7", "m8"}));
        QVERIFY(!root.checkpoints[9].incomplete);
        // What went away is a tombstone that says when.
        const auto gone = root.versions.find("m2");
        QVERIFY(gone != root.versions.end());
        QCOMPARE(gone->second.size(), std::size_t(2));
        QVERIFY(gone->second.back().body == nullptr);
        QCOMPARE(gone->second.back().checkpoint, CheckpointIndex(6));
        QCOMPARE(gone->second.front().checkpoint, CheckpointIndex(3));
        QCOMPARE(gone->second.front().taskId, std::string("task-2"));
    }

    void saysWhereAnOverwriteAmongOthersLeavesTheLiveValueOpen()
    {
        const std::string file = path(u"batch"_s);
        test::makeDeltaThread(file, 4, 50);
        {
            CheckpointFile change(file);
            // Two tasks of one superstep write files, the second an Overwrite.
            const std::string second = CheckpointFile::id(2, 2);
            change.write("made", "", second, "task-a", "~__pregel_pull, one", 0, "files",
                Value::map({{"/b.txt", Value::map({{"content", Value("b")}})}}));
            change.write("made", "", second, "task-b", "~__pregel_pull, two", 0, "files",
                Value::map({{"__overwrite__", Value::map({{"/a.txt", Value::map({{"content", Value("a")}})}})}}));
            QVERIFY(change.run("DELETE FROM checkpoints WHERE checkpoint_id = '" + CheckpointFile::id(3, 3) + "'"));
            change.checkpoint("made", "", CheckpointFile::id(3, 3), second, Value(Value::Map{}),
                Value::map({{"messages", Value("100003")}, {"files", Value("100003")}}),
                Value::map({{"source", Value("loop")}, {"step", Value(3)},
                    {"counters_since_delta_snapshot",
                        Value::map({{"messages", Value::list({Value(3), Value(3)})},
                            {"files", Value::list({Value(1), Value(1)})}})}}));
        }
        const ThreadPtr thread = load(file, "made");
        const Checkpoint &last = thread->namespaces.front().checkpoints.back();
        const Finding *finding = findingOf(last, "overwrite-batch-differs");
        QVERIFY(finding);
        QCOMPARE(finding->evidence["channel"], Value("files"));
        QCOMPARE(finding->evidence["live_differs_in"], Value::list({Value("langgraph 1.2.0 to 1.2.6")}));
        QCOMPARE(last.files.size(), std::size_t(1));
        QVERIFY(last.files.find("/a.txt"));
    }

    void keepsVersionsOfARewrittenMessage()
    {
        const std::string file = path(u"versions"_s);
        test::makeDeltaThread(file, 10, 50);
        {
            CheckpointFile change(file);
            change.write("made", "", CheckpointFile::id(5, 5), "task-5", "~__pregel_pull, model", 1, "messages",
                Value::list(
                    {CheckpointFile::message("ai", "m1", "clipped"), CheckpointFile::message("remove", "m3", "")}));
        }
        const ThreadPtr thread = load(file, "made");
        const ThreadNamespace &root = thread->namespaces.front();
        QCOMPARE(ids(root.checkpoints[6].messages), (Words{"m0", "m1", "m2", "m4", "m5"}));
        QCOMPARE(texts(root.checkpoints[5].messages)[1], std::string("text 1"));
        QCOMPARE(texts(root.checkpoints[6].messages)[1], std::string("clipped"));
        const std::vector<BodyVersion> &versions = root.versions.at("m1");
        QCOMPARE(versions.size(), std::size_t(2));
        QCOMPARE(textOf(*versions[0].body), std::string("text 1"));
        QCOMPARE(versions[1].taskId, std::string("task-5"));
        QCOMPARE(root.versions.at("m3").size(), std::size_t(2));
        QVERIFY(!root.versions.contains("m2"));
    }

    void appliesParallelTasksByPath()
    {
        const std::string file = path(u"parallel"_s);
        test::makeDeltaThread(file, 10, 50);
        {
            CheckpointFile change(file);
            const std::string at = CheckpointFile::id(5, 5);
            QVERIFY(change.run("DELETE FROM writes WHERE checkpoint_id = '" + at + "'"));
            change.write("made", "", at, "aaaa", "~__pregel_push, 0000000000, 0000000001", 0, "messages",
                Value::list({CheckpointFile::message("tool", "second", "2")}));
            change.write("made", "", at, "bbbb", "~__pregel_push, 0000000000, 0000000000", 0, "messages",
                Value::list({CheckpointFile::message("tool", "first", "1")}));
        }
        const ThreadPtr thread = load(file, "made");
        const Checkpoint &after = thread->namespaces.front().checkpoints[6];
        QCOMPARE(ids(after.messages), (Words{"m0", "m1", "m2", "m3", "m4", "first", "second"}));
        QVERIFY(!findingOf(after, "parallel-order-unknown"));
    }

    void saysThatTheOrderOfParallelTasksIsUnknown()
    {
        const std::string file = path(u"unordered"_s);
        {
            CheckpointFile make(file);
            make.createTables(false);
            const Value counted = Value::map({{"source", Value("loop")}, {"step", Value(0)},
                {"counters_since_delta_snapshot", Value::map({{"messages", Value::list({Value(1), Value(1)})}})}});
            const Value none = Value(Value::Map{});
            make.checkpoint("t", "", CheckpointFile::id(0, 0), "", none, none,
                Value::map({{"source", Value("input")}, {"step", Value(0)}}));
            make.checkpoint("t", "", CheckpointFile::id(1, 1), CheckpointFile::id(0, 0), none,
                Value::map({{"messages", Value("2")}}), counted.with("step", Value(1)));
            make.write("t", "", CheckpointFile::id(0, 0), "bbbb", "", 0, "messages",
                Value::list({CheckpointFile::message("tool", "b", "b")}));
            make.write("t", "", CheckpointFile::id(0, 0), "aaaa", "", 0, "messages",
                Value::list({CheckpointFile::message("tool", "a", "a")}));
        }
        const ThreadPtr thread = load(file, "t");
        const Checkpoint &after = thread->namespaces.front().checkpoints[1];
        QCOMPARE(ids(after.messages), (Words{"a", "b"}));
        const Finding *doubt = findingOf(after, "parallel-order-unknown");
        QVERIFY(doubt);
        QCOMPARE(doubt->evidence["tasks"].asList().size(), std::size_t(2));
        QVERIFY(doubt->message.starts_with("2 parallel tasks"));
    }

    void findsARowWithAnotherRowsContent()
    {
        const std::string file = path(u"mismatch"_s);
        test::makeDeltaThread(file, 10, 50);
        CheckpointFile(file).run(
            "UPDATE checkpoints SET checkpoint = (SELECT checkpoint FROM checkpoints WHERE checkpoint_id = '"
            + CheckpointFile::id(3, 3) + "') WHERE checkpoint_id = '" + CheckpointFile::id(7, 7) + "'");
        const ThreadPtr thread = load(file, "made");
        const Finding *found = findingOf(thread->namespaces.front().checkpoints[7], "row-id-mismatch");
        QVERIFY(found);
        QCOMPARE(found->evidence["inner_id"].asText(), CheckpointFile::id(3, 3));
    }

    void survivesParentsInALoop()
    {
        const std::string file = path(u"loop"_s);
        test::makeDeltaThread(file, 10, 50);
        CheckpointFile(file).run("UPDATE checkpoints SET parent_checkpoint_id = '" + CheckpointFile::id(9, 9)
            + "' WHERE checkpoint_id = '" + CheckpointFile::id(0, 0) + "'");
        const ThreadPtr thread = load(file, "made");
        QVERIFY(thread);
        QCOMPARE(thread->namespaces.front().checkpoints.size(), std::size_t(10));
    }

    void keepsTheRestWhenOneRowCannotBeRead()
    {
        const std::string file = path(u"badrow"_s);
        test::makeDeltaThread(file, 60, 50);
        {
            CheckpointFile change(file);
            QVERIFY(change.run("UPDATE checkpoints SET checkpoint = substr(checkpoint, 1, 40) WHERE checkpoint_id = '"
                + CheckpointFile::id(7, 7) + "'"));
            QVERIFY(change.run(
                "UPDATE checkpoints SET type = 'pickle' WHERE checkpoint_id = '" + CheckpointFile::id(9, 9) + "'"));
            QVERIFY(change.run("UPDATE writes SET value = substr(value, 1, 20) WHERE checkpoint_id = '"
                + CheckpointFile::id(20, 20) + "'"));
            QVERIFY(change.run("UPDATE checkpoints SET metadata = '{\"step\": ' WHERE checkpoint_id = '"
                + CheckpointFile::id(30, 30) + "'"));
        }
        const ThreadPtr thread = load(file, "made");
        const std::vector<Checkpoint> &all = thread->namespaces.front().checkpoints;
        QCOMPARE(all.size(), std::size_t(60));
        QVERIFY(findingOf(all[7], "undecodable-value"));
        QVERIFY(findingOf(all[9], "undecodable-value"));
        QVERIFY(findingOf(all[20], "undecodable-value"));
        QVERIFY(findingOf(all[30], "undecodable-value"));
        // Their logs follow from the writes; only what the broken write held is lost, until the snapshot at 50.
        QCOMPARE(all[9].messages.size(), std::size_t(9));
        QVERIFY(!all[9].incomplete);
        QCOMPARE(all[20].messages.size(), std::size_t(20));
        QVERIFY(all[21].incomplete);
        QVERIFY(all[49].incomplete);
        QVERIFY(!all[50].incomplete);
        QCOMPARE(all[50].messages.size(), std::size_t(50));
        QCOMPARE(all[30].step, 30);
    }

    void readsASnapshotThatTheWritesContradict()
    {
        const std::string file = path(u"contradiction"_s);
        test::makeDeltaThread(file, 60, 50);
        CheckpointFile(file).run("DELETE FROM writes WHERE checkpoint_id = '" + CheckpointFile::id(20, 20) + "'");
        const ThreadPtr thread = load(file, "made");
        const std::vector<Checkpoint> &all = thread->namespaces.front().checkpoints;
        QCOMPARE(all[49].messages.size(), std::size_t(48));
        QCOMPARE(all[50].messages.size(), std::size_t(50));
        QCOMPARE(all[59].messages.size(), std::size_t(59));
    }

    void readsASnapshotWhoseBodiesTheWritesContradict()
    {
        const std::string file = path(u"bodies"_s);
        test::makeDeltaThread(file, 60, 50);
        LoadOptions options;
        options.readSnapshots = true;
        const ThreadPtr whole = load(file, "made", options);
        for (const Checkpoint &checkpoint : whole->namespaces.front().checkpoints)
            QVERIFY(!findingOf(checkpoint, "snapshot-differs"));
        const auto agree = [&] {
            const auto source = openSource(file, {});
            return snapshotsAgree(**source, *load(file, "made"), {});
        };
        QCOMPARE(agree(), Result<bool>(true));
        {
            CheckpointFile change(file);
            const std::string id = CheckpointFile::id(20, 20);
            change.run("DELETE FROM writes WHERE checkpoint_id = '" + id + "'");
            change.write("made", "", id, "task-20", "~__pregel_pull, model", 0, "messages",
                Value::list({CheckpointFile::message("ai", "m20", "something else")}));
        }
        QCOMPARE(agree(), Result<bool>(false));
        const auto textAt = [](const ThreadPtr &thread, std::size_t checkpoint) {
            return textOf(*thread->namespaces.front().checkpoints[checkpoint].messages[20]);
        };
        const ThreadPtr changed = load(file, "made", options);
        const Finding *finding = findingOf(changed->namespaces.front().checkpoints[50], "snapshot-differs");
        QVERIFY(finding);
        QCOMPARE(finding->messageId, std::optional<std::string>("m20"));
        QCOMPARE(finding->evidence["index"].asInt(), std::int64_t(20));
        QCOMPARE(textAt(changed, 49), std::string("something else"));
        QCOMPARE(textAt(changed, 50), std::string("text 20"));
        QCOMPARE(textAt(changed, 59), std::string("text 20"));
    }

    void showsTheNewestPartFirst()
    {
        const std::string file = path(u"newest"_s);
        test::makeDeltaThread(file, 1000, 50);
        std::vector<ThreadPtr> parts;
        LoadOptions options;
        options.partial = [&](ThreadPtr part) { parts.push_back(std::move(part)); };
        const ThreadPtr thread = load(file, "made", options);
        QVERIFY(thread);
        QCOMPARE(parts.size(), std::size_t(1));
        const ThreadNamespace &part = parts.front()->namespaces.front();
        const ThreadNamespace &whole = thread->namespaces.front();
        QVERIFY(part.partial);
        QVERIFY(!whole.partial);
        QVERIFY(part.checkpoints.size() >= 350 && part.checkpoints.size() <= 400);
        QCOMPARE(part.checkpoints.back().id, whole.checkpoints.back().id);
        QVERIFY(ids(part.checkpoints.back().messages) == ids(whole.checkpoints.back().messages));
        for (const Checkpoint &checkpoint : part.checkpoints)
            QVERIFY(!checkpoint.incomplete);
        QCOMPARE(whole.checkpoints.back().messages.size(), std::size_t(999));
    }

    void sharesBodiesAndStructure()
    {
        const std::string file = path(u"shared"_s);
        test::makeDeltaThread(file, 200, 50);
        const ThreadPtr thread = load(file, "made");
        const std::vector<Checkpoint> &all = thread->namespaces.front().checkpoints;
        for (std::size_t i = 2; i < all.size(); ++i)
            QVERIFY(all[i].messages.front() == all[1].messages.front());
    }

    void countsStates()
    {
        const std::string file = path(u"states"_s);
        test::makeDeltaThread(file, 300, 50);
        Result<std::unique_ptr<CheckpointSource>> source = openSource(file);
        const Result<StatesReport> report = rebuildStates(**source, "made", "", {});
        QVERIFY(report.has_value());
        QCOMPARE(report->checkpoints, std::int64_t(300));
        QCOMPARE(report->messagesAtHead, std::int64_t(299));
        QCOMPARE(report->messagesInAll, std::int64_t(299 * 300 / 2));
        const Result<ThreadPtr> thread = loadThread(**source, "made", {}, {});
        QCOMPARE(report->lastIdsSha256, statesOf((*thread)->namespaces.front()).lastIdsSha256);
        QVERIFY(!rebuildStates(**source, "made", "nowhere", {}));
        QVERIFY(!rebuildStates(**source, "nobody", "", {}));
    }

    void linksSubagentsWithTheirCalls()
    {
        const std::string file = copyOf(u"recordings/0.7.7/subagent"_s);
        const ThreadPtr thread = load(file, "subagent");
        QVERIFY(thread);
        QCOMPARE(thread->subagents.size(), std::size_t(1));
        QVERIFY(thread->subagents.front().hasCheckpoints);
        QVERIFY(thread->subagents.front().ns.starts_with("tools:"));
        QVERIFY(!thread->subagents.front().toolCallId.empty());
        QCOMPARE(thread->subagents.front().description, std::string("Look up four things"));
        CheckpointFile(file).run("DELETE FROM checkpoints WHERE checkpoint_ns != ''");
        const ThreadPtr without = load(file, "subagent");
        QCOMPARE(without->subagents.size(), std::size_t(1));
        QVERIFY(!without->subagents.front().hasCheckpoints);
        QCOMPARE(without->subagents.front().ns, thread->subagents.front().ns);
        QCOMPARE(without->subagents.front().toolCallId, thread->subagents.front().toolCallId);
    }

    void waitsWithAnInterrupt()
    {
        const ThreadPtr thread = load(copyOf(u"recordings/0.7.7/interrupted"_s), "interrupted");
        QVERIFY(thread);
        bool waiting = false;
        for (const Checkpoint &checkpoint : thread->namespaces.front().checkpoints)
            for (const Waiting &wait : checkpoint.waiting)
                waiting |= wait.kind == Waiting::Kind::Interrupt;
        QVERIFY(waiting);
    }

    void showsEveryChannelOfACheckpoint()
    {
        Result<std::unique_ptr<CheckpointSource>> source = openSource(copyOf(u"recordings/0.7.7/summarize_chain"_s));
        const Result<ThreadPtr> thread = loadThread(**source, "summarize_chain", {}, {});
        const std::vector<Checkpoint> &all = (*thread)->namespaces.front().checkpoints;
        const auto channels = readChannels(**source, **thread, "", CheckpointIndex(all.size() - 1));
        QVERIFY(channels.has_value());
        std::map<std::string, const ChannelState *> byName;
        for (const ChannelState &channel : *channels) {
            QVERIFY2(channel.undecodable.empty(), channel.name.c_str());
            byName.emplace(channel.name, &channel);
        }
        QVERIFY(byName.contains("messages"));
        QVERIFY(byName["messages"]->rebuilt);
        QCOMPARE(byName["messages"]->value.asList().size(), all.back().messages.size());
        QVERIFY(byName.contains("files"));
        QCOMPARE(byName["files"]->value.asMap().size(), all.back().files.size());
        QVERIFY(byName.contains("_summarization_event"));
        QVERIFY(!byName["_summarization_event"]->value.isNil());
        QVERIFY(!readChannels(**source, **thread, "no", CheckpointIndex(0)));
        QVERIFY(!readChannels(**source, **thread, "", CheckpointIndex(99999)));
    }

    void opensAThreadWithoutMessages()
    {
        const ThreadPtr thread = load(copyOf(u"cases/lg129_fork_leak_8443"_s), "mid");
        QVERIFY(thread);
        for (const Checkpoint &checkpoint : thread->namespaces.front().checkpoints) {
            QVERIFY(checkpoint.messages.empty());
            QVERIFY(!checkpoint.incomplete);
        }
    }
};

QTEST_GUILESS_MAIN(TestThreadReader)
#include "tst_threadreader.moc"
