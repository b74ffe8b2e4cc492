// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compaction/pythoncode.h"
#include "core/compaction/settings.h"
#include "core/serde/json.h"
#include "core/values/json.h"

#include <QDir>
#include <QtTest>

using namespace palimpsest;

namespace {

Result<SettingsSet> read(const char *json)
{
    const auto value = parseJson(json);
    return value ? settingsFromJson(*value) : tl::unexpected(value.error());
}

} // namespace

class TestSettings : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void readsEveryMember();
    void triggerForms_data();
    void triggerForms();
    void nothingSaidIsTheFactorysDefault();
    void refuses_data();
    void refuses();
    void pythonSetsTheSettings_data();
    void pythonSetsTheSettings();
    void writesWhatItReads_data();
    void writesWhatItReads();
    void segmentsAndNamespaces();
};

void TestSettings::readsEveryMember()
{
    const auto set = read(R"({"dialect": "deepagents-0.7.32",
        "model": {"max_input_tokens": 9000, "max_output_tokens": 500, "llm_type": "anthropic-chat", "provider": "anthropic", "reports_usage": false},
        "trigger": ["messages", 14], "keep": ["tokens", 600],
        "truncate_args": {"trigger": ["fraction", 0.5], "keep": ["messages", 3], "max_length": 200, "truncation_text": "…"},
        "trim_tokens_to_summarize": 400, "tool_token_limit_before_evict": null, "human_message_token_limit_before_evict": 300,
        "compact_tool": true, "compact_tool_prompt": "Compact!", "model_defaults": false, "artifacts_root": "/art/", "archive_name": "thread",
        "tools": 120, "counter_accepts_tools": null, "chars_per_token": 3.5, "system_message": 40, "refused_calls": {"t1": 2}, "window": 8000,
        "artifacts_fail": true, "usage": "keep", "snapshot_frequency": 10, "summary_text": "S", "summarizer": {"url": "u"}, "prices": {"input": 1},
        "offload_binary_content": true, "backend": "StateBackend", "middleware": "x"})");
    QVERIFY2(set.has_value(), set ? "" : set.error().what.c_str());
    const Settings &s = settingsFor(*set, "", 1);
    QCOMPARE(s.dialect, std::string("deepagents-0.7.32"));
    QCOMPARE(s.model, (ModelProfile{9000, 500, "anthropic-chat", "anthropic", false}));
    QCOMPARE(s.trigger, std::optional(Trigger{{{ContextSize::Kind::Messages, 14}}}));
    QCOMPARE(s.keep, (ContextSize{ContextSize::Kind::Tokens, 600}));
    QCOMPARE(s.truncateArgs,
        std::optional(TruncateArgsSettings{
            ContextSize{ContextSize::Kind::Fraction, 0.5}, {ContextSize::Kind::Messages, 3}, 200, "…"}));
    QCOMPARE(s.trimTokensToSummarize, std::optional<std::int64_t>(400));
    QVERIFY(!s.toolTokenLimitBeforeEvict);
    QCOMPARE(s.humanMessageTokenLimitBeforeEvict, std::optional<std::int64_t>(300));
    QVERIFY(s.compactTool && s.compactToolPrompt == "Compact!" && !s.modelDefaults);
    QVERIFY(s.artifactsRoot == "/art/" && s.archiveName == Settings::ArchiveName::Thread);
    QVERIFY(std::get<std::int64_t>(s.tools) == 120 && std::get<std::int64_t>(s.systemMessage) == 40);
    QVERIFY(!s.counterAcceptsTools && s.charsPerToken == 3.5);
    QVERIFY(s.refusedCalls.at("t1") == 2 && s.window == 8000 && s.artifactsFail && s.usage == Settings::Usage::Keep);
    QVERIFY(s.snapshotFrequency == 10 && s.summaryText == "S" && s.offloadBinaryContent);
    QCOMPARE(s.summarizer["url"].asText(), std::string("u"));
    QCOMPARE(s.prices["input"].asInt(), 1);
}

void TestSettings::triggerForms_data()
{
    QTest::addColumn<QByteArray>("json");
    QTest::addColumn<int>("clauses");
    QTest::addColumn<int>("sizes");
    QTest::newRow("null: never") << QByteArray(R"({"trigger": null})") << 0 << 0;
    QTest::newRow("pair") << QByteArray(R"({"trigger": ["tokens", 5]})") << 1 << 1;
    QTest::newRow("object: and") << QByteArray(R"({"trigger": {"tokens": 5, "messages": 2}})") << 1 << 2;
    QTest::newRow("list: or") << QByteArray(R"({"trigger": [["tokens", 5], {"messages": 2, "tokens": 3}]})") << 2 << 3;
    QTest::newRow("empty list: never") << QByteArray(R"({"trigger": []})") << 0 << 0;
}

void TestSettings::triggerForms()
{
    QFETCH(QByteArray, json);
    QFETCH(int, clauses);
    QFETCH(int, sizes);
    const auto set = read(json.constData());
    QVERIFY(set.has_value());
    const Settings &settings = settingsFor(*set, "", 1);
    QVERIFY(settings.trigger.has_value() && !settings.modelDefaults);
    QCOMPARE(static_cast<int>(settings.trigger->size()), clauses);
    int count = 0;
    for (const TriggerClause &clause : *settings.trigger)
        count += static_cast<int>(clause.size());
    QCOMPARE(count, sizes);
}

void TestSettings::nothingSaidIsTheFactorysDefault()
{
    const auto set = read("{}");
    QVERIFY(set.has_value());
    QVERIFY(settingsFor(*set, "", 1).modelDefaults);
}

void TestSettings::refuses_data()
{
    QTest::addColumn<QByteArray>("json");
    QTest::addColumn<QString>("key");
    QTest::addColumn<QString>("words");
    const auto row = [](const char *json, const char *key, const char *words) {
        QTest::newRow(json) << QByteArray(json) << QString::fromUtf8(key) << QString::fromUtf8(words);
    };
    row(R"([])", "settings", "object");
    row(R"({"trigge": 1})", "trigge", "no setting");
    row(R"({"model": {"max_tokens": 1}})", "model.max_tokens", "no setting");
    row(R"({"truncate_args": {"keeps": 1}})", "truncate_args.keeps", "no setting");
    row(R"({"trigger": ["tokens", 0]})", "trigger", "trigger thresholds must be greater than 0, got 0.");
    row(R"({"trigger": ["chars", 5]})", "trigger", "Unsupported context size type chars for trigger.");
    row(R"({"trigger": {}})", "trigger",
        "trigger clause must specify at least one of 'tokens', 'messages', 'fraction'");
    row(R"({"trigger": {"messages": true}})", "trigger", "messages trigger value must be numeric, got True");
    row(R"({"trigger": {"tokens": 10.0}})", "trigger", "tokens trigger values must be integers, got 10.0");
    row(R"({"trigger": "tokens"})", "trigger", "Unsupported trigger type: <class 'str'>");
    row(R"({"keep": ["fraction", 1.5], "model": {"max_input_tokens": 10}})", "keep",
        "Fractional keep values must be between 0 and 1, got 1.5.");
    row(R"({"keep": ["fraction", 0.5]})", "keep", "Model profile information is required");
    row(R"({"trigger": ["fraction", 0.5]})", "trigger", "Model profile information is required");
    row(R"({"dialect": "langgraph-1"})", "dialect", "is no dialect");
    row(R"({"usage": "double"})", "usage", "scale, keep, ignore");
    row(R"({"window": 0})", "window", "from 1");
    row(R"({"tools": "all"})", "tools", "list of tool schemas");
    row(R"({"refused_calls": {"t": "twice"}})", "refused_calls", "numbers of attempts");
    row(R"({"segments": []})", "segments", "not empty");
    row(R"({"segments": [{"from_call": 1, "settings": {"keeep": 1}}]})", "segments[0].settings.keeep", "no setting");
    row(R"({"segments": [{"from": 1}]})", "segments[0].from", "no setting");
    row(R"({"namespaces": {"": {"keeep": 1}}})", "namespaces[\"\"].keeep", "no setting");
}

void TestSettings::refuses()
{
    QFETCH(QByteArray, json);
    QFETCH(QString, key);
    QFETCH(QString, words);
    const auto set = read(json.constData());
    QVERIFY(!set.has_value());
    QCOMPARE(set.error().code, Error::Code::Invalid);
    QCOMPARE(QString::fromStdString(set.error().where), key);
    QVERIFY2(QString::fromStdString(set.error().what).contains(words), set.error().what.c_str());
}

void TestSettings::writesWhatItReads_data()
{
    QTest::addColumn<QByteArray>("json");
    for (const char *json :
        {R"({})", R"({"trigger": null})",
            R"({"dialect": "langchain-1.5", "trigger": ["messages", 3], "keep": ["messages", 2]})",
            R"({"trigger": [["tokens", 5], {"messages": 2, "tokens": 3}], "truncate_args": {"trigger": ["messages", 2]}, "usage": "ignore"})",
            R"({"model_defaults": true, "model": {"max_input_tokens": 7}, "tools": [{"name": "a"}], "system_message": {"type": "system", "content": "x"}})"})
        QTest::newRow(json) << QByteArray(json);
}

void TestSettings::writesWhatItReads()
{
    QFETCH(QByteArray, json);
    const auto set = read(json.constData());
    QVERIFY(set.has_value());
    const Settings &settings = settingsFor(*set, "", 1);
    const auto again = settingsFromJson(settingsToJson(settings));
    QVERIFY2(again.has_value(), again ? "" : again.error().what.c_str());
    QCOMPARE(settingsFor(*again, "", 1), settings);
    // And as text, through the JSON writer and reader.
    const auto text = parseJson(toJson(settingsToJson(settings)));
    QVERIFY(text.has_value());
    QCOMPARE(settingsFor(*settingsFromJson(*text), "", 1), settings);
}

void TestSettings::segmentsAndNamespaces()
{
    const auto set = read(R"({"namespaces": {
        "": {"segments": [{"from_call": 5, "settings": {"keep": ["messages", 5]}}, {"from_call": 1, "settings": {"keep": ["messages", 1]}}]},
        "tools:*": {"keep": ["messages", 7]}, "tools:abc": {"keep": ["messages", 8]}}})");
    QVERIFY2(set.has_value(), set ? "" : set.error().what.c_str());
    const auto keep = [&](const char *ns, int call) { return settingsFor(*set, ns, call).keep.value; };
    QCOMPARE(keep("", 1), 1.0);
    QCOMPARE(keep("", 4), 1.0);
    QCOMPARE(keep("", 5), 5.0);
    QCOMPARE(keep("tools:xyz", 1), 7.0);
    QCOMPARE(keep("tools:abc", 1), 8.0);
    QCOMPARE(keep("other", 9), 5.0);
}

void TestSettings::pythonSetsTheSettings_data()
{
    QTest::addColumn<QString>("path");
    const QDir folder(QStringLiteral(PALIMPSEST_TEST_DATA) + QStringLiteral("/tuning"));
    const QStringList names = folder.entryList({QStringLiteral("*.settings.json")});
    QVERIFY(names.size() > 4);
    for (const QString &name : names)
        QTest::newRow(qPrintable(name)) << folder.filePath(name);
}

/// tests/oracle/check_python.py runs these texts with the real packages. With PALIMPSEST_REFRESH they are written anew.
void TestSettings::pythonSetsTheSettings()
{
    QFETCH(QString, path);
    QFile file(path);
    QVERIFY(file.open(QIODevice::ReadOnly));
    const auto settings = read(file.readAll().constData());
    QVERIFY(settings);
    const QByteArray code = QByteArray::fromStdString(pythonCode(settingsFor(*settings, "", 1)));
    QFile expected(path.replace(QStringLiteral(".settings.json"), QStringLiteral(".py.txt")));
    if (qEnvironmentVariableIsSet("PALIMPSEST_REFRESH")) {
        QVERIFY(expected.open(QIODevice::WriteOnly));
        expected.write(code);
        expected.close();
    }
    QVERIFY(expected.open(QIODevice::ReadOnly));
    QCOMPARE(code, expected.readAll());
}

QTEST_APPLESS_MAIN(TestSettings)
#include "tst_settings.moc"
