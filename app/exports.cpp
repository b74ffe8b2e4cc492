// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/corereader.h"
#include "app/exporter.h"
#include "app/jobrunner.h"
#include "app/mainwindow.h"
#include "app/panes.h"
#include "app/prompts.h"
#include "app/session.h"
#include "app/settingsstore.h"
#include "app/tuning.h"
#include "core/compaction/settingswords.h"
#include "models/display.h"
#include "models/whatif.h"
#include "views/dialogs/exportdialog.h"
#include "views/panes/comparepane.h"
#include "views/panes/diffpane.h"
#include "views/panes/findingspane.h"
#include "views/panes/messagepane.h"
#include "views/panes/threadspane.h"
#include "views/panes/tracepane.h"

#include <QAction>
#include <QDir>
#include <QFileInfo>
#include <QStandardPaths>
#include <QTableView>
#include <QTreeView>

namespace palimpsest {

using namespace Qt::StringLiterals;

namespace {

constexpr auto lane = "export";
const QString folderKey = u"export/folder"_s; ///< of the settings store

QString tr(const char *text)
{
    return MainWindow::tr(text);
}

/// Carries out what one dialog orders. Lives as long as the dialog.
class Clerk : public QObject {
public:
    Clerk(MainWindow &window, JobRunner &runner, ExportDialog &dialog)
        : QObject(&dialog)
        , m_window(window)
        , m_runner(runner)
        , m_dialog(dialog)
    {
        connect(&dialog, &ExportDialog::exportWanted, this, &Clerk::write);
        connect(&dialog, &ExportDialog::previewWanted, this, &Clerk::preview);
        connect(&dialog, &ExportDialog::cancelWanted, this, [this] { m_stop.request_stop(); });
        connect(&runner, &JobRunner::progressed, &dialog,
            [&dialog](const QString &, double fraction, const QString &doing) { dialog.setProgress(fraction, doing); });
    }
    ~Clerk() override { m_stop.request_stop(); }

private:
    /// The work's own context stops also on Cancel: the runner would drop the answer, and with it whether the file is
    /// there.
    static JobContext stoppable(const JobContext &job, const std::stop_source &stop)
    {
        return {stop.get_token(), job.progress};
    }

    [[nodiscard]] ExportMaterial material() const
    {
        Session &session = m_window.session();
        const ScenePtr scene = session.focus()->scene();
        return {scene->thread, scene->space ? scene->space->name : std::string(), fromQString(session.location()),
            session.folders()};
    }

    void preview()
    {
        Result<ExportOrder> order = m_dialog.order();
        if (!order) {
            m_dialog.showError(order.error());
            return;
        }
        begin();
        m_runner.run(
            QString::fromLatin1(lane), &m_dialog,
            [order = std::move(*order), material = material(), stop = m_stop](
                const JobContext &job) -> Result<PreparedExport> {
                const JobContext own = stoppable(job, stop);
                const Result<ExportMaterial> both = withOtherThread(material, order, own);
                if (!both)
                    return tl::unexpected(both.error());
                return prepareExport(*both, order, {}, own);
            },
            [this](const Result<PreparedExport> &prepared) {
                m_dialog.setBusy(false);
                if (prepared)
                    m_dialog.setHits(prepared->hits);
                else
                    fail(prepared.error());
            });
    }

    void write()
    {
        Result<ExportOrder> order = m_dialog.order();
        if (!order) {
            m_dialog.showError(order.error());
            return;
        }
        SettingsStore &settings = m_window.session().settings();
        const QString folder =
            settings.value(folderKey, QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation)).toString();
        const QString name =
            QFileInfo(m_window.session().location()).completeBaseName() + u'-' + m_dialog.suggestedName();
        const QString path =
            m_window.prompts().saveFile(&m_dialog, tr("Export to"), QDir(folder).filePath(name), m_dialog.fileFilter());
        if (path.isEmpty())
            return;
        settings.setValue(folderKey, QFileInfo(path).absolutePath());
        begin();
        m_runner.run(
            QString::fromLatin1(lane), &m_dialog,
            [order = std::move(*order), material = material(), path = fromQString(path), stop = m_stop](
                const JobContext &job) { return writeNow(order, material, path, stoppable(job, stop)); },
            [this, path](const Result<void> &done) {
                m_dialog.setBusy(false);
                if (done)
                    m_dialog.showDone(tr("Written: %1").arg(QDir::toNativeSeparators(path)));
                else
                    fail(done.error());
            });
    }

    static Result<void> writeNow(
        const ExportOrder &order, const ExportMaterial &material, const std::string &path, const JobContext &job)
    {
        std::shared_ptr<CheckpointSource> source;
        if (order.format == TranscriptFormat::Bundle) {
            auto opened = coreReader().open(material.location, job);
            if (!opened)
                return tl::unexpected(opened.error());
            source = std::move(*opened);
        }
        const Result<ExportMaterial> both = withOtherThread(material, order, job);
        if (!both)
            return tl::unexpected(both.error());
        return runExport(order, *both, source.get(), path, job);
    }

    void begin()
    {
        m_stop = std::stop_source();
        m_dialog.setBusy(true);
    }

    void fail(const Error &error)
    {
        if (error.code == Error::Code::Cancelled)
            m_dialog.showDone(tr("Stopped; nothing was written."));
        else
            m_dialog.showError(error);
    }

    MainWindow &m_window;
    JobRunner &m_runner;
    ExportDialog &m_dialog;
    std::stop_source m_stop;
};

/// The settings that are at hand: those that are tuned, and those kept as A and B.
std::vector<ExportOffer::NamedSettings> settingsAtHand(const MainWindow &window)
{
    std::vector<ExportOffer::NamedSettings> named;
    auto *tuning = window.findChild<Tuning *>();
    if (!tuning)
        return named;
    const auto add = [&](const QString &name, const std::shared_ptr<const SettingsSet> &set) {
        if (set)
            named.push_back({name.arg(toQString(settingsWords(settingsFor(*set, "", 1)))), *set});
    };
    add(tr("A: %1"), tuning->slot(0));
    add(tr("B: %1"), tuning->slot(1));
    add(tr("As tuned now: %1"), tuning->model()->settings());
    return named;
}

class Exports {
public:
    Exports(MainWindow &window, JobRunner &runner)
        : m_window(window)
        , m_runner(runner)
    {
    }

    void open(const ExportOrder &start, std::vector<std::string> selected = {}) const
    {
        const ScenePtr scene = m_window.session().focus()->scene();
        if (!scene->thread || !scene->space)
            return;
        ExportOffer offer;
        offer.scene = scene;
        offer.settings = settingsAtHand(m_window);
        offer.selected = std::move(selected);
        if (const auto *diff = m_window.findChild<DiffPane *>())
            offer.sides = {fromQString(diff->sides().first), fromQString(diff->sides().second)};
        offer.start = start;
        auto *dialog = new ExportDialog(m_window.theme(), std::move(offer), &m_window);
        new Clerk(m_window, m_runner, *dialog);
        dialog->show();
    }

    /// What the window shows at large: the raw log with what is selected in it.
    void openForWindow() const
    {
        const auto *raw = m_window.findChild<MessagePane *>(u"rawPane"_s);
        open({}, raw ? raw->selectedKeys() : std::vector<std::string>());
    }

    void openForMessages(const MessagePane &pane, bool selectedOnly) const
    {
        const ScenePtr scene = m_window.session().focus()->scene();
        ExportOrder order;
        std::vector<std::string> selected = pane.selectedKeys();
        if (selectedOnly)
            order.selected = selected;
        const bool effective = pane.model()->list() == MessageModel::List::Effective;
        if (effective && scene->whatIf)
            order.subject = TranscriptSubject::Replay;
        else if (effective && scene->call)
            order.subject = TranscriptSubject::Request;
        else if (effective)
            order.subject = TranscriptSubject::Effective;
        if (scene->call)
            order.call = scene->call->number;
        open(order, std::move(selected));
    }

    void openForTrace(const TracePane &pane) const
    {
        const TraceQuestion question = pane.question();
        ExportOrder order;
        order.subject = TranscriptSubject::Trace;
        order.needle = question.text;
        order.needleKind = question.kind;
        order.needleMessage = question.message.value_or(std::string());
        order.format = TranscriptFormat::Html;
        open(order);
    }

    void openForPlaces(const DiffPane &pane) const
    {
        ExportOrder order;
        order.subject = TranscriptSubject::Comparison;
        order.format = TranscriptFormat::Html;
        order.sides = {fromQString(pane.sides().first), fromQString(pane.sides().second)};
        open(order);
    }

    void openForComparison(const ComparePane &pane) const
    {
        ExportOrder order;
        order.subject = TranscriptSubject::Comparison;
        order.format = TranscriptFormat::Html;
        order.other = pane.otherThread();
        open(order);
    }

    void openFor(TranscriptSubject subject, TranscriptFormat format) const
    {
        ExportOrder order;
        order.subject = subject;
        order.format = format;
        open(order);
    }

private:
    MainWindow &m_window;
    JobRunner &m_runner;
};

/// Puts an action into the context menu of a view that has none of its own.
void addTo(QAbstractItemView *view, const QString &text, const std::function<void()> &act)
{
    auto *action = new QAction(text, view);
    QObject::connect(action, &QAction::triggered, view, act);
    view->addAction(action);
    view->setContextMenuPolicy(Qt::ActionsContextMenu);
}

} // namespace

void buildExports(MainWindow &window)
{
    // A long export is not to hold up the search, nor the search the export.
    auto *runner = new JobRunner(JobRunner::Urgency::Awaited, &window);
    const Exports exports(window, *runner);
    QAction *action = window.addCommand(
        u"file"_s, u"export"_s, tr("&Export…"), {QKeySequence(u"Ctrl+E"_s)}, [exports] { exports.openForWindow(); });
    const auto refresh = [&window, action] { action->setEnabled(window.session().focus()->thread() != nullptr); };
    QObject::connect(window.session().focus(), &Focus::threadChanged, action, refresh);
    refresh();
    const auto panes = window.findChildren<MessagePane *>();
    for (MessagePane *pane : panes)
        QObject::connect(pane, &MessagePane::exportWanted, pane,
            [exports, pane](bool selected) { exports.openForMessages(*pane, selected); });
    addTo(window.findChild<FindingsPane *>()->tree(), tr("Export the findings…"),
        [exports] { exports.openFor(TranscriptSubject::Findings, TranscriptFormat::Csv); });
    QObject::connect(&window, &MainWindow::paneMade, &window, [exports](QWidget *pane) {
        if (const auto *compare = qobject_cast<ComparePane *>(pane)) {
            for (QTableView *table : {compare->figures(), compare->calls()})
                addTo(table, tr("Export the comparison…"), [exports, compare] { exports.openForComparison(*compare); });
        } else if (const auto *trace = qobject_cast<TracePane *>(pane)) {
            addTo(trace->table(), tr("Export the trace…"), [exports, trace] { exports.openForTrace(*trace); });
        } else if (auto *diff = qobject_cast<DiffPane *>(pane)) {
            diff->addAction(tr("Export the difference…"), diff, [exports, diff] { exports.openForPlaces(*diff); });
            diff->setContextMenuPolicy(Qt::ActionsContextMenu);
        }
    });
}

} // namespace palimpsest
