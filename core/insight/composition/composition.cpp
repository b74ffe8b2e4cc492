// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/composition/composition.h"

#include "core/base/text.h"
#include "core/compaction/rules.h"
#include "core/insight/trace/messageparts.h"
#include "core/tokens/approximate.h"

#include <algorithm>
#include <map>

namespace palimpsest {
namespace {

constexpr std::size_t largestMessages = 50;

/// Sums by name.
class Sums {
public:
    explicit Sums(CompositionItem::Group group)
        : m_group(group)
    {
    }

    void add(const std::string &name, double tokens, std::int64_t place, const std::optional<std::string> &id)
    {
        if (tokens <= 0)
            return;
        CompositionItem &item = m_items[name];
        double &most = m_most[name];
        item.group = m_group;
        item.name = name;
        item.tokens += tokens;
        item.messages += place >= 0 ? 1 : 0;
        if (tokens > most && place >= 0) {
            most = tokens;
            item.place = place;
            item.messageId = id;
        }
    }

    [[nodiscard]] std::vector<CompositionItem> sorted() const
    {
        std::vector<CompositionItem> items;
        for (const auto &[name, item] : m_items)
            items.push_back(item);
        std::stable_sort(items.begin(), items.end(),
            [](const CompositionItem &a, const CompositionItem &b) { return a.tokens > b.tokens; });
        return items;
    }

private:
    CompositionItem::Group m_group;
    std::map<std::string, CompositionItem> m_items;
    std::map<std::string, double> m_most;
};

std::string roleOf(const Message &message)
{
    return isSummary(message) ? "summary" : message.type;
}

std::string blockName(const MessagePart &part, const Message &message)
{
    if (part.kind == MessagePart::Kind::Arguments)
        return "tool arguments";
    if (part.kind == MessagePart::Kind::Text)
        return message.kind == MessageKind::Tool ? "tool result" : "text";
    return message.content.asList()[static_cast<std::size_t>(part.block.value_or(0))]["type"].asText();
}

/// Spreads a message's tokens over its kinds of blocks by their characters; images count by themselves.
void addBlocks(Sums &blocks, const Message &message, double tokens, std::int64_t place, double perImage)
{
    std::map<std::string, double> sizes;
    double images = 0;
    for (const Value &block : message.content.asList()) {
        const std::string &type = block["type"].asText();
        if (type == "image" || type == "image_url")
            images += perImage;
    }
    double all = 0;
    visitParts(message, [&](const MessagePart &part) {
        // Arguments come as texts and then as JSON: the latter is counted.
        if (part.kind == MessagePart::Kind::Arguments && (part.text.empty() || part.text.front() != '{'))
            return true;
        const auto length = static_cast<double>(text::length(part.text));
        sizes[blockName(part, message)] += length;
        all += length;
        return true;
    });
    images = std::min(images, tokens);
    if (images > 0)
        blocks.add("image", images, place, message.id);
    for (const auto &[name, size] : sizes)
        blocks.add(name, all > 0 ? (tokens - images) * size / all : 0, place, message.id);
    if (all == 0)
        blocks.add("overhead", tokens - images, place, message.id);
}

void addTools(Sums &tools, const Message &message, double tokens, std::int64_t place)
{
    if (message.kind == MessageKind::Tool)
        tools.add(message.name.value_or("(no name)"), tokens, place, message.id);
    const std::vector<ToolCallView> calls = toolCalls(message);
    for (const ToolCallView &call : calls)
        tools.add(std::string(call.name), tokens / static_cast<double>(calls.size()), place, message.id);
}

} // namespace

Composition composition(
    const MessageLog &request, const Settings *settings, const std::optional<std::int64_t> &reportedInput)
{
    Composition result;
    result.reported = reportedInput;
    ApproximateOptions options;
    Sums roles(CompositionItem::Group::Role);
    Sums tools(CompositionItem::Group::Tool);
    Sums blocks(CompositionItem::Group::Block);
    if (settings)
        options.charsPerToken = counterRule(settings->model, settings->charsPerToken).charsPerToken;
    for (std::size_t i = 0; i < request.size(); ++i) {
        const MessagePtr &message = request[i];
        const auto place = static_cast<std::int64_t>(i);
        const double tokens = approximateMessageTokensOrBest(*message, options);
        result.total += tokens;
        roles.add(roleOf(*message), tokens, place, message->id);
        addTools(tools, *message, tokens, place);
        addBlocks(blocks, *message, tokens, place, options.tokensPerImage);
        result.largest.push_back({CompositionItem::Group::Message, roleOf(*message), tokens, 1, place, message->id});
    }
    if (settings) {
        const Result<DialectChoice> choice = dialectFor(settings->dialect);
        const RequestBase base =
            requestBase(*settings, rulesFor(*settings, choice ? choice->dialect : knownDialects().front()));
        roles.add("tools", static_cast<double>(base.toolTokens), -1, {});
        roles.add("system", static_cast<double>(base.systemTokens), -1, {});
        result.total += static_cast<double>(base.toolTokens + base.systemTokens);
    } else if (reportedInput && static_cast<double>(*reportedInput) > result.total) {
        roles.add("tools and system", static_cast<double>(*reportedInput) - result.total, -1, {});
        result.total = static_cast<double>(*reportedInput);
    }
    result.roles = roles.sorted();
    result.tools = tools.sorted();
    result.blocks = blocks.sorted();
    std::stable_sort(result.largest.begin(), result.largest.end(),
        [](const CompositionItem &a, const CompositionItem &b) { return a.tokens > b.tokens; });
    if (result.largest.size() > largestMessages)
        result.largest.resize(largestMessages);
    return result;
}

} // namespace palimpsest
