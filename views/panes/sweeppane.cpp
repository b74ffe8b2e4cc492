// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panes/sweeppane.h"

#include "models/display.h"
#include "views/charts.h"
#include "views/theme.h"
#include "views/widgets/heatmap.h"
#include "views/widgets/timelinepainter.h"

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QGridLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QSplitter>

#include <algorithm>

namespace palimpsest {

using namespace Qt::StringLiterals;

namespace {

constexpr int mostSteps = 200;
constexpr std::size_t mostCurves = 6;

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
    , m_map(new HeatMap(theme))
    , m_curves(new QCustomPlot)
{
    setObjectName(u"sweepPane"_s);
    auto *form = buildForm();
    auto *body = new QSplitter;
    body->addWidget(form);
    body->addWidget(m_map);
    body->addWidget(m_curves);
    body->setSizes({330, 480, 420});
    body->setStretchFactor(0, 0);
    body->setStretchFactor(1, 1);
    body->setStretchFactor(2, 1);
    m_words = new QLabel(tr("Choose two parameters and their ranges, then run"));
    m_words->setTextFormat(Qt::PlainText);
    m_words->setContentsMargins(10, 3, 8, 3);
    m_words->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(body, 1);
    column->addWidget(m_words);
    m_curves->legend->setVisible(true);
    m_curves->axisRect()->insetLayout()->setInsetAlignment(0, Qt::AlignTop | Qt::AlignRight);
    connect(m_map, &HeatMap::cellHovered, this, &SweepPane::describe);
    connect(m_map, &HeatMap::cellChosen, this, [this](const QPoint &cell) {
        const std::size_t at = m_study.cellAt(static_cast<std::size_t>(cell.x()), static_cast<std::size_t>(cell.y()));
        if (at < m_study.cells.size())
            Q_EMIT settingsChosen(m_study.grid.settingsFile(at));
    });
    connect(&theme, &Theme::changed, this, &SweepPane::restyle);
    setReach(100, 20'000);
    restyle();
}

SweepPane::~SweepPane() = default;

SweepPane::AxisForm SweepPane::buildAxis(QGridLayout *grid, int row, const QString &title)
{
    AxisForm form;
    form.parameter = new QComboBox;
    form.parameter->setAccessibleName(title);
    form.parameter->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    form.from = new QDoubleSpinBox;
    form.to = new QDoubleSpinBox;
    form.from->setAccessibleName(tr("%1, from").arg(title));
    form.to->setAccessibleName(tr("%1, to").arg(title));
    for (QDoubleSpinBox *box : {form.from, form.to}) {
        box->setRange(0, 1e8);
        box->setGroupSeparatorShown(true);
    }
    form.steps = new QSpinBox;
    form.steps->setRange(1, mostSteps);
    form.steps->setSuffix(tr(" steps"));
    form.steps->setAccessibleName(tr("%1, steps").arg(title));
    grid->addWidget(new QLabel(title), row, 0);
    grid->addWidget(form.parameter, row, 1, 1, 3);
    grid->addWidget(form.from, row + 1, 1);
    grid->addWidget(form.to, row + 1, 2);
    grid->addWidget(form.steps, row + 1, 3);
    return form;
}

QWidget *SweepPane::buildForm()
{
    auto *form = new QWidget;
    auto *grid = new QGridLayout(form);
    grid->setContentsMargins(10, 6, 6, 4);
    grid->setVerticalSpacing(3);
    m_axes[0] = buildAxis(grid, 0, tr("Across"));
    m_axes[1] = buildAxis(grid, 2, tr("Up"));
    for (const AxisForm &axis : m_axes)
        connect(axis.parameter, &QComboBox::activated, this, [this, axis] { takeRange(axis); });
    m_axes[0].steps->setValue(12);
    m_axes[1].steps->setValue(8);
    m_needles = new QPlainTextEdit;
    m_needles->setPlaceholderText(tr("Texts that must stay in context, one a line"));
    m_needles->setAccessibleName(tr("Needles"));
    m_needles->setTabChangesFocus(true);
    m_needles->setMinimumHeight(34);
    m_needles->setMaximumHeight(70);
    grid->addWidget(new QLabel(tr("Keep")), 4, 0, Qt::AlignTop);
    grid->addWidget(m_needles, 4, 1, 1, 3);
    m_figure = new QComboBox;
    m_figure->setAccessibleName(tr("What is shown"));
    for (int figure = 0; figure < sweepFigures; ++figure)
        m_figure->addItem(sweepFigureName(static_cast<SweepFigure>(figure)));
    connect(m_figure, &QComboBox::currentIndexChanged, this, &SweepPane::showStudy);
    grid->addWidget(new QLabel(tr("Show")), 5, 0);
    grid->addWidget(m_figure, 5, 1, 1, 3);
    auto *row = new QHBoxLayout;
    m_run = new QPushButton(tr("Run"));
    m_run->setObjectName(u"runSweep"_s);
    m_csv = new QPushButton(tr("CSV…"));
    m_csv->setToolTip(tr("Write every cell that is done to a table"));
    m_csv->setEnabled(false);
    m_progress = new QProgressBar;
    m_progress->setTextVisible(true);
    m_progress->setVisible(false);
    row->addWidget(m_run);
    row->addWidget(m_progress, 1);
    row->addStretch(0);
    row->addWidget(m_csv);
    grid->addLayout(row, 6, 0, 1, 4);
    grid->setRowStretch(7, 1);
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
    scroll->setWidget(form);
    return scroll;
}

void SweepPane::setReach(double messages, double tokens)
{
    m_parameters = sweepParameters(messages, tokens);
    fillParameters();
}

void SweepPane::fillParameters()
{
    for (int axis = 0; axis < 2; ++axis) {
        AxisForm &form = m_axes[axis];
        const QString chosen = form.parameter->currentText();
        form.parameter->clear();
        for (const SweepParameter &parameter : m_parameters)
            form.parameter->addItem(parameter.name);
        const int keepMessages = 3;
        const int at = form.parameter->findText(chosen);
        form.parameter->setCurrentIndex(at >= 0 ? at : axis == 0 ? 0 : keepMessages);
        takeRange(form);
    }
}

void SweepPane::takeRange(const AxisForm &form)
{
    const auto at = static_cast<std::size_t>(std::max(0, form.parameter->currentIndex()));
    if (at >= m_parameters.size())
        return;
    const SweepParameter &parameter = m_parameters[at];
    for (QDoubleSpinBox *box : {form.from, form.to}) {
        box->setDecimals(parameter.whole ? 0 : 3);
        box->setSingleStep(parameter.whole ? std::max(1.0, std::round(parameter.to / 50)) : 0.05);
    }
    form.from->setValue(parameter.from);
    form.to->setValue(parameter.to);
}

void SweepPane::setAxis(int axis, const QString &name, double from, double to, int steps)
{
    AxisForm &form = m_axes[axis];
    form.parameter->setCurrentIndex(std::max(0, form.parameter->findText(name)));
    takeRange(form);
    form.from->setValue(from);
    form.to->setValue(to);
    form.steps->setValue(steps);
}

void SweepPane::setNeedles(const QStringList &needles)
{
    m_needles->setPlainText(needles.join(u'\n'));
}

SweepGrid SweepPane::grid() const
{
    SweepGrid grid;
    for (const AxisForm &form : m_axes) {
        const auto at = static_cast<std::size_t>(std::max(0, form.parameter->currentIndex()));
        const SweepAxis axis = sweepAxis(m_parameters[at], form.from->value(), form.to->value(), form.steps->value());
        // The same setting twice would overwrite itself.
        if (grid.axes.empty() || grid.axes.front().key != axis.key)
            grid.axes.push_back(axis);
    }
    const QStringList lines = m_needles->toPlainText().split(u'\n', Qt::SkipEmptyParts);
    for (const QString &line : lines)
        if (!line.trimmed().isEmpty())
            grid.needles.push_back(fromQString(line.trimmed()));
    return grid;
}

SweepFigure SweepPane::figure() const
{
    return static_cast<SweepFigure>(std::max(0, m_figure->currentIndex()));
}

QString SweepPane::axisName(std::size_t axis) const
{
    return axis < static_cast<std::size_t>(m_names.size()) ? m_names[static_cast<qsizetype>(axis)] : QString();
}

void SweepPane::begin(const SweepGrid &grid)
{
    m_names = {m_axes[0].parameter->currentText()};
    if (grid.axes.size() > 1)
        m_names << m_axes[1].parameter->currentText();
    m_study = SweepStudy(grid);
    m_running = true;
    m_run->setText(tr("Cancel"));
    m_progress->setVisible(true);
    m_progress->setRange(0, static_cast<int>(m_study.cells.size()));
    m_progress->setValue(0);
    m_csv->setEnabled(false);
    showStudy();
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
    m_run->setText(tr("Run"));
    m_progress->setVisible(false);
    m_csv->setEnabled(m_study.done() > 0);
    m_study.mark();
    showStudy();
    m_words->setText(problem.isEmpty() ? tr("%L1 settings. Rings: no other is better in all. Crosses: cannot work. A "
                                            "click takes the settings over. %2")
                                             .arg(m_study.done())
                                             .arg(tr("Assumes the agent would have acted the same."))
                                       : problem);
}

void SweepPane::showStudy()
{
    m_map->setStudy(m_study.cells.empty() ? nullptr : &m_study, figure(), axisName(0), axisName(1));
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
            const auto value = cell ? sweepFigure(*cell, figure()) : std::nullopt;
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
    m_words->setToolTip(m_words->text());
}

void SweepPane::restyle()
{
    m_words->setFont(m_theme.smallFont());
    m_words->setStyleSheet(u"color:%1;"_s.arg(m_theme.color(Ink::TextSecondary).name()));
    m_curves->setBackground(m_theme.color(Ink::Card));
    for (QCPAxis *axis : {m_curves->xAxis, m_curves->yAxis}) {
        axis->setBasePen(QPen(m_theme.color(Ink::LineStrong)));
        axis->setTickPen(QPen(m_theme.color(Ink::LineStrong)));
        axis->setSubTickPen(Qt::NoPen);
        axis->setTickLabelColor(m_theme.color(Ink::TextSecondary));
        axis->setLabelColor(m_theme.color(Ink::Text));
        axis->setTickLabelFont(m_theme.smallFont());
        axis->setLabelFont(m_theme.smallFont());
        axis->grid()->setPen(QPen(m_theme.color(Ink::Line), 1));
    }
    m_curves->legend->setFont(m_theme.smallFont());
    m_curves->legend->setTextColor(m_theme.color(Ink::Text));
    m_curves->legend->setBrush(m_theme.color(Ink::Card));
    m_curves->legend->setBorderPen(QPen(m_theme.color(Ink::Line)));
    showCurves();
}

} // namespace palimpsest
