// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/app/program.h"
#include "tests/support/checkpointfile.h"
#include "views/panes/filterbar.h"
#include "views/panes/searchbar.h"
#include "views/panes/threadspane.h"
#include "views/widgets/board.h"
#include "views/widgets/ribbonlayer.h"

#include <QClipboard>
#include <QDropEvent>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTabBar>
#include <QTcpServer>
#include <QTcpSocket>
#include <QTreeView>

#include <algorithm>

using namespace palimpsest;
using namespace Qt::StringLiterals;
using palimpsest::test::CheckpointFile;
using palimpsest::test::Program;
using palimpsest::test::recording;

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
    void aSourceOnTheCommandLineIsShownAtOnce();
    void whatIsMissingOfAPlaceIsSaid();
    void aMessageIsFoundWhereverItIs();
    void theCallTabStaysInViewWithManyEvents();
    void messagesAreCopiedInThreeForms();
    void asFirstWrittenIsOneKey();
    void recentFilesAreListedAndOpen();
    void aPaneThatFloatsGoesOnFollowing();
    void followingKeepsThePlace();
    void panesBehindTabsRest();
    void theKeyboardReachesEveryPane();
    void layoutAndZoomAreRemembered();
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
    QCOMPARE(p.raw().model()->describe(row).subagents.front().ns.toStdString(), link.ns);
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
    QVERIFY(p.notice().isVisible());
    QVERIFY(p.notice().text().contains(u"bad.sqlite"_s));
    // What was open stays usable afterwards.
    QVERIFY(p.open(recording(u"plain"_s)));
    QVERIFY(!p.notice().isVisible());
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

void TestWindow::aSourceOnTheCommandLineIsShownAtOnce()
{
    WindowArguments arguments;
    arguments.source = recording(u"summarize_chain"_s).toStdString();
    Program p(arguments);
    QVERIFY(!p.startPage());
    QVERIFY(p.raw().isVisible());
    QVERIFY(p.ready());
    QVERIFY(!p.startPage());
    // One that cannot be opened leads to the start page, with the reason above it.
    arguments.source = p.folder.filePath(u"nothing.sqlite"_s).toStdString();
    Program q(arguments);
    QTRY_VERIFY(q.startPage() && q.startPage()->isVisible());
    QVERIFY(q.notice().text().contains(u"nothing.sqlite"_s));
}

void TestWindow::whatIsMissingOfAPlaceIsSaid()
{
    Program p;
    Place place;
    place.message = "no-such-message";
    QVERIFY(p.open(recording(u"plain"_s), place));
    QTRY_VERIFY(p.notice().isVisible());
    QVERIFY(p.notice().text().contains(u"no-such-message"_s));
    QVERIFY(p.place().message.empty());
    place = {};
    place.call = CallNumber(1000);
    QVERIFY(p.open(recording(u"summarize_chain"_s), place));
    QTRY_VERIFY(p.notice().text().contains(u"1000"_s));
    QVERIFY(!p.scene()->call);
    place = {};
    place.ns = "tools:nowhere";
    p.desk->session().open(recording(u"subagent"_s), place);
    QTRY_VERIFY(p.notice().text().contains(u"tools:nowhere"_s));
    QVERIFY(p.ready());
    QVERIFY(p.place().ns.empty());
}

void TestWindow::aMessageIsFoundWhereverItIs()
{
    Program p;
    QVERIFY(p.open(recording(u"subagent"_s)));
    const ThreadPtr thread = p.scene()->thread;
    const auto space =
        std::ranges::find_if(thread->namespaces, [](const ThreadNamespace &one) { return !one.name.empty(); });
    QVERIFY(space != thread->namespaces.end());
    const MessagePtr inner = space->checkpoints.back().messages.back();
    QVERIFY(inner->id);
    Place place;
    place.message = *inner->id;
    QVERIFY(p.open(recording(u"subagent"_s), place));
    QTRY_COMPARE(p.place().ns, space->name);
    QCOMPARE(p.place().message, *inner->id);
    QVERIFY(!p.notice().isVisible());
}

void TestWindow::theCallTabStaysInViewWithManyEvents()
{
    Program p;
    QVERIFY(p.open(recording(u"pairs/0.7.7/pair_6_b"_s)));
    const int events = int(p.scene()->events.size());
    QVERIFY(events > 20);
    QTabBar *tabs = p.effective().tabs();
    const auto labels = [tabs] {
        QStringList all;
        for (int i = 0; i < tabs->count(); ++i)
            all << tabs->tabText(i);
        return all;
    };
    QCOMPARE(labels().back(), u"call"_s);
    QVERIFY(labels().contains(QString::number(events)));
    QCOMPARE(tabs->count(), 6);
    QTRY_VERIFY(tabs->rect().contains(tabs->tabRect(tabs->count() - 1)));
    // The events around the one in force are at hand.
    p.selection().setCheckpoint(p.scene()->space->checkpoints[p.scene()->events[9].checkpoint.at()].id);
    QCOMPARE(tabs->tabText(tabs->currentIndex()), u"10"_s);
    QVERIFY(labels().contains(u"9"_s) && labels().contains(u"11"_s));
    QCOMPARE(labels().front(), u"start"_s);
}

void TestWindow::messagesAreCopiedInThreeForms()
{
    Program p;
    QVERIFY(p.open(recording(u"summarize_chain"_s)));
    const MessagePtr message = p.scene()->log[0];
    p.selection().setMessage(*message->id);
    const auto copied = [&p](const QString &command) {
        p.trigger(command);
        return QGuiApplication::clipboard()->text();
    };
    QCOMPARE(copied(u"copy-text"_s).toStdString(), textOf(*message));
    QVERIFY(copied(u"copy-markdown"_s).startsWith(u"### human"_s));
    const QJsonObject json = QJsonDocument::fromJson(copied(u"copy-json"_s).toUtf8()).object();
    QCOMPARE(json[u"id"_s].toString().toStdString(), *message->id);
    QCOMPARE(json[u"type"_s].toString(), u"human"_s);
    // A summary is in no log, and is copied all the same.
    p.click(*p.effective().list(), 0);
    QVERIFY(p.effective().model()->describe(0).summary);
    QCOMPARE(copied(u"copy-text"_s).toStdString(), textOf(*p.scene()->effective[0]));
}

void TestWindow::asFirstWrittenIsOneKey()
{
    Program p;
    QVERIFY(p.open(recording(u"overflow_clip"_s)));
    int row = -1;
    for (int i = 0; i < p.raw().model()->rowCount() && row < 0; ++i) {
        if (p.raw().model()->describe(i).versions > 1)
            row = i;
    }
    QVERIFY(row >= 0);
    p.click(*p.raw().list(), row);
    const auto text = [&] { return p.raw().model()->index(row, 0).data(int(MessageRole::Text)).toString(); };
    const QString now = text();
    QTest::keyClick(&p.desk->window(), Qt::Key_W);
    QCOMPARE(p.place().version, 0);
    QVERIFY(text() != now);
    QVERIFY(p.raw().model()->describe(row).firstWritten);
    QTRY_VERIFY(p.inspector().inspection().plain != now);
    QTest::keyClick(&p.desk->window(), Qt::Key_W);
    QCOMPARE(text(), now);
}

void TestWindow::recentFilesAreListedAndOpen()
{
    Program p;
    QVERIFY(p.open(recording(u"plain"_s)));
    QVERIFY(p.open(recording(u"media"_s)));
    p.desk->window().close();
    p.start();
    QVERIFY(p.startPage()->isVisible());
    const auto menus = p.desk->window().findChildren<QMenu *>();
    const auto recent =
        std::ranges::find_if(menus, [](const QMenu *menu) { return menu->title().contains(u"recent"_s); });
    QVERIFY(recent != menus.end());
    Q_EMIT(*recent)->aboutToShow();
    QCOMPARE((*recent)->actions().size(), 2);
    QCOMPARE((*recent)->actions().front()->text(), recording(u"media"_s));
    (*recent)->actions().back()->trigger();
    QVERIFY(p.ready());
    QCOMPARE(p.desk->session().location(), recording(u"plain"_s));
}

void TestWindow::aPaneThatFloatsGoesOnFollowing()
{
    Program p;
    QVERIFY(p.open(recording(u"summarize_chain"_s)));
    QDockWidget *dock = p.desk->window().dock(u"effective"_s);
    dock->setFloating(true);
    QTRY_VERIFY(!p.effective().list()->isLed());
    const int last = p.raw().model()->rowCount() - 1;
    p.click(*p.raw().list(), last);
    QCOMPARE(p.effective().list()->currentIndex().row(), p.effective().model()->rowCount() - 1);
    QVERIFY(p.effective().list()->viewport()->rect().intersects(
        p.effective().list()->rowRect(p.effective().model()->rowCount() - 1)));
    dock->setFloating(false);
    QTRY_VERIFY(p.effective().list()->isLed());
}

void TestWindow::followingKeepsThePlace()
{
    Program p;
    const QString path = p.folder.filePath(u"live.sqlite"_s);
    QVERIFY(QFile::copy(recording(u"summarize_chain"_s), path));
    QVERIFY(QFile::setPermissions(path, QFile::ReadOwner | QFile::WriteOwner));
    CheckpointFile writer(path.toStdString());
    QVERIFY(writer.run("PRAGMA journal_mode = WAL; ATTACH ':memory:' AS held"));
    const std::string newest = " WHERE checkpoint_id IN (SELECT checkpoint_id FROM main.checkpoints ORDER BY 1 DESC "
                               "LIMIT 6)";
    QVERIFY(writer.run("CREATE TABLE held.writes AS SELECT * FROM main.writes" + newest
        + "; CREATE TABLE held.checkpoints AS SELECT * FROM main.checkpoints" + newest
        + "; DELETE FROM main.writes WHERE checkpoint_id IN (SELECT checkpoint_id FROM held.checkpoints)"
          "; DELETE FROM main.checkpoints WHERE checkpoint_id IN (SELECT checkpoint_id FROM held.checkpoints)"));
    QVERIFY(p.open(path));
    const auto count = [&p] { return p.scene()->space->checkpoints.size(); };
    const std::size_t before = count();
    p.click(*p.raw().list(), 7);
    const Place place = p.desk->session().selection()->place();
    QVERIFY(!place.message.empty());
    // Where the eye is: the scroll bar counts the room above the first row too, which goes by the pane beside.
    const QRect seen = p.raw().list()->rowRect(7);
    p.trigger(u"follow"_s);
    QVERIFY(p.desk->session().isFollowing());
    const auto put = [&writer](int n) {
        const std::string one = " SELECT * FROM held.";
        const std::string which = " WHERE checkpoint_id = (SELECT checkpoint_id FROM held.checkpoints ORDER BY 1 LIMIT "
                                  "1 OFFSET "
            + std::to_string(n) + ")";
        return writer.run("BEGIN; INSERT INTO main.checkpoints" + one + "checkpoints" + which
            + "; INSERT INTO main.writes" + one + "writes" + which + "; COMMIT");
    };
    for (int i = 0; i < 4; ++i) {
        QVERIFY(put(i));
        QTRY_COMPARE(count(), before + static_cast<std::size_t>(i) + 1);
        QCOMPARE(p.desk->session().selection()->place(), place);
        QCOMPARE(p.raw().list()->rowRect(7), seen);
    }
    // Paused, nothing is taken up; going on takes up what came meanwhile.
    p.trigger(u"follow"_s);
    QTRY_VERIFY(p.ready());
    QVERIFY(put(4));
    QCOMPARE(count(), before + 4);
    p.trigger(u"follow"_s);
    QTRY_COMPARE(count(), before + 5);
    // Pruned, then deleted by the writer: what was seen stays, and the window says why nothing follows.
    QVERIFY(writer.run(
        "DELETE FROM main.checkpoints WHERE checkpoint_id = (SELECT max(checkpoint_id) FROM main.checkpoints)"));
    QTRY_COMPARE(count(), before + 4);
    QVERIFY(writer.run("DELETE FROM main.checkpoints"));
    QTRY_VERIFY(!p.desk->session().isFollowing());
    QVERIFY(p.notice().isVisible());
    QCOMPARE(count(), before + 4);
}

void TestWindow::theKeyboardReachesEveryPane()
{
    Program p;
    QVERIFY(p.open(recording(u"summarize_chain"_s)));
    p.desk->window().activateWindow();
    QTRY_VERIFY(p.desk->window().isActiveWindow());
    for (const char *name :
        {"threads", "timeline", "raw", "effective", "archive", "findings", "inspector", "state", "decisions", "tuning",
            "compare", "sweep", "projection", "summaries", "trace", "diff", "composition", "growth"}) {
        p.trigger(u"to-"_s + QLatin1StringView(name));
        QDockWidget *dock = p.desk->window().dock(QLatin1StringView(name));
        QVERIFY2(dock, name);
        QTRY_VERIFY2(!dock->widget()->visibleRegion().isEmpty(), name);
        const auto holds = [dock] {
            const QWidget *focused = QApplication::focusWidget();
            return focused && dock->widget()->isAncestorOf(focused);
        };
        QTRY_VERIFY2(holds(), name);
    }
    // The first ten have a key.
    QCOMPARE(p.desk->window().command(u"to-raw"_s)->shortcut(), QKeySequence(u"Alt+3"_s));
    // Looking around chose nothing.
    QVERIFY(p.desk->session().selection()->place().message.empty());
}

void TestWindow::panesBehindTabsRest()
{
    Program p;
    QVERIFY(p.open(recording(u"summarize_chain"_s)));
    p.raise(u"state"_s);
    QTRY_VERIFY(p.state().isVisible());
    QTRY_VERIFY(!p.inspector().isVisible());
    p.raise(u"inspector"_s);
    QTRY_VERIFY(p.inspector().isVisible());
    QTRY_VERIFY(!p.state().isVisible());
}

void TestWindow::layoutAndZoomAreRemembered()
{
    Program p;
    QVERIFY(p.open(recording(u"summarize_chain"_s)));
    p.desk->window().dock(u"findings"_s)->close();
    p.desk->window().dock(u"archive"_s)->close();
    const qreal size = p.desk->theme().uiFont().pointSizeF();
    p.trigger(u"text-larger"_s);
    p.desk->window().close();
    p.start();
    QCOMPARE(p.settings->value(u"zoom"_s).toInt(), 1);
    QVERIFY(p.desk->theme().uiFont().pointSizeF() > size);
    QVERIFY(p.open(recording(u"summarize_chain"_s)));
    QVERIFY(p.desk->window().dock(u"findings"_s)->isHidden());
    QVERIFY(p.desk->window().dock(u"archive"_s)->isHidden());
    QVERIFY(p.raw().isVisible());
    p.trigger(u"text-normal"_s);
}

QTEST_MAIN(TestWindow)
#include "tst_window.moc"
