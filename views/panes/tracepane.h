// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/tracemodel.h"

#include <QWidget>

#include <functional>
#include <optional>

class QLabel;
class QLineEdit;
class QToolButton;
class QStackedWidget;
class QTableView;
class QTreeView;

namespace palimpsest {

class Focus;
class Theme;
class SurvivalModel;
class TraceLane;

/// Where a text or a message is at every call, what took it away and what brings it back. Everything leads to its
/// place.
class TracePane : public QWidget {
    Q_OBJECT
public:
    /// Traces in a job: gives first places, then the whole answer; the newest question wins.
    using Tracer = std::function<void(
        const TraceQuestion &question, QObject *receiver, std::function<void(const Result<TracePtr> &)> answer)>;

    TracePane(const Theme &theme, Tracer tracer, QWidget *parent = nullptr);

    void follow(Focus *focus);
    /// Follows a text, or a message by its id.
    void ask(const QString &text);
    void askMessage(const std::string &id);

    /// What the fields ask for; without a thread when nothing is asked.
    [[nodiscard]] TraceQuestion question() const;

    [[nodiscard]] TraceModel *model() const { return m_model; }
    [[nodiscard]] QTreeView *table() const { return m_table; }
    [[nodiscard]] TraceLane *lane() const { return m_lane; }
    [[nodiscard]] QString verdict() const;

Q_SIGNALS:
    /// Another answer is shown, perhaps of its first places only; null: none.
    void traced(const palimpsest::TracePtr &trace);
    /// The prompt of the summary that lost the text is to be shown: the place of its call.
    void promptWanted(std::size_t call);

private:
    void start();
    void showAnswer(const Result<TracePtr> &answer);
    void clear();
    void goTo(int call);
    void go(const QModelIndex &index);
    void followCall();
    void onLink(const QString &link);
    [[nodiscard]] QString richVerdict() const;

    const Theme &m_theme;
    Tracer m_tracer;
    Focus *m_focus = nullptr;
    TraceModel *m_model;
    QLineEdit *m_text;
    QToolButton *m_fold;
    QToolButton *m_regex;
    TraceLane *m_lane;
    QLabel *m_verdict;
    QToolButton *m_terms;
    QStackedWidget *m_tables;
    QTreeView *m_table;
    SurvivalModel *m_survival;
    QTableView *m_survivalTable;
    std::optional<std::string> m_message; ///< the question is about this message
    ThreadPtr m_thread; ///< of the answer shown
    std::string m_ns;
};

} // namespace palimpsest
