// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compaction/stages/summarymessage.h"

#include <string_view>

namespace palimpsest {
namespace {

constexpr std::string_view pathHead = "You are in the middle of a conversation that has been summarized.\n\nThe full "
                                      "conversation history has been saved to ";
constexpr std::string_view pathTail =
    " should you need to refer back to it for details.\n\nA condensed summary follows:\n\n<summary>\n";
constexpr std::string_view summaryEnd = "\n</summary>";
constexpr std::string_view plainHead = "Here is a summary of the conversation to date:\n\n";

} // namespace

MessagePtr summaryMessage(const std::string &summary, const std::optional<std::string> &filePath)
{
    auto message = std::make_shared<Message>();
    message->kind = MessageKind::Human;
    message->type = "human";
    std::string content;
    if (filePath)
        content.append(pathHead).append(*filePath).append(pathTail).append(summary).append(summaryEnd);
    else
        content.append(plainHead).append(summary);
    message->content = Value(std::move(content));
    message->additionalKwargs = Value::map({{"lc_source", Value("summarization")}});
    return message;
}

bool isSummaryMessage(const Message &message)
{
    return message.kind == MessageKind::Human && message.additionalKwargs["lc_source"].asText() == "summarization";
}

std::string summaryTextOf(const Message &message)
{
    const std::string text = textOf(message);
    const std::string_view view = text;
    if (view.starts_with(plainHead))
        return text.substr(plainHead.size());
    if (view.starts_with(pathHead) && view.ends_with(summaryEnd)) {
        if (const std::size_t tail = view.find(pathTail); tail != std::string_view::npos) {
            const std::size_t from = tail + pathTail.size();
            if (from + summaryEnd.size() <= view.size())
                return text.substr(from, view.size() - summaryEnd.size() - from);
        }
    }
    return text;
}

} // namespace palimpsest
