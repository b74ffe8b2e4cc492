// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compaction/parameters.h"
#include "core/compaction/settings.h"
#include "core/serde/json.h"
#include "core/values/json.h"

#include <QTest>

#include <set>

using namespace palimpsest;

namespace {

/// A settings file that has every key there is.
Value everyKey()
{
    const auto json = parseJson(R"({
 "dialect": "deepagents-0.7.7", "model": {"max_input_tokens": null, "max_output_tokens": null,
 "llm_type": "scripted-chat", "provider": "openai", "reports_usage": true},
 "trigger": ["messages", 14], "keep": ["messages", 6],
 "truncate_args": {"trigger": null, "keep": ["messages", 20], "max_length": 2000, "truncation_text": "..."},
 "trim_tokens_to_summarize": null, "tool_token_limit_before_evict": 20000,
 "human_message_token_limit_before_evict": 50000, "compact_tool": false, "compact_tool_prompt": null,
 "model_defaults": false, "artifacts_root": "/", "archive_name": "session",
 "tools": [{"name": "", "description": "", "parameters": {}}], "counter_accepts_tools": true,
 "chars_per_token": 4.0, "system_message": {"type": "system", "content": ""}, "refused_calls": {"task": 1},
 "window": null, "artifacts_fail": false, "usage": "scale", "snapshot_frequency": 50, "summary_text": null,
 "summarizer": null, "prices": {}, "offload_binary_content": false})");
    return json.value_or(Value());
}

/// Its keys as parameters name them.
std::set<std::string> keysOf(const Value &settings)
{
    std::set<std::string> keys;
    for (const auto &[key, value] : settings.asMap()) {
        keys.insert(key.asText());
        if (key.asText() == "model" || key.asText() == "truncate_args")
            for (const auto &[member, inner] : value.asMap())
                keys.insert(key.asText() + "." + member.asText());
    }
    keys.erase("model"); // only its members are parameters
    return keys;
}

} // namespace

class TestParameters : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyKeyOfASettingsFileIsDescribed()
    {
        const Value all = everyKey();
        QVERIFY(settingsFromJson(all).has_value());
        std::set<std::string> described;
        for (const Parameter &parameter : parameters()) {
            QVERIFY2(described.emplace(parameter.key).second, parameter.key.data());
            QVERIFY2(
                !parameter.name.empty() && !parameter.help.empty() && !parameter.source.empty(), parameter.key.data());
        }
        QCOMPARE(described, keysOf(all));
    }

    void whatIsWrittenIsDescribed()
    {
        Settings settings;
        settings.truncateArgs = TruncateArgsSettings();
        settings.charsPerToken = 3;
        settings.trigger = Trigger{};
        settings.offloadBinaryContent = true;
        for (const std::string &key : keysOf(settingsToJson(settings)))
            QVERIFY2(findParameter(key), key.c_str());
    }

    void defaultsAreThoseOfAnEmptyFile()
    {
        QCOMPARE(parameterDefault("tool_token_limit_before_evict", "deepagents-0.7.7"), Value(20000));
        QCOMPARE(parameterDefault("trim_tokens_to_summarize", "deepagents-0.7.32"), Value());
        QCOMPARE(parameterDefault("trim_tokens_to_summarize", "langchain-1.5"), Value(4000));
        QCOMPARE(parameterDefault("model_defaults", "deepagents-0.7.7"), Value(true));
        QCOMPARE(parameterDefault("truncate_args.max_length", "deepagents-0.7.7"), Value(2000));
        QCOMPARE(parameterDefault("keep", "no such dialect"), Value());
    }

    void rangesOfTheDescriptionAreThoseOfTheReader()
    {
        const Value base = everyKey();
        for (const Parameter &parameter : parameters()) {
            if (!parameter.least
                || (parameter.type != Parameter::Type::Whole && parameter.type != Parameter::Type::OptionalWhole))
                continue;
            const auto least = static_cast<std::int64_t>(*parameter.least);
            QVERIFY2(settingsFromJson(withParameter(base, parameter.key, Value(least))), parameter.key.data());
            const auto below = settingsFromJson(withParameter(base, parameter.key, Value(least - 1)));
            QVERIFY2(!below, parameter.key.data());
            QCOMPARE(below.error().where, std::string(parameter.key));
        }
        for (const Parameter &parameter : parameters()) {
            for (const std::string_view choice : parameter.choices)
                QVERIFY2(settingsFromJson(withParameter(base, parameter.key, Value(choice))), choice.data());
            if (!parameter.choices.empty())
                QVERIFY(!settingsFromJson(withParameter(base, parameter.key, Value("none of them"))));
        }
    }

    void faultsAreSaidInUpstreamsWords()
    {
        const auto fault = [](std::string_view key, const char *json) {
            const auto read = settingsFromJson(withParameter(everyKey(), key, parseJson(json).value_or(Value())));
            return read ? std::string() : read.error().where + ": " + read.error().what;
        };
        QCOMPARE(fault("trigger", R"(["messages", 0])"), "trigger: trigger thresholds must be greater than 0, got 0.");
        QCOMPARE(
            fault("keep", R"(["fraction", 1.5])"), "keep: Fractional keep values must be between 0 and 1, got 1.5.");
        QCOMPARE(fault("trigger", R"({"tokens": 1.5})"), "trigger: tokens trigger values must be integers, got 1.5");
        QCOMPARE(fault("trigger", R"({})"),
            "trigger: trigger clause must specify at least one of 'tokens', 'messages', 'fraction'");
        QVERIFY(fault("keep", R"(["fraction", 0.5])").starts_with("keep: Model profile information is required"));
    }

    void membersAreSetInsideTheirObject()
    {
        const Value set = withParameter(Value::map({{"truncate_args", Value()}}), "truncate_args.max_length", Value(7));
        QCOMPARE(toJson(set), R"({"truncate_args":{"max_length":7}})");
        QCOMPARE(parameterValue(set, "truncate_args.max_length"), Value(7));
        QCOMPARE(parameterValue(set, "model.provider"), Value());
    }
};

QTEST_APPLESS_MAIN(TestParameters)
#include "tst_parameters.moc"
