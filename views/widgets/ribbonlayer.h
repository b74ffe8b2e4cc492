// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/focus.h"
#include "views/widgets/ribbons.h"

#include <QRegion>
#include <QWidget>

class QAbstractItemView;
class QDockWidget;

namespace palimpsest {

class Board;
class MessageList;
class Theme;

/// Paints the ribbons in the board's gaps, over everything and transparent to the mouse. Knows the lists and where they
/// stand now; what is docked elsewhere gets none. Its mask is the gaps: a list under it scrolls and paints as if it
/// were not there.
class RibbonLayer : public QWidget {
    Q_OBJECT
public:
    /// Where an archive's section or file is shown: a rectangle in the viewport of `view`.
    struct ArchiveEnd {
        QAbstractItemView *view = nullptr;
        std::function<QRect(int event)> section;
        std::function<QRect(const std::string &path)> file;
    };

    RibbonLayer(Focus *focus, Theme *theme, Board *board, MessageList *raw, MessageList *effective, ArchiveEnd archive);

    /// The ribbons as they are painted now, in the layer's coordinates.
    [[nodiscard]] std::vector<Ribbon> ribbons() const;

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    struct Gap {
        qreal left = 0;
        qreal right = 0;
        Span window;

        [[nodiscard]] QRectF rect() const { return {left, window.top, right - left, window.bottom - window.top}; }
    };
    [[nodiscard]] std::optional<Gap> gapBetween(const QWidget *left, const QWidget *right) const;
    [[nodiscard]] RibbonEnds ends(const Span &window) const;
    [[nodiscard]] std::vector<Ribbon> between(const Span &window) const;
    [[nodiscard]] std::vector<Ribbon> toArchive(const Span &window) const;
    /// Repaints the gaps alone: under them is only the board's ground, so the panes are not painted again.
    void refresh();
    void paintRibbon(QPainter &painter, const Gap &gap, const Ribbon &ribbon) const;

    Focus *m_focus;
    Theme *m_theme;
    Board *m_board;
    MessageList *m_raw;
    MessageList *m_effective;
    ArchiveEnd m_archive;
    QRegion m_gaps; ///< where ribbons run now
};

} // namespace palimpsest
