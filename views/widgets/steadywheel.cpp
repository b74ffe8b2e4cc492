// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/widgets/steadywheel.h"

#include <QEvent>
#include <QWidget>

namespace palimpsest {

namespace {

class WheelFilter : public QObject {
public:
    using QObject::QObject;

    bool eventFilter(QObject *watched, QEvent *event) override
    {
        const auto *field = qobject_cast<QWidget *>(watched);
        if (event->type() == QEvent::Wheel && field && !field->hasFocus()) {
            event->ignore();
            return true;
        }
        return QObject::eventFilter(watched, event);
    }
};

} // namespace

void keepWheelForScrolling(QWidget *field)
{
    field->setFocusPolicy(Qt::StrongFocus);
    field->installEventFilter(new WheelFilter(field));
}

} // namespace palimpsest
