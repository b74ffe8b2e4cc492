// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compaction/stages/bloboffload.h"

#include "core/base/base64.h"
#include "core/base/sha256.h"

#include <algorithm>
#include <set>
#include <unordered_map>

namespace palimpsest {
namespace {

/// `_BLOB_REF_KEY`.
constexpr std::string_view refKey = "deepagents_blob";
/// `_MISSING_BLOB_TEXT`.
constexpr std::string_view missingText =
    "[Binary content from an earlier read_file call is no longer available. Re-read the file if you still need it.]";

std::string blobPath(const ArtifactBackend &backend, const std::string &digest)
{
    return backend.rootPrefix() + "/blobs/" + digest;
}

bool isDigest(std::string_view text)
{
    return text.size() == 64 && std::all_of(text.begin(), text.end(), [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
    });
}

struct Pending {
    std::string payload;
    std::string digest;
    std::string bytes;
};

/// `_pending_blobs`: each different payload once, in order; what is no strict base64 stays out.
std::vector<Pending> pendingBlobs(const std::vector<MessagePtr> &messages)
{
    std::vector<Pending> pending;
    std::set<std::string> seen;
    for (const MessagePtr &message : messages)
        for (const Value &block : message->content.asList()) {
            const Value &payload = block["base64"];
            if (!payload.isText() || seen.contains(payload.asText()))
                continue;
            Result<std::string> raw = base64::decodeStrict(payload.asText());
            if (!raw)
                continue;
            seen.insert(payload.asText());
            std::string digest = sha256Hex(*raw);
            pending.push_back({payload.asText(), std::move(digest), std::move(*raw)});
        }
    return pending;
}

MessageDecision decisionFor(const Message &message, std::size_t index)
{
    MessageDecision decision;
    decision.stage = "blob-offload";
    decision.index = static_cast<std::int64_t>(index);
    decision.messageId = message.id;
    decision.toolCallId = message.toolCallId;
    return decision;
}

/// The block without `gone`, `added` at its end.
Value exchanged(const Value &block, std::string_view gone, std::string_view added, const std::string &text)
{
    return block.without(gone).with(added, Value(text));
}

} // namespace

Attempt<BlobResult> offloadBlobs(const std::vector<MessagePtr> &messages, ArtifactBackend &backend, BlobCache &cache)
{
    BlobResult result;
    result.messages = messages;
    const std::vector<Pending> pending = pendingBlobs(messages);
    if (pending.empty())
        return result;
    std::vector<ArtifactBackend::Upload> files;
    for (const Pending &blob : pending)
        files.push_back({blobPath(backend, blob.digest), blob.bytes});
    const Attempt<std::vector<TransferResponse>> responses = backend.upload(files);
    // Upstream zips responses and payloads strictly, outside the guarded call.
    if (responses && responses->size() != pending.size())
        return raised("ValueError", "zip() argument 2 is shorter than argument 1");
    std::unordered_map<std::string, std::string> stored;
    for (std::size_t i = 0; responses && i < pending.size(); ++i)
        if (!(*responses)[i].error) {
            stored[pending[i].payload] = pending[i].digest;
            cache[pending[i].digest] = pending[i].payload;
        }
    for (std::size_t i = 0; i < messages.size(); ++i) {
        Value::List content;
        bool changed = false;
        for (const Value &block : messages[i]->content.asList()) {
            const Value &payload = block["base64"];
            const auto found = payload.isText() ? stored.find(payload.asText()) : stored.end();
            if (payload.isText() && std::any_of(pending.begin(), pending.end(), [&](const Pending &blob) {
                    return blob.payload == payload.asText();
                })) {
                MessageDecision decision = decisionFor(*messages[i], i);
                decision.outcome =
                    found != stored.end() ? MessageDecision::Outcome::Offloaded : MessageDecision::Outcome::Failed;
                decision.path = found != stored.end() ? blobPath(backend, found->second) : std::string();
                decision.reason = found != stored.end() ? "binary content moves to a blob, the state keeps a reference"
                                                        : "the upload failed, so the content stays inline";
                result.decisions.push_back(std::move(decision));
            }
            if (found == stored.end()) {
                content.push_back(block);
                continue;
            }
            changed = true;
            content.push_back(exchanged(block, "base64", refKey, found->second));
        }
        if (!changed)
            continue;
        auto copy = std::make_shared<Message>(*messages[i]);
        copy->content = Value(std::move(content));
        result.messages[i] = std::move(copy);
    }
    return result;
}

Attempt<BlobResult> offloadHistoryBlobs(const std::vector<MessagePtr> &state, const std::vector<MessagePtr> &pending,
    ArtifactBackend &backend, BlobCache &cache)
{
    std::unordered_map<std::string, MessagePtr> queued;
    for (const MessagePtr &message : pending)
        if (message->id)
            queued[*message->id] = message;
    std::vector<MessagePtr> candidates;
    for (const MessagePtr &message : state) {
        if (!message->id)
            continue;
        const auto found = queued.find(*message->id);
        const MessagePtr &current = found != queued.end() ? found->second : message;
        if (current->kind == MessageKind::Human || (current->kind == MessageKind::Tool && current->name == "read_file"))
            candidates.push_back(current);
    }
    Attempt<BlobResult> offloaded = offloadBlobs(candidates, backend, cache);
    if (!offloaded)
        return offloaded;
    std::vector<MessagePtr> replaced;
    std::set<std::string> replacedIds;
    for (std::size_t i = 0; i < candidates.size(); ++i)
        if (offloaded->messages[i] != candidates[i]) {
            replaced.push_back(offloaded->messages[i]);
            replacedIds.insert(*candidates[i]->id);
        }
    BlobResult result;
    result.decisions = std::move(offloaded->decisions);
    for (const MessagePtr &message : pending)
        if (!message->id || !replacedIds.contains(*message->id))
            result.messages.push_back(message);
    result.messages.insert(result.messages.end(), replaced.begin(), replaced.end());
    return result;
}

bool refersToBlobs(const Message &message)
{
    const Value::List &blocks = message.content.asList();
    return std::any_of(blocks.begin(), blocks.end(), [](const Value &block) { return block.contains(refKey); });
}

RestoredMessage restoreBlobs(const MessagePtr &message, const BlobReader &blobs)
{
    RestoredMessage result{message, 0};
    if (!refersToBlobs(*message))
        return result;
    Value::List content;
    for (const Value &block : message->content.asList()) {
        const Value &ref = block[refKey];
        if (!block.contains(refKey)) {
            content.push_back(block);
            continue;
        }
        const bool named = ref.isText() && isDigest(ref.asText());
        const std::optional<std::string> bytes = named ? blobs(ref.asText()) : std::nullopt;
        if (bytes && sha256Hex(*bytes) == ref.asText()) {
            content.push_back(exchanged(block, refKey, "base64", base64::encode(*bytes)));
            continue;
        }
        ++result.missing;
        content.push_back(Value::map({{"type", Value("text")}, {"text", Value(missingText)}}));
    }
    auto copy = std::make_shared<Message>(*message);
    copy->content = Value(std::move(content));
    result.message = std::move(copy);
    return result;
}

std::vector<std::string> referencedBlobs(const std::vector<MessagePtr> &messages)
{
    std::vector<std::string> digests;
    std::set<std::string> seen;
    for (const MessagePtr &message : messages)
        for (const Value &block : message->content.asList())
            if (const Value &ref = block[refKey];
                ref.isText() && isDigest(ref.asText()) && seen.insert(ref.asText()).second)
                digests.push_back(ref.asText());
    return digests;
}

Attempt<BlobResult> hydrateBlobs(const std::vector<MessagePtr> &messages, ArtifactBackend &backend, BlobCache &cache)
{
    BlobResult result;
    result.messages = messages;
    const auto hasRefs = [](const MessagePtr &message) { return refersToBlobs(*message); };
    if (std::none_of(messages.begin(), messages.end(), hasRefs))
        return result;
    std::unordered_map<std::string, std::string> payloads;
    std::vector<std::string> missing;
    for (const std::string &digest : referencedBlobs(messages)) {
        const auto known = cache.find(digest);
        if (known != cache.end())
            payloads[digest] = known->second;
        else
            missing.push_back(digest);
    }
    if (!missing.empty()) {
        std::vector<std::string> paths;
        for (const std::string &digest : missing)
            paths.push_back(blobPath(backend, digest));
        const Attempt<std::vector<TransferResponse>> responses = backend.download(paths);
        for (std::size_t i = 0; responses && i < std::min(missing.size(), responses->size()); ++i) {
            const TransferResponse &response = (*responses)[i];
            // Blobs lie where the agent can write, so the digest is checked.
            if (response.error || !response.content || sha256Hex(*response.content) != missing[i])
                continue;
            payloads[missing[i]] = cache[missing[i]] = base64::encode(*response.content);
        }
    }
    for (std::size_t i = 0; i < messages.size(); ++i) {
        if (!hasRefs(messages[i]))
            continue;
        Value::List content;
        for (const Value &block : messages[i]->content.asList()) {
            if (!block.contains(refKey)) {
                content.push_back(block);
                continue;
            }
            MessageDecision decision = decisionFor(*messages[i], i);
            const Value &ref = block[refKey];
            const auto payload = ref.isText() ? payloads.find(ref.asText()) : payloads.end();
            decision.path = ref.isText() ? blobPath(backend, ref.asText()) : std::string();
            if (payload == payloads.end()) {
                decision.outcome = MessageDecision::Outcome::Missing;
                decision.reason = "the blob is gone or does not match its digest";
                content.push_back(Value::map({{"type", Value("text")}, {"text", Value(missingText)}}));
            } else {
                decision.outcome = MessageDecision::Outcome::Restored;
                decision.reason = "the request carries the content again";
                content.push_back(exchanged(block, refKey, "base64", payload->second));
            }
            result.decisions.push_back(std::move(decision));
        }
        auto copy = std::make_shared<Message>(*messages[i]);
        copy->content = Value(std::move(content));
        result.messages[i] = std::move(copy);
    }
    return result;
}

} // namespace palimpsest
