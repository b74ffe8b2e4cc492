// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/replaychecks.h"

#include "core/base/text.h"
#include "core/serde/json.h"
#include "core/values/json.h"
#include "tests/support/goldens.h"
#include "tests/support/recordinganswers.h"

#include <QFile>
#include <QRegularExpression>
#include <QTemporaryDir>

#include <algorithm>
#include <map>

namespace palimpsest::recordings {
namespace {

constexpr std::size_t shortenAbove = 4000;

Value mapped(const Value &value, const std::function<Value(const Value &)> &change)
{
    if (value.isList()) {
        Value::List list;
        for (const Value &item : value.asList())
            list.push_back(mapped(item, change));
        return Value(std::move(list));
    }
    if (value.isMap()) {
        Value::Map map;
        for (const auto &[key, item] : value.asMap())
            map.emplace_back(key, mapped(item, change));
        return Value(std::move(map));
    }
    return change(value);
}

/// Without what two runs of one script never share: ids and random file names. Texts that the truth holds as digests
/// stay as they are.
Value nameless(const Value &raw)
{
    static const QRegularExpression names(
        QStringLiteral("session_[0-9a-f]{32}|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"));
    const Value value = comparable(raw).without("id").without("response_metadata").without("usage_metadata");
    return mapped(value, [](const Value &leaf) {
        if (!leaf.isText() || text::length(leaf.asText()) > shortenAbove)
            return leaf;
        return Value(QString::fromStdString(leaf.asText()).replace(names, QStringLiteral("NAME")).toStdString());
    });
}

std::vector<Value> agentCalls(const Value &truth, const std::string &ns)
{
    std::vector<Value> calls;
    for (const Value &call : truth["calls"].asList()) {
        const bool model = !call.contains("node") || call["node"].asText() == "model";
        if (call["kind"].asText() == "agent" && model && namespaceOf(call) == ns)
            calls.push_back(call);
    }
    return calls;
}

Value asked(const Value &truth, const Value &call, const std::function<Value(const Value &)> &form)
{
    Value::List list;
    for (const Value &key : call["messages"].asList()) {
        const Value &raw = truth["messages"][key.asText()];
        if (raw["type"].asText() != "system")
            list.push_back(form(raw));
    }
    return Value(std::move(list));
}

Value pooled(const Value &document, const Value &keys, const std::function<Value(const Value &)> &form)
{
    Value::List list;
    for (const Value &key : keys.asList())
        list.push_back(form(document["messages"][key.asText()]));
    return Value(std::move(list));
}

std::string document(const Cli &cli, const std::vector<std::string> &args, Value &out)
{
    int status = -1;
    std::string messages;
    const std::string text = cli(args, &status, &messages);
    if (status != 0)
        return "exit status " + std::to_string(status) + ": " + messages;
    auto json = parseJson(text);
    if (!json)
        return "standard output is no JSON: " + json.error().what;
    out = std::move(*json);
    return {};
}

std::string writeSettings(const QTemporaryDir &folder, const Value &settings)
{
    const QString path = folder.filePath(QStringLiteral("settings.json"));
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly))
        return {};
    file.write(QByteArray::fromStdString(toJson(settings)));
    return path.toStdString();
}

Value blankStamps(const std::string &text)
{
    static const QRegularExpression stamp(QStringLiteral("^## Summarized at .*$"), QRegularExpression::MultilineOption);
    return Value(QString::fromStdString(text).replace(stamp, QStringLiteral("## Summarized at")).toStdString());
}

Value eventsIn(const Value::List &rows)
{
    Value::List events;
    for (const Value &row : rows) {
        if (row["event"].isNil())
            continue;
        Value event =
            Value::map({{"cutoff_index", row["event"]["cutoff_index"]}, {"file_path", row["event"]["file_path"]}});
        if (std::find(events.begin(), events.end(), event) == events.end())
            events.push_back(std::move(event));
    }
    return Value(std::move(events));
}

Value cutoffsIn(const Value::List &rows)
{
    Value::List cutoffs;
    for (const Value &row : rows) {
        if (!row["event"].isNil() && (cutoffs.empty() || !(cutoffs.back() == row["event"]["cutoff_index"])))
            cutoffs.push_back(row["event"]["cutoff_index"]);
    }
    return Value(std::move(cutoffs));
}

std::string attemptsDifference(const Value &truth, const std::vector<Value> &attempts, const Value &replay,
    const Value &mine, const std::string &at)
{
    Value::List wanted;
    Value::List have;
    bool lost = true; // a call refused to the end leaves no event, so no summary text
    for (const Value &attempt : attempts) {
        wanted.push_back(attempt["outcome"]);
        lost = lost && attempt["outcome"].asText() != "ok";
    }
    for (const Value &attempt : mine["attempts"].asList())
        have.push_back(attempt["outcome"]);
    if (std::string d = goldens::difference(Value(wanted), Value(have), at + " outcomes"); !d.empty())
        return d;
    for (std::size_t i = 0; i < attempts.size(); ++i) {
        const Value want = asked(truth, attempts[i], comparable);
        const Value got = pooled(replay, mine["attempts"].asList()[i]["messages"], comparable);
        const std::string place = at + " attempt " + std::to_string(i + 1);
        if (lost) {
            if (want.asList().size() != got.asList().size())
                return place + ": expected " + std::to_string(want.asList().size()) + " messages, got "
                    + std::to_string(got.asList().size());
        } else if (std::string d = goldens::difference(want, got, place); !d.empty()) {
            return d;
        }
    }
    return {};
}

std::string namespaceDifference(
    const Recording &recording, const Value &truth, const std::string &ns, const Value::List &rows, const Cli &cli)
{
    const StoredTasks tasks(recording.database, truth["thread_id"].asText());
    QTemporaryDir folder;
    Value replay;
    const std::vector<std::string> args{"replay", recording.database, "--thread", truth["thread_id"].asText(), "--ns",
        ns, "--settings", writeSettings(folder, settingsOf(truth, tasks)), "--summaries", "recorded"};
    if (std::string why = document(cli, args, replay); !why.empty())
        return why;
    std::map<std::string, Value> mine;
    for (const Value &call : replay["calls"].asList())
        mine[call["task_id"].asText()] = call;
    std::vector<std::pair<std::string, std::vector<Value>>> calls;
    for (const Value &call : agentCalls(truth, ns)) {
        const std::string task = taskOf(call);
        const auto known =
            std::find_if(calls.begin(), calls.end(), [&](const auto &entry) { return entry.first == task; });
        if (known == calls.end())
            calls.push_back({task, {call}});
        else
            known->second.push_back(call);
    }
    bool anyCall = false;
    for (const auto &[task, attempts] : calls) {
        const std::string id = tasks.id(task);
        if (id.empty())
            continue; // the call left nothing in the file
        anyCall = true;
        const std::string at = "ns '" + ns + "' step " + std::to_string(attempts.front()["step"].asInt());
        if (!mine.count(id))
            return at + ": no call for task " + id;
        if (std::string d = attemptsDifference(truth, attempts, replay, mine[id], at); !d.empty())
            return d;
    }
    // The tool's own events come from a tool call, not from a model call.
    const bool compact = truth["settings"]["compact_tool"].truthy();
    if (!compact) {
        if (std::string d =
                goldens::difference(eventsIn(rows), eventsIn(replay["calls"].asList()), "ns '" + ns + "' events");
            !d.empty())
            return d;
    }
    if (replay["verify"]["calls"].asInt() == 0 && anyCall)
        return "nothing was verified";
    if (!ns.empty() || truth["namespaces"].truthy() || compact || rows.empty())
        return {};
    for (const auto &[path, file] : rows.back()["files"].asMap()) {
        if (path.asText().find("/conversation_history/") == std::string::npos || !file["content"].isText())
            continue;
        const Value *made = replay["files"].find(path.asText());
        if (!made)
            return "archive " + path.asText() + " was not written";
        if (std::string d = goldens::difference(blankStamps(file["content"].asText()),
                blankStamps((*made)["content"].asText()), "archive " + path.asText());
            !d.empty())
            return d;
    }
    return {};
}

} // namespace

Recording twin(const Recording &recording)
{
    Recording other = recording;
    for (std::string *text : {&other.name, &other.database, &other.truth}) {
        const std::size_t mark = text->find("pair_");
        const std::size_t letter =
            mark == std::string::npos ? mark : text->find_first_of("ab", text->find('_', mark + 5));
        if (letter == std::string::npos)
            return {};
        (*text)[letter] = (*text)[letter] == 'a' ? 'b' : 'a';
    }
    return QFile::exists(QString::fromStdString(other.truth)) ? other : Recording();
}

std::string replayDifference(const Recording &recording, const Cli &cli)
{
    const Value truth = readJson(recording.truth);
    for (const auto &[ns, rows] : spacesOf(truth)) {
        if (std::string why = namespaceDifference(recording, truth, ns.asText(), rows.asList(), cli); !why.empty())
            return why;
    }
    return {};
}

std::string whatIfDifference(const Recording &recording, const Recording &other, const Cli &cli)
{
    const Value truth = readJson(recording.truth);
    const Value wanted = readJson(other.truth);
    const Value settings =
        settingsOf(wanted, StoredTasks()).with("refused_calls", Value(Value::Map{})).with("usage", Value("ignore"));
    QTemporaryDir folder;
    Value replay;
    const std::vector<std::string> args{"replay", recording.database, "--thread", truth["thread_id"].asText(),
        "--settings", writeSettings(folder, settings), "--summaries", "fixed"};
    if (std::string why = document(cli, args, replay); !why.empty())
        return why;
    const std::vector<Value> want = agentCalls(wanted, "");
    std::vector<Value> have;
    for (const Value &call : replay["calls"].asList()) {
        for (const Value &attempt : call["attempts"].asList())
            have.push_back(attempt);
    }
    if (want.size() != have.size())
        return "expected " + std::to_string(want.size()) + " attempts, got " + std::to_string(have.size());
    for (std::size_t i = 0; i < want.size(); ++i) {
        const std::string at =
            "call " + std::to_string(i + 1) + " (step " + std::to_string(want[i]["step"].asInt()) + ")";
        if (std::string d = goldens::difference(
                asked(wanted, want[i], nameless), pooled(replay, have[i]["messages"], nameless), at);
            !d.empty())
            return d;
    }
    return goldens::difference(
        cutoffsIn(wanted["checkpoints"].asList()), cutoffsIn(replay["calls"].asList()), "cutoffs");
}

std::string destructiveDifference(const Recording &recording, const Cli &cli)
{
    const Value truth = readJson(recording.truth);
    const Value settings = settingsOf(truth, StoredTasks()).with("dialect", Value("langchain-1.5"));
    QTemporaryDir folder;
    Value replay;
    const std::vector<std::string> args{"replay", recording.database, "--thread", truth["thread_id"].asText(),
        "--settings", writeSettings(folder, settings), "--summaries", "recorded", "--verify"};
    if (std::string why = document(cli, args, replay); !why.empty())
        return why;
    const std::vector<Value> want = agentCalls(truth, "");
    const Value::List &calls = replay["calls"].asList();
    if (want.size() != calls.size())
        return "expected " + std::to_string(want.size()) + " calls, got " + std::to_string(calls.size());
    std::int64_t summaries = 0;
    for (std::size_t i = 0; i < want.size(); ++i) {
        if (std::string d = attemptsDifference(truth, {want[i]}, replay, calls[i], "call " + std::to_string(i + 1));
            !d.empty())
            return d;
        summaries += calls[i]["event"].isNil() ? 0 : 1;
    }
    // Every summary's prompt is the one that the real middleware sent.
    std::vector<Value> prompts;
    for (const Value &call : truth["calls"].asList()) {
        if (call["kind"].asText() == "summary")
            prompts.push_back(truth["messages"][call["messages"].asList().front().asText()]["content"]);
    }
    if (static_cast<std::size_t>(summaries) != prompts.size())
        return "expected " + std::to_string(prompts.size()) + " summaries, got " + std::to_string(summaries);
    std::size_t next = 0;
    for (const Value &call : calls) {
        if (call["event"].isNil())
            continue;
        if (std::string d = goldens::difference(prompts[next++], call["summary_prompt"], "summary prompt"); !d.empty())
            return d;
    }
    return summaries > 0 ? std::string() : "the recording holds no summary";
}

} // namespace palimpsest::recordings
