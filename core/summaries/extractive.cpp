// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/summaries/extractive.h"

#include "core/base/text.h"
#include "core/compaction/stages/summarymessage.h"
#include "core/compaction/stages/summaryprompt.h"

#include <algorithm>
#include <array>
#include <deque>
#include <mutex>
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

/// One line of a section: two pieces that need not be joined before they are shown.
struct Line {
    std::string_view lead;
    std::string_view words;
};

struct Section {
    std::string_view heading;
    std::vector<Line> lines;
};

} // namespace

/// What a summary takes from one message.
struct MessageExtract {
    struct ToolUse {
        std::string name;
        std::optional<std::string> id;
        std::vector<std::string> paths;
    };
    std::string words; ///< a request, the first sentence of an answer, what failed; in one line
    std::vector<ToolUse> uses;
};

namespace {

MessageExtract extractOf(const Message &message)
{
    static constexpr std::array<std::string_view, 6> pathKeys{
        "file_path", "path", "filename", "file", "source", "destination"};
    MessageExtract extract;
    switch (message.kind) {
    case MessageKind::Human:
        extract.words = oneLine(textOf(message));
        break;
    case MessageKind::Ai:
        extract.words = oneLine(firstSentence(stripped(textOf(message))));
        for (const ToolCallView &call : toolCalls(message)) {
            MessageExtract::ToolUse use{std::string(call.name), std::nullopt, {}};
            if (call.hasId)
                use.id = std::string(call.id);
            for (const std::string_view key : pathKeys) {
                const Value *path = call.args->find(key);
                if (path && path->isText() && !path->asText().empty() && text::length(path->asText()) <= lineLimit)
                    use.paths.push_back(path->asText());
            }
            extract.uses.push_back(std::move(use));
        }
        break;
    case MessageKind::Tool:
        if (message.status == "error")
            extract.words = message.name.value_or("a tool") + " failed: " + oneLine(textOf(message));
        break;
    default:
        break;
    }
    return extract;
}

/// What is gathered from the messages. The texts belong to the extracts.
struct Material {
    std::vector<std::string_view> requests;
    std::vector<std::string_view> decisions;
    std::vector<std::string_view> failures;
    std::vector<std::pair<std::string_view, std::string>> files; ///< path and what was done, in order of first use
    std::vector<std::pair<std::string_view, int>> tools; ///< name and number of calls, in order of first use
    std::vector<std::pair<std::string_view, std::string_view>> open; ///< tool call id and name, not answered
    std::string_view lastAnswer;
    // From the summary before.
    std::vector<std::string> carried;
    std::vector<std::string> carriedIntent;
    std::vector<std::string> carriedArtifacts;
};

/// The entry of a list for a key, added when the list is not longer than what is shown of it; null otherwise.
template <class Entry> Entry *entryFor(std::vector<Entry> &list, std::string_view key, std::size_t shown)
{
    const auto it = std::find_if(list.begin(), list.end(), [&](const Entry &entry) { return entry.first == key; });
    if (it != list.end())
        return &*it;
    if (list.size() >= shown)
        return nullptr;
    return &list.emplace_back(key, decltype(Entry::second){});
}

void gatherUses(const MessageExtract &extract, Material &material)
{
    for (const MessageExtract::ToolUse &use : extract.uses) {
        if (auto *tool = entryFor(material.tools, use.name, shownTools))
            ++tool->second;
        if (use.id)
            material.open.emplace_back(*use.id, use.name);
        for (const std::string &path : use.paths) {
            auto *file = entryFor(material.files, path, shownFiles);
            if (file && file->second.find(use.name) == std::string::npos)
                file->second += (file->second.empty() ? "" : ", ") + use.name;
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

void gatherMessage(const Message &message, const MessageExtract &extract, Material &material)
{
    const std::string_view words = extract.words;
    switch (message.kind) {
    case MessageKind::Human:
        material.requests.push_back(words);
        break;
    case MessageKind::Ai:
        if (!words.empty()) {
            material.lastAnswer = words;
            if (material.decisions.empty() || material.decisions.back() != words)
                material.decisions.push_back(words);
        }
        gatherUses(extract, material);
        break;
    case MessageKind::Tool:
        if (message.toolCallId)
            std::erase_if(material.open, [&](const auto &call) { return call.first == *message.toolCallId; });
        if (message.status == "error")
            material.failures.push_back(words);
        break;
    default:
        break;
    }
}

/// The first and the last of a long list, with a word on what is between; `between` holds that word.
std::vector<Line> headAndTail(const std::vector<Line> &lines, std::size_t shown, std::string &between)
{
    if (lines.size() <= shown)
        return lines;
    const std::size_t head = shown / 3;
    const std::size_t tail = shown - head;
    between = "- (" + std::to_string(lines.size() - shown) + " more in between)";
    std::vector<Line> result(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(head));
    result.push_back({{}, between});
    result.insert(result.end(), lines.end() - static_cast<std::ptrdiff_t>(tail), lines.end());
    return result;
}

std::vector<Line> plainLines(const std::vector<std::string> &lines)
{
    std::vector<Line> result;
    for (const std::string &line : lines)
        result.push_back({{}, line});
    return result;
}

/// The four sections within the budget: headings and their blank lines come first out of it; each section then has a
/// share, what it leaves goes to the next.
std::string written(const std::array<Section, 4> &parts, std::size_t budget)
{
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
        for (const Line &line : parts[i].lines) {
            const std::size_t size = text::length(line.lead) + text::length(line.words) + 1;
            if (size > left)
                break;
            left -= size;
            out += "\n";
            out += line.lead;
            out += line.words;
            any = true;
        }
        if (!any)
            out += "\nNone";
    }
    return out;
}

std::string summaryOf(const Material &material, std::size_t budget)
{
    Section intent{"SESSION INTENT", plainLines(material.carriedIntent)};
    if (intent.lines.empty() && !material.requests.empty())
        intent.lines.push_back({{}, material.requests.front()});
    std::vector<Line> lines = plainLines(material.carried);
    for (std::size_t i = intent.lines.empty() || !material.carriedIntent.empty() ? 0 : 1; i < material.requests.size();
        ++i)
        lines.push_back({"- The user asked: ", material.requests[i]});
    for (const auto *list : {&material.decisions, &material.failures}) {
        for (const std::string_view words : *list)
            lines.push_back({"- ", words});
    }
    std::string between;
    const Section summary{"SUMMARY", headAndTail(lines, shownDecisions, between)};

    Section artifacts{"ARTIFACTS", plainLines(material.carriedArtifacts)};
    std::deque<std::string> made; // lines that are joined here
    for (const auto &[path, done] : material.files) {
        std::string line = "- " + std::string(path) + " (" + done + ")";
        if (std::find(material.carriedArtifacts.begin(), material.carriedArtifacts.end(), line)
            == material.carriedArtifacts.end())
            artifacts.lines.push_back({{}, made.emplace_back(std::move(line))});
    }
    std::string tools;
    for (const auto &[name, count] : material.tools)
        tools += (tools.empty() ? "" : ", ") + std::string(name) + " × " + std::to_string(count);
    if (!tools.empty())
        artifacts.lines.push_back({"- Tools used: ", tools});

    Section next{"NEXT STEPS", {}};
    if (!material.requests.empty() && material.requests.size() + material.carriedIntent.size() > 1)
        next.lines.push_back({"- Last request: ", material.requests.back()});
    for (const auto &[id, name] : material.open)
        next.lines.push_back({"- Still without a result: ", name});
    if (!material.lastAnswer.empty())
        next.lines.push_back({"- Continue after: ", material.lastAnswer});
    return written({intent, summary, artifacts, next}, budget);
}

} // namespace

ExtractiveSummarizer::ExtractiveSummarizer(std::size_t budget)
    : m_budget(budget)
{
}

ExtractiveSummarizer::~ExtractiveSummarizer() = default;

std::vector<const MessageExtract *> ExtractiveSummarizer::extracts(const RequestView &view, std::int64_t count)
{
    std::vector<const MessageExtract *> found(static_cast<std::size_t>(count));
    bool missing = false;
    {
        const std::shared_lock lock(m_mutex);
        for (std::int64_t i = 0; i < count; ++i) {
            const auto known = m_extracts.find(view.at(i));
            if (known != m_extracts.end())
                found[static_cast<std::size_t>(i)] = known->second.get();
            else
                missing = missing || !isSummaryMessage(*view.at(i));
        }
    }
    if (!missing)
        return found;
    const std::unique_lock lock(m_mutex);
    for (std::int64_t i = 0; i < count; ++i) {
        // Summaries are new in every run; only the log's messages are worth keeping.
        const MessagePtr &message = view.at(i);
        if (found[static_cast<std::size_t>(i)] || isSummaryMessage(*message))
            continue;
        auto &kept = m_extracts[message];
        if (!kept)
            kept = std::make_unique<const MessageExtract>(extractOf(*message));
        found[static_cast<std::size_t>(i)] = kept.get();
    }
    return found;
}

Attempt<SummaryText> ExtractiveSummarizer::summarize(const SummaryRequest &request)
{
    const std::vector<const MessageExtract *> found = extracts(*request.view, request.count);
    Material material;
    for (std::size_t i = 0; i < found.size(); ++i) {
        const Message &message = *request.view->at(static_cast<std::int64_t>(i));
        if (found[i])
            gatherMessage(message, *found[i], material);
        else
            gatherSummary(message, material);
    }
    return SummaryText{summaryOf(material, m_budget), {}};
}

std::string extractiveSummary(const std::vector<MessagePtr> &messages, std::size_t budget)
{
    const RequestView view = viewOf(messages, {});
    SummaryRequest request;
    request.view = &view;
    request.count = view.size();
    return ExtractiveSummarizer(budget).summarize(request)->text;
}

} // namespace palimpsest
