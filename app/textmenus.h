// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QObject>

class QAction;

namespace palimpsest {

/// Adds actions to the context menu of text views, behind what Qt puts there.
class TextMenus : public QObject {
    Q_OBJECT
public:
    TextMenus(QList<QAction *> actions, QObject *parent);

    /// Every view below the widget that shows text and takes none.
    void addTo(const QWidget &parent);

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    QList<QAction *> m_actions;
};

} // namespace palimpsest
