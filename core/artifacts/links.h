// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/thread/message.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Where messages point at files: stubs of offloaded content, archives named by summaries, media references.
namespace palimpsest {

struct ArtifactLink {
    enum class Kind {
        ToolResult, ///< a stub stands for a tool result that moved to a file
        HumanMessage, ///< the message is whole in the state; requests carry a stub (`lc_evicted_to`)
        HumanStub, ///< a stub stands for a human message, as a request carries it
        Archive, ///< a summary names the archive
        Media, ///< a block or archived text refers to an offloaded media file
        Blob, ///< a `deepagents_blob` reference (deepagents/middleware/_blob_offload.py, 0.7.32)
    };
    Kind kind = Kind::ToolResult;
    std::string path; ///< as written
    std::size_t block = 0; ///< place of the block in the content; 0 for a text
    std::string toolCallId; ///< that the stub shows, perhaps shortened

    bool operator==(const ArtifactLink &) const = default;
};

/// Every file that the message points at, by the path in it.
std::vector<ArtifactLink> artifactLinks(const Message &message);

/// The path in a stub text ("Tool result too large, …", "Message content too large …" and JavaScript's wordings), or
/// nothing.
std::optional<ArtifactLink> stubLink(std::string_view text);

/// The head and the tail that a stub shows of the file, without line numbers; empty when it shows none.
struct StubPreview {
    std::vector<std::string> head;
    std::vector<std::string> tail; ///< after the marker of lines left out
    bool operator==(const StubPreview &) const = default;
};
StubPreview stubPreview(std::string_view text);

/// Whether the lines that a stub shows stand where it says in the file's text: at its beginning and at its end.
bool previewMatches(const StubPreview &preview, std::string_view content);

/// File name of an offloaded medium: the first 16 hexadecimal digits of its SHA-256
/// (deepagents/middleware/summarization.py, 0.7.7).
bool isMediaPath(std::string_view path);

/// Every offloaded medium that a text of an archive names, each path once, in the order of the text.
std::vector<std::string> mediaPaths(std::string_view archiveText);

} // namespace palimpsest
