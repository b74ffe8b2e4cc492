// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace palimpsest {

/// How well the letters of `pattern` are found in `text` in their order: higher is better, negative when they are not.
/// Beginnings of words and neighbouring letters count more. An empty pattern fits everything with 0.
int fuzzyScore(QStringView pattern, QStringView text);

} // namespace palimpsest
