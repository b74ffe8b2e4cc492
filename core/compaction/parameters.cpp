// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compaction/parameters.h"

#include "core/compaction/settings.h"

#include <algorithm>

namespace palimpsest {
namespace {

using Type = Parameter::Type;
using Section = Parameter::Section;

constexpr std::string_view summarization = "langchain/agents/middleware/summarization.py, 1.5.2";
constexpr std::string_view deepSummarization = "deepagents/middleware/summarization.py, 0.7.7 and 0.7.32";
constexpr std::string_view filesystem = "deepagents/middleware/filesystem.py, 0.7.7 and 0.7.32";
constexpr std::string_view profiles = "langchain_core/language_models/model_profile.py, 1.4";
constexpr std::string_view ours = "Palimpsest";

bool truncates(const Dialect &dialect)
{
    return dialect.truncatesArguments();
}

bool evicts(const Dialect &dialect)
{
    return dialect.evictsMessages();
}

bool archives(const Dialect &dialect)
{
    return dialect.hasArchive();
}

bool countsOthers(const Dialect &dialect)
{
    return dialect.countsToolsAndSystem();
}

bool recovers(const Dialect &dialect)
{
    return dialect.recoversFromOverflow();
}

bool offloadsBlobs(const Dialect &dialect)
{
    return dialect.offloadsBlobs;
}

std::vector<std::string_view> dialectNames()
{
    std::vector<std::string_view> names;
    for (const Dialect &dialect : knownDialects())
        names.emplace_back(dialect.name);
    return names;
}

void addRules(std::vector<Parameter> &list)
{
    list.push_back({.key = "dialect",
        .name = "Rules of",
        .type = Type::Choice,
        .section = Section::Rules,
        .choices = dialectNames(),
        .help = "The package and version whose compaction rules apply.",
        .source = "deepagents and langchain, the versions named"});
    list.push_back({.key = "model_defaults",
        .name = "Defaults of the model",
        .type = Type::Switch,
        .section = Section::Rules,
        .help = "Trigger, keep and argument truncation come from the model's profile, as create_deep_agent() does it.",
        .source = "deepagents/middleware/summarization.py compute_summarization_defaults, 0.7.7 and 0.7.32",
        .applies = archives});
}

void addModel(std::vector<Parameter> &list)
{
    list.push_back({.key = "model.max_input_tokens",
        .name = "Input window",
        .type = Type::OptionalWhole,
        .section = Section::Model,
        .unit = "tokens",
        .most = 1'000'000,
        .help = "max_input_tokens of the model's profile. Fractions are parts of it; without it none can be used.",
        .source = profiles});
    list.push_back({.key = "model.max_output_tokens",
        .name = "Output limit",
        .type = Type::OptionalWhole,
        .section = Section::Model,
        .unit = "tokens",
        .most = 128'000,
        .help = "Output tokens that a request reserves; 0.7.32 takes them off its input budget.",
        .source = deepSummarization});
    list.push_back({.key = "model.llm_type",
        .name = "Model class",
        .type = Type::Text,
        .section = Section::Model,
        .help = "_llm_type of the chat model. A name that begins with anthropic-chat counts 3.3 characters a token, "
                "any other 4.",
        .source = "langchain/agents/middleware/summarization.py _get_approximate_token_counter, 1.5.2"});
    list.push_back({.key = "model.provider",
        .name = "Provider",
        .type = Type::Text,
        .section = Section::Model,
        .help = "ls_provider of the model. Reported usage counts only when the answer's model_provider is the same.",
        .source = "langchain/agents/middleware/summarization.py _provider_matches, 1.5.2"});
    list.push_back({.key = "model.reports_usage",
        .name = "Reports usage",
        .type = Type::Switch,
        .section = Section::Model,
        .help = "Answers carry usage_metadata. It can fire the trigger and scales the count.",
        .source = summarization});
    list.push_back({.key = "chars_per_token",
        .name = "Characters a token",
        .type = Type::OptionalReal,
        .section = Section::Model,
        .least = 0.1,
        .most = 10,
        .help = "Of the approximate counter. Nothing: 3.3 or 4 by the model class.",
        .source = "langchain_core/messages/utils.py count_tokens_approximately, 1.4"});
}

void addSummarization(std::vector<Parameter> &list)
{
    list.push_back({.key = "trigger",
        .name = "Summarize when",
        .type = Type::Clauses,
        .section = Section::When,
        .most = 200'000,
        .help = "A line is a clause: all its sizes must be reached (AND). Any clause suffices (OR). No clause: never.",
        .source = summarization});
    list.push_back({.key = "keep",
        .name = "Keep",
        .type = Type::Size,
        .section = Section::Keep,
        .most = 100'000,
        .help = "How much of the newest messages stays after the summary. A cutoff between a call and its results "
                "moves back to the call.",
        .source = summarization});
    list.push_back({.key = "trim_tokens_to_summarize",
        .name = "Trim for the summarizer",
        .type = Type::OptionalWhole,
        .section = Section::Keep,
        .unit = "tokens",
        .most = 100'000,
        .help = "The summarizer is shown only this many tokens of what is summarized, the newest. Nothing: all of it.",
        .source = summarization});
    list.push_back({.key = "truncate_args",
        .name = "Shorten old arguments",
        .type = Type::Group,
        .section = Section::Truncation,
        .help = "Long arguments of write_file and edit_file calls are cut in old messages before every call.",
        .source = deepSummarization,
        .applies = truncates});
    list.push_back({.key = "truncate_args.trigger",
        .name = "Shorten when",
        .type = Type::OptionalSize,
        .section = Section::Truncation,
        .most = 200'000,
        .help = "From this size on. Nothing: arguments are never shortened.",
        .source = deepSummarization,
        .applies = truncates});
    list.push_back({.key = "truncate_args.keep",
        .name = "Leave alone",
        .type = Type::Size,
        .section = Section::Truncation,
        .most = 100'000,
        .help = "The newest messages keep their arguments.",
        .source = deepSummarization,
        .applies = truncates});
    list.push_back({.key = "truncate_args.max_length",
        .name = "Longest argument",
        .type = Type::Whole,
        .section = Section::Truncation,
        .unit = "code points",
        .least = 0,
        .most = 20'000,
        .help = "Longer arguments are cut to their first 20 code points and the text below.",
        .source = deepSummarization,
        .applies = truncates});
    list.push_back({.key = "truncate_args.truncation_text",
        .name = "Put behind the cut",
        .type = Type::Text,
        .section = Section::Truncation,
        .help = "Stands in place of what was cut.",
        .source = deepSummarization,
        .applies = truncates});
}

void addOffloading(std::vector<Parameter> &list)
{
    list.push_back({.key = "tool_token_limit_before_evict",
        .name = "Tool results up to",
        .type = Type::OptionalWhole,
        .section = Section::Offloading,
        .unit = "tokens",
        .least = 0,
        .most = 100'000,
        .help = "A larger tool result is moved to a file and a preview stays. Counted as 4 characters a token. "
                "Nothing: never moved.",
        .source = filesystem,
        .applies = evicts});
    list.push_back({.key = "human_message_token_limit_before_evict",
        .name = "Human messages up to",
        .type = Type::OptionalWhole,
        .section = Section::Offloading,
        .unit = "tokens",
        .least = 0,
        .most = 200'000,
        .help = "A larger human message is moved to a file and a preview stays. Nothing: never moved.",
        .source = filesystem,
        .applies = evicts});
    list.push_back({.key = "artifacts_root",
        .name = "Artifacts in",
        .type = Type::Text,
        .section = Section::Offloading,
        .help = "Root of conversation_history/ and large_tool_results/.",
        .source = deepSummarization,
        .applies = archives});
    list.push_back({.key = "archive_name",
        .name = "Archive named by",
        .type = Type::Choice,
        .section = Section::Offloading,
        .choices = {"session", "thread"},
        .help = "The session's id, or the thread's as up to deepagents 0.7.5.",
        .source = deepSummarization,
        .applies = archives});
    list.push_back({.key = "offload_binary_content",
        .name = "Move binary content",
        .type = Type::Switch,
        .section = Section::Offloading,
        .help = "Inline media are moved to files when they come, and put back for the call.",
        .source = "deepagents/middleware/_blob_offload.py, 0.7.32",
        .applies = offloadsBlobs});
    list.push_back({.key = "snapshot_frequency",
        .name = "Snapshot every",
        .type = Type::Whole,
        .section = Section::Offloading,
        .unit = "updates",
        .least = 1,
        .most = 1000,
        .help =
            "Updates of a delta channel between two whole values: a matter of bytes and of loading, not of context.",
        .source = "langgraph/channels/delta.py, 1.2"});
}

void addSummary(std::vector<Parameter> &list)
{
    list.push_back({.key = "compact_tool",
        .name = "compact_conversation tool",
        .type = Type::Switch,
        .section = Section::Summary,
        .help = "The agent may ask for compaction itself; its recorded calls are decided anew.",
        .source = deepSummarization,
        .applies = archives});
    list.push_back({.key = "compact_tool_prompt",
        .name = "Its prompt",
        .type = Type::LongText,
        .section = Section::Summary,
        .help = "Added to the system message; it counts. Nothing: none is added.",
        .source = deepSummarization,
        .applies = archives});
    list.push_back({.key = "summary_text",
        .name = "Fixed summary",
        .type = Type::LongText,
        .section = Section::Summary,
        .help = "Stands for every new summary where summaries are fixed.",
        .source = ours});
    list.push_back({.key = "summarizer",
        .name = "Summarizer",
        .type = Type::Document,
        .section = Section::Summary,
        .help = "Endpoint of a model that writes summaries. Nothing is sent unless asked for.",
        .source = ours});
    list.push_back({.key = "prices",
        .name = "Prices",
        .type = Type::Document,
        .section = Section::Summary,
        .help = "Per million tokens: input, cached input, output, and those of the summarizer.",
        .source = ours});
}

void addTools(std::vector<Parameter> &list)
{
    list.push_back({.key = "tools",
        .name = "Tools",
        .type = Type::Tools,
        .section = Section::Tools,
        .unit = "tokens",
        .help = "Tool schemas are in no checkpoint but count. Import them, or give their number of tokens.",
        .source = "langchain_core/messages/utils.py count_tokens_approximately, 1.4",
        .applies = countsOthers});
    list.push_back({.key = "counter_accepts_tools",
        .name = "Counter takes tools",
        .type = Type::OptionalSwitch,
        .section = Section::Tools,
        .help = "Whether the token counter has a parameter for tools. Nothing: it cannot be told and is tried.",
        .source = deepSummarization,
        .applies = countsOthers});
    list.push_back({.key = "system_message",
        .name = "System prompt",
        .type = Type::System,
        .section = Section::Tools,
        .unit = "tokens",
        .help = "The system prompt is in no checkpoint but counts. Import it, or give its number of tokens.",
        .source = deepSummarization,
        .applies = countsOthers});
}

void addSimulation(std::vector<Parameter> &list)
{
    list.push_back({.key = "window",
        .name = "Refuse above",
        .type = Type::OptionalWhole,
        .section = Section::Simulation,
        .unit = "tokens",
        .least = 1,
        .most = 1'000'000,
        .help = "The simulated provider refuses requests of more counted tokens as a context overflow. Nothing: it "
                "takes all but the calls below.",
        .source = ours,
        .applies = recovers});
    list.push_back({.key = "refused_calls",
        .name = "Refused calls",
        .type = Type::Refusals,
        .section = Section::Simulation,
        .help = "Task ids whose first attempts the provider refuses, in every run.",
        .source = ours,
        .applies = recovers});
    list.push_back({.key = "artifacts_fail",
        .name = "Files cannot be written",
        .type = Type::Switch,
        .section = Section::Simulation,
        .help = "The backend refuses every write and upload.",
        .source = ours,
        .applies = archives});
    list.push_back({.key = "usage",
        .name = "Reported usage",
        .type = Type::Choice,
        .section = Section::Simulation,
        .choices = {"scale", "keep", "ignore"},
        .help = "What recorded answers report: scaled by the size of the new request against the recorded one, kept "
                "as it was, or ignored.",
        .source = ours});
}

std::vector<Parameter> makeParameters()
{
    std::vector<Parameter> list;
    addRules(list);
    addModel(list);
    addSummarization(list);
    addOffloading(list);
    addSummary(list);
    addTools(list);
    addSimulation(list);
    return list;
}

} // namespace

std::span<const Parameter> parameters()
{
    static const std::vector<Parameter> list = makeParameters();
    return list;
}

const Parameter *findParameter(std::string_view key)
{
    const auto all = parameters();
    const auto found = std::ranges::find(all, key, &Parameter::key);
    return found == all.end() ? nullptr : &*found;
}

std::string_view sectionName(Section section)
{
    switch (section) {
    case Section::Rules:
        return "Rules";
    case Section::Model:
        return "Model";
    case Section::When:
        return "Trigger";
    case Section::Keep:
        return "Keep and trim";
    case Section::Truncation:
        return "Argument truncation";
    case Section::Offloading:
        return "Offloading and storage";
    case Section::Summary:
        return "Summaries and prices";
    case Section::Tools:
        return "Tools and system prompt";
    case Section::Simulation:
        break;
    }
    return "Simulation";
}

Value parameterDefault(std::string_view key, std::string_view dialect)
{
    const auto set = settingsFromJson(Value::map({{"dialect", Value(dialect)}}));
    if (!set)
        return {};
    Settings settings = settingsFor(*set, "", 1);
    if (key.starts_with("truncate_args."))
        settings.truncateArgs = TruncateArgsSettings();
    return parameterValue(settingsToJson(settings), key);
}

Value parameterValue(const Value &settings, std::string_view key)
{
    const std::size_t dot = key.find('.');
    if (dot == std::string_view::npos)
        return settings[key];
    return settings[key.substr(0, dot)][key.substr(dot + 1)];
}

Value withParameter(const Value &settings, std::string_view key, Value value)
{
    const std::size_t dot = key.find('.');
    if (dot == std::string_view::npos)
        return settings.with(key, std::move(value));
    const std::string_view object = key.substr(0, dot);
    const Value &whole = settings[object];
    return settings.with(
        object, (whole.isMap() ? whole : Value(Value::Map{})).with(key.substr(dot + 1), std::move(value)));
}

} // namespace palimpsest
