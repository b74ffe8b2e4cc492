// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/corereader.h"
#include "app/mainwindow.h"
#include "app/panes.h"
#include "app/prompts.h"
#include "app/session.h"
#include "app/tuning.h"
#include "core/compaction/threadartifacts.h"
#include "core/thread/threadreader.h"
#include "models/display.h"
#include "models/sweepstudy.h"
#include "views/panes/sweeppane.h"
#include "views/panes/threadspane.h"

#include <QSaveFile>

#include <chrono>

namespace palimpsest {

using namespace Qt::StringLiterals;

namespace {

constexpr auto sweepLane = "sweep";
constexpr std::size_t mostInBatch = 256;
constexpr std::chrono::milliseconds batchTime{100};

using Inputs = std::shared_ptr<const std::vector<SweepInput>>;

/// What a running sweep tells: first what it goes over, then cells.
struct SweepPart {
    Inputs inputs;
    std::vector<std::pair<std::size_t, SweepCell>> cells;
};

/// Which threads a sweep goes over.
struct SweepRange {
    QString location;
    std::string ns;
    std::vector<std::string> ids; ///< none: all of the source
    ReplayInputPtr open; ///< the thread that is open; null when others are wanted
    bool operator==(const SweepRange &) const = default;
};

/// Reads the threads of a range that hold calls in the namespace; null when none does.
Result<Inputs> readInputs(const SweepRange &range, const std::vector<ArtifactFolder> &folders, const JobContext &job)
{
    auto inputs = std::make_shared<std::vector<SweepInput>>();
    if (range.open) {
        inputs->push_back({range.open->thread().id, range.open});
        return inputs;
    }
    const auto source = coreReader().open(range.location.toStdString(), job);
    if (!source)
        return tl::unexpected(source.error());
    std::vector<std::string> ids = range.ids;
    if (ids.empty()) {
        const auto rows = (*source)->threads(job);
        if (!rows)
            return tl::unexpected(rows.error());
        for (const ThreadRow &row : *rows)
            ids.push_back(row.id);
    }
    for (std::size_t i = 0; i < ids.size(); ++i) {
        if (job.stopped())
            return failure(Error::Code::Cancelled, "sweep", "stopped");
        job.report(static_cast<double>(i) / static_cast<double>(ids.size()), "Reading threads");
        const auto thread = loadThread(**source, ids[i], {}, {job.stop, {}});
        if (!thread)
            return tl::unexpected(thread.error());
        const ThreadNamespace *space = (*thread)->find(range.ns);
        if (space && !space->calls.empty())
            inputs->push_back(
                {ids[i], ReplayInput::make(*thread, range.ns, threadArtifacts(*thread, range.ns, folders))});
    }
    if (inputs->empty())
        return failure(
            Error::Code::NotFound, "sweep", "none of these threads holds a model call that could be replayed");
    return inputs;
}

class Sweeps : public QObject {
public:
    Sweeps(MainWindow &window, Tuning &tuning)
        : QObject(&window)
        , m_window(window)
        , m_tuning(tuning)
        , m_threads(window.findChild<ThreadsPane *>())
        , m_pane(new SweepPane(window.theme()))
    {
        Session &session = window.session();
        connect(m_pane, &SweepPane::runWanted, this, &Sweeps::run);
        connect(m_pane, &SweepPane::cancelWanted, this, [this] {
            m_tuning.studies().cancel(QString::fromLatin1(sweepLane));
            m_pane->end(tr("Stopped. The cells that were done are shown; Resume goes on with the others."));
        });
        connect(m_pane, &SweepPane::csvWanted, this, &Sweeps::writeCsv);
        connect(m_pane, &SweepPane::settingsChosen, this, [this](const Value &settings) {
            if (const auto taken = m_tuning.model()->load(settings); !taken)
                m_window.showError(taken.error());
        });
        connect(m_pane, &SweepPane::threadChosen, this, [this, &session](std::size_t thread) {
            if (thread < m_pane->study().threads.size())
                session.selection()->setThread(m_pane->study().threads[thread], m_range.ns);
        });
        const auto takeReach = [this] {
            if (!m_tuning.input())
                return;
            const Tuning::Reach reach = m_tuning.reach();
            m_pane->form()->setReach(reach.messages, reach.tokens);
        };
        connect(&tuning, &Tuning::inputChanged, this, takeReach);
        connect(
            &tuning.studies(), &JobRunner::progressed, this, [this](const QString &lane, double, const QString &doing) {
                if (lane == QLatin1StringView(sweepLane))
                    m_pane->setReading(doing + u'…');
            });
        const auto countThreads = [this, &session] {
            m_pane->form()->setThreads(
                static_cast<int>(m_threads->selectedThreads().size()), static_cast<int>(session.threads().size()));
        };
        connect(m_threads, &ThreadsPane::selectionChanged, this, countThreads);
        connect(&session, &Session::opened, this, countThreads);
        connect(&session, &Session::threadsChanged, this, countThreads);
        takeReach();
        countThreads();
    }

    [[nodiscard]] SweepPane *pane() const { return m_pane; }

private:
    [[nodiscard]] SweepRange range() const
    {
        SweepRange range{m_window.session().location(), m_window.session().selection()->place().ns, {}, {}};
        switch (m_pane->form()->scope()) {
        case SweepForm::Scope::Thread:
            range.open = m_tuning.input();
            break;
        case SweepForm::Scope::Selection:
            range.ids = m_threads->selectedThreads();
            break;
        case SweepForm::Scope::Source:
            break;
        }
        return range;
    }

    void run()
    {
        if (!m_tuning.input()) {
            m_pane->end(tr("Open a thread that holds model calls first."));
            return;
        }
        SweepGrid grid = m_pane->form()->grid();
        grid.base = m_tuning.model()->document();
        const SweepRange wanted = range();
        const bool same = wanted == m_range && m_inputs;
        if (!same)
            m_inputs = nullptr;
        m_range = wanted;
        m_pane->begin(grid, same);
        m_tuning.studies().runInParts<SweepPart>(
            QString::fromLatin1(sweepLane), m_pane,
            [grid, wanted, read = m_inputs, known = m_pane->study().cells, folders = m_window.session().folders()](
                const JobContext &job, const std::function<void(SweepPart)> &emitPart) -> Result<void> {
                const Result<Inputs> inputs = read ? Result<Inputs>(read) : readInputs(wanted, folders, job);
                if (!inputs)
                    return tl::unexpected(inputs.error());
                emitPart({*inputs, {}});
                return sweepInBatches(grid, **inputs, known, emitPart, job);
            },
            [this](const SweepPart &part) { take(part); },
            [this](const Result<void> &done) {
                m_pane->end(done ? QString() : toQString(done.error().where + ": " + done.error().what));
            });
    }

    static Result<void> sweepInBatches(const SweepGrid &grid, const std::vector<SweepInput> &inputs,
        const std::vector<std::optional<SweepCell>> &known, const std::function<void(SweepPart)> &emitPart,
        const JobContext &job)
    {
        SweepPart batch;
        auto last = std::chrono::steady_clock::now();
        SweepOptions options;
        options.known = known;
        options.finished = [&](std::size_t cell, const SweepCell &done) {
            batch.cells.emplace_back(cell, done);
            const auto now = std::chrono::steady_clock::now();
            if (batch.cells.size() < mostInBatch && now - last < batchTime)
                return;
            last = now;
            emitPart(std::exchange(batch, {}));
        };
        const auto result = sweep(grid, inputs, options, job);
        emitPart(std::move(batch));
        return result ? Result<void>() : Result<void>(tl::unexpected(result.error()));
    }

    void take(const SweepPart &part)
    {
        if (part.inputs) {
            m_inputs = part.inputs;
            std::vector<std::string> labels;
            for (const SweepInput &input : *m_inputs)
                labels.push_back(input.label);
            m_pane->setThreads(labels);
        }
        m_pane->addCells(part.cells);
    }

    void writeCsv()
    {
        const QString path =
            m_window.prompts().saveFile(&m_window, tr("Save the sweep"), u"sweep.csv"_s, tr("Table (*.csv)"));
        if (path.isEmpty())
            return;
        QSaveFile file(path);
        const std::string text = sweepCsv(m_pane->study());
        if (!file.open(QIODevice::WriteOnly) || file.write(text.data(), static_cast<qint64>(text.size())) < 0
            || !file.commit())
            m_window.showError({Error::Code::Io, fromQString(path), fromQString(file.errorString())});
    }

    MainWindow &m_window;
    Tuning &m_tuning;
    ThreadsPane *m_threads;
    SweepPane *m_pane;
    SweepRange m_range; ///< of the study shown
    Inputs m_inputs; ///< read for it
};

} // namespace

void buildSweep(MainWindow &window)
{
    window.addPane(MainWindow::Area::Bottom, u"sweep"_s, MainWindow::tr("Sweep"), [&window] {
        return (new Sweeps(window, *window.findChild<Tuning *>()))->pane(); // the window's child
    });
}

} // namespace palimpsest
