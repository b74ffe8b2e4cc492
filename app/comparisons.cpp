// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/corereader.h"
#include "app/exporter.h"
#include "app/mainwindow.h"
#include "app/panes.h"
#include "app/prompts.h"
#include "app/session.h"
#include "app/tuning.h"
#include "core/compaction/settingswords.h"
#include "core/compaction/threadartifacts.h"
#include "core/insight/compare/comparison.h"
#include "models/display.h"
#include "views/panes/comparepane.h"
#include "views/panes/threadspane.h"
#include "views/panes/tuningpane.h"

#include <QDockWidget>
#include <QFileInfo>

namespace palimpsest {

using namespace Qt::StringLiterals;

namespace {

constexpr auto compareLane = "compare";
constexpr auto threadsLane = "compare-threads";

ReplayInputPtr inputOf(const ExportMaterial &material)
{
    return ReplayInput::make(
        material.thread, material.ns, threadArtifacts(material.thread, material.ns, material.folders));
}

class Comparisons : public QObject {
public:
    Comparisons(MainWindow &window, Tuning &tuning)
        : QObject(&window)
        , m_window(window)
        , m_tuning(tuning)
    {
        QDockWidget *dock =
            window.addPane(MainWindow::Area::Bottom, u"compare"_s, tr("Compare"), [this] { return makePane(); });
        connect(&tuning, &Tuning::slotsChanged, this, [this, dock] {
            m_other.reset();
            auto *form = m_window.findChild<TuningPane *>();
            for (int slot = 0; slot < 2; ++slot)
                form->setSlot(slot,
                    m_tuning.slot(slot) ? toQString(settingsWords(settingsFor(*m_tuning.slot(slot), "", 1)))
                                        : QString());
            compare();
            if (m_tuning.slot(0) || m_tuning.slot(1))
                dock->raise();
        });
        connect(&tuning, &Tuning::inputChanged, this, &Comparisons::compare);
        connect(window.findChild<ThreadsPane *>(), &ThreadsPane::compareWanted, this,
            [this](const QString &id) { compareWith({fromQString(m_window.session().location()), fromQString(id)}); });
        window.addCommand(
            u"go"_s, u"compare-thread"_s, tr("Compare with another &thread…"), {}, [this] { askForThread(); });
    }

private:
    QWidget *makePane()
    {
        m_pane = new ComparePane(m_window.theme());
        m_pane->follow(m_window.session().focus());
        connect(m_pane, &ComparePane::settingsWanted, this, [this] {
            m_other.reset();
            compare();
        });
        connect(m_pane, &ComparePane::threadWanted, this, &Comparisons::askForThread);
        compare();
        return m_pane;
    }

    /// Only once there is something to see it in.
    void compare()
    {
        if (!m_pane)
            return;
        if (!m_tuning.input() || (!m_other && !m_tuning.slot(0) && !m_tuning.slot(1))) {
            m_pane->setComparison(nullptr);
            return;
        }
        m_pane->setBusy(true);
        m_tuning.studies().run(
            QString::fromLatin1(compareLane), m_pane,
            [input = m_tuning.input(), a = m_tuning.slot(0), b = m_tuning.slot(1), other = m_other,
                now = m_tuning.model()->settings()](const JobContext &job) -> Result<ComparisonPtr> {
                if (!other)
                    return makeComparison(input, a, b, job);
                const auto second = readOtherThread(*other, input->space().name, job);
                if (!second)
                    return tl::unexpected(second.error());
                return makeThreadComparison(input, inputOf(*second), otherName(*second), now, job);
            },
            [this, other = m_other](const Result<ComparisonPtr> &made) {
                m_pane->setBusy(false);
                if (made)
                    m_pane->setComparison(*made, other);
                else
                    m_pane->setProblem(toQString(made.error().where + ": " + made.error().what));
            });
    }

    void compareWith(const OtherThread &other)
    {
        m_other = other;
        m_window.raisePane(u"compare"_s);
        compare();
    }

    /// A file, and which of its threads when it holds more than one beside the open one.
    void askForThread()
    {
        const QString path =
            m_window.prompts().openFile(&m_window, tr("The other thread's file"), m_window.session().location());
        if (path.isEmpty())
            return;
        m_tuning.studies().run(
            QString::fromLatin1(threadsLane), this,
            [path](const JobContext &job) -> Result<std::vector<ThreadRow>> {
                const auto source = coreReader().open(path.toStdString(), job);
                return source ? (*source)->threads(job) : tl::unexpected(source.error());
            },
            [this, path](const Result<std::vector<ThreadRow>> &rows) {
                if (!rows) {
                    m_window.showError(rows.error());
                    return;
                }
                chooseThread(path, *rows);
            });
    }

    void chooseThread(const QString &path, const std::vector<ThreadRow> &rows)
    {
        QStringList ids;
        const bool here = QFileInfo(path) == QFileInfo(m_window.session().location());
        for (const ThreadRow &row : rows)
            if (!here || row.id != m_window.session().selection()->place().thread)
                ids << toQString(row.id);
        if (ids.isEmpty()) {
            m_window.showError({Error::Code::NotFound, fromQString(path), "holds no other thread to compare with"});
            return;
        }
        constexpr qsizetype shown = 12;
        const QString id = ids.size() == 1 ? ids.front()
                                           : m_window.prompts().askText(&m_window, tr("Which thread"),
                                                 tr("The id of one of %L1 threads:").arg(ids.size()) + u'\n'
                                                     + ids.first(std::min(shown, ids.size())).join(u'\n')
                                                     + (ids.size() > shown ? u"\n…"_s : QString()),
                                                 ids.front());
        if (!id.isEmpty())
            compareWith({fromQString(path), fromQString(id)});
    }

    MainWindow &m_window;
    Tuning &m_tuning;
    ComparePane *m_pane = nullptr; ///< null before it is looked at
    std::optional<OtherThread> m_other;
};

} // namespace

void buildComparison(MainWindow &window)
{
    new Comparisons(window, *window.findChild<Tuning *>()); // the window's child
}

} // namespace palimpsest
