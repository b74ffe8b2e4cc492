// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/artifacts/backend.h"
#include "core/compaction/rules.h"
#include "core/compaction/stages/decision.h"
#include "core/compaction/summarizer.h"
#include "tests/support/goldens.h"

#include <optional>
#include <string>
#include <vector>

/// What the golden cases of the compaction stages share: their middleware, models and backends.
namespace palimpsest::goldens {

/// The rules of `version` for a middleware and a model as the cases describe them. The exception is the constructor's.
/// `deepAgents` says whose constructor: it decides the default prompt.
Attempt<CompactionRules> rulesOf(const Value &middleware, const Value &model, const std::string &version,
    bool deepAgents, const Value &modelSettings = {});

/// The dialect of a golden version.
Dialect dialectOf(const std::string &version);

/// Truncation settings as upstream takes them unchecked.
std::optional<TruncateArgsSettings> truncationOf(const Value &settings);

/// Where the messages differ from expected ones, entries of which may be `{"$same_as_input": k}`; empty when nowhere.
std::string messagesDifference(const Value &expected, const std::vector<MessagePtr> &actual,
    const std::vector<MessagePtr> &inputs, const std::string &where);

/// {"$error": {"type", "message"}}; the text is left out where it is CPython's own.
Value errorValue(const Raised &raised);
/// Like difference(), but an expected TypeError or AttributeError matches by type alone.
std::string resultDifference(const Value &expected, const Value &actual, const std::string &where = {});

/// The in-memory backend of a case.
ArtifactBackend backendOf(const Value &spec, const std::string &version);
/// All its files, as the cases show them.
Value filesOf(const ArtifactBackend &backend);
/// Its operations: [["write", path], …].
Value operationsOf(const ArtifactBackend &backend);

/// The exception that a script's step raises; nothing for an answer.
std::optional<Raised> raisedBy(const Value &step);

/// UUIDs in the order given.
FreshNames namesOf(const Value &uuids);

/// A summary model with a scripted list of answers; the last one repeats.
class ScriptedModel final : public SummaryModel {
public:
    explicit ScriptedModel(const Value &model);
    [[nodiscard]] Attempt<std::string> invoke(const std::string &prompt) override;
    [[nodiscard]] Value prompts() const;
    [[nodiscard]] std::size_t calls() const { return m_prompts.size(); }

private:
    Value::List m_script;
    std::vector<std::string> m_prompts;
};

} // namespace palimpsest::goldens
