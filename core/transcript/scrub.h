// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/values/value.h"

#include <map>
#include <set>
#include <string>
#include <string_view>

namespace palimpsest {

/// Replaces all text of a thread by filler of the same length in code points, so that a colleague can look into a fault
/// without reading what was said. What decisions hang on stays: ids, names of tools, types and keys, line breaks and
/// punctuation, the frames that Deep Agents puts around summaries, stubs and archives, paths below
/// `conversation_history`, `large_tool_results` and `blobs`, and all numbers that are no text. Letters become "x" or
/// "X", digits "0", other letters and symbols one of their width; a text that was equal stays equal. Inline media
/// become other bytes of the same length, their file names follow.
class Scrubber {
public:
    /// First pass: everything that is to be scrubbed must have been looked at, so that what refers to it follows.
    void look(const Value &value);
    /// The same for a file, by its path.
    void lookAtFile(const std::string &path, const std::string &bytes);

    /// Second pass.
    [[nodiscard]] Value scrubbed(const Value &value) const;
    [[nodiscard]] std::string scrubbedText(std::string_view wtf8) const;
    [[nodiscard]] std::string scrubbedPath(const std::string &path) const;
    /// Text files as text, anything else as bytes.
    [[nodiscard]] std::string scrubbedFile(const std::string &bytes) const;

private:
    [[nodiscard]] Value scrubbedAt(std::string_view key, const Value &value) const;
    [[nodiscard]] std::string scrubbedMedium(const std::string &text) const;
    [[nodiscard]] std::string withDigests(std::string text) const;
    void lookAt(std::string_view key, const Value &value);
    void addPath(const std::string &path);
    void addMedium(const std::string &bytes);

    std::set<std::string, std::less<>> m_names; ///< ids and tool names: kept wherever they stand as a word
    std::map<std::string, std::string, std::less<>> m_paths; ///< paths of files, each to a path of its own
    std::set<std::string> m_takenPaths;
    std::map<std::string, std::string, std::less<>> m_digests; ///< of media: file name's digits, old to new
};

/// Filler for one text, by itself: what `Scrubber` makes of a text without names, frames and paths.
std::string fillerFor(std::string_view wtf8);
/// Other bytes of the same number, the same for the same bytes.
std::string fillerBytes(std::string_view bytes);

} // namespace palimpsest
