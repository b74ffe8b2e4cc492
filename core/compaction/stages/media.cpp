// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compaction/stages/media.h"

#include "core/base/base64.h"
#include "core/base/mimetypes.h"
#include "core/base/sha256.h"
#include "core/compaction/stages/contentblocks.h"
#include "core/values/pyrepr.h"

#include <algorithm>
#include <map>
#include <set>

namespace palimpsest {
namespace {

/// `_OFFLOAD_FAILED_PLACEHOLDER` (deepagents/middleware/summarization.py).
constexpr std::string_view failedPlaceholder = "<image error=\"failed_to_offload\" />";

int hexDigit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/// urllib.parse.unquote_to_bytes: what is no valid escape stays.
std::string unquoted(std::string_view text)
{
    std::string out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        const int high = text[i] == '%' && i + 2 < text.size() ? hexDigit(text[i + 1]) : -1;
        const int low = high >= 0 ? hexDigit(text[i + 2]) : -1;
        if (low < 0) {
            out += text[i];
            continue;
        }
        out += static_cast<char>(high * 16 + low);
        i += 2;
    }
    return out;
}

bool namesBase64(std::string_view header)
{
    std::string lower(header);
    std::transform(lower.begin(), lower.end(), lower.begin(),
        [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return (";" + lower + ";").find(";base64;") != std::string::npos;
}

std::string_view mimeOf(std::string_view header)
{
    const std::size_t colon = header.find(':');
    if (colon == std::string_view::npos)
        return "application/octet-stream";
    std::string_view mime = header.substr(colon + 1);
    mime = mime.substr(0, mime.find(':'));
    return mime.substr(0, mime.find(';'));
}

/// What became of one picture: its path, or why there is none.
struct Upload {
    std::optional<std::string> path;
    std::string tried;
    std::string error;
};

/// The first pass of `_offload_inline_media`: each different picture is uploaded once.
Upload uploaded(const DecodedDataUrl &media, const std::string &key, ArtifactBackend &backend)
{
    Upload upload;
    upload.tried = backend.rootPrefix() + "/conversation_history/media/" + key + "." + media.extension;
    const Attempt<std::vector<TransferResponse>> responses = backend.upload({{upload.tried, media.bytes}});
    if (!responses)
        upload.error = responses.error().type + ": " + responses.error().message;
    else if (responses->empty())
        upload.error = "missing_upload_response";
    else if (responses->front().error)
        upload.error = *responses->front().error;
    else
        upload.path = upload.tried;
    return upload;
}

} // namespace

std::optional<std::string> extractDataUrl(const Value &block)
{
    if (!block.isMap())
        return std::nullopt;
    if (const Value &raw = block["base64"]; raw.truthy()) {
        const Value &mime = block["mime_type"];
        return "data:" + (mime.truthy() ? pystr(mime) : std::string("application/octet-stream")) + ";base64,"
            + pystr(raw);
    }
    for (const Value *url : {&block["url"], &block["image_url"]["url"]})
        if (url->isText() && url->asText().starts_with("data:"))
            return url->asText();
    return std::nullopt;
}

std::string DecodedDataUrl::key() const
{
    return sha256Hex(bytes).substr(0, 16);
}

std::optional<DecodedDataUrl> decodeDataUrl(std::string_view url)
{
    const std::size_t comma = url.find(',');
    if (comma == std::string_view::npos)
        return std::nullopt;
    const std::string_view header = url.substr(0, comma);
    const std::string_view payload = url.substr(comma + 1);
    DecodedDataUrl decoded;
    decoded.mime = mimeOf(header);
    std::string_view extension = mime::guessExtension(decoded.mime);
    while (extension.starts_with('.'))
        extension.remove_prefix(1);
    decoded.extension = extension.empty() ? "bin" : extension;
    if (namesBase64(header)) {
        Result<std::string> raw = base64::decode(payload);
        if (!raw)
            return std::nullopt;
        decoded.bytes = std::move(*raw);
    } else {
        const Attempt<std::string> encoded = encodeUtf8(payload);
        if (!encoded)
            return std::nullopt;
        decoded.bytes = unquoted(*encoded);
    }
    return decoded;
}

Value mediaReferenceBlock(std::string_view path, std::string_view mime)
{
    const std::string_view major = mime.substr(0, mime.find('/'));
    if (major == "image" || major == "audio" || major == "video")
        return Value::map({{"type", Value(major)}, {"url", Value(path)}});
    return Value::map({{"type", Value("text")}, {"text", Value("<file url=\"" + std::string(path) + "\" />")}});
}

Attempt<InlineMediaResult> offloadInlineMedia(const std::vector<MessagePtr> &messages, ArtifactBackend &backend)
{
    InlineMediaResult result;
    result.messages = messages;
    std::map<std::string, Upload> uploads;
    // Upstream uploads in a first pass and rewrites in a second; with one look-up table a single pass makes the same
    // calls in the same order.
    for (std::size_t i = 0; i < messages.size(); ++i) {
        const Message &message = *messages[i];
        if (message.content.isText())
            continue;
        const Attempt<Value::List> blocks = contentBlocks(message);
        if (!blocks)
            return tl::unexpected<Raised>(blocks.error());
        Value::List rewritten;
        bool modified = false;
        for (const Value &block : *blocks) {
            const std::optional<std::string> url = extractDataUrl(block);
            if (!url) {
                rewritten.push_back(block);
                continue;
            }
            modified = true;
            MessageDecision decision;
            decision.stage = "inline-media";
            decision.index = static_cast<std::int64_t>(i);
            decision.messageId = message.id;
            decision.toolCallId = message.toolCallId;
            if (const std::optional<DecodedDataUrl> media = decodeDataUrl(*url)) {
                const std::string key = media->key();
                auto known = uploads.find(key);
                if (known == uploads.end())
                    known = uploads.emplace(key, uploaded(*media, key, backend)).first;
                decision.path = known->second.tried;
                if (known->second.path) {
                    rewritten.push_back(mediaReferenceBlock(*known->second.path, media->mime));
                    decision.outcome = MessageDecision::Outcome::Offloaded;
                    decision.reason = "inline media moves to a file before the archive is written";
                    result.decisions.push_back(std::move(decision));
                    continue;
                }
                decision.reason = "the upload failed: " + known->second.error;
            } else {
                decision.reason = "the data: URL could not be decoded";
            }
            ++result.failedBlocks;
            decision.outcome = MessageDecision::Outcome::Failed;
            result.decisions.push_back(std::move(decision));
            rewritten.push_back(Value::map({{"type", Value("text")}, {"text", Value(failedPlaceholder)}}));
        }
        if (!modified)
            continue;
        auto copy = std::make_shared<Message>(message);
        copy->content = Value(std::move(rewritten));
        result.messages[i] = std::move(copy);
    }
    return result;
}

} // namespace palimpsest
