// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/stagecases.h"

#include "core/base/base64.h"

#include <map>
#include <memory>

namespace palimpsest::stagecases {
namespace {

BackendFailure failureOf(const Value &mode)
{
    if (mode.isNil())
        return BackendFailure::None;
    if (mode.asText() == "error")
        return BackendFailure::Error;
    if (mode.asText() == "none")
        return BackendFailure::NoResult;
    return mode.asText() == "empty" ? BackendFailure::Empty : BackendFailure::Raise;
}

const Value::List *items(const Value &value)
{
    if (value.isList())
        return &value.asList();
    const Value::Tagged *tagged = value.asTagged();
    return tagged && tagged->name == "tuple" ? &tagged->value.asList() : nullptr;
}

/// Where the keys of two maps that are equal otherwise come in another order.
std::string orderDifference(const Value &expected, const Value &actual, const std::string &where)
{
    const Value::List *left = items(expected);
    const Value::List *right = items(actual);
    if (left && right) {
        for (std::size_t i = 0; i < left->size() && i < right->size(); ++i)
            if (std::string d = orderDifference((*left)[i], (*right)[i], where + "[" + std::to_string(i) + "]");
                !d.empty())
                return d;
        return {};
    }
    if (!expected.isMap() || !actual.isMap() || expected.contains("$sha256"))
        return {};
    for (std::size_t i = 0; i < expected.asMap().size() && i < actual.asMap().size(); ++i) {
        const Value::Entry &a = expected.asMap()[i];
        const Value::Entry &b = actual.asMap()[i];
        if (a.first != b.first)
            return where + ": key " + std::to_string(i) + " is " + b.first.asText() + ", expected " + a.first.asText();
        if (std::string d = orderDifference(a.second, b.second, where + "." + a.first.asText()); !d.empty())
            return d;
    }
    return {};
}

} // namespace

Dialect dialect(const std::string &version)
{
    return dialectFor("deepagents-" + version)->dialect;
}

ArtifactBackend backend(const Value &spec, const std::string &version)
{
    BackendOptions options;
    if (spec["artifacts_root"].truthy())
        options.artifactsRoot = spec["artifacts_root"].asText();
    options.resultPrefix = spec["result_prefix"].asText();
    options.reportsRequestedPath = !dialect(version).stubNamesBackendPath;
    options.failures.write = failureOf(spec["fail"]["write"]);
    options.failures.edit = failureOf(spec["fail"]["edit"]);
    options.failures.upload = failureOf(spec["fail"]["upload"]);
    options.failures.download = failureOf(spec["fail"]["download"]);
    for (const Value &part : spec["fail_paths"].asList())
        options.failures.onlyPaths.push_back(part.asText());
    ArtifactBackend made(options);
    for (const auto &[path, file] : spec["files"].asMap())
        made.preset(path.asText(), file["content"].asText(), file["encoding"].asText() == "base64");
    return made;
}

Value files(const ArtifactBackend &backend)
{
    std::map<std::string, StoredArtifactPtr> sorted;
    for (const auto &[path, file] : backend.files())
        sorted.emplace(path, file);
    Value::Map out;
    for (const auto &[path, file] : sorted) {
        const StoredArtifact shown = artifactFromBytes(file->content);
        out.emplace_back(Value(path),
            Value::map({{"encoding", Value(shown.base64 ? "base64" : "utf-8")}, {"content", Value(shown.content)}}));
    }
    return Value(std::move(out));
}

Value operations(const ArtifactBackend &backend)
{
    Value::List out;
    for (const BackendOp &op : backend.operations())
        out.push_back(Value::list({Value(op.op), Value(op.path)}));
    return Value(std::move(out));
}

FreshNames names(const Value &uuids)
{
    auto next = std::make_shared<std::size_t>(0);
    return {[next, list = uuids.asList()] { return *next < list.size() ? list[(*next)++].asText() : std::string(); }};
}

Value error(const Raised &raised)
{
    return Value::map({{"$error", Value::map({{"type", Value(raised.type)}, {"message", Value(raised.message)}})}});
}

Value messages(const std::vector<MessagePtr> &messages, const std::vector<MessagePtr> &inputs)
{
    Value::List out;
    for (const MessagePtr &message : messages) {
        std::size_t k = 0;
        while (k < inputs.size() && *inputs[k] != *message)
            ++k;
        out.push_back(k < inputs.size() ? Value::map({{"$same_as_input", Value(static_cast<std::int64_t>(k))}})
                                        : messageToValue(*message));
    }
    return Value(std::move(out));
}

std::optional<std::int64_t> integer(const Value &value)
{
    return value.isInt() ? std::optional<std::int64_t>(value.asInt()) : std::nullopt;
}

ContextSize contextSize(const Value &pair)
{
    const Value::List &parts = *items(pair);
    const std::string &kind = parts.at(0).asText();
    return {kind == "tokens"     ? ContextSize::Kind::Tokens
            : kind == "fraction" ? ContextSize::Kind::Fraction
                                 : ContextSize::Kind::Messages,
        parts.at(1).asDouble()};
}

std::string difference(const Value &expected, const Value &actual)
{
    const std::string &type = expected["$error"]["type"].asText();
    if (type == "TypeError" || type == "AttributeError")
        return goldens::difference(Value(type), actual["$error"]["type"], "type of the exception");
    std::string d = goldens::difference(expected, actual);
    return d.empty() ? orderDifference(expected, actual, {}) : d;
}

} // namespace palimpsest::stagecases
