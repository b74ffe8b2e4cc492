// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compaction/settings.h"

#include "core/compaction/contextsize.h"
#include "core/compaction/dialect.h"
#include "core/compaction/parameters.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace palimpsest {
namespace {

Error invalid(const std::string &key, std::string what)
{
    return {Error::Code::Invalid, key, std::move(what)};
}

/// Reads the members of one object; the first thing that makes no sense is kept as the error.
class Reader {
public:
    explicit Reader(const Value &map, std::string prefix = {}, std::string object = {})
        : m_map(map)
        , m_prefix(std::move(prefix) + object)
        , m_object(std::move(object))
    {
    }

    [[nodiscard]] const Value *take(std::string_view key)
    {
        m_known.emplace_back(key);
        return m_map.find(key);
    }
    [[nodiscard]] std::string name(std::string_view key) const { return m_prefix + std::string(key); }

    void fail(std::string_view key, std::string what)
    {
        if (!m_error)
            m_error = invalid(name(key), std::move(what));
    }

    void text(std::string_view key, std::string &out)
    {
        if (const Value *value = take(key); value && !value->isNil()) {
            if (value->isText())
                out = value->asText();
            else
                fail(key, "must be a text");
        }
    }
    void text(std::string_view key, std::optional<std::string> &out)
    {
        if (const Value *value = take(key)) {
            if (value->isText())
                out = value->asText();
            else if (value->isNil())
                out.reset();
            else
                fail(key, "must be a text or null");
        }
    }
    void boolean(std::string_view key, bool &out)
    {
        if (const Value *value = take(key); value && !value->isNil()) {
            if (value->isBool())
                out = value->asBool();
            else
                fail(key, "must be true or false");
        }
    }
    void whole(std::string_view key, std::int64_t &out, std::int64_t least)
    {
        if (const Value *value = take(key); value && !value->isNil()) {
            if (value->isInt() && value->asInt() >= least)
                out = value->asInt();
            else
                fail(key, "must be a whole number from " + std::to_string(least));
        }
    }
    /// In the range of the parameter's description.
    void whole(std::string_view key, std::int64_t &out) { whole(key, out, least(key).value_or(0)); }
    /// The same; null is a value of its own: none.
    void whole(std::string_view key, std::optional<std::int64_t> &out)
    {
        if (const Value *value = take(key)) {
            const auto from = least(key);
            if (value->isNil())
                out.reset();
            else if (value->isInt() && (!from || value->asInt() >= *from))
                out = value->asInt();
            else
                fail(key,
                    from ? "must be null or a whole number from " + std::to_string(*from)
                         : "must be null or a whole number");
        }
    }
    void refuseUnknown()
    {
        for (const auto &[key, value] : m_map.asMap()) {
            if (!key.isText())
                fail("", "holds a key that is no text");
            else if (std::find(m_known.begin(), m_known.end(), key.asText()) == m_known.end())
                fail(key.asText(), "is no setting; see the settings file in the manual");
        }
    }
    [[nodiscard]] const std::optional<Error> &error() const { return m_error; }
    void adopt(const Reader &part)
    {
        if (!m_error)
            m_error = part.error();
    }

private:
    [[nodiscard]] std::optional<std::int64_t> least(std::string_view key) const
    {
        const Parameter *parameter = findParameter(m_object + std::string(key));
        return parameter && parameter->least ? std::optional(static_cast<std::int64_t>(*parameter->least))
                                             : std::nullopt;
    }

    const Value &m_map;
    std::string m_prefix;
    std::string m_object; ///< "model.": the part of the prefix that belongs to a parameter's key
    std::vector<std::string> m_known;
    std::optional<Error> m_error;
};

void readModel(Reader &reader, ModelProfile &model)
{
    const Value *value = reader.take("model");
    if (!value || value->isNil())
        return;
    if (!value->isMap()) {
        reader.fail("model", "must be an object");
        return;
    }
    Reader part(*value, {}, "model.");
    part.whole("max_input_tokens", model.maxInputTokens);
    part.whole("max_output_tokens", model.maxOutputTokens);
    part.text("llm_type", model.llmType);
    part.text("provider", model.provider);
    part.boolean("reports_usage", model.reportsUsage);
    part.refuseUnknown();
    reader.adopt(part);
}

void readTruncation(Reader &reader, std::optional<TruncateArgsSettings> &out)
{
    const Value *value = reader.take("truncate_args");
    if (!value || value->isNil())
        return;
    if (!value->isMap()) {
        reader.fail("truncate_args", "must be an object or null");
        return;
    }
    TruncateArgsSettings settings;
    Reader part(*value, {}, "truncate_args.");
    const auto size = [&](std::string_view key) -> std::optional<ContextSize> {
        const Value *pair = part.take(key);
        if (!pair || pair->isNil())
            return std::nullopt;
        const auto loose = readLooseContextSize(*pair);
        if (!loose)
            part.fail(key, "must be [\"messages\", n], [\"tokens\", n] or [\"fraction\", f]");
        return loose;
    };
    settings.trigger = size("trigger");
    if (const auto keep = size("keep"))
        settings.keep = *keep;
    part.whole("max_length", settings.maxLength);
    part.text("truncation_text", settings.truncationText);
    part.refuseUnknown();
    reader.adopt(part);
    out = settings;
}

void readSizes(Reader &reader, Settings &settings)
{
    const Value *trigger = reader.take("trigger");
    const Value *keep = reader.take("keep");
    if (trigger) {
        auto read = readTrigger(*trigger, PairForm::Json);
        if (read)
            settings.trigger = std::move(*read);
        else
            reader.fail("trigger", read.error().message);
    }
    if (keep && !keep->isNil()) {
        const auto read = readContextSize(*keep, "keep");
        if (read)
            settings.keep = *read;
        else
            reader.fail("keep", read.error().message);
    }
}

void readCounted(Reader &reader, Settings &settings)
{
    if (const Value *tools = reader.take("tools"); tools && !tools->isNil()) {
        if (tools->isInt() && tools->asInt() >= 0)
            settings.tools = tools->asInt();
        else if (tools->isList())
            settings.tools = *tools;
        else
            reader.fail("tools", "must be a list of tool schemas or a number of tokens");
    }
    if (const Value *system = reader.take("system_message"); system && !system->isNil()) {
        if (system->isInt() && system->asInt() >= 0)
            settings.systemMessage = system->asInt();
        else if (system->isMap() || system->isText())
            settings.systemMessage = *system;
        else
            reader.fail("system_message", "must be a message or a number of tokens");
    }
    if (const Value *accepts = reader.take("counter_accepts_tools")) {
        if (accepts->isNil())
            settings.counterAcceptsTools.reset();
        else if (accepts->isBool())
            settings.counterAcceptsTools = accepts->asBool();
        else
            reader.fail("counter_accepts_tools", "must be true, false or null");
    }
    if (const Value *chars = reader.take("chars_per_token"); chars && !chars->isNil()) {
        if ((chars->isFloat() || chars->isInt()) && chars->asDouble() > 0)
            settings.charsPerToken = chars->asDouble();
        else
            reader.fail("chars_per_token", "must be a number above 0");
    }
}

template <class Enum>
void readChoice(
    Reader &reader, std::string_view key, std::initializer_list<std::pair<std::string_view, Enum>> choices, Enum &out)
{
    const Value *value = reader.take(key);
    if (!value || value->isNil())
        return;
    std::string names;
    for (const auto &[name, choice] : choices) {
        if (value->isText() && value->asText() == name) {
            out = choice;
            return;
        }
        names += (names.empty() ? "" : ", ") + std::string(name);
    }
    reader.fail(key, "must be one of " + names);
}

void readRefusals(Reader &reader, Settings &settings)
{
    const Value *value = reader.take("refused_calls");
    if (!value || value->isNil())
        return;
    if (!value->isMap()) {
        reader.fail("refused_calls", "must be an object of task ids and numbers of attempts");
        return;
    }
    for (const auto &[task, count] : value->asMap()) {
        if (!task.isText() || !count.isInt() || count.asInt() < 0 || count.asInt() > 1000)
            reader.fail("refused_calls", "must map task ids to numbers of attempts");
        else
            settings.refusedCalls[task.asText()] = static_cast<int>(count.asInt());
    }
}

Result<Settings> readSettings(const Value &json, const std::string &prefix)
{
    if (!json.isMap())
        return tl::unexpected(invalid(prefix.empty() ? "settings" : prefix, "must be an object"));
    Settings settings;
    Reader reader(json, prefix);
    reader.text("dialect", settings.dialect);
    const auto dialect = dialectFor(settings.dialect);
    if (!dialect)
        reader.fail("dialect", dialect.error().what);
    readModel(reader, settings.model);
    // LangChain's own constructor cuts the summarizer's input by default, deepagents' factory does not.
    if (dialect && dialect->dialect.rewritesState)
        settings.trimTokensToSummarize = 4000;
    readSizes(reader, settings);
    readTruncation(reader, settings.truncateArgs);
    reader.boolean("model_defaults", settings.modelDefaults);
    reader.whole("trim_tokens_to_summarize", settings.trimTokensToSummarize);
    reader.whole("tool_token_limit_before_evict", settings.toolTokenLimitBeforeEvict);
    reader.whole("human_message_token_limit_before_evict", settings.humanMessageTokenLimitBeforeEvict);
    reader.boolean("compact_tool", settings.compactTool);
    reader.text("compact_tool_prompt", settings.compactToolPrompt);
    reader.text("artifacts_root", settings.artifactsRoot);
    readChoice<Settings::ArchiveName>(reader, "archive_name",
        {{"session", Settings::ArchiveName::Session}, {"thread", Settings::ArchiveName::Thread}}, settings.archiveName);
    readCounted(reader, settings);
    readRefusals(reader, settings);
    reader.whole("window", settings.window);
    reader.boolean("artifacts_fail", settings.artifactsFail);
    readChoice<Settings::Usage>(reader, "usage",
        {{"scale", Settings::Usage::Scale}, {"keep", Settings::Usage::Keep}, {"ignore", Settings::Usage::Ignore}},
        settings.usage);
    reader.whole("snapshot_frequency", settings.snapshotFrequency);
    reader.text("summary_text", settings.summaryText);
    if (const Value *summarizer = reader.take("summarizer"))
        settings.summarizer = *summarizer;
    if (const Value *prices = reader.take("prices"); prices && prices->truthy())
        settings.prices = *prices;
    reader.boolean("offload_binary_content", settings.offloadBinaryContent);
    for (const char *describing : {"backend", "middleware"})
        (void)reader.take(describing);
    reader.refuseUnknown();

    // Nothing said about sizes: what create_deep_agent() builds.
    if (dialect && !dialect->dialect.rewritesState && !json.contains("trigger") && !json.contains("keep")
        && !json.contains("truncate_args"))
        settings.modelDefaults = true;
    if (!reader.error() && !settings.modelDefaults && needsProfile(settings.trigger.value_or(Trigger()), settings.keep)
        && !settings.model.maxInputTokens)
        reader.fail(settings.keep.kind == ContextSize::Kind::Fraction ? "keep" : "trigger", missingProfileText());
    if (reader.error())
        return tl::unexpected(*reader.error());
    return settings;
}

using Segments = std::vector<SettingsSet::Segment>;

/// One namespace's settings: an object, or {"segments": […]}.
Result<Segments> readSegments(const Value &json, const std::string &prefix)
{
    const Value *list = json.find("segments");
    if (!list) {
        auto settings = readSettings(json, prefix);
        if (!settings)
            return tl::unexpected(settings.error());
        return Segments{{1, std::move(*settings)}};
    }
    if (json.asMap().size() != 1 || !list->isList() || list->asList().empty())
        return tl::unexpected(
            invalid(prefix + "segments", "must be a list that is not empty, and the only member beside it"));
    Segments segments;
    for (std::size_t i = 0; i < list->asList().size(); ++i) {
        const Value &item = list->asList()[i];
        const std::string place = prefix + "segments[" + std::to_string(i) + "].";
        Reader reader(item, place);
        SettingsSet::Segment segment;
        reader.whole("from_call", segment.fromCall, 1);
        const Value *inner = reader.take("settings");
        reader.refuseUnknown();
        if (reader.error())
            return tl::unexpected(*reader.error());
        auto settings = readSettings(inner ? *inner : Value(), place + "settings.");
        if (!settings)
            return tl::unexpected(settings.error());
        segment.settings = std::move(*settings);
        segments.push_back(std::move(segment));
    }
    std::stable_sort(
        segments.begin(), segments.end(), [](const auto &a, const auto &b) { return a.fromCall < b.fromCall; });
    return segments;
}

Value optionalInt(const std::optional<std::int64_t> &number)
{
    return number ? Value(*number) : Value();
}

Value optionalText(const std::optional<std::string> &text)
{
    return text ? Value(*text) : Value();
}

Value truncationToValue(const std::optional<TruncateArgsSettings> &settings)
{
    if (!settings)
        return {};
    return Value::map({{"trigger", settings->trigger ? contextSizeToValue(*settings->trigger) : Value()},
        {"keep", contextSizeToValue(settings->keep)}, {"max_length", Value(settings->maxLength)},
        {"truncation_text", Value(settings->truncationText)}});
}

} // namespace

Result<SettingsSet> settingsFromJson(const Value &json)
{
    SettingsSet set;
    const Value *spaces = json.find("namespaces");
    if (!spaces) {
        auto segments = readSegments(json, {});
        if (!segments)
            return tl::unexpected(segments.error());
        set.namespaces[""] = std::move(*segments);
        return set;
    }
    if (json.asMap().size() != 1 || !spaces->isMap() || spaces->asMap().empty())
        return tl::unexpected(
            invalid("namespaces", "must be an object that is not empty, and the only member beside it"));
    for (const auto &[ns, value] : spaces->asMap()) {
        auto segments = readSegments(value, "namespaces[\"" + ns.asText() + "\"].");
        if (!segments)
            return tl::unexpected(segments.error());
        set.namespaces[ns.asText()] = std::move(*segments);
    }
    return set;
}

Value settingsToJson(const Settings &settings)
{
    Value::Map map;
    const auto add = [&](const char *key, Value value) { map.emplace_back(Value(key), std::move(value)); };
    add("dialect", Value(settings.dialect));
    const ModelProfile &model = settings.model;
    add("model",
        Value::map({{"max_input_tokens", optionalInt(model.maxInputTokens)},
            {"max_output_tokens", optionalInt(model.maxOutputTokens)}, {"llm_type", Value(model.llmType)},
            {"provider", Value(model.provider)}, {"reports_usage", Value(model.reportsUsage)}}));
    if (settings.trigger)
        add("trigger", settings.trigger->empty() ? Value() : triggerToValue(*settings.trigger));
    add("keep", contextSizeToValue(settings.keep));
    add("truncate_args", truncationToValue(settings.truncateArgs));
    add("trim_tokens_to_summarize", optionalInt(settings.trimTokensToSummarize));
    add("tool_token_limit_before_evict", optionalInt(settings.toolTokenLimitBeforeEvict));
    add("human_message_token_limit_before_evict", optionalInt(settings.humanMessageTokenLimitBeforeEvict));
    add("compact_tool", Value(settings.compactTool));
    add("compact_tool_prompt", optionalText(settings.compactToolPrompt));
    add("model_defaults", Value(settings.modelDefaults));
    add("artifacts_root", Value(settings.artifactsRoot));
    add("archive_name", Value(settings.archiveName == Settings::ArchiveName::Thread ? "thread" : "session"));
    add("tools",
        std::holds_alternative<Value>(settings.tools) ? std::get<Value>(settings.tools)
                                                      : Value(std::get<std::int64_t>(settings.tools)));
    add("counter_accepts_tools", settings.counterAcceptsTools ? Value(*settings.counterAcceptsTools) : Value());
    if (settings.charsPerToken)
        add("chars_per_token", Value(*settings.charsPerToken));
    add("system_message",
        std::holds_alternative<Value>(settings.systemMessage) ? std::get<Value>(settings.systemMessage)
                                                              : Value(std::get<std::int64_t>(settings.systemMessage)));
    Value::Map refused;
    for (const auto &[task, count] : settings.refusedCalls)
        refused.emplace_back(Value(task), Value(count));
    add("refused_calls", Value(std::move(refused)));
    add("window", optionalInt(settings.window));
    add("artifacts_fail", Value(settings.artifactsFail));
    const char *usage = settings.usage == Settings::Usage::Keep ? "keep"
        : settings.usage == Settings::Usage::Ignore             ? "ignore"
                                                                : "scale";
    add("usage", Value(usage));
    add("snapshot_frequency", Value(settings.snapshotFrequency));
    add("summary_text", optionalText(settings.summaryText));
    add("summarizer", settings.summarizer);
    add("prices", settings.prices.isNil() ? Value(Value::Map{}) : settings.prices);
    if (settings.offloadBinaryContent)
        add("offload_binary_content", Value(true));
    return Value(std::move(map));
}

const std::vector<SettingsSet::Segment> &segmentsFor(const SettingsSet &set, std::string_view ns)
{
    static const Segments defaults{SettingsSet::Segment()};
    auto found = set.namespaces.find(std::string(ns));
    if (found == set.namespaces.end() && !ns.empty()) {
        // The longest pattern that ends in "*" and fits.
        std::size_t best = 0;
        for (auto it = set.namespaces.begin(); it != set.namespaces.end(); ++it) {
            const std::string_view key = it->first;
            if (key.ends_with('*') && ns.starts_with(key.substr(0, key.size() - 1)) && key.size() > best) {
                best = key.size();
                found = it;
            }
        }
    }
    if (found == set.namespaces.end())
        found = set.namespaces.find("");
    return found == set.namespaces.end() || found->second.empty() ? defaults : found->second;
}

const Settings &settingsFor(const SettingsSet &set, std::string_view ns, std::int64_t call)
{
    const Segments &segments = segmentsFor(set, ns);
    const Settings *chosen = &segments.front().settings;
    for (const SettingsSet::Segment &segment : segments) {
        if (segment.fromCall <= call)
            chosen = &segment.settings;
    }
    return *chosen;
}

} // namespace palimpsest
