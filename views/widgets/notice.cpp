// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/widgets/notice.h"

#include "views/theme.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>

namespace palimpsest {

using namespace Qt::StringLiterals;

Notice::Notice(Theme *theme, QWidget *parent)
    : QFrame(parent)
    , m_theme(theme)
    , m_what(new QLabel(this))
    , m_where(new QLabel(this))
{
    setObjectName(u"notice"_s);
    for (QLabel *label : {m_what, m_where}) {
        label->setTextFormat(Qt::PlainText);
        label->setWordWrap(true);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    }
    auto *close = new QToolButton(this);
    close->setText(u"✕"_s);
    close->setAutoRaise(true);
    close->setToolTip(tr("Close this message"));
    close->setAccessibleName(tr("Close this message"));
    connect(close, &QToolButton::clicked, this, &QWidget::hide);
    auto *texts = new QVBoxLayout;
    texts->setSpacing(2);
    texts->addWidget(m_what);
    texts->addWidget(m_where);
    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(14, 8, 8, 8);
    row->addLayout(texts, 1);
    row->addWidget(close, 0, Qt::AlignTop);
    connect(theme, &Theme::changed, this, &Notice::restyle);
    restyle();
    hide();
}

void Notice::showError(const Error &error)
{
    showText(Finding::Severity::Error, QString::fromStdString(error.what), QString::fromStdString(error.where));
}

void Notice::showText(Finding::Severity severity, const QString &what, const QString &where)
{
    m_severity = severity;
    m_what->setText(what);
    m_where->setText(where);
    m_where->setVisible(!where.isEmpty());
    restyle();
    show();
}

QString Notice::text() const
{
    return m_where->text().isEmpty() ? m_what->text() : m_what->text() + u'\n' + m_where->text();
}

void Notice::restyle()
{
    const Ink ink = inkOf(m_severity);
    setStyleSheet(
        u"#notice { background: %1; border: none; border-left: 4px solid %2; } #notice QLabel { color: %3; background: transparent; }"_s
            .arg(m_theme->fill(ink).name(), m_theme->color(ink).name(), m_theme->color(Ink::Text).name()));
}

} // namespace palimpsest
