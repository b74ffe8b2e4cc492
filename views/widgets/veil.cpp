// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/widgets/veil.h"

#include "views/theme.h"

#include <QEvent>
#include <QPainter>

#include <chrono>

namespace palimpsest {

using namespace std::chrono_literals;

namespace {

constexpr auto patience = 120ms;
constexpr float opacity = 0.6F;

} // namespace

Veil::Veil(const Theme &theme, QWidget *over)
    : QWidget(over)
    , m_theme(theme)
{
    hide();
    setFocusPolicy(Qt::NoFocus);
    over->installEventFilter(this);
    m_later.setSingleShot(true);
    m_later.setInterval(patience);
    connect(&m_later, &QTimer::timeout, this, [this] {
        setGeometry(parentWidget()->rect());
        raise();
        show();
    });
}

void Veil::setStale(bool stale)
{
    if (!stale) {
        m_later.stop();
        hide();
    } else if (!isVisible() && !m_later.isActive()) {
        m_later.start();
    }
}

bool Veil::eventFilter(QObject *watched, QEvent *event)
{
    if (event->type() == QEvent::Resize && !isHidden())
        setGeometry(parentWidget()->rect());
    return QWidget::eventFilter(watched, event);
}

void Veil::paintEvent(QPaintEvent *)
{
    QColor ground = m_theme.color(Ink::Window);
    ground.setAlphaF(opacity);
    QPainter(this).fillRect(rect(), ground);
}

} // namespace palimpsest
