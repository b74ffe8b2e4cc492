// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/widgets/section.h"

#include "views/theme.h"

#include <QToolButton>
#include <QVBoxLayout>

namespace palimpsest {

Section::Section(const Theme &theme, const QString &title, bool open, QWidget *parent)
    : QWidget(parent)
    , m_head(new QToolButton(this))
    , m_body(new QWidget(this))
    , m_rows(new QVBoxLayout(m_body))
{
    m_head->setText(title);
    m_head->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_head->setCheckable(true);
    m_head->setAutoRaise(true);
    m_head->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    m_rows->setContentsMargins(10, 0, 4, 4);
    m_rows->setSpacing(1);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_head);
    column->addWidget(m_body);
    const auto restyle = [this, &theme] {
        m_head->setFont(theme.titleFont());
        m_head->setStyleSheet(QStringLiteral(
            "QToolButton, QToolButton:checked { background: %1; color: %2; border: none; border-top: 1px "
            "solid %3; border-radius: 0; text-align: left; padding: 4px 6px; }"
            "QToolButton:hover { background: %4; } QToolButton:focus { border: 1px solid %5; }")
                .arg(theme.color(Ink::Header).name(), theme.color(Ink::Text).name(), theme.color(Ink::Line).name(),
                    theme.color(Ink::Hover).name(), theme.color(Ink::Accent).name()));
    };
    connect(&theme, &Theme::changed, this, restyle);
    restyle();
    connect(m_head, &QToolButton::toggled, this, &Section::setOpen);
    setOpen(open);
}

void Section::add(QWidget *row)
{
    m_rows->addWidget(row);
}

void Section::setOpen(bool open)
{
    m_head->setChecked(open);
    m_head->setArrowType(open ? Qt::DownArrow : Qt::RightArrow);
    m_body->setVisible(open);
}

bool Section::isOpen() const
{
    return m_head->isChecked();
}

} // namespace palimpsest
