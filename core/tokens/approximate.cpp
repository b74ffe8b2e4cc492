// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tokens/approximate.h"

#include "core/base/text.h"
#include "core/values/pyjson.h"
#include "core/values/pyrepr.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace palimpsest {
namespace {

/// A message measured: what upstream adds for it, in its order.
struct Measure {
    std::size_t images = 0;
    std::size_t chars = 0;
    std::string error; ///< why upstream would raise; the rest is counted all the same
};

/// Python's len() of a block's text.
std::size_t lengthOf(const Value &value, std::string &error)
{
    switch (value.kind()) {
    case Value::Kind::Text:
        return text::length(value.asText());
    case Value::Kind::Bytes:
        return value.asBytes().size();
    case Value::Kind::List:
        return value.asList().size();
    case Value::Kind::Map:
        return value.asMap().size();
    default:
        error = "object of type '"
            + std::string(value.isNil() ? "NoneType"
                    : value.isBool()    ? "bool"
                    : value.isFloat()   ? "float"
                                        : "int")
            + "' has no len()";
        return 0;
    }
}

void measureBlock(const Value &block, Measure &measure)
{
    if (block.isText()) {
        measure.chars += text::length(block.asText());
        return;
    }
    if (block.isMap()) {
        const std::string &type = block["type"].asText();
        if (type == "image" || type == "image_url") {
            ++measure.images;
            return;
        }
        if (type == "text") {
            if (const Value *text = block.find("text"))
                measure.chars += lengthOf(*text, measure.error);
            return;
        }
    }
    measure.chars += pyreprLength(block);
}

/// len(repr(message.tool_calls)). Upstream's tool calls have four members in a fixed order; more that a stored one has
/// is not counted.
std::size_t toolCallsLength(const Value &calls)
{
    static constexpr std::array<std::string_view, 4> members{"name", "args", "id", "type"};
    // "[" and "]", ", " between calls.
    std::size_t n = 2;
    bool first = true;
    for (const Value &call : calls.asList()) {
        if (!first)
            n += 2;
        first = false;
        const Value::Map &map = call.asMap();
        bool known = map.size() > members.size();
        for (std::size_t i = 0; known && i < members.size(); ++i)
            known = map[i].first.isText() && map[i].first.asText() == members[i];
        if (!known) {
            n += pyreprLength(call);
            continue;
        }
        // "{" and "}", then 'member': value with ", " between.
        n += 2 + 2 * (members.size() - 1);
        for (std::size_t i = 0; i < members.size(); ++i)
            n += members[i].size() + 4 + pyreprLength(map[i].second);
    }
    return n;
}

/// langchain_core/messages/utils.py _get_message_openai_role, 1.8.3.
std::size_t roleLength(const Message &message, std::string &error)
{
    switch (message.kind) {
    case MessageKind::Ai:
        return 9; // assistant
    case MessageKind::Human:
    case MessageKind::Tool:
        return 4; // user, tool
    case MessageKind::Function:
        return 8; // function
    case MessageKind::System: {
        const Value *role = message.additionalKwargs.find("__openai_role__");
        if (!role)
            return 6; // system
        if (!role->isText())
            error = "Expected '__openai_role__' to be a str";
        return text::length(role->asText());
    }
    case MessageKind::Chat:
        return text::length(message.extra["role"].asText());
    case MessageKind::Remove:
        error = "Unknown BaseMessage type <class 'langchain_core.messages.modifier.RemoveMessage'>.";
        return 0;
    case MessageKind::Other:
        error = "Unknown BaseMessage type " + message.type + ".";
        return 0;
    }
    return 0;
}

Measure measured(const Message &message, const ApproximateOptions &options)
{
    Measure measure;
    const Value &content = message.content;
    if (content.isText()) {
        measure.chars = text::length(content.asText());
    } else if (content.isList()) {
        for (const Value &block : content.asList())
            measureBlock(block, measure);
    } else {
        measure.chars = pyreprLength(content);
    }
    // Anthropic's form has the tool calls among the blocks already.
    if (message.kind == MessageKind::Ai && !content.isList() && message.toolCalls.truthy())
        measure.chars += toolCallsLength(message.toolCalls);
    if (message.kind == MessageKind::Tool && message.toolCallId)
        measure.chars += text::length(*message.toolCallId);
    measure.chars += roleLength(message, measure.error);
    if (options.countName && message.name)
        measure.chars += text::length(*message.name);
    return measure;
}

double charTokens(const Measure &measure, const ApproximateOptions &options)
{
    return std::ceil(static_cast<double>(measure.chars) / options.charsPerToken);
}

double total(const Measure &measure, const ApproximateOptions &options)
{
    return static_cast<double>(measure.images) * options.tokensPerImage + charTokens(measure, options)
        + options.extraTokensPerMessage;
}

} // namespace

Result<double> approximateMessageTokens(const Message &message, const ApproximateOptions &options)
{
    const Measure measure = measured(message, options);
    if (!measure.error.empty())
        return failure(Error::Code::Invalid, "message " + message.id.value_or("without id"), measure.error);
    return total(measure, options);
}

double approximateMessageTokensOrBest(const Message &message, const ApproximateOptions &options)
{
    const Measure measure = measured(message, options);
    return total(measure, options);
}

double approximateHumanTokens(std::size_t characters, const ApproximateOptions &options)
{
    Measure measure;
    measure.chars = characters + std::string_view("user").size();
    return total(measure, options);
}

Result<double> approximateToolTokens(const Value &tools, double charsPerToken)
{
    if (!tools.truthy())
        return 0.0;
    std::size_t chars = 0;
    for (const Value &tool : tools.asList()) {
        const Result<std::string> json = pyjson(tool);
        if (!json)
            return tl::unexpected(json.error());
        chars += json->size(); // ASCII only
    }
    return std::ceil(static_cast<double>(chars) / charsPerToken);
}

std::optional<double> reportedTotalTokens(const Message &message)
{
    if (message.kind != MessageKind::Ai || !message.usageMetadata.truthy())
        return std::nullopt;
    const Value &total = message.usageMetadata["total_tokens"];
    switch (total.kind()) {
    case Value::Kind::Int:
    case Value::Kind::BigInt:
        return total.asDouble();
    case Value::Kind::Bool: // isinstance(True, int)
        return total.asBool() ? 1 : 0;
    default:
        return std::nullopt;
    }
}

double usageScale(double reportedTotal, double approximateUpToThere)
{
    if (approximateUpToThere <= 0)
        return 1;
    return std::min(1.25, std::max(1.0, reportedTotal / approximateUpToThere));
}

Result<std::int64_t> countTokensApproximately(
    const std::vector<MessagePtr> &messages, const ApproximateOptions &options, const Value &tools)
{
    const Result<double> toolTokens = approximateToolTokens(tools, options.charsPerToken);
    if (!toolTokens)
        return tl::unexpected(toolTokens.error());
    double count = *toolTokens;
    Value provider;
    bool mixed = false;
    std::optional<double> reported;
    double countThere = 0;
    for (const MessagePtr &message : messages) {
        const Measure measure = measured(*message, options);
        if (!measure.error.empty())
            return failure(Error::Code::Invalid, "message " + message->id.value_or("without id"), measure.error);
        // In upstream's order: with fractions a sum depends on it.
        for (std::size_t i = 0; i < measure.images; ++i)
            count += options.tokensPerImage;
        count += charTokens(measure, options);
        count += options.extraTokensPerMessage;
        if (!options.useUsageMetadataScaling || message->kind != MessageKind::Ai)
            continue;
        const Value &own = message->responseMetadata["model_provider"];
        if (provider.isNil())
            provider = own;
        else if (!(own == provider))
            mixed = true;
        if (const std::optional<double> usage = reportedTotalTokens(*message)) {
            reported = usage;
            countThere = count;
        }
    }
    if (options.useUsageMetadataScaling && messages.size() > 1 && !mixed && !provider.isNil() && reported)
        count *= usageScale(*reported, countThere);
    return static_cast<std::int64_t>(std::ceil(count));
}

} // namespace palimpsest
