// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panes/searchbar.h"

#include "models/focus.h"
#include "views/theme.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QToolButton>

namespace palimpsest {

using namespace Qt::StringLiterals;

SearchBar::SearchBar(QLineEdit *field, Focus *focus, Theme *theme, Start start, GoTo goTo, QWidget *parent)
    : QWidget(parent)
    , m_field(field)
    , m_focus(focus)
    , m_theme(theme)
    , m_start(std::move(start))
    , m_goTo(std::move(goTo))
    , m_counts(new QLabel(this))
    , m_previous(new QToolButton(this))
    , m_next(new QToolButton(this))
{
    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(4, 0, 4, 0);
    row->setSpacing(3);
    row->addWidget(field, 1);
    for (auto &[button, text, tip, direction] : std::initializer_list<std::tuple<QToolButton *, QString, QString, int>>{
             {m_previous, u"‹"_s, tr("Previous hit (Shift+F3)"), -1}, {m_next, u"›"_s, tr("Next hit (F3)"), 1}}) {
        button->setText(text);
        button->setToolTip(tip);
        button->setAccessibleName(tip);
        button->setAutoRaise(true);
        button->hide();
        connect(button, &QToolButton::clicked, this, [this, step = direction] { this->step(step); });
        row->addWidget(button);
    }
    m_counts->setObjectName(u"searchCounts"_s);
    row->addWidget(m_counts);
    field->installEventFilter(this);
    connect(field, &QLineEdit::textChanged, this, [this](const QString &text) {
        if (text.trimmed().isEmpty())
            setAnswer({});
        else
            m_start(text.trimmed());
    });
    // Another place has other hits.
    connect(focus, &Focus::sceneChanged, this, [this] {
        if (!m_answer.needle.isEmpty())
            m_start(m_answer.needle);
    });
    connect(theme, &Theme::changed, this, &SearchBar::showCounts);
}

void SearchBar::setAnswer(const SearchAnswer &answer)
{
    const bool same = answer.needle == m_answer.needle;
    m_answer = answer;
    m_current = same ? std::min(m_current, static_cast<int>(answer.hits.size()) - 1) : -1;
    showCounts();
    Q_EMIT answered();
}

void SearchBar::showCounts()
{
    const bool any = !m_answer.needle.isEmpty();
    m_previous->setVisible(any);
    m_next->setVisible(any);
    m_counts->setFont(m_theme->smallFont());
    if (!any) {
        m_counts->clear();
        return;
    }
    QString text = tr("raw log %1 · effective %2 · archive %3")
                       .arg(m_answer.count(SearchHit::Pane::RawLog))
                       .arg(m_answer.count(SearchHit::Pane::Effective))
                       .arg(m_answer.count(SearchHit::Pane::Archive));
    if (m_current >= 0)
        text.prepend(tr("%1 of %2  —  ").arg(m_current + 1).arg(m_answer.hits.size()));
    m_counts->setText(text);
}

void SearchBar::step(int direction)
{
    const auto count = static_cast<int>(m_answer.hits.size());
    if (count == 0)
        return;
    show(m_current < 0 ? (direction > 0 ? 0 : count - 1) : (m_current + direction + count) % count);
}

void SearchBar::show(int hit)
{
    m_current = hit;
    const SearchHit &one = m_answer.hits[static_cast<std::size_t>(hit)];
    if (one.pane == SearchHit::Pane::Archive)
        m_focus->selection()->setArtifact(one.path, one.section);
    else
        m_focus->selection()->setMessage(one.message);
    showCounts();
    Q_EMIT answered();
}

bool SearchBar::eventFilter(QObject *watched, QEvent *event)
{
    if (watched == m_field && event->type() == QEvent::KeyPress) {
        const auto *key = static_cast<QKeyEvent *>(event);
        if (key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter) {
            const bool back = key->modifiers().testFlag(Qt::ShiftModifier);
            // A text that is an id of something is meant as one.
            if (m_current >= 0 || back || !m_goTo(m_field->text().trimmed()))
                step(back ? -1 : 1);
            return true;
        }
        if (key->key() == Qt::Key_Escape) {
            m_field->clear();
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

} // namespace palimpsest
