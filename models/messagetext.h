// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/thread/message.h"

#include <QString>

namespace palimpsest {

/// One line that says what a message is about: its first words, or its tool calls as `name(key="value")`. At most
/// `limit` characters.
QString previewOf(const Message &message, int limit = 160);
/// The whole message to be read: text blocks, tool calls with their arguments a line each, media as `[image, 12 kB]`.
/// Remote addresses stay text. `limit` characters at most; `cut` tells how many were left out.
QString readableText(const Message &message, qsizetype limit, qsizetype *cut = nullptr);
/// Who speaks, in a word: "human", "ai", "tool", "summary", …
QString roleWord(const Message &message);
/// Name of the tool of a result; empty for other messages.
QString toolNameOf(const Message &message);

/// The message for the clipboard.
QString messageAsMarkdown(const Message &message);
QString messageAsJson(const Message &message);

} // namespace palimpsest
