// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/messagerow.h"

#include <QImage>
#include <QWidget>

namespace palimpsest {

class MessageList;
class Theme;

/// The whole list in a thin column: a bar a message (or the largest of those that share a line), long by its tokens,
/// coloured by who speaks, pale when out of context. A frame shows what is in view; a click or a drag goes there.
class Strip : public QWidget {
    Q_OBJECT
public:
    Strip(MessageList *list, Theme *theme, QWidget *parent = nullptr);

    QSize sizeHint() const override { return {26, 100}; }
    /// One bar for each line of `lines`, of those messages that share it the one with the most tokens.
    static std::vector<StripBar> condense(const std::vector<StripBar> &bars, int lines);

protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;

private:
    void forget();
    void draw();
    void goTo(int y);

    MessageList *m_list;
    Theme *m_theme;
    QImage m_image;
    int m_rows = 0;
    qreal m_used = 0; ///< height that the bars take, pixels
};

} // namespace palimpsest
