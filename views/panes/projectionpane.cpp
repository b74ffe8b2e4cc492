// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panes/projectionpane.h"

#include "models/counted.h"
#include "models/display.h"
#include "views/charts.h"
#include "views/chartstyle.h"
#include "views/theme.h"
#include "views/widgets/elidedlabel.h"

#include <QDoubleSpinBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QSplitter>
#include <QTableWidget>

#include <algorithm>

namespace palimpsest {

using namespace Qt::StringLiterals;

namespace {

/// Lines are told apart by colour, by dash and by the shape of their events.
struct LineLook {
    Ink ink;
    Qt::PenStyle pen;
    QCPScatterStyle::ScatterShape event;
};
constexpr LineLook looks[] = {{Ink::WhatIf, Qt::SolidLine, QCPScatterStyle::ssTriangleInverted},
    {Ink::Ai, Qt::DashLine, QCPScatterStyle::ssSquare}, {Ink::Tool, Qt::DotLine, QCPScatterStyle::ssDiamond}};

} // namespace

ProjectionPane::ProjectionPane(const Theme &theme, QWidget *parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_times(new QDoubleSpinBox)
    , m_words(new ElidedLabel)
    , m_plot(new QCustomPlot)
    , m_figures(new QTableWidget)
{
    setObjectName(u"projectionPane"_s);
    m_times->setRange(1, 1000);
    m_times->setValue(3);
    m_times->setDecimals(1);
    m_times->setSingleStep(1);
    m_times->setPrefix(u"× "_s);
    m_times->setAccessibleName(tr("How many times the recorded length"));
    m_figures->setAccessibleName(tr("Figures of the simulation"));
    m_figures->setFrameShape(QFrame::NoFrame);
    m_figures->setShowGrid(false);
    m_figures->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_figures->setSelectionMode(QAbstractItemView::NoSelection);
    m_figures->setWordWrap(false);
    m_figures->horizontalHeader()->setHighlightSections(false);
    m_figures->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
    auto *head = new QHBoxLayout;
    head->setContentsMargins(10, 5, 8, 5);
    head->setSpacing(8);
    head->addWidget(new QLabel(tr("Simulate")));
    head->addWidget(m_times);
    head->addWidget(new QLabel(tr("the recorded length")));
    head->addWidget(m_words, 1);
    auto *body = new QSplitter;
    body->addWidget(m_plot);
    placeLegendBeside(*m_plot);
    body->addWidget(m_figures);
    body->setSizes({600, 330});
    body->setStretchFactor(0, 1);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(head);
    column->addWidget(body, 1);
    m_plot->xAxis->setLabel(tr("call"));
    m_plot->yAxis->setLabel(tr("tokens"));
    connect(m_times, &QDoubleSpinBox::valueChanged, this, &ProjectionPane::timesChanged);
    connect(&theme, &Theme::changed, this, &ProjectionPane::restyle);
    restyle();
}

ProjectionPane::~ProjectionPane() = default;

double ProjectionPane::times() const
{
    return m_times->value();
}

void ProjectionPane::setTimes(double times)
{
    m_times->setValue(times);
}

QString ProjectionPane::words() const
{
    return m_words->text();
}

void ProjectionPane::setStudy(const ProjectionStudyPtr &study, const QString &why)
{
    m_study = study;
    m_words->setText(!why.isEmpty() ? why
            : study ? tr("Simulation: the %1 of the recording repeated with their own statistics; behind the line "
                         "nothing was recorded")
                          .arg(counted(study->recordedCalls, tr("call"), tr("calls")))
                    : tr("Open a thread that holds model calls to see how its settings behave later"));
    show();
}

void ProjectionPane::show()
{
    m_plot->clearPlottables();
    m_plot->clearItems();
    const std::size_t count = m_study ? std::min(m_study->lines.size(), std::size(looks)) : 0;
    for (std::size_t i = 0; i < count; ++i) {
        const ProjectionStudy::Line &line = m_study->lines[i];
        const LineLook &look = looks[i];
        const QColor colour = m_theme.color(look.ink);
        QCPGraph *graph = m_plot->addGraph();
        graph->setName(toQString(line.name.substr(0, line.name.find(':'))));
        graph->setPen(QPen(colour, 1.6, look.pen));
        for (std::size_t call = 0; call < line.series.tokens.size(); ++call)
            if (line.series.tokens[call] >= 0)
                graph->addData(static_cast<double>(call) + 1, static_cast<double>(line.series.tokens[call]));
        QCPGraph *events = m_plot->addGraph();
        events->setLineStyle(QCPGraph::lsNone);
        events->setScatterStyle(QCPScatterStyle(look.event, colour, colour, 7));
        events->removeFromLegend();
        for (const double at : line.series.events) {
            const auto place = static_cast<std::size_t>(std::max(0.0, at));
            if (place < line.series.tokens.size())
                events->addData(at + 1, static_cast<double>(line.series.tokens[place]));
        }
    }
    m_plot->rescaleAxes();
    m_plot->xAxis->setRange(0, m_study ? static_cast<double>(m_study->calls) + 1 : 1);
    m_plot->yAxis->setRange(0, std::max(1.0, m_plot->yAxis->range().upper * 1.25));
    m_plot->legend->setVisible(count > 0);
    if (m_study && m_study->calls > m_study->recordedCalls) {
        const double from = static_cast<double>(m_study->recordedCalls) + 0.5;
        auto *beyond = new QCPItemRect(m_plot);
        beyond->topLeft->setCoords(from, m_plot->yAxis->range().upper);
        beyond->bottomRight->setCoords(static_cast<double>(m_study->calls) + 1, 0);
        beyond->setPen(Qt::NoPen);
        QColor ground = m_theme.color(Ink::Changed);
        ground.setAlphaF(0.16F);
        beyond->setBrush(QBrush(ground, Qt::BDiagPattern));
        auto *end = new QCPItemLine(m_plot);
        end->start->setCoords(from, 0);
        end->end->setCoords(from, m_plot->yAxis->range().upper);
        end->setPen(QPen(m_theme.color(Ink::Changed), 1.4, Qt::DashLine));
        auto *label = new QCPItemText(m_plot);
        label->setText(tr("recording ends"));
        label->setFont(m_theme.smallFont());
        label->setColor(m_theme.text(Ink::Changed));
        label->setPositionAlignment(Qt::AlignLeft | Qt::AlignBottom);
        label->position->setCoords(from, 0);
        label->setPadding({4, 0, 0, 2});
    }
    m_plot->replot(QCustomPlot::rpQueuedReplot);

    const std::pair<QString, std::int64_t RunFigures::*> rows[] = {{tr("Events"), &RunFigures::events},
        {tr("Summaries made"), &RunFigures::summaries}, {tr("Tokens sent"), &RunFigures::tokensSent},
        {tr("Largest request"), &RunFigures::peakTokens}, {tr("Summary prompts"), &RunFigures::summaryTokens},
        {tr("Kept at the end"), &RunFigures::tokensKeptAtEnd}};
    const int costRow = static_cast<int>(std::size(rows));
    m_figures->clear();
    m_figures->setRowCount(count > 0 ? costRow + 1 : 0);
    m_figures->setColumnCount(static_cast<int>(count));
    QStringList names;
    QStringList headers;
    for (const auto &[name, figure] : rows)
        names << name;
    names << tr("Cost in dollars");
    const auto cell = [this](int row, int column, const QString &text) {
        auto *item = new QTableWidgetItem(text);
        item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
        m_figures->setItem(row, column, item);
    };
    for (std::size_t i = 0; i < count; ++i) {
        const ProjectionStudy::Line &line = m_study->lines[i];
        headers << toQString(line.name.substr(0, line.name.find(':')));
        for (int row = 0; row < costRow; ++row)
            cell(
                row, static_cast<int>(i), QLocale().toString(static_cast<qlonglong>(line.figures.*(rows[row].second))));
        cell(costRow, static_cast<int>(i),
            line.figures.cost ? QLocale().toString(*line.figures.cost, 'f', 4) : tr("no prices"));
    }
    m_figures->setVerticalHeaderLabels(names);
    m_figures->setHorizontalHeaderLabels(headers);
    for (std::size_t i = 0; i < count; ++i)
        m_figures->horizontalHeaderItem(static_cast<int>(i))->setToolTip(toQString(m_study->lines[i].name));
}

void ProjectionPane::restyle()
{
    m_words->setStyleSheet(u"color:%1;"_s.arg(m_theme.color(Ink::TextSecondary).name()));
    for (QWidget *widget : {static_cast<QWidget *>(m_figures), static_cast<QWidget *>(m_figures->verticalHeader()),
             static_cast<QWidget *>(m_figures->horizontalHeader())})
        widget->setFont(m_theme.smallFont());
    m_figures->verticalHeader()->setDefaultSectionSize(QFontMetrics(m_theme.smallFont()).height() + 7);
    styleChart(*m_plot, m_theme);
    show();
}

} // namespace palimpsest
