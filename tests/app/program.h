// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/corereader.h"
#include "app/desk.h"
#include "views/panes/archivepane.h"
#include "views/panes/findingspane.h"
#include "views/panes/inspectorpane.h"
#include "views/panes/messagepane.h"
#include "views/panes/startpage.h"
#include "views/panes/statepane.h"
#include "views/widgets/messagelist.h"
#include "views/widgets/notice.h"
#include "views/widgets/timelineview.h"

#include <QApplication>
#include <QDockWidget>
#include <QTemporaryDir>
#include <QtTest>

namespace palimpsest::test {

/// Answers every dialog with `next`.
class Answers : public Prompts {
public:
    QString next;
    QString openFile(QWidget *, const QString &, const QString &) override { return next; }
    QString openFolder(QWidget *, const QString &, const QString &) override { return next; }
    QString saveFile(QWidget *, const QString &, const QString &, const QString &) override { return next; }
    QString askText(QWidget *, const QString &, const QString &, const QString &) override { return next; }
    bool confirm(QWidget *, const QString &, const QString &, const QString &) override { return true; }
};

/// The path of a recording of deepagents 0.7.7 by its name; of another folder by a path with its version.
inline QString recording(const QString &name)
{
    const QString folder = qEnvironmentVariable(
        "PALIMPSEST_RECORDINGS", QStringLiteral(PALIMPSEST_TEST_DATA) + QStringLiteral("/recordings"));
    return folder + (name.contains(u'/') ? QStringLiteral("/") : QStringLiteral("/0.7.7/")) + name
        + QStringLiteral(".sqlite");
}

/// The program as a user has it, with settings of its own.
struct Program {
    QTemporaryDir folder;
    std::unique_ptr<SettingsStore> settings;
    Answers answers;
    std::unique_ptr<Desk> desk;

    explicit Program(const WindowArguments &arguments = {}) { start(arguments); }
    /// Starts it anew with the same settings.
    void start(const WindowArguments &arguments = {})
    {
        desk.reset();
        settings = std::make_unique<SettingsStore>(folder.filePath(QStringLiteral("settings.ini")));
        desk = std::make_unique<Desk>(*qApp, *settings, answers, coreReader(), arguments);
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
    /// Waits until all of a thread is read and shown.
    bool ready()
    {
        return QTest::qWaitFor(
            [this] {
                const ScenePtr now = scene();
                const TimelineDataPtr shown = timeline().scene().data;
                return !desk->session().isBusy() && now->checkpoint && now->facts && !now->space->partial
                    && archive().model()->isReady() && shown && !shown->partial;
            },
            20000);
    }
    /// Waits until the rules have looked at the thread.
    bool studied()
    {
        return QTest::qWaitFor(
            [this] {
                return desk->session().focus()->findings() != nullptr && !desk->session().background().isBusy()
                    && !desk->session().workers().isBusy();
            },
            20000);
    }
    void raise(const QString &dock)
    {
        desk->window().dock(dock)->show();
        desk->window().dock(dock)->raise();
    }
    void trigger(const QString &command) { desk->window().command(command)->trigger(); }
    void click(MessageList &list, int row)
    {
        list.scrollTo(list.messages()->index(row, 0));
        QTest::mouseClick(list.viewport(), Qt::LeftButton, {}, list.rowRect(row).center());
    }

    MessagePane &raw() { return *desk->window().findChild<MessagePane *>(QStringLiteral("rawPane")); }
    MessagePane &effective() { return *desk->window().findChild<MessagePane *>(QStringLiteral("effectivePane")); }
    ArchivePane &archive() { return *desk->window().findChild<ArchivePane *>(); }
    TimelineView &timeline() { return *desk->window().findChild<TimelineView *>(); }
    InspectorPane &inspector() { return *desk->window().findChild<InspectorPane *>(); }
    StatePane &state() { return *desk->window().pane<StatePane>(QStringLiteral("state")); }
    FindingsPane &findings() { return *desk->window().findChild<FindingsPane *>(); }
    StartPage *startPage() { return desk->window().findChild<StartPage *>(); }
    Notice &notice() { return *desk->window().findChild<Notice *>(QStringLiteral("notice")); }
    ScenePtr scene() { return desk->session().focus()->scene(); }
    Selection &selection() { return *desk->session().selection(); }
    const Place &place() { return selection().place(); }
};

} // namespace palimpsest::test
