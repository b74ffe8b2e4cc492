// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/scene.h"

#include <QList>
#include <QMetaType>
#include <QString>
#include <QStringList>

namespace palimpsest {

/// A subagent that a row leads to.
struct RowSubagent {
    QString ns; ///< its namespace
    QString agent;
    QString words; ///< first words of its task
    bool empty = false; ///< it left no checkpoints

    /// "researcher: Find the newest…"
    [[nodiscard]] QString title() const;
    bool operator==(const RowSubagent &) const = default;
};

/// Everything a row of messages means; a delegate turns it into looks.
struct MessageRow {
    QString key; ///< `messageKey`, the name in the selection; "summary" for a summary that is in no log
    MessageIndex index; ///< place in the raw log; invalid for a summary
    MessageKind kind = MessageKind::Other;
    bool summary = false;
    bool tombstone = false; ///< removed from the log; shown where it stood
    QString role; ///< "human", "ai", …
    QString tool; ///< name of the tool of a result
    QString preview;
    qint64 tokens = 0;
    QString time; ///< ISO 8601 of the checkpoint that first held this body; empty when unknown
    Fate fate;
    bool inContext = true;
    // Badges
    bool offloaded = false; ///< its text is in a file
    bool truncated = false; ///< arguments were shortened
    bool clipped = false; ///< shortened after an overflow
    bool media = false;
    bool remote = false; ///< media that is elsewhere
    bool dangling = false; ///< a tool call without a result
    bool failed = false; ///< a tool result that says error, or an error in the answer
    QStringList findings; ///< what is wrong with it, a sentence each
    Finding::Severity severity = Finding::Severity::Info; ///< of the gravest finding
    // Pairing
    int calls = 0; ///< tool calls of an AI message: more than one is a parallel batch
    int place = -1; ///< a result's place among its batch's results, from 0; -1: no call found
    int batch = 0; ///< size of the batch the result belongs to
    QString partner; ///< key of the call of a result, or of the first result of a call
    bool callIsNear = false; ///< only results of the same batch stand between the result and its call
    bool lastOfBatch = false; ///< no further result of the batch follows directly
    // More
    int versions = 1; ///< bodies this message has had
    bool firstWritten = false; ///< shown as it was first written
    QList<RowSubagent> subagents; ///< that its `task` calls started, or whose answer it is

    bool operator==(const MessageRow &) const = default;
};

/// One bar of a strip.
struct StripBar {
    qint64 tokens = 0;
    MessageKind kind = MessageKind::Other;
    bool summary = false;
    bool inContext = true;
};

/// Which rows a list shows.
struct MessageFilter {
    enum class Context { All, In, Out };
    Context context = Context::All;
    QStringList roles; ///< role words; empty: all
    QString tool; ///< part of a tool's name, of a call or a result; empty: all

    [[nodiscard]] bool isEmpty() const { return context == Context::All && roles.isEmpty() && tool.isEmpty(); }
    bool operator==(const MessageFilter &) const = default;
};

/// Roles of the message models beside Qt's own (display: the preview).
enum class MessageRole {
    Row = Qt::UserRole + 1, ///< MessageRow
    Key, ///< QString
    Index, ///< qlonglong, place in the raw log
    Role, ///< QString
    Tool, ///< QString
    Tokens, ///< qlonglong
    Time, ///< QString
    InContext, ///< bool
    Text, ///< QString: the readable text, long ones cut
};

/// The row of one message of `log`. `index` is its place there; `scene` gives fate, facts and links. Looks at
/// neighbours within 500 messages to find calls and results.
MessageRow describeMessage(const Scene &scene, const MessageLog &log, std::size_t at, const MessagePtr &message);
/// Whether a filter lets a message through, by its cheap properties.
bool passes(const MessageFilter &filter, const Message &message, bool inContext);

} // namespace palimpsest

Q_DECLARE_METATYPE(palimpsest::MessageRow)
