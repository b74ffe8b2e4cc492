// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <immer/map.hpp>
#include <tl/expected.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace palimpsest {

/// A Python exception that upstream's code would have met here: some callers catch it, some let it pass.
struct Raised {
    std::string type; ///< "RuntimeError"
    std::string message; ///< str(exception)

    bool operator==(const Raised &) const = default;
};

/// The value, or the exception that upstream's call would have raised.
template <class T> using Attempt = tl::expected<T, Raised>;

inline tl::unexpected<Raised> raised(std::string type, std::string message)
{
    return tl::unexpected<Raised>(Raised{std::move(type), std::move(message)});
}

/// deepagents/backends/protocol.py WriteResult, 0.7.7.
struct WriteResult {
    std::optional<std::string> error;
    std::optional<std::string> path;

    bool operator==(const WriteResult &) const = default;
};

/// deepagents/backends/protocol.py EditResult, 0.7.7.
struct EditResult {
    std::optional<std::string> error;
    std::optional<std::string> path;
    std::optional<std::int64_t> occurrences;

    bool operator==(const EditResult &) const = default;
};

/// deepagents/backends/protocol.py FileUploadResponse and FileDownloadResponse, 0.7.7.
struct TransferResponse {
    std::string path;
    std::optional<std::string> error; ///< "file_not_found", "permission_denied", …
    std::optional<std::string> content; ///< bytes, of a download

    bool operator==(const TransferResponse &) const = default;
};

/// One call that reached the store, in order: "write", "edit", "upload" or "download", and the path as the store got
/// it.
struct BackendOp {
    std::string op;
    std::string path;

    bool operator==(const BackendOp &) const = default;
};

/// How an operation goes wrong.
enum class BackendFailure {
    None,
    Error, ///< a result that holds an error
    NoResult, ///< None instead of a result (write and edit)
    Empty, ///< an empty list of responses (upload and download)
    Raise, ///< RuntimeError
};

struct BackendFailures {
    BackendFailure write = BackendFailure::None;
    BackendFailure edit = BackendFailure::None;
    BackendFailure upload = BackendFailure::None;
    BackendFailure download = BackendFailure::None;
    /// When not empty, only paths that contain one of these fail.
    std::vector<std::string> onlyPaths;
    std::string error = "disk full"; ///< of write and edit
    std::string transferError = "permission_denied"; ///< of upload and download
    std::string exception = "backend exploded";

    /// A backend that refuses every write, edit and upload (`artifacts_fail`).
    static BackendFailures readOnly();

    bool operator==(const BackendFailures &) const = default;
};

struct BackendOptions {
    /// What holds the files: bytes as they come (a folder, a sandbox), or the `files` channel, where an upload that is
    /// no UTF-8 becomes base64 text with encoding "utf-8" (deepagents/backends/state.py StateBackend.upload_files,
    /// 0.7.7 and 0.7.32).
    enum class Kind { Bytes, StateFiles };

    Kind kind = Kind::Bytes;
    /// Set: a CompositeBackend with this root (deepagents/backends/composite.py); null: the plain backend, whose root
    /// is "/".
    std::optional<std::string> artifactsRoot;
    /// Route prefixes of the CompositeBackend. Files keep their whole path here; only results and the operation log
    /// differ.
    std::vector<std::string> routes;
    /// CompositeBackend.write puts the requested path into every result (0.7.7), or only when a route changed the path
    /// (0.7.32).
    bool reportsRequestedPath = true;
    /// Prepended to the path that a write reports.
    std::string resultPrefix;
    BackendFailures failures;

    bool operator==(const BackendOptions &) const = default;
};

/// One stored file.
struct StoredArtifact {
    std::string content; ///< bytes, or text as the `files` channel has it
    bool base64 = false; ///< the `files` channel's encoding is "base64"

    bool operator==(const StoredArtifact &) const = default;
};
using StoredArtifactPtr = std::shared_ptr<const StoredArtifact>;
using StoredArtifacts = immer::map<std::string, StoredArtifactPtr>;

/// The writable artifact store that stages use: in memory, so nothing outside is ever changed. A value: a copy shares
/// all content and costs nothing, so each replay starts from a copy. Text is WTF-8.
class ArtifactBackend {
public:
    ArtifactBackend() = default;
    explicit ArtifactBackend(BackendOptions options)
        : m_options(std::move(options))
    {
    }

    /// Puts a file there without an operation: what the recording already holds. `content` is bytes, or with `base64`
    /// base64 text as a `files` channel stores it.
    void preset(std::string path, std::string content, bool base64 = false);

    /// Writes the file, over an old one too. A null result is upstream's None.
    [[nodiscard]] Attempt<std::optional<WriteResult>> write(const std::string &path, std::string_view content);
    /// deepagents/backends/utils.py perform_string_replacement without replace_all. A null result is upstream's None.
    [[nodiscard]] Attempt<std::optional<EditResult>> edit(
        const std::string &path, std::string_view oldString, std::string_view newString);
    struct Upload {
        std::string path;
        std::string content; ///< bytes
    };
    [[nodiscard]] Attempt<std::vector<TransferResponse>> upload(const std::vector<Upload> &files);
    [[nodiscard]] Attempt<std::vector<TransferResponse>> download(const std::vector<std::string> &paths);

    /// The file's bytes, without an operation; null when there is none.
    [[nodiscard]] std::optional<std::string> bytes(const std::string &path) const;
    [[nodiscard]] const StoredArtifacts &files() const { return m_files; }
    [[nodiscard]] const std::vector<BackendOp> &operations() const { return m_operations; }
    [[nodiscard]] const BackendOptions &options() const { return m_options; }
    /// From here on it behaves otherwise; what it holds stays.
    void setOptions(BackendOptions options) { m_options = std::move(options); }

    /// `artifacts_root` without slashes at its end: "" for "/". Middleware prepends it to "/large_tool_results" and the
    /// like.
    [[nodiscard]] std::string rootPrefix() const;

private:
    struct Routed {
        std::string path; ///< as the backend behind the route gets it
        bool routed = false;
    };
    [[nodiscard]] Routed route(const std::string &path) const;
    [[nodiscard]] BackendFailure begin(std::string_view op, const std::string &path, BackendFailure mode);
    [[nodiscard]] Attempt<std::string> stored(std::string_view text) const;
    void put(const std::string &path, std::string content);

    BackendOptions m_options;
    StoredArtifacts m_files;
    std::vector<BackendOp> m_operations;
};

/// Bytes as a `files` entry shows them: UTF-8 text, else base64 and `base64` true.
StoredArtifact artifactFromBytes(std::string bytes);

/// Whether Python would encode the text to UTF-8: lone surrogates make it raise. The error is Python's
/// UnicodeEncodeError.
Attempt<std::string> encodeUtf8(std::string_view wtf8);

} // namespace palimpsest
