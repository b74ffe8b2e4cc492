// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/widgets/weighttable.h"

#include "models/weightmodel.h"
#include "views/theme.h"

#include <QHeaderView>
#include <QPainter>
#include <QStyledItemDelegate>

#include <algorithm>

namespace palimpsest {
namespace {

class WeightDelegate : public QStyledItemDelegate {
public:
    WeightDelegate(const Theme &theme, QObject *parent)
        : QStyledItemDelegate(parent)
        , m_theme(theme)
    {
    }

    void paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override
    {
        if (index.column() == WeightModel::ShareColumn && !index.data(WeightModel::GroupRole).toBool()) {
            const double share = std::clamp(index.data(WeightModel::ShareRole).toDouble(), 0.0, 1.0);
            QRectF bar = QRectF(option.rect).adjusted(2, 3, -2, -3);
            bar.setLeft(bar.right() - bar.width() * share);
            painter->fillRect(bar, m_theme.fill(Ink::Accent));
        }
        QStyledItemDelegate::paint(painter, option, index);
    }

    QSize sizeHint(const QStyleOptionViewItem &option, const QModelIndex &index) const override
    {
        return QStyledItemDelegate::sizeHint(option, index) + QSize(8, 5);
    }

protected:
    void initStyleOption(QStyleOptionViewItem *option, const QModelIndex &index) const override
    {
        QStyledItemDelegate::initStyleOption(option, index);
        const bool group = index.data(WeightModel::GroupRole).toBool();
        if (group)
            option->font = m_theme.titleFont();
        option->palette.setColor(
            QPalette::Text, m_theme.color(index.column() == WeightModel::NoteColumn ? Ink::TextSecondary : Ink::Text));
        option->palette.setColor(QPalette::HighlightedText, m_theme.color(Ink::SelectionText));
    }

private:
    const Theme &m_theme;
};

} // namespace

WeightTable::WeightTable(const Theme &theme, WeightModel *model, QWidget *parent)
    : QTreeView(parent)
{
    setModel(model);
    setItemDelegate(new WeightDelegate(theme, this));
    setRootIsDecorated(false);
    setUniformRowHeights(true);
    setFrameShape(QFrame::NoFrame);
    setColumnWidth(WeightModel::NameColumn, 240);
    setColumnWidth(WeightModel::AmountColumn, 90);
    setColumnWidth(WeightModel::ShareColumn, 90);
    header()->setStretchLastSection(true);
    const auto choose = [this](const QModelIndex &index) {
        const QByteArray key = index.data(WeightModel::KeyRole).toByteArray();
        if (!key.isEmpty())
            Q_EMIT keyChosen(key.toStdString());
    };
    connect(this, &QTreeView::clicked, this, choose);
    connect(this, &QTreeView::activated, this, choose);
    connect(&theme, &Theme::changed, this, [this] { viewport()->update(); });
}

} // namespace palimpsest
