// SPDX-License-Identifier: GPL-3.0-or-later
// What NamespaceLoader says of rows as they are stored: forms and classes it does not know, mixed encryption,
// Overwrites that are none or that leave a superstep's value open.
#include "core/sources/decryptingsource.h"
#include "core/sources/splitcheckpoint.h"
#include "core/thread/foreigntypes.h"
#include "core/thread/namespaceloader.h"

#include <algorithm>

namespace palimpsest {

void NamespaceLoader::noteEncryption(std::size_t at, std::string_view type)
{
    if (type == splitType)
        return; // its channels are rows of their own
    if (type.empty())
        return; // of a damaged row only the key is known
    const auto *opened = dynamic_cast<const DecryptingSource *>(&m_source);
    const bool encrypted = type.find('+') != std::string_view::npos || (opened && opened->isRowEncrypted());
    (encrypted ? m_encrypted : m_plain) += 1;
    if (m_encrypted > 0 && m_plain > 0 && !m_mixedAt)
        m_mixedAt = at;
}

void NamespaceLoader::lookAtChannels(std::size_t at, const BlobView &view)
{
    for (const StoredChannel &channel : view.channels) {
        if (const std::optional<std::int64_t> code = unknownForm(channel)) {
            find(at, "unknown-delta-form", Finding::Severity::Warning,
                "Channel " + channel.name + " is stored as an ext of code " + std::to_string(*code)
                    + ", a form of the delta channel that is not known; its state is rebuilt from the writes.")
                .evidence = Value::map({{"channel", Value(channel.name)}, {"ext_code", Value(*code)},
                {"bytes", Value(static_cast<std::int64_t>(channel.raw.size()))}});
            continue;
        }
        if (channel.name == m_options.messagesChannel || channel.name == filesName() || channel.cut)
            continue;
        if (!channel.readable()) {
            const Result<Value> value = channel.decode();
            if (!value)
                undecodable(at, channel.name, channel.type, value.error());
            continue;
        }
        // As a rule a channel holds what it held before.
        OtherChannel &known = m_others[channel.name];
        if (channel.raw.empty() || known.raw != channel.raw) {
            known.raw = channel.raw;
            known.types.clear();
            if (channel.raw.empty())
                known.types = foreignTypes(channel.value);
            if (!channel.raw.empty() && mayHoldTypes(channel.raw)) {
                if (const Result<Value> value = channel.decode())
                    known.types = foreignTypes(*value);
                else
                    undecodable(at, channel.name, "msgpack", value.error());
            }
        }
        for (const std::string &type : known.types)
            find(at, "foreign-type", Finding::Severity::Info,
                "Channel " + channel.name + " holds an object of class " + type
                    + ", which is shown by its structure: LangGraph needs that class to rebuild it.")
                .evidence = Value::map({{"channel", Value(channel.name)}, {"type", Value(type)}});
    }
}

std::optional<MessagesWrite> NamespaceLoader::takeUntypedOverwrite(
    std::size_t at, const WriteRow &row, const Value &value, Step &step)
{
    std::optional<MessagesWrite> reset;
    if (m_options.untypedOverwriteResets)
        if (Result<MessagesWrite> write = messagesWrite(Value::map({{"__overwrite__", value["value"]}})))
            reset = std::move(*write);
    Finding &finding = find(at, "untyped-overwrite", reset ? Finding::Severity::Info : Finding::Severity::Warning,
        "A write to channel " + row.channel + " is the map {\"value\": […]}: an Overwrite that lost its type; "
            + (reset
                    ? "it is taken as the reset point it may have been, as you chose; LangGraph itself cannot apply it."
                    : "LangGraph cannot apply it, and what follows cannot be known."));
    finding.taskId = row.taskId;
    finding.evidence = Value::map({{"channel", Value(row.channel)},
        {"messages", Value(static_cast<std::int64_t>(value["value"].asList().size()))},
        {"taken_as_reset", Value(reset.has_value())}});
    if (!reset)
        step.unreadableMessages = true;
    return reset;
}

/// One superstep's writes with an Overwrite among them. Live, LangGraph up to 1.2.6 applies all others on top of it and
/// drops them since 1.2.7; a replay of the writes applies those behind it (langgraph/channels/delta.py `update` and
/// `replay_writes`, 1.2.0 to 1.2.24).
void NamespaceLoader::checkOverwrites(std::size_t at, const std::string &channel, const std::vector<bool> &overwritten,
    const std::vector<std::string> &tasks)
{
    std::vector<bool> overwrites;
    const int anchor = m_space.checkpoints[m_space.checkpoints[at].parent.at()].step;
    for (std::size_t i = 0; i < overwritten.size(); ++i) {
        if (tasks[i] == nullTaskId)
            continue;
        if (taskPlace({}, tasks[i], anchor).exitStep)
            return; // writes of several supersteps
        overwrites.push_back(overwritten[i]);
    }
    if (std::count(overwrites.begin(), overwrites.end(), true) != 1 || overwrites.size() < 2)
        return;
    const auto place = std::find(overwrites.begin(), overwrites.end(), true) - overwrites.begin();
    const auto behind = static_cast<std::int64_t>(overwrites.size()) - 1 - place;
    Value::List versions;
    if (place > 0)
        versions.emplace_back("langgraph 1.2.0 to 1.2.6");
    if (behind > 0)
        versions.emplace_back("langgraph 1.2.7 and newer");
    std::string names;
    for (const Value &version : versions)
        names += (names.empty() ? "" : ", ") + version.asText();
    find(at, "overwrite-batch-differs", Finding::Severity::Warning,
        "One superstep wrote an Overwrite and " + std::to_string(overwrites.size() - 1) + " other values to channel "
            + channel + ": shown is what a replay of the writes gives; the live value differs in " + names + ".")
        .evidence = Value::map({{"channel", Value(channel)}, {"writes_before", Value(static_cast<std::int64_t>(place))},
        {"writes_behind", Value(behind)}, {"live_differs_in", Value(std::move(versions))}});
}

} // namespace palimpsest
