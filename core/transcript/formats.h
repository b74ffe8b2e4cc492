// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/jobcontext.h"
#include "core/transcript/transcript.h"

#include <functional>
#include <ostream>
#include <span>
#include <string_view>

namespace palimpsest {

enum class TranscriptFormat { Markdown, Html, Json, JsonLines, OpenAi, LangChain, Csv, Pdf, Bundle };

struct FormatInfo {
    TranscriptFormat format;
    std::string_view name; ///< of the option `-f`
    std::string_view extension; ///< without a dot
    std::string_view label; ///< for people
};
/// All formats, in the order in which they are offered.
std::span<const FormatInfo> transcriptFormats();
/// By name or extension; also "md" and "messages_to_dict". Null when there is none.
const FormatInfo *findFormat(std::string_view name);

struct WriteOptions {
    /// Code as highlighted HTML inside a <pre>, with its own colours for light and dark; empty: plain code. `syntax` is
    /// a language or a file name.
    std::function<std::string(std::string_view code, std::string_view syntax)> highlight;
};

/// Writes a transcript as a text format (all but PDF and Bundle). Errors: Cancelled; Io when the stream fails;
/// Unsupported when a provider would refuse the messages (OpenAi), naming what breaks.
Result<void> writeTranscript(std::ostream &out, const Transcript &transcript, TranscriptFormat format,
    const WriteOptions &options = {}, const JobContext &job = {});

} // namespace palimpsest
