// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/messagerow.h"
#include "views/theme.h"

#include <QStaticText>
#include <QStyledItemDelegate>
#include <QTextLayout>

#include <memory>
#include <unordered_map>

namespace palimpsest {

/// Paints a message as a card: a bar and a letter for who speaks, what it says, badges for what happened to it, its
/// tokens. What is out of context is pale, never gone.
class MessageDelegate : public QStyledItemDelegate {
    Q_OBJECT
public:
    struct Look {
        bool selected = false;
        bool focused = false;
        bool hovered = false;
        bool open = false;
        bool partner = false; ///< call or result of the selected row
        bool hit = false;
        bool currentHit = false;
    };

    explicit MessageDelegate(Theme *theme, QObject *parent = nullptr);

    /// Height of a folded row, pixels.
    [[nodiscard]] int baseHeight() const { return m_base; }
    /// What the row is higher when it is unfolded at this width.
    [[nodiscard]] int extraHeight(const QModelIndex &index, int width) const;
    /// Texts are others now.
    void forget() { m_unfolded.clear(); }
    /// Where a row is clicked to unfold it.
    [[nodiscard]] QRect foldMark(const QRect &row) const;
    void paintCard(
        QPainter *painter, const QRect &rect, const QModelIndex &index, const MessageRow &row, const Look &look) const;
    /// All that is known of a row, in words.
    [[nodiscard]] QString explain(const MessageRow &row) const;

    void paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override;
    QSize sizeHint(const QStyleOptionViewItem &option, const QModelIndex &index) const override;

private:
    struct Badge {
        QString text;
        Ink ink = Ink::Info;
    };
    struct Unfolded {
        int width = 0;
        QTextLayout layout;
        qreal height = 0;
    };
    void refresh();
    [[nodiscard]] static std::vector<Badge> badges(const MessageRow &row);
    [[nodiscard]] static int indent(const MessageRow &row);
    [[nodiscard]] Unfolded &unfolded(const QModelIndex &index, int width) const;
    void paintPairing(QPainter *painter, const QRect &rect, const MessageRow &row) const;

    Theme *m_theme;
    int m_base = 30;
    QFont m_font;
    QFont m_small;
    QFont m_bold;
    QFont m_letter;
    mutable std::unordered_map<std::string, std::unique_ptr<Unfolded>> m_unfolded;
};

} // namespace palimpsest
