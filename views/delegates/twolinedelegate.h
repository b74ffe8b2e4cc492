// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/theme.h"

#include <QStyledItemDelegate>

#include <functional>
#include <optional>

namespace palimpsest {

/// A tree row of a title and a quiet detail: below the title, or at the right end of the same line.
class TwoLineDelegate : public QStyledItemDelegate {
    Q_OBJECT
public:
    enum class Form { Below, Beside };

    /// `detailRole` gives the detail; `inkOf` the colour of a dot before the title, or nothing.
    TwoLineDelegate(Theme *theme, Form form, int detailRole, std::function<std::optional<Ink>(const QModelIndex &)> dot,
        QObject *parent = nullptr);

    void paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override;
    QSize sizeHint(const QStyleOptionViewItem &option, const QModelIndex &index) const override;

private:
    Theme *m_theme;
    Form m_form;
    int m_detailRole;
    std::function<std::optional<Ink>(const QModelIndex &)> m_dot;
};

} // namespace palimpsest
