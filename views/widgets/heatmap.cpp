// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/widgets/heatmap.h"

#include "models/display.h"
#include "views/charts.h"
#include "views/chartstyle.h"
#include "views/contrast.h"
#include "views/theme.h"
#include "views/widgets/timelinepainter.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QVBoxLayout>

#include <cmath>

namespace palimpsest {

namespace {

constexpr std::size_t mostNumbers = 240;
constexpr const char *numbersLayer = "numbers";

} // namespace

namespace {

constexpr QSize roomyCell{46, 28}; ///< pixels that a number and a mark want

bool isBad(const SweepCell &cell)
{
    return !cell.unworkable().empty() || !cell.error().empty();
}

} // namespace

HeatMap::HeatMap(const Theme &theme, QWidget *parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_plot(new QCustomPlot(this))
{
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(m_plot);
    m_map = new QCPColorMap(m_plot->xAxis, m_plot->yAxis);
    m_map->setInterpolate(false);
    m_map->setTightBoundary(false);
    m_scale = new QCPColorScale(m_plot);
    m_plot->plotLayout()->addElement(0, 1, m_scale);
    m_map->setColorScale(m_scale);
    m_scale->setBarWidth(10);
    auto *margins = new QCPMarginGroup(m_plot);
    m_plot->axisRect()->setMarginGroup(QCP::msBottom | QCP::msTop, margins);
    m_scale->setMarginGroup(QCP::msBottom | QCP::msTop, margins);
    m_plot->addLayer(QString::fromLatin1(numbersLayer), m_plot->layer(QStringLiteral("main")), QCustomPlot::limAbove);
    const auto addMarks = [this](QCPScatterStyle::ScatterShape shape) {
        QCPGraph *graph = m_plot->addGraph();
        graph->setLineStyle(QCPGraph::lsNone);
        graph->setScatterStyle(QCPScatterStyle(shape, 9));
        graph->setLayer(QString::fromLatin1(numbersLayer));
        return graph;
    };
    m_front = addMarks(QCPScatterStyle::ssCircle);
    m_unworkable = addMarks(QCPScatterStyle::ssCross);
    m_frame = new QCPItemRect(m_plot);
    m_frame->setLayer(QString::fromLatin1(numbersLayer));
    m_plot->xAxis->grid()->setVisible(false);
    m_plot->yAxis->grid()->setVisible(false);
    m_plot->setFocusPolicy(Qt::StrongFocus);
    m_plot->setMouseTracking(true);
    m_plot->installEventFilter(this);
    m_plot->setAccessibleName(tr("Heat map of the sweep"));
    m_plot->setAccessibleDescription(tr("Arrow keys choose a cell, Enter takes its settings"));
    connect(&theme, &Theme::changed, this, &HeatMap::restyle);
    restyle();
}

HeatMap::~HeatMap() = default;

void HeatMap::restyle()
{
    const QColor card = m_theme.color(Ink::Card);
    m_plot->setBackground(card);
    for (QCPAxis *axis : {m_plot->xAxis, m_plot->yAxis, m_scale->axis()})
        styleAxis(*axis, m_theme);
    QCPColorGradient gradient;
    gradient.clearColorStops();
    gradient.setColorStopAt(0, mixed(card, m_theme.color(Ink::Accent), 0.06));
    gradient.setColorStopAt(1, mixed(card, m_theme.color(Ink::Accent), 0.85));
    gradient.setNanHandling(QCPColorGradient::nhTransparent);
    m_map->setGradient(gradient);
    m_scale->setGradient(gradient);
    m_front->setPen(QPen(m_theme.color(Ink::Good), 2));
    m_unworkable->setPen(QPen(m_theme.color(Ink::Error), 1.8));
    m_frame->setPen(QPen(m_theme.color(Ink::Playhead), 2));
    m_frame->setBrush(Qt::NoBrush);
    if (m_study)
        fillNumbers();
    m_plot->replot(QCustomPlot::rpQueuedReplot);
}

void HeatMap::setStudy(
    const SweepStudy *study, SweepFigure figure, SweepStat stat, const QString &columnName, const QString &rowName)
{
    m_study = study;
    m_figure = figure;
    m_stat = stat;
    m_plot->xAxis->setLabel(columnName);
    m_plot->yAxis->setLabel(rowName);
    const int columns = study ? static_cast<int>(study->columns()) : 0;
    const int rows = study ? static_cast<int>(study->rows()) : 0;
    m_map->data()->setSize(std::max(1, columns), std::max(1, rows));
    m_map->data()->setRange(QCPRange(0, std::max(1, columns - 1)), QCPRange(0, std::max(1, rows - 1)));
    m_map->data()->fill(std::nan(""));
    for (int x = 0; x < columns; ++x) {
        for (int y = 0; y < rows; ++y) {
            const SweepCell *cell = study->at(static_cast<std::size_t>(x), static_cast<std::size_t>(y));
            const auto value = cell ? sweepFigure(*cell, figure, stat) : std::nullopt;
            if (value)
                m_map->data()->setCell(x, y, *value);
        }
    }
    m_map->rescaleDataRange(true);
    fillAxis(true);
    fillAxis(false);
    fillMarks();
    fillNumbers();
    setCursorCell(
        {std::clamp(m_cursor.x(), 0, std::max(0, columns - 1)), std::clamp(m_cursor.y(), 0, std::max(0, rows - 1))});
    m_plot->replot(QCustomPlot::rpQueuedReplot);
}

void HeatMap::fillAxis(bool columns)
{
    const auto ticker = QSharedPointer<QCPAxisTickerText>::create();
    const std::size_t axis = columns ? 0 : 1;
    const std::size_t count = m_study ? (columns ? m_study->columns() : m_study->rows()) : 0;
    QCPAxis *at = columns ? m_plot->xAxis : m_plot->yAxis;
    // As many labels as stand beside each other.
    const QFontMetrics metrics(m_theme.smallFont());
    int label = metrics.height();
    for (std::size_t i = 0; columns && axis < (m_study ? m_study->grid.axes.size() : 0) && i < count; ++i)
        label = std::max(label, metrics.horizontalAdvance(sweepWords(m_study->grid.axes[axis].values[i])) + 6);
    const int room = std::max(1, columns ? m_plot->axisRect()->width() : m_plot->axisRect()->height());
    const std::size_t fitting = static_cast<std::size_t>(std::max(1, room / label));
    const std::size_t stride = std::max<std::size_t>(1, (count + fitting - 1) / fitting);
    for (std::size_t i = 0; i < count; i += stride)
        if (axis < m_study->grid.axes.size())
            ticker->addTick(static_cast<double>(i), sweepWords(m_study->grid.axes[axis].values[i]));
    at->setTicker(ticker);
    at->setRange(-0.5, std::max(0.5, static_cast<double>(count) - 0.5));
}

bool HeatMap::isDense() const
{
    const QSize room = m_plot->axisRect()->size();
    return m_study
        && (room.width() < roomyCell.width() * static_cast<int>(m_study->columns())
            || room.height() < roomyCell.height() * static_cast<int>(m_study->rows()));
}

void HeatMap::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    if (!m_study)
        return;
    m_plot->replot(); // the axes take their new room
    fillAxis(true);
    fillAxis(false);
    fillMarks();
    fillNumbers();
    m_plot->replot(QCustomPlot::rpQueuedReplot);
}

void HeatMap::fillMarks()
{
    QVector<double> frontX;
    QVector<double> frontY;
    QVector<double> badX;
    QVector<double> badY;
    for (std::size_t x = 0; m_study && x < m_study->columns(); ++x) {
        for (std::size_t y = 0; y < m_study->rows(); ++y) {
            const SweepCell *cell = m_study->at(x, y);
            if (!cell)
                continue;
            // Beside the number where both have room, else in its place.
            const double aside = isDense() ? 0 : 0.3;
            if (isBad(*cell)) {
                badX << static_cast<double>(x) - aside;
                badY << static_cast<double>(y) + aside;
            } else if (cell->onFront) {
                frontX << static_cast<double>(x) + aside;
                frontY << static_cast<double>(y) + aside;
            }
        }
    }
    m_front->setData(frontX, frontY);
    m_unworkable->setData(badX, badY);
}

void HeatMap::fillNumbers()
{
    for (int i = m_plot->itemCount() - 1; i >= 0; --i)
        if (qobject_cast<QCPItemText *>(m_plot->item(i)))
            m_plot->removeItem(i);
    if (!m_study || m_study->cells.size() > mostNumbers)
        return;
    const QCPRange range = m_map->dataRange();
    for (std::size_t x = 0; x < m_study->columns(); ++x) {
        for (std::size_t y = 0; y < m_study->rows(); ++y) {
            const SweepCell *cell = m_study->at(x, y);
            const auto value = cell ? sweepFigure(*cell, m_figure, m_stat) : std::nullopt;
            if (!value || (isDense() && (isBad(*cell) || cell->onFront)))
                continue;
            auto *number = new QCPItemText(m_plot);
            number->setLayer(QString::fromLatin1(numbersLayer));
            number->position->setCoords(static_cast<double>(x), static_cast<double>(y));
            number->setText(m_figure == SweepFigure::Cost ? QString::number(*value, 'f', 4) : shortNumber(*value));
            number->setFont(m_theme.smallFont());
            const bool strong = range.size() > 0 && (*value - range.lower) / range.size() > 0.6;
            number->setColor(strong ? m_theme.onColor(Ink::Accent) : m_theme.color(Ink::Text));
        }
    }
}

void HeatMap::setCursorCell(const QPoint &cell)
{
    m_cursor = cell;
    m_frame->setVisible(m_study != nullptr);
    m_frame->topLeft->setCoords(cell.x() - 0.5, cell.y() + 0.5);
    m_frame->bottomRight->setCoords(cell.x() + 0.5, cell.y() - 0.5);
    m_plot->replot(QCustomPlot::rpQueuedReplot);
    Q_EMIT cellHovered(cell);
}

QPointF HeatMap::pixelOf(const QPoint &cell) const
{
    return {m_plot->xAxis->coordToPixel(cell.x()), m_plot->yAxis->coordToPixel(cell.y())};
}

QPoint HeatMap::cellAt(const QPointF &pixel) const
{
    return {static_cast<int>(std::lround(m_plot->xAxis->pixelToCoord(pixel.x()))),
        static_cast<int>(std::lround(m_plot->yAxis->pixelToCoord(pixel.y())))};
}

bool HeatMap::eventFilter(QObject *watched, QEvent *event)
{
    const auto inside = [this](const QPoint &cell) {
        return m_study && cell.x() >= 0 && cell.y() >= 0 && cell.x() < static_cast<int>(m_study->columns())
            && cell.y() < static_cast<int>(m_study->rows());
    };
    if (watched == m_plot && event->type() == QEvent::MouseMove) {
        const QPoint cell = cellAt(static_cast<QMouseEvent *>(event)->position());
        if (inside(cell) && cell != m_cursor)
            setCursorCell(cell);
    } else if (watched == m_plot && event->type() == QEvent::MouseButtonRelease) {
        const QPoint cell = cellAt(static_cast<QMouseEvent *>(event)->position());
        if (inside(cell)) {
            setCursorCell(cell);
            Q_EMIT cellChosen(cell);
        }
    } else if (watched == m_plot && event->type() == QEvent::KeyPress) {
        QPoint cell = m_cursor;
        switch (static_cast<QKeyEvent *>(event)->key()) {
        case Qt::Key_Left:
            cell.rx() -= 1;
            break;
        case Qt::Key_Right:
            cell.rx() += 1;
            break;
        case Qt::Key_Up:
            cell.ry() += 1;
            break;
        case Qt::Key_Down:
            cell.ry() -= 1;
            break;
        case Qt::Key_Return:
        case Qt::Key_Enter:
        case Qt::Key_Space:
            if (inside(cell))
                Q_EMIT cellChosen(cell);
            return true;
        default:
            return QWidget::eventFilter(watched, event);
        }
        if (inside(cell))
            setCursorCell(cell);
        return true;
    }
    return QWidget::eventFilter(watched, event);
}

} // namespace palimpsest
