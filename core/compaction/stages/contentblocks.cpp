// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compaction/stages/contentblocks.h"

#include "core/base/base64.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <optional>

namespace palimpsest {
namespace {

using Keys = std::initializer_list<std::string_view>;

/// KNOWN_BLOCK_TYPES (langchain_core/messages/content.py, 1.8.3).
constexpr std::array<std::string_view, 14> knownTypes = {"text", "reasoning", "refusal", "tool_call",
    "invalid_tool_call", "tool_call_chunk", "image", "audio", "file", "text-plain", "video", "server_tool_call",
    "server_tool_call_chunk", "server_tool_result"};

bool isKnown(const Value &block)
{
    const Value &type = block["type"];
    if (!type.isText())
        return false;
    return type.asText() == "non_standard"
        || std::find(knownTypes.begin(), knownTypes.end(), type.asText()) != knownTypes.end();
}

bool hasType(const Value &block, std::string_view type)
{
    return block["type"].isText() && block["type"].asText() == type;
}

bool isOneOf(const Value &block, Keys types)
{
    return std::any_of(types.begin(), types.end(), [&](std::string_view type) { return hasType(block, type); });
}

Value nonStandard(const Value &block)
{
    return Value::map({{"type", Value("non_standard")}, {"value", block}});
}

tl::unexpected<Raised> missingKey(std::string_view key)
{
    return raised("KeyError", "'" + std::string(key) + "'");
}

/// The entries whose keys are not among `known`.
Value::Map without(const Value &map, Keys known)
{
    Value::Map rest;
    for (const Value::Entry &entry : map.asMap())
        if (!entry.first.isText() || std::find(known.begin(), known.end(), entry.first.asText()) == known.end())
            rest.push_back(entry);
    return rest;
}

/// `_populate_extras` (block_translators/anthropic.py): the other members under "extras".
Value withExtras(Value block, const Value &source, Keys known)
{
    Value::Map extras = without(source, known);
    if (extras.empty())
        return block;
    Value all = block["extras"].isMap() ? block["extras"] : Value(Value::Map{});
    for (Value::Entry &entry : extras)
        all = entry.first.isText() ? all.with(entry.first.asText(), entry.second) : all;
    return block.with("extras", std::move(all));
}

/// `create_image_block` and its like (langchain_core/messages/content.py): keyword arguments in, a block with an id
/// out.
Attempt<Value> createBlock(std::string_view type, Value::Map arguments, std::string_view freshId)
{
    const Value given(std::move(arguments));
    if (!given["url"].truthy() && !given["base64"].truthy() && !given["file_id"].truthy())
        return raised("ValueError", "Must provide one of: url, base64, or file_id");
    if (type != "image" && given["base64"].truthy() && !given["mime_type"].truthy())
        return raised("ValueError", "mime_type is required when using base64 data");
    Value::Map block;
    block.emplace_back(Value("type"), Value(type));
    block.emplace_back(Value("id"), given["id"].truthy() ? given["id"] : Value(freshId));
    for (const std::string_view key : {"url", "base64", "file_id", "mime_type", "index"})
        if (!given[key].isNil())
            block.emplace_back(Value(key), given[key]);
    Value::Map extras = without(given, {"id", "url", "base64", "file_id", "mime_type", "index"});
    std::erase_if(extras, [](const Value::Entry &entry) { return entry.second.isNil(); });
    if (!extras.empty())
        block.emplace_back(Value("extras"), Value(std::move(extras)));
    return Value(std::move(block));
}

/// One branch of `_convert_legacy_v0_content_block_to_v1` (block_translators/langchain_v0.py).
Attempt<Value> fromV0Source(
    const Value &block, std::string_view type, std::string_view from, std::string_view to, std::string_view freshId)
{
    const Value *data = block.find(from);
    if (!data)
        return missingKey(from);
    Value::Map extras;
    for (const Value::Entry &entry : block.asMap())
        if (!entry.first.isText()
            || (entry.first.asText() != "type" && entry.first.asText() != "source_type" && entry.first.asText() != from
                && (from == "id" || entry.first.asText() != "mime_type")))
            extras.push_back(entry);
    // The block's id is handed over twice, which Python refuses.
    if (from != "id" && block.contains("id"))
        return raised("TypeError",
            "langchain_core.messages.content.create_" + std::string(to == "text" ? "plaintext" : type)
                + "_block() got multiple values for keyword argument 'id'");
    if (from == "id" && type == "file") {
        Value::Map arguments = std::move(extras);
        arguments.emplace_back(Value(to), *data);
        return createBlock(type, std::move(arguments), freshId);
    }
    Value::Map made;
    made.emplace_back(Value("type"), Value(to == "text" ? "text-plain" : type));
    made.emplace_back(Value(to), *data);
    if (to == "text")
        made.emplace_back(Value("mime_type"), block["mime_type"].truthy() ? block["mime_type"] : Value("text/plain"));
    else if (from != "id" && block["mime_type"].truthy())
        made.emplace_back(Value("mime_type"), block["mime_type"]);
    std::erase_if(extras, [](const Value::Entry &entry) { return entry.second.isNil(); });
    if (!extras.empty())
        made.emplace_back(Value("extras"), Value(std::move(extras)));
    return Value(std::move(made));
}

/// `_convert_v0_multimodal_input_to_v1` (block_translators/langchain_v0.py).
Attempt<Value> fromV0(const Value &block, std::string_view freshId)
{
    if (!isOneOf(block, {"image", "audio", "file"}) || !block.contains("source_type"))
        return isKnown(block) ? block : nonStandard(block);
    const std::string &type = block["type"].asText();
    const std::string &source = block["source_type"].asText();
    if (source == "url")
        return fromV0Source(block, type, "url", "url", freshId);
    if (source == "base64")
        return fromV0Source(block, type, "data", "base64", freshId);
    if (source == "id")
        return fromV0Source(block, type, "id", "file_id", freshId);
    if (source == "text" && type == "file")
        return fromV0Source(block, type, "url", "text", freshId);
    return block;
}

struct DataUri {
    std::string mime;
    std::string data;
};

/// `_parse_data_uri` (langchain_core/language_models/_utils.py).
std::optional<DataUri> parseDataUri(std::string_view uri)
{
    if (!uri.starts_with("data:"))
        return std::nullopt;
    uri.remove_prefix(5);
    const std::size_t end = uri.find(';');
    if (end == 0 || end == std::string_view::npos || !uri.substr(end).starts_with(";base64,"))
        return std::nullopt;
    std::string_view data = uri.substr(end + 8);
    if (data.ends_with('\n'))
        data.remove_suffix(1);
    if (data.empty() || data.find('\n') != std::string_view::npos)
        return std::nullopt;
    return DataUri{std::string(uri.substr(0, end)), std::string(data)};
}

/// `is_openai_data_block` (langchain_core/language_models/_utils.py).
bool isOpenAiDataBlock(const Value &block)
{
    if (hasType(block, "image_url"))
        return without(block, {"type", "image_url", "detail"}).empty() && block["image_url"].isMap()
            && block["image_url"]["url"].isText();
    if (hasType(block, "input_audio"))
        return block["input_audio"]["data"].isText() && block["input_audio"]["format"].isText();
    if (hasType(block, "file"))
        return block["file"]["file_data"].isText() || block["file"]["file_id"].isText();
    return false;
}

/// The members of `inner` beside `known`, their names prefixed.
void appendPrefixed(Value::Map &arguments, const Value &inner, Keys known, std::string_view prefix)
{
    Value all(std::move(arguments));
    for (const Value::Entry &entry : without(inner, known)) {
        const std::string &key = entry.first.asText();
        all = all.with(prefix == "image_url_" && key == "detail" ? key : std::string(prefix) + key, entry.second);
    }
    arguments = all.asMap();
}

Attempt<Value> createFrom(std::string_view type, Value::Map arguments, Value::Map extras, std::string_view freshId)
{
    for (const Value::Entry &entry : extras)
        for (const Value::Entry &argument : arguments)
            if (argument.first == entry.first)
                return raised("TypeError", "got multiple values for keyword argument '" + entry.first.asText() + "'");
    arguments.insert(arguments.end(), extras.begin(), extras.end());
    return createBlock(type, std::move(arguments), freshId);
}

/// `_convert_openai_format_to_data_block` (block_translators/openai.py).
Attempt<Value> fromOpenAiData(const Value &block, std::string_view freshId)
{
    if (hasType(block, "image_url")) {
        const Value &inner = block["image_url"];
        Value::Map extras = without(block, {"type", "image_url"});
        appendPrefixed(extras, inner, {"url"}, "image_url_");
        if (const std::optional<DataUri> uri = parseDataUri(inner["url"].asText()))
            return createFrom("image", {{Value("base64"), Value(uri->data)}, {Value("mime_type"), Value(uri->mime)}},
                std::move(extras), freshId);
        return createFrom("image", {{Value("url"), inner["url"]}}, std::move(extras), freshId);
    }
    if (hasType(block, "input_audio")) {
        const Value &inner = block["input_audio"];
        Value::Map extras = without(block, {"type", "input_audio"});
        appendPrefixed(extras, inner, {"data", "format"}, "audio_");
        return createFrom("audio",
            {{Value("base64"), inner["data"]}, {Value("mime_type"), Value("audio/" + inner["format"].asText())}},
            std::move(extras), freshId);
    }
    const Value &inner = block["file"];
    Value::Map extras = without(block, {"type", "file"});
    if (inner.contains("file_id")) {
        appendPrefixed(extras, inner, {"file_id"}, "file_");
        return createFrom("file", {{Value("file_id"), inner["file_id"]}}, std::move(extras), freshId);
    }
    if (const std::optional<DataUri> uri = parseDataUri(inner["file_data"].asText())) {
        appendPrefixed(extras, inner, {"file_data", "filename"}, "file_");
        return createFrom("file",
            {{Value("base64"), Value(uri->data)}, {Value("mime_type"), Value("application/pdf")},
                {Value("filename"), inner["filename"]}},
            std::move(extras), freshId);
    }
    return block;
}

/// `_convert_to_v1_from_chat_completions_input` (block_translators/openai.py).
Attempt<Value> fromOpenAi(const Value &block, std::string_view freshId)
{
    if (isOpenAiDataBlock(block)) {
        Attempt<Value> made = fromOpenAiData(block, freshId);
        if (!made)
            return made;
        return isKnown(*made) ? *made : nonStandard(block);
    }
    return isKnown(block) ? block : nonStandard(block);
}

/// `_convert_to_v1_from_anthropic_input` (block_translators/anthropic.py).
Value fromAnthropic(const Value &block)
{
    const Value &source = block["source"];
    const bool document = hasType(block, "document");
    if ((!document && !hasType(block, "image")) || !source.isMap() || !source.contains("type"))
        return isKnown(block) ? block : nonStandard(block);
    const std::string_view type = document ? "file" : "image";
    const std::string &kind = source["type"].asText();
    Value made;
    if (kind == "base64" && source.contains("data") && source.contains("media_type"))
        made = Value::map({{"type", Value(type)}, {"base64", source["data"]}, {"mime_type", source["media_type"]}});
    else if (kind == "url" && source.contains("url"))
        made = Value::map({{"type", Value(type)}, {"url", source["url"]}});
    else if (kind == "file" && source.contains("file_id"))
        made = Value::map({{"type", Value(type)}, {"id", source["file_id"]}});
    else if (document && kind == "text" && source.contains("data"))
        made = Value::map({{"type", Value("text-plain")}, {"text", source["data"]},
            {"mime_type", block.contains("media_type") ? block["media_type"] : Value("text/plain")}});
    else
        return nonStandard(block);
    return withExtras(std::move(made), block, {"type", "source"});
}

/// The value as base64 text: bytes are encoded.
Value base64Text(const Value &value)
{
    return value.isBytes() ? Value(base64::encode(value.asBytes())) : value;
}

/// Blocks without a type, of Google and Bedrock: {"text"}, {"document"}, {"image"} (block_translators/google_genai.py
/// and bedrock_converse.py). Null when the block is none of these.
std::optional<Value> fromUntyped(const Value &block)
{
    if (block.asMap().size() != 1)
        return std::nullopt;
    if (block["text"].truthy())
        return Value::map({{"type", Value("text")}, {"text", block["text"]}});
    for (const std::string_view kind : {"document", "image"}) {
        const Value &inner = block[kind];
        if (!inner.isMap() || !inner.contains("format"))
            continue;
        const Value &source = inner["source"];
        const std::string &format = inner["format"].asText();
        Value made;
        if (kind == "image" && source.contains("bytes"))
            made = Value::map({{"type", Value("image")}, {"base64", base64Text(source["bytes"])},
                {"mime_type", Value("image/" + format)}});
        else if (kind == "document" && format == "pdf" && source.contains("bytes"))
            made = Value::map({{"type", Value("file")}, {"base64", base64Text(source["bytes"])},
                {"mime_type", Value("application/pdf")}});
        else if (kind == "document" && format == "txt" && source.contains("text"))
            made = Value::map(
                {{"type", Value("text-plain")}, {"text", source["text"]}, {"mime_type", Value("text/plain")}});
        else
            return nonStandard(block);
        return withExtras(std::move(made), inner, {"format", "source"});
    }
    return std::nullopt;
}

Value orElse(const Value &map, std::string_view key, Value otherwise)
{
    const Value *value = map.find(key);
    return value ? *value : std::move(otherwise);
}

/// `_convert_to_v1_from_genai_input` (block_translators/google_genai.py); what Bedrock's translator adds is in it.
Value fromGoogle(const Value &block)
{
    if (std::optional<Value> made = fromUntyped(block))
        return std::move(*made);
    if (hasType(block, "file_data") && block.contains("file_uri")) {
        Value made = Value::map({{"type", Value("file")}, {"url", block["file_uri"]}});
        return block["mime_type"].truthy() ? made.with("mime_type", block["mime_type"]) : made;
    }
    if (hasType(block, "function_call") && block.contains("name"))
        return Value::map({{"type", Value("tool_call")}, {"name", block["name"]},
            {"args", orElse(block, "args", Value(Value::Map{}))}, {"id", orElse(block, "id", Value(""))}});
    if (hasType(block, "executable_code"))
        return Value::map({{"type", Value("server_tool_call")}, {"name", Value("code_interpreter")},
            {"args",
                Value::map({{"code", orElse(block, "executable_code", Value(""))},
                    {"language", orElse(block, "language", Value("python"))}})},
            {"id", orElse(block, "id", Value(""))}});
    if (hasType(block, "code_execution_result")) {
        const Value outcome = orElse(block, "outcome", Value(1));
        Value made = Value::map({{"type", Value("server_tool_result")},
            {"tool_call_id", orElse(block, "tool_call_id", Value(""))},
            {"status", Value(outcome.asDouble() == 1 || (outcome.isBool() && outcome.asBool()) ? "success" : "error")},
            {"output", orElse(block, "code_execution_result", Value(""))}});
        return outcome.isNil() ? made : made.with("extras", Value::map({{"outcome", outcome}}));
    }
    return isKnown(block) ? block : nonStandard(block);
}

/// What every pass does first: a wrapped block is looked at again.
Attempt<Value> unwrapped(const Value &block)
{
    if (!hasType(block, "non_standard"))
        return block;
    const Value *value = block.find("value");
    if (!value)
        return missingKey("value");
    if (!value->isMap())
        return raised("AttributeError", "object has no attribute 'get'");
    return *value;
}

Attempt<Value> translated(const Value &item, std::string_view freshId)
{
    Value block = !isKnown(item) || item.contains("source_type") ? nonStandard(item) : item;
    for (int pass = 0; pass < 5; ++pass) {
        Attempt<Value> open = unwrapped(block);
        if (!open)
            return open;
        Attempt<Value> next = pass == 0 ? fromV0(*open, freshId)
            : pass == 1                 ? fromOpenAi(*open, freshId)
            : pass == 2                 ? Attempt<Value>(fromAnthropic(*open))
            : pass == 3                 ? Attempt<Value>(fromGoogle(*open))
                        : Attempt<Value>(fromUntyped(*open).value_or(isKnown(*open) ? *open : nonStandard(*open)));
        if (!next)
            return next;
        block = std::move(*next);
    }
    return block;
}

/// What `AIMessage.content_blocks` adds (langchain_core/messages/ai.py, 1.8.3).
void addCallsAndReasoning(Value::List &blocks, const Message &message)
{
    std::vector<const Value *> inContent;
    for (const Value &item : message.content.asList())
        if (hasType(item, "tool_call"))
            inContent.push_back(&item["id"]);
    for (const Value &call : message.toolCalls.asList()) {
        const Value &id = call["id"];
        if (!id.truthy()
            || std::any_of(inContent.begin(), inContent.end(), [&](const Value *known) { return *known == id; }))
            continue;
        Value block =
            Value::map({{"type", Value("tool_call")}, {"id", id}, {"name", call["name"]}, {"args", call["args"]}});
        for (const std::string_view key : {"index", "extras"})
            if (const Value *value = call.find(key))
                block = block.with(key, *value);
        blocks.push_back(std::move(block));
    }
    const Value &reasoning = message.additionalKwargs["reasoning_content"];
    if (reasoning.isText()
        && std::none_of(blocks.begin(), blocks.end(), [](const Value &block) { return hasType(block, "reasoning"); }))
        blocks.insert(blocks.begin(), Value::map({{"type", Value("reasoning")}, {"reasoning", reasoning}}));
}

} // namespace

Attempt<Value::List> contentBlocks(const Message &message, std::string_view freshBlockId)
{
    const bool ai = message.kind == MessageKind::Ai;
    const Value &version = message.responseMetadata["output_version"];
    if (ai && message.content.isList() && version.isText() && version.asText() == "v1")
        return message.content.asList();
    Value::List blocks;
    if (message.content.isText()) {
        if (!message.content.asText().empty())
            blocks.push_back(Value::map({{"type", Value("text")}, {"text", message.content}}));
    }
    for (const Value &item : message.content.asList()) {
        if (item.isText()) {
            blocks.push_back(Value::map({{"type", Value("text")}, {"text", item}}));
        } else if (item.isMap()) {
            Attempt<Value> block = translated(item, freshBlockId);
            if (!block)
                return tl::unexpected<Raised>(block.error());
            blocks.push_back(std::move(*block));
        }
    }
    if (ai)
        addCallsAndReasoning(blocks, message);
    return blocks;
}

Attempt<std::string> extractText(const Message &message)
{
    if (message.content.isText() && message.kind != MessageKind::Ai)
        return message.content.asText();
    const Attempt<Value::List> blocks = contentBlocks(message);
    if (!blocks)
        return tl::unexpected<Raised>(blocks.error());
    std::string out;
    bool first = true;
    for (const Value &block : *blocks) {
        if (!hasType(block, "text"))
            continue;
        const Value *text = block.find("text");
        if (!text)
            return missingKey("text");
        if (!text->isText())
            return raised("TypeError", "sequence item: expected str instance");
        if (!first)
            out += '\n';
        first = false;
        out += text->asText();
    }
    return out;
}

Attempt<Value> evictedContent(const Message &message, const std::string &replacement)
{
    if (message.content.isText())
        return Value(replacement);
    const Attempt<Value::List> blocks = contentBlocks(message);
    if (!blocks)
        return tl::unexpected<Raised>(blocks.error());
    Value::List kept;
    kept.push_back(Value::map({{"type", Value("text")}, {"text", Value(replacement)}}));
    for (const Value &block : *blocks)
        if (!hasType(block, "text"))
            kept.push_back(block);
    return kept.size() == 1 ? Value(replacement) : Value(std::move(kept));
}

} // namespace palimpsest
