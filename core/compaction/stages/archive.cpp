// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compaction/stages/archive.h"

#include "core/base/text.h"
#include "core/compaction/stages/bufferstring.h"

namespace palimpsest {
namespace {

/// `_filter_summary_messages` (deepagents/middleware/summarization.py): earlier summaries are not archived again.
std::vector<MessagePtr> withoutSummaries(const std::vector<MessagePtr> &messages)
{
    std::vector<MessagePtr> kept;
    for (const MessagePtr &message : messages)
        if (message->kind != MessageKind::Human || !isSummary(*message))
            kept.push_back(message);
    return kept;
}

/// The archive so far; empty when there is none, when it cannot be read or is no UTF-8.
std::string existing(const std::string &path, ArtifactBackend &backend)
{
    const Attempt<std::vector<TransferResponse>> responses = backend.download({path});
    if (!responses || responses->empty())
        return {};
    const TransferResponse &response = responses->front();
    if (response.error || !response.content || !artifactFromBytes(*response.content).base64)
        return response.error ? std::string() : response.content.value_or(std::string());
    return {};
}

template <class Written> std::string problem(const Attempt<std::optional<Written>> &result)
{
    if (!result)
        return result.error().type + ": " + result.error().message;
    if (!*result)
        return "backend returned None";
    return (*result)->error.value_or(std::string());
}

} // namespace

std::string archivePath(const ArtifactBackend &backend, std::string_view name)
{
    return backend.rootPrefix() + "/conversation_history/" + std::string(name) + ".md";
}

Attempt<std::string> archiveSection(const std::vector<MessagePtr> &messages, std::string_view timestamp)
{
    const Attempt<std::string> xml = bufferStringXml(withoutSummaries(messages));
    if (!xml)
        return xml;
    return "## Summarized at " + std::string(timestamp) + "\n\n" + *xml + "\n\n";
}

Attempt<ArchiveWrite> offloadToBackend(const std::vector<MessagePtr> &messages, std::string_view name,
    std::string_view timestamp, ArtifactBackend &backend)
{
    ArchiveWrite write;
    write.triedPath = archivePath(backend, name);
    write.archivedMessages = static_cast<std::int64_t>(withoutSummaries(messages).size());
    write.leftOut = static_cast<std::int64_t>(messages.size()) - write.archivedMessages;
    const Attempt<std::string> section = archiveSection(messages, timestamp);
    if (!section)
        return tl::unexpected<Raised>(section.error());
    const std::string before = existing(write.triedPath, backend);
    const std::string combined = before + *section;
    // An old file is edited by replacing all of it, which upstream's replacement only does when that text occurs once.
    write.warning = before.empty() ? problem(backend.write(write.triedPath, combined))
                                   : problem(backend.edit(write.triedPath, before, combined));
    if (write.warning.empty())
        write.path = write.triedPath;
    return write;
}

} // namespace palimpsest
