// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/artifacts/backend.h"
#include "core/compaction/stages/decision.h"
#include "core/thread/message.h"

#include <optional>
#include <string>
#include <vector>

namespace palimpsest {

/// `_extract_data_url` (deepagents/middleware/summarization.py, 0.7.7 and 0.7.32): the `data:` URL that a content block
/// carries inline.
std::optional<std::string> extractDataUrl(const Value &block);

struct DecodedDataUrl {
    std::string bytes;
    std::string extension; ///< without a dot, "bin" when the type is not known
    std::string mime; ///< as written

    bool operator==(const DecodedDataUrl &) const = default;
    /// The first 16 hexadecimal digits of the SHA-256: the file's name.
    [[nodiscard]] std::string key() const;
};

/// `_decode_data_url` (0.7.7): base64 as leniently as Python, percent encoding otherwise. Null when it cannot be
/// decoded.
std::optional<DecodedDataUrl> decodeDataUrl(std::string_view url);

/// `_media_reference_block` (0.7.7): an image, audio or video block with the path as URL, a text block for anything
/// else.
Value mediaReferenceBlock(std::string_view path, std::string_view mime);

struct InlineMediaResult {
    std::vector<MessagePtr> messages;
    std::int64_t failedBlocks = 0; ///< blocks that became a placeholder
    std::vector<MessageDecision> decisions; ///< one for each inline block
};

/// `_offload_inline_media` (0.7.7): each different picture is uploaded once to
/// <root>/conversation_history/media/<key>.<extension>, its blocks become references; what cannot be decoded or
/// uploaded becomes a placeholder.
Attempt<InlineMediaResult> offloadInlineMedia(const std::vector<MessagePtr> &messages, ArtifactBackend &backend);

} // namespace palimpsest
