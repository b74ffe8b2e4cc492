// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/corereader.h"
#include "app/desk.h"
#include "views/panes/archivepane.h"
#include "views/panes/filterbar.h"
#include "views/panes/messagepane.h"
#include "views/panes/searchbar.h"
#include "views/panes/threadspane.h"
#include "views/widgets/board.h"
#include "views/widgets/messagelist.h"
#include "views/widgets/notice.h"
#include "views/widgets/ribbonlayer.h"

#include <QApplication>
#include <QClipboard>
#include <QDockWidget>
#include <QDropEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QSignalSpy>
#include <QTabBar>
#include <QTcpServer>
#include <QTcpSocket>
#include <QTemporaryDir>
#include <QTreeView>
#include <QtTest>

using namespace palimpsest;
using namespace Qt::StringLiterals;

namespace {

/// Answers every dialog from a list.
class Answers : public Prompts {
public:
    QString next;
    QString openFile(QWidget *, const QString &, const QString &) override { return next; }
    QString openFolder(QWidget *, const QString &, const QString &) override { return next; }
    QString saveFile(QWidget *, const QString &, const QString &, const QString &) override { return next; }
    QString askText(QWidget *, const QString &, const QString &, const QString &) override { return next; }
    bool confirm(QWidget *, const QString &, const QString &, const QString &) override { return true; }
};

QString recording(const QString &name)
{
    const QString folder =
        qEnvironmentVariable("PALIMPSEST_RECORDINGS", QStringLiteral(PALIMPSEST_TEST_DATA) + u"/recordings"_s);
    return folder + u"/0.7.7/"_s + name + u".sqlite"_s;
}

/// The program as a user has it, with settings of its own.
struct Program {
    QTemporaryDir folder;
    std::unique_ptr<SettingsStore> settings;
    Answers answers;
    std::unique_ptr<Desk> desk;

    Program() { start(); }
    void start()
    {
        desk.reset();
        settings = std::make_unique<SettingsStore>(folder.filePath(u"settings.ini"_s));
        desk = std::make_unique<Desk>(*qApp, *settings, answers, coreReader());
        desk->window().resize(1500, 950);
        desk->window().show();
        desk->window().activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&desk->window()));
    }
    bool open(const QString &location, const Place &place = {})
    {
        desk->session().open(location, place);
        return ready();
    }
    bool ready()
    {
        return QTest::qWaitFor(
            [this] {
                const ScenePtr scene = desk->session().focus()->scene();
                return !desk->session().isBusy() && scene->checkpoint && scene->facts && !scene->space->partial;
            },
            20000);
    }
    MessagePane &raw() { return *desk->window().findChild<MessagePane *>(u"rawPane"_s); }
    MessagePane &effective() { return *desk->window().findChild<MessagePane *>(u"effectivePane"_s); }
    ArchivePane &archive() { return *desk->window().findChild<ArchivePane *>(u"archivePane"_s); }
    ScenePtr scene() { return desk->session().focus()->scene(); }
    Selection &selection() { return *desk->session().selection(); }
    void click(MessageList &list, int row)
    {
        list.scrollTo(list.messages()->index(row, 0));
        QTest::mouseClick(list.viewport(), Qt::LeftButton, {}, list.rowRect(row).center());
    }
};

} // namespace

class TestWindow : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void clickInTheRawLogMovesTheOtherPanes();
    void openingAnEventShowsItsMessages();
    void callTabShowsTheRequest();
    void aSectionShowsItsMessagesInTheRawLog();
    void aStubOpensItsFile();
    void aPictureIsShown();
    void ribbonsRunBetweenThePanes();
    void keptMessagesAreLevelOnTheScreen();
    void searchCountsHitsByPaneAndWalksThem();
    void anyIdTypedGoesThere();
    void filterHidesOnlyWhatItSays();
    void droppedFilesOpen();
    void theLastPlaceIsRemembered();
    void placeCommandOpensTheSamePlace();
    void keysMoveThroughMessagesEventsAndCheckpoints();
    void subagentsAreReachedBothWays();
    void badFilesSayWhatIsWrongInline();
    void lookingFetchesNothing();
    void panesCanBeClosedAndComeBack();
    void bothLayoutsAndAllThemesPaint();
    void theDatabaseKeepsItsBytes();
};

void TestWindow::clickInTheRawLogMovesTheOtherPanes()
{
    Program p;
    QVERIFY(p.open(recording(u"summarize_chain"_s)));
    QVERIFY(p.scene()->fates.cutoff().value > 3);
    MessageList &raw = *p.raw().list();
    p.click(raw, 2);
    QCOMPARE(p.selection().place().message, p.raw().model()->describe(2).key.toStdString());
    // Out of context: the summary stands for it, and the archive shows the section that holds it.
    QCOMPARE(p.effective().list()->currentIndex().row(), 0);
    QVERIFY(p.effective().model()->describe(0).summary);
    const QModelIndex section = p.archive().tree()->currentIndex();
    QCOMPARE(section.data(ArchiveModel::NodeKind).toInt(), int(ArchiveModel::Kind::Section));
    QCOMPARE(section.data(ArchiveModel::Event).toInt(), p.scene()->fates.of(MessageIndex(2)).event);
    QVERIFY(p.archive().text()->isVisible());
    QVERIFY(p.archive().text()->toPlainText().contains(u"heron"_s));
    QVERIFY(!p.archive().text()->extraSelections().isEmpty());
    // In context: the message itself.
    const int last = p.raw().model()->rowCount() - 1;
    p.click(raw, last);
    QCOMPARE(p.effective().list()->currentIndex().row(), p.effective().model()->rowCount() - 1);
}

void TestWindow::openingAnEventShowsItsMessages()
{
    Program p;
    QVERIFY(p.open(recording(u"summarize_chain"_s)));
    QTabBar *tabs = p.effective().tabs();
    QCOMPARE(tabs->count(), int(p.scene()->events.size()) + 2); // the start and the call
    QVERIFY(tabs->count() >= 3);
    QTest::mouseClick(tabs, Qt::LeftButton, {}, tabs->tabRect(2).center());
    QCOMPARE(p.scene()->inForce, 2);
    QCOMPARE(p.scene()->checkpointIndex, p.scene()->events[1].checkpoint);
    QCOMPARE(p.effective().model()->rowCount(), int(p.scene()->effective.size()));
    QCOMPARE(tabs->currentIndex(), 2);
    QVERIFY(p.effective().title().contains(u"event 2"_s));
    QTest::mouseClick(tabs, Qt::LeftButton, {}, tabs->tabRect(0).center());
    QCOMPARE(p.scene()->inForce, 0);
    QCOMPARE(p.effective().model()->rowCount(), p.raw().model()->rowCount());
}

void TestWindow::callTabShowsTheRequest()
{
    Program p;
    QVERIFY(p.open(recording(u"summarize_chain"_s)));
    QTabBar *tabs = p.effective().tabs();
    Q_EMIT tabs->tabBarClicked(tabs->count() - 1); // the tab may be scrolled out of a narrow bar
    QVERIFY(p.scene()->call);
    QVERIFY(p.effective().title().contains(u"call"_s));
    const auto *unseen = p.effective().findChild<QLabel *>(u"unseen"_s);
    QVERIFY(unseen && unseen->isVisible());
    QVERIFY(unseen->text().contains(u"system prompt"_s));
}

void TestWindow::aSectionShowsItsMessagesInTheRawLog()
{
    Program p;
    QVERIFY(p.open(recording(u"summarize_chain"_s)));
    ArchiveModel *model = p.archive().model();
    const QModelIndex second = model->findEvent(2);
    QVERIFY(second.isValid());
    p.archive().tree()->scrollTo(second);
    QTRY_VERIFY(p.archive().tree()->viewport()->rect().contains(p.archive().tree()->visualRect(second).center()));
    QTest::mouseClick(
        p.archive().tree()->viewport(), Qt::LeftButton, {}, p.archive().tree()->visualRect(second).center());
    const auto [first, end] = model->messagesOf(p.selection().place().artifact, p.selection().place().section);
    QVERIFY(first.isValid() && end > first);
    const QRect shown = p.raw().list()->rowRect(static_cast<int>(first.value));
    QVERIFY2(p.raw().list()->viewport()->rect().intersects(shown), "the section's first message must be in view");
}

void TestWindow::aStubOpensItsFile()
{
    Program p;
    QVERIFY(p.open(recording(u"tool_offload"_s)));
    int stub = -1;
    for (int row = 0; row < p.raw().model()->rowCount() && stub < 0; ++row) {
        if (p.raw().model()->describe(row).fate.kind == Fate::Kind::Stub)
            stub = row;
    }
    QVERIFY(stub >= 0);
    p.click(*p.raw().list(), stub);
    QCOMPARE(
        p.archive().tree()->currentIndex().data(ArchiveModel::NodeKind).toInt(), int(ArchiveModel::Kind::Offloaded));
    QVERIFY(p.archive().text()->isVisible());
    QVERIFY(p.archive().text()->toPlainText().size() > 1000);
}

void TestWindow::aPictureIsShown()
{
    Program p;
    QVERIFY(p.open(recording(u"media"_s)));
    int picture = -1;
    for (int row = 0; row < p.raw().model()->rowCount() && picture < 0; ++row) {
        const MessageRow described = p.raw().model()->describe(row);
        if (described.media && !described.remote)
            picture = row;
    }
    QVERIFY(picture >= 0);
    p.click(*p.raw().list(), picture);
    if (p.archive().picture().isNull()) { // out of context: the archive's section is shown, the picture is a file
        const ArchiveModel *model = p.archive().model();
        const QModelIndex media = model->index(2, 0);
        QVERIFY(model->rowCount(media) > 0);
        p.archive().tree()->setCurrentIndex(model->index(0, 0, media));
    }
    QVERIFY(!p.archive().picture().isNull());
}

void TestWindow::ribbonsRunBetweenThePanes()
{
    Program p;
    QVERIFY(p.open(recording(u"summarize_chain"_s)));
    // A layout that was asked for while the panes were hidden is the one they show.
    QTRY_VERIFY(std::abs(p.raw().width() - p.effective().width()) < 20);
    QVERIFY(p.archive().width() * 2 > p.raw().width());
    auto *layer = p.desk->window().findChild<RibbonLayer *>();
    QVERIFY(layer);
    QTRY_VERIFY(!layer->ribbons().empty());
    QSet<int> kinds;
    for (const Ribbon &ribbon : layer->ribbons())
        kinds.insert(int(ribbon.kind));
    QVERIFY(kinds.contains(int(Ribbon::Kind::Kept)));
    QVERIFY(kinds.contains(int(Ribbon::Kind::Archived)));
}

void TestWindow::keptMessagesAreLevelOnTheScreen()
{
    Program p;
    QVERIFY(p.open(recording(u"long_run"_s)));
    MessageList &raw = *p.raw().list();
    MessageList &effective = *p.effective().list();
    const int last = p.raw().model()->rowCount() - 1;
    raw.scrollTo(p.raw().model()->index(last, 0));
    const int row = last - 2;
    const int partner = p.effective().model()->rowOf(p.raw().model()->indexAt(row));
    QVERIFY(partner >= 0);
    QTRY_COMPARE(effective.viewport()->mapToGlobal(effective.rowRect(partner).topLeft()).y(),
        raw.viewport()->mapToGlobal(raw.rowRect(row).topLeft()).y());
    QVERIFY(effective.isLed());
}

void TestWindow::searchCountsHitsByPaneAndWalksThem()
{
    Program p;
    QVERIFY(p.open(recording(u"summarize_chain"_s)));
    auto *bar = p.desk->window().findChild<SearchBar *>();
    p.desk->window().searchField()->setText(u"HERON"_s);
    QTRY_COMPARE(bar->answer().needle, u"HERON"_s);
    QVERIFY(bar->answer().count(SearchHit::Pane::RawLog) > 0);
    QVERIFY(bar->answer().count(SearchHit::Pane::Archive) > 0);
    QVERIFY(bar->counts()->text().contains(u"archive"_s));
    p.desk->window().command(u"find-next"_s)->trigger();
    QCOMPARE(bar->current(), 0);
    QCOMPARE(p.selection().place().message, bar->answer().hits[0].message);
    p.desk->window().command(u"find-previous"_s)->trigger();
    QCOMPARE(bar->current(), int(bar->answer().hits.size()) - 1);
    QVERIFY(!p.selection().place().artifact.empty());
}

void TestWindow::anyIdTypedGoesThere()
{
    Program p;
    QVERIFY(p.open(recording(u"summarize_chain"_s)));
    const std::string checkpoint = p.scene()->space->checkpoints[4].id;
    QLineEdit *field = p.desk->window().searchField();
    field->setText(QString::fromStdString(checkpoint));
    QTest::keyClick(field, Qt::Key_Return);
    QCOMPARE(p.selection().place().checkpoint, checkpoint);
    std::string callId;
    for (const MessagePtr &message : p.scene()->log) {
        if (message->toolCallId)
            callId = *message->toolCallId;
    }
    QVERIFY(!callId.empty());
    field->setText(QString::fromStdString(callId));
    QTest::keyClick(field, Qt::Key_Return);
    QVERIFY(!p.selection().place().message.empty());
}

void TestWindow::filterHidesOnlyWhatItSays()
{
    Program p;
    QVERIFY(p.open(recording(u"summarize_chain"_s)));
    const int all = p.raw().model()->rowCount();
    p.desk->window().command(u"filter"_s)->trigger();
    QVERIFY(p.raw().filterBar()->isVisible());
    MessageFilter out;
    out.context = MessageFilter::Context::Out;
    p.raw().filterBar()->setFilter(out);
    QCOMPARE(p.raw().model()->rowCount(), int(p.scene()->fates.cutoff().value));
    p.raw().setFilterVisible(false);
    QCOMPARE(p.raw().model()->rowCount(), all);
}

void TestWindow::droppedFilesOpen()
{
    Program p;
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(recording(u"plain"_s))});
    QDragEnterEvent enter({50, 50}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&p.desk->window(), &enter);
    QVERIFY(enter.isAccepted());
    QDropEvent drop({50, 50}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&p.desk->window(), &drop);
    QVERIFY(p.ready());
    QVERIFY(p.desk->window().windowTitle().contains(u"plain"_s));
    QCOMPARE(p.settings->recent(), QStringList{recording(u"plain"_s)});
}

void TestWindow::theLastPlaceIsRemembered()
{
    Program p;
    QVERIFY(p.open(recording(u"summarize_chain"_s)));
    p.selection().setCheckpoint(p.scene()->space->checkpoints[7].id);
    p.selection().setMessage(p.raw().model()->describe(1).key.toStdString());
    const Place place = p.selection().place();
    p.desk->window().close();
    p.start();
    QVERIFY(p.open(recording(u"summarize_chain"_s)));
    QCOMPARE(p.selection().place(), place);
}

void TestWindow::placeCommandOpensTheSamePlace()
{
    Program p;
    QVERIFY(p.open(recording(u"summarize_chain"_s)));
    p.selection().setCheckpoint(p.scene()->space->checkpoints[7].id);
    p.desk->window().command(u"copy-place"_s)->trigger();
    const QString command = QGuiApplication::clipboard()->text();
    QVERIFY(command.startsWith(u"palimpsest "_s));
    QVERIFY(command.contains(u"--checkpoint "_s + QString::fromStdString(p.scene()->checkpoint->id)));
    QVERIFY(command.contains(u"--thread"_s));
}

void TestWindow::keysMoveThroughMessagesEventsAndCheckpoints()
{
    Program p;
    QVERIFY(p.open(recording(u"summarize_chain"_s)));
    p.raw().list()->setFocus();
    p.selection().setMessage(p.raw().model()->describe(3).key.toStdString());
    QTest::keyClick(&p.desk->window(), Qt::Key_J);
    QCOMPARE(p.selection().place().message, p.raw().model()->describe(4).key.toStdString());
    QTest::keyClick(&p.desk->window(), Qt::Key_K);
    QTest::keyClick(&p.desk->window(), Qt::Key_K);
    QCOMPARE(p.selection().place().message, p.raw().model()->describe(2).key.toStdString());
    const int events = int(p.scene()->events.size());
    QTest::keyClick(&p.desk->window(), Qt::Key_C, Qt::ShiftModifier);
    QVERIFY(p.scene()->inForce >= events - 1);
    const CheckpointIndex at = p.scene()->checkpointIndex;
    QTest::keyClick(&p.desk->window(), Qt::Key_BracketLeft, Qt::ControlModifier);
    QCOMPARE(p.scene()->checkpointIndex, p.scene()->space->checkpoints[at.at()].parent);
    QTest::keyClick(&p.desk->window(), Qt::Key_BracketRight, Qt::ControlModifier);
    QCOMPARE(p.scene()->checkpointIndex, at);
}

void TestWindow::subagentsAreReachedBothWays()
{
    Program p;
    QVERIFY(p.open(recording(u"subagent"_s)));
    QVERIFY(!p.scene()->thread->subagents.empty());
    const SubagentLink link = p.scene()->thread->subagents.front();
    std::string match;
    for (const MessagePtr &message : p.scene()->log) {
        for (const ToolCallView &call : toolCalls(*message)) {
            if (call.id == link.toolCallId && message->id)
                match = *message->id;
        }
    }
    QVERIFY(!match.empty());
    p.selection().setMessage(match);
    const int row = p.raw().list()->currentIndex().row();
    QCOMPARE(p.raw().model()->describe(row).subagent.toStdString(), link.ns);
    p.raw().list()->setFocus();
    QTest::keyClick(p.raw().list(), Qt::Key_Return);
    QCOMPARE(p.selection().place().ns, link.ns);
    QCOMPARE(p.scene()->space->name, link.ns);
    p.desk->window().command(u"parent-namespace"_s)->trigger();
    QCOMPARE(p.selection().place().ns, link.parentNs);
    QCOMPARE(p.selection().place().message, match);
}

void TestWindow::badFilesSayWhatIsWrongInline()
{
    Program p;
    const QString bad = p.folder.filePath(u"bad.sqlite"_s);
    QFile file(bad);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("this is no database");
    file.close();
    QSignalSpy failed(&p.desk->session(), &Session::failed);
    p.desk->session().open(bad);
    QTRY_COMPARE(failed.count(), 1);
    auto *notice = p.desk->window().findChild<Notice *>(u"notice"_s);
    QVERIFY(notice && notice->isVisible());
    QVERIFY(notice->text().contains(u"bad.sqlite"_s));
    // What was open stays usable afterwards.
    QVERIFY(p.open(recording(u"plain"_s)));
    QVERIFY(!notice->isVisible());
}

void TestWindow::lookingFetchesNothing()
{
    QTcpServer server;
    QVERIFY(server.listen(QHostAddress::LocalHost));
    QSignalSpy connections(&server, &QTcpServer::newConnection);
    Program p;
    // A thread whose message, archive and file all point at the server.
    const QString address = u"http://127.0.0.1:%1/a.png"_s.arg(server.serverPort());
    auto message = std::make_shared<Message>();
    message->kind = MessageKind::Human;
    message->type = "human";
    message->id = "m";
    message->content = Value(Value::List{
        Value::map({{"type", Value("image_url")}, {"image_url", Value::map({{"url", Value(address.toStdString())}})}}),
        Value::map({{"type", Value("text")},
            {"text",
                Value("![picture](" + address.toStdString() + ") <img src=\"" + address.toStdString() + "\">")}})});
    auto entry = std::make_shared<FileEntry>();
    entry->content = Value("<html><img src=\"" + address.toStdString() + "\"></html>");
    Thread thread;
    thread.id = "t";
    thread.namespaces.emplace_back();
    Checkpoint checkpoint;
    checkpoint.id = "c";
    checkpoint.messages = MessageLog{message};
    checkpoint.files = FileMap().set("/page.html", entry);
    thread.namespaces[0].checkpoints.push_back(checkpoint);
    thread.namespaces[0].heads = {CheckpointIndex(std::int64_t{0})};
    p.selection().setThread("t");
    p.desk->session().focus()->setThread(std::make_shared<const Thread>(thread));
    p.selection().setMessage("m");
    QTest::keyClick(p.raw().list(), Qt::Key_Space);
    p.desk->window().grab();
    p.selection().setArtifact("/page.html");
    p.desk->window().grab();
    QCoreApplication::processEvents();
    // The server hears those who do connect.
    QTcpSocket probe;
    probe.connectToHost(QHostAddress::LocalHost, server.serverPort());
    QTRY_COMPARE(connections.count(), 1);
}

void TestWindow::panesCanBeClosedAndComeBack()
{
    Program p;
    QVERIFY(p.open(recording(u"plain"_s)));
    for (const QString &name : {u"threads"_s, u"raw"_s, u"effective"_s, u"archive"_s}) {
        QDockWidget *dock = p.desk->window().dock(name);
        QVERIFY2(dock, qPrintable(name));
        dock->close();
        QVERIFY(!dock->isVisible());
    }
    p.desk->window().useLayout(u"read"_s);
    for (const QString &name : {u"threads"_s, u"raw"_s, u"effective"_s, u"archive"_s})
        QVERIFY2(p.desk->window().dock(name)->isVisible(), qPrintable(name));
}

void TestWindow::bothLayoutsAndAllThemesPaint()
{
    Program p;
    QVERIFY(p.open(recording(u"summarize_chain"_s)));
    QSet<QRgb> grounds;
    for (const QString &mode : {u"theme-light"_s, u"theme-dark"_s, u"theme-contrast"_s}) {
        p.desk->window().command(mode)->trigger();
        for (const QString &layout : {u"layout-read"_s, u"layout-study"_s}) {
            p.desk->window().command(layout)->trigger();
            const QImage image = p.desk->window().grab().toImage();
            QVERIFY(!image.isNull());
        }
        grounds.insert(p.raw().list()->viewport()->grab().toImage().pixel(1, 1));
    }
    QVERIFY(grounds.size() >= 2);
    p.desk->window().command(u"theme-system"_s)->trigger();
}

void TestWindow::theDatabaseKeepsItsBytes()
{
    QTemporaryDir folder;
    const QString copy = folder.filePath(u"copy.sqlite"_s);
    QVERIFY(QFile::copy(recording(u"summarize_chain"_s), copy));
    const auto bytes = [&] {
        QFile file(copy);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    };
    const QByteArray before = bytes();
    {
        Program p;
        QVERIFY(p.open(copy));
        p.click(*p.raw().list(), 1);
        p.desk->window().close();
    }
    QCOMPARE(bytes(), before);
    QCOMPARE(QDir(folder.path()).entryList(QDir::Files | QDir::Hidden), QStringList{u"copy.sqlite"_s});
}

QTEST_MAIN(TestWindow)
#include "tst_window.moc"
