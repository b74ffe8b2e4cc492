// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/lint/loss/blocks.h"

namespace palimpsest {
namespace {

bool isReasoningType(std::string_view type)
{
    return type == "thinking" || type == "redacted_thinking" || type == "reasoning_content" || type == "reasoning";
}

bool isServerToolType(std::string_view type)
{
    return type.starts_with("server_tool") || type.starts_with("mcp_") || type.starts_with("web_search")
        || type.starts_with("web_fetch") || type.starts_with("code_execution") || type.starts_with("bash_code")
        || type.starts_with("text_editor_code") || type == "file_search_call" || type == "code_interpreter_call"
        || type == "computer_call" || type == "image_generation_call" || type == "executable_code"
        || (type.ends_with("_tool_result") && type != "server_tool_result");
}

/// Inline data of a shape that upstream's own extraction does not know.
std::optional<std::string> otherDataUrl(const Value &block)
{
    const auto url = [](std::string_view mime, const std::string &data) {
        return "data:" + std::string(mime) + ";base64," + data;
    };
    if (const Value &source = block["source"]; source["type"].asText() == "base64" && source["data"].isText())
        return url(source["media_type"].asText(), source["data"].asText());
    if (const Value &audio = block["input_audio"]; audio["data"].isText())
        return url("audio/" + audio["format"].asText(), audio["data"].asText());
    if (const Value &file = block["file"]["file_data"]; file.isText())
        return file.asText().starts_with("data:") ? file.asText() : url("application/octet-stream", file.asText());
    if (block["source_type"].asText() == "base64" && block["data"].isText())
        return url(block["mime_type"].asText(), block["data"].asText());
    // LangChain.js names its members in camel case.
    if (block["mimeType"].isText() && block["data"].isText())
        return url(block["mimeType"].asText(), block["data"].asText());
    if (block["image_url"].isText() && block["image_url"].asText().starts_with("data:"))
        return block["image_url"].asText();
    return std::nullopt;
}

std::optional<std::string> dataUrlOf(const Value &block)
{
    if (std::optional<std::string> url = extractDataUrl(block))
        return url;
    return otherDataUrl(block);
}

bool isEmptyText(const Value &block)
{
    return block["text"].asText().empty();
}

} // namespace

LostBlock lostBlock(const Value &block)
{
    if (!block.isMap())
        return LostBlock::No;
    if (dataUrlOf(block))
        return LostBlock::Media;
    const std::string &type = block["type"].asText();
    if (type == "text" || type == "text-plain" || type == "input_text" || type == "output_text")
        return type == "text" || type == "text-plain" || isEmptyText(block) ? LostBlock::No : LostBlock::Other;
    if (type == "reasoning" && !block["reasoning"].asText().empty())
        return LostBlock::No;
    if (isReasoningType(type))
        return LostBlock::Reasoning;
    if (type == "server_tool_call" || type == "server_tool_result")
        return LostBlock::No;
    // Calls of the client's tools are archived from `tool_calls`.
    if (type == "tool_use" || type == "tool_call" || type == "function_call" || type == "invalid_tool_call"
        || type == "tool_call_chunk" || type == "custom_tool_call" || type == "input_json_delta")
        return LostBlock::No;
    if (isServerToolType(type))
        return LostBlock::ServerTool;
    if (type == "image" || type == "audio" || type == "video")
        return block["url"].truthy() || block["file_id"].truthy() ? LostBlock::No : LostBlock::Other;
    if (type == "image_url")
        return block["image_url"]["url"].truthy() ? LostBlock::No : LostBlock::Other;
    return type.empty() ? LostBlock::No : LostBlock::Other;
}

std::optional<DecodedDataUrl> inlineBytes(const Value &block)
{
    const std::optional<std::string> url = dataUrlOf(block);
    return url ? decodeDataUrl(*url) : std::nullopt;
}

std::string_view lostBlockName(LostBlock kind)
{
    switch (kind) {
    case LostBlock::Media:
        return "media";
    case LostBlock::Reasoning:
        return "reasoning";
    case LostBlock::ServerTool:
        return "server tool";
    case LostBlock::Other:
        return "unknown block";
    case LostBlock::No:
        break;
    }
    return "";
}

} // namespace palimpsest
