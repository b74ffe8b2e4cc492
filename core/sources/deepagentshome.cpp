// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sources/deepagentshome.h"

#include "core/sources/sqlitesource.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace palimpsest {
namespace {

namespace fs = std::filesystem;

/// Database of a home, empty when there is none.
fs::path databaseOf(const fs::path &root)
{
    std::error_code error;
    for (const fs::path &name : {fs::path(".state") / "sessions.db", fs::path("sessions.db")})
        if (fs::is_regular_file(root / name, error) && looksLikeSqlite((root / name).string()))
            return root / name;
    return {};
}

/// Folders of artifacts: in the temporary folder as a rule, beside the home in a copy of it.
std::vector<SourceFolder> artifactFolders(const fs::path &root)
{
    std::error_code error;
    std::vector<SourceFolder> found;
    const fs::path parent = root.parent_path();
    for (const fs::path &place : {fs::temp_directory_path(error), parent, parent.parent_path()}) {
        std::vector<fs::path> here;
        for (fs::directory_iterator entry(place, fs::directory_options::skip_permission_denied, error), end;
            !error && entry != end; entry.increment(error)) {
            std::error_code ignored;
            if (entry->path().filename().string().starts_with("dcode-artifacts") && entry->is_directory(ignored))
                here.push_back(entry->path());
        }
        std::sort(here.begin(), here.end());
        for (const fs::path &folder : here)
            found.push_back({folder.string(), "/tmp/" + folder.filename().string() + "/"});
    }
    return found;
}

} // namespace

std::optional<DeepAgentsHome> findDeepAgentsHome(const std::string &path)
{
    std::error_code error;
    const fs::path given = fs::absolute(path, error).lexically_normal();
    fs::path root;
    if (fs::is_regular_file(given, error)) {
        if (given.filename() != "sessions.db")
            return std::nullopt;
        root = given.parent_path().filename() == ".state" ? given.parent_path().parent_path() : given.parent_path();
    } else {
        root = given.filename().empty() ? given.parent_path() : given; // "…/.deepagents/"
        if (root.filename() == ".state" && !databaseOf(root.parent_path()).empty())
            root = root.parent_path();
        if (databaseOf(root).empty())
            root /= ".deepagents";
    }
    const fs::path database = databaseOf(root);
    // A database of that name alone says nothing of whose it is.
    const bool bare = database.parent_path() == root && !fs::is_directory(root / "conversation_history", error)
        && root.filename() != ".deepagents";
    if (database.empty() || bare)
        return std::nullopt;
    DeepAgentsHome home;
    home.root = root.string();
    home.database = database.string();
    if (fs::is_directory(root / "conversation_history", error))
        home.folders.push_back({(root / "conversation_history").string(), "/conversation_history/"});
    for (SourceFolder &folder : artifactFolders(root))
        home.folders.push_back(std::move(folder));
    return home;
}

std::optional<std::string> usersDeepAgentsHome()
{
    const char *home = std::getenv("HOME");
    if (!home || !*home)
        return std::nullopt;
    const std::string root = (fs::path(home) / ".deepagents").string();
    return databaseOf(root).empty() ? std::nullopt : std::optional(root);
}

Result<std::unique_ptr<CheckpointSource>> openDeepAgentsHome(const DeepAgentsHome &home)
{
    Result<std::unique_ptr<SqliteSource>> source = SqliteSource::open(home.database);
    if (!source)
        return tl::unexpected(source.error());
    (*source)->describe("sessions of deepagents-code", home.folders);
    return std::unique_ptr<CheckpointSource>(*std::move(source));
}

} // namespace palimpsest
