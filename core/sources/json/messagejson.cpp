// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sources/json/messagejson.h"

#include "core/serde/jsonscan.h"

namespace palimpsest {
namespace {

constexpr const char *onlyState = "export";

bool isOpenAi(std::string_view message)
{
    const Result<std::vector<JsonEntry>> members = jsonEntries(message);
    return members && !jsonFind(message, *members, "role").empty() && jsonFind(message, *members, "type").empty();
}

} // namespace

bool MessageJson::isMessage(std::string_view object)
{
    const Result<std::vector<JsonEntry>> members = jsonEntries(object);
    if (!members || members->empty())
        return false;
    const auto has = [&](std::string_view key) { return !jsonFind(object, *members, key).empty(); };
    if (has("lc"))
        return has("kwargs") && has("id");
    if (has("role"))
        return has("content") || has("tool_calls");
    return has("type") && (has("content") || has("data"));
}

bool MessageJson::isState(std::string_view object)
{
    const std::string_view messages = jsonFind(object, "messages");
    return messages.starts_with('[');
}

void MessageJson::addState(std::string_view object, const std::string &threadId)
{
    StateParts parts;
    parts.id = onlyState;
    parts.values = object;
    parts.type = jsonTypeOf(object);
    if (isJavaScript(object))
        m_rows.language = "js";
    m_rows.threads[threadId][""].rows.push_back(stateRow(parts));
    const Result<std::vector<JsonEntry>> members = jsonEntries(object);
    const auto has = [&](std::string_view key) {
        const std::string_view value = members ? jsonFind(object, *members, key) : std::string_view();
        return !value.empty() && value != "null";
    };
    const std::string_view messages = jsonFind(object, "messages");
    const Result<std::vector<ByteRange>> items = jsonElements(messages);
    const bool openAi = items && !items->empty() && isOpenAi(items->front().of(messages));
    m_rows.find("no-history", Finding::Severity::Info,
        "The file holds one state only: no checkpoints, no writes and no metadata, so calls, earlier states and times "
        "cannot be told.");
    if (openAi)
        m_rows.find("openai-messages", Finding::Severity::Info,
            "Messages in OpenAI's form have no ids, no usage and no summarization marks; what was compacted cannot be "
            "told.");
    else if (!has("_summarization_event") && !has("_summarizationEvent"))
        m_rows.find("no-private-state", Finding::Severity::Info,
            "No summarization event is in the file. The output of a run never has it: if this is one, what was "
            "compacted cannot be told.");
}

void MessageJson::addMessages(std::string_view array, const std::string &threadId)
{
    std::string object = "{\"messages\":";
    object += array;
    object += '}';
    addState(m_rows.keep(std::move(object)), threadId);
}

void MessageJson::addMessages(const std::vector<std::string_view> &messages, const std::string &threadId)
{
    std::string array = "[";
    for (std::size_t i = 0; i < messages.size(); ++i) {
        array += i ? "," : "";
        array += messages[i];
    }
    array += ']';
    addMessages(array, threadId);
}

} // namespace palimpsest
