// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/scene.h"

#include <QString>
#include <optional>

namespace palimpsest {

/// What a checkpoint does not hold: system prompt, tools and custom middleware. Its size can only be told from a call
/// whose answer reports its input.
struct Unseen {
    std::optional<std::int64_t> tokens; ///< reported input less the counted messages; null when no call tells
    CallNumber from; ///< the call that tells it
    std::int64_t reported = 0; ///< input tokens that its answer reports
    std::int64_t counted = 0; ///< approximate count of its messages
    bool counting = false; ///< the messages are being counted: the scene has no facts yet

    bool operator==(const Unseen &) const = default;
};

/// From the call of the scene, else from the nearest call that started at or before its checkpoint, else from the first
/// one.
Unseen unseenAt(const Scene &scene);
/// One sentence for people, with where the size comes from.
QString describeUnseen(const Unseen &unseen);

} // namespace palimpsest
