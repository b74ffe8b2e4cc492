// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/delegates/twolinedelegate.h"

#include <QPainter>

namespace palimpsest {

using namespace Qt::StringLiterals;

TwoLineDelegate::TwoLineDelegate(Theme *theme, Form form, int detailRole,
    std::function<std::optional<Ink>(const QModelIndex &)> dot, QObject *parent)
    : QStyledItemDelegate(parent)
    , m_theme(theme)
    , m_form(form)
    , m_detailRole(detailRole)
    , m_dot(std::move(dot))
{
}

void TwoLineDelegate::paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const
{
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    const bool selected = option.state.testFlag(QStyle::State_Selected);
    const QRectF box = QRectF(option.rect).adjusted(1, 1, -3, -1);
    if (selected || option.state.testFlag(QStyle::State_MouseOver)) {
        painter->setPen(Qt::NoPen);
        painter->setBrush(m_theme->color(selected ? Ink::Selection : Ink::Hover));
        painter->drawRoundedRect(box, 4, 4);
    }
    qreal left = box.left() + 5;
    if (const std::optional<Ink> ink = m_dot ? m_dot(index) : std::nullopt) {
        painter->setPen(Qt::NoPen);
        painter->setBrush(m_theme->color(*ink));
        painter->drawEllipse(QPointF(left + 4, m_form == Form::Below ? box.top() + 12 : box.center().y()), 3.5, 3.5);
        left += 14;
    }
    const QColor ink = m_theme->color(selected ? Ink::SelectionText : Ink::Text);
    const QColor quiet = selected ? ink : m_theme->text(Ink::TextSecondary);
    const QString title = index.data(Qt::DisplayRole).toString();
    const QString detail = index.data(m_detailRole).toString();
    const QFont font =
        index.data(Qt::FontRole).canConvert<QFont>() ? index.data(Qt::FontRole).value<QFont>() : m_theme->uiFont();
    const QFontMetrics metrics(font);
    const QFontMetrics small(m_theme->smallFont());
    const qreal width = box.right() - 6 - left;
    if (m_form == Form::Below) {
        const qreal middle = box.top() + 4;
        painter->setFont(font);
        painter->setPen(ink);
        painter->drawText(QRectF(left, middle, width, metrics.height()), Qt::AlignLeft | Qt::AlignVCenter,
            metrics.elidedText(title, Qt::ElideRight, static_cast<int>(width)));
        painter->setFont(m_theme->smallFont());
        painter->setPen(quiet);
        painter->drawText(QRectF(left, middle + metrics.height() + 1, width, small.height()),
            Qt::AlignLeft | Qt::AlignVCenter, small.elidedText(detail, Qt::ElideRight, static_cast<int>(width)));
    } else {
        const qreal detailWidth = std::min<qreal>(small.horizontalAdvance(detail) + 2, width * 0.5);
        painter->setFont(m_theme->smallFont());
        painter->setPen(quiet);
        painter->drawText(QRectF(box.right() - 6 - detailWidth, box.top(), detailWidth, box.height()),
            Qt::AlignRight | Qt::AlignVCenter, small.elidedText(detail, Qt::ElideRight, static_cast<int>(detailWidth)));
        painter->setFont(font);
        painter->setPen(ink);
        // A file's name is told by its end too, anything else by its beginning.
        const Qt::TextElideMode cut = title.contains(u'.') ? Qt::ElideMiddle : Qt::ElideRight;
        painter->drawText(QRectF(left, box.top(), width - detailWidth - 8, box.height()),
            Qt::AlignLeft | Qt::AlignVCenter,
            metrics.elidedText(title, cut, static_cast<int>(width - detailWidth - 8)));
    }
    painter->restore();
}

QSize TwoLineDelegate::sizeHint(const QStyleOptionViewItem &option, const QModelIndex &index) const
{
    const int line = QFontMetrics(m_theme->uiFont()).height();
    const int height = m_form == Form::Below ? line + QFontMetrics(m_theme->smallFont()).height() + 11 : line + 8;
    return {QStyledItemDelegate::sizeHint(option, index).width(), height};
}

} // namespace palimpsest
