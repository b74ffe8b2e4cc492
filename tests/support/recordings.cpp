// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/recordings.h"

#include "core/serde/json.h"
#include "tests/support/goldens.h"

#include <QDirIterator>
#include <QFile>

#include <algorithm>

namespace palimpsest::recordings {

std::vector<Recording> all()
{
    const QString given = qEnvironmentVariable("PALIMPSEST_RECORDINGS");
    const QString ending = QStringLiteral(".expected.json");
    QDirIterator files(given.isEmpty() ? QStringLiteral(PALIMPSEST_TEST_DATA "/recordings") : given, {u'*' + ending},
        QDir::Files, QDirIterator::Subdirectories);
    std::vector<Recording> found;
    while (files.hasNext()) {
        const QString truth = files.next();
        const QString stem = truth.chopped(ending.size());
        found.push_back({stem.section(u'/', -2).toStdString(), (stem + QStringLiteral(".sqlite")).toStdString(),
            truth.toStdString()});
    }
    std::sort(found.begin(), found.end(), [](const Recording &a, const Recording &b) { return a.name < b.name; });
    return found;
}

Value readJson(const std::string &path)
{
    QFile file(QString::fromStdString(path));
    if (!file.open(QIODevice::ReadOnly))
        return {};
    const Result<Value> json = parseJson(file.readAll().toStdString());
    return json ? *json : Value();
}

Value tidy(const Value &value)
{
    if (value.isList()) {
        Value::List list;
        for (const Value &item : value.asList())
            list.push_back(tidy(item));
        return Value(std::move(list));
    }
    if (!value.isMap())
        return value;
    Value::Map map;
    for (const auto &[key, member] : value.asMap()) {
        Value kept = tidy(member);
        const bool empty = kept.isNil() || (kept.isText() && kept.asText().empty())
            || (kept.isList() && kept.asList().empty()) || (kept.isMap() && kept.asMap().empty());
        if (!empty)
            map.emplace_back(key, std::move(kept));
    }
    return Value(std::move(map));
}

Value comparable(const Value &message)
{
    Value out = tidy(message);
    return message["additional_kwargs"]["lc_source"].asText() == "summarization" ? out.without("id") : out;
}

std::string messagesDifference(const std::vector<Value> &expected, const std::vector<Value> &actual)
{
    if (expected.size() != actual.size())
        return "expected " + std::to_string(expected.size()) + " messages, got " + std::to_string(actual.size());
    for (std::size_t i = 0; i < expected.size(); ++i)
        if (std::string d =
                goldens::difference(comparable(expected[i]), comparable(actual[i]), "[" + std::to_string(i) + "]");
            !d.empty())
            return d;
    return {};
}

std::vector<Value> bodies(const Value &keys, const Value &pool)
{
    std::vector<Value> list;
    for (const Value &key : keys.asList())
        list.push_back(key.isText() ? pool[key.asText()] : key);
    return list;
}

Value eventOf(const Value &event, const Value &pool)
{
    if (!event.truthy())
        return {};
    const bool js = event.contains("cutoffIndex");
    const Value &summary = event[js ? "summaryMessage" : "summary_message"];
    return Value::map({{"cutoff_index", event[js ? "cutoffIndex" : "cutoff_index"]},
        {"file_path", event[js ? "filePath" : "file_path"]}, {"created_at_index", event["created_at_index"]},
        {"summary_message", comparable(summary.isText() ? pool[summary.asText()] : summary)}});
}

} // namespace palimpsest::recordings
