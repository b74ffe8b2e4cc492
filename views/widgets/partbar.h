// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/theme.h"

#include <QWidget>

#include <vector>

namespace palimpsest {

/// Parts of a whole side by side, with their names where they fit. A click tells which.
class PartBar : public QWidget {
    Q_OBJECT
public:
    struct Part {
        QString name;
        double amount = 0;
        Ink ink = Ink::OtherRole;
    };

    explicit PartBar(const Theme &theme, QWidget *parent = nullptr);

    void setParts(std::vector<Part> parts);
    [[nodiscard]] QSize sizeHint() const override { return {300, 34}; }
    [[nodiscard]] QSize minimumSizeHint() const override { return {60, 34}; }

Q_SIGNALS:
    void partChosen(int part);

protected:
    bool event(QEvent *event) override;
    void paintEvent(QPaintEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;

private:
    [[nodiscard]] QRectF rectOf(std::size_t part) const;
    [[nodiscard]] int partAt(const QPointF &place) const;

    const Theme &m_theme;
    std::vector<Part> m_parts;
    double m_total = 0;
};

} // namespace palimpsest
