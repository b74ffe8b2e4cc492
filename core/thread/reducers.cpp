// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/thread/reducers.h"

#include <immer/flex_vector_transient.hpp>
#include <immer/map_transient.hpp>

#include <algorithm>

namespace palimpsest {
namespace {

constexpr std::string_view overwriteKey = "__overwrite__";

/// A stored message, as opposed to something that only convert_to_messages turns into one: a map is that, whatever is
/// in it.
bool isTyped(const Value &value)
{
    return value.isTagged();
}

MessageState fold(MessageState state, std::span<const MessagePtr> messages)
{
    // Only what follows the last reset counts.
    for (std::size_t i = messages.size(); i-- > 0;) {
        if (messages[i]->kind == MessageKind::Remove && messages[i]->id == removeAllMessages) {
            state = {};
            messages = messages.subspan(i + 1);
            break;
        }
    }
    auto log = std::move(state.log).transient();
    auto places = std::move(state.places).transient();
    bool removed = false;
    for (const MessagePtr &message : messages) {
        if (!message->id) {
            log.push_back(message);
            continue;
        }
        const std::uint32_t *place = places.find(*message->id);
        if (message->kind == MessageKind::Remove) {
            if (place) {
                log.set(*place, nullptr);
                places.erase(*message->id);
                removed = true;
            }
        } else if (place) {
            log.set(*place, message);
        } else {
            places.set(*message->id, static_cast<std::uint32_t>(log.size()));
            log.push_back(message);
        }
    }
    if (!removed)
        return {log.persistent(), places.persistent()};
    MessageLog kept;
    auto keep = std::move(kept).transient();
    for (const MessagePtr &message : log.persistent())
        if (message)
            keep.push_back(message);
    return messageState(keep.persistent());
}

std::vector<MessagePtr> flatten(std::span<const MessagesWrite> writes)
{
    std::vector<MessagePtr> all;
    for (const MessagesWrite &write : writes)
        all.insert(all.end(), write.messages.begin(), write.messages.end());
    return all;
}

MessageState overwritten(const MessagesWrite &write)
{
    return messageState(MessageLog(write.messages.begin(), write.messages.end()));
}

/// The place behind the last Overwrite, 0 when there is none.
template <class Write> std::size_t afterOverwrite(std::span<const Write> writes)
{
    for (std::size_t i = writes.size(); i-- > 0;)
        if (writes[i].overwrite)
            return i + 1;
    return 0;
}

} // namespace

std::optional<Value> overwriteOf(const Value &write)
{
    if (const Value::Tagged *tagged = write.asTagged()) {
        if (tagged->name != "Overwrite" || !tagged->module.starts_with("langgraph"))
            return std::nullopt;
        if (tagged->value.isMap() && tagged->form != Value::Form::ConstructorSingle && tagged->value.contains("value"))
            return tagged->value["value"];
        if (tagged->form == Value::Form::ConstructorArgs)
            return tagged->value.asList().empty() ? Value() : tagged->value.asList().front();
        return tagged->value;
    }
    if (!write.isMap())
        return std::nullopt;
    if (write.asMap().size() == 1 && write.contains(overwriteKey))
        return write[overwriteKey];
    if (write["type"].isText() && write["type"].asText() == overwriteKey && write.contains("value"))
        return write["value"];
    return std::nullopt;
}

namespace {

/// What a write holds, out of its Overwrite when it is one.
template <class Write> Value contentOf(const Value &value, Write &write)
{
    std::optional<Value> inside = overwriteOf(value);
    write.overwrite = inside.has_value();
    return inside ? std::move(*inside) : value;
}

} // namespace

Result<MessagesWrite> messagesWrite(const Value &value)
{
    MessagesWrite write;
    const Value content = contentOf(value, write);
    if (write.overwrite && content.isNil())
        return write;
    const std::span<const Value> items =
        content.isList() ? std::span<const Value>(content.asList()) : std::span<const Value>(&content, 1);
    write.messages.reserve(items.size());
    for (const Value &item : items) {
        Result<MessagePtr> message = messageFromLike(item);
        if (!message)
            return tl::unexpected(message.error());
        write.messages.push_back(std::move(*message));
    }
    return write;
}

std::optional<std::size_t> MessageState::find(const std::string &id) const
{
    const std::uint32_t *place = places.find(id);
    return place ? std::optional<std::size_t>(*place) : std::nullopt;
}

MessageState messageState(MessageLog log)
{
    immer::map<std::string, std::uint32_t> empty;
    auto places = std::move(empty).transient();
    std::uint32_t at = 0;
    for (const MessagePtr &message : log) {
        if (message->id)
            places.set(*message->id, at);
        ++at;
    }
    return {std::move(log), places.persistent()};
}

Result<MessageState> messageState(const Value &value)
{
    if (!value.truthy())
        return MessageState();
    if (!value.isList()) {
        Result<MessagesWrite> one = messagesWrite(value);
        if (!one)
            return tl::unexpected(one.error());
        return overwritten(*one);
    }
    const bool typed = isTyped(value.asList().front());
    MessageLog empty;
    auto log = std::move(empty).transient();
    for (const Value &item : value.asList()) {
        if (typed && !isTyped(item))
            return failure(Error::Code::Invalid, "messages[" + std::to_string(log.size()) + "]",
                "is no message, though the first one is");
        Result<MessagePtr> message = messageFromLike(item);
        if (!message)
            return tl::unexpected(message.error());
        log.push_back(std::move(*message));
    }
    return messageState(log.persistent());
}

MessageState applyMessages(MessageState state, std::span<const MessagesWrite> writes)
{
    if (writes.size() == 1)
        return fold(std::move(state), writes.front().messages);
    return fold(std::move(state), flatten(writes));
}

MessageState applyMessages(MessageState state, const MessagesWrite &write)
{
    return fold(std::move(state), write.messages);
}

MessageState replayMessages(MessageState state, std::span<const MessagesWrite> writes)
{
    const std::size_t start = afterOverwrite(writes);
    if (start > 0)
        state = overwritten(writes[start - 1]);
    return start == writes.size() ? state : applyMessages(std::move(state), writes.subspan(start));
}

Result<MessageState> updateMessages(MessageState state, std::span<const MessagesWrite> writes)
{
    const auto count =
        std::count_if(writes.begin(), writes.end(), [](const MessagesWrite &write) { return write.overwrite; });
    if (count > 1)
        return failure(Error::Code::Invalid, "messages", "Can receive only one Overwrite value per super-step.");
    if (count == 1)
        return overwritten(writes[afterOverwrite(writes) - 1]);
    return applyMessages(std::move(state), writes);
}

Result<MessageState> addMessages(MessageState state, const MessagesWrite &write)
{
    if (write.overwrite)
        return overwritten(write);
    std::span<const MessagePtr> messages = write.messages;
    for (std::size_t i = messages.size(); i-- > 0;)
        if (messages[i]->kind == MessageKind::Remove && messages[i]->id == removeAllMessages) {
            // Upstream returns what follows as it is, doubles and all.
            const auto rest = messages.subspan(i + 1);
            return messageState(MessageLog(rest.begin(), rest.end()));
        }
    auto log = std::move(state.log).transient();
    auto places = std::move(state.places).transient();
    std::vector<std::string> remove;
    for (const MessagePtr &message : messages) {
        if (!message->id) {
            log.push_back(message);
            continue;
        }
        const std::uint32_t *place = places.find(*message->id);
        if (message->kind == MessageKind::Remove) {
            if (!place)
                return failure(Error::Code::Invalid, "messages",
                    "Attempting to delete a message with an ID that doesn't exist ('" + *message->id + "')");
            remove.push_back(*message->id);
        } else if (place) {
            std::erase(remove, *message->id);
            log.set(*place, message);
        } else {
            places.set(*message->id, static_cast<std::uint32_t>(log.size()));
            log.push_back(message);
        }
    }
    if (remove.empty())
        return MessageState{log.persistent(), places.persistent()};
    std::sort(remove.begin(), remove.end());
    MessageLog empty;
    auto kept = std::move(empty).transient();
    for (const MessagePtr &message : log.persistent())
        if (!message->id || !std::binary_search(remove.begin(), remove.end(), *message->id))
            kept.push_back(message);
    return messageState(kept.persistent());
}

FileEntryPtr fileEntry(const Value &value)
{
    auto entry = std::make_shared<FileEntry>();
    entry->raw = value;
    if (const Value *content = value.find("content"))
        entry->content = *content;
    if (const Value *encoding = value.find("encoding"); encoding && encoding->isText())
        entry->encoding = encoding->asText();
    entry->createdAt = value["created_at"].asText();
    entry->modifiedAt = value["modified_at"].asText();
    return entry;
}

Result<FilesWrite> filesWrite(const Value &value)
{
    FilesWrite write;
    const Value content = contentOf(value, write);
    if (write.overwrite && content.isNil())
        return write;
    if (!content.isMap())
        return failure(Error::Code::Invalid, "files", "a write to the files channel is no map of paths");
    for (const auto &[path, entry] : content.asMap()) {
        if (!path.isText())
            return failure(Error::Code::Invalid, "files", "a path in a write to the files channel is no text");
        write.files.emplace_back(path.asText(), entry.isNil() ? nullptr : fileEntry(entry));
    }
    return write;
}

FileMap applyFiles(FileMap files, std::span<const FilesWrite> writes)
{
    for (const FilesWrite &write : writes)
        for (const auto &[path, entry] : write.files)
            files = entry ? std::move(files).set(path, entry) : std::move(files).erase(path);
    return files;
}

FileMap applyFiles(FileMap files, const FilesWrite &write)
{
    return applyFiles(std::move(files), std::span<const FilesWrite>(&write, 1));
}

FileMap replayFiles(FileMap files, std::span<const FilesWrite> writes)
{
    const std::size_t start = afterOverwrite(writes);
    if (start == 0)
        return applyFiles(std::move(files), writes);
    return applyFiles(applyFiles(FileMap(), writes[start - 1]), writes.subspan(start));
}

Result<Value> reduceFiles(const Value &left, std::span<const Value> writes)
{
    Value::Map result = left.asMap();
    for (const Value &write : writes) {
        if (!write.isMap())
            return failure(Error::Code::Invalid, "files", "a write to the files channel is no map of paths");
        for (const auto &[path, entry] : write.asMap()) {
            const auto at = std::find_if(
                result.begin(), result.end(), [&path = path](const Value::Entry &e) { return e.first == path; });
            if (entry.isNil()) {
                if (at != result.end())
                    result.erase(at);
            } else if (at != result.end()) {
                at->second = entry;
            } else {
                result.emplace_back(path, entry);
            }
        }
    }
    return Value(std::move(result));
}

} // namespace palimpsest
