// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/artifacts/backend.h"

#include "core/base/base64.h"
#include "core/base/text.h"

#include <algorithm>

namespace palimpsest {
namespace {

bool isSurrogate(char32_t c)
{
    return c >= 0xD800 && c <= 0xDFFF;
}

/// Strict UTF-8: WTF-8 without surrogates.
bool isUtf8(std::string_view bytes)
{
    if (!text::isValid(bytes))
        return false;
    // A surrogate in WTF-8 is ED A0..BF xx.
    for (std::size_t at = bytes.find('\xED'); at != std::string_view::npos; at = bytes.find('\xED', at + 1))
        if (at + 1 < bytes.size() && static_cast<unsigned char>(bytes[at + 1]) >= 0xA0)
            return false;
    return true;
}

std::string escaped(char32_t c)
{
    static constexpr char hex[] = "0123456789abcdef";
    std::string out = "'\\u";
    for (int shift = 12; shift >= 0; shift -= 4)
        out += hex[(c >> shift) & 0xF];
    return out + "'";
}

std::size_t countOf(std::string_view text, std::string_view part)
{
    std::size_t n = 0;
    for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + part.size()))
        ++n;
    return n;
}

/// deepagents/backends/utils.py perform_string_replacement, 0.7.7 and 0.7.32. `oldString` is not empty.
tl::expected<std::string, std::string> replaceOnce(
    std::string_view content, std::string_view oldString, std::string_view newString)
{
    const std::size_t occurrences = countOf(content, oldString);
    if (occurrences == 0) {
        const std::string_view stripped = oldString.substr(0, oldString.size() - 1);
        if (oldString.ends_with('\n') && !stripped.empty() && content.ends_with(stripped)) {
            const std::size_t strippedCount = countOf(content, stripped);
            if (strippedCount == 1)
                return tl::unexpected<std::string>(
                    "Error: old_string ends with a newline, but the file does not end with a newline. Retry with the "
                    "trailing "
                    "newline removed from old_string (and from new_string if it also ends with a newline).");
            return tl::unexpected<std::string>("Error: old_string ends with a newline, but the file does not end with "
                                               "a newline. With the trailing newline "
                                               "removed, old_string would appear "
                + std::to_string(strippedCount)
                + " times in the file. Retry with the trailing newline removed and add surrounding context so the "
                  "match is unique.");
        }
        return tl::unexpected<std::string>("Error: String not found in file: '" + std::string(oldString) + "'");
    }
    if (occurrences > 1)
        return tl::unexpected<std::string>("Error: String '" + std::string(oldString) + "' appears "
            + std::to_string(occurrences)
            + " times in file. Use replace_all=True to replace all instances, or provide a more specific string with "
              "surrounding "
              "context.");
    const std::size_t at = content.find(oldString);
    std::string out;
    out.reserve(content.size() + newString.size());
    out.append(content.substr(0, at)).append(newString).append(content.substr(at + oldString.size()));
    return out;
}

} // namespace

Attempt<std::string> encodeUtf8(std::string_view wtf8)
{
    if (isUtf8(wtf8))
        return std::string(wtf8);
    std::size_t place = 0;
    for (std::size_t at = 0; at < wtf8.size(); ++place) {
        const char32_t c = text::next(wtf8, at);
        if (!isSurrogate(c))
            continue;
        std::size_t last = place;
        while (at < wtf8.size() && isSurrogate(text::next(wtf8, at)))
            ++last;
        const std::string what = last == place
            ? "character " + escaped(c) + " in position " + std::to_string(place)
            : "characters in position " + std::to_string(place) + "-" + std::to_string(last);
        return raised("UnicodeEncodeError", "'utf-8' codec can't encode " + what + ": surrogates not allowed");
    }
    return std::string(wtf8);
}

StoredArtifact artifactFromBytes(std::string bytes)
{
    if (isUtf8(bytes))
        return {std::move(bytes), false};
    return {base64::encode(bytes), true};
}

BackendFailures BackendFailures::readOnly()
{
    BackendFailures failures;
    failures.write = failures.edit = failures.upload = BackendFailure::Error;
    failures.error = "read-only backend";
    return failures;
}

void ArtifactBackend::preset(std::string path, std::string content, bool base64)
{
    if (base64 && m_options.kind == BackendOptions::Kind::Bytes)
        if (Result<std::string> raw = base64::decode(content))
            content = std::move(*raw);
    const bool stays = base64 && m_options.kind == BackendOptions::Kind::StateFiles;
    m_files =
        m_files.set(std::move(path), std::make_shared<const StoredArtifact>(StoredArtifact{std::move(content), stays}));
}

std::string ArtifactBackend::rootPrefix() const
{
    std::string root = m_options.artifactsRoot.value_or("/");
    while (root.ends_with('/'))
        root.pop_back();
    return root;
}

/// deepagents/backends/composite.py _route_for_path, 0.7.7: the longest prefix wins.
ArtifactBackend::Routed ArtifactBackend::route(const std::string &path) const
{
    std::string_view best;
    bool found = false;
    for (const std::string &prefix : m_options.routes) {
        std::string_view bare = prefix;
        while (bare.ends_with('/'))
            bare.remove_suffix(1);
        const bool matches =
            path == bare || (path.starts_with(bare) && path.size() > bare.size() && path[bare.size()] == '/');
        if (matches && (!found || bare.size() > best.size())) {
            best = bare;
            found = true;
        }
    }
    if (!found)
        return {path, false};
    return {path.size() > best.size() ? path.substr(best.size()) : "/", true};
}

BackendFailure ArtifactBackend::begin(std::string_view op, const std::string &path, BackendFailure mode)
{
    m_operations.push_back({std::string(op), path});
    const std::vector<std::string> &only = m_options.failures.onlyPaths;
    if (mode != BackendFailure::None && !only.empty()
        && std::none_of(
            only.begin(), only.end(), [&](const std::string &part) { return path.find(part) != std::string::npos; }))
        return BackendFailure::None;
    return mode;
}

/// The text as the store takes it: a `files` channel holds any text, bytes must be encodable.
Attempt<std::string> ArtifactBackend::stored(std::string_view text) const
{
    return m_options.kind == BackendOptions::Kind::StateFiles ? Attempt<std::string>(std::string(text))
                                                              : encodeUtf8(text);
}

/// deepagents/backends/utils.py update_file_data, 0.7.7: an old entry's encoding stays.
void ArtifactBackend::put(const std::string &path, std::string content)
{
    const StoredArtifactPtr *old = m_files.find(path);
    m_files = m_files.set(
        path, std::make_shared<const StoredArtifact>(StoredArtifact{std::move(content), old && (*old)->base64}));
}

namespace {

/// What `write` and `edit` answer when the store is told to fail: a CompositeBackend reads the path of the result, and
/// raises when there is none.
template <class R> Attempt<std::optional<R>> refusal(const BackendOptions &options, BackendFailure mode)
{
    if (mode == BackendFailure::Raise)
        return raised("RuntimeError", options.failures.exception);
    if (mode == BackendFailure::NoResult) {
        if (options.artifactsRoot)
            return raised("AttributeError", "'NoneType' object has no attribute 'path'");
        return std::optional<R>();
    }
    R result;
    result.error = options.failures.error;
    return std::optional<R>(std::move(result));
}

} // namespace

Attempt<std::optional<WriteResult>> ArtifactBackend::write(const std::string &path, std::string_view content)
{
    const Routed target = route(path);
    const BackendFailure mode = begin("write", target.path, m_options.failures.write);
    if (mode != BackendFailure::None)
        return refusal<WriteResult>(m_options, mode);
    Attempt<std::string> text = stored(content);
    if (!text)
        return tl::unexpected<Raised>(text.error());
    put(path, std::move(*text));
    const bool asRequested = m_options.artifactsRoot && (m_options.reportsRequestedPath || target.routed);
    return std::optional<WriteResult>(
        WriteResult{std::nullopt, asRequested ? path : m_options.resultPrefix + target.path});
}

Attempt<std::optional<EditResult>> ArtifactBackend::edit(
    const std::string &path, std::string_view oldString, std::string_view newString)
{
    const Routed target = route(path);
    const BackendFailure mode = begin("edit", target.path, m_options.failures.edit);
    if (mode != BackendFailure::None)
        return refusal<EditResult>(m_options, mode);
    const StoredArtifactPtr *old = m_files.find(path);
    if (!old)
        return std::optional<EditResult>(
            EditResult{"Error: File '" + target.path + "' not found", std::nullopt, std::nullopt});
    if (oldString.empty())
        return std::optional<EditResult>(EditResult{"Error: String not found in file: ''", std::nullopt, std::nullopt});
    tl::expected<std::string, std::string> replaced = replaceOnce((*old)->content, oldString, newString);
    if (!replaced)
        return std::optional<EditResult>(EditResult{replaced.error(), std::nullopt, std::nullopt});
    Attempt<std::string> text = stored(*replaced);
    if (!text)
        return tl::unexpected<Raised>(text.error());
    put(path, std::move(*text));
    return std::optional<EditResult>(EditResult{std::nullopt, m_options.artifactsRoot ? path : target.path, 1});
}

Attempt<std::vector<TransferResponse>> ArtifactBackend::upload(const std::vector<Upload> &files)
{
    std::vector<TransferResponse> responses;
    for (const Upload &file : files) {
        const Routed target = route(file.path);
        const BackendFailure mode = begin("upload", target.path, m_options.failures.upload);
        if (mode == BackendFailure::Raise)
            return raised("RuntimeError", m_options.failures.exception);
        if (mode == BackendFailure::Empty) {
            responses.clear();
            break;
        }
        if (mode != BackendFailure::None) {
            responses.push_back({file.path, m_options.failures.transferError, std::nullopt});
            continue;
        }
        if (m_options.kind == BackendOptions::Kind::Bytes)
            m_files =
                m_files.set(file.path, std::make_shared<const StoredArtifact>(StoredArtifact{file.content, false}));
        else
            put(file.path, artifactFromBytes(file.content).content);
        responses.push_back({file.path, std::nullopt, std::nullopt});
    }
    // CompositeBackend fills up a short answer with responses that hold no error.
    if (m_options.artifactsRoot)
        for (std::size_t i = responses.size(); i < files.size(); ++i)
            responses.push_back({files[i].path, std::nullopt, std::nullopt});
    return responses;
}

Attempt<std::vector<TransferResponse>> ArtifactBackend::download(const std::vector<std::string> &paths)
{
    std::vector<TransferResponse> responses;
    for (const std::string &path : paths) {
        const Routed target = route(path);
        const BackendFailure mode = begin("download", target.path, m_options.failures.download);
        if (mode == BackendFailure::Raise)
            return raised("RuntimeError", m_options.failures.exception);
        if (mode == BackendFailure::Empty) {
            responses.clear();
            break;
        }
        if (mode != BackendFailure::None) {
            responses.push_back({path, m_options.failures.transferError, std::nullopt});
            continue;
        }
        const StoredArtifactPtr *file = m_files.find(path);
        if (!file) {
            responses.push_back({path, "file_not_found", std::nullopt});
            continue;
        }
        if (m_options.kind == BackendOptions::Kind::StateFiles && !(*file)->base64) {
            Attempt<std::string> text = encodeUtf8((*file)->content);
            if (!text)
                return tl::unexpected<Raised>(text.error());
        }
        if ((*file)->base64) {
            Result<std::string> raw = base64::decode((*file)->content);
            if (!raw)
                return raised("Error", raw.error().what);
            responses.push_back({path, std::nullopt, std::move(*raw)});
        } else {
            responses.push_back({path, std::nullopt, (*file)->content});
        }
    }
    if (m_options.artifactsRoot)
        for (std::size_t i = responses.size(); i < paths.size(); ++i)
            responses.push_back({paths[i], std::nullopt, std::nullopt});
    return responses;
}

std::optional<std::string> ArtifactBackend::bytes(const std::string &path) const
{
    const StoredArtifactPtr *file = m_files.find(path);
    if (!file)
        return std::nullopt;
    if (!(*file)->base64)
        return (*file)->content;
    Result<std::string> raw = base64::decode((*file)->content);
    return raw ? std::optional<std::string>(std::move(*raw)) : std::nullopt;
}

} // namespace palimpsest
