// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/focus.h"

namespace palimpsest {

Focus::Focus(Selection *selection, QObject *parent)
    : QObject(parent)
    , m_selection(selection)
    , m_scene(std::make_shared<const Scene>())
{
    connect(selection, &Selection::changed, this, &Focus::onSelection);
}

void Focus::setThread(ThreadPtr thread)
{
    m_thread = std::move(thread);
    if (m_facts && m_facts->thread != m_thread)
        m_facts.reset();
    rebuild();
    Q_EMIT threadChanged();
    Q_EMIT sceneChanged();
}

void Focus::setFacts(LogFactsPtr facts)
{
    if (facts && facts->thread != m_thread)
        return;
    m_facts = std::move(facts);
    rebuild();
    Q_EMIT sceneChanged();
}

void Focus::onSelection(const Place &now, const Place &before)
{
    if (now.thread != before.thread)
        return; // the session loads it and comes back with setThread
    if (now.ns != before.ns) {
        rebuild();
        Q_EMIT threadChanged();
        Q_EMIT sceneChanged();
    } else if (now.checkpoint != before.checkpoint || now.call != before.call) {
        rebuild();
        Q_EMIT sceneChanged();
    }
    Q_EMIT chosenChanged(now, before);
}

void Focus::rebuild()
{
    m_scene = std::make_shared<const Scene>(makeScene(m_thread, m_selection->place(), m_facts));
}

} // namespace palimpsest
