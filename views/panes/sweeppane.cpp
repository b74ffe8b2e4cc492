// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panes/sweeppane.h"

#include "models/display.h"
#include "views/charts.h"
#include "views/chartstyle.h"
#include "views/theme.h"
#include "views/widgets/elidedlabel.h"
#include "views/widgets/emptystate.h"
#include "views/widgets/heatmap.h"
#include "views/widgets/timelinepainter.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QScrollArea>
#include <QSplitter>
#include <QTreeWidget>

#include <algorithm>

namespace palimpsest {

using namespace Qt::StringLiterals;

namespace {

constexpr std::size_t mostCurves = 6;
constexpr std::size_t mostWorst = 50;

/// Curves are told apart by colour, by dash and by the shape of their points.
struct CurveLook {
    Ink ink;
    Qt::PenStyle pen;
    QCPScatterStyle::ScatterShape shape;
};
constexpr CurveLook looks[mostCurves] = {{Ink::Ai, Qt::SolidLine, QCPScatterStyle::ssDisc},
    {Ink::Tool, Qt::DashLine, QCPScatterStyle::ssSquare}, {Ink::Human, Qt::DotLine, QCPScatterStyle::ssTriangle},
    {Ink::Summary, Qt::DashDotLine, QCPScatterStyle::ssDiamond},
    {Ink::Event, Qt::DashDotDotLine, QCPScatterStyle::ssCircle}, {Ink::Text, Qt::SolidLine, QCPScatterStyle::ssCross}};

} // namespace

SweepPane::SweepPane(const Theme &theme, QWidget *parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_form(new SweepForm)
    , m_slices(new QWidget)
    , m_sliceRow(new QHBoxLayout(m_slices))
    , m_map(new HeatMap(theme))
    , m_curves(new QCustomPlot)
    , m_worst(new QTreeWidget)
{
    setObjectName(u"sweepPane"_s);
    m_sliceRow->setContentsMargins(6, 2, 6, 2);
    auto *map = new QWidget;
    auto *mapColumn = new QVBoxLayout(map);
    mapColumn->setContentsMargins(0, 0, 0, 0);
    mapColumn->setSpacing(0);
    mapColumn->addWidget(m_slices);
    mapColumn->addWidget(m_map, 1);
    m_worst->setObjectName(u"worstThreads"_s);
    m_worst->setAccessibleName(tr("Worst threads of the cell"));
    m_worst->setRootIsDecorated(false);
    m_worst->setUniformRowHeights(true);
    m_worst->setFrameShape(QFrame::NoFrame);
    m_worst->header()->setStretchLastSection(false);
    m_worst->setColumnCount(2);
    m_worst->header()->setSectionResizeMode(0, QHeaderView::Stretch);
    m_worst->header()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
    m_worst->hide();
    auto *charts = new QSplitter;
    charts->addWidget(map);
    charts->addWidget(m_curves);
    charts->addWidget(m_worst);
    charts->setSizes({360, 280, 240});
    for (int part = 0; part < charts->count(); ++part)
        charts->setStretchFactor(part, 1);
    m_empty = new EmptyState(theme, charts);
    auto *body = new QSplitter;
    body->addWidget(buildForm());
    body->addWidget(m_empty);
    body->setSizes({300, 880});
    body->setStretchFactor(1, 1);
    m_words = new ElidedLabel;
    m_words->setContentsMargins(10, 3, 8, 3);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(body, 1);
    column->addWidget(m_words);
    m_curves->legend->setVisible(false);
    m_curves->axisRect()->insetLayout()->setInsetAlignment(0, Qt::AlignTop | Qt::AlignRight);
    connect(m_map, &HeatMap::cellHovered, this, &SweepPane::describe);
    connect(m_map, &HeatMap::cellChosen, this, &SweepPane::choose);
    connect(m_form, &SweepForm::changed, this, &SweepPane::updateRun);
    connect(m_worst, &QTreeWidget::itemActivated, this,
        [this](const QTreeWidgetItem *item) { Q_EMIT threadChosen(item->data(0, Qt::UserRole).toULongLong()); });
    connect(m_worst, &QTreeWidget::itemClicked, this,
        [this](const QTreeWidgetItem *item) { Q_EMIT threadChosen(item->data(0, Qt::UserRole).toULongLong()); });
    connect(&theme, &Theme::changed, this, &SweepPane::restyle);
    showSlices();
    showStudy();
    restyle();
}

SweepPane::~SweepPane() = default;

QWidget *SweepPane::buildForm()
{
    auto *widget = new QWidget;
    auto *column = new QVBoxLayout(widget);
    column->setContentsMargins(10, 6, 6, 4);
    column->setSpacing(4);
    m_run = new QPushButton(tr("Run"));
    m_run->setObjectName(u"runSweep"_s);
    m_csv = new QPushButton(tr("CSV…"));
    m_csv->setToolTip(tr("Write every cell that is done to a table"));
    m_csv->setEnabled(false);
    m_progress = new QProgressBar;
    m_progress->setTextVisible(true);
    m_progress->setVisible(false);
    auto *row = new QHBoxLayout;
    row->addWidget(m_run);
    row->addWidget(m_progress, 1);
    row->addStretch(0);
    row->addWidget(m_csv);
    m_figure = new QComboBox;
    m_figure->setAccessibleName(tr("What is shown"));
    m_figure->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    for (int figure = 0; figure < sweepFigures; ++figure)
        m_figure->addItem(sweepFigureName(static_cast<SweepFigure>(figure)));
    m_stat = new QComboBox;
    m_stat->setObjectName(u"sweepStat"_s);
    m_stat->setAccessibleName(tr("Of which thread"));
    m_stat->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    for (int stat = 0; stat < sweepStats; ++stat)
        m_stat->addItem(sweepStatName(static_cast<SweepStat>(stat)));
    m_stat->hide();
    const auto showAll = [this] {
        showStudy();
        showWorst();
    };
    connect(m_figure, &QComboBox::currentIndexChanged, this, showAll);
    connect(m_stat, &QComboBox::currentIndexChanged, this, showAll);
    auto *show = new QHBoxLayout;
    show->addWidget(new QLabel(tr("Show")));
    show->addWidget(m_figure, 1);
    show->addWidget(m_stat, 1);
    column->addLayout(row);
    column->addLayout(show);
    column->addWidget(m_form);
    column->addStretch(1);
    connect(m_run, &QPushButton::clicked, this, [this] {
        if (m_running)
            Q_EMIT cancelWanted();
        else
            Q_EMIT runWanted();
    });
    connect(m_csv, &QPushButton::clicked, this, &SweepPane::csvWanted);
    auto *scroll = new QScrollArea;
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setMinimumWidth(300);
    scroll->setWidget(widget);
    return scroll;
}

SweepFigure SweepPane::figure() const
{
    return static_cast<SweepFigure>(std::max(0, m_figure->currentIndex()));
}

SweepStat SweepPane::stat() const
{
    return m_study.threads.size() > 1 ? static_cast<SweepStat>(std::max(0, m_stat->currentIndex())) : SweepStat::Total;
}

QString SweepPane::axisName(std::size_t axis) const
{
    return axis < static_cast<std::size_t>(m_names.size()) ? m_names[static_cast<qsizetype>(axis)] : QString();
}

void SweepPane::begin(const SweepGrid &grid, bool goesOn)
{
    if (!goesOn || !(grid == m_study.grid)) {
        m_names = m_form->axisNames();
        m_study = SweepStudy(grid);
        m_chosen = {-1, -1};
        showSlices();
        showWorst();
    }
    m_running = true;
    m_progress->setVisible(true);
    m_progress->setRange(0, static_cast<int>(m_study.cells.size()));
    m_progress->setValue(static_cast<int>(m_study.done()));
    m_csv->setEnabled(false);
    updateRun();
    showStudy();
}

void SweepPane::setThreads(const std::vector<std::string> &labels)
{
    m_study.threads = labels;
    m_stat->setVisible(labels.size() > 1);
    showWorst();
}

void SweepPane::setReading(const QString &words)
{
    if (m_running)
        m_words->setText(words);
}

void SweepPane::addCells(const std::vector<std::pair<std::size_t, SweepCell>> &cells)
{
    for (const auto &[at, cell] : cells)
        if (at < m_study.cells.size())
            m_study.cells[at] = cell;
    m_progress->setValue(static_cast<int>(m_study.done()));
    showStudy();
}

void SweepPane::end(const QString &problem)
{
    m_running = false;
    m_progress->setVisible(false);
    m_csv->setEnabled(m_study.done() > 0);
    m_study.mark();
    updateRun();
    showStudy();
    QString words = tr("%L1 settings. Rings: no other is better in all. Crosses: cannot work. A click takes the "
                       "settings over%2. Assumes the agent would have acted the same.")
                        .arg(m_study.done())
                        .arg(m_study.threads.size() > 1 ? tr(" and lists the worst threads") : QString());
    m_words->setText(problem.isEmpty() ? words : problem);
}

void SweepPane::updateRun()
{
    const std::size_t done = m_study.done();
    const SweepGrid now = m_form->grid();
    const bool resumes =
        done > 0 && done < m_study.cells.size() && now.axes == m_study.grid.axes && now.needles == m_study.grid.needles;
    m_run->setText(m_running ? tr("Cancel") : resumes ? tr("Resume") : tr("Run"));
    m_run->setToolTip(resumes && !m_running
            ? tr("Goes on with the %L1 cells that are not done").arg(m_study.cells.size() - done)
            : QString());
}

void SweepPane::showSlices()
{
    while (QLayoutItem *item = m_sliceRow->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    m_slices->setVisible(!m_study.slice.empty());
    for (std::size_t i = 0; i < m_study.slice.size(); ++i) {
        auto *values = new QComboBox;
        values->setAccessibleName(axisName(i + 2));
        for (const Value &value : m_study.grid.axes[i + 2].values)
            values->addItem(sweepWords(value));
        connect(values, &QComboBox::currentIndexChanged, this, [this, i](int at) {
            m_study.slice[i] = static_cast<std::size_t>(std::max(0, at));
            showStudy();
            showWorst();
        });
        m_sliceRow->addWidget(new QLabel(axisName(i + 2)));
        m_sliceRow->addWidget(values);
    }
    m_sliceRow->addStretch(1);
}

void SweepPane::choose(const QPoint &cell)
{
    m_chosen = cell;
    showWorst();
    const std::size_t at = m_study.cellAt(static_cast<std::size_t>(cell.x()), static_cast<std::size_t>(cell.y()));
    if (at < m_study.cells.size())
        Q_EMIT settingsChosen(m_study.grid.settingsFile(at));
}

void SweepPane::showWorst()
{
    m_worst->clear();
    m_worst->setVisible(m_study.threads.size() > 1);
    m_worst->setHeaderLabels({tr("Worst threads of the cell"), sweepFigureName(figure())});
    const SweepCell *cell = m_chosen.x() < 0
        ? nullptr
        : m_study.at(static_cast<std::size_t>(m_chosen.x()), static_cast<std::size_t>(m_chosen.y()));
    if (!cell) {
        auto *hint = new QTreeWidgetItem(m_worst, {tr("Click a cell of the map")});
        hint->setFlags(Qt::NoItemFlags);
        return;
    }
    for (const SweepThread &one : worstThreads(*cell, figure(), mostWorst)) {
        auto *item = new QTreeWidgetItem(m_worst);
        item->setText(0, toQString(m_study.threads[one.thread]));
        item->setToolTip(0, item->text(0));
        item->setText(1, shortNumber(one.value));
        item->setTextAlignment(1, Qt::AlignRight | Qt::AlignVCenter);
        item->setData(0, Qt::UserRole, static_cast<qulonglong>(one.thread));
    }
}

void SweepPane::showStudy()
{
    m_empty->setWords(m_running || !m_study.cells.empty()
            ? QString()
            : tr("Choose on the left what to vary, from where to where, and over which threads, then press Run: each "
                 "combination replays the recording.\nThe map then shows which settings keep what must be kept at "
                 "what cost; a click on a cell takes its settings over."));
    m_map->setStudy(m_study.cells.empty() ? nullptr : &m_study, figure(), stat(), axisName(0), axisName(1));
    showCurves();
}

void SweepPane::showCurves()
{
    m_curves->clearGraphs();
    m_curves->xAxis->setLabel(axisName(0));
    m_curves->yAxis->setLabel(sweepFigureName(figure()));
    const std::size_t rows = m_study.cells.empty() ? 0 : m_study.rows();
    const std::size_t curves = std::min(rows, mostCurves);
    for (std::size_t curve = 0; curve < curves; ++curve) {
        const std::size_t row = curves == 1 ? 0 : curve * (rows - 1) / (curves - 1);
        QVector<double> x;
        QVector<double> y;
        for (std::size_t column = 0; column < m_study.columns(); ++column) {
            const SweepCell *cell = m_study.at(column, row);
            const auto value = cell ? sweepFigure(*cell, figure(), stat()) : std::nullopt;
            if (!value)
                continue;
            x << sweepNumber(m_study.grid.axes.front().values[column]);
            y << *value;
        }
        QCPGraph *graph = m_curves->addGraph();
        const CurveLook &look = looks[curve];
        graph->setPen(QPen(m_theme.color(look.ink), 1.6, look.pen));
        graph->setScatterStyle(QCPScatterStyle(look.shape, 6));
        graph->setName(m_study.grid.axes.size() > 1 ? sweepWords(m_study.grid.axes[1].values[row]) : axisName(0));
        graph->setData(x, y);
    }
    m_curves->legend->setVisible(curves > 1);
    m_curves->rescaleAxes();
    const QCPRange range = m_curves->yAxis->range();
    m_curves->yAxis->setRange(std::min(0.0, range.lower), range.upper + std::max(1.0, range.size() * 0.08));
    m_curves->replot(QCustomPlot::rpQueuedReplot);
}

void SweepPane::describe(const QPoint &cell)
{
    if (m_running || cell.x() < 0 || cell.y() < 0)
        return;
    const SweepCell *found = m_study.at(static_cast<std::size_t>(cell.x()), static_cast<std::size_t>(cell.y()));
    if (!found)
        return;
    QStringList parts;
    for (std::size_t axis = 0; axis < found->values.size(); ++axis)
        parts << axisName(axis) + u' ' + sweepWords(found->values[axis]);
    if (!found->error().empty()) {
        parts << toQString(found->error());
    } else {
        for (int figure = 0; figure < sweepFigures; ++figure)
            if (const auto value = sweepFigure(*found, static_cast<SweepFigure>(figure)))
                parts << sweepFigureName(static_cast<SweepFigure>(figure)).toLower() + u' ' + shortNumber(*value);
        if (!found->unworkable().empty())
            parts << tr("cannot work: %1").arg(toQString(found->unworkable()));
        else if (found->onFront)
            parts << tr("no other is better in all");
    }
    m_words->setText(parts.join(u" · "_s));
}

void SweepPane::restyle()
{
    m_words->setFont(m_theme.smallFont());
    m_words->setStyleSheet(u"color:%1;"_s.arg(m_theme.color(Ink::TextSecondary).name()));
    styleChart(*m_curves, m_theme);
    m_worst->setFont(m_theme.smallFont());
    showCurves();
}

} // namespace palimpsest
