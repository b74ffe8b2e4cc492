// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/insight/compare/comparison.h"
#include "core/transcript/exportorder.h"

#include <QWidget>

class QCheckBox;
class QLabel;
class QListView;
class QTableView;
class QToolButton;

namespace palimpsest {

class ComparedCallsModel;
class ComparedFiguresModel;
class ElidedLabel;
class EmptyState;
class Focus;
class RequestDiffModel;
class Theme;

/// The recording, A and B side by side: figures, the calls that differ and why, and the two requests of a call. A click
/// goes to the call.
class ComparePane : public QWidget {
    Q_OBJECT
public:
    explicit ComparePane(const Theme &theme, QWidget *parent = nullptr);

    void follow(Focus *focus);
    /// Null: none yet. `other` is the second thread where it is one of two.
    void setComparison(const ComparisonPtr &comparison, std::optional<OtherThread> other = {});
    [[nodiscard]] const std::optional<OtherThread> &otherThread() const { return m_otherThread; }
    /// The comparison shown is being made anew, or could not be made.
    void setBusy(bool busy);
    void setProblem(const QString &problem);
    [[nodiscard]] QTableView *figures() const { return m_figures; }
    [[nodiscard]] QTableView *calls() const { return m_calls; }
    [[nodiscard]] QListView *request() const { return m_request; }

Q_SIGNALS:
    /// Another thread is to stand beside the open one.
    void threadWanted();
    /// The two settings are to be compared again.
    void settingsWanted();

private:
    void updateHead();
    void choose(const QModelIndex &index);
    void showRequest(const QModelIndex &index);

    const Theme &m_theme;
    Focus *m_focus = nullptr;
    ComparisonPtr m_comparison;
    std::optional<OtherThread> m_otherThread;
    ComparedFiguresModel *m_figuresModel;
    ComparedCallsModel *m_callsModel;
    RequestDiffModel *m_requestModel;
    ElidedLabel *m_head;
    EmptyState *m_empty = nullptr;
    QCheckBox *m_all;
    QToolButton *m_other;
    QToolButton *m_back;
    QTableView *m_figures;
    QTableView *m_calls;
    QLabel *m_why;
    QListView *m_request;
    QString m_problem;
    bool m_busy = false;
};

} // namespace palimpsest
