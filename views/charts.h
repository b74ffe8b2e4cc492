// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

/// QCustomPlot's header uses keywords that this project switches off; here they are what they stand for.
#define signals Q_SIGNALS
#define slots Q_SLOTS
#define foreach(variable, container) for (variable : container)
#include <qcustomplot.h>
#undef foreach
#undef slots
#undef signals
