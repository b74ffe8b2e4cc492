// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/serde/json.h"
#include "core/summaries/net/chatmodel.h"
#include "tests/app/scriptedserver.h"

#include <QtTest>

#include <future>

using namespace palimpsest;
using palimpsest::test::ScriptedServer;

namespace {

const QByteArray hello = "data: {\"choices\": [{\"delta\": {\"content\": \"Hel\"}}]}\n\n";
const QByteArray lo = "data: {\"choices\": [{\"delta\": {\"content\": \"lo \\u00fc\"}, \"finish_reason\": null}]}\n\n";
const QByteArray done = "data: [DONE]\n\n";

ChatEndpoint endpointAt(const ScriptedServer &server, ChatEndpoint::Api api = ChatEndpoint::Api::OpenAi)
{
    ChatEndpoint endpoint;
    endpoint.api = api;
    endpoint.url = server.url();
    endpoint.model = "tiny";
    endpoint.timeoutSeconds = 1;
    endpoint.firstDelayMs = 1;
    return endpoint;
}

/// Asks from a thread of its own, while this one's event loop serves.
Attempt<std::string> ask(const ChatEndpoint &endpoint, ChatSession session = {}, int *requests = nullptr)
{
    std::atomic<bool> ready = false;
    Attempt<std::string> answer;
    std::jthread worker([&] {
        ChatModel model(endpoint, std::move(session));
        answer = model.invoke("Summarize this.");
        if (requests)
            *requests = model.requests();
        ready = true;
    });
    if (!QTest::qWaitFor([&] { return ready.load(); }, 20000))
        qWarning("no answer came");
    worker.join();
    return answer;
}

} // namespace

class ChatModelTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void streamsAnAnswer_data();
    void streamsAnAnswer();
    void sendsKeyAndPromptAsTheProviderWants();
    void triesAgainWhenTheServerIsBusy();
    void givesUpInTheEnd();
    void doesNotRepeatWhatCannotSucceed();
    void tellsAPromptThatIsTooLong();
    void timesOut();
    void tellsAnAnswerThatBreaksOff();
    void stopsWhenAsked();
    void asksForAKeyBeforeSendingAnything();
    void neverShowsTheKey();
    void readsAndChecksSettings();
};

void ChatModelTest::initTestCase()
{
    for (const char *variable : {"OPENAI_API_KEY", "ANTHROPIC_API_KEY", "http_proxy", "https_proxy", "all_proxy"})
        qunsetenv(variable);
}

void ChatModelTest::streamsAnAnswer_data()
{
    QTest::addColumn<int>("api");
    QTest::addColumn<QByteArray>("body");
    QTest::newRow("openai") << int(ChatEndpoint::Api::OpenAi) << ": a comment\n\n" + hello + lo + done;
    QTest::newRow("anthropic")
        << int(ChatEndpoint::Api::Anthropic)
        << QByteArray("event: message_start\ndata: {\"type\": \"message_start\", \"message\": {}}\n\n"
                      "event: content_block_delta\ndata: {\"type\": \"content_block_delta\", \"delta\": {\"type\": "
                      "\"text_delta\", \"text\": \"Hel\"}}\n\n"
                      "data: {\"type\": \"content_block_delta\", \"delta\": {\"text\": \"lo ü\"}}\r\n\r\n"
                      "data: {\"type\": \"message_stop\"}\n\n");
    QTest::newRow("ollama") << int(ChatEndpoint::Api::Ollama)
                            << QByteArray("{\"message\": {\"content\": \"Hel\"}, \"done\": false}\n"
                                          "{\"message\": {\"content\": \"lo ü\"}, \"done\": false}\n{\"done\": true}");
}

void ChatModelTest::streamsAnAnswer()
{
    QFETCH(int, api);
    QFETCH(QByteArray, body);
    // Cut where it hurts: in lines and in characters.
    ScriptedServer::Pieces pieces{ScriptedServer::head(200)};
    for (qsizetype at = 0; at < body.size(); at += 7)
        pieces.append(body.mid(at, 7));
    pieces.append(QByteArray());
    ScriptedServer server({pieces});
    QVERIFY(server.isListening());
    std::string seen;
    ChatSession session;
    session.onText = [&](std::string_view text) { seen += text; };
    const auto answer = ask(endpointAt(server, static_cast<ChatEndpoint::Api>(api)), session);
    QVERIFY2(answer, answer ? "" : answer.error().message.c_str());
    QCOMPARE(*answer, std::string("Hello ü"));
    QCOMPARE(seen, *answer);
}

void ChatModelTest::sendsKeyAndPromptAsTheProviderWants()
{
    ScriptedServer openai({{ScriptedServer::head(200), done, {}}});
    ChatSession session;
    session.key = "sk-secret";
    QVERIFY(ask(endpointAt(openai), session));
    const QByteArray first = openai.requests().value(0);
    QVERIFY(first.startsWith("POST /v1/chat/completions "));
    QVERIFY(first.toLower().contains("authorization: bearer sk-secret"));
    const auto body = parseJson(first.mid(first.indexOf("\r\n\r\n") + 4).toStdString());
    QVERIFY(body);
    QCOMPARE((*body)["model"].asText(), std::string("tiny"));
    QCOMPARE((*body)["messages"].asList()[0]["content"].asText(), std::string("Summarize this."));

    ScriptedServer anthropic({{ScriptedServer::head(200), "data: {\"type\": \"message_stop\"}\n\n", {}}});
    QVERIFY(ask(endpointAt(anthropic, ChatEndpoint::Api::Anthropic), session));
    const QByteArray second = anthropic.requests().value(0).toLower();
    QVERIFY(second.startsWith("post /v1/messages "));
    QVERIFY(second.contains("x-api-key: sk-secret"));
    QVERIFY(second.contains("anthropic-version: "));
}

void ChatModelTest::triesAgainWhenTheServerIsBusy()
{
    ScriptedServer server({{ScriptedServer::head(429, "Retry-After: 0\r\n"), "{}", {}},
        {ScriptedServer::head(503), "down", {}}, {ScriptedServer::head(200), hello, lo, done, {}}});
    int requests = 0;
    const auto answer = ask(endpointAt(server), {}, &requests);
    QVERIFY(answer);
    QCOMPARE(*answer, std::string("Hello ü"));
    QCOMPARE(requests, 3);
}

void ChatModelTest::givesUpInTheEnd()
{
    const ScriptedServer::Pieces busy{ScriptedServer::head(500), "{\"error\": {\"message\": \"overloaded\"}}", {}};
    ScriptedServer server({busy, busy, busy, busy, busy});
    int requests = 0;
    const auto answer = ask(endpointAt(server), {}, &requests);
    QVERIFY(!answer);
    QCOMPARE(answer.error().type, std::string("APIStatusError"));
    QVERIFY(answer.error().message.find("500: overloaded") != std::string::npos);
    QCOMPARE(requests, 4);
}

void ChatModelTest::doesNotRepeatWhatCannotSucceed()
{
    ScriptedServer server({{ScriptedServer::head(401), "{\"error\": {\"message\": \"bad key\"}}", {}}});
    int requests = 0;
    const auto answer = ask(endpointAt(server), {}, &requests);
    QVERIFY(!answer);
    QCOMPARE(answer.error().type, std::string("AuthenticationError"));
    QCOMPARE(requests, 1);
}

void ChatModelTest::tellsAPromptThatIsTooLong()
{
    ScriptedServer server({{ScriptedServer::head(400),
        "{\"error\": {\"message\": \"This model's maximum context length is 8192 tokens.\", \"code\": "
        "\"context_length_exceeded\"}}",
        {}}});
    const auto answer = ask(endpointAt(server));
    QVERIFY(!answer);
    QCOMPARE(answer.error().type, std::string("ContextOverflowError"));
}

void ChatModelTest::timesOut()
{
    ScriptedServer server({{ScriptedServer::head(200), hello}}); // and then nothing
    const auto answer = ask(endpointAt(server));
    QVERIFY(!answer);
    QCOMPARE(answer.error().type, std::string("TimeoutError"));
}

void ChatModelTest::tellsAnAnswerThatBreaksOff()
{
    ScriptedServer cut({{ScriptedServer::head(200), hello, {}}});
    const auto first = ask(endpointAt(cut));
    QVERIFY(!first);
    QCOMPARE(first.error().type, std::string("APIConnectionError"));

    ScriptedServer garbage({{ScriptedServer::head(200), "data: {not JSON\n\n", {}}});
    const auto second = ask(endpointAt(garbage));
    QVERIFY(!second);
    QVERIFY(second.error().message.find("no JSON") != std::string::npos);

    ScriptedServer error(
        {{ScriptedServer::head(200), hello, "data: {\"error\": {\"message\": \"out of memory\"}}\n\n", {}}});
    const auto third = ask(endpointAt(error));
    QVERIFY(!third);
    QVERIFY(third.error().message.find("out of memory") != std::string::npos);

    ChatEndpoint nowhere = endpointAt(error);
    nowhere.url = "http://127.0.0.1:1";
    const auto fourth = ask(nowhere);
    QVERIFY(!fourth);
    QCOMPARE(fourth.error().type, std::string("APIConnectionError"));
}

void ChatModelTest::stopsWhenAsked()
{
    ScriptedServer server({{ScriptedServer::head(200), hello}});
    ChatEndpoint endpoint = endpointAt(server);
    endpoint.timeoutSeconds = 60;
    std::stop_source stop;
    ChatSession session;
    session.stop = stop.get_token();
    session.onText = [&](std::string_view) { stop.request_stop(); };
    const auto answer = ask(endpoint, session);
    QVERIFY(!answer);
    QCOMPARE(answer.error().type, std::string("Cancelled"));
}

void ChatModelTest::asksForAKeyBeforeSendingAnything()
{
    ChatEndpoint endpoint;
    endpoint.model = "tiny";
    int requests = -1;
    const auto answer = ask(endpoint, {}, &requests);
    QVERIFY(!answer);
    QCOMPARE(answer.error().type, std::string("MissingKey"));
    QVERIFY(answer.error().message.find("OPENAI_API_KEY") != std::string::npos);
    QCOMPARE(requests, 0);
}

void ChatModelTest::neverShowsTheKey()
{
    ScriptedServer server(
        {{ScriptedServer::head(401), "{\"error\": {\"message\": \"Incorrect API key: sk-secret.\"}}", {}}});
    ChatSession session;
    session.key = "sk-secret";
    const auto answer = ask(endpointAt(server), session);
    QVERIFY(!answer);
    QVERIFY(answer.error().message.find("sk-secret") == std::string::npos);
    QVERIFY(answer.error().message.find("***") != std::string::npos);
}

void ChatModelTest::readsAndChecksSettings()
{
    const auto endpoint =
        chatEndpointFromValue(*parseJson(R"({"api": "openai", "url": "http://box:8000/v1/", "model": "m"})"));
    QVERIFY(endpoint);
    QCOMPARE(endpointUrl(*endpoint), std::string("http://box:8000/v1/chat/completions"));
    QCOMPARE(endpointHost(*endpoint), std::string("box"));
    QCOMPARE(*chatEndpointFromValue(chatEndpointToValue(*endpoint)), *endpoint);
    for (const char *wrong : {R"({"api": "x", "model": "m"})", R"({"api": "openai"})", R"([])",
             R"({"model": "m", "url": "file:///etc/passwd"})", R"({"model": "m", "attempts": 0})",
             R"({"model": "m", "key": "sk-secret"})"}) {
        const auto refused = chatEndpointFromValue(*parseJson(wrong));
        QVERIFY2(!refused, wrong);
        QVERIFY(refused.error().what.find("sk-secret") == std::string::npos);
    }
}

QTEST_GUILESS_MAIN(ChatModelTest)
#include "tst_chatmodel.moc"
