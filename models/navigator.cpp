// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/navigator.h"

#include "models/display.h"

#include <QCoreApplication>
#include <algorithm>

namespace palimpsest {

namespace {

constexpr std::size_t shortestPart = 6;

QString word(const char *text)
{
    return QCoreApplication::translate("Navigator", text);
}

bool fits(std::string_view whole, std::string_view id)
{
    return whole == id || (id.size() >= shortestPart && whole.starts_with(id));
}

std::string checkpointId(const Scene &scene, CheckpointIndex index)
{
    return index.isValid() && index.at() < scene.space->checkpoints.size() ? scene.space->checkpoints[index.at()].id
                                                                           : std::string();
}

bool metadataHas(const Value &metadata, std::string_view id, std::string_view *key)
{
    for (const auto &[name, value] : metadata.asMap()) {
        if (value.isText() && fits(value.asText(), id)) {
            *key = name.asText();
            return true;
        }
    }
    return false;
}

bool isMessageOf(const Message &message, std::string_view id, bool *toolCall)
{
    *toolCall = false;
    if (message.id && fits(*message.id, id))
        return true;
    *toolCall = true;
    if (message.toolCallId && fits(*message.toolCallId, id))
        return true;
    return std::ranges::any_of(
        toolCalls(message), [&](const ToolCallView &call) { return call.hasId && fits(call.id, id); });
}

/// Looks in one namespace; the newest head's log first, for that is where most ids are.
std::optional<IdMatch> findInSpace(
    const ThreadNamespace &space, const Place &base, const MessageLog &log, std::string_view id)
{
    IdMatch match{base, {}};
    std::size_t at = 0;
    for (const MessagePtr &message : log) {
        bool toolCall = false;
        if (message && isMessageOf(*message, id, &toolCall)) {
            match.place.message = messageKey(*message, MessageIndex(at));
            match.what = toolCall ? word("tool call") : word("message");
            return match;
        }
        ++at;
    }
    // Removed since: where it was last.
    for (const auto &[messageId, versions] : space.versions) {
        const auto last = std::ranges::find_if(
            versions.rbegin(), versions.rend(), [](const BodyVersion &version) { return version.body != nullptr; });
        if (fits(messageId, id) && last != versions.rend() && last->checkpoint.isValid()) {
            match.place.message = messageId;
            match.place.checkpoint = space.checkpoints[last->checkpoint.at()].id;
            match.place.call = {};
            match.what = word("message");
            return match;
        }
    }
    for (const Checkpoint &checkpoint : space.checkpoints) {
        if (fits(checkpoint.id, id)) {
            match.place.checkpoint = checkpoint.id;
            match.place.call = {};
            match.what = word("checkpoint");
            return match;
        }
    }
    for (const Call &call : space.calls) {
        if (fits(call.taskId, id) && call.checkpoint.isValid()) {
            match.place.call = call.number;
            match.place.checkpoint = space.checkpoints[call.checkpoint.at()].id;
            match.what = word("task of a model call");
            return match;
        }
    }
    for (const Checkpoint &checkpoint : space.checkpoints) {
        std::string_view key;
        if (metadataHas(checkpoint.metadata, id, &key)) {
            match.place.checkpoint = checkpoint.id;
            match.place.call = {};
            match.what = QString::fromUtf8(key.data(), static_cast<qsizetype>(key.size()));
            return match;
        }
    }
    return {};
}

} // namespace

Place stepMessage(const Scene &scene, const Place &place, int direction)
{
    const auto size = static_cast<std::int64_t>(scene.log.size());
    if (size == 0)
        return place;
    Place next = place;
    const MessageIndex here = findMessage(scene.log, place.message);
    std::int64_t at = here.value + direction;
    if (!here.isValid())
        at = direction > 0 ? scene.fates.cutoff().value : size - 1;
    at = std::clamp<std::int64_t>(at, 0, size - 1);
    const MessagePtr &message = scene.log[static_cast<std::size_t>(at)];
    if (!message)
        return place;
    next.message = messageKey(*message, MessageIndex(at));
    next.version = -1;
    next.text = {};
    return next;
}

Place stepEvent(const Scene &scene, const Place &place, int direction)
{
    Place next = place;
    const EventMark *best = nullptr;
    for (const EventMark &mark : scene.events) {
        if (direction > 0 && mark.checkpoint > scene.checkpointIndex) {
            best = &mark;
            break;
        }
        if (direction < 0 && mark.checkpoint < scene.checkpointIndex)
            best = &mark;
    }
    if (!best)
        return place;
    next.checkpoint = checkpointId(scene, best->checkpoint);
    next.call = {};
    return next;
}

Place stepCheckpoint(const Scene &scene, const Place &place, int direction)
{
    const CheckpointIndex to = neighbour(scene, direction);
    if (!to.isValid())
        return place;
    Place next = place;
    next.checkpoint = checkpointId(scene, to);
    next.call = {};
    return next;
}

Place stepCall(const Scene &scene, const Place &place, int direction)
{
    if (!scene.space || scene.space->calls.empty())
        return place;
    const auto &calls = scene.space->calls;
    const Call *to = nullptr;
    if (scene.call) {
        const std::int64_t at = scene.call->number.value - 1 + direction;
        to = at >= 0 && at < static_cast<std::int64_t>(calls.size()) ? &calls[static_cast<std::size_t>(at)] : nullptr;
    } else {
        for (const Call &call : calls) {
            if (direction > 0 && call.checkpoint >= scene.checkpointIndex) {
                to = &call;
                break;
            }
            if (direction < 0 && call.checkpoint < scene.checkpointIndex)
                to = &call;
        }
    }
    if (!to)
        return place;
    Place next = place;
    next.call = to->number;
    next.checkpoint = checkpointId(scene, to->checkpoint);
    return next;
}

std::optional<IdMatch> findId(
    const Scene &scene, const std::vector<ThreadRow> &threads, const Place &place, const std::string &id)
{
    if (id.empty() || id.find(' ') != std::string::npos)
        return {};
    if (scene.checkpoint) {
        if (id.front() == '/' && scene.checkpoint->files.find(id)) {
            IdMatch match{place, word("file")};
            match.place.artifact = id;
            match.place.section = -1;
            return match;
        }
        if (const auto here = findInSpace(*scene.space, place, scene.log, id))
            return here;
        for (const ThreadNamespace &space : scene.thread->namespaces) {
            Place base;
            base.thread = place.thread;
            base.ns = space.name;
            if (!space.name.empty()
                && (fits(space.name, id) || fits(std::string_view(space.name).substr(space.name.find(':') + 1), id)))
                return IdMatch{base, word("namespace")};
            if (space.checkpoints.empty())
                continue;
            const CheckpointIndex head =
                space.heads.empty() ? CheckpointIndex(space.checkpoints.size() - 1) : space.heads.back();
            if (const auto found = findInSpace(space, base, space.checkpoints[head.at()].messages, id))
                return found;
        }
    }
    for (const ThreadRow &row : threads) {
        Place base;
        base.thread = row.id;
        if (fits(row.id, id))
            return IdMatch{base, word("thread")};
        std::string_view key;
        if (metadataHas(row.metadata, id, &key))
            return IdMatch{base, QString::fromUtf8(key.data(), static_cast<qsizetype>(key.size()))};
    }
    return {};
}

SettledPlace settlePlace(const Scene &scene, const Place &place)
{
    SettledPlace settled{place, {}};
    if (!scene.thread)
        return settled;
    if (!scene.space) {
        settled.missing = word("The thread has no namespace \"%1\"; the root is shown.").arg(toQString(place.ns));
        settled.place = {};
        settled.place.thread = place.thread;
        return settled;
    }
    if (!scene.checkpoint)
        return settled;
    if (!place.checkpoint.empty() && !scene.call && !scene.checkpoint->id.starts_with(place.checkpoint)) {
        settled.missing = word("No checkpoint of this namespace begins with \"%1\"; the newest one is shown.")
                              .arg(toQString(place.checkpoint));
        settled.place.checkpoint.clear();
    }
    if (place.call.isValid() && !scene.call) {
        settled.missing = word("There is no call %1: this namespace has %2; the newest checkpoint is shown.")
                              .arg(place.call.value)
                              .arg(scene.space->calls.size());
        settled.place.call = {};
    }
    if (place.message.empty() || findMessage(scene.log, place.message).isValid()
        || findMessage(scene.effective, place.message).isValid())
        return settled;
    if (const auto match = findId(scene, {}, place, place.message); match && !match->place.message.empty()) {
        settled.place = match->place;
    } else if (place.message != summaryKey) {
        settled.missing = word("No message of this thread has the id \"%1\".").arg(toQString(place.message));
        settled.place.message.clear();
    }
    return settled;
}

} // namespace palimpsest
