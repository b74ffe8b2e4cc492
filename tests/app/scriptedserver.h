// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTcpServer>
#include <QTcpSocket>

#include <string>

namespace palimpsest::test {

/// Answers each request with the next of its scripted answers, piece by piece. A connection that says nothing is no
/// request: a client may open one more than it needs.
class ScriptedServer {
public:
    using Pieces = QList<QByteArray>; ///< an empty piece closes the connection

    explicit ScriptedServer(QList<Pieces> answers)
        : m_answers(std::move(answers))
    {
        m_ok = m_server.listen(QHostAddress::LocalHost);
        QObject::connect(&m_server, &QTcpServer::newConnection, &m_server, [this] { accept(); });
    }
    /// Status line and headers of an answer that streams.
    static QByteArray head(int status, const QByteArray &more = {})
    {
        return "HTTP/1.1 " + QByteArray::number(status)
            + " X\r\nContent-Type: text/event-stream\r\nConnection: close\r\n" + more + "\r\n";
    }
    [[nodiscard]] bool isListening() const { return m_ok; }
    [[nodiscard]] std::string url() const { return "http://127.0.0.1:" + std::to_string(m_server.serverPort()); }
    [[nodiscard]] const QList<QByteArray> &requests() const { return m_requests; }

private:
    void accept()
    {
        QTcpSocket *socket = m_server.nextPendingConnection();
        QObject::connect(socket, &QTcpSocket::readyRead, socket, [this, socket, number = qsizetype(-1)]() mutable {
            if (number < 0) {
                number = m_requests.size();
                m_requests.append(QByteArray());
            }
            QByteArray &request = m_requests[number];
            const bool answered = complete(request);
            request += socket->readAll();
            if (answered || !complete(request) || number >= m_answers.size())
                return;
            for (const QByteArray &piece : m_answers[number]) {
                if (piece.isEmpty()) {
                    socket->disconnectFromHost();
                    return;
                }
                socket->write(piece);
                socket->flush();
            }
        });
    }
    static bool complete(const QByteArray &request)
    {
        const qsizetype head = request.indexOf("\r\n\r\n");
        if (head < 0)
            return false;
        const qsizetype at = request.toLower().indexOf("content-length:");
        const int length = at < 0 ? 0 : request.mid(at + 15, request.indexOf('\r', at) - at - 15).trimmed().toInt();
        return request.size() >= head + 4 + length;
    }

    QTcpServer m_server;
    bool m_ok = false;
    QList<Pieces> m_answers;
    QList<QByteArray> m_requests;
};

} // namespace palimpsest::test
