// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/thread/checkpoint.h"

#include <immer/map.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

/// The rules by which LangGraph and Deep Agents fold writes into a channel. All of them are persistent: the state
/// before a write stays valid and shares its structure with the state after it.
namespace palimpsest {

/// Value of `id` in a RemoveMessage that empties the log (langgraph/graph/message.py REMOVE_ALL_MESSAGES, 1.2.24).
inline constexpr std::string_view removeAllMessages = "__remove_all__";

/// The value inside an Overwrite, or nothing when the write is none. Typed, `{"__overwrite__": v}` and `{"value": v,
/// "type":
/// "__overwrite__"}` count (langgraph/channels/binop.py `_get_overwrite`, 1.2.24).
std::optional<Value> overwriteOf(const Value &write);

/// One write to the messages channel, as the reducer sees it.
struct MessagesWrite {
    bool overwrite = false; ///< an Overwrite: `messages` is the whole new log
    std::vector<MessagePtr> messages; ///< RemoveMessages are among them

    bool operator==(const MessagesWrite &) const = default;
};

/// Reads a write to the messages channel. Only a list holds several messages; a pair, a map or a text is one. Error
/// Invalid where `convert_to_messages` would raise.
Result<MessagesWrite> messagesWrite(const Value &value);

/// The messages channel with its id index, so that a write to a log of n messages costs O(log n).
struct MessageState {
    MessageLog log;
    /// Message id → place in `log` of the last message with that id.
    immer::map<std::string, std::uint32_t> places;

    /// Place of the last message with this id, or nothing.
    [[nodiscard]] std::optional<std::size_t> find(const std::string &id) const;
};

/// The state over a log that is known in full, as after a snapshot.
MessageState messageState(MessageLog log);
/// The state that a stored value of the channel stands for: nil is the empty log; when its first message is typed, all
/// must be (else Error Invalid), a log of maps is coerced (deepagents/_messages_reducer.py, 0.7.7).
Result<MessageState> messageState(const Value &value);

/// One reducer call (deepagents/_messages_reducer.py `_messages_delta_reducer`, 0.7.7 and 0.7.32; the same as
/// LangGraph's). The writes must hold no Overwrite. Messages with the id of one in the log replace it in place,
/// RemoveMessage takes out, `removeAllMessages` empties, messages without id are appended. O(log n) a message; a batch
/// that removes costs O(n).
MessageState applyMessages(MessageState state, std::span<const MessagesWrite> writes);
MessageState applyMessages(MessageState state, const MessagesWrite &write);

/// Replay of ancestors' writes, oldest first: the last Overwrite is the new base and only writes after it are applied
/// (langgraph/channels/delta.py `DeltaChannel.replay_writes`, 1.2.24).
MessageState replayMessages(MessageState state, std::span<const MessagesWrite> writes);
/// One superstep: an Overwrite drops every other write, two of them are Error Invalid (`DeltaChannel.update`).
Result<MessageState> updateMessages(MessageState state, std::span<const MessagesWrite> writes);

/// LangGraph's reducer for a channel that is no DeltaChannel (langgraph/graph/message.py `add_messages`, 1.2.24).
/// Differs from the above: removing an id that is not there is Error Invalid, a removed id that comes again keeps its
/// place. Messages without id stay without.
Result<MessageState> addMessages(MessageState state, const MessagesWrite &write);

/// One write to the `files` channel: paths with their new entry, null where the file is deleted.
struct FilesWrite {
    bool overwrite = false;
    std::vector<std::pair<std::string, FileEntryPtr>> files;
};

/// Reads one entry of the channel (deepagents/backends/protocol.py FileData). Never null; what is no map becomes an
/// entry whose `raw` holds it.
FileEntryPtr fileEntry(const Value &value);
/// Reads a write to the files channel. Error Invalid when it is no map.
Result<FilesWrite> filesWrite(const Value &value);
/// deepagents/middleware/filesystem.py `_file_data_delta_reducer`, 0.7.7.
FileMap applyFiles(FileMap files, std::span<const FilesWrite> writes);
FileMap applyFiles(FileMap files, const FilesWrite &write);
/// As replayMessages.
FileMap replayFiles(FileMap files, std::span<const FilesWrite> writes);
/// The same reducer over stored maps, which keeps the order of keys: a deleted path that comes again goes to the end.
Result<Value> reduceFiles(const Value &left, std::span<const Value> writes);

} // namespace palimpsest
