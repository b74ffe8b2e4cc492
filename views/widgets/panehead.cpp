// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/widgets/panehead.h"

#include "views/theme.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>

namespace palimpsest {

PaneHead::PaneHead(const Theme &theme, const QString &placeholder, QWidget *parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_row(new QHBoxLayout(this))
    , m_text(new QLabel)
    , m_filter(new QLineEdit)
{
    m_text->setTextFormat(Qt::PlainText);
    m_text->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_filter->setPlaceholderText(placeholder);
    m_filter->setClearButtonEnabled(true);
    m_filter->setMaximumWidth(220);
    m_row->setContentsMargins(10, 5, 8, 5);
    m_row->addWidget(m_text, 1);
    m_row->addWidget(m_filter);
    connect(&m_theme, &Theme::changed, this, &PaneHead::restyle);
    restyle();
}

void PaneHead::setText(const QString &text)
{
    m_text->setText(text);
}

QString PaneHead::text() const
{
    return m_text->text();
}

void PaneHead::addWidget(QWidget *widget)
{
    m_row->insertWidget(m_row->count() - 1, widget);
}

void PaneHead::restyle()
{
    QPalette palette = m_text->palette();
    palette.setColor(QPalette::WindowText, m_theme.color(Ink::TextSecondary));
    m_text->setPalette(palette);
}

} // namespace palimpsest
