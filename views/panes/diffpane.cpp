// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panes/diffpane.h"

#include "models/counted.h"
#include "models/diffhtml.h"
#include "models/display.h"
#include "models/focus.h"
#include "views/theme.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QTextBrowser>
#include <QToolButton>

namespace palimpsest {

using namespace Qt::StringLiterals;

DiffPane::DiffPane(const Theme &theme, Comparer comparer, QWidget *parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_comparer(std::move(comparer))
    , m_a(new QLineEdit)
    , m_b(new QLineEdit)
    , m_head(new QLabel)
    , m_view(new QTextBrowser)
{
    setObjectName(u"diffPane"_s);
    auto *bar = new QHBoxLayout;
    bar->setContentsMargins(10, 5, 8, 3);
    const auto button = [&](const QString &text, const QString &tip, void (DiffPane::*act)()) {
        auto *made = new QToolButton;
        made->setText(text);
        made->setToolTip(tip);
        made->setAccessibleName(tip);
        made->setAutoRaise(true);
        connect(made, &QToolButton::clicked, this, act);
        bar->addWidget(made);
    };
    const auto field = [&](QLineEdit *edit, const QString &name) {
        edit->setPlaceholderText(tr("call:8, event:1, head, head:2 or a checkpoint id"));
        edit->setAccessibleName(name);
        edit->setMaximumWidth(330);
        connect(edit, &QLineEdit::returnPressed, this, &DiffPane::start);
        bar->addWidget(edit, 1);
    };
    button(tr("A:"), tr("Take the place that is looked at as the first side"), &DiffPane::takeA);
    field(m_a, tr("First side"));
    button(u"⇄"_s, tr("Swap the sides"), &DiffPane::swap);
    button(tr("B:"), tr("Take the place that is looked at as the second side"), &DiffPane::takeB);
    field(m_b, tr("Second side"));
    m_head->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_head->setContentsMargins(8, 0, 0, 0);
    bar->addWidget(m_head, 1);
    for (const int direction : {-1, 1}) {
        auto *made = new QToolButton;
        made->setText(direction < 0 ? u"↑"_s : u"↓"_s);
        made->setToolTip(direction < 0 ? tr("Previous difference (Shift+F7)") : tr("Next difference (F7)"));
        made->setAccessibleName(made->toolTip());
        made->setAutoRaise(true);
        connect(made, &QToolButton::clicked, this, [this, direction] { step(direction); });
        bar->addWidget(made);
    }
    m_view->setFrameShape(QFrame::NoFrame);
    m_view->setOpenLinks(false);
    m_view->setAccessibleName(tr("Differences side by side"));
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(bar);
    column->addWidget(m_view, 1);
    connect(m_view, &QTextBrowser::anchorClicked, this, &DiffPane::onLink);
    connect(&theme, &Theme::changed, this, &DiffPane::write);
    write();
}

void DiffPane::follow(Focus *focus)
{
    m_focus = focus;
    connect(focus, &Focus::threadChanged, this, [this] {
        const ThreadPtr now = m_focus->thread();
        if (m_compared && now && now->id == m_compared->a.thread->id) {
            start();
            return;
        }
        m_compared = nullptr;
        m_a->clear();
        m_b->clear();
        write();
    });
}

QString DiffPane::placeWords() const
{
    const ScenePtr scene = m_focus ? m_focus->scene() : nullptr;
    if (!scene || !scene->checkpoint)
        return {};
    return scene->call ? u"call:%1"_s.arg(scene->call->number.value) : toQString(scene->checkpoint->id);
}

void DiffPane::setSides(const QString &a, const QString &b)
{
    m_a->setText(a);
    m_b->setText(b);
    start();
}

std::pair<QString, QString> DiffPane::sides() const
{
    return {m_a->text().trimmed(), m_b->text().trimmed()};
}

void DiffPane::takeA()
{
    m_a->setText(placeWords());
    if (m_b->text().isEmpty())
        m_b->setText(u"head"_s);
    start();
}

void DiffPane::takeB()
{
    m_b->setText(placeWords());
    if (m_a->text().isEmpty()) {
        // What lies before it.
        const ScenePtr scene = m_focus ? m_focus->scene() : nullptr;
        if (scene && scene->call && scene->call->number.value > 1)
            m_a->setText(u"call:%1"_s.arg(scene->call->number.value - 1));
        else if (scene && scene->checkpoint && scene->checkpoint->parentId)
            m_a->setText(toQString(*scene->checkpoint->parentId));
    }
    start();
}

void DiffPane::swap()
{
    setSides(m_b->text(), m_a->text());
}

void DiffPane::start()
{
    const ScenePtr scene = m_focus ? m_focus->scene() : nullptr;
    if (!scene || !scene->space || m_a->text().isEmpty() || m_b->text().isEmpty())
        return;
    m_comparer(scene->thread, scene->space->name, fromQString(m_a->text()), fromQString(m_b->text()), this,
        [this](const Result<ComparedSidesPtr> &result) {
            m_compared = result ? *result : nullptr;
            write();
            if (!result)
                m_head->setText(toQString(result.error().where + ": " + result.error().what));
        });
}

void DiffPane::write()
{
    m_current = -1;
    m_count = 0;
    if (!m_compared) {
        m_head->clear();
        m_view->setHtml(u"<p style='color:%1'>%2</p>"_s.arg(m_theme.color(Ink::TextSecondary).name(),
            tr("Go to a call or a checkpoint and choose “A:”, then to another and choose “B:” (or F8 to compare with "
               "what lies before).")));
        return;
    }
    const DiffInks inks{m_theme.color(Ink::Text).name(), m_theme.color(Ink::TextSecondary).name(),
        m_theme.color(Ink::Line).name(), m_theme.color(Ink::CardAlternate).name(), m_theme.fill(Ink::Removed).name(),
        m_theme.fill(Ink::Added).name()};
    const DiffPage page = diffPage(m_compared->a, m_compared->b, m_compared->diff, inks);
    m_count = page.differences;
    m_head->setText(m_count == 0 ? tr("No difference") : counted(m_count, tr("difference"), tr("differences")));
    m_view->setHtml(page.html);
}

void DiffPane::step(int direction)
{
    if (m_count == 0)
        return;
    m_current = m_current < 0 ? (direction > 0 ? 0 : m_count - 1) : (m_current + direction + m_count) % m_count;
    m_view->scrollToAnchor(u"d%1"_s.arg(m_current));
    m_head->setText(tr("Difference %1 of %2").arg(m_current + 1).arg(m_count));
}

void DiffPane::onLink(const QUrl &link)
{
    if (!m_compared || !m_focus)
        return;
    const QString text = link.toString();
    const DiffSide &side = text.startsWith(u'a') ? m_compared->a : m_compared->b;
    const auto place = static_cast<std::size_t>(text.mid(2).toLongLong());
    if (place >= side.messages.size() || !side.checkpoint.isValid())
        return;
    const MessagePtr &message = side.messages[place];
    Place to = m_focus->selection()->place();
    to.ns = side.ns;
    to.checkpoint = side.thread->find(side.ns)->checkpoints[side.checkpoint.at()].id;
    to.call = side.call;
    to.message =
        isSummary(*message) && !message->id ? std::string(summaryKey) : messageKey(*message, MessageIndex(place));
    m_focus->selection()->setPlace(to);
}

} // namespace palimpsest
