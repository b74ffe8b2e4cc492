// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/compactiongoldens.h"

#include "core/base/text.h"
#include "core/compaction/contextsize.h"
#include "core/compaction/stages/inputbudget.h"
#include "core/compaction/stages/summaryprompt.h"
#include "core/values/json.h"

#include <QByteArray>

#include <algorithm>
#include <limits>
#include <memory>

namespace palimpsest::goldens {
namespace {

BackendFailure failureOf(const Value &fail, const char *operation)
{
    const std::string &mode = fail[operation].asText();
    if (mode == "error")
        return BackendFailure::Error;
    if (mode == "none")
        return BackendFailure::NoResult;
    if (mode == "empty")
        return BackendFailure::Empty;
    return mode == "raise" ? BackendFailure::Raise : BackendFailure::None;
}

std::string bytesOf(const Value &file)
{
    if (file["encoding"].asText() != "base64")
        return file["content"].asText();
    return QByteArray::fromBase64(QByteArray::fromStdString(file["content"].asText())).toStdString();
}

} // namespace

Dialect dialectOf(const std::string &version)
{
    const auto choice = dialectFor("deepagents-" + version);
    return choice ? choice->dialect : Dialect();
}

std::optional<TruncateArgsSettings> truncationOf(const Value &settings)
{
    if (!settings.isMap())
        return std::nullopt;
    TruncateArgsSettings result;
    if (const Value *trigger = settings.find("trigger"))
        result.trigger = readLooseContextSize(*trigger);
    if (const Value *keep = settings.find("keep")) {
        // A kind that upstream does not know keeps every message.
        result.keep = readLooseContextSize(*keep).value_or(
            ContextSize{ContextSize::Kind::Messages, std::numeric_limits<double>::infinity()});
    }
    if (const Value *length = settings.find("max_length"))
        result.maxLength = length->asInt();
    if (const Value *words = settings.find("truncation_text"))
        result.truncationText = words->asText();
    return result;
}

Attempt<CompactionRules> rulesOf(const Value &middleware, const Value &model, const std::string &version,
    bool deepAgents, const Value &modelSettings)
{
    CompactionRules rules;
    rules.dialect = dialectOf(version);
    ModelProfile profile;
    profile.llmType = model.contains("llm_type") ? model["llm_type"].asText() : std::string("fake");
    rules.counter = counterRule(profile);
    rules.maxInputTokens = profileLimit(model["profile"]);
    rules.provider = model["ls_provider"].asText();
    rules.outputTokens = reservedOutputTokens(model, modelSettings);

    Value trigger = middleware["trigger"];
    if (const Value &old = middleware["max_tokens_before_summary"]; trigger.isNil() && !old.isNil()) {
        trigger =
            Value(Value::Tagged{Value::Form::Python, "builtins", "tuple", Value::list({Value("tokens"), old}), {}});
    }
    auto clauses = readTrigger(trigger, PairForm::Python);
    if (!clauses)
        return tl::unexpected(clauses.error());
    rules.trigger = std::move(*clauses);
    Value keep = Value::list({Value("messages"), Value(20)});
    if (middleware.contains("keep"))
        keep = middleware["keep"];
    else if (middleware.contains("messages_to_keep"))
        keep = Value::list({Value("messages"), middleware["messages_to_keep"]});
    const auto size = readContextSize(keep, "keep");
    if (!size)
        return tl::unexpected(size.error());
    rules.keep = *size;
    if (needsProfile(rules.trigger, rules.keep) && !rules.maxInputTokens)
        return raised("ValueError", missingProfileText());

    rules.trimTokensToSummarize = 4000;
    if (const Value *trim = middleware.find("trim_tokens_to_summarize"))
        rules.trimTokensToSummarize = trim->isNil() ? std::nullopt : std::optional(trim->asInt());
    rules.truncateArgs = truncationOf(middleware["truncate_args_settings"]);
    rules.summaryPrompt = deepAgents ? deepAgentsSummaryPrompt() : defaultSummaryPrompt();
    if (const Value *prompt = middleware.find("summary_prompt"))
        rules.summaryPrompt = prompt->asText();
    return rules;
}

std::string messagesDifference(const Value &expected, const std::vector<MessagePtr> &actual,
    const std::vector<MessagePtr> &inputs, const std::string &where)
{
    const Value::List &list = expected.asList();
    if (list.size() != actual.size()) {
        return where + ": expected " + std::to_string(list.size()) + " messages, got " + std::to_string(actual.size());
    }
    for (std::size_t i = 0; i < list.size(); ++i) {
        const std::string place = where + "[" + std::to_string(i) + "]";
        if (const Value *same = list[i].find("$same_as_input")) {
            const auto input = static_cast<std::size_t>(same->asInt());
            if (input >= inputs.size())
                return place + ": expected input " + std::to_string(input) + ", which is none";
            if (actual[i] == inputs[input] || *actual[i] == *inputs[input])
                continue;
            return place + ": expected input " + std::to_string(input) + ", got "
                + toJson(messageToValue(*actual[i], true)).substr(0, 300);
        }
        if (std::string d = difference(list[i], messageToValue(*actual[i]), place); !d.empty())
            return d;
    }
    return {};
}

Value errorValue(const Raised &raised)
{
    return Value::map({{"$error", Value::map({{"type", Value(raised.type)}, {"message", Value(raised.message)}})}});
}

std::string resultDifference(const Value &expected, const Value &actual, const std::string &where)
{
    const std::string &type = expected["$error"]["type"].asText();
    if (type == "TypeError" || type == "AttributeError") {
        return actual["$error"]["type"].asText() == type ? std::string()
                                                         : where + ": expected a " + type + ", got " + toJson(actual);
    }
    return difference(expected, actual, where);
}

ArtifactBackend backendOf(const Value &spec, const std::string &version)
{
    BackendOptions options;
    options.kind = BackendOptions::Kind::Bytes;
    if (const Value &root = spec["artifacts_root"]; root.isText())
        options.artifactsRoot = root.asText();
    options.reportsRequestedPath = version == "0.7.7";
    options.resultPrefix = spec["result_prefix"].asText();
    const Value &fail = spec["fail"];
    options.failures.write = failureOf(fail, "write");
    options.failures.edit = failureOf(fail, "edit");
    options.failures.upload = failureOf(fail, "upload");
    options.failures.download = failureOf(fail, "download");
    for (const Value &part : spec["fail_paths"].asList())
        options.failures.onlyPaths.push_back(part.asText());
    ArtifactBackend backend(options);
    for (const auto &[path, file] : spec["files"].asMap())
        backend.preset(path.asText(), bytesOf(file));
    return backend;
}

Value filesOf(const ArtifactBackend &backend)
{
    Value::Map files;
    std::vector<std::string> paths;
    for (const auto &[path, file] : backend.files())
        paths.push_back(path);
    std::sort(paths.begin(), paths.end());
    for (const std::string &path : paths) {
        const StoredArtifact shown = artifactFromBytes(backend.bytes(path).value_or(std::string()));
        files.emplace_back(Value(path),
            Value::map({{"encoding", Value(shown.base64 ? "base64" : "utf-8")}, {"content", Value(shown.content)}}));
    }
    return Value(std::move(files));
}

Value operationsOf(const ArtifactBackend &backend)
{
    Value::List list;
    for (const BackendOp &operation : backend.operations())
        list.push_back(Value::list({Value(operation.op), Value(operation.path)}));
    return Value(std::move(list));
}

std::optional<Raised> raisedBy(const Value &step)
{
    if (!step.isMap() || !step.contains("raise"))
        return std::nullopt;
    const std::string &type = step["raise"].asText();
    const std::string &message = step["message"].asText();
    if (step.contains("status_code"))
        return Raised{"HTTPError", message};
    // str() of a KeyError is the repr of its key.
    return Raised{type, type == "KeyError" ? "'" + message + "'" : message};
}

FreshNames namesOf(const Value &uuids)
{
    auto next = std::make_shared<std::size_t>(0);
    return {[uuids, next] {
        const Value::List &list = uuids.asList();
        return *next < list.size() ? list[(*next)++].asText() : std::string("no uuid is left in the case");
    }};
}

ScriptedModel::ScriptedModel(const Value &model)
    : m_script(model["summaries"].asList())
{
    if (m_script.empty())
        m_script.push_back(Value("SUMMARY"));
}

Attempt<std::string> ScriptedModel::invoke(const std::string &prompt)
{
    const Value &step = m_script[std::min(m_prompts.size(), m_script.size() - 1)];
    m_prompts.push_back(prompt);
    if (auto error = raisedBy(step))
        return tl::unexpected(*error);
    return step.asText();
}

Value ScriptedModel::prompts() const
{
    Value::List list;
    for (const std::string &prompt : m_prompts)
        list.emplace_back(prompt);
    return Value(std::move(list));
}

} // namespace palimpsest::goldens
