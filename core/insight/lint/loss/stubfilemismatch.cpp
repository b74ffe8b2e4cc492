// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/lint/findingsink.h"
#include "core/insight/lint/loss/stubs.h"
#include "core/insight/lint/rules.h"

namespace palimpsest {
namespace {

/// The first checkpoint from the stub's on whose file does not show what the stub shows.
struct Mismatch {
    CheckpointIndex checkpoint;
    bool gone = false; ///< there is no such file, although there was
};

std::optional<Mismatch> mismatchOf(const LintContext &context, const StubRecord &stub)
{
    const auto &checkpoints = context.ns.checkpoints;
    const CheckpointIndex last = context.material.lastDescendant(stub.checkpoint);
    FileEntryPtr known;
    bool any = false;
    for (std::size_t i = stub.checkpoint.at(); i <= last.at(); ++i) {
        if (i > stub.checkpoint.at() && checkpoints[i].files.identity() == checkpoints[i - 1].files.identity())
            continue;
        const FileEntryPtr *entry = checkpoints[i].files.find(stub.path);
        if (!entry) {
            if (any && context.material.lastDescendant(CheckpointIndex(i)) == last
                && !context.material.fileAt(stub.path, {}))
                return Mismatch{CheckpointIndex(i), true};
            continue;
        }
        any = true;
        if (*entry == known)
            continue;
        known = *entry;
        if (!previewMatches(stub.preview, entryBytes(**entry).bytes))
            return Mismatch{CheckpointIndex(i), false};
    }
    if (any)
        return std::nullopt;
    const std::optional<ArtifactContent> content = context.material.fileAt(stub.path, {});
    if (content && !previewMatches(stub.preview, content->bytes))
        return Mismatch{stub.checkpoint, false};
    return std::nullopt;
}

void check(const LintContext &context, FindingSink &sink)
{
    for (const StubRecord &stub : stubsOf(context)) {
        if (stub.preview.head.empty() && stub.preview.tail.empty())
            continue;
        const std::optional<Mismatch> mismatch = mismatchOf(context, stub);
        if (!mismatch)
            continue;
        Finding finding;
        finding.rule = "stub-file-mismatch";
        finding.severity = mismatch->gone ? Finding::Severity::Warning : Finding::Severity::Error;
        finding.messageId = stub.message->id;
        finding.path = stub.path;
        finding.message = mismatch->gone ? "The file " + stub.path + " that a stub leads to is gone from the state."
                                         : "Head and tail that the stub shows of " + stub.path
                + " are not in the file: it holds another text than the tool's result.";
        Value::List head;
        for (const std::string &line : stub.preview.head)
            head.emplace_back(line);
        finding.evidence = Value::map(
            {{"tool_call_id", Value(stub.toolCallId)}, {"raw_index", Value(stub.raw)}, {"gone", Value(mismatch->gone)},
                {"stub_checkpoint_id", Value(context.ns.checkpoints[stub.checkpoint.at()].id)},
                {"stub_shows", Value(std::move(head))}});
        const std::size_t handle =
            sink.see(std::move(finding), stub.path + "\n" + std::to_string(stub.raw), mismatch->checkpoint);
        sink.extend(handle, context.material.lastDescendant(mismatch->checkpoint));
    }
}

} // namespace

const Rule rules::stubFileMismatch{
    {"stub-file-mismatch", Finding::Severity::Error,
        "The file that a stub names does not begin and end with what the stub shows of it.",
        "Look for what overwrote or edited the file; older checkpoints may hold the right text.",
        "deepagents#5559, #6302; deepagents/middleware/_message_eviction.py _create_content_preview, 0.7.7"},
    &check};

} // namespace palimpsest
