// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/scene.h"

#include "core/compaction/recordedrequest.h"
#include "core/thread/projection.h"

#include <algorithm>
#include <charconv>

namespace palimpsest {

namespace {

const Checkpoint *findCheckpoint(const ThreadNamespace &space, const std::string &id, CheckpointIndex &index)
{
    const auto &all = space.checkpoints;
    if (all.empty())
        return nullptr;
    if (!id.empty()) {
        const auto found = std::ranges::lower_bound(all, id, {}, &Checkpoint::id);
        if (found != all.end() && found->id.starts_with(id)) {
            index = CheckpointIndex(static_cast<std::size_t>(found - all.begin()));
            return &*found;
        }
    }
    index = space.heads.empty() ? CheckpointIndex(all.size() - 1) : space.heads.back();
    return index.at() < all.size() ? &all[index.at()] : nullptr;
}

std::vector<Tombstone> tombstonesOf(const Scene &scene, const std::vector<CheckpointIndex> &path)
{
    std::vector<Tombstone> out;
    const auto &checkpoints = scene.space->checkpoints;
    for (const auto &[id, versions] : scene.space->versions) {
        MessagePtr last;
        CheckpointIndex removed;
        for (const BodyVersion &version : versions) {
            const bool here = !version.checkpoint.isValid() || std::ranges::binary_search(path, version.checkpoint);
            if (version.checkpoint > scene.checkpointIndex || !here)
                continue;
            if (version.body) {
                last = version.body;
                removed = {};
            } else {
                removed = version.checkpoint;
            }
        }
        if (!last || !removed.isValid() || removed.at() >= checkpoints.size())
            continue;
        // A log that was emptied and filled again: what stood there stands before what came later.
        Tombstone grave{last, MessageIndex(std::int64_t{0}), removed};
        const Checkpoint &gone = checkpoints[removed.at()];
        if (gone.parent.isValid() && gone.parent.at() < checkpoints.size()) {
            const MessageLog &before = checkpoints[gone.parent.at()].messages;
            const MessageIndex stood = findMessage(before, id);
            if (stood.isValid() && gone.messages.size() * 2 >= before.size())
                grave.before = MessageIndex(std::min(stood.value, static_cast<std::int64_t>(scene.log.size())));
        }
        out.push_back(std::move(grave));
    }
    std::ranges::stable_sort(out, {}, [](const Tombstone &grave) { return std::pair(grave.before, grave.removedAt); });
    return out;
}

void markFates(Scene &scene)
{
    if (!scene.facts)
        return;
    const auto cut = static_cast<std::size_t>(scene.fates.cutoff().value);
    std::size_t i = cut;
    const MessageLog kept = scene.log.drop(cut);
    for (const MessagePtr &message : kept) {
        if (message) {
            const MessageFacts facts = scene.facts->of(*message);
            if (!facts.offloadedTo.empty())
                scene.fates.mark(MessageIndex(i), Fate::Kind::Stub, facts.offloadedTo);
            else if (facts.argumentsTruncated)
                scene.fates.mark(MessageIndex(i), Fate::Kind::Truncated);
        }
        ++i;
    }
}

} // namespace

Scene makeScene(const ThreadPtr &thread, const Place &place, const LogFactsPtr &facts, RecordedRequests *requests)
{
    Scene scene;
    scene.thread = thread;
    scene.facts = facts;
    if (!thread)
        return scene;
    scene.space = thread->find(place.ns);
    if (!scene.space)
        return scene;
    const ThreadNamespace &space = *scene.space;
    scene.checkpoint = findCheckpoint(space, place.checkpoint, scene.checkpointIndex);
    if (place.call.isValid() && place.call.value >= 1
        && place.call.value <= static_cast<std::int64_t>(space.calls.size())) {
        scene.call = &space.calls[static_cast<std::size_t>(place.call.value - 1)];
        if (scene.call->checkpoint.isValid() && scene.call->checkpoint.at() < space.checkpoints.size()) {
            scene.checkpointIndex = scene.call->checkpoint;
            scene.checkpoint = &space.checkpoints[scene.checkpointIndex.at()];
        }
    }
    if (!scene.checkpoint)
        return scene;

    const std::vector<CheckpointIndex> path = branchTo(space, newestBehind(space, scene.checkpointIndex));
    scene.events = eventsAlong(space, path);
    scene.log = scene.call ? scene.call->log : scene.checkpoint->messages;
    scene.event = scene.call ? scene.call->event : scene.checkpoint->event;

    // Events are compared by value: a call's own event is read from its writes, the checkpoint's from its state.
    std::vector<FateMap::Cut> cuts;
    const Projection projection = projectionOf(scene.log.size(), scene.event.get());
    const bool usable = projection.summary;
    if (scene.event) {
        for (const EventMark &mark : scene.events) {
            if (*mark.event == *scene.event)
                scene.inForce = mark.number;
        }
    }
    if (usable) {
        for (const EventMark &mark : scene.events) {
            if ((scene.inForce == 0 ? mark.checkpoint <= scene.checkpointIndex : mark.number < scene.inForce)
                && !mark.event->malformed)
                cuts.push_back({mark.number, mark.event->cutoffIndex, mark.event->filePath.value_or(std::string())});
        }
        const int number = scene.inForce ? scene.inForce : static_cast<int>(cuts.size()) + 1;
        cuts.push_back({number, projection.first.value, scene.event->filePath.value_or(std::string())});
    }
    const auto size = static_cast<std::int64_t>(scene.log.size());
    scene.fates = FateMap(std::move(cuts), size, usable);
    if (scene.call && requests) {
        RecordedRequest request = requests->at(*scene.call);
        scene.effective = std::move(request.messages);
        scene.certainty = request.certainty;
    } else {
        scene.effective = effectiveMessages(scene.log, scene.event.get());
        scene.certainty = scene.checkpoint->incomplete ? Certainty::Uncertain : Certainty::Derived;
    }
    markFates(scene);
    if (!space.versions.empty())
        scene.tombstones = tombstonesOf(scene, path);
    return scene;
}

CheckpointIndex neighbour(const Scene &scene, int direction)
{
    if (!scene.checkpoint)
        return {};
    if (direction < 0)
        return scene.checkpoint->parent;
    const auto &children = scene.checkpoint->children;
    const auto newest = std::ranges::max_element(children);
    return newest == children.end() ? CheckpointIndex() : *newest;
}

std::string messageKey(const Message &message, MessageIndex index)
{
    if (message.id && !message.id->empty())
        return *message.id;
    return "#" + std::to_string(index.value);
}

MessageIndex findMessage(const MessageLog &log, const std::string &key)
{
    if (key.empty())
        return {};
    if (key.front() == '#') {
        std::int64_t at = -1;
        const auto [end, error] = std::from_chars(key.data() + 1, key.data() + key.size(), at);
        if (error == std::errc() && end == key.data() + key.size() && at >= 0
            && at < static_cast<std::int64_t>(log.size())) {
            const MessagePtr &message = log[static_cast<std::size_t>(at)];
            if (message && (!message->id || message->id->empty()))
                return MessageIndex(at);
        }
    }
    std::size_t i = 0;
    for (const MessagePtr &message : log) {
        if (message && message->id && *message->id == key)
            return MessageIndex(i);
        ++i;
    }
    return {};
}

MessagePtr bodyVersion(const ThreadNamespace &space, const std::string &messageId, int version)
{
    const auto found = space.versions.find(messageId);
    if (found == space.versions.end())
        return nullptr;
    int at = 0;
    for (const BodyVersion &one : found->second)
        if (one.body && at++ == version)
            return one.body;
    return nullptr;
}

MessagePtr chosenMessage(const Scene &scene, const Place &place)
{
    if (place.message.empty() || !scene.space)
        return nullptr;
    if (place.version >= 0)
        if (MessagePtr version = bodyVersion(*scene.space, place.message, place.version))
            return version;
    if (const MessageIndex row = findMessage(scene.log, place.message); row.isValid())
        return scene.log[row.at()];
    if (const MessageIndex row = findMessage(scene.effective, place.message); row.isValid())
        return scene.effective[row.at()];
    if (place.message == summaryKey && scene.fates.lead() > 0 && !scene.effective.empty())
        return scene.effective.front();
    if (const auto gone = scene.space->versions.find(place.message); gone != scene.space->versions.end())
        for (auto it = gone->second.rbegin(); it != gone->second.rend(); ++it)
            if (it->body)
                return it->body;
    return nullptr;
}

} // namespace palimpsest
