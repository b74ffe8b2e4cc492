// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/dialogs/commandpalette.h"

#include "models/fuzzy.h"
#include "views/theme.h"

#include <QAction>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QTimer>
#include <QVBoxLayout>

#include <algorithm>

namespace palimpsest {

using namespace Qt::StringLiterals;

namespace {

constexpr int actionRole = Qt::UserRole;
constexpr int keysRole = Qt::UserRole + 1;

/// The shortcut stands at the right.
class CommandDelegate : public QStyledItemDelegate {
public:
    CommandDelegate(const Theme &theme, QObject *parent)
        : QStyledItemDelegate(parent)
        , m_theme(theme)
    {
    }

    void paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override
    {
        QStyledItemDelegate::paint(painter, option, index);
        painter->setFont(m_theme.smallFont());
        painter->setPen(m_theme.color(Ink::TextSecondary));
        painter->drawText(
            option.rect.adjusted(0, 0, -12, 0), Qt::AlignRight | Qt::AlignVCenter, index.data(keysRole).toString());
    }

    QSize sizeHint(const QStyleOptionViewItem &option, const QModelIndex &index) const override
    {
        return QStyledItemDelegate::sizeHint(option, index) + QSize(0, 10);
    }

private:
    const Theme &m_theme;
};

} // namespace

CommandPalette::CommandPalette(const Theme &theme, const QList<QAction *> &actions, QWidget *parent)
    : QDialog(parent, Qt::Popup | Qt::FramelessWindowHint)
    , m_theme(theme)
    , m_field(new QLineEdit)
    , m_list(new QListWidget)
{
    setObjectName(u"commandPalette"_s);
    setWindowTitle(tr("Commands"));
    setAttribute(Qt::WA_DeleteOnClose);
    for (QAction *action : actions)
        if (!plainText(*action).isEmpty() && !action->isSeparator())
            m_actions.append(action);
    m_field->setPlaceholderText(tr("Type a command"));
    m_field->setAccessibleName(tr("Command"));
    m_field->installEventFilter(this);
    m_list->setItemDelegate(new CommandDelegate(theme, m_list));
    m_list->setFocusPolicy(Qt::NoFocus);
    m_list->setFrameShape(QFrame::NoFrame);
    m_list->setAccessibleName(tr("Commands"));
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(10, 10, 10, 10);
    column->addWidget(m_field);
    column->addWidget(m_list, 1);
    connect(m_field, &QLineEdit::textChanged, this, &CommandPalette::filter);
    connect(m_field, &QLineEdit::returnPressed, this, &CommandPalette::run);
    connect(m_list, &QListWidget::itemClicked, this, &CommandPalette::run);
    resize(560, 420);
    if (parent) {
        const QRect around(parent->mapToGlobal(QPoint(0, 0)), parent->size());
        move(around.center().x() - width() / 2, around.top() + qMin(90, around.height() / 8));
    }
    filter({});
    m_field->setFocus();
}

QString CommandPalette::plainText(const QAction &action)
{
    QString text = action.text();
    text.replace(u"&&"_s, u"\x1"_s).remove(u'&').replace(u'\x1', u'&');
    while (text.endsWith(u'…') || text.endsWith(u'.'))
        text.chop(1);
    return text;
}

void CommandPalette::filter(const QString &pattern)
{
    struct Hit {
        int score;
        QAction *action;
    };
    QList<Hit> hits;
    for (const QPointer<QAction> &action : std::as_const(m_actions)) {
        const int score = action && action->isEnabled() ? fuzzyScore(pattern, plainText(*action)) : -1;
        if (score >= 0 || (pattern.trimmed().isEmpty() && action && action->isEnabled()))
            hits.append({score, action});
    }
    std::ranges::stable_sort(hits, [](const Hit &a, const Hit &b) { return a.score > b.score; });
    m_list->clear();
    for (const Hit &hit : std::as_const(hits)) {
        auto *item = new QListWidgetItem(plainText(*hit.action));
        if (hit.action->isCheckable() && hit.action->isChecked())
            item->setText(item->text() + u"  ✓"_s);
        item->setData(actionRole, QVariant::fromValue(hit.action));
        item->setData(keysRole,
            QKeySequence::listToString(hit.action->shortcuts(), QKeySequence::NativeText).replace(u"; "_s, u"   "_s));
        m_list->addItem(item);
    }
    m_list->setCurrentRow(0);
}

QStringList CommandPalette::shown() const
{
    QStringList texts;
    for (int i = 0; i < m_list->count(); ++i)
        texts << m_list->item(i)->text();
    return texts;
}

void CommandPalette::run()
{
    QPointer<QAction> action;
    if (const QListWidgetItem *item = m_list->currentItem())
        action = item->data(actionRole).value<QAction *>();
    close();
    // After the palette is gone, so that what the action opens gets the focus.
    if (action)
        QTimer::singleShot(0, action, [action] { action->trigger(); });
}

bool CommandPalette::eventFilter(QObject *watched, QEvent *event)
{
    if (watched == m_field && event->type() == QEvent::KeyPress) {
        const auto *key = static_cast<QKeyEvent *>(event);
        const int rows = m_list->count();
        int row = m_list->currentRow();
        switch (key->key()) {
        case Qt::Key_Down:
            ++row;
            break;
        case Qt::Key_Up:
            --row;
            break;
        case Qt::Key_PageDown:
            row += 8;
            break;
        case Qt::Key_PageUp:
            row -= 8;
            break;
        default:
            return QDialog::eventFilter(watched, event);
        }
        if (rows > 0)
            m_list->setCurrentRow(std::clamp(row, 0, rows - 1));
        return true;
    }
    return QDialog::eventFilter(watched, event);
}

} // namespace palimpsest
