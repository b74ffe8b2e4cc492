// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/artifacts/backend.h"
#include "core/compaction/dialect.h"
#include "core/compaction/settings.h"
#include "core/compaction/stages/decision.h"
#include "tests/support/goldens.h"

#include <string>
#include <vector>

/// What the golden tests of the stages share: the fakes of the generator, and its way to write results.
namespace palimpsest::stagecases {

/// The dialect of a golden folder ("0.7.7").
Dialect dialect(const std::string &version);

/// The in-memory backend that a case describes; nil gives a plain one.
ArtifactBackend backend(const Value &spec, const std::string &version);

/// The whole backend at the end, as `files` in an output.
Value files(const ArtifactBackend &backend);

/// `backend_ops`: [operation, path] pairs.
Value operations(const ArtifactBackend &backend);

/// Names in the order that `uuids` has them; running out gives an empty name.
FreshNames names(const Value &uuids);

/// `{"$error": {"type", "message"}}`.
Value error(const Raised &raised);

/// The messages in full, those equal to one of `inputs` as `{"$same_as_input": k}`.
Value messages(const std::vector<MessagePtr> &messages, const std::vector<MessagePtr> &inputs);

/// An integer, or null.
std::optional<std::int64_t> integer(const Value &value);

/// `("messages", 6)` or ["messages", 6].
ContextSize contextSize(const Value &pair);

/// As goldens::difference, and keys of maps in the same order. Texts of TypeError and AttributeError are CPython's own
/// and do not count.
std::string difference(const Value &expected, const Value &actual);

} // namespace palimpsest::stagecases
