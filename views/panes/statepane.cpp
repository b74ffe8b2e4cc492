// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panes/statepane.h"

#include "models/display.h"
#include "models/focus.h"
#include "models/statemodel.h"
#include "views/marks.h"
#include "views/theme.h"
#include "views/widgets/panehead.h"

#include <QCheckBox>
#include <QClipboard>
#include <QGuiApplication>
#include <QHeaderView>
#include <QLineEdit>
#include <QMenu>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QTimer>
#include <QTreeView>
#include <QVBoxLayout>

#include <chrono>

namespace palimpsest {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

/// Values in the fixed font, what cannot be read in its own colour, a mark beside what changed.
class StateDelegate : public QStyledItemDelegate {
public:
    StateDelegate(const Theme &theme, QObject *parent)
        : QStyledItemDelegate(parent)
        , m_theme(theme)
    {
    }

    void paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override
    {
        QStyledItemDelegate::paint(painter, option, index);
        if (index.column() == StateModel::NameColumn && index.data(StateModel::ChangedRole).toBool())
            drawMark(*painter, Mark::Diamond, {option.rect.right() - 9.0, option.rect.center().y() + 0.5}, 8,
                m_theme.color(Ink::Changed));
    }

    QSize sizeHint(const QStyleOptionViewItem &option, const QModelIndex &index) const override
    {
        return QStyledItemDelegate::sizeHint(option, index) + QSize(0, 6);
    }

protected:
    void initStyleOption(QStyleOptionViewItem *option, const QModelIndex &index) const override
    {
        QStyledItemDelegate::initStyleOption(option, index);
        const QModelIndex head = index.siblingAtColumn(0);
        QColor ink = m_theme.color(Ink::Text);
        if (head.data(StateModel::UndecodableRole).toBool())
            ink = m_theme.text(Ink::Warning);
        else if (index.column() == StateModel::TypeColumn)
            ink = m_theme.color(Ink::TextSecondary);
        option->palette.setColor(QPalette::Text, ink);
        option->palette.setColor(QPalette::HighlightedText, m_theme.color(Ink::SelectionText));
        if (index.column() == StateModel::ValueColumn)
            option->font = m_theme.codeFont();
        else if (index.column() == StateModel::NameColumn && head.data(StateModel::ChannelRole).toBool())
            option->font = head.data(StateModel::ChangedRole).toBool() ? m_theme.titleFont() : m_theme.uiFont();
    }

private:
    const Theme &m_theme;
};

} // namespace

StatePane::StatePane(const Theme &theme, Reader reader, QWidget *parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_reader(std::move(reader))
    , m_model(new StateModel(this))
    , m_tree(new QTreeView)
    , m_head(new PaneHead(theme, tr("Filter channels")))
    , m_onlyChanged(new QCheckBox(tr("Only changed")))
    , m_later(new QTimer(this))
{
    setObjectName(u"statePane"_s);
    m_head->addWidget(m_onlyChanged);
    m_tree->setModel(m_model);
    m_tree->setItemDelegate(new StateDelegate(theme, m_tree));
    m_tree->setUniformRowHeights(true);
    m_tree->setAlternatingRowColors(true);
    m_tree->setFrameShape(QFrame::NoFrame);
    m_tree->setContextMenuPolicy(Qt::CustomContextMenu);
    m_tree->setAccessibleName(tr("State channels"));
    m_tree->header()->setStretchLastSection(true);
    m_tree->setColumnWidth(StateModel::NameColumn, 240);
    m_tree->setColumnWidth(StateModel::ValueColumn, 560);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_head);
    column->addWidget(m_tree, 1);
    m_later->setSingleShot(true);
    m_later->setInterval(60ms); // while the playhead scrubs, only where it rests is read
    connect(m_later, &QTimer::timeout, this, &StatePane::read);
    const auto filter = [this] {
        m_model->setFilter(m_onlyChanged->isChecked(), m_head->filter()->text());
        updateHead();
    };
    connect(m_head->filter(), &QLineEdit::textChanged, this, filter);
    connect(m_onlyChanged, &QCheckBox::toggled, this, filter);
    connect(m_tree, &QTreeView::customContextMenuRequested, this, &StatePane::showMenu);
    connect(&m_theme, &Theme::changed, m_tree->viewport(), qOverload<>(&QWidget::update));
    updateHead();
}

void StatePane::follow(Focus *focus)
{
    m_focus = focus;
    connect(focus, &Focus::threadChanged, this, &StatePane::want);
    connect(focus, &Focus::sceneChanged, this, &StatePane::want);
    want();
}

void StatePane::want()
{
    m_stale = true;
    if (isVisible())
        m_later->start();
}

void StatePane::showEvent(QShowEvent *event)
{
    QWidget::showEvent(event);
    if (m_stale)
        m_later->start();
}

void StatePane::read()
{
    if (!m_focus || !isVisible()) // seen for a moment only, while docks were laid out
        return;
    m_stale = false;
    const ScenePtr scene = m_focus->scene();
    if (!scene->checkpoint) {
        m_place.clear();
        m_model->setChannels({});
        updateHead();
        return;
    }
    m_place = tr("step %1").arg(scene->checkpoint->step);
    m_tree->setEnabled(false); // the old state stays, greyed, until the new one is there
    m_reader(scene->space->name, scene->checkpointIndex, this,
        [this](const Result<std::vector<ChannelState>> &channels) { setChannels(channels); });
}

void StatePane::setChannels(const Result<std::vector<ChannelState>> &channels)
{
    m_tree->setEnabled(true);
    if (!channels) {
        m_model->setChannels({});
        m_head->setText(toQString(channels.error().where + ": " + channels.error().what));
        return;
    }
    m_model->setChannels(*channels);
    updateHead();
}

void StatePane::updateHead()
{
    if (m_model->channelCount() == 0) {
        m_head->setText(tr("The channels of the chosen checkpoint are listed here"));
        return;
    }
    m_head->setText(
        tr("%1 · %2 channels, %3 changed here").arg(m_place).arg(m_model->channelCount()).arg(m_model->changedCount()));
}

void StatePane::showMenu(const QPoint &place)
{
    const QModelIndex index = m_tree->indexAt(place);
    if (!index.isValid())
        return;
    QMenu menu;
    menu.addAction(tr("Copy value"), this,
        [index] { QGuiApplication::clipboard()->setText(index.data(StateModel::CopyRole).toString()); });
    menu.addAction(tr("Copy path"), this,
        [index] { QGuiApplication::clipboard()->setText(index.data(StateModel::PathRole).toString()); });
    menu.exec(m_tree->viewport()->mapToGlobal(place));
}

} // namespace palimpsest
