// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/summaries/net/chatendpoint.h"

#include "core/base/text.h"
#include "core/serde/json.h"
#include "core/values/json.h"

#include <QUrl>

namespace palimpsest {
namespace {

using Api = ChatEndpoint::Api;

constexpr std::size_t longestMessage = 500; ///< code points of a provider's words

struct ApiFacts {
    Api api;
    const char *name;
    const char *server;
    const char *path;
    const char *keyVariable;
};
constexpr ApiFacts apis[] = {
    {Api::OpenAi, "openai", "https://api.openai.com", "/v1/chat/completions", "OPENAI_API_KEY"},
    {Api::Anthropic, "anthropic", "https://api.anthropic.com", "/v1/messages", "ANTHROPIC_API_KEY"},
    {Api::Ollama, "ollama", "http://localhost:11434", "/api/chat", ""},
};

const ApiFacts &factsOf(Api api)
{
    for (const ApiFacts &facts : apis) {
        if (facts.api == api)
            return facts;
    }
    return apis[0];
}

Result<int> wholeMember(const Value &value, const std::string &key, int least, int most)
{
    if (!value.isInt() || value.asInt() < least || value.asInt() > most)
        return failure(Error::Code::Invalid, "summarizer." + key,
            "must be a whole number from " + std::to_string(least) + " to " + std::to_string(most));
    return static_cast<int>(value.asInt());
}

} // namespace

Result<ChatEndpoint> chatEndpointFromValue(const Value &summarizer)
{
    if (!summarizer.isMap())
        return failure(Error::Code::Invalid, "summarizer", "must be an object with api, url and model");
    ChatEndpoint endpoint;
    for (const auto &[name, value] : summarizer.asMap()) {
        const std::string &key = name.asText();
        if (value.isNil())
            continue;
        if (key == "api") {
            bool known = false;
            for (const ApiFacts &facts : apis) {
                if (value.asText() == facts.name) {
                    endpoint.api = facts.api;
                    known = true;
                }
            }
            if (!known)
                return failure(Error::Code::Invalid, "summarizer.api", "must be one of openai, anthropic, ollama");
        } else if ((key == "url" || key == "model" || key == "key_variable") && value.isText()) {
            (key == "url" ? endpoint.url : key == "model" ? endpoint.model : endpoint.keyVariable) = value.asText();
        } else if (key == "max_tokens") {
            const auto number = wholeMember(value, key, 1, 1000000);
            if (!number)
                return tl::unexpected(number.error());
            endpoint.maxTokens = *number;
        } else if (key == "timeout_seconds" || key == "attempts") {
            const auto number = wholeMember(value, key, 1, key == "attempts" ? 10 : 3600);
            if (!number)
                return tl::unexpected(number.error());
            (key == "attempts" ? endpoint.attempts : endpoint.timeoutSeconds) = *number;
        } else if (key == "key" || key == "api_key") {
            return failure(Error::Code::Invalid, "summarizer." + key,
                "keys are not kept in files; take it out and name an environment variable in key_variable");
        } else {
            return failure(Error::Code::Invalid, "summarizer." + key,
                "is unknown or of the wrong kind; there are api, url, model, max_tokens, timeout_seconds, attempts and "
                "key_variable");
        }
    }
    if (endpoint.model.empty())
        return failure(Error::Code::Invalid, "summarizer.model", "must name a model");
    const QUrl url(QString::fromStdString(endpointUrl(endpoint)), QUrl::StrictMode);
    if (!url.isValid() || url.host().isEmpty()
        || (url.scheme() != QLatin1String("http") && url.scheme() != QLatin1String("https")))
        return failure(Error::Code::Invalid, "summarizer.url", "must be an http or https URL");
    return endpoint;
}

Value chatEndpointToValue(const ChatEndpoint &endpoint)
{
    return Value::map(
        {{"api", Value(factsOf(endpoint.api).name)}, {"url", Value(endpoint.url)}, {"model", Value(endpoint.model)},
            {"max_tokens", Value(endpoint.maxTokens)}, {"timeout_seconds", Value(endpoint.timeoutSeconds)},
            {"attempts", Value(endpoint.attempts)}, {"key_variable", Value(endpoint.keyVariable)}});
}

std::string endpointUrl(const ChatEndpoint &endpoint)
{
    const ApiFacts &facts = factsOf(endpoint.api);
    std::string url = endpoint.url.empty() ? facts.server : endpoint.url;
    while (url.ends_with('/'))
        url.pop_back();
    std::string_view path = facts.path;
    if (url.ends_with(path) || url.find("/chat/completions") != std::string::npos)
        return url;
    // A base URL often ends in the version already.
    if (url.ends_with("/v1") && path.starts_with("/v1"))
        path.remove_prefix(3);
    return url + std::string(path);
}

std::string endpointHost(const ChatEndpoint &endpoint)
{
    return QUrl(QString::fromStdString(endpointUrl(endpoint))).host().toStdString();
}

std::string keyVariable(const ChatEndpoint &endpoint)
{
    return endpoint.keyVariable.empty() ? factsOf(endpoint.api).keyVariable : endpoint.keyVariable;
}

std::string chatRequestBody(const ChatEndpoint &endpoint, std::string_view prompt)
{
    const Value messages = Value::list({Value::map({{"role", Value("user")}, {"content", Value(prompt)}})});
    Value body = Value::map({{"model", Value(endpoint.model)}, {"messages", messages}, {"stream", Value(true)}});
    if (endpoint.api == Api::Ollama)
        body = body.with("options", Value::map({{"num_predict", Value(endpoint.maxTokens)}}));
    else
        body = body.with("max_tokens", Value(endpoint.maxTokens));
    return toJson(body);
}

std::string ChatStream::feed(std::string_view bytes)
{
    std::string out;
    m_rest += bytes;
    std::size_t begin = 0;
    for (std::size_t end = m_rest.find('\n'); end != std::string::npos; end = m_rest.find('\n', begin)) {
        std::string_view one = std::string_view(m_rest).substr(begin, end - begin);
        if (one.ends_with('\r'))
            one.remove_suffix(1);
        line(one, out);
        begin = end + 1;
    }
    m_rest.erase(0, begin);
    return out;
}

void ChatStream::line(std::string_view text, std::string &out)
{
    if (m_api != Api::Ollama) {
        if (!text.starts_with("data:"))
            return; // names of events, comments that keep the line open
        text.remove_prefix(5);
        while (text.starts_with(' '))
            text.remove_prefix(1);
        if (text == "[DONE]") {
            m_finished = true;
            return;
        }
    }
    if (text.empty())
        return;
    const auto json = parseJson(text);
    if (!json) {
        m_error = "the answer holds a piece that is no JSON";
        return;
    }
    if (const Value *error = json->find("error"); error && !error->isNil()) {
        m_error = error->isText() ? error->asText() : (*error)["message"].asText();
        return;
    }
    switch (m_api) {
    case Api::OpenAi:
        for (const Value &choice : (*json)["choices"].asList()) {
            out += choice["delta"]["content"].asText();
            m_finished = m_finished || choice["finish_reason"].isText();
        }
        break;
    case Api::Anthropic:
        if ((*json)["type"].asText() == "content_block_delta")
            out += (*json)["delta"]["text"].asText();
        m_finished = m_finished || (*json)["type"].asText() == "message_stop";
        break;
    case Api::Ollama:
        out += (*json)["message"]["content"].asText();
        m_finished = m_finished || (*json)["done"].asBool();
        break;
    }
}

std::string providerMessage(std::string_view body)
{
    if (const auto json = parseJson(body); json && json->isMap()) {
        const Value &error = (*json)["error"];
        const std::string &message = error.isText() ? error.asText() : error["message"].asText();
        if (!message.empty())
            return std::string(text::head(message, longestMessage));
    }
    return std::string(text::head(body, longestMessage));
}

} // namespace palimpsest
