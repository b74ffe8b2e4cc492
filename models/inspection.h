// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/thread/thread.h"

#include <QList>
#include <QString>

#include <optional>
#include <utility>

namespace palimpsest {

/// One part of what the inspector shows.
struct InspectionSection {
    enum class Kind {
        Facts, ///< names and values
        Prose, ///< text that people read, highlighted by `syntax` if any
        Code, ///< text in a fixed font, highlighted by `syntax` or `fileName`
        Note, ///< what this program says of it
    };
    Kind kind = Kind::Prose;
    QString title;
    QString text;
    QString syntax; ///< name of a KSyntaxHighlighting definition: "JSON", "Markdown"
    QString fileName; ///< decides the syntax when `syntax` is empty
    QList<std::pair<QString, QString>> facts;

    bool operator==(const InspectionSection &) const = default;
};

/// Whatever is selected, as text: made from core's values, shown by the inspector.
struct Inspection {
    enum class Subject { Nothing, Message, File, Section, Event, Checkpoint, Call };
    Subject subject = Subject::Nothing;
    QString title; ///< "Tool result · read_file"
    QString subtitle; ///< ids
    MessageKind kind = MessageKind::Other; ///< of a message
    bool isSummary = false;
    QList<InspectionSection> sections;
    QString stored; ///< the whole of it as stored, JSON
    QString plain; ///< what Copy copies

    bool operator==(const Inspection &) const = default;
};

/// A message: content blocks, tool calls with each text argument as code of its own, usage, metadata. `answering`: the
/// tool call that a tool message answers, when known: its arguments say what language the result is in.
Inspection inspectMessage(const Message &message, const ToolCallView *answering = nullptr);
Inspection inspectFile(const std::string &path, const FileEntry &file);
Inspection inspectEvent(const SummarizationEvent &event, int number);
Inspection inspectCheckpoint(const Checkpoint &checkpoint);
Inspection inspectCall(const Call &call);

/// The file name that an argument's text belongs to: `content` of write_file is in the language of `file_path`. Empty
/// when none.
QString fileNameForArgument(std::string_view tool, const Value &args, std::string_view argument);

} // namespace palimpsest
