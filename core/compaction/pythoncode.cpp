// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compaction/pythoncode.h"

#include "core/compaction/contextsize.h"
#include "core/compaction/dialect.h"
#include "core/compaction/rules.h"
#include "core/values/pyrepr.h"

namespace palimpsest {
namespace {

std::string python(const std::optional<std::int64_t> &number)
{
    return number ? std::to_string(*number) : "None";
}

std::string python(std::string_view text)
{
    return pyrepr(Value(text));
}

std::string number(const ContextSize &size)
{
    return size.kind == ContextSize::Kind::Fraction ? pyrepr(Value(size.value))
                                                    : std::to_string(static_cast<std::int64_t>(size.value));
}

std::string python(const ContextSize &size)
{
    return "(\"" + std::string(kindName(size.kind)) + "\", " + number(size) + ")";
}

std::string python(const TriggerClause &clause)
{
    if (clause.size() == 1)
        return python(clause.front());
    std::string text;
    for (const ContextSize &size : clause)
        text += (text.empty() ? "\"" : ", \"") + std::string(kindName(size.kind)) + "\": " + number(size);
    return "{" + text + "}";
}

std::string python(const Trigger &trigger)
{
    if (trigger.empty())
        return "None";
    if (trigger.size() == 1)
        return python(trigger.front());
    std::string text;
    for (const TriggerClause &clause : trigger)
        text += (text.empty() ? "" : ", ") + python(clause);
    return "[" + text + "]";
}

std::string python(const std::optional<TruncateArgsSettings> &settings)
{
    if (!settings)
        return "None";
    return "{\n            \"trigger\": " + (settings->trigger ? python(*settings->trigger) : "None")
        + ",\n            \"keep\": " + python(settings->keep)
        + ",\n            \"max_length\": " + std::to_string(settings->maxLength)
        + ",\n            \"truncation_text\": " + python(std::string_view(settings->truncationText)) + ",\n        }";
}

std::string profileLines(const ModelProfile &model)
{
    if (!model.maxInputTokens && !model.maxOutputTokens)
        return {};
    std::string text;
    if (model.maxInputTokens)
        text += ", \"max_input_tokens\": " + std::to_string(*model.maxInputTokens);
    if (model.maxOutputTokens)
        text += ", \"max_output_tokens\": " + std::to_string(*model.maxOutputTokens);
    return "    model.profile = {**(model.profile or {})" + text + "}\n";
}

std::string langchainCode(const Settings &settings, const CompactionRules &rules)
{
    return "from langchain.agents import create_agent\n"
           "from langchain.agents.middleware import SummarizationMiddleware\n"
           "\n"
           "\n"
           "def make_agent(model, **others):\n"
        + profileLines(settings.model)
        + "    summarization = SummarizationMiddleware(\n"
          "        model=model,\n"
          "        trigger="
        + python(rules.trigger) + ",\n        keep=" + python(rules.keep)
        + ",\n        trim_tokens_to_summarize=" + python(rules.trimTokensToSummarize)
        + ",\n    )\n"
          "    return create_agent(model=model, middleware=[summarization], **others)\n";
}

std::string summarizationLines(const Settings &settings, const CompactionRules &rules)
{
    if (settings.modelDefaults && !settings.trimTokensToSummarize)
        return "    summarization = create_summarization_middleware(model, backend)\n";
    return "    summarization = SummarizationMiddleware(\n"
           "        model=model,\n"
           "        backend=backend,\n"
           "        trigger="
        + python(rules.trigger) + ",\n        keep=" + python(rules.keep)
        + ",\n        trim_tokens_to_summarize=" + python(rules.trimTokensToSummarize)
        + ",\n        truncate_args_settings=" + python(rules.truncateArgs) + ",\n    )\n";
}

std::string deepAgentsCode(const Settings &settings, const CompactionRules &rules)
{
    const bool rooted = settings.artifactsRoot != "/" && !settings.artifactsRoot.empty();
    const bool defaults = settings.modelDefaults && !settings.trimTokensToSummarize;
    std::string names = defaults ? "create_summarization_middleware" : "SummarizationMiddleware";
    if (settings.compactTool)
        names = defaults ? "SummarizationToolMiddleware, create_summarization_middleware"
                         : "SummarizationMiddleware, SummarizationToolMiddleware";
    std::string code = "from deepagents import create_deep_agent\n"
                       "from deepagents.backends import "
        + std::string(rooted ? "CompositeBackend, StateBackend" : "StateBackend")
        + "\nfrom deepagents.middleware.filesystem import FilesystemMiddleware\n"
          "from deepagents.middleware.summarization import "
        + names + "\n\n\ndef make_agent(model, **others):\n" + profileLines(settings.model);
    code += rooted ? "    backend = CompositeBackend(default=StateBackend(), routes={}, artifacts_root="
            + python(std::string_view(settings.artifactsRoot)) + ")\n"
                   : std::string("    backend = StateBackend()\n");
    code += summarizationLines(settings, rules);
    code += "    filesystem = FilesystemMiddleware(\n"
            "        backend=backend,\n"
            "        tool_token_limit_before_evict="
        + python(settings.toolTokenLimitBeforeEvict)
        + ",\n        human_message_token_limit_before_evict=" + python(settings.humanMessageTokenLimitBeforeEvict)
        + (settings.offloadBinaryContent ? ",\n        offload_binary_content=True" : "") + ",\n    )\n";
    std::string middleware = "summarization, filesystem";
    if (settings.compactTool) {
        const std::string prompt = settings.compactToolPrompt
            ? ", system_prompt=" + python(std::string_view(*settings.compactToolPrompt))
            : "";
        code += "    compact = SummarizationToolMiddleware(summarization" + prompt + ")\n";
        middleware += ", compact";
    }
    return code
        + "    # Middleware of the same name takes the place of what create_deep_agent would add.\n"
          "    return create_deep_agent(model=model, backend=backend, middleware=["
        + middleware + "], **others)\n";
}

} // namespace

std::string pythonCode(const Settings &settings)
{
    const auto choice = dialectFor(settings.dialect);
    const Dialect &dialect = choice ? choice->dialect : knownDialects().front();
    const CompactionRules rules = rulesFor(settings, dialect);
    return "# Settings for " + settings.dialect + "\n"
        + (dialect.hasArchive() ? deepAgentsCode(settings, rules) : langchainCode(settings, rules));
}

} // namespace palimpsest
