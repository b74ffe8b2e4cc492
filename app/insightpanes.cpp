// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/corereader.h"
#include "app/jobrunner.h"
#include "app/mainwindow.h"
#include "app/panes.h"
#include "app/session.h"
#include "app/textmenus.h"
#include "app/tracing.h"
#include "models/display.h"
#include "views/panes/compositionpane.h"
#include "views/panes/diffpane.h"
#include "views/panes/growthpane.h"
#include "views/panes/messagepane.h"
#include "views/panes/sweeppane.h"
#include "views/panes/timelinepane.h"
#include "views/panes/tracepane.h"
#include "views/widgets/timelineview.h"
#include "views/widgets/tracelane.h"

#include <QAction>
#include <QApplication>
#include <QDockWidget>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QTextEdit>

namespace palimpsest {

using namespace Qt::StringLiterals;

namespace {

/// The lane of the timeline for a trace.
std::vector<TimelineSpan> spansOf(const TracePtr &trace)
{
    std::vector<TimelineSpan> spans;
    if (!trace || !trace->found)
        return spans;
    for (std::size_t i = 0; i < trace->calls.size(); ++i) {
        const TraceKind kind = trace->calls[i].where.front()->kind;
        const bool strong = kind != TraceKind::NotYet && kind != TraceKind::Nowhere;
        const auto at = static_cast<std::int64_t>(i);
        if (!spans.empty() && spans.back().ink == inkOf(kind) && spans.back().strong == strong)
            spans.back().to = at;
        else
            spans.push_back({at, at, inkOf(kind), strong});
    }
    return spans;
}

/// What is marked in the widget that has the keyboard.
QString markedText()
{
    QWidget *widget = QApplication::focusWidget();
    if (const auto *edit = qobject_cast<QTextEdit *>(widget))
        return edit->textCursor().selectedText();
    if (const auto *plain = qobject_cast<QPlainTextEdit *>(widget))
        return plain->textCursor().selectedText();
    if (const auto *line = qobject_cast<QLineEdit *>(widget))
        return line->selectedText();
    return {};
}

/// The words of a selection that a needle can be: its longest line.
QString needleOf(const QString &text)
{
    QString longest;
    const QStringList lines = text.split(u'\n');
    for (const QString &line : lines)
        if (line.trimmed().size() > longest.size())
            longest = line.trimmed();
    return longest;
}

/// What is marked in a text view, else in the chosen message.
QString selectedText(const ScenePtr &scene, const Place &place)
{
    // U+2029 stands between the lines of a selection.
    const QString marked = markedText().replace(QChar::ParagraphSeparator, u'\n');
    const MessageIndex at = findMessage(scene->log, place.message);
    if (!marked.trimmed().isEmpty() || !at.isValid() || place.text.length <= 0)
        return marked.trimmed().isEmpty() ? QString() : marked;
    return toQString(textOf(*scene->log[at.at()])).mid(place.text.start, place.text.length);
}

/// A text that must stay in context goes to the sweep's needles.
void buildMustKeep(MainWindow &window)
{
    window.addCommand(u"edit"_s, u"must-keep"_s, MainWindow::tr("&Must stay in context (sweep)"),
        {QKeySequence(u"Ctrl+Shift+T"_s)}, [&window] {
            Session &session = window.session();
            QString text = selectedText(session.focus()->scene(), session.selection()->place());
            if (const auto *traced = window.findChild<QLineEdit *>(u"traceText"_s); text.isEmpty() && traced)
                text = traced->text();
            const QString needle = needleOf(text);
            window.raisePane(u"sweep"_s);
            if (!needle.isEmpty())
                window.pane<SweepPane>(u"sweep"_s)->form()->addNeedle(needle);
        });
}

QWidget *makeTrace(MainWindow &window)
{
    Session &session = window.session();
    auto *pane = new TracePane(window.theme(),
        [&session](
            const TraceQuestion &question, QObject *receiver, std::function<void(const Result<TracePtr> &)> answer) {
            session.workers().runInParts<Result<TracePtr>>(
                u"trace"_s, receiver,
                [question, folders = session.folders()](
                    const JobContext &job, const auto &emitPart) { return traceFor(question, folders, job, emitPart); },
                answer, answer);
        });
    pane->follow(session.focus());
    // The selection is at the call already: the pane of summaries follows it.
    QObject::connect(pane, &TracePane::promptWanted, &window, [&window] { window.raisePane(u"summaries"_s); });
    if (auto *timeline = window.findChild<TimelineView *>())
        QObject::connect(pane, &TracePane::traced, timeline,
            [timeline](const TracePtr &trace) { timeline->setTrace(spansOf(trace)); });
    return pane;
}

void buildTrace(MainWindow &window)
{
    Session &session = window.session();
    window.addPane(
        MainWindow::Area::Bottom, u"trace"_s, MainWindow::tr("Trace"), [&window] { return makeTrace(window); });
    window.addCommand(
        u"go"_s, u"trace"_s, MainWindow::tr("&Where did this go?"), {QKeySequence(u"Ctrl+T"_s)}, [&window, &session] {
            const Place place = session.selection()->place();
            const ScenePtr scene = session.focus()->scene();
            const QString text = selectedText(scene, place);
            window.raisePane(u"trace"_s);
            auto *pane = window.pane<TracePane>(u"trace"_s);
            const MessageIndex at = findMessage(scene->log, place.message);
            if (!text.isEmpty())
                pane->ask(text);
            else if (at.isValid() && scene->log[at.at()]->id)
                pane->askMessage(*scene->log[at.at()]->id);
            else if (auto *field = pane->findChild<QLineEdit *>(u"traceText"_s))
                field->setFocus();
        });
    const auto panes = window.findChildren<MessagePane *>();
    for (MessagePane *messages : panes)
        QObject::connect(messages, &MessagePane::traceWanted, window.command(u"trace"_s), &QAction::trigger);
}

QWidget *makeGrowth(MainWindow &window)
{
    Session &session = window.session();
    // Reads the whole file: nothing else should wait for it.
    auto *runner = new JobRunner(JobRunner::Urgency::Awaited, &window);
    auto *pane = new GrowthPane(window.theme(),
        [&session, runner](
            const GrowthOptions &options, QObject *receiver, std::function<void(const Result<GrowthPtr> &)> done) {
            runner->run(
                u"growth"_s, receiver,
                [options, location = session.location().toStdString()](const JobContext &job) -> Result<GrowthPtr> {
                    const auto source = coreReader().open(location, job);
                    if (!source)
                        return tl::unexpected(source.error());
                    Result<Growth> growth = measureGrowth(**source, options, job);
                    if (!growth)
                        return tl::unexpected(growth.error());
                    return std::make_shared<const Growth>(std::move(*growth));
                },
                std::move(done));
        });
    pane->follow(session.focus());
    return pane;
}

Result<DiffSide> sideWithChannels(
    CheckpointSource *source, const ThreadPtr &thread, const std::string &ns, const std::string &words)
{
    Result<DiffSide> side = diffSide(thread, ns, words);
    if (!side || !source || !side->checkpoint.isValid())
        return side;
    const Result<std::vector<ChannelState>> channels = readChannels(*source, *thread, ns, side->checkpoint);
    if (!channels)
        return side;
    for (const ChannelState &channel : *channels)
        if (channel.name != thread->find(ns)->messagesChannel && channel.name != "files" && channel.undecodable.empty())
            side->channels.emplace(channel.name, channel.value);
    return side;
}

QWidget *makeDiff(MainWindow &window)
{
    Session &session = window.session();
    auto *pane = new DiffPane(window.theme(),
        [&session](const ThreadPtr &thread, const std::string &ns, const std::string &a, const std::string &b,
            QObject *receiver, std::function<void(const Result<ComparedSidesPtr> &)> done) {
            session.workers().run(
                u"diff"_s, receiver,
                [thread, ns, a, b, location = session.location().toStdString()](
                    const JobContext &job) -> Result<ComparedSidesPtr> {
                    const auto source = coreReader().open(location, job);
                    CheckpointSource *from = source ? source->get() : nullptr;
                    Result<DiffSide> first = sideWithChannels(from, thread, ns, a);
                    if (!first)
                        return tl::unexpected(first.error());
                    Result<DiffSide> second = sideWithChannels(from, thread, ns, b);
                    if (!second)
                        return tl::unexpected(second.error());
                    Diff diff = compare(*first, *second);
                    return std::make_shared<const ComparedSides>(
                        ComparedSides{std::move(*first), std::move(*second), std::move(diff)});
                },
                std::move(done));
        });
    pane->follow(session.focus());
    return pane;
}

void buildDiff(MainWindow &window)
{
    window.addPane(
        MainWindow::Area::Bottom, u"diff"_s, MainWindow::tr("Difference"), [&window] { return makeDiff(window); });
    const auto pane = [&window] { return window.pane<DiffPane>(u"diff"_s); };
    window.addCommand(u"go"_s, u"diff-before"_s, MainWindow::tr("Compare with what lies &before"),
        {QKeySequence(u"F8"_s)}, [&window, pane] {
            window.raisePane(u"diff"_s);
            pane()->setSides({}, {});
            pane()->takeB();
        });
    window.addCommand(u"go"_s, u"diff-first"_s, MainWindow::tr("Compare from here: first side"),
        {QKeySequence(u"Ctrl+F8"_s)}, [&window, pane] {
            window.raisePane(u"diff"_s);
            pane()->takeA();
        });
    window.addCommand(u"go"_s, u"diff-second"_s, MainWindow::tr("Compare up to here: second side"),
        {QKeySequence(u"Shift+F8"_s)}, [&window, pane] {
            window.raisePane(u"diff"_s);
            pane()->takeB();
        });
    window.addCommand(
        u"go"_s, u"diff-swap"_s, MainWindow::tr("Swap the compared sides"), {}, [pane] { pane()->swap(); });
    window.addCommand(u"go"_s, u"next-difference"_s, MainWindow::tr("Next &difference"), {QKeySequence(u"F7"_s)},
        [pane] { pane()->step(1); });
    window.addCommand(u"go"_s, u"previous-difference"_s, MainWindow::tr("Previous difference"),
        {QKeySequence(u"Shift+F7"_s)}, [pane] { pane()->step(-1); });
}

} // namespace

void buildInsightPanes(MainWindow &window)
{
    buildTrace(window);
    buildDiff(window);
    window.addPane(MainWindow::Area::Bottom, u"composition"_s, MainWindow::tr("Composition"), [&window] {
        auto *pane = new CompositionPane(window.theme());
        pane->follow(window.session().focus());
        return pane;
    });
    window.addPane(
        MainWindow::Area::Bottom, u"growth"_s, MainWindow::tr("Growth"), [&window] { return makeGrowth(window); });
    buildMustKeep(window);
    auto *menus = new TextMenus({window.command(u"trace"_s), window.command(u"must-keep"_s)}, &window);
    menus->addTo(window);
    QObject::connect(&window, &MainWindow::paneMade, menus, [menus](const QWidget *pane) { menus->addTo(*pane); });
}

} // namespace palimpsest
