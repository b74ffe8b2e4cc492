// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/mechanismplaces.h"

#include "core/artifacts/links.h"
#include "models/display.h"

#include <QCoreApplication>

#include <algorithm>

namespace palimpsest {

using namespace Qt::StringLiterals;

namespace {

QString tr(const char *text)
{
    return QCoreApplication::translate("MechanismPlaces", text);
}

class Search {
public:
    Search(const Scene &scene, std::size_t most)
        : m_scene(scene)
        , m_most(most)
    {
    }

    std::vector<MechanismPlace> run(QStringView mechanism)
    {
        if (mechanism == "event"_L1 || mechanism == "archive"_L1)
            addEvents(mechanism == "archive"_L1);
        else if (mechanism == "subagent"_L1)
            addSubagents();
        else
            addMessages(mechanism);
        return std::move(m_found);
    }

private:
    [[nodiscard]] Place here() const
    {
        Place place;
        place.thread = m_scene.thread->id;
        place.ns = m_scene.space->name;
        place.checkpoint = m_scene.checkpoint ? m_scene.checkpoint->id : std::string();
        return place;
    }

    bool add(const QString &text, const Place &place)
    {
        if (m_found.size() < m_most)
            m_found.push_back({text, place});
        return m_found.size() < m_most;
    }

    void addEvents(bool archives)
    {
        for (const EventMark &mark : m_scene.events) {
            if (archives && !mark.event->filePath)
                continue;
            Place place = here();
            place.checkpoint = m_scene.space->checkpoints[mark.checkpoint.at()].id;
            if (archives)
                place.artifact = *mark.event->filePath;
            if (!add(archives ? tr("archive of event %1").arg(mark.number) : tr("event %1").arg(mark.number), place))
                return;
        }
    }

    void addSubagents()
    {
        for (const SubagentLink &link : m_scene.thread->subagents) {
            Place place;
            place.thread = m_scene.thread->id;
            place.ns = link.ns;
            if (link.hasCheckpoints
                && !add(toQString(link.agent.empty() ? link.ns : link.agent + ": " + link.description), place))
                return;
        }
    }

    [[nodiscard]] bool shows(QStringView mechanism, const Message &message, MessageIndex index) const
    {
        if (mechanism == "compact"_L1)
            return message.kind == MessageKind::Tool && message.name == "compact_conversation";
        if (mechanism == "truncated"_L1)
            return m_scene.fates.of(index).kind == Fate::Kind::Truncated;
        if (mechanism == "clip"_L1) // deepagents/middleware/_overflow_clip.py _slice_read_file_tm, 0.7.7
            return message.kind == MessageKind::Tool
                && textOf(message).find("[Output was truncated due to context window size limits.")
                != std::string::npos;
        const auto wanted = mechanism == "stub"_L1 ? ArtifactLink::Kind::ToolResult : ArtifactLink::Kind::HumanMessage;
        return (mechanism == "stub"_L1 || mechanism == "human"_L1)
            && std::ranges::any_of(
                artifactLinks(message), [&](const ArtifactLink &link) { return link.kind == wanted; });
    }

    void addMessages(QStringView mechanism)
    {
        MessageIndex index(0);
        for (const MessagePtr &message : m_scene.log) {
            if (shows(mechanism, *message, index)) {
                Place place = here();
                place.message = messageKey(*message, index);
                const QString name = toQString(message->name.value_or(message->type));
                if (!add(tr("%1, message %2").arg(name).arg(index.value), place))
                    return;
            }
            index = MessageIndex(index.value + 1);
        }
    }

    const Scene &m_scene;
    std::size_t m_most;
    std::vector<MechanismPlace> m_found;
};

} // namespace

std::vector<MechanismPlace> mechanismPlaces(const Scene &scene, QStringView mechanism, std::size_t most)
{
    if (!scene.thread || !scene.space)
        return {};
    return Search(scene, most).run(mechanism);
}

} // namespace palimpsest
