// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/widgets/explainbar.h"

#include "models/display.h"
#include "views/theme.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QToolButton>

namespace palimpsest {

using namespace Qt::StringLiterals;

ExplainBar::ExplainBar(const Theme &theme, QWidget *parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_field(new QLineEdit)
    , m_recorded(new QToolButton)
    , m_answer(new QLabel)
{
    m_field->setObjectName(u"explainError"_s);
    m_field->setPlaceholderText(tr("Paste a provider's error: what in this thread does it speak of?"));
    m_field->setAccessibleName(tr("A provider's error"));
    m_field->setClearButtonEnabled(true);
    m_recorded->setObjectName(u"recordedError"_s);
    m_recorded->setText(tr("Recorded error"));
    m_recorded->setToolTip(tr("Explain the newest error that the recording holds"));
    m_recorded->setAutoRaise(true);
    m_recorded->hide();
    m_answer->setObjectName(u"explanation"_s);
    m_answer->setWordWrap(true);
    m_answer->setTextFormat(Qt::RichText);
    m_answer->setTextInteractionFlags(Qt::TextBrowserInteraction);
    m_answer->hide();
    auto *row = new QHBoxLayout;
    row->setSpacing(6);
    row->addWidget(m_field, 1);
    row->addWidget(m_recorded);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(10, 3, 8, 4);
    column->setSpacing(3);
    column->addLayout(row);
    column->addWidget(m_answer);
    connect(m_field, &QLineEdit::returnPressed, this, [this] {
        // What was pasted in lines is one.
        QString text = m_field->text();
        Q_EMIT asked(text.replace(QChar::LineSeparator, u' ').replace(QChar::ParagraphSeparator, u' ').trimmed());
    });
    connect(m_field, &QLineEdit::textChanged, this, [this](const QString &text) {
        if (text.isEmpty())
            Q_EMIT asked({});
    });
    connect(m_recorded, &QToolButton::clicked, this, [this] {
        m_field->setText(m_recordedError);
        Q_EMIT asked(m_recordedError);
    });
    connect(m_answer, &QLabel::linkActivated, this, [this] {
        if (m_explanation)
            Q_EMIT placeWanted(*m_explanation);
    });
    connect(&theme, &Theme::changed, this, &ExplainBar::restyle);
    restyle();
}

void ExplainBar::setRecordedError(const QString &text)
{
    m_recordedError = text;
    m_recorded->setVisible(!text.isEmpty());
}

void ExplainBar::setExplanation(const std::optional<Explanation> &explanation)
{
    m_explanation = explanation;
    m_answer->setVisible(explanation.has_value());
    if (!explanation)
        return;
    const auto safe = [](const std::string &text) { return toQString(text).toHtmlEscaped(); };
    QStringList parts{u"<b>%1</b>"_s.arg(safe(explanation->cause))};
    if (!explanation->rule.empty())
        parts << tr("Rule: %1.").arg(safe(explanation->rule));
    if (explanation->call || explanation->messageId)
        parts << u"<a href=\"place\">%1</a>"_s.arg(explanation->requestIndex && explanation->call
                ? tr("Message %1 of the request of call %2").arg(*explanation->requestIndex).arg(*explanation->call)
                : explanation->call ? tr("Call %1").arg(*explanation->call)
                                    : tr("The message"));
    if (!explanation->madeBy.empty())
        parts << tr("Made by %1.").arg(safe(explanation->madeBy));
    if (!explanation->fix.empty())
        parts << tr("Fix: %1").arg(safe(explanation->fix));
    m_answer->setText(parts.join(u' '));
}

QString ExplainBar::answer() const
{
    return m_answer->text();
}

void ExplainBar::restyle()
{
    m_answer->setFont(m_theme.smallFont());
    QPalette palette = m_answer->palette();
    palette.setColor(QPalette::Link, m_theme.text(Ink::Accent));
    m_answer->setPalette(palette);
}

} // namespace palimpsest
