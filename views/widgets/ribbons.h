// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/fate.h"
#include "views/theme.h"

#include <functional>
#include <optional>
#include <vector>

namespace palimpsest {

/// From top to bottom, pixels.
struct Span {
    qreal top = 0;
    qreal bottom = 0;
    bool operator==(const Span &) const = default;
};

/// A band from one pane to the next.
struct Ribbon {
    enum class Kind { Kept, Summarized, Archived, Offloaded };
    Kind kind = Kind::Kept;
    Span left;
    Span right;
    int event = 0; ///< of a summarized or archived one
    bool chosen = false; ///< belongs to the chosen message

    bool operator==(const Ribbon &) const = default;
};

/// What the two message lists show: spans of rows by their places, in one coordinate system; nothing for a row that is
/// not shown.
struct RibbonEnds {
    std::function<std::optional<Span>(MessageIndex)> raw;
    std::function<std::optional<Span>(EffectiveIndex)> effective;
    Span window; ///< visible height: bands are cut a little beyond it
};

/// Bands between raw log and effective messages: a kept message runs straight across, a block of summarized ones
/// narrows into the summary. Only what touches the window is made.
std::vector<Ribbon> contextRibbons(const FateMap &fates, MessageIndex firstVisible, MessageIndex lastVisible,
    MessageIndex chosen, const RibbonEnds &ends);

/// Bands from the effective messages to the archive: from the summary to the section of each event, from a stub to its
/// file. `section` gives the span of an event's section, `file` that of a path.
std::vector<Ribbon> archiveRibbons(const FateMap &fates, EffectiveIndex firstVisible, EffectiveIndex lastVisible,
    MessageIndex chosen, const RibbonEnds &ends, const std::function<std::optional<Span>(int event)> &section,
    const std::function<std::optional<Span>(const std::string &path)> &file);

/// The colour a ribbon has by its meaning.
Ink inkOf(Ribbon::Kind kind);

} // namespace palimpsest
