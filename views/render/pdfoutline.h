// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"

#include <QByteArray>
#include <QList>
#include <QString>

namespace palimpsest {

/// An entry of a PDF's outline.
struct PdfBookmark {
    QString title;
    int page = 0; ///< from 0
    double top = 0; ///< points from the page's top
    int level = 0; ///< 0 or below an entry of the level before
};

/// The document with an outline (ISO 32000-1, 12.3.3), which Qt's writer has none of. Error Io with the library's
/// words.
Result<QByteArray> withOutline(const QByteArray &pdf, const QList<PdfBookmark> &bookmarks);

} // namespace palimpsest
