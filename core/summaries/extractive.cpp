// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/summaries/extractive.h"

#include "core/base/text.h"
#include "core/compaction/stages/summarymessage.h"
#include "core/compaction/stages/summaryprompt.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

namespace palimpsest {
namespace {

constexpr std::size_t lineLimit = 240; ///< code points of one quoted line
constexpr std::size_t shownDecisions = 12;
constexpr std::size_t shownFiles = 40;
constexpr std::size_t shownTools = 20;

/// Text in one line, blanks run together, cut at the limit.
std::string oneLine(std::string_view source, std::size_t limit = lineLimit)
{
    std::string line;
    bool blank = false;
    for (const char c : source.substr(0, text::offset(source, limit * 4))) {
        if (c == ' ' || c == '\n' || c == '\r' || c == '\t') {
            blank = !line.empty();
            continue;
        }
        if (blank)
            line += ' ';
        blank = false;
        line += c;
    }
    if (text::length(line) <= limit)
        return line;
    return std::string(text::head(line, limit)) + "…";
}

/// The first sentence, or the first line when it has no end.
std::string_view firstSentence(std::string_view source)
{
    for (std::size_t i = 0; i < source.size(); ++i) {
        const char c = source[i];
        if (c == '\n' && i > 0)
            return source.substr(0, i);
        if ((c == '.' || c == '!' || c == '?')
            && (i + 1 == source.size() || source[i + 1] == ' ' || source[i + 1] == '\n'))
            return source.substr(0, i + 1);
    }
    return source;
}

/// The lines that an earlier summary has under a heading.
std::vector<std::string> linesUnder(std::string_view summary, std::string_view heading)
{
    std::vector<std::string> lines;
    bool inside = false;
    for (std::size_t at = 0; at <= summary.size();) {
        const std::size_t end = std::min(summary.find('\n', at), summary.size());
        const std::string_view line = stripped(summary.substr(at, end - at));
        at = end + 1;
        if (line.starts_with("## "))
            inside = line.substr(3) == heading;
        else if (inside && !line.empty() && line != "None")
            lines.emplace_back(line);
    }
    return lines;
}

struct Section {
    std::string_view heading;
    std::vector<std::string> lines;
};

/// What is gathered from the messages.
struct Material {
    std::vector<std::string> requests;
    std::vector<std::string> decisions;
    std::vector<std::string> carried; ///< from the summary before
    std::vector<std::string> carriedIntent;
    std::vector<std::string> carriedArtifacts;
    std::vector<std::pair<std::string, std::string>> files; ///< path and what was done, in order of first use
    std::vector<std::pair<std::string, int>> tools; ///< name and number of calls, in order of first use
    std::vector<std::string> failures;
    std::map<std::string, std::string> open; ///< tool call id → name, not answered
    std::string lastAnswer;
};

template <class Count>
void note(std::vector<std::pair<std::string, Count>> &list, const std::string &key, const auto &change)
{
    auto it = std::find_if(list.begin(), list.end(), [&](const auto &entry) { return entry.first == key; });
    if (it == list.end()) {
        list.emplace_back(key, Count{});
        it = std::prev(list.end());
    }
    change(it->second);
}

void gatherCalls(const Message &message, Material &material)
{
    static constexpr std::array<std::string_view, 6> pathKeys{
        "file_path", "path", "filename", "file", "source", "destination"};
    for (const ToolCallView &call : toolCalls(message)) {
        const std::string name(call.name);
        note(material.tools, name, [](int &count) { ++count; });
        if (call.hasId)
            material.open[std::string(call.id)] = name;
        for (const std::string_view key : pathKeys) {
            const Value *path = call.args->find(key);
            if (!path || !path->isText() || path->asText().empty() || text::length(path->asText()) > lineLimit)
                continue;
            note(material.files, path->asText(), [&](std::string &done) {
                if (done.find(name) == std::string::npos)
                    done += (done.empty() ? "" : ", ") + name;
            });
        }
    }
}

void gatherSummary(const Message &message, Material &material)
{
    const std::string summary = summaryTextOf(message);
    material.carriedIntent = linesUnder(summary, "SESSION INTENT");
    material.carried = linesUnder(summary, "SUMMARY");
    material.carriedArtifacts = linesUnder(summary, "ARTIFACTS");
    if (material.carriedIntent.empty() && material.carried.empty())
        material.carried.push_back("- " + oneLine(summary));
}

Material gather(const std::vector<MessagePtr> &messages)
{
    Material material;
    for (const MessagePtr &pointer : messages) {
        const Message &message = *pointer;
        if (isSummaryMessage(message)) {
            gatherSummary(message, material);
            continue;
        }
        const std::string text = textOf(message);
        switch (message.kind) {
        case MessageKind::Human:
            material.requests.push_back(oneLine(text));
            break;
        case MessageKind::Ai:
            if (const std::string said = oneLine(firstSentence(stripped(text))); !said.empty()) {
                material.lastAnswer = said;
                if (material.decisions.empty() || material.decisions.back() != "- " + said)
                    material.decisions.push_back("- " + said);
            }
            gatherCalls(message, material);
            break;
        case MessageKind::Tool:
            if (message.toolCallId)
                material.open.erase(*message.toolCallId);
            if (message.status == "error")
                material.failures.push_back("- " + message.name.value_or("a tool") + " failed: " + oneLine(text));
            break;
        default:
            break;
        }
    }
    return material;
}

/// The first and the last of a long list, with a word on what is between.
std::vector<std::string> headAndTail(const std::vector<std::string> &lines, std::size_t shown)
{
    if (lines.size() <= shown)
        return lines;
    const std::size_t head = shown / 3;
    const std::size_t tail = shown - head;
    std::vector<std::string> result(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(head));
    result.push_back("- (" + std::to_string(lines.size() - shown) + " more in between)");
    result.insert(result.end(), lines.end() - static_cast<std::ptrdiff_t>(tail), lines.end());
    return result;
}

std::vector<Section> sections(const Material &material)
{
    Section intent{"SESSION INTENT", material.carriedIntent};
    if (intent.lines.empty() && !material.requests.empty())
        intent.lines.push_back(material.requests.front());
    Section summary{"SUMMARY", material.carried};
    for (std::size_t i = intent.lines.empty() || !material.carriedIntent.empty() ? 0 : 1; i < material.requests.size();
        ++i)
        summary.lines.push_back("- The user asked: " + material.requests[i]);
    summary.lines.insert(summary.lines.end(), material.decisions.begin(), material.decisions.end());
    summary.lines.insert(summary.lines.end(), material.failures.begin(), material.failures.end());
    summary.lines = headAndTail(summary.lines, shownDecisions);

    Section artifacts{"ARTIFACTS", material.carriedArtifacts};
    for (std::size_t i = 0; i < material.files.size() && i < shownFiles; ++i) {
        std::string line = "- " + material.files[i].first + " (" + material.files[i].second + ")";
        if (std::find(artifacts.lines.begin(), artifacts.lines.end(), line) == artifacts.lines.end())
            artifacts.lines.push_back(std::move(line));
    }
    std::string tools;
    for (std::size_t i = 0; i < material.tools.size() && i < shownTools; ++i)
        tools +=
            (tools.empty() ? "" : ", ") + material.tools[i].first + " × " + std::to_string(material.tools[i].second);
    if (!tools.empty())
        artifacts.lines.push_back("- Tools used: " + tools);

    Section next{"NEXT STEPS", {}};
    if (!material.requests.empty() && material.requests.size() + material.carriedIntent.size() > 1)
        next.lines.push_back("- Last request: " + material.requests.back());
    for (const auto &[id, name] : material.open)
        next.lines.push_back("- Still without a result: " + name);
    if (!material.lastAnswer.empty())
        next.lines.push_back("- Continue after: " + material.lastAnswer);
    return {intent, summary, artifacts, next};
}

} // namespace

std::string extractiveSummary(const std::vector<MessagePtr> &messages, std::size_t budget)
{
    const std::vector<Section> parts = sections(gather(messages));
    // Headings and their blank lines come first out of the budget; each section then has a share, what it leaves goes
    // to the next.
    static constexpr std::array<std::size_t, 4> shares{20, 45, 25, 10};
    std::size_t fixed = 0;
    for (const Section &part : parts)
        fixed += part.heading.size() + 3 + 4 + 4;
    const std::size_t free = budget > fixed ? budget - fixed : 0;
    std::string out;
    std::size_t left = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        left += free * shares[i] / 100;
        out += i == 0 ? "## " : "\n\n## ";
        out += parts[i].heading;
        out += "\n";
        bool any = false;
        for (const std::string &line : parts[i].lines) {
            const std::size_t size = text::length(line) + 1;
            if (size > left)
                break;
            left -= size;
            out += "\n" + line;
            any = true;
        }
        if (!any)
            out += "\nNone";
    }
    return out;
}

Attempt<SummaryText> ExtractiveSummarizer::summarize(const SummaryRequest &request)
{
    return SummaryText{extractiveSummary(request.messages, m_budget), {}};
}

} // namespace palimpsest
