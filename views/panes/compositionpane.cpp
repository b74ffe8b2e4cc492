// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panes/compositionpane.h"

#include "models/display.h"
#include "models/focus.h"
#include "models/weightmodel.h"
#include "views/theme.h"
#include "views/widgets/partbar.h"
#include "views/widgets/weighttable.h"

#include <QLabel>
#include <QLocale>
#include <QVBoxLayout>

namespace palimpsest {

using namespace Qt::StringLiterals;

namespace {

Ink inkOfRole(const std::string &role)
{
    if (role == "summary")
        return Ink::Summary;
    if (role == "tools" || role == "system" || role == "tools and system")
        return Ink::System;
    return inkOf(kindOf(role));
}

QString number(double tokens)
{
    return QLocale().toString(tokens, 'f', 0);
}

} // namespace

CompositionPane::CompositionPane(const Theme &theme, QWidget *parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_model(new WeightModel(tr("Tokens"), this))
    , m_head(new QLabel)
    , m_bar(new PartBar(theme))
    , m_table(new WeightTable(theme, m_model))
{
    setObjectName(u"compositionPane"_s);
    m_head->setContentsMargins(10, 5, 10, 0);
    m_head->setWordWrap(true);
    m_table->setAccessibleName(tr("What the request is made of"));
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_head);
    column->addWidget(m_bar);
    column->addWidget(m_table, 1);
    connect(m_table, &WeightTable::keyChosen, this,
        [this](const std::string &key) { m_focus->selection()->setMessage(key); });
    connect(m_bar, &PartBar::partChosen, this, [this](int part) {
        const CompositionItem &item = m_composition.roles[static_cast<std::size_t>(part)];
        if (item.place >= 0)
            m_focus->selection()->setMessage(item.messageId.value_or(std::string(summaryKey)));
    });
}

void CompositionPane::follow(Focus *focus)
{
    m_focus = focus;
    const auto changed = [this] {
        m_stale = true;
        if (isVisible())
            count();
    };
    connect(focus, &Focus::sceneChanged, this, changed);
    connect(focus, &Focus::threadChanged, this, changed);
}

void CompositionPane::showEvent(QShowEvent *event)
{
    QWidget::showEvent(event);
    if (m_stale)
        count();
}

void CompositionPane::count()
{
    m_stale = false;
    const ScenePtr scene = m_focus ? m_focus->scene() : nullptr;
    std::optional<std::int64_t> reported;
    if (scene && scene->call && scene->call->usage["input_tokens"].isInt())
        reported = scene->call->usage["input_tokens"].asInt();
    m_composition = scene ? palimpsest::composition(scene->effective, nullptr, reported) : Composition();
    fill();
}

void CompositionPane::fill()
{
    const ScenePtr scene = m_focus ? m_focus->scene() : nullptr;
    if (!scene || !scene->checkpoint) {
        m_head->setText(tr("What a request is made of is shown here"));
        m_model->setRows({}, 0);
        m_bar->setParts({});
        return;
    }
    QString text = scene->call
        ? tr("Request of call %1: about %2 tokens").arg(scene->call->number.value).arg(number(m_composition.total))
        : tr("Effective messages: about %1 tokens").arg(number(m_composition.total));
    text += m_composition.reported
        ? tr("; the provider reported %1").arg(number(static_cast<double>(*m_composition.reported)))
        : tr(", without tools and system message");
    m_head->setText(text);
    std::vector<PartBar::Part> parts;
    for (const CompositionItem &item : m_composition.roles)
        parts.push_back({toQString(item.name), item.tokens, inkOfRole(item.name)});
    m_bar->setParts(std::move(parts));
    std::vector<WeightModel::Row> rows;
    const auto add = [&](const QString &title, const std::vector<CompositionItem> &items, bool messages) {
        if (items.empty())
            return;
        rows.push_back({title, 0, {}, {}, true, {}});
        for (const CompositionItem &item : items) {
            QString note = item.messages > 1 ? tr("%1 messages").arg(item.messages) : QString();
            if (messages && item.place >= 0)
                note =
                    toQString(textOf(*scene->effective[static_cast<std::size_t>(item.place)])).left(160).simplified();
            const std::string key = item.place < 0 ? std::string() : item.messageId.value_or(std::string(summaryKey));
            rows.push_back({toQString(item.name), item.tokens, number(item.tokens), note, false, key});
        }
    };
    add(tr("Largest messages"), m_composition.largest, true);
    add(tr("By role"), m_composition.roles, false);
    add(tr("By tool"), m_composition.tools, false);
    add(tr("By kind of block"), m_composition.blocks, false);
    m_model->setRows(std::move(rows), m_composition.total);
}

} // namespace palimpsest
