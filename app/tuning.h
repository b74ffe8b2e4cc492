// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/jobrunner.h"
#include "core/insight/infer/infer.h"
#include "models/timelinedata.h"
#include "models/tuningmodel.h"
#include "models/whatif.h"

#include <QObject>
#include <QTimer>

#include <array>
#include <memory>

namespace palimpsest {

class Session;

/// Replays the thread that is open under the settings that are tuned, in jobs: a change while a run goes on starts the
/// next one when it is done, so that something always moves and the newest wins. No widgets.
class Tuning : public QObject {
    Q_OBJECT
public:
    explicit Tuning(Session &session, QObject *parent = nullptr);
    ~Tuning() override;

    [[nodiscard]] TuningModel *model() { return &m_model; }
    /// The newest run; null before the first.
    [[nodiscard]] WhatIfPtr whatIf() const { return m_whatIf; }
    /// How the newest run counts: what the recording is counted with beside it.
    struct Counting {
        double charsPerToken = 4.0;
        std::int64_t toolsAndSystem = 0;
        bool operator==(const Counting &) const = default;
    };
    [[nodiscard]] Counting counting() const;
    /// Messages and tokens of the whole conversation: what sliders and
    /// ranges reach.
    struct Reach {
        double messages = 100;
        double tokens = 20'000;
    };
    [[nodiscard]] Reach reach() const { return m_reach; }
    /// The namespace made ready for replays; null until it is.
    [[nodiscard]] ReplayInputPtr input() const { return m_input; }
    /// Where the settings that are tuned come from.
    [[nodiscard]] TriggerOrigin origin() const;
    /// What the recording says about its settings; null until it is found out.
    [[nodiscard]] std::shared_ptr<const Inference> inference() const { return m_inference; }
    /// Runs that take longer than a change on the screen: inference, sweeps, comparisons.
    [[nodiscard]] JobRunner &studies() { return m_studies; }
    [[nodiscard]] bool isBusy() const
    {
        return m_soon.isActive() || m_running || m_runs.isBusy() || m_studies.isBusy();
    }

    /// Settings kept for the comparison: 0 is A, 1 is B.
    void keepSlot(int slot);
    [[nodiscard]] std::shared_ptr<const SettingsSet> slot(int slot) const { return m_slots.at(std::size_t(slot)); }

    /// What the settings in force sum up to over all namespaces that hold calls, each with the settings of its kind.
    struct TreeTotals {
        std::size_t namespaces = 0;
        std::int64_t events = 0;
        std::int64_t tokensSent = 0;
        std::int64_t summaryTokens = 0;
        std::int64_t peakTokens = 0;
    };
    /// Of the newest settings that rest; nothing for a thread without subagents of its own.
    [[nodiscard]] const std::optional<TreeTotals> &treeTotals() const { return m_treeTotals; }
    /// Summaries that a model made for the namespace: the what-if has them instead of the recorded ones.
    [[nodiscard]] const std::shared_ptr<const GivenSummaries> &given() const { return m_given; }
    void give(const SummarySubject &subject, const std::string &text);
    void forget(const SummarySubject &subject);

Q_SIGNALS:
    /// A newer run is there, or none any more.
    void whatIfChanged();
    /// A run did not succeed: why.
    void runFailed(const QString &why);
    void inputChanged();
    void inferenceChanged();
    void slotsChanged();
    void treeTotalsChanged();

private:
    struct Keeper;
    struct Tree;
    void onThread();
    void prepare();
    void infer();
    void request();
    void run();
    /// What takes longer follows once the settings rest: the session is told what reproduces the recording, and the
    /// totals over the namespaces are made.
    void rest();
    void totalTree();

    Session &m_session;
    TuningModel m_model;
    std::shared_ptr<Tree> m_tree; ///< the other namespaces' replayers; only the worker of `m_studies` looks inside
    std::optional<TreeTotals> m_treeTotals;
    std::shared_ptr<Keeper> m_keeper; ///< the replayer; only the worker of `m_runs` looks inside
    std::string m_thread; ///< id of the thread that is tuned
    std::string m_ns;
    ThreadPtr m_prepared; ///< thread of the input that is made
    ReplayInputPtr m_input;
    Reach m_reach;
    std::shared_ptr<const Inference> m_inference;
    TriggerOrigin m_origin = TriggerOrigin::Default; ///< of the trigger that tuning started with
    WhatIfPtr m_whatIf;
    std::shared_ptr<const GivenSummaries> m_given = std::make_shared<const GivenSummaries>();
    std::array<std::shared_ptr<const SettingsSet>, 2> m_slots;
    QTimer m_soon;
    QTimer m_rest;
    bool m_running = false;
    bool m_again = false;
    JobRunner m_runs;
    JobRunner m_studies;
};

} // namespace palimpsest
