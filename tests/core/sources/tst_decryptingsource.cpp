// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sources/sourceprobe.h"
#include "core/thread/threadreader.h"
#include "core/values/pyrepr.h"
#include "tests/support/checkpointfile.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <iterator>

using namespace palimpsest;

namespace {

/// A real thread of LangGraph's EncryptedSerializer (key 0123456789abcdef): five messages at its head.
const std::string location = PALIMPSEST_TEST_DATA "/serde/encrypted.sqlite";

Result<ThreadPtr> load(const std::string &key)
{
    auto source = openSource(location, {key});
    if (!source)
        return tl::unexpected(source.error());
    return loadThread(**source, "encrypted", {}, {});
}

std::size_t findings(const Thread &thread)
{
    std::size_t n = thread.findings.size();
    for (const ThreadNamespace &space : thread.namespaces)
        for (const Checkpoint &checkpoint : space.checkpoints)
            n += checkpoint.findings.size();
    return n;
}

} // namespace

class TestDecryptingSource : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void readsAThreadWithItsKey()
    {
        const Result<ThreadPtr> thread = load("0123456789abcdef");
        QVERIFY2(thread, thread ? "" : thread.error().what.c_str());
        const std::vector<Checkpoint> &checkpoints = (*thread)->namespaces.at(0).checkpoints;
        std::vector<std::size_t> counts;
        for (const Checkpoint &checkpoint : checkpoints)
            counts.push_back(checkpoint.messages.size());
        QCOMPARE(counts, (std::vector<std::size_t>{0, 1, 3, 3, 4, 5}));
        QCOMPARE(checkpoints.back().messages[2]->content.asText(), std::string("Herons wade — überall 🐦."));
        QCOMPARE(findings(**thread), std::size_t(0));

        auto source = openSource(location, {"0123456789abcdef"});
        QVERIFY(source);
        const auto channels = readChannels(**source, **thread, "", CheckpointIndex(5));
        QVERIFY(channels);
        const auto extra =
            std::find_if(channels->begin(), channels->end(), [](const ChannelState &c) { return c.name == "extra"; });
        QVERIFY(extra != channels->end());
        QCOMPARE(pyrepr(extra->value), std::string("{'secret': 'heron'}"));
    }

    void showsTheThreadWithoutOrWithAWrongKey_data()
    {
        QTest::addColumn<QByteArray>("key");
        QTest::newRow("none") << QByteArray();
        QTest::newRow("wrong") << QByteArray("fedcba9876543210");
        QTest::newRow("no key at all") << QByteArray("heron");
    }
    void showsTheThreadWithoutOrWithAWrongKey()
    {
        QFETCH(QByteArray, key);
        const Result<ThreadPtr> thread = load(key.toStdString());
        QVERIFY2(thread, thread ? "" : thread.error().what.c_str());
        QCOMPARE((*thread)->namespaces.at(0).checkpoints.size(), std::size_t(6));
        QVERIFY(findings(**thread) > 0);
    }

    void saysWhichRowsLieOpenAlsoWithTheKey()
    {
        QTemporaryDir folder;
        const QString file = folder.filePath(QStringLiteral("mixed.sqlite"));
        QVERIFY(QFile::copy(QString::fromStdString(location), file));
        QFile::setPermissions(file, QFile::ReadOwner | QFile::WriteOwner);
        {
            test::CheckpointFile change(file.toStdString());
            // A write that was stored before encryption was switched on.
            QVERIFY(change.run("UPDATE writes SET type = 'msgpack', value = x'90' WHERE rowid = "
                               "(SELECT max(rowid) FROM writes WHERE channel = 'messages')"));
        }
        for (const char *key : {"", "0123456789abcdef"}) {
            auto source = openSource(file.toStdString(), {key});
            QVERIFY(source);
            const Result<ThreadPtr> thread = loadThread(**source, "encrypted", {}, {});
            QVERIFY(thread);
            std::vector<Finding> mixed;
            for (const Checkpoint &checkpoint : (*thread)->namespaces.at(0).checkpoints)
                std::ranges::copy_if(checkpoint.findings, std::back_inserter(mixed),
                    [](const Finding &finding) { return finding.rule == "mixed-encryption"; });
            QCOMPARE(mixed.size(), std::size_t(1));
            QCOMPARE(mixed.front().evidence["plain"], Value(1));
            QCOMPARE(mixed.front().evidence["encrypted"], Value(12));
        }
    }

    void takesARowWithoutATypeForNeither()
    {
        QTemporaryDir folder;
        const QString file = folder.filePath(QStringLiteral("untyped.sqlite"));
        QVERIFY(QFile::copy(QString::fromStdString(location), file));
        QFile::setPermissions(file, QFile::ReadOwner | QFile::WriteOwner);
        {
            // As a row is given of which a damaged page left the key alone.
            test::CheckpointFile change(file.toStdString());
            QVERIFY(change.run("UPDATE writes SET type = '', value = NULL WHERE rowid = "
                               "(SELECT max(rowid) FROM writes WHERE channel = 'messages')"));
        }
        for (const char *key : {"", "0123456789abcdef"}) {
            auto source = openSource(file.toStdString(), {key});
            QVERIFY(source);
            const Result<ThreadPtr> thread = loadThread(**source, "encrypted", {}, {});
            QVERIFY(thread);
            for (const Checkpoint &checkpoint : (*thread)->namespaces.at(0).checkpoints)
                for (const Finding &finding : checkpoint.findings)
                    QVERIFY(finding.rule != "mixed-encryption");
        }
    }

    void leavesPlainThreadsAlone()
    {
        auto source = openSource(PALIMPSEST_TEST_DATA "/recordings/0.7.7/plain.sqlite", {"0123456789abcdef"});
        QVERIFY(source);
        const auto plain = openSource(PALIMPSEST_TEST_DATA "/recordings/0.7.7/plain.sqlite");
        QVERIFY(plain);
        const auto rows = (*source)->threads(true, {});
        QVERIFY(rows && !rows->empty());
        const auto thread = loadThread(**source, rows->front().id, {}, {});
        const auto same = loadThread(**plain, rows->front().id, {}, {});
        QVERIFY(thread && same);
        const auto &left = (*thread)->namespaces.at(0).checkpoints;
        const auto &right = (*same)->namespaces.at(0).checkpoints;
        QCOMPARE(left.size(), right.size());
        QCOMPARE(left.back().messages.size(), right.back().messages.size());
        QVERIFY(*left.back().messages.back() == *right.back().messages.back());
    }
};

QTEST_GUILESS_MAIN(TestDecryptingSource)
#include "tst_decryptingsource.moc"
