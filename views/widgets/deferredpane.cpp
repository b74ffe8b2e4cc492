// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/widgets/deferredpane.h"

#include <QVBoxLayout>

#include <utility>

namespace palimpsest {

DeferredPane::DeferredPane(std::function<QWidget *()> make, QWidget *parent)
    : QWidget(parent)
    , m_make(std::move(make))
{
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
}

QWidget *DeferredPane::pane()
{
    if (const auto make = std::exchange(m_make, {})) {
        m_pane = make();
        layout()->addWidget(m_pane);
        m_pane->show();
        Q_EMIT made(m_pane);
    }
    return m_pane;
}

void DeferredPane::showEvent(QShowEvent *event)
{
    pane();
    QWidget::showEvent(event);
}

} // namespace palimpsest
