// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/widgets/emptystate.h"

#include "views/theme.h"

#include <QLabel>

namespace palimpsest {

EmptyState::EmptyState(const Theme &theme, QWidget *content, QWidget *parent)
    : QStackedWidget(parent)
    , m_theme(theme)
    , m_words(new QLabel)
{
    m_words->setObjectName(QStringLiteral("emptyState"));
    m_words->setAlignment(Qt::AlignCenter);
    m_words->setWordWrap(true);
    m_words->setTextFormat(Qt::PlainText);
    m_words->setMargin(8);
    m_words->setTextInteractionFlags(Qt::NoTextInteraction);
    addWidget(content);
    addWidget(m_words);
    connect(&theme, &Theme::changed, this, &EmptyState::restyle);
    restyle();
}

void EmptyState::setWords(const QString &words)
{
    m_words->setText(words);
    setCurrentIndex(words.isEmpty() ? 0 : 1);
}

QString EmptyState::words() const
{
    return m_words->text();
}

void EmptyState::restyle()
{
    QPalette palette = m_words->palette();
    palette.setColor(QPalette::WindowText, m_theme.color(Ink::TextSecondary));
    m_words->setPalette(palette);
    m_words->setFont(m_theme.uiFont());
}

} // namespace palimpsest
