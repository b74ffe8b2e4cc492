// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sources/json/spansjson.h"

#include "core/serde/json.h"
#include "core/serde/jsonscan.h"
#include "core/values/json.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <format>

namespace palimpsest {
namespace {

std::string_view firstFound(std::string_view object, std::initializer_list<std::string_view> keys)
{
    for (const std::string_view key : keys)
        if (const std::string_view value = jsonFind(object, key); !value.empty() && value != "null")
            return value;
    return {};
}

std::vector<std::string_view> elementsOf(std::string_view list)
{
    std::vector<std::string_view> elements;
    for (const ByteRange &range : jsonElements(list).value_or(std::vector<ByteRange>()))
        elements.push_back(range.of(list));
    return elements;
}

/// The text of an attribute: OTLP wraps it ({"stringValue": …}), the SDK does not.
std::string_view attribute(std::string_view attributes, std::string_view key)
{
    if (!attributes.starts_with('['))
        return jsonFind(attributes, key);
    for (const std::string_view entry : elementsOf(attributes)) {
        if (jsonText(jsonFind(entry, "key")).value_or("") != key)
            continue;
        return firstFound(jsonFind(entry, "value"), {"stringValue", "string_value", "intValue", "doubleValue"});
    }
    return {};
}

/// The JSON that an attribute holds as text; a text that is none as {"value": text}.
std::string documentOf(std::string_view attribute)
{
    const std::string text = jsonText(attribute).value_or("");
    if (text.empty())
        return "null";
    if (text.front() == '{' || text.front() == '[')
        if (const auto end = jsonSkip(text, 0); end && jsonSpace(text, *end) == text.size())
            return text;
    std::string wrapped = "{\"value\":";
    writeJsonText(wrapped, text);
    return wrapped + '}';
}

/// Nanoseconds since 1970, in OTLP a text, as ISO 8601; what is ISO already stays.
std::string timeOf(std::string_view stored)
{
    const std::string text = jsonText(stored).value_or(std::string(stored));
    std::int64_t nanoseconds = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), nanoseconds);
    if (error != std::errc() || end != text.data() + text.size())
        return text;
    const std::chrono::sys_time<std::chrono::microseconds> time{std::chrono::microseconds(nanoseconds / 1000)};
    return std::format("{:%FT%T}Z", time);
}

/// `metadata` of OpenInference is one text, of LangSmith's exporter an attribute a key.
std::string metadataOf(std::string_view attributes)
{
    if (const std::string_view whole = attribute(attributes, "metadata"); !whole.empty())
        return documentOf(whole);
    constexpr std::string_view prefix = "langsmith.metadata.";
    std::string metadata = "{";
    const auto add = [&](const std::string &key, std::string_view value) {
        if (!key.starts_with(prefix) || value.empty())
            return;
        metadata += metadata.size() > 1 ? "," : "";
        writeJsonText(metadata, std::string_view(key).substr(prefix.size()));
        metadata.append(":").append(value);
    };
    for (const std::string_view entry : elementsOf(attributes)) {
        const std::string key = jsonText(jsonFind(entry, "key")).value_or("");
        add(key, attribute(attributes, key));
    }
    for (const JsonEntry &entry : jsonEntries(attributes).value_or(std::vector<JsonEntry>()))
        add(jsonText(entry.key.of(attributes)).value_or(""), entry.value.of(attributes));
    return metadata + '}';
}

} // namespace

std::optional<std::vector<std::string_view>> spansOf(std::string_view object)
{
    const std::string_view resources = firstFound(object, {"resourceSpans", "resource_spans"});
    if (resources.starts_with('[')) {
        std::vector<std::string_view> spans;
        for (const std::string_view resource : elementsOf(resources))
            for (const std::string_view scope :
                elementsOf(firstFound(resource, {"scopeSpans", "scope_spans", "instrumentationLibrarySpans"})))
                for (const std::string_view span : elementsOf(jsonFind(scope, "spans")))
                    spans.push_back(span);
        return spans;
    }
    const bool printed = jsonFind(object, "attributes").starts_with('{')
        && !firstFound(jsonFind(object, "context"), {"span_id"}).empty();
    return printed ? std::optional(std::vector{object}) : std::nullopt;
}

std::optional<std::string> runOfSpan(std::string_view span)
{
    const std::string_view attributes = jsonFind(span, "attributes");
    const auto find = [&](std::string_view one, std::string_view other) {
        const std::string_view value = attribute(attributes, one);
        return value.empty() ? attribute(attributes, other) : value;
    };
    const std::string_view input = find("input.value", "gen_ai.prompt");
    if (input.empty())
        return std::nullopt;
    const std::string_view context = jsonFind(span, "context");
    const auto idOf = [&](std::initializer_list<std::string_view> keys) {
        const std::string_view own = firstFound(span, keys);
        return jsonText(own.empty() ? firstFound(context, keys) : own).value_or("");
    };
    std::string kind = jsonText(find("openinference.span.kind", "langsmith.span.kind")).value_or("chain");
    std::ranges::transform(kind, kind.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
    std::string run = "{\"id\":";
    const auto add = [&](const char *key, const std::string &text) {
        run.append(",\"").append(key).append("\":");
        writeJsonText(run, text);
    };
    writeJsonText(run, idOf({"spanId", "span_id"}));
    add("trace_id", idOf({"traceId", "trace_id"}));
    add("parent_run_id", idOf({"parentSpanId", "parent_span_id", "parent_id"}));
    const std::string name = jsonText(attribute(attributes, "langsmith.trace.name")).value_or("");
    add("name", name.empty() ? jsonText(jsonFind(span, "name")).value_or("") : name);
    add("run_type", kind);
    add("start_time", timeOf(firstFound(span, {"startTimeUnixNano", "start_time_unix_nano", "start_time"})));
    add("end_time", timeOf(firstFound(span, {"endTimeUnixNano", "end_time_unix_nano", "end_time"})));
    run += ",\"inputs\":" + documentOf(input);
    run += ",\"outputs\":" + documentOf(find("output.value", "gen_ai.completion"));
    const std::string_view status = jsonFind(span, "status");
    const std::string_view code = firstFound(status, {"code", "status_code"});
    if (code == "2" || code == "\"ERROR\"" || code == "\"STATUS_CODE_ERROR\"") {
        const std::string_view message = firstFound(status, {"message", "description"});
        run.append(",\"error\":").append(message.empty() ? "\"an error without a description\"" : message);
    }
    run += ",\"extra\":{\"metadata\":" + metadataOf(attributes) + "}}";
    return run;
}

} // namespace palimpsest
