// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/sha256.h"

#include <QCryptographicHash>

namespace palimpsest {

std::string sha256Hex(std::string_view bytes)
{
    return QCryptographicHash::hash(
        QByteArrayView(bytes.data(), static_cast<qsizetype>(bytes.size())), QCryptographicHash::Sha256)
        .toHex()
        .toStdString();
}

} // namespace palimpsest
