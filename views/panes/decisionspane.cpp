// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panes/decisionspane.h"

#include "models/counted.h"
#include "models/decisionsmodel.h"
#include "models/focus.h"
#include "views/marks.h"
#include "views/theme.h"
#include "views/widgets/elidedlabel.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QTableView>

namespace palimpsest {

using namespace Qt::StringLiterals;

namespace {

/// A mark in front of the call: a diamond where it differs, a filled square where it summarized, a cross where it
/// failed.
class DecisionDelegate : public QStyledItemDelegate {
public:
    DecisionDelegate(const Theme &theme, QObject *parent)
        : QStyledItemDelegate(parent)
        , m_theme(theme)
    {
    }

    void paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override
    {
        QStyledItemDelegate::paint(painter, option, index);
        const double y = option.rect.center().y() + 0.5;
        if (index.column() == DecisionsModel::Call && index.data(DecisionsModel::DiffersRole).toBool())
            drawMark(*painter, Mark::Diamond, {option.rect.left() + 8.0, y}, 8, m_theme.color(Ink::Changed));
        if (index.column() != DecisionsModel::Decision)
            return;
        if (index.data(DecisionsModel::FailedRole).toBool())
            drawMark(*painter, Mark::Cross, {option.rect.left() + 9.0, y}, 8, m_theme.color(Ink::Error));
        else if (index.data(DecisionsModel::SummarizedRole).toBool())
            drawMark(*painter, Mark::Square, {option.rect.left() + 9.0, y}, 8, m_theme.color(Ink::Event));
    }

protected:
    void initStyleOption(QStyleOptionViewItem *option, const QModelIndex &index) const override
    {
        QStyledItemDelegate::initStyleOption(option, index);
        option->palette.setColor(QPalette::Text,
            m_theme.color(index.column() == DecisionsModel::Recorded || index.column() == DecisionsModel::Why
                    ? Ink::TextSecondary
                    : Ink::Text));
        option->palette.setColor(QPalette::HighlightedText, m_theme.color(Ink::SelectionText));
        if (index.column() == DecisionsModel::Decision)
            option->text.prepend(u"     "_s);
        else
            option->text += u' ';
        if (index.data(DecisionsModel::DiffersRole).toBool())
            option->backgroundBrush = m_theme.fill(Ink::Changed);
    }

private:
    const Theme &m_theme;
};

enum Filter { All, Differing, Events };

} // namespace

DecisionsPane::DecisionsPane(const Theme &theme, QWidget *parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_model(new DecisionsModel(this))
    , m_table(new QTableView)
    , m_head(new ElidedLabel)
    , m_filter(new QComboBox)
{
    setObjectName(u"decisionsPane"_s);
    m_filter->addItem(tr("All calls"), All);
    m_filter->addItem(tr("That differ from the recording"), Differing);
    m_filter->addItem(tr("That summarized, here or recorded"), Events);
    m_filter->setAccessibleName(tr("Which calls"));
    m_table->setModel(m_model);
    m_table->setItemDelegate(new DecisionDelegate(theme, m_table));
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setShowGrid(false);
    m_table->setWordWrap(false);
    m_table->setFrameShape(QFrame::NoFrame);
    m_table->setTabKeyNavigation(false);
    m_table->setAccessibleName(tr("Decisions"));
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    m_table->horizontalHeader()->setHighlightSections(false);
    const int widths[] = {50, 70, 74, 58, 62, 150, 64, 124, 190, 124, 210, 74, 120};
    for (int column = 0; column < DecisionsModel::ColumnCount; ++column)
        m_table->setColumnWidth(column, widths[column]);
    m_table->horizontalHeader()->setStretchLastSection(true);
    m_table->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    auto *head = new QHBoxLayout;
    head->setContentsMargins(10, 5, 8, 5);
    head->addWidget(m_head, 1);
    head->addWidget(m_filter);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(head);
    column->addWidget(m_table, 1);
    connect(m_filter, &QComboBox::currentIndexChanged, this, [this] {
        const int filter = m_filter->currentData().toInt();
        m_model->setOnlyDiffering(filter == Differing);
        m_model->setOnlyEvents(filter == Events);
        markPlace();
        updateHead();
    });
    connect(m_table, &QTableView::clicked, this, &DecisionsPane::choose);
    connect(m_table, &QTableView::activated, this, &DecisionsPane::choose);
    const auto restyle = [this] {
        m_table->verticalHeader()->setDefaultSectionSize(m_table->fontMetrics().height() + 8);
        m_head->setStyleSheet(u"color:%1;"_s.arg(m_theme.color(Ink::TextSecondary).name()));
        updateHead();
    };
    connect(&theme, &Theme::changed, this, restyle);
    restyle();
}

void DecisionsPane::follow(Focus *focus)
{
    m_focus = focus;
    connect(focus, &Focus::sceneChanged, this, &DecisionsPane::markPlace);
}

void DecisionsPane::setRun(const WhatIfPtr &run)
{
    m_model->setRun(run);
    updateHead();
    markPlace();
}

WhatIfPtr DecisionsPane::run() const
{
    return m_model->run();
}

void DecisionsPane::updateHead()
{
    const WhatIfPtr run = m_model->run();
    if (!run) {
        m_head->setText(tr("Why each call was compacted or not is listed here"));
        return;
    }
    QString text = tr("%1 · %2 (recorded %3) · %4 from the recording")
                       .arg(counted(static_cast<qint64>(run->replay.calls.size()), tr("call"), tr("calls")),
                           counted(run->events, tr("event"), tr("events")))
                       .arg(run->recordedEvents)
                       .arg(counted(run->differing, tr("call differs"), tr("calls differ")));
    if (run->leavesRecording())
        text += u" · "_s + tr("assumes the agent would have acted the same");
    m_head->setText(text);
}

void DecisionsPane::markPlace()
{
    if (!m_focus || !m_focus->scene()->call)
        return;
    const int row = m_model->rowOf(m_focus->scene()->call->number);
    if (row < 0 || m_table->currentIndex().row() == row)
        return;
    m_table->setCurrentIndex(m_model->index(row, std::max(0, m_table->currentIndex().column())));
}

void DecisionsPane::choose(const QModelIndex &index)
{
    const ScenePtr scene = m_focus ? m_focus->scene() : nullptr;
    if (!index.isValid() || !scene || !scene->space)
        return;
    const CallNumber number(static_cast<std::int64_t>(index.data(DecisionsModel::NumberRole).toLongLong()));
    const auto place = static_cast<std::size_t>(number.value - 1);
    if (place >= scene->space->calls.size())
        return;
    const CheckpointIndex at = scene->space->calls[place].checkpoint;
    if (at.isValid() && at.at() < scene->space->checkpoints.size())
        m_focus->selection()->setCall(number, scene->space->checkpoints[at.at()].id);
}

} // namespace palimpsest
