// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sources/net/httpclient.h"

#include <QEventLoop>
#include <QNetworkCookie>
#include <QNetworkCookieJar>
#include <QNetworkReply>
#include <QTimer>

#include <memory>

namespace palimpsest {
namespace {

constexpr qint64 bodyLimit = 1024LL * 1024 * 1024;
/// How often a running request looks whether its job was stopped.
constexpr int stopCheckMs = 50;

/// Keeps nothing and sends nothing.
class NoCookies : public QNetworkCookieJar {
public:
    [[nodiscard]] QList<QNetworkCookie> cookiesForUrl(const QUrl &) const override { return {}; }
    bool setCookiesFromUrl(const QList<QNetworkCookie> &, const QUrl &) override { return false; }
};

struct Later {
    void operator()(QNetworkReply *reply) const { reply->deleteLater(); }
};

} // namespace

HttpClient::HttpClient(QByteArray apiKey, int timeoutMs)
    : m_apiKey(std::move(apiKey))
    , m_timeoutMs(timeoutMs)
{
    m_manager.setCookieJar(new NoCookies);
    m_manager.setRedirectPolicy(QNetworkRequest::ManualRedirectPolicy);
}

Result<HttpClient::Answer> HttpClient::ask(const QUrl &url, const QByteArray &body, const JobContext &job)
{
    const std::string where = url.toString(QUrl::RemoveUserInfo).toStdString();
    QNetworkRequest request(url);
    request.setTransferTimeout(m_timeoutMs);
    request.setRawHeader("Accept", "application/json");
    if (!m_apiKey.isEmpty())
        request.setRawHeader("x-api-key", m_apiKey);
    if (!body.isEmpty())
        request.setHeader(QNetworkRequest::ContentTypeHeader, QByteArrayLiteral("application/json"));
    const std::unique_ptr<QNetworkReply, Later> reply(
        body.isEmpty() ? m_manager.get(request) : m_manager.post(request, body));
    QEventLoop loop;
    QTimer stopCheck;
    bool tooLarge = false;
    QObject::connect(reply.get(), &QNetworkReply::finished, &loop, &QEventLoop::quit);
    QObject::connect(reply.get(), &QNetworkReply::downloadProgress, &loop, [&](qint64 received, qint64) {
        if (received > bodyLimit && !tooLarge) {
            tooLarge = true;
            reply->abort();
        }
    });
    QObject::connect(&stopCheck, &QTimer::timeout, &loop, [&] {
        if (job.stopped())
            reply->abort();
    });
    stopCheck.start(stopCheckMs);
    if (!reply->isFinished())
        loop.exec();
    if (job.stopped())
        return failure(Error::Code::Cancelled, {}, "stopped");
    if (tooLarge)
        return failure(Error::Code::Limit, where, "the server's answer is larger than 1 GB");
    const int status = reply->attribute(QNetworkRequest::HttpStatusCodeAttribute).toInt();
    // Without a status there was no answer; with one its meaning is the caller's.
    const bool broken = reply->error() == QNetworkReply::OperationCanceledError
        || reply->error() == QNetworkReply::RemoteHostClosedError || reply->error() == QNetworkReply::TimeoutError;
    if (status == 0 || broken)
        return failure(Error::Code::Unreadable, where,
            broken && status == 0 && reply->error() == QNetworkReply::OperationCanceledError
                ? "the server does not answer"
                : reply->errorString().toStdString());
    return Answer{status, reply->readAll().toStdString()};
}

} // namespace palimpsest
