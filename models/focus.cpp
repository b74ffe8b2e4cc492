// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/focus.h"

#include "core/compaction/recordedrequest.h"
#include "models/whatif.h"

namespace palimpsest {

Focus::Focus(Selection *selection, QObject *parent)
    : QObject(parent)
    , m_selection(selection)
    , m_scene(std::make_shared<const Scene>())
{
    connect(selection, &Selection::changed, this, &Focus::onSelection);
}

Focus::~Focus() = default;

void Focus::setThread(ThreadPtr thread)
{
    m_requests.reset();
    m_requestsOf = nullptr;
    m_thread = std::move(thread);
    if (m_facts && m_facts->thread != m_thread)
        m_facts.reset();
    if (m_findings && m_findings->thread() != m_thread)
        m_findings.reset();
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

void Focus::setWhatIf(WhatIfPtr run)
{
    const bool shown = m_whatIfShown;
    m_whatIf = std::move(run);
    if (!m_whatIf)
        m_whatIfShown = false;
    if (shown) {
        rebuild();
        Q_EMIT sceneChanged();
    }
    Q_EMIT whatIfChanged();
}

void Focus::setWhatIfShown(bool shown)
{
    if (shown == m_whatIfShown || (shown && !m_whatIf))
        return;
    m_whatIfShown = shown;
    rebuild();
    Q_EMIT sceneChanged();
}

void Focus::setFindings(ThreadFindingsPtr findings)
{
    if (findings && findings->thread() != m_thread)
        return;
    m_findings = std::move(findings);
    Q_EMIT findingsChanged();
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
    const Place &place = m_selection->place();
    const ThreadNamespace *space = m_thread ? m_thread->find(place.ns) : nullptr;
    if (space && place.call.isValid() && m_requestsOf != space) {
        m_requests = std::make_unique<RecordedRequests>(m_thread, *space);
        m_requestsOf = space;
    }
    Scene scene = makeScene(m_thread, place, m_facts, m_requestsOf == space ? m_requests.get() : nullptr);
    if (m_whatIfShown && m_whatIf)
        showWhatIf(scene, *m_whatIf);
    m_scene = std::make_shared<const Scene>(std::move(scene));
}

} // namespace palimpsest
