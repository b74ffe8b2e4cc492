// SPDX-License-Identifier: GPL-3.0-or-later
// Exports of real recordings against files in tests/data/exports that were read over by eye. To make them anew:
//     PALIMPSEST_REFRESH=1 build/dev/tests/tst_transcriptgoldens
#include "core/compaction/threadartifacts.h"
#include "core/sources/sourceprobe.h"
#include "core/thread/threadreader.h"
#include "core/transcript/exportorder.h"
#include "tests/support/recordings.h"

#include <QFile>
#include <QTest>

#include <sstream>

using namespace palimpsest;

namespace {

const std::string recordingsFolder = PALIMPSEST_TEST_DATA "/recordings/0.7.7/";
const std::string goldensFolder = PALIMPSEST_TEST_DATA "/exports/";

ExportMaterial material(const std::string &name)
{
    auto source = openSource(recordingsFolder + name + ".sqlite", {});
    if (!source)
        return {};
    const auto ids = (*source)->threadIds({});
    if (!ids || ids->empty())
        return {};
    Result<ThreadPtr> thread = loadThread(**source, ids->front(), {}, {});
    // The place where this clone lies is in no golden file.
    return {thread.value_or(nullptr), "", name + ".sqlite", foldersOf((*source)->info())};
}

SettingsSet settings(const std::string &name, const std::vector<std::pair<std::string, Value>> &changes = {})
{
    Value document = recordings::readJson(recordingsFolder + name + ".expected.json")["settings"];
    for (const auto &[key, value] : changes)
        document = document.with(key, value);
    return settingsFromJson(document).value_or(SettingsSet());
}

Value messages(int count)
{
    return Value::list({Value("messages"), Value(count)});
}

} // namespace

class TestTranscriptGoldens : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void exportIsAsItWasReadOver_data()
    {
        QTest::addColumn<QString>("recording");
        QTest::addColumn<QString>("kind");
        for (const char *row : {"media raw md", "media raw html", "media raw json", "media raw jsonl",
                 "media raw langchain.json", "media raw csv", "media chat openai.jsonl", "summarize_chain high md",
                 "summarize_chain event html", "summarize_chain request json", "summarize_chain replay md",
                 "summarize_chain comparison md", "summarize_chain comparison csv", "summarize_chain places md",
                 "summarize_tokens threads md", "summarize_chain trace md", "summarize_chain trace html",
                 "summarize_chain trace json", "tool_offload findings md", "tool_offload redacted md",
                 "subagent thread md", "fork branch csv", "langchain_destructive raw md", "dangling low md",
                 "human_eviction user md", "media archived md", "media archived html"}) {
            const QStringList parts = QString::fromLatin1(row).split(u' ');
            QTest::addRow("%s", row) << parts[0] << parts[1] + u'.' + parts[2];
        }
    }
    void exportIsAsItWasReadOver()
    {
        QFETCH(QString, recording);
        QFETCH(QString, kind);
        const std::string name = recording.toStdString();
        ExportMaterial from = material(name);
        QVERIFY(from.thread);
        if (kind.startsWith(u"threads"))
            from.other = std::make_shared<const ExportMaterial>(material("summarize_chain"));
        const ExportOrder order =
            orderFor(name, kind.section(u'.', 0, 0).toStdString(), *findFormat(kind.section(u'.', 1).toStdString()));
        const Result<PreparedExport> prepared = prepareExport(from, order, "media", {});
        QVERIFY2(prepared, prepared ? "" : (prepared.error().where + ": " + prepared.error().what).c_str());
        std::ostringstream out;
        const Result<void> written = writeTranscript(out, prepared->transcript, order.format);
        QVERIFY2(written, written ? "" : written.error().what.c_str());

        QFile golden(QString::fromStdString(goldensFolder + name + "-") + kind);
        if (qEnvironmentVariableIsSet("PALIMPSEST_REFRESH")) {
            QVERIFY(golden.open(QIODevice::WriteOnly));
            golden.write(QByteArray::fromStdString(out.str()));
            return;
        }
        QVERIFY2(golden.open(QIODevice::ReadOnly), "make it with PALIMPSEST_REFRESH=1 and read it over");
        const QList<QByteArray> expected = golden.readAll().split('\n');
        const QList<QByteArray> made = QByteArray::fromStdString(out.str()).split('\n');
        for (qsizetype line = 0; line < std::min(expected.size(), made.size()); ++line)
            QVERIFY2(made[line] == expected[line],
                (QByteArray("line ") + QByteArray::number(line + 1) + ": " + made[line].left(300)).constData());
        QCOMPARE(made.size(), expected.size());
    }

private:
    static ExportOrder orderFor(const std::string &name, const std::string &what, const FormatInfo &format)
    {
        ExportOrder order;
        order.format = format.format;
        if (what == "chat") {
            order.media = MediaPlacement::Omitted;
        } else if (what == "high") {
            order.detail = TranscriptDetail::High;
            order.archive = ArchivePlacement::Appended;
        } else if (what == "archived") {
            order.detail = TranscriptDetail::UserOnly;
            order.archive = ArchivePlacement::Appended;
        } else if (what == "low") {
            order.detail = TranscriptDetail::Low;
        } else if (what == "user") {
            order.detail = TranscriptDetail::UserOnly;
        } else if (what == "event") {
            order.subject = TranscriptSubject::Effective;
            order.event = 1;
        } else if (what == "request") {
            order.subject = TranscriptSubject::Request;
            order.call = CallNumber(12);
            order.settings = {settings(name)};
        } else if (what == "replay") {
            order.subject = TranscriptSubject::Replay;
            order.detail = TranscriptDetail::Low;
            order.settings = {settings(name, {{"trigger", messages(20)}})};
        } else if (what == "comparison") {
            order.subject = TranscriptSubject::Comparison;
            order.settings = {settings(name), settings(name, {{"keep", messages(3)}})};
        } else if (what == "threads") {
            order.subject = TranscriptSubject::Comparison;
            order.other = OtherThread{"summarize_chain.sqlite", {}};
            order.settings = {settings(name)};
        } else if (what == "places") {
            order.subject = TranscriptSubject::Comparison;
            order.sides = {"call:7", "call:8"};
        } else if (what == "trace") {
            order.subject = TranscriptSubject::Trace;
            order.needle = "heron-542";
        } else if (what == "findings") {
            order.subject = TranscriptSubject::Findings;
        } else if (what == "redacted") {
            order.redaction.own = {{"word", "lookup|ledger"}};
            order.detail = TranscriptDetail::High;
        } else if (what == "thread") {
            order.wholeThread = true;
            order.detail = TranscriptDetail::High;
        } else if (what == "branch") {
            order.fromTurn = 1;
            order.toTurn = 1;
        }
        return order;
    }
};

QTEST_GUILESS_MAIN(TestTranscriptGoldens)
#include "tst_transcriptgoldens.moc"
