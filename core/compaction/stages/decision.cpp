// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compaction/stages/decision.h"

#include <QUuid>

namespace palimpsest {

FreshNames randomNames()
{
    return {[] { return QUuid::createUuid().toString(QUuid::WithoutBraces).toStdString(); }};
}

} // namespace palimpsest
