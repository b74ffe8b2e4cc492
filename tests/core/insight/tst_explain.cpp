// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/explain/wordings.h"
#include "core/insight/lint/rule.h"

#include <QtTest>

using namespace palimpsest;

class TestExplain : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void readsProvidersWordings_data();
    void readsProvidersWordings();
    void saysWhenItKnowsNone();
};

void TestExplain::readsProvidersWordings_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("rule");
    QTest::addColumn<QByteArray>("id");
    QTest::addColumn<int>("index");
    const auto row = [](const char *name, const char *rule, const char *id, int index, const char *text) {
        QTest::newRow(name) << QByteArray(text) << QByteArray(rule) << QByteArray(id) << index;
    };
    // Anthropic: as JSON, wrapped by a terminal, inside another document, printed by Python.
    row("anthropic json", "unanswered-tool-call", "toolu_01A", 8,
        R"({"type":"error","error":{"type":"invalid_request_error","message":"messages.8: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_01A. Each `tool_use` block must have a corresponding `tool_result` block in the next message."}})");
    row("anthropic wrapped", "unanswered-tool-call", "toolu_01A", 167,
        "API Error: 400 {\"message\":\"messages.167: `tool_use` ids were found \n    without `tool_result` blocks "
        "immediately after: toolu_01A. Each `tool_use` block");
    row("anthropic framed", "unanswered-tool-call", "bash-uO", 2,
        "│ messages.2: `tool_use` ids were found without │\n│ `tool_result` blocks immediately after: bash-uO. Each │");
    row("anthropic doubly escaped", "unanswered-tool-call", "bash-uO", 243,
        R"("message": "{\"error\":{\"message\":\"messages.243: `tool_use` ids were found without `tool_result` blocks immediately after: bash-uO. Each\"}}")");
    row("anthropic orphan", "orphan-tool-result", "toolu_01B", 2,
        "messages.2.content.0: unexpected `tool_use_id` found in `tool_result` blocks: toolu_01B. Each `tool_result` "
        "block "
        "must have a corresponding `tool_use` block in the previous message.");
    row("anthropic server tool", "orphan-tool-result", "srvtoolu_01J", 7,
        "messages.7.content.0: unexpected `tool_use_id` found in `advisor_tool_result` blocks: srvtoolu_01J. Each");
    row("anthropic thinking", "reasoning-without-partner", "", 1,
        "messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` "
        "is "
        "enabled");
    row("anthropic prefill", "user-turn-missing", "", -1,
        "This model does not support assistant message prefill. The conversation must end with a user message.");
    row("anthropic overflow", "context-overflow", "", -1,
        "input length and `max_tokens` exceed context limit: 198000 + 8192 > 200000");
    row("anthropic cache", "empty-content", "", 3,
        "messages.3.content.0.text: cache_control cannot be set for empty text blocks");
    // Bedrock.
    row("bedrock unanswered", "unanswered-tool-call", "tooluse_x1", 2,
        "ValidationException: Expected toolResult blocks at messages.2.content for the following Ids: tooluse_x1");
    row("bedrock orphan", "orphan-tool-result", "", 4,
        "The number of toolResult blocks at messages.4.content exceeds the number of toolUse blocks of previous turn.");
    row("bedrock too long", "context-overflow", "", -1, "Input is too long for requested model.");
    // OpenAI Chat and what speaks like it.
    row("openai python", "unanswered-tool-call", "call_i8v", 14,
        R"(BadRequestError('Error code: 400 - {\'error\': {\'message\': "An assistant message with \'tool_calls\' must be followed by tool messages responding to each \'tool_call_id\'. The following tool_call_ids did not have response messages: call_i8v", \'param\': \'messages.[14].role\'}}'))");
    row("openai double quotes", "unanswered-tool-call", "", 532,
        "An assistant message with \"tool_calls\" must be followed by tool messages responding to each "
        "\"tool_call_id\". "
        "The following tool_call_ids did not have response messages: message[532].role");
    row("openai orphan", "orphan-tool-result", "", 3,
        "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'. "
        "param: messages.[3].role");
    row("openai null", "empty-content", "", -1, "Invalid value for 'content': expected a string, got null.");
    row("openai long id", "tool-call-id", "", 1,
        "Invalid 'messages[1].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got a "
        "string with length 86 instead.");
    row("openai window", "context-overflow", "", -1,
        "This model's maximum context length is 128000 tokens. However, your messages resulted in 190000 tokens.");
    row("mistral count", "unanswered-tool-call", "", -1, "Not the same number of function calls and responses");
    row("mistral id", "tool-call-id", "call_9", -1,
        "Tool call id was call_9 but must be a-z, A-Z, 0-9, with a length of 9.");
    row("deepseek", "reasoning-without-partner", "", -1,
        "The `reasoning_content` in the thinking mode must be passed back to the API.");
    row("a class alone", "context-overflow", "", -1, "ContextOverflowError('too long')");
    row("langgraph's code", "unanswered-tool-call", "", -1,
        "For troubleshooting, visit: https://docs.langchain.com/oss/python/langgraph/errors/INVALID_CHAT_HISTORY");
    row("langgraph", "unanswered-tool-call", "call_q", -1,
        "ValueError: Found AIMessages with tool_calls that do not have a corresponding ToolMessage. Here are the first "
        "few of those tool calls: [{'name': 'lookup', 'args': {}, 'id': 'call_q', 'type': 'tool_call'}].");
    // OpenAI Responses.
    row("responses unanswered", "unanswered-tool-call", "call_r", -1, "No tool output found for function call call_r.");
    row("responses custom", "orphan-tool-result", "call_r", -1,
        "No tool call found for custom tool call output with call_id call_r.");
    row("responses reasoning", "reasoning-without-partner", "rs_68c", -1,
        "Item 'rs_68c' of type 'reasoning' was provided without its required following item.");
    row("responses partner", "reasoning-without-partner", "fc_04c", -1,
        "400 Item 'fc_04c' of type 'function_call'\nwas provided without its required 'reasoning' item:\n'rs_0bf'.");
    row("responses stored", "reasoning-without-partner", "rs_1", -1,
        "Item with id 'rs_1' not found. Items are not persisted when `store` is set to false.");
    row("responses prefix", "tool-call-id", "msg_1", 6,
        "Invalid 'input[6].id': 'msg_1'. Expected an ID that begins with 'fc'.");
    row("responses window", "context-overflow", "", -1,
        "Your input exceeds the context window of this model. Please adjust your input and try again.");
    // Gemini.
    row("gemini parts", "unanswered-tool-call", "", -1,
        "400 Please ensure that the number of function response parts is equal to the number of function call parts of "
        "the function call turn.");
    row("gemini order", "orphan-tool-result", "", -1,
        "Please ensure that function response turn comes immediately after a function call turn.");
    row("gemini turn", "user-turn-missing", "", -1,
        "Please ensure that single turn requests end with a user role or the role field is empty.");
    row("gemini empty", "empty-content", "", 3,
        "* GenerateContentRequest.contents[3].parts: contents.parts must not be empty.");
    row("gemini thought", "reasoning-without-partner", "", -1,
        "Function call is missing a thought_signature in functionCall parts.");
}

void TestExplain::readsProvidersWordings()
{
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, rule);
    QFETCH(QByteArray, id);
    QFETCH(int, index);
    const ErrorReading reading = readErrorText(text.toStdString());
    QCOMPARE(reading.rule, rule.toStdString());
    QVERIFY(reading.rule == "context-overflow" || ruleInfo(reading.rule));
    QVERIFY(reading.cause.ends_with('.'));
    if (!id.isEmpty())
        QVERIFY2(std::ranges::count(reading.ids, id.toStdString()) == 1,
            reading.ids.empty() ? "no ids" : reading.ids.front().c_str());
    QCOMPARE(reading.index.value_or(-1), index);
}

void TestExplain::saysWhenItKnowsNone()
{
    QCOMPARE(readErrorText("Rate limit reached for requests").rule, std::string());
    QCOMPARE(readErrorText("").ids.size(), 0U);
}

QTEST_APPLESS_MAIN(TestExplain)
#include "tst_explain.moc"
