// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/widgets/triggereditor.h"

#include "views/theme.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace palimpsest {

using namespace Qt::StringLiterals;

using Kind = ContextSize::Kind;

namespace {

/// A first size of a kind: something that a thread of this reach meets.
ContextSize freshSize(Kind kind, const SliderReach &reach)
{
    switch (kind) {
    case Kind::Messages:
        return {kind, std::max(1.0, std::round(reach.messages / 2))};
    case Kind::Tokens:
        return {kind, std::max(1.0, std::round(reach.tokens / 2))};
    case Kind::Fraction:
        break;
    }
    return {Kind::Fraction, 0.85};
}

bool sameShape(const Trigger &a, const Trigger &b)
{
    return std::ranges::equal(a, b, [](const auto &x, const auto &y) { return x.size() == y.size(); });
}

} // namespace

TriggerEditor::TriggerEditor(const Theme &theme, QWidget *parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_column(new QVBoxLayout(this))
{
    m_column->setContentsMargins(0, 0, 0, 0);
    build({});
}

QToolButton *TriggerEditor::button(const QString &text, const QString &tip, std::function<void()> act)
{
    auto *made = new QToolButton;
    made->setText(text);
    made->setToolTip(tip);
    made->setAccessibleName(tip);
    made->setAutoRaise(true);
    connect(made, &QToolButton::clicked, this, std::move(act), Qt::QueuedConnection); // it may go with its row
    return made;
}

void TriggerEditor::build(const Trigger &trigger)
{
    delete m_body;
    m_editors.clear();
    m_body = new QWidget;
    auto *column = new QVBoxLayout(m_body);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(2);
    for (std::size_t c = 0; c < trigger.size(); ++c) {
        m_editors.emplace_back();
        for (std::size_t s = 0; s < trigger[c].size(); ++s) {
            auto *row = new QHBoxLayout;
            row->setSpacing(3);
            auto *word = new QLabel(s > 0 ? tr("and") : c > 0 ? tr("or") : tr("from"));
            word->setFont(m_theme.smallFont());
            word->setMinimumWidth(28);
            word->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
            row->addWidget(word);
            auto *editor = new ContextSizeEditor;
            editor->setReach(m_reach);
            editor->setSize(trigger[c][s]);
            connect(editor, &ContextSizeEditor::edited, this, [this, c](bool goesOn) {
                spreadKinds(c);
                Q_EMIT edited(goesOn);
            });
            row->addWidget(editor, 1);
            m_editors[c].push_back(editor);
            row->addWidget(button(u"✕"_s, tr("Remove this size"), [this, c, s] {
                Trigger changed = this->trigger();
                if (c >= changed.size() || s >= changed[c].size())
                    return;
                changed[c].erase(changed[c].begin() + static_cast<std::ptrdiff_t>(s));
                if (changed[c].empty())
                    changed.erase(changed.begin() + static_cast<std::ptrdiff_t>(c));
                change(changed);
            }));
            column->addLayout(row);
        }
        spreadKinds(c);
        if (c + 1 < trigger.size())
            column->addLayout(foot(trigger, c));
    }
    column->addLayout(foot(trigger, trigger.empty() ? 0 : trigger.size() - 1));
    m_column->addWidget(m_body);
}

QHBoxLayout *TriggerEditor::foot(const Trigger &trigger, std::size_t clause)
{
    auto *row = new QHBoxLayout;
    row->setSpacing(3);
    if (clause >= trigger.size()) {
        auto *never = new QLabel(tr("never"));
        never->setFont(m_theme.smallFont());
        row->addWidget(never);
    } else if (trigger[clause].size() < 3) {
        row->addSpacing(28);
        row->addWidget(button(tr("+ and"), tr("Also require another size in this clause"), [this, clause] {
            Trigger changed = this->trigger();
            for (const Kind kind : {Kind::Messages, Kind::Tokens, Kind::Fraction})
                if (std::ranges::find(changed[clause], kind, &ContextSize::kind) == changed[clause].end()) {
                    changed[clause].push_back(freshSize(kind, m_reach));
                    break;
                }
            change(changed);
        }));
    }
    if (clause + 1 >= trigger.size())
        row->addWidget(button(trigger.empty() ? tr("+ size") : tr("+ or"),
            trigger.empty() ? tr("Summarize from a size on") : tr("Another clause that suffices by itself"), [this] {
                Trigger changed = this->trigger();
                const bool messages = changed.empty() || changed.back().front().kind != Kind::Messages;
                changed.push_back({freshSize(messages ? Kind::Messages : Kind::Tokens, m_reach)});
                change(changed);
            }));
    row->addStretch(1);
    return row;
}

void TriggerEditor::spreadKinds(std::size_t clause)
{
    const TriggerClause sizes = trigger()[clause];
    for (std::size_t s = 0; s < sizes.size(); ++s) {
        std::set<Kind> taken;
        for (std::size_t other = 0; other < sizes.size(); ++other)
            if (other != s)
                taken.insert(sizes[other].kind);
        m_editors[clause][s]->setTaken(taken);
    }
}

void TriggerEditor::change(const Trigger &trigger)
{
    build(trigger);
    Q_EMIT edited(false);
}

void TriggerEditor::setTrigger(const Trigger &trigger)
{
    const Trigger shown = this->trigger();
    if (shown == trigger)
        return;
    if (!sameShape(shown, trigger)) {
        build(trigger);
        return;
    }
    for (std::size_t c = 0; c < trigger.size(); ++c)
        for (std::size_t s = 0; s < trigger[c].size(); ++s)
            m_editors[c][s]->setSize(trigger[c][s]);
}

Trigger TriggerEditor::trigger() const
{
    Trigger trigger;
    for (const auto &clause : m_editors) {
        trigger.emplace_back();
        for (const ContextSizeEditor *editor : clause)
            trigger.back().push_back(editor->size().value_or(ContextSize()));
    }
    return trigger;
}

void TriggerEditor::setReach(const SliderReach &reach)
{
    m_reach = reach;
    for (const auto &clause : m_editors)
        for (ContextSizeEditor *editor : clause)
            editor->setReach(reach);
}

ContextSizeEditor *TriggerEditor::editor(std::size_t clause, std::size_t size) const
{
    return clause < m_editors.size() && size < m_editors[clause].size() ? m_editors[clause][size] : nullptr;
}

} // namespace palimpsest
