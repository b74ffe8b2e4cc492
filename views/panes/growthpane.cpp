// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panes/growthpane.h"

#include "models/counted.h"
#include "models/display.h"
#include "models/focus.h"
#include "models/weightmodel.h"
#include "views/charts.h"
#include "views/chartstyle.h"
#include "views/theme.h"
#include "views/widgets/weighttable.h"

#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSplitter>

namespace palimpsest {

using namespace Qt::StringLiterals;

namespace {

WeightModel::Row rowOf(const QString &name, std::int64_t bytes, const QString &note = {}, const std::string &key = {})
{
    return {name, static_cast<double>(bytes), sizeText(bytes), note, false, key};
}

WeightModel::Row head(const QString &name)
{
    return {name, 0, {}, {}, true, {}};
}

QString power(double exponent)
{
    return exponent > 0 ? u"N^%1"_s.arg(exponent, 0, 'f', 2) : GrowthPane::tr("too few checkpoints");
}

} // namespace

GrowthPane::GrowthPane(const Theme &theme, Measure measure, QWidget *parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_measure(std::move(measure))
    , m_model(new WeightModel(tr("Size"), this))
    , m_scope(new QComboBox)
    , m_plan(new QLineEdit)
    , m_logarithmic(new QCheckBox(tr("Logarithmic")))
    , m_again(new QPushButton(tr("Measure")))
    , m_head(new QLabel)
    , m_plot(new QCustomPlot)
    , m_table(new WeightTable(theme, m_model))
{
    setObjectName(u"growthPane"_s);
    m_scope->addItem(tr("This thread"));
    m_scope->addItem(tr("The whole source"));
    m_scope->setAccessibleName(tr("What is measured"));
    m_plan->setPlaceholderText(tr("Plan: keep=N or before=DATE"));
    m_plan->setAccessibleName(tr("Retention plan"));
    m_plan->setMinimumWidth(210);
    m_plan->setMaximumWidth(260);
    m_plan->setObjectName(u"growthPlan"_s);
    m_head->setWordWrap(true);
    m_head->setObjectName(u"growthSummary"_s);
    m_head->setContentsMargins(10, 0, 10, 3);
    m_table->setAccessibleName(tr("Bytes by channel, thread and namespace"));
    m_plot->setAccessibleName(tr("Bytes over checkpoints"));
    m_plot->setMinimumSize(180, 90);
    auto *bar = new QHBoxLayout;
    bar->setContentsMargins(10, 4, 8, 3);
    bar->setSpacing(6);
    bar->addWidget(m_scope);
    bar->addWidget(m_plan);
    bar->addWidget(m_again);
    bar->addStretch(1);
    bar->addWidget(m_logarithmic);
    auto *parts = new QSplitter(Qt::Horizontal);
    parts->addWidget(m_plot);
    placeLegendBeside(*m_plot);
    parts->addWidget(m_table);
    parts->setSizes({500, 600});
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(bar);
    column->addWidget(m_head);
    column->addWidget(parts, 1);
    connect(m_scope, &QComboBox::currentIndexChanged, this, &GrowthPane::measure);
    connect(m_plan, &QLineEdit::returnPressed, this, &GrowthPane::measure);
    connect(m_again, &QPushButton::clicked, this, &GrowthPane::measure);
    connect(m_logarithmic, &QCheckBox::toggled, this, &GrowthPane::drawCurve);
    connect(&theme, &Theme::changed, this, &GrowthPane::drawCurve);
    connect(m_table, &WeightTable::keyChosen, this, [this](const std::string &key) {
        if (m_focus && m_scope->currentIndex() == 0)
            m_focus->selection()->setCheckpoint(key);
        else if (m_focus)
            m_focus->selection()->setThread(key);
    });
    drawCurve();
}

void GrowthPane::follow(Focus *focus)
{
    m_focus = focus;
    connect(focus, &Focus::threadChanged, this, [this] {
        m_stale = true;
        if (isVisible())
            measure();
    });
}

void GrowthPane::showEvent(QShowEvent *event)
{
    QWidget::showEvent(event);
    if (m_stale)
        measure();
}

void GrowthPane::measure()
{
    if (!m_focus || !m_focus->thread())
        return;
    GrowthOptions options;
    if (m_scope->currentIndex() == 0)
        options.threadId = m_focus->thread()->id;
    if (!m_plan->text().isEmpty()) {
        Result<RetentionPlan> plan = RetentionPlan::parse(fromQString(m_plan->text()));
        if (!plan) {
            m_head->setText(toQString(plan.error().what));
            return;
        }
        options.plan = std::move(*plan);
    }
    m_stale = false;
    m_head->setText(tr("Measuring…"));
    m_measure(options, this, [this](const Result<GrowthPtr> &result) { showResult(result); });
}

void GrowthPane::showResult(const Result<GrowthPtr> &result)
{
    if (!result) {
        m_head->setText(toQString(result.error().what));
        return;
    }
    m_growth = *result;
    m_head->setText(summary());
    fillTable();
    drawCurve();
}

QString GrowthPane::summary() const
{
    if (!m_growth)
        return {};
    QStringList parts{tr("%1 in %2, growing as %3")
            .arg(sizeText(m_growth->total), counted(m_growth->checkpointCount, tr("checkpoint"), tr("checkpoints")),
                power(m_growth->exponent))};
    if (m_growth->storage && m_growth->storage->freePages > 0)
        parts << tr("%1 free pages").arg(m_growth->storage->freePages);
    if (m_growth->storage && m_growth->storage->walBytes > 0)
        parts << tr("write-ahead log %1").arg(sizeText(m_growth->storage->walBytes));
    if (m_growth->storage && m_growth->storage->orphanWrites > 0)
        parts << tr("%1 in writes whose checkpoint is gone").arg(sizeText(m_growth->storage->orphanBytes));
    for (const std::string &note : m_growth->notes)
        parts << toQString(note);
    if (m_growth->plan)
        parts << advice();
    return parts.join(u" · "_s);
}

QString GrowthPane::advice() const
{
    const RetentionAdvice &plan = *m_growth->plan;
    QString text = tr("The plan would free %1 (%2)")
                       .arg(sizeText(plan.freed), counted(plan.checkpoints, tr("checkpoint"), tr("checkpoints")));
    if (plan.broken.empty())
        return text + tr(" and break nothing");
    for (const BrokenChannel &broken : plan.broken)
        text += tr("; it would break %1: keep at least %2 checkpoints")
                    .arg(toQString(broken.channel))
                    .arg(broken.keepAtLeast);
    return text;
}

void GrowthPane::fillTable()
{
    std::vector<WeightModel::Row> rows;
    std::vector<std::pair<std::string, std::int64_t>> channels(m_growth->byChannel.begin(), m_growth->byChannel.end());
    std::stable_sort(
        channels.begin(), channels.end(), [](const auto &a, const auto &b) { return a.second > b.second; });
    rows.push_back(head(tr("Channels")));
    for (const auto &[name, bytes] : channels) {
        const auto repeated = m_growth->unchanged.find(name);
        rows.push_back(rowOf(toQString(name), bytes,
            repeated == m_growth->unchanged.end() ? QString()
                                                  : tr("%1 stored again unchanged").arg(sizeText(repeated->second))));
    }
    rows.push_back(head(tr("Stored otherwise")));
    if (m_growth->naiveBytes)
        rows.push_back(rowOf(
            tr("The whole list in every checkpoint"), *m_growth->naiveBytes, power(m_growth->exponents.at("naive"))));
    for (const auto &[frequency, bytes] : m_growth->deltaBytes) {
        const ReplayDepth &depth = m_growth->replayDepth.at(frequency);
        rows.push_back(rowOf(tr("A snapshot every %1 updates").arg(frequency), bytes,
            tr("%1; replays up to %2 updates, %3 on average")
                .arg(power(m_growth->exponents.at(std::to_string(frequency))))
                .arg(depth.deepest)
                .arg(depth.mean, 0, 'f', 1)));
    }
    if (m_growth->threads.size() > 1) {
        rows.push_back(head(tr("Threads")));
        for (const Weight &weight : m_growth->threads)
            rows.push_back(rowOf(toQString(weight.name), weight.bytes,
                counted(weight.checkpoints, tr("checkpoint"), tr("checkpoints")), weight.name));
    }
    if (m_growth->namespaces.size() > 1) {
        rows.push_back(head(tr("Namespaces")));
        for (const Weight &weight : m_growth->namespaces)
            rows.push_back(rowOf(weight.name.empty() ? tr("(root)") : toQString(weight.name), weight.bytes,
                counted(weight.checkpoints, tr("checkpoint"), tr("checkpoints"))));
    }
    rows.push_back(head(tr("Largest checkpoints")));
    for (const Weight &weight : m_growth->checkpoints)
        rows.push_back(rowOf(toQString(weight.name), weight.bytes, toQString(weight.ns),
            m_growth->thread.empty() ? weight.thread : weight.name));
    m_model->setRows(std::move(rows), static_cast<double>(m_growth->total));
}

void GrowthPane::drawCurve()
{
    m_plot->clearGraphs();
    styleChart(*m_plot, m_theme);
    const bool logarithmic = m_logarithmic->isChecked();
    for (QCPAxis *axis : {m_plot->xAxis, m_plot->yAxis}) {
        axis->setScaleType(logarithmic ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
        axis->setTicker(logarithmic ? QSharedPointer<QCPAxisTicker>(new QCPAxisTickerLog)
                                    : QSharedPointer<QCPAxisTicker>(new QCPAxisTicker));
        axis->setNumberFormat(logarithmic ? u"gb"_s : u"g"_s);
    }
    m_plot->xAxis->setLabel(tr("checkpoints"));
    m_plot->yAxis->setLabel(tr("megabytes"));
    m_plot->legend->setVisible(true);
    const auto add = [&](const QString &name, Ink ink, bool whatIf,
                         const std::function<double(const CurvePoint &)> &value) {
        QCPGraph *graph = m_plot->addGraph();
        QPen pen = m_theme.linePen(whatIf, 1.8);
        pen.setColor(m_theme.color(ink));
        graph->setPen(pen);
        graph->setName(name);
        for (const CurvePoint &point : m_growth->curve)
            graph->addData(static_cast<double>(point.checkpoint), value(point) / 1e6);
    };
    if (m_growth && !m_growth->curve.empty()) {
        if (m_growth->naiveBytes) {
            add(tr("whole list each time"), Ink::Warning, true,
                [](const CurvePoint &point) { return static_cast<double>(point.naive); });
            static constexpr Ink inks[] = {Ink::Good, Ink::Info, Ink::Summary, Ink::Media};
            std::size_t next = 0;
            for (const auto &[frequency, bytes] : m_growth->deltaBytes)
                add(tr("snapshot every %1").arg(frequency), inks[next++ % std::size(inks)], true,
                    [frequency = frequency](const CurvePoint &point) {
                        const auto found = point.delta.find(frequency);
                        return found == point.delta.end() ? 0.0 : static_cast<double>(found->second);
                    });
        }
        add(tr("as recorded"), Ink::Accent, false,
            [](const CurvePoint &point) { return static_cast<double>(point.bytes); });
        m_plot->rescaleAxes();
        // What is simulated may be a hundred times larger; the recorded curve should still be seen.
        if (!logarithmic && m_growth->naiveBytes) {
            const double recorded = static_cast<double>(m_growth->curve.back().bytes) / 1e6;
            m_plot->yAxis->setRange(0, std::min(m_plot->yAxis->range().upper, recorded * 4));
        }
    }
    m_plot->replot(QCustomPlot::rpQueuedReplot);
}

} // namespace palimpsest
