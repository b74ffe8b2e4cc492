// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sources/sourceprobe.h"

#include "core/sources/decryptingsource.h"
#include "core/sources/deepagentshome.h"
#include "core/sources/devserversource.h"
#include "core/sources/jsonsource.h"
#include "core/sources/postgressource.h"
#include "core/sources/sqlitesource.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace palimpsest {
namespace {

namespace fs = std::filesystem;

std::string lookedFor()
{
    return std::string("looked for: an SQLite database (first bytes \"SQLite format 3\") with LangGraph's table "
                       "checkpoints, a folder that holds one, a postgresql:// address, the folders .deepagents of "
                       "deepagents-code and "
                       ".langgraph_api of a development server, ")
        + JsonSource::lookedFor();
}

/// The beginning of a file, enough to tell what it is.
std::string beginningOf(const std::string &path)
{
    std::ifstream file(path, std::ios::binary);
    std::string bytes(512, '\0');
    file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    bytes.resize(static_cast<std::size_t>(std::max<std::streamsize>(0, file.gcount())));
    return bytes;
}

bool isPostgres(const std::string &location)
{
    const std::size_t scheme = location.find("://");
    if (scheme == std::string::npos)
        return location.starts_with("service=");
    const std::string name = location.substr(0, std::min(scheme, location.find('+')));
    return name == "postgresql" || name == "postgres";
}

/// What the location stands for when the environment says so, as LangGraph's servers are told.
std::string resolvedLocation(const std::string &location)
{
    static constexpr const char *variables[] = {"POSTGRES_URI", "DATABASE_URI"};
    const bool open = location.empty() || location == "postgresql://" || location == "postgres://";
    std::error_code error;
    for (const char *variable : variables)
        if (const char *value = std::getenv(variable); value && *value)
            if (open || (location == variable && !fs::exists(location, error)))
                return value;
    return location;
}

Result<std::unique_ptr<CheckpointSource>> openFile(const std::string &path)
{
    std::error_code error;
    if (!looksLikeSqlite(path)) {
        const auto size = fs::file_size(path, error);
        if (!error && size == 0)
            return failure(Error::Code::Unsupported, path, "the file is empty; " + lookedFor());
        if (looksLikeJson(beginningOf(path))) {
            Result<std::unique_ptr<JsonSource>> source = JsonSource::open(path);
            if (!source)
                return tl::unexpected(source.error());
            return std::unique_ptr<CheckpointSource>(std::move(*source));
        }
        return failure(Error::Code::Unsupported, path, "not recognised; " + lookedFor());
    }
    Result<std::unique_ptr<SqliteSource>> source = SqliteSource::open(path);
    if (!source)
        return tl::unexpected(source.error());
    return std::unique_ptr<CheckpointSource>(std::move(*source));
}

Result<std::unique_ptr<CheckpointSource>> openPlain(const std::string &location, const SourceOptions &options)
{
    if (isPostgres(location)) {
        Result<std::unique_ptr<PostgresSource>> source = PostgresSource::open(location);
        if (!source)
            return tl::unexpected(source.error());
        return std::unique_ptr<CheckpointSource>(std::move(*source));
    }
    if (options.openAddress && (location.starts_with("http://") || location.starts_with("https://")))
        return options.openAddress(location);
    std::string path = location;
    std::error_code error;
    // sqlite:///relative, sqlite:////absolute, as SQLAlchemy and LangGraph write them.
    if (path.starts_with("sqlite:///")) {
        path.erase(0, 10);
        if (!fs::exists(path, error) && fs::exists("/" + path, error))
            path.insert(0, "/");
    } else if (path.starts_with("file://")) {
        path.erase(0, 7);
    } else if (path.find("://") != std::string::npos && !fs::exists(path, error)) {
        return failure(
            Error::Code::Unsupported, publicLocation(location), "addresses of this kind are not read; " + lookedFor());
    }
    if (!fs::exists(path, error))
        return failure(Error::Code::NotFound, path, "there is no such file or folder");
    if (const std::string folder = DevServerSource::folderOf(path); !folder.empty()) {
        Result<std::unique_ptr<DevServerSource>> source = DevServerSource::open(folder);
        if (!source)
            return tl::unexpected(source.error());
        return std::unique_ptr<CheckpointSource>(std::move(*source));
    }
    if (const std::optional<DeepAgentsHome> home = findDeepAgentsHome(path))
        return openDeepAgentsHome(*home);
    if (!fs::is_directory(path, error))
        return openFile(path);
    std::vector<std::string> found;
    for (fs::directory_iterator entry(path, error), end; !error && entry != end; entry.increment(error)) {
        std::error_code ignored;
        if (entry->is_regular_file(ignored) && looksLikeSqlite(entry->path().string())
            && SqliteSource::open(entry->path().string()))
            found.push_back(entry->path().string());
        if (found.size() > 20)
            break;
    }
    std::sort(found.begin(), found.end());
    if (found.size() == 1)
        return openFile(found.front());
    if (found.empty())
        return failure(Error::Code::Unsupported, path, "the folder holds no checkpoint database; " + lookedFor());
    std::string names;
    for (const std::string &name : found)
        names += (names.empty() ? "" : ", ") + fs::path(name).filename().string();
    return failure(Error::Code::Invalid, path, "the folder holds several checkpoint databases, name one: " + names);
}

} // namespace

Result<std::unique_ptr<CheckpointSource>> openSource(const std::string &location, const SourceOptions &options)
{
    Result<std::unique_ptr<CheckpointSource>> source = openPlain(resolvedLocation(location), options);
    if (!source || options.aesKey.empty())
        return source;
    return std::make_unique<DecryptingSource>(*std::move(source), options.aesKey);
}

std::string publicLocation(const std::string &location)
{
    std::string shown = location;
    const std::size_t scheme = shown.find("://");
    if (scheme != std::string::npos) {
        // Up to the last @: a password may hold one that should have been written %40.
        const std::size_t begin = scheme + 3;
        const std::size_t at = shown.substr(0, shown.find('?')).rfind('@');
        const std::size_t colon = shown.find(':', begin);
        if (at != std::string::npos && colon < at)
            shown.erase(colon, at - colon);
    }
    constexpr std::string_view parameter = "password="; // sslpassword= as well
    for (std::size_t at = shown.find(parameter); at != std::string::npos; at = shown.find(parameter, at + 1)) {
        const std::size_t value = at + parameter.size();
        const bool quoted = value < shown.size() && shown[value] == '\'';
        const std::size_t end = quoted ? shown.find('\'', value + 1) : shown.find_first_of("& ", value);
        shown.replace(value, std::min(end, shown.size()) - value, "***");
    }
    return shown;
}

} // namespace palimpsest
