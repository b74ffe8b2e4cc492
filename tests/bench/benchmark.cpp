// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/bench/benchmark.h"

#include "core/serde/json.h"
#include "core/values/json.h"

#include <QFile>
#include <QProcess>
#include <QTemporaryDir>

namespace palimpsest::benchmark {
namespace {

void appendTexts(std::string &out, const Value &value)
{
    out += value.asText();
    for (const Value &item : value.asList())
        appendTexts(out, item);
    for (const auto &[key, item] : value.asMap())
        appendTexts(out, item);
}

} // namespace

std::map<std::string, double> pythonTimes(const std::vector<MessagePtr> &messages, const char *what)
{
    const QString python = qEnvironmentVariable("PALIMPSEST_PYTHON");
    if (python.isEmpty())
        return {};
    const QTemporaryDir folder;
    QFile file(folder.filePath(QStringLiteral("messages.json")));
    if (!file.open(QIODevice::WriteOnly))
        return {};
    Value::List list;
    for (const MessagePtr &message : messages)
        list.push_back(messageToValue(*message));
    file.write(QByteArray::fromStdString(toJson(Value(std::move(list)))));
    file.close();
    QProcess process;
    process.start(
        python, {QStringLiteral("tests/bench/compaction_reference.py"), QString::fromUtf8(what), file.fileName()});
    if (!process.waitForFinished(600000))
        return {};
    std::map<std::string, double> times;
    const auto answer = parseJson(process.readAllStandardOutput().toStdString());
    for (const auto &[name, ms] : answer ? answer->asMap() : Value::Map())
        times[name.asText()] = ms.asDouble();
    return times;
}

Reference copyReference(const std::vector<MessagePtr> &messages)
{
    std::string all;
    const double ms = median(5, [&] {
        std::string copy;
        for (const MessagePtr &message : messages) {
            appendTexts(copy, message->content);
            appendTexts(copy, message->toolCalls);
        }
        all.swap(copy);
    });
    return {"copying all text", ms};
}

} // namespace palimpsest::benchmark
