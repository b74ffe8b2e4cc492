// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/widgets/rowgeometry.h"

#include <QAbstractItemView>
#include <QSet>
#include <optional>

namespace palimpsest {

class FoldState;
class MessageDelegate;
class MessageModel;
class Theme;

/// The list of messages of both message panes. Rows are equally high until they are unfolded; only what is in view is
/// ever asked for, so that 100,000 rows scroll as ten do. It can be led by another list (`setOrigin`): then it stands
/// where it is told.
class MessageList : public QAbstractItemView {
    Q_OBJECT
public:
    MessageList(MessageModel *model, Theme *theme, FoldState *folds, QWidget *parent = nullptr);

    [[nodiscard]] MessageModel *messages() const { return m_messages; }
    [[nodiscard]] MessageDelegate *cards() const { return m_delegate; }
    [[nodiscard]] const RowGeometry &geometry() const { return m_rows; }
    /// y of row 0 in the viewport.
    [[nodiscard]] int origin() const;
    /// Led by another list: row 0 stands at this y; nothing: it scrolls by itself.
    void setOrigin(std::optional<int> origin);
    [[nodiscard]] bool isLed() const { return m_led.has_value(); }
    /// Empty room above the first row, pixels: what another list needs to keep its own first rows level with this
    /// one's.
    void setPadding(int padding);
    /// A row's rectangle in the viewport.
    [[nodiscard]] QRect rowRect(int row) const;
    /// Chooses a row without telling `chosen`, and brings it into view.
    void showRow(int row);
    /// Rows that are selected, several with Shift or Ctrl, in their order.
    [[nodiscard]] QList<int> selectedRows() const;
    /// Chooses nothing and shows what is in context: the end of the list, with the row `cut` (the first one kept) still
    /// in view when it can be; -1: no cut.
    void showContext(int cut);
    /// What is said in the room above the first row, when the list is led and has such room.
    void setLeadText(const QString &text);
    /// Marks the messages with these keys as search hits, one of them as the one that is shown.
    void setHits(const QSet<QString> &keys, const QString &current);

    QRect visualRect(const QModelIndex &index) const override;
    void scrollTo(const QModelIndex &index, ScrollHint hint = EnsureVisible) override;
    QModelIndex indexAt(const QPoint &point) const override;

Q_SIGNALS:
    /// The user chose a row.
    void chosen(int row);
    /// A row's text was asked for in full (double click, Return).
    void opened(int row);
    /// The rows stand elsewhere now: scrolled, resized, unfolded, led.
    void viewChanged();
    /// A led list was scrolled by the user: by how many pixels.
    void scrollWanted(int pixels);

protected:
    QModelIndex moveCursor(CursorAction action, Qt::KeyboardModifiers modifiers) override;
    int horizontalOffset() const override { return 0; }
    int verticalOffset() const override { return -origin(); }
    bool isIndexHidden(const QModelIndex &) const override { return false; }
    void setSelection(const QRect &rect, QItemSelectionModel::SelectionFlags command) override;
    QRegion visualRegionForSelection(const QItemSelection &selection) const override;
    void currentChanged(const QModelIndex &current, const QModelIndex &previous) override;
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void scrollContentsBy(int dx, int dy) override;
    void wheelEvent(QWheelEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void leaveEvent(QEvent *event) override;
    void mouseDoubleClickEvent(QMouseEvent *event) override;
    void focusInEvent(QFocusEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    bool viewportEvent(QEvent *event) override;
    void reset() override;
    void updateGeometries() override;

private:
    void layRows();
    /// Moves what is painted; only what comes into view is painted anew.
    void moveRows(int by);
    void layExtras();
    void foldRow(int row);
    void applyContext();
    void paintLead(QPainter *painter, int height) const;

    MessageModel *m_messages;
    Theme *m_theme;
    FoldState *m_folds;
    MessageDelegate *m_delegate;
    RowGeometry m_rows;
    std::optional<int> m_led;
    int m_hover = -1;
    QSet<QString> m_hits;
    QString m_currentHit;
    bool m_following = false; ///< the chosen row stays in view while the list gets another size
    int m_padding = 0;
    int m_cut = -1; ///< of `showContext`
    QString m_leadText;
    bool m_quiet = false; ///< a choice that comes from outside
    bool m_focusing = false; ///< the focus is just coming
};

} // namespace palimpsest
