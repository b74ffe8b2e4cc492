// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sources/sourceprobe.h"

#include "core/sources/decryptingsource.h"
#include "core/sources/deepagentshome.h"
#include "core/sources/devserversource.h"
#include "core/sources/json/eventstream.h"
#include "core/sources/jsonsource.h"
#include "core/sources/postgressource.h"
#include "core/sources/sqlitesource.h"

#include <algorithm>
#include <charconv>
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
    if (scheme == std::string::npos) {
        // A connection string as libpq takes it.
        constexpr std::string_view words[] = {"service=", "host=", "hostaddr=", "port=", "dbname=", "user="};
        return std::ranges::any_of(words, [&location](std::string_view word) { return location.starts_with(word); });
    }
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

std::string percentDecoded(std::string_view text)
{
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        unsigned code = 0;
        const char *digits = text.data() + i + 1;
        if (text[i] == '%' && i + 2 < text.size() && std::from_chars(digits, digits + 2, code, 16).ptr == digits + 2) {
            out += static_cast<char>(code);
            i += 2;
        } else {
            out += text[i];
        }
    }
    return out;
}

/// The file that a location means: a path, `sqlite:///relative` and `sqlite:////absolute` as SQLAlchemy and LangGraph
/// write them, with a driver (`sqlite+aiosqlite:`) too, or a `file:` URI as SQLite takes it. A name may be written with
/// %XX or as it is, parameters may follow; what is there decides.
std::string pathOf(const std::string &location)
{
    std::error_code error;
    if (fs::exists(location, error))
        return location;
    std::string rest;
    const std::size_t colon = std::min(location.find(':'), location.size());
    const std::string scheme = location.substr(0, std::min(colon, location.find('+')));
    if (scheme == "sqlite" && location.substr(colon).starts_with("://"))
        rest = location.substr(colon + (location.substr(colon).starts_with(":///") ? 4 : 3));
    else if (scheme == "file" && colon < location.size())
        rest = location.substr(colon + (location.substr(colon).starts_with("://") ? 3 : 1));
    else
        return location;
    if (scheme == "file" && rest.starts_with("localhost/"))
        rest.erase(0, 9);
    const std::string bare = rest.substr(0, rest.find_first_of("?#"));
    const std::string decoded = percentDecoded(bare);
    const std::string last = rest.substr(0, rest.rfind('?')); // a name may hold one itself
    for (const std::string &candidate : {rest, last, bare, percentDecoded(rest), percentDecoded(last), decoded})
        for (const std::string &path : {candidate, "/" + candidate})
            if (!candidate.empty() && fs::exists(path, error))
                return path;
    return decoded;
}

Result<std::unique_ptr<CheckpointSource>> openFile(const std::string &path)
{
    std::error_code error;
    if (!looksLikeSqlite(path)) {
        const auto size = fs::file_size(path, error);
        if (!error && size == 0)
            return failure(Error::Code::Unsupported, path, "the file is empty; " + lookedFor());
        const std::string beginning = beginningOf(path);
        if (looksLikeJson(beginning) || looksLikeEventStream(beginning)) {
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
    std::error_code error;
    const std::string path = pathOf(location);
    if (path.find("://") != std::string::npos && !fs::exists(path, error))
        return failure(
            Error::Code::Unsupported, publicLocation(location), "addresses of this kind are not read; " + lookedFor());
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
    if (found.empty()
        && (fs::path(path).filename() == ".deepagents" || fs::exists(fs::path(path) / ".deepagents", error)))
        return failure(Error::Code::Unsupported, path,
            "the folder of deepagents-code has no sessions yet; looked for the databases .state/sessions.db and "
            "sessions.db in .deepagents");
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
