// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/thread/thread.h"
#include "models/scene.h"
#include "models/selection.h"
#include "models/threadfindings.h"

#include <QObject>

namespace palimpsest {

struct WhatIf;
using WhatIfPtr = std::shared_ptr<const WhatIf>;

/// What every pane is given: the thread that is loaded, the selection, and the selection's place looked up in the
/// thread.
class Focus : public QObject {
    Q_OBJECT
public:
    explicit Focus(Selection *selection, QObject *parent = nullptr);
    ~Focus() override;

    [[nodiscard]] Selection *selection() const { return m_selection; }

    /// A loaded thread, or the same thread read further; null: nothing is open.
    void setThread(ThreadPtr thread);
    /// What was found out about the messages of the thread (see logfacts.h); comes later than the thread.
    void setFacts(LogFactsPtr facts);
    /// What is wrong or lost in the thread; comes later than the thread. Those of another thread are not taken.
    void setFindings(ThreadFindingsPtr findings);

    /// A run to be looked at in place of the recording where `setWhatIfShown` says so; null: none.
    void setWhatIf(WhatIfPtr run);
    [[nodiscard]] WhatIfPtr whatIf() const { return m_whatIf; }
    void setWhatIfShown(bool shown);
    [[nodiscard]] bool isWhatIfShown() const { return m_whatIfShown; }

    [[nodiscard]] ThreadPtr thread() const { return m_scene->thread; }
    /// The scene at the selected place; never null, empty when nothing is open.
    [[nodiscard]] ScenePtr scene() const { return m_scene; }
    /// Null while they are being looked for.
    [[nodiscard]] ThreadFindingsPtr findings() const { return m_findings; }

Q_SIGNALS:
    /// Another run, or none any more; `sceneChanged` came before when it is shown.
    void whatIfChanged();
    /// The thread, its namespace or how much of it is loaded: lists start anew. `sceneChanged` follows.
    void threadChanged();
    /// Checkpoint, call or event: what the panes show is another state of the same thread.
    void sceneChanged();
    /// Only what is chosen inside the state: message, version, text, artifact.
    void chosenChanged(const palimpsest::Place &now, const palimpsest::Place &before);
    void findingsChanged();

private:
    void onSelection(const Place &now, const Place &before);
    void rebuild();

    Selection *m_selection;
    LogFactsPtr m_facts;
    WhatIfPtr m_whatIf;
    bool m_whatIfShown = false;
    ThreadFindingsPtr m_findings;
    ScenePtr m_scene;
    ThreadPtr m_thread;
    std::unique_ptr<RecordedRequests> m_requests; ///< of `m_requestsOf`; made when a call is first looked at
    const ThreadNamespace *m_requestsOf = nullptr;
};

} // namespace palimpsest
