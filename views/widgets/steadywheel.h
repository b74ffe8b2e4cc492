// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QWidget;

namespace palimpsest {

/// Inside a form that scrolls the wheel changes a field only when the field has the focus.
void keepWheelForScrolling(QWidget *field);

} // namespace palimpsest
