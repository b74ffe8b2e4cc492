// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QMainWindow>
#include <vector>

class QDockWidget;

namespace palimpsest {

class Theme;

/// The middle of the window: docks beside each other with wide gaps between them, in which ribbons are painted. Each
/// dock can be moved, detached, closed and restored like any other.
class Board : public QMainWindow {
    Q_OBJECT
public:
    static constexpr int gap = 44; ///< width between two docks, pixels

    explicit Board(Theme *theme, QWidget *parent = nullptr);

    /// Puts a widget into a dock right of those there.
    QDockWidget *addPane(const QString &name, const QString &title, QWidget *pane);
    [[nodiscard]] QDockWidget *pane(const QString &name) const;
    /// Puts a transparent widget over everything; it keeps the board's size and lets the mouse through.
    void setOverlay(QWidget *overlay);
    /// All docks side by side again, with these widths relative to each other.
    void arrange(const std::vector<int> &widths);

Q_SIGNALS:
    /// Docks were moved, resized, hidden or shown.
    void laidOut();

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void showEvent(QShowEvent *event) override;
    QMenu *createPopupMenu() override { return nullptr; }

private:
    void applyWidths();

    Theme *m_theme;
    QList<int> m_widths; ///< asked for and not yet given: a layout has no sizes before it is shown
    std::vector<QDockWidget *> m_docks;
    QWidget *m_overlay = nullptr;
};

} // namespace palimpsest
