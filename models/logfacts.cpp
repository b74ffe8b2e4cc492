// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/logfacts.h"

#include "core/artifacts/links.h"
#include "core/tokens/approximate.h"

#include <algorithm>

namespace palimpsest {

namespace {

bool isMediaBlock(std::string_view type)
{
    return type == "image" || type == "image_url" || type == "audio" || type == "input_audio" || type == "video"
        || type == "file" || type == "media" || type == "document";
}

/// What a media block points at when its bytes are not in the message.
bool pointsElsewhere(const Value &block)
{
    const Value &url = block["image_url"];
    const std::string &address = url.isText() ? url.asText()
        : url["url"].isText()                 ? url["url"].asText()
                                              : block["url"].asText();
    return (!address.empty() && address.rfind("data:", 0) != 0) || block.contains("file_id")
        || block["source"]["type"].asText() == "url";
}

bool hasMarker(const Value &value, std::string_view marker, int depth = 0)
{
    if (value.isText())
        return value.asText().size() >= marker.size()
            && value.asText().compare(value.asText().size() - marker.size(), marker.size(), marker) == 0;
    if (depth > 3)
        return false;
    if (value.isMap())
        return std::ranges::any_of(
            value.asMap(), [&](const Value::Entry &entry) { return hasMarker(entry.second, marker, depth + 1); });
    return false;
}

} // namespace

MessageFacts factsOf(const Message &message)
{
    MessageFacts facts;
    facts.tokens = static_cast<std::int64_t>(approximateMessageTokensOrBest(message));
    for (const Value &block : message.content.asList()) {
        if (isMediaBlock(block["type"].asText())) {
            facts.hasMedia = true;
            facts.remoteMedia = facts.remoteMedia || pointsElsewhere(block);
        }
    }
    for (const ToolCallView &call : toolCalls(message)) {
        if (hasMarker(*call.args, "...(argument truncated)"))
            facts.argumentsTruncated = true;
    }
    for (const ArtifactLink &link : artifactLinks(message)) {
        switch (link.kind) {
        case ArtifactLink::Kind::ToolResult:
            facts.resultEvicted = true;
            [[fallthrough]];
        case ArtifactLink::Kind::HumanMessage:
        case ArtifactLink::Kind::HumanStub:
            facts.offloadedTo = link.path;
            break;
        case ArtifactLink::Kind::Media:
        case ArtifactLink::Kind::Blob:
            facts.hasMedia = true;
            break;
        case ArtifactLink::Kind::Archive:
            break;
        }
    }
    return facts;
}

MessageFacts LogFacts::of(const Message &message) const
{
    const auto found = bodies.find(&message);
    return found != bodies.end() ? found->second : factsOf(message);
}

Result<LogFactsPtr> makeLogFacts(const ThreadPtr &thread, const JobContext &job)
{
    auto out = std::make_shared<LogFacts>();
    out->thread = thread;
    if (!thread)
        return out;
    std::size_t total = 1;
    std::size_t done = 0;
    for (const ThreadNamespace &space : thread->namespaces)
        total += space.checkpoints.size();
    const std::size_t step = std::max<std::size_t>(total / 50, 1);
    for (const ThreadNamespace &space : thread->namespaces) {
        for (std::size_t i = 0; i < space.checkpoints.size(); ++i, ++done) {
            if (job.stopped())
                return failure(Error::Code::Cancelled, {}, "Stopped.");
            if (done % step == 0)
                job.report(static_cast<double>(done) / static_cast<double>(total), "Counting tokens");
            const Checkpoint &checkpoint = space.checkpoints[i];
            const bool hasParent = checkpoint.parent.isValid() && checkpoint.parent.at() < i;
            const MessageLog &log = checkpoint.messages;
            // What the parent's log shares is met already; only the tail is new in an append-only log. Rewritten bodies
            // come from `versions`.
            std::size_t at =
                hasParent ? std::min(space.checkpoints[checkpoint.parent.at()].messages.size(), log.size()) : 0;
            const auto add = [&](const MessagePtr &message) {
                if (!message)
                    return;
                const auto [entry, fresh] = out->bodies.try_emplace(message.get());
                if (fresh) {
                    entry->second = factsOf(*message);
                    entry->second.bornAt = CheckpointIndex(i);
                }
            };
            for (; at < log.size(); ++at)
                add(log[at]);
        }
        for (const auto &[id, versions] : space.versions) {
            for (const BodyVersion &version : versions) {
                if (!version.body)
                    continue;
                MessageFacts &facts = out->bodies[version.body.get()];
                if (!facts.bornAt.isValid())
                    facts = factsOf(*version.body);
                facts.bornAt = version.checkpoint;
            }
        }
        // What a call wrote back with its old id is shorter than it was.
        for (const Call &call : space.calls) {
            for (const MessagePtr &message : call.rewrites) {
                if (!message)
                    continue;
                const auto [entry, fresh] = out->bodies.try_emplace(message.get());
                if (fresh)
                    entry->second = factsOf(*message);
                entry->second.clipped = true;
            }
        }
    }
    return out;
}

} // namespace palimpsest
