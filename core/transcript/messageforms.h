// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compaction/stages/media.h"
#include "core/transcript/transcript.h"

/// The forms that a transcript gives to messages.
namespace palimpsest {

/// The message with every text of its content longer than `limit` code points cut, and how much was left out said in
/// its place; the message itself when none is.
MessagePtr withShortTexts(const MessagePtr &message, std::size_t limit);

/// Takes inline media out of messages: into files beside the transcript, or altogether.
class MediaMover {
public:
    /// `folder` as a reference names it ("thread.media"); files found are added to `files`, each once.
    MediaMover(MediaPlacement placement, std::string folder, std::vector<TranscriptFile> &files);

    /// The message with references in place of its inline media; the message itself when it has none.
    [[nodiscard]] MessagePtr moved(const MessagePtr &message);
    /// A file that an archive names, as the block that carried it: it goes along unless media are left out.
    void addArchived(const Value &block, const std::string &path);

private:
    [[nodiscard]] Value movedBlock(const Value &block);
    const TranscriptFile &add(const DecodedDataUrl &medium, const std::string &path);

    MediaPlacement m_placement;
    std::string m_folder;
    std::vector<TranscriptFile> &m_files;
};

} // namespace palimpsest
