// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/insight/diff/diff.h"

#include <QString>

namespace palimpsest {

/// Colours of a page that shows a difference, as HTML names them.
struct DiffInks {
    QString text;
    QString faint;
    QString line;
    QString head; ///< ground of a row's head
    QString removed; ///< ground of what only the first side has
    QString added; ///< … the second
};

struct DiffPage {
    QString html;
    int differences = 0; ///< anchors "d0", "d1", … lead to them
};

/// A table of two columns, one difference a row, messages that are the same counted in between. Links "a:12" and "b:12"
/// are places in the two lists. Long texts are cut to what surrounds their differences.
DiffPage diffPage(const DiffSide &a, const DiffSide &b, const Diff &diff, const DiffInks &inks);

} // namespace palimpsest
