// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/sources/checkpointsource.h"

#include <memory>
#include <string>
#include <vector>

namespace palimpsest {

/// What deepagents-code keeps in a home folder (deepagents_code/sessions.py and agent.py, 0.1.57): `~/.deepagents` with
/// the sessions' database in `.state/sessions.db` (older: `sessions.db`) and the archives in `conversation_history`,
/// which the agent knows below `<artifacts root>/conversation_history/`; large results lie in
/// `<temporary folder>/dcode-artifacts-<user>`.
struct DeepAgentsHome {
    std::string root;
    std::string database;
    std::vector<SourceFolder> folders; ///< those that are there
};

/// The home that a path means: `.deepagents` itself, the folder that holds it, or its database. Nothing when there is
/// none.
std::optional<DeepAgentsHome> findDeepAgentsHome(const std::string &path);

/// The user's own, where it is to be offered; nothing when there is none.
std::optional<std::string> usersDeepAgentsHome();

/// Opens the sessions' database with its folders. Errors as SqliteSource::open.
Result<std::unique_ptr<CheckpointSource>> openDeepAgentsHome(const DeepAgentsHome &home);

} // namespace palimpsest
