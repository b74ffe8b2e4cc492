// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/sources/checkpointsource.h"
#include "models/scene.h"

#include <QString>
#include <optional>

namespace palimpsest {

/// The place one message further (1) or back (-1); the same when there is none. Without a chosen message: the first
/// after the cut, or the last.
Place stepMessage(const Scene &scene, const Place &place, int direction);
/// The place where the next or previous event came into force.
Place stepEvent(const Scene &scene, const Place &place, int direction);
/// The next or previous checkpoint of the branch.
Place stepCheckpoint(const Scene &scene, const Place &place, int direction);
/// The next or previous model call.
Place stepCall(const Scene &scene, const Place &place, int direction);

/// Where an id leads: a message, a tool call, a checkpoint, a task, a namespace or thread, a run id or user id in some
/// metadata, a path. At least six characters of it are needed unless it is a whole id; nothing when no id fits.
struct IdMatch {
    Place place;
    QString what; ///< "checkpoint", "tool call", …
};
std::optional<IdMatch> findId(
    const Scene &scene, const std::vector<ThreadRow> &threads, const Place &place, const std::string &id);

/// A place that was asked for from outside, as the thread has it.
struct SettledPlace {
    Place place; ///< a message that is elsewhere in the thread is gone to
    QString missing; ///< a sentence that names what is not in the thread; empty when all of it is
};
SettledPlace settlePlace(const Scene &scene, const Place &place);

} // namespace palimpsest
