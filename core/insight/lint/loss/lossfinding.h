// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/insight/lint/findingsink.h"
#include "core/insight/lint/rule.h"

#include <string>
#include <string_view>
#include <vector>

/// What the rules about losses share: findings that stand at an event, and the words of a text.
namespace palimpsest {

/// A finding at an event: the checkpoint's archive is its path, the call that made the event its task.
Finding eventFinding(
    std::string_view rule, Finding::Severity severity, const EventRecord &record, std::string message, Value evidence);

/// Reports a finding that holds from the event on.
void seeFromEvent(
    const LintContext &context, FindingSink &sink, Finding finding, const std::string &key, const EventRecord &record);

/// Reports a finding of an event that holds from a later checkpoint on.
void seeFrom(
    const LintContext &context, FindingSink &sink, Finding finding, const std::string &key, CheckpointIndex checkpoint);

/// The first checkpoint without a file that the state had at its path.
CheckpointIndex firstWithout(const ThreadNamespace &ns, const ArchiveFile &file);

/// "message 3", "messages 3 to 5" of the raw log.
std::string rangeWords(const EvictedRange &range);

/// The summary's own words, without those around it; empty when the event has no summary.
std::string summaryWords(const SummarizationEvent &event);

/// Everything of a message that a model reads as words: its texts and the texts in its tool calls' arguments.
std::string wordsOf(const Message &message);

/// The words of a text that tell it from others, folded to lower case: names, numbers, paths, long words; each once.
std::vector<std::string> keyTerms(std::string_view text);
/// How many of the terms stand in `folded`, which is in lower case.
std::size_t termsIn(const std::vector<std::string> &terms, std::string_view folded);
/// ASCII letters in lower case.
std::string folded(std::string_view text);

} // namespace palimpsest
