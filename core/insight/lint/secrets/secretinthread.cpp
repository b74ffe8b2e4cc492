// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/lint/findingsink.h"
#include "core/insight/lint/logwalk.h"
#include "core/insight/lint/rules.h"
#include "core/base/secrets.h"

#include <unordered_set>

namespace palimpsest {
namespace {

class Search {
public:
    Search(const LintContext &context, FindingSink &sink)
        : m_context(context)
        , m_sink(sink)
    {
    }

    void run()
    {
        eachNewMessage(m_context.ns, m_context.job,
            [this](CheckpointIndex at, std::size_t raw, const MessagePtr &message) { look(at, raw, *message); });
        for (const EventRecord &record : m_context.material.events())
            if (record.event->summaryMessage)
                text(record.checkpoint, textOf(*record.event->summaryMessage), "summary", nullptr, {}, {});
        FileMap before;
        for (std::size_t i = 0; i < m_context.ns.checkpoints.size(); ++i) {
            const FileMap &files = m_context.ns.checkpoints[i].files;
            if (files.identity() == before.identity())
                continue;
            before = files;
            for (const auto &[path, entry] : files)
                if (m_files.insert(entry.get()).second)
                    text(CheckpointIndex(i), entryBytes(*entry).bytes, "file", nullptr, {}, path);
        }
    }

private:
    void look(CheckpointIndex at, std::size_t, const Message &message)
    {
        if (message.content.isText()) {
            text(at, message.content.asText(), "content", &message, {}, {});
        } else {
            std::int64_t block = 0;
            for (const Value &part : message.content.asList()) {
                walk(at, part, "content", message, block);
                ++block;
            }
        }
        for (const ToolCallView &call : toolCalls(message))
            walk(at, *call.args, "tool_calls." + std::string(call.name), message, {});
        walk(at, message.additionalKwargs, "additional_kwargs", message, {});
        walk(at, message.artifact, "artifact", message, {});
    }
    void walk(CheckpointIndex at, const Value &value, const std::string &where, const Message &message,
        std::optional<std::int64_t> block)
    {
        if (value.isText()) {
            text(at, value.asText(), where, &message, block, {});
        } else if (value.isList()) {
            for (const Value &item : value.asList())
                walk(at, item, where, message, block);
        } else if (value.isMap()) {
            for (const auto &[key, item] : value.asMap())
                walk(at, item, where + "." + key.asText(), message, block);
        }
    }
    void text(CheckpointIndex at, const std::string &text, const std::string &where, const Message *message,
        std::optional<std::int64_t> block, const std::string &path)
    {
        for (const SecretPlace &place : findSecrets(text)) {
            Finding finding;
            finding.rule = "secret-in-thread";
            finding.severity = Finding::Severity::Warning;
            if (message)
                finding.messageId = message->id;
            finding.block = block;
            if (!path.empty())
                finding.path = path;
            finding.message = "What looks like a " + std::string(place.kind) + " is stored in " + where
                + (path.empty() ? std::string() : " " + path) + ".";
            finding.evidence = Value::map({{"kind", Value(place.kind)}, {"where", Value(where)},
                {"offset", Value(static_cast<std::int64_t>(place.offset))},
                {"length", Value(static_cast<std::int64_t>(place.length))}});
            m_sink.see(std::move(finding),
                where + path + (message && message->id ? *message->id : std::to_string(at.value))
                    + std::to_string(block.value_or(-1)) + "/" + std::to_string(place.offset),
                at);
        }
    }

    const LintContext &m_context;
    FindingSink &m_sink;
    std::unordered_set<const FileEntry *> m_files;
};

void check(const LintContext &context, FindingSink &sink)
{
    if (context.secrets)
        Search(context, sink).run();
}

} // namespace

const Rule rules::secretInThread{
    {"secret-in-thread", Finding::Severity::Warning,
        "A text of the thread holds what looks like a key, token or password (only with --secrets; the value is never "
        "shown).",
        "Revoke it; delete the thread or its checkpoints; keep secrets out of prompts and tool results.",
        "the key forms that their issuers publish"},
    &check};

} // namespace palimpsest
