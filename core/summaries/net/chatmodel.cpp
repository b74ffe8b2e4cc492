// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/summaries/net/chatmodel.h"

#include "core/compaction/dialect.h"
#include "core/compaction/stages/inputbudget.h"

#include <QEventLoop>
#include <QNetworkAccessManager>
#include <QNetworkProxyFactory>
#include <QNetworkReply>
#include <QNetworkRequest>
#include <QTimer>
#include <QUrl>

#include <algorithm>

namespace palimpsest {
namespace {

constexpr int longestDelayMs = 30000;
constexpr qint64 longestErrorBody = 64 * 1024;

QNetworkRequest requestFor(const ChatEndpoint &endpoint, const std::string &key)
{
    QNetworkRequest request(QUrl(QString::fromStdString(endpointUrl(endpoint))));
    request.setHeader(QNetworkRequest::ContentTypeHeader, QByteArrayLiteral("application/json"));
    request.setTransferTimeout(endpoint.timeoutSeconds * 1000);
    // A key must not follow a redirection to another host.
    request.setAttribute(QNetworkRequest::RedirectPolicyAttribute, QNetworkRequest::ManualRedirectPolicy);
    if (endpoint.api == ChatEndpoint::Api::Anthropic) {
        request.setRawHeader("anthropic-version", "2023-06-01");
        if (!key.empty())
            request.setRawHeader("x-api-key", QByteArray::fromStdString(key));
    } else if (!key.empty()) {
        request.setRawHeader("Authorization", "Bearer " + QByteArray::fromStdString(key));
    }
    return request;
}

/// Seconds that the server asks to wait, in milliseconds; -1: it does not.
int retryAfter(const QNetworkReply &reply)
{
    bool number = false;
    const double seconds = reply.rawHeader("Retry-After").toDouble(&number);
    return number && seconds >= 0 ? static_cast<int>(std::min(seconds * 1000, double(longestDelayMs))) : -1;
}

const char *typeOf(int status)
{
    if (status == 401 || status == 403)
        return "AuthenticationError";
    return status == 429 ? "RateLimitError" : "APIStatusError";
}

} // namespace

ChatModel::ChatModel(ChatEndpoint endpoint, ChatSession session)
    : m_endpoint(std::move(endpoint))
    , m_session(std::move(session))
    , m_key(m_session.key)
{
    const std::string variable = keyVariable(m_endpoint);
    if (m_key.empty() && !variable.empty())
        m_key = qgetenv(variable.c_str()).toStdString();
}

std::string ChatModel::withoutKey(std::string text) const
{
    for (std::size_t at = m_key.empty() ? std::string::npos : text.find(m_key); at != std::string::npos;
        at = text.find(m_key, at))
        text.replace(at, m_key.size(), "***");
    return text;
}

bool ChatModel::wait(int milliseconds) const
{
    QEventLoop loop;
    QTimer::singleShot(milliseconds, &loop, &QEventLoop::quit);
    const std::stop_callback stop(
        m_session.stop, [&loop] { QMetaObject::invokeMethod(&loop, &QEventLoop::quit, Qt::QueuedConnection); });
    if (!m_session.stop.stop_requested())
        loop.exec();
    return !m_session.stop.stop_requested();
}

ChatModel::Reply ChatModel::send(const std::string &prompt)
{
    QNetworkAccessManager manager;
    const QNetworkRequest request = requestFor(m_endpoint, m_key);
    const auto proxies = QNetworkProxyFactory::systemProxyForQuery(QNetworkProxyQuery(request.url()));
    if (!proxies.isEmpty())
        manager.setProxy(proxies.front());
    ++m_requests;
    const std::unique_ptr<QNetworkReply> reply(
        manager.post(request, QByteArray::fromStdString(chatRequestBody(m_endpoint, prompt))));

    QEventLoop loop;
    ChatStream stream(m_endpoint.api);
    std::string text;
    std::string errorBody;
    const auto read = [&] {
        const int status = reply->attribute(QNetworkRequest::HttpStatusCodeAttribute).toInt();
        if (status >= 300) {
            if (static_cast<qint64>(errorBody.size()) < longestErrorBody)
                errorBody += reply->readAll().toStdString();
            return;
        }
        const std::string more = stream.feed(reply->readAll().toStdString());
        if (more.empty())
            return;
        text += more;
        if (m_session.onText)
            m_session.onText(more);
    };
    QObject::connect(reply.get(), &QNetworkReply::readyRead, &loop, read);
    QObject::connect(reply.get(), &QNetworkReply::finished, &loop, &QEventLoop::quit);
    {
        const std::stop_callback stop(m_session.stop,
            [&loop, &reply] { QMetaObject::invokeMethod(&loop, [&reply] { reply->abort(); }, Qt::QueuedConnection); });
        if (!reply->isFinished())
            loop.exec();
    }
    read();
    (void)stream.feed("\n"); // a last line without an end

    Reply result;
    const int status = reply->attribute(QNetworkRequest::HttpStatusCodeAttribute).toInt();
    const std::string host = endpointHost(m_endpoint);
    const auto raise = [&](const char *type, const std::string &message) {
        result.answer = raised(type, withoutKey(message));
        return result;
    };
    if (m_session.stop.stop_requested())
        return raise("Cancelled", "stopped");
    if (status >= 300) {
        const std::string words = providerMessage(errorBody);
        result.again = status == 429 || status >= 500;
        result.delayMs = retryAfter(*reply);
        if (isContextOverflow({{"APIStatusError", words}, Value(status)}, knownDialects()[1]))
            return raise("ContextOverflowError", words);
        return raise(typeOf(status),
            host + " answered " + std::to_string(status) + (words.empty() ? std::string() : ": " + words));
    }
    if (reply->error() == QNetworkReply::OperationCanceledError || reply->error() == QNetworkReply::TimeoutError)
        return raise("TimeoutError",
            host + " sent nothing for " + std::to_string(m_endpoint.timeoutSeconds)
                + " seconds; try again, or raise timeout_seconds");
    if (stream.error())
        return raise("APIStatusError", host + " broke off: " + *stream.error());
    if (reply->error() != QNetworkReply::NoError)
        return raise("APIConnectionError",
            host + ": " + reply->errorString().toStdString() + "; look at the URL, the network and the proxy");
    if (!stream.finished())
        return raise("APIConnectionError", host + " ended its answer in the middle");
    result.answer = std::move(text);
    return result;
}

Attempt<std::string> ChatModel::invoke(const std::string &prompt)
{
    const std::string variable = keyVariable(m_endpoint);
    // A server of one's own needs no key.
    if (m_key.empty() && !variable.empty() && m_endpoint.url.empty())
        return raised("MissingKey", "no key for " + endpointHost(m_endpoint) + ": set " + variable);
    int delay = m_endpoint.firstDelayMs;
    for (int attempt = 1;; ++attempt) {
        Reply reply = send(prompt);
        if (reply.answer || !reply.again || attempt >= m_endpoint.attempts)
            return std::move(reply.answer);
        if (!wait(reply.delayMs >= 0 ? reply.delayMs : delay))
            return raised("Cancelled", "stopped");
        delay = std::min(delay * 2, longestDelayMs);
    }
}

} // namespace palimpsest
