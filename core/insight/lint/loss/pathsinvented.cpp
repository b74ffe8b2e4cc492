// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/lint/loss/lossfinding.h"
#include "core/insight/lint/rules.h"

#include <algorithm>
#include <unordered_set>

namespace palimpsest {
namespace {

bool isPathByte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '/' || c == '.'
        || c == '_' || c == '-' || c == '~' || static_cast<unsigned char>(c) >= 0x80;
}

/// "/notes/plan.md", "src/app/main.py": an absolute path of two parts or with an ending, or a relative one with an
/// ending. "and/or" and a URL are none.
bool isPath(std::string_view token)
{
    const std::size_t slash = token.rfind('/');
    if (slash == std::string_view::npos || token.find("//") != std::string_view::npos || token.size() < 4)
        return false;
    const std::string_view last = token.substr(slash + 1);
    const std::size_t dot = last.rfind('.');
    const bool ending = dot != std::string_view::npos && dot > 0 && last.size() - dot - 1 >= 1 && last.size() - dot <= 6
        && std::any_of(last.begin() + static_cast<std::ptrdiff_t>(dot), last.end(),
            [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); });
    if (token.front() != '/')
        return ending;
    return ending || (!last.empty() && slash > 0);
}

template <class Look> void eachPath(std::string_view text, const Look &look)
{
    for (std::size_t slash = text.find('/'); slash != std::string_view::npos;) {
        std::size_t begin = slash;
        while (begin > 0 && isPathByte(text[begin - 1]))
            --begin;
        std::size_t end = slash;
        while (end < text.size() && isPathByte(text[end]))
            ++end;
        const bool url = begin > 0 && text[begin - 1] == ':';
        std::string_view token = text.substr(begin, end - begin);
        while (!token.empty() && (token.back() == '.' || token.back() == '-' || token.back() == '/'))
            token.remove_suffix(1);
        if (!url && isPath(token))
            look(token);
        slash = text.find('/', end);
    }
}

class KnownPaths {
public:
    void add(const MessagePtr &message)
    {
        if (!m_seen.insert(message.get()).second)
            return;
        eachPath(wordsOf(*message), [this](std::string_view path) { m_paths.emplace(path); });
        m_messages.push_back(message);
    }
    void add(std::string_view path) { m_paths.emplace(path); }
    /// Also as a part of a longer path, or spelled so that it was not taken for a path.
    [[nodiscard]] bool knows(const std::string &path) const
    {
        if (m_paths.contains(path))
            return true;
        return std::any_of(m_messages.begin(), m_messages.end(),
            [&](const MessagePtr &message) { return wordsOf(*message).find(path) != std::string::npos; });
    }

private:
    std::unordered_set<const Message *> m_seen;
    std::unordered_set<std::string> m_paths;
    std::vector<MessagePtr> m_messages;
};

/// Paths that deepagents' own prompts name.
bool isBuiltIn(std::string_view path)
{
    return path.starts_with("/conversation_history") || path.starts_with("/large_tool_results")
        || path.starts_with("/memories") || path.starts_with("/skills");
}

constexpr std::size_t most = 200; ///< findings of one namespace

void check(const LintContext &context, FindingSink &sink)
{
    KnownPaths known;
    std::size_t found = 0;
    for (const EventRecord &record : context.material.events()) {
        if (record.inherited || found >= most)
            continue;
        const Checkpoint &checkpoint = context.ns.checkpoints[record.checkpoint.at()];
        std::vector<std::string> candidates;
        eachPath(summaryWords(*record.event), [&](std::string_view path) {
            if (!isBuiltIn(path) && std::find(candidates.begin(), candidates.end(), path) == candidates.end())
                candidates.emplace_back(path);
        });
        if (candidates.empty())
            continue;
        // What the call saw: without the answer that came with the event.
        const MessageLog &log = record.call ? record.call->log : checkpoint.messages;
        for (const MessagePtr &message : log)
            known.add(message);
        for (const std::string &path : candidates) {
            if (known.knows(path) || checkpoint.files.find(path))
                continue;
            const bool file = std::any_of(checkpoint.files.begin(), checkpoint.files.end(),
                [&](const auto &entry) { return entry.first.find(path) != std::string::npos; });
            known.add(path); // said once
            if (file)
                continue;
            ++found;
            Finding finding = eventFinding("paths-invented", Finding::Severity::Warning, record,
                "The summary names the path " + path + ", which occurs nowhere before it.",
                Value::map({{"invented_path", Value(path)}}));
            finding.path = path;
            finding.messageId = record.event->summaryMessage ? record.event->summaryMessage->id : std::nullopt;
            seeFromEvent(context, sink, std::move(finding), path, record);
        }
    }
}

} // namespace

const Rule rules::pathsInvented{
    {"paths-invented", Finding::Severity::Warning,
        "A summary names a path that occurs nowhere in the thread before it.",
        "Check the path before the agent acts on it; the system prompt, which is not stored, may name it.",
        "langchain/agents/middleware/summarization.py DEFAULT_SUMMARY_PROMPT asks for artifacts, 1.5.2"},
    &check};

} // namespace palimpsest
