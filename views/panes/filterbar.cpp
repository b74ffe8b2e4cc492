// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panes/filterbar.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QSignalBlocker>
#include <QToolButton>

namespace palimpsest {

using namespace Qt::StringLiterals;

FilterBar::FilterBar(QWidget *parent)
    : QWidget(parent)
    , m_context(new QComboBox(this))
    , m_tool(new QLineEdit(this))
{
    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(6, 4, 6, 4);
    row->setSpacing(4);
    m_context->addItems({tr("In or out of context"), tr("In context"), tr("Out of context")});
    m_context->setAccessibleName(tr("Context"));
    row->addWidget(m_context);
    const auto tell = [this] { Q_EMIT changed(filter()); };
    for (const auto &[role, title] : {std::pair(u"human"_s, tr("Human")), {u"ai"_s, tr("AI")}, {u"tool"_s, tr("Tool")},
             {u"system"_s, tr("System")}}) {
        auto *button = new QToolButton(this);
        button->setText(title);
        button->setObjectName(role);
        button->setCheckable(true);
        button->setAutoRaise(true);
        connect(button, &QToolButton::toggled, this, tell);
        row->addWidget(button);
        m_roles << button;
    }
    m_tool->setPlaceholderText(tr("Tool"));
    m_tool->setClearButtonEnabled(true);
    m_tool->setMinimumWidth(60);
    row->addWidget(m_tool, 1);
    connect(m_context, &QComboBox::currentIndexChanged, this, tell);
    connect(m_tool, &QLineEdit::textChanged, this, tell);
}

MessageFilter FilterBar::filter() const
{
    MessageFilter filter;
    filter.context = static_cast<MessageFilter::Context>(m_context->currentIndex());
    for (const QToolButton *button : m_roles) {
        if (button->isChecked())
            filter.roles << button->objectName();
    }
    filter.tool = m_tool->text().trimmed();
    return filter;
}

void FilterBar::setFilter(const MessageFilter &filter)
{
    {
        const QSignalBlocker quiet(this);
        m_context->setCurrentIndex(static_cast<int>(filter.context));
        for (QToolButton *button : std::as_const(m_roles))
            button->setChecked(filter.roles.contains(button->objectName()));
        m_tool->setText(filter.tool);
    }
    Q_EMIT changed(this->filter());
}

} // namespace palimpsest
