// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/textmenus.h"

#include <QAction>
#include <QContextMenuEvent>
#include <QMenu>
#include <QPlainTextEdit>
#include <QTextEdit>

namespace palimpsest {

TextMenus::TextMenus(QList<QAction *> actions, QObject *parent)
    : QObject(parent)
    , m_actions(std::move(actions))
{
}

void TextMenus::addTo(const QWidget &parent)
{
    const auto watch = [this](const auto &views) {
        for (auto *view : views)
            if (view->isReadOnly())
                view->viewport()->installEventFilter(this);
    };
    watch(parent.findChildren<QTextEdit *>());
    watch(parent.findChildren<QPlainTextEdit *>());
}

bool TextMenus::eventFilter(QObject *watched, QEvent *event)
{
    if (event->type() != QEvent::ContextMenu)
        return QObject::eventFilter(watched, event);
    const auto *asked = static_cast<const QContextMenuEvent *>(event);
    QWidget *view = static_cast<QWidget *>(watched)->parentWidget();
    QMenu *menu = nullptr;
    if (auto *rich = qobject_cast<QTextEdit *>(view))
        menu = rich->createStandardContextMenu(asked->pos());
    else if (auto *plain = qobject_cast<QPlainTextEdit *>(view))
        menu = plain->createStandardContextMenu(asked->pos());
    if (!menu)
        return QObject::eventFilter(watched, event);
    view->setFocus();
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->addSeparator();
    menu->addActions(m_actions);
    menu->popup(asked->globalPos());
    return true;
}

} // namespace palimpsest
