// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLocale>
#include <QString>

namespace palimpsest {

/// "1 message", "1,204 messages": a number with the word that fits it.
inline QString counted(qint64 number, const QString &one, const QString &many)
{
    return QLocale().toString(number) + QChar(QChar::Nbsp) + (number == 1 ? one : many);
}

} // namespace palimpsest
