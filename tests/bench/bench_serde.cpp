// SPDX-License-Identifier: GPL-3.0-or-later
/// Decoding rows compared with msgpack-cxx alone (objects in its zone, and a walk that only visits), and the first
/// count of 10,000 messages.
#include "core/serde/msgpack.h"
#include "core/serde/msgpackscan.h"
#include "core/tokens/approximate.h"

#include <QCoreApplication>
#include <QSqlDatabase>
#include <QSqlQuery>
#include <QVariant>

#include <msgpack.hpp>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

using namespace palimpsest;

namespace {

/// Every msgpack blob of a checkpoint file.
std::vector<std::string> blobsOf(const QString &file)
{
    std::vector<std::string> blobs;
    {
        QSqlDatabase db = QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), QStringLiteral("bench"));
        db.setDatabaseName(QStringLiteral("file:%1?immutable=1").arg(file));
        db.setConnectOptions(QStringLiteral("QSQLITE_OPEN_URI;QSQLITE_OPEN_READONLY"));
        if (!db.open())
            return blobs;
        for (const char *sql : {"select checkpoint from checkpoints where type='msgpack'",
                 "select value from writes where type='msgpack'"}) {
            QSqlQuery query(db);
            query.setForwardOnly(true);
            query.exec(QLatin1String(sql));
            while (query.next())
                blobs.push_back(query.value(0).toByteArray().toStdString());
        }
    }
    QSqlDatabase::removeDatabase(QStringLiteral("bench"));
    return blobs;
}

/// Processor time: other work on the machine does not count.
double medianMs(const std::function<void()> &work)
{
    std::vector<double> times;
    for (int i = 0; i < 7; ++i) {
        const std::clock_t start = std::clock();
        work();
        times.push_back(1000.0 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
    }
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

/// An agent's history as deepagents makes one: turns of human, AI with a tool call, tool result.
std::vector<MessagePtr> history(std::size_t count)
{
    std::vector<MessagePtr> messages;
    for (std::size_t i = 0; i < count; ++i) {
        auto message = std::make_shared<Message>();
        message->id = "message-" + std::to_string(i);
        const std::string number = std::to_string(i);
        switch (i % 4) {
        case 0:
            message->kind = MessageKind::Human;
            message->content =
                Value("Please look at file " + number + " and say what the herons there eat. It's \"important\".");
            break;
        case 1:
            message->kind = MessageKind::Ai;
            message->content = Value("I will read it.");
            message->toolCalls = Value::list({Value::map({{"name", Value("read_file")},
                {"args",
                    Value::map({{"file_path", Value("/src/herons_" + number + ".py")}, {"offset", Value(100)},
                        {"limit", Value(2000)}})},
                {"id", Value("call_" + number)}, {"type", Value("tool_call")}})});
            break;
        case 2: {
            message->kind = MessageKind::Tool;
            message->toolCallId = "call_" + std::to_string(i - 1);
            std::string text;
            for (int line = 0; line < 12; ++line)
                text += std::to_string(line) + "\tdef heron_" + number + "(fish='carp', depth=3):  # wade\n";
            message->content = Value(text);
            break;
        }
        default:
            message->kind = MessageKind::Ai;
            message->content = Value::list({Value::map({{"type", Value("text")},
                                                {"text", Value("They eat carp, says line 7 of file " + number + ".")}}),
                Value::map(
                    {{"type", Value("reasoning")}, {"reasoning", Value("The user's file is plain; depth says 3.")}})});
        }
        messages.push_back(std::move(message));
    }
    return messages;
}

} // namespace

int main(int argc, char **argv)
{
    const QCoreApplication app(argc, argv);
    const QString file = argc > 1 ? QString::fromLocal8Bit(argv[1])
                                  : QStringLiteral(PALIMPSEST_TEST_DATA "/recordings/0.7.7/long_run.sqlite");
    const std::vector<std::string> blobs = blobsOf(file);
    std::size_t bytes = 0;
    for (const std::string &blob : blobs)
        bytes += blob.size();
    if (blobs.empty()) {
        std::fprintf(stderr, "%s holds no msgpack rows\n", qPrintable(file));
        return 2;
    }
    const double megabytes = static_cast<double>(bytes) / 1e6;

    std::size_t failed = 0;
    const double ours = medianMs([&] {
        failed = 0;
        for (const std::string &blob : blobs)
            failed += !decodeMsgpack(blob);
    });
    // Ext payloads stay closed in both references: they do less.
    const double objects = medianMs([&] {
        for (const std::string &blob : blobs)
            msgpack::unpack(blob.data(), blob.size());
    });
    msgpack::null_visitor nothing;
    const double visits = medianMs([&] {
        for (const std::string &blob : blobs)
            msgpack::parse(blob.data(), blob.size(), nothing);
    });
    const double skips = medianMs([&] {
        for (const std::string &blob : blobs)
            failed += !msgpackSkip(blob, 0);
    });
    std::printf("decode: %zu rows, %.2f MB: %.2f ms, %.0f MB/s; msgpack-cxx objects %.2f ms (ratio %.2f), visits %.2f "
                "ms, skip %.2f ms\n",
        blobs.size(), megabytes, ours, megabytes / ours * 1000, objects, ours / objects, visits, skips);

    const std::vector<MessagePtr> messages = history(10000);
    std::int64_t tokens = 0;
    const double count = medianMs([&] { tokens = countTokensApproximately(messages).value_or(-1); });
    std::printf("count: 10000 messages, %lld tokens: %.2f ms\n", static_cast<long long>(tokens), count);
    return failed == 0 && tokens > 0 ? 0 : 1;
}
