// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/values/value.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace palimpsest {

/// `("messages", 14)`, `("tokens", 4000)` or `("fraction", 0.85)` (langchain/agents/middleware/summarization.py
/// ContextSize, 1.5.2).
struct ContextSize {
    enum class Kind { Messages, Tokens, Fraction };
    Kind kind = Kind::Messages;
    double value = 0; ///< whole for messages and tokens

    bool operator==(const ContextSize &) const = default;
};

/// All sizes must be reached (AND).
using TriggerClause = std::vector<ContextSize>;
/// Any clause suffices (OR); empty: never.
using Trigger = std::vector<TriggerClause>;

/// deepagents/middleware/summarization.py TruncateArgsSettings, 0.7.7.
struct TruncateArgsSettings {
    std::optional<ContextSize> trigger;
    ContextSize keep{ContextSize::Kind::Messages, 20};
    std::int64_t maxLength = 2000; ///< code points of an argument
    std::string truncationText = "...(argument truncated)";

    bool operator==(const TruncateArgsSettings &) const = default;
};

struct ModelProfile {
    std::optional<std::int64_t> maxInputTokens; ///< null: no profile
    std::optional<std::int64_t> maxOutputTokens;
    std::string llmType; ///< `_llm_type`; a prefix "anthropic-chat" counts 3.3 characters a token
    std::string provider; ///< `ls_provider`, compared with `model_provider` of reported usage
    bool reportsUsage = true;

    bool operator==(const ModelProfile &) const = default;
};

/// Everything a run of the pipeline depends on beside the recorded messages: the settings file of the command line.
/// What is missing has deepagents' default.
struct Settings {
    enum class Usage { Keep, Ignore, Scale };
    enum class ArchiveName { Session, Thread };

    std::string dialect = "deepagents-0.7.7";
    ModelProfile model;
    std::optional<Trigger> trigger; ///< null: not given (the dialect's default without a profile)
    ContextSize keep{ContextSize::Kind::Messages, 20};
    std::optional<TruncateArgsSettings> truncateArgs;
    std::optional<std::int64_t> trimTokensToSummarize;
    std::optional<std::int64_t> toolTokenLimitBeforeEvict = 20000;
    std::optional<std::int64_t> humanMessageTokenLimitBeforeEvict = 50000;
    bool compactTool = false;
    std::optional<std::string> compactToolPrompt;
    bool modelDefaults = false; ///< trigger, keep and truncation from the model's profile
    std::string artifactsRoot = "/";
    ArchiveName archiveName = ArchiveName::Session;
    std::variant<Value, std::int64_t> tools = Value(Value::List{}); ///< tool schemas, or their number of tokens
    std::optional<bool> counterAcceptsTools = true; ///< null: cannot be told
    std::optional<double> charsPerToken; ///< null: by the model
    std::variant<Value, std::int64_t> systemMessage = Value(); ///< nil, a message map, or a number of tokens
    std::map<std::string, int> refusedCalls; ///< task id → number of first attempts that the provider refuses
    std::optional<std::int64_t> window; ///< refuse by size instead, tokens
    bool artifactsFail = false; ///< the backend refuses every write and upload
    Usage usage = Usage::Scale;
    std::int64_t snapshotFrequency = 50;
    std::optional<std::string> summaryText; ///< of the summarizer `fixed`
    Value summarizer; ///< endpoint of the summarizer `model`; nil when none
    Value prices; ///< price table; nil when none
    bool offloadBinaryContent = false; ///< 0.7.32 deepagents/_blob_offload.py

    bool operator==(const Settings &) const = default;
};

/// Settings by namespace and by segment of calls.
struct SettingsSet {
    struct Segment {
        std::int64_t fromCall = 1;
        Settings settings;
        bool operator==(const Segment &) const = default;
    };
    /// Key "" is the root, "tools:*" any subagent, else an exact namespace; segments in call order, at least one.
    std::map<std::string, std::vector<Segment>> namespaces;

    bool operator==(const SettingsSet &) const = default;
};

/// Reads a settings file. Error Invalid names the key that is unknown or whose value makes no sense, in upstream's
/// words where it has any.
Result<SettingsSet> settingsFromJson(const Value &json);
/// The settings file that gives `settings` again.
Value settingsToJson(const Settings &settings);
/// The segments of namespace `ns`, in call order, never empty: its own, those of the longest pattern that fits, those
/// of the root, or the defaults.
const std::vector<SettingsSet::Segment> &segmentsFor(const SettingsSet &set, std::string_view ns);
/// The settings in force in namespace `ns` at call `call`.
const Settings &settingsFor(const SettingsSet &set, std::string_view ns, std::int64_t call);

} // namespace palimpsest
