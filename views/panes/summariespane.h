// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/values/value.h"
#include "models/summaryplans.h"

#include <QWidget>

#include <functional>

class QComboBox;
class QLabel;
class QLayout;
class QLineEdit;
class QPlainTextEdit;
class QPushButton;
class QTreeWidget;

namespace palimpsest {

class Theme;

/// The summaries that the settings make, with the prompt that the dialect asks each with; a model of the user's choice
/// can be asked instead, after he has seen what is sent, how much and where to.
class SummariesPane : public QWidget {
    Q_OBJECT
public:
    /// Where a prompt would go, as the endpoint stands.
    struct Destination {
        QString host;
        QString key; ///< where the key comes from: a hint for the field
        QString problem; ///< why nothing can be sent; empty: it can
    };

    explicit SummariesPane(const Theme &theme, QWidget *parent = nullptr);

    /// Null: there is nothing to summarize with; `why` says what to do.
    void setPlans(const SummaryPlansPtr &plans, const QString &why = {});
    [[nodiscard]] const SummaryPlansPtr &plans() const { return m_plans; }
    /// Chooses the summary that is made at a call, if one is.
    void chooseCall(CallNumber call);
    /// The settings' `summarizer`.
    void setEndpoint(const Value &summarizer);
    [[nodiscard]] Value endpoint() const;
    void setDestination(const Destination &destination);
    /// Typed for this session; empty: from the environment.
    [[nodiscard]] QString key() const;
    /// The chosen summary; null when none is.
    [[nodiscard]] const SummaryPlan *chosen() const;
    /// What would be sent: the chosen summary's prompt, after a refusal the smaller one.
    [[nodiscard]] QString prompt() const;

    /// The prompt is on its way; the answer comes with addText().
    void begin();
    void addText(const QString &text);
    /// `problem` empty: the answer is complete.
    void end(const QString &problem = {});
    /// The model says that the prompt is too long: the dialect's smaller one is what would be sent next.
    void offerSmaller();
    [[nodiscard]] bool isSending() const { return m_sending; }

Q_SIGNALS:
    void sendWanted();
    void cancelWanted();
    /// The model's summary of the chosen event is not to be used any more.
    void forgetWanted();
    void endpointEdited(const palimpsest::Value &summarizer);
    /// The key was typed or removed.
    void keyEdited();
    void callChosen(palimpsest::CallNumber call);

private:
    QLayout *buildFoot();
    void fill(const std::string &chosenId);
    void showChosen();
    void updateSend();
    void tellEndpoint();
    void restyle();

    const Theme &m_theme;
    SummaryPlansPtr m_plans;
    Value m_endpoint; ///< with what the form does not show
    Destination m_destination;
    QTreeWidget *m_list;
    QComboBox *m_api = nullptr;
    QLineEdit *m_model = nullptr;
    QLineEdit *m_url = nullptr;
    QLineEdit *m_key = nullptr;
    QLabel *m_promptHead;
    QPlainTextEdit *m_prompt;
    QLabel *m_answerHead;
    QPlainTextEdit *m_answer;
    QLabel *m_words;
    QPushButton *m_send;
    QPushButton *m_forget;
    bool m_sending = false;
    bool m_smaller = false;
    bool m_quiet = false;
    bool m_failed = false;
};

} // namespace palimpsest
