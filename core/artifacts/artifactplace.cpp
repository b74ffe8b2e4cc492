// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/artifacts/artifactplace.h"

#include "core/sources/sqlitefile.h"
#include "core/sources/sqlitesource.h"

namespace palimpsest {
namespace {

constexpr std::string_view storeWord = "store:";

/// A database may hold a store and no thread.
Result<StoreItems> storeAt(const std::string &location, const SourceOptions &options)
{
    if (looksLikeSqlite(location))
        return SqliteSource::storeOf(location);
    Result<std::unique_ptr<CheckpointSource>> source = openSource(location, options);
    if (!source)
        return tl::unexpected(source.error());
    return (*source)->store();
}

} // namespace

ArtifactPlace artifactPlace(const std::string &text)
{
    const std::size_t equals = text.find('=');
    // A folder's name may hold one too.
    const bool routed = equals != std::string::npos && equals > 0 && text.front() == '/' && text[equals - 1] == '/';
    return routed ? ArtifactPlace{text.substr(0, equals), text.substr(equals + 1)} : ArtifactPlace{{}, text};
}

bool isStorePlace(const ArtifactPlace &place)
{
    return place.where.starts_with(storeWord);
}

std::string publicPlace(const std::string &where)
{
    const std::size_t at = where.starts_with(storeWord) ? where.find('@') : std::string::npos;
    return at == std::string::npos ? where : where.substr(0, at + 1) + publicLocation(where.substr(at + 1));
}

Result<ArtifactFolder> openArtifactPlace(
    const ArtifactPlace &place, CheckpointSource &own, const SourceOptions &options)
{
    if (!isStorePlace(place))
        return ArtifactFolder::open(place.where, place.route);
    const std::string named = place.where.substr(storeWord.size());
    const std::size_t at = named.find('@');
    const std::string location = at == std::string::npos ? std::string() : named.substr(at + 1);
    const Result<StoreItems> items = location.empty() ? own.store() : storeAt(location, options);
    if (!items)
        return tl::unexpected(items.error());
    const std::string prefix = named.substr(0, at);
    const std::string shown = location.empty() ? own.info().location : publicLocation(location);
    return ArtifactFolder::ofStore(*items, prefix, prefix + " of the store in " + shown, place.route);
}

} // namespace palimpsest
