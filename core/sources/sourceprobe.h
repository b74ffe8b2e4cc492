// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/sources/checkpointsource.h"

#include <functional>
#include <memory>
#include <string>

namespace palimpsest {

/// What the user adds to a location.
struct SourceOptions {
    std::string aesKey; ///< opens encrypted rows; empty: they stay opaque
    /// Opens an `http(s)://` address; empty: such are refused. Given by whoever may use the network
    /// (core/sources/net/serverthread.h).
    std::function<Result<std::unique_ptr<CheckpointSource>>(const std::string &address)> openAddress = {};
};

/// Opens a source, recognised by its content and never by its name. `location` is a file, a folder that holds one
/// database, a `sqlite:///` or `postgresql://` URI, or a libpq connection string that names a service. Where it is
/// empty, `postgresql://` alone or the name of one of them, POSTGRES_URI and DATABASE_URI of the environment say where.
/// The error says what was looked for.
Result<std::unique_ptr<CheckpointSource>> openSource(const std::string &location, const SourceOptions &options = {});

/// The location as it may be shown, remembered and logged: a URI without its password.
std::string publicLocation(const std::string &location);

} // namespace palimpsest
