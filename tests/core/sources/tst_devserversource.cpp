// SPDX-License-Identifier: GPL-3.0-or-later
// The files that development servers leave: what is refused, and by which name.
#include "core/sources/devserversource.h"
#include "core/sources/sourceprobe.h"
#include "core/thread/threadlist.h"
#include "core/thread/threadreader.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <memory>

using namespace palimpsest;
using namespace Qt::StringLiterals;

namespace {

const QString recorded = QStringLiteral(PALIMPSEST_TEST_DATA "/formats/api/dot_langgraph_api/");

QByteArray bytesOf(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// Loads all there is; false when something is neither shown nor said.
bool loadsOrSays(const std::string &path)
{
    auto source = openSource(path);
    if (!source)
        return !source.error().what.empty();
    const auto rows = listThreads(**source, false, {});
    if (!rows)
        return !rows.error().what.empty();
    for (const ThreadRow &row : *rows)
        if (const auto thread = loadThread(**source, row.id, {}, {}); !thread && thread.error().what.empty())
            return false;
    return true;
}

} // namespace

class TestDevServerSource : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }

    void refusesByName_data()
    {
        QTest::addColumn<QByteArray>("pickle");
        QTest::addColumn<QString>("name");
        QTest::addRow("a function") << QByteArray("\x80\x02"
                                                  "cos\nsystem\nX\x02\0\0\0id\x85R.",
            23) << u"os.system"_s;
        QTest::addRow("a class") << QByteArray("\x80\x02"
                                               "cbuiltins\neval\n.")
                                 << u"builtins.eval"_s;
        QTest::addRow("build") << QByteArray("\x80\x02}}b.") << u"BUILD"_s;
        QTest::addRow("a newer global") << QByteArray("\x80\x04\x8c\x02os\x8c\x06system\x93.") << u"os.system"_s;
        QTest::addRow("an extension") << QByteArray("\x80\x02\x82\x01.") << u"EXT1"_s;
        QTest::addRow("an instance") << QByteArray("\x80\x02(ios\nsystem\n.") << u"INST"_s;
        QTest::addRow("another class") << QByteArray("\x80\x02"
                                                     "cdatetime\ndatetime\n)\x81.")
                                       << u"class"_s;
        QTest::addRow("no opcode") << QByteArray("\x80\x02\xff.") << u"0xFF"_s;
        QTest::addRow("a newer protocol") << QByteArray("\x80\x06}.") << u"protocol 6"_s;
        QTest::addRow("a list that holds itself") << QByteArray("\x80\x02]q\0h\0"
                                                                "a.",
            9) << u"contains itself"_s;
        // The server's own runs: message classes are in there.
        QTest::addRow("runs of the server") << bytesOf(recorded + u".langgraph_ops.pckl"_s) << u"the pickle"_s;
    }

    void refusesByName()
    {
        QFETCH(QByteArray, pickle);
        QFETCH(QString, name);
        write(u".langgraph_checkpoint.1.pckl"_s, pickle);
        const auto source = openSource(path());
        QVERIFY(!source);
        QVERIFY2(source.error().what.find(name.toStdString()) != std::string::npos, source.error().what.c_str());
        QVERIFY(source.error().where.find(".langgraph_checkpoint.1.pckl") != std::string::npos);
    }

    void survivesCuts()
    {
        for (int i = 1; i <= 3; ++i)
            write(u".langgraph_checkpoint.%1.pckl"_s.arg(i),
                bytesOf(recorded + u".langgraph_checkpoint.%1.pckl"_s.arg(i)));
        QVERIFY(openSource(path()));
        for (int i = 1; i <= 3; ++i) {
            const QString name = u".langgraph_checkpoint.%1.pckl"_s.arg(i);
            const QByteArray whole = bytesOf(recorded + name);
            for (qsizetype size = 0; size < whole.size(); size += 1 + whole.size() / 23) {
                write(name, whole.first(size));
                QVERIFY(loadsOrSays(path()));
            }
            write(name, whole);
        }
    }

    void survivesMissingAndForeignValues()
    {
        // Versions without values: the log must be said to be missing, not empty.
        write(u".langgraph_checkpoint.1.pckl"_s, bytesOf(recorded + u".langgraph_checkpoint.1.pckl"_s));
        QVERIFY(loadsOrSays(path()));
        for (const char *text :
            {"", "[]", "{}", "{\"json\": 1}", "{\"json\": {\"storage\": {\"t\": {\"\": {\"c\": 3}}}}}",
                "{\"json\": {\"storage\": {\"t\": {\"\": {\"c\": [\"!!\", 1]}}}, \"writes\": {\"[1]\": {}, \"x\": "
                "2}}}"}) {
            write(u".langgraphjs_api.checkpointer.json"_s, text);
            QVERIFY2(loadsOrSays(path()), text);
        }
    }

    void isFoundInAProjectAndByItsFiles()
    {
        QVERIFY(QDir(m_folder->path()).mkdir(u".langgraph_api"_s));
        const QString inside = m_folder->filePath(u".langgraph_api/.langgraph_checkpoint.1.pckl"_s);
        QVERIFY(QFile::copy(recorded + u".langgraph_checkpoint.1.pckl"_s, inside));
        for (const QString &given : {m_folder->path(), m_folder->filePath(u".langgraph_api"_s), inside}) {
            const auto source = openSource(given.toStdString());
            QVERIFY2(source, qPrintable(given));
            QCOMPARE((*source)->info().kind, std::string("devserver"));
        }
    }

    void changesNothing()
    {
        const QDir dir(recorded);
        const auto state = [&] {
            QByteArray all;
            for (const QFileInfo &file : dir.entryInfoList(QDir::Files | QDir::Hidden))
                all += file.fileName().toUtf8() + bytesOf(file.filePath());
            return all;
        };
        const QByteArray before = state();
        QVERIFY(loadsOrSays(recorded.toStdString()));
        QCOMPARE(state(), before);
    }

private:
    [[nodiscard]] std::string path() const { return m_folder->path().toStdString(); }
    void write(const QString &name, const QByteArray &bytes) const
    {
        QFile file(m_folder->filePath(name));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(bytes);
    }

    std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_GUILESS_MAIN(TestDevServerSource)
#include "tst_devserversource.moc"
