// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/cli.h"
#include "core/serde/json.h"
#include "models/display.h"
#include "tests/app/program.h"
#include "views/dialogs/exportdialog.h"
#include "views/dialogs/redactionform.h"
#include "views/panes/comparepane.h"
#include "views/panes/tracepane.h"

#include <QCheckBox>
#include <QComboBox>
#include <QPushButton>
#include <QSpinBox>
#include <QTableView>
#include <QTableWidget>
#include <QTreeView>
#include <QTreeWidget>

#include <sstream>

using namespace palimpsest;
using namespace Qt::StringLiterals;
using palimpsest::test::Program;
using palimpsest::test::recording;

namespace {

QByteArray contentOf(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("cannot be opened");
}

void choose(ExportDialog &dialog, const QString &box, int value)
{
    auto *combo = dialog.findChild<QComboBox *>(box);
    QVERIFY2(combo && combo->findData(value) >= 0, qPrintable(box));
    combo->setCurrentIndex(combo->findData(value));
}

} // namespace

class TestExportDialog : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void cleanupTestCase() { m_chain.reset(); }
    void exportsASelectionToMarkdown();
    void exportsAThreadToJson();
    void exportsWhatTheCommandExports();
    void previewListsEveryHit();
    void cancelLeavesNothing();
    void closingTheFileDialogWritesNothing();
    void panesOfferTheirOwn();
    void fieldsThatMakeNoSenseAreSaid();
    void offersOnlyWhatFits();

private:
    /// The window with the recording that most tests look at; a window costs more than its dialogs.
    Program &chain()
    {
        if (!m_chain) {
            m_chain = std::make_unique<Program>();
            if (!m_chain->open(recording(u"summarize_chain"_s)))
                QTest::qFail("the recording cannot be opened", __FILE__, __LINE__);
        }
        return *m_chain;
    }
    /// Opens the dialog by its key.
    static ExportDialog *open(Program &p)
    {
        delete p.desk->window().findChild<ExportDialog *>();
        p.trigger(u"export"_s);
        return p.desk->window().findChild<ExportDialog *>();
    }
    /// Presses Export and waits until it is done.
    static QString exported(Program &p, ExportDialog &dialog, const QString &name)
    {
        p.answers.next = p.folder.filePath(name);
        dialog.findChild<QPushButton *>(u"exportButton"_s)->click();
        if (!QTest::qWaitFor([&] { return !dialog.message().isEmpty(); }, 20000))
            return u"nothing happened"_s;
        return dialog.message();
    }

    std::unique_ptr<Program> m_chain;
};

void TestExportDialog::exportsASelectionToMarkdown()
{
    Program &p = chain();
    MessageList &raw = *p.raw().list();
    p.click(raw, 0);
    raw.scrollTo(raw.messages()->index(2, 0));
    QTest::mouseClick(raw.viewport(), Qt::LeftButton, Qt::ShiftModifier, raw.rowRect(2).center());
    QCOMPARE(raw.selectedRows(), (QList<int>{0, 1, 2}));
    ExportDialog *dialog = open(p);
    QVERIFY(dialog);
    choose(*dialog, u"exportScope"_s, dialog->findChild<QComboBox *>(u"exportScope"_s)->count() > 0 ? 4 : 0);
    QCOMPARE(exported(p, *dialog, u"some.md"_s), u"Written: "_s + p.folder.filePath(u"some.md"_s));
    const QByteArray text = contentOf(p.folder.filePath(u"some.md"_s));
    QCOMPARE(text.count("\n### "), 2); // the result stands with its call
    QVERIFY(text.contains("heron-542"));
    QVERIFY(!text.contains("step 2"));
}

void TestExportDialog::exportsAThreadToJson()
{
    Program p;
    QVERIFY(p.open(recording(u"subagent"_s)));
    ExportDialog *dialog = open(p);
    QVERIFY(dialog);
    choose(*dialog, u"exportFormat"_s, int(TranscriptFormat::Json));
    choose(*dialog, u"exportScope"_s, 1);
    QVERIFY(exported(p, *dialog, u"thread.json"_s).startsWith(u"Written"_s));
    const auto json = parseJson(contentOf(p.folder.filePath(u"thread.json"_s)).toStdString());
    QVERIFY(json);
    QCOMPARE((*json)["format"].asText(), "palimpsest.transcript/1");
    QCOMPARE((*json)["namespaces"].asList().size(), p.scene()->thread->namespaces.size() - 1);
    QVERIFY(!(*json)["namespaces"].asList().front()["messages"].asList().empty());
}

void TestExportDialog::exportsWhatTheCommandExports()
{
    Program &p = chain();
    const QString source = recording(u"summarize_chain"_s);
    ExportDialog *dialog = open(p);
    QVERIFY(dialog);
    choose(*dialog, u"exportWhat"_s, int(TranscriptSubject::Request));
    dialog->findChild<QSpinBox *>(u"exportCall"_s)->setValue(9);
    choose(*dialog, u"exportFormat"_s, int(TranscriptFormat::Html));
    QVERIFY(exported(p, *dialog, u"window.html"_s).startsWith(u"Written"_s));
    std::ostringstream out;
    std::ostringstream err;
    const std::string path = p.folder.filePath(u"command.html"_s).toStdString();
    QCOMPARE(runCli({"export", source.toStdString(), "--call", "9", "-f", "html", "-o", path}, out, err), 0);
    QCOMPARE(contentOf(p.folder.filePath(u"window.html"_s)), contentOf(p.folder.filePath(u"command.html"_s)));
}

void TestExportDialog::previewListsEveryHit()
{
    Program &p = chain();
    ExportDialog *dialog = open(p);
    QVERIFY(dialog);
    auto *form = dialog->findChild<RedactionForm *>();
    form->setRules({.standard = true, .own = {{"bird", "heron-\\d+"}}});
    auto *preview = dialog->findChild<QPushButton *>(u"redactPreview"_s);
    QVERIFY(preview->isEnabled());
    preview->click();
    QTRY_VERIFY(form->hits()->topLevelItemCount() > 0);
    bool found = false;
    for (int i = 0; i < form->hits()->topLevelItemCount(); ++i)
        found = found
            || (form->hits()->topLevelItem(i)->text(0) == u"[bird-1]"_s
                && form->hits()->topLevelItem(i)->text(1) == u"heron-542"_s);
    QVERIFY(found);
    QVERIFY(exported(p, *dialog, u"redacted.md"_s).startsWith(u"Written"_s));
    const QByteArray text = contentOf(p.folder.filePath(u"redacted.md"_s));
    QVERIFY(text.contains("[bird-1]"));
    QVERIFY(!text.contains("heron-542"));
    // An expression that is none is said at once, and cannot be used.
    form->setRules({.standard = false, .own = {{"x", "("}}});
    QVERIFY(!preview->isEnabled());
    dialog->findChild<QPushButton *>(u"exportButton"_s)->click();
    QTRY_VERIFY(dialog->message().contains(u"no regular expression"_s));
}

void TestExportDialog::cancelLeavesNothing()
{
    Program p;
    QVERIFY(p.open(recording(u"long_run"_s)));
    ExportDialog *dialog = open(p);
    QVERIFY(dialog);
    choose(*dialog, u"exportFormat"_s, int(TranscriptFormat::Pdf));
    const QStringList before = QDir(p.folder.path()).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot);
    p.answers.next = p.folder.filePath(u"long.pdf"_s);
    dialog->findChild<QPushButton *>(u"exportButton"_s)->click();
    auto *close = dialog->findChild<QPushButton *>(u"exportClose"_s);
    QCOMPARE(close->text(), u"Cancel"_s);
    close->click();
    QTRY_COMPARE(dialog->message(), u"Stopped; nothing was written."_s);
    QCOMPARE(QDir(p.folder.path()).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot), before);
    // And the next one is written.
    choose(*dialog, u"exportFormat"_s, int(TranscriptFormat::JsonLines));
    QTRY_VERIFY(exported(p, *dialog, u"long.jsonl"_s).startsWith(u"Written"_s));
}

void TestExportDialog::closingTheFileDialogWritesNothing()
{
    Program &p = chain();
    ExportDialog *dialog = open(p);
    QVERIFY(dialog);
    p.answers.next.clear();
    dialog->findChild<QPushButton *>(u"exportButton"_s)->click();
    QVERIFY(dialog->message().isEmpty());
    QVERIFY(dialog->findChild<QPushButton *>(u"exportButton"_s)->isEnabled());
}

void TestExportDialog::panesOfferTheirOwn()
{
    Program &p = chain();
    const auto opened = [&](const QAbstractItemView *view) -> ExportDialog * {
        delete p.desk->window().findChild<ExportDialog *>();
        if (view->actions().isEmpty())
            return nullptr;
        view->actions().last()->trigger();
        return p.desk->window().findChild<ExportDialog *>();
    };
    const auto what = [](const ExportDialog &dialog) {
        return dialog.findChild<QComboBox *>(u"exportWhat"_s)->currentData().toInt();
    };
    ExportDialog *dialog = opened(p.findings().tree());
    QVERIFY(dialog);
    QCOMPARE(what(*dialog), int(TranscriptSubject::Findings));
    QVERIFY(exported(p, *dialog, u"findings.csv"_s).startsWith(u"Written"_s));
    QVERIFY(contentOf(p.folder.filePath(u"findings.csv"_s)).startsWith("severity,rule"));

    auto *trace = p.desk->window().pane<TracePane>(u"trace"_s);
    trace->ask(u"heron-542"_s);
    dialog = opened(trace->table());
    QVERIFY(dialog);
    QCOMPARE(what(*dialog), int(TranscriptSubject::Trace));
    QVERIFY(exported(p, *dialog, u"trace.html"_s).startsWith(u"Written"_s));
    QVERIFY(contentOf(p.folder.filePath(u"trace.html"_s)).contains("What took it away"));

    dialog = opened(p.desk->window().pane<ComparePane>(u"compare"_s)->figures());
    QVERIFY(dialog);
    QCOMPARE(what(*dialog), int(TranscriptSubject::Comparison));
    QVERIFY(exported(p, *dialog, u"compared.json"_s).startsWith(u"Written"_s));
    const auto json = parseJson(contentOf(p.folder.filePath(u"compared.json"_s)).toStdString());
    Q_UNUSED(json)
}

void TestExportDialog::fieldsThatMakeNoSenseAreSaid()
{
    Program &p = chain();
    ExportDialog *dialog = open(p);
    QVERIFY(dialog);
    choose(*dialog, u"exportWhat"_s, int(TranscriptSubject::Trace));
    QVERIFY(!dialog->order());
    QVERIFY(exported(p, *dialog, u"none.html"_s).contains(u"say what is to be followed"_s));
    QVERIFY(!QFile::exists(p.folder.filePath(u"none.html"_s)));
}

void TestExportDialog::offersOnlyWhatFits()
{
    Program &p = chain();
    ExportDialog *dialog = open(p);
    QVERIFY(dialog);
    auto *formats = dialog->findChild<QComboBox *>(u"exportFormat"_s);
    QVERIFY(formats->findData(int(TranscriptFormat::OpenAi)) >= 0);
    QVERIFY(formats->findData(int(TranscriptFormat::Bundle)) >= 0);
    choose(*dialog, u"exportWhat"_s, int(TranscriptSubject::Findings));
    QVERIFY(formats->findData(int(TranscriptFormat::OpenAi)) < 0);
    QVERIFY(formats->findData(int(TranscriptFormat::Bundle)) < 0);
    choose(*dialog, u"exportWhat"_s, int(TranscriptSubject::Raw));
    choose(*dialog, u"exportFormat"_s, int(TranscriptFormat::Bundle));
    QVERIFY(!dialog->findChild<RedactionForm *>()->isEnabled());
    dialog->findChild<QCheckBox *>(u"exportScrub"_s)->setChecked(true);
    QVERIFY(exported(p, *dialog, u"thread.palimpsest"_s).startsWith(u"Written"_s));
    QVERIFY(!contentOf(p.folder.filePath(u"thread.palimpsest"_s)).contains("heron-542"));
}

QTEST_MAIN(TestExportDialog)
#include "tst_exportdialog.moc"
