// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/search.h"

#include "core/artifacts/archive.h"
#include "core/values/json.h"
#include "models/display.h"

#include <QStringMatcher>
#include <algorithm>
#include <unordered_map>

namespace palimpsest {

int SearchAnswer::count(SearchHit::Pane pane) const
{
    return static_cast<int>(std::ranges::count(hits, pane, &SearchHit::pane));
}

namespace {

bool holds(const Message &message, const QStringMatcher &matcher)
{
    if (matcher.indexIn(toQString(textOf(message))) >= 0)
        return true;
    if (message.name && matcher.indexIn(toQString(*message.name)) >= 0)
        return true;
    return std::ranges::any_of(toolCalls(message), [&](const ToolCallView &call) {
        if (matcher.indexIn(toQString(call.name)) >= 0)
            return true;
        if (!call.args->isMap())
            return matcher.indexIn(toQString(toJson(*call.args))) >= 0;
        return std::ranges::any_of(call.args->asMap(), [&](const Value::Entry &entry) {
            const Value &value = entry.second;
            return matcher.indexIn(toQString(value.isText() ? value.asText() : toJson(value))) >= 0;
        });
    });
}

void searchFiles(SearchAnswer &answer, const ArtifactView &view, const QStringMatcher &matcher, const JobContext &job)
{
    for (const Artifact &artifact : view.list()) {
        if (job.stopped())
            return;
        const auto content = view.read(artifact.path);
        if (!content || !content->text)
            continue;
        const auto holdsPart = [&](std::size_t begin, std::size_t end) {
            return matcher.indexIn(toQString(std::string_view(content->bytes).substr(begin, end - begin))) >= 0;
        };
        const Archive archive = artifact.path.ends_with(".md") ? parseArchive(content->bytes) : Archive();
        if (archive.sections.empty()) {
            if (holdsPart(0, content->bytes.size()))
                answer.hits.push_back({SearchHit::Pane::Archive, {}, artifact.path, -1});
            continue;
        }
        for (std::size_t i = 0; i < archive.sections.size(); ++i) {
            if (holdsPart(archive.sections[i].begin, archive.sections[i].end))
                answer.hits.push_back({SearchHit::Pane::Archive, {}, artifact.path, static_cast<int>(i)});
        }
    }
}

} // namespace

SearchAnswer searchScene(
    const Scene &scene, const std::vector<ArtifactFolder> &folders, const QString &needle, const JobContext &job)
{
    SearchAnswer answer;
    answer.needle = needle;
    if (needle.isEmpty() || !scene.checkpoint)
        return answer;
    const QStringMatcher matcher(needle, Qt::CaseInsensitive);
    std::unordered_map<const Message *, bool> known;
    const auto searchLog = [&](const MessageLog &log, SearchHit::Pane pane) {
        std::size_t at = 0;
        for (const MessagePtr &message : log) {
            if (at % 256 == 0 && job.stopped())
                return;
            if (message) {
                const auto [entry, fresh] = known.try_emplace(message.get());
                if (fresh)
                    entry->second = holds(*message, matcher);
                if (entry->second) {
                    // A message of the effective list goes by its place in the raw log.
                    const MessageIndex origin =
                        pane == SearchHit::Pane::Effective ? scene.fates.origin(EffectiveIndex(at)) : MessageIndex(at);
                    const bool summary = pane == SearchHit::Pane::Effective && !origin.isValid() && !message->id;
                    const MessageIndex place = origin.isValid() ? origin : MessageIndex(at);
                    answer.hits.push_back(
                        {pane, summary ? std::string(summaryKey) : messageKey(*message, place), {}, -1});
                }
            }
            ++at;
        }
    };
    searchLog(scene.log, SearchHit::Pane::RawLog);
    searchLog(scene.effective, SearchHit::Pane::Effective);
    ArtifactView view(*scene.thread, *scene.space, scene.checkpointIndex);
    for (const ArtifactFolder &folder : folders)
        view.addFolder(folder);
    searchFiles(answer, view, matcher, job);
    return answer;
}

} // namespace palimpsest
