// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/selection.h"

namespace palimpsest {

namespace {
constexpr std::size_t longestHistory = 500;
}

Selection::Selection(QObject *parent)
    : QObject(parent)
    , m_history{Place{}}
{
}

void Selection::setPlace(const Place &place, Step step)
{
    if (place == m_place)
        return;
    const bool sameThread = place.thread == m_place.thread && place.ns == m_place.ns;
    // The empty start is no place to return to, and a merged step never swallows a change of thread.
    if (m_history[m_at].thread.empty() || (step == Step::Merge && sameThread)) {
        m_history[m_at] = place;
        m_history.resize(m_at + 1);
    } else {
        m_history.resize(m_at + 1);
        m_history.push_back(place);
        if (m_history.size() > longestHistory)
            m_history.erase(m_history.begin());
        m_at = m_history.size() - 1;
    }
    become(place);
}

void Selection::setThread(const std::string &thread, const std::string &ns)
{
    if (thread == m_place.thread && ns == m_place.ns)
        return;
    Place place;
    place.thread = thread;
    place.ns = ns;
    setPlace(place);
}

void Selection::setCheckpoint(const std::string &checkpoint, Step step)
{
    Place place = m_place;
    place.checkpoint = checkpoint;
    place.call = {};
    setPlace(place, step);
}

void Selection::setCall(CallNumber call, const std::string &checkpoint, Step step)
{
    Place place = m_place;
    place.call = call;
    place.checkpoint = checkpoint;
    setPlace(place, step);
}

void Selection::setMessage(const std::string &key, Step step)
{
    Place place = m_place;
    place.message = key;
    place.version = -1;
    place.text = {};
    setPlace(place, step);
}

void Selection::setVersion(int version)
{
    Place place = m_place;
    place.version = version;
    place.text = {};
    setPlace(place);
}

void Selection::setText(const TextRange &range)
{
    Place place = m_place;
    place.text = range;
    setPlace(place, Step::Merge);
}

void Selection::setArtifact(const std::string &path, int section)
{
    Place place = m_place;
    place.artifact = path;
    place.section = section;
    setPlace(place);
}

void Selection::reset()
{
    m_history.assign(1, Place{});
    m_at = 0;
    become({});
}

void Selection::back()
{
    if (!canGoBack())
        return;
    --m_at;
    become(m_history[m_at]);
}

void Selection::forward()
{
    if (!canGoForward())
        return;
    ++m_at;
    become(m_history[m_at]);
}

void Selection::become(const Place &place)
{
    const Place before = std::exchange(m_place, place);
    Q_EMIT changed(m_place, before);
    Q_EMIT historyChanged();
}

} // namespace palimpsest
