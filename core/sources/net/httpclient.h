// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/jobcontext.h"
#include "core/base/result.h"

#include <QByteArray>
#include <QNetworkAccessManager>
#include <QUrl>

#include <string>

namespace palimpsest {

/// Asks a server and waits for its answer. No redirect is followed, so that a key goes to the named server only; no
/// cookie is kept.
class HttpClient {
public:
    struct Answer {
        int status = 0;
        std::string body;
    };

    /// `timeoutMs` without a byte coming in ends a request.
    HttpClient(QByteArray apiKey, int timeoutMs);

    /// GET, or POST of JSON when `body` is not empty. Errors: Unreadable (no connection, time-out), Limit (a body over
    /// 1 GB), Cancelled.
    Result<Answer> ask(const QUrl &url, const QByteArray &body, const JobContext &job);

private:
    QNetworkAccessManager m_manager;
    QByteArray m_apiKey;
    int m_timeoutMs;
};

} // namespace palimpsest
