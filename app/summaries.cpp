// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/jobrunner.h"
#include "app/mainwindow.h"
#include "app/panes.h"
#include "app/session.h"
#include "app/tuning.h"
#include "core/compaction/stages/summaryprompt.h"
#include "core/summaries/net/chatmodel.h"
#include "models/display.h"
#include "views/panes/summariespane.h"

#include <QDockWidget>

namespace palimpsest {

using namespace Qt::StringLiterals;

namespace {

constexpr auto plansLane = "summaries";
constexpr auto sendLane = "send";

QString tr(const char *text)
{
    return MainWindow::tr(text);
}

/// Where the form's endpoint leads, and whether something can be sent there.
SummariesPane::Destination destinationOf(const Value &summarizer, const QString &typedKey)
{
    if (summarizer["model"].asText().empty())
        return {{}, {}, tr("Name the model to ask; nothing is sent before you press Send.")};
    const auto endpoint = chatEndpointFromValue(summarizer);
    if (!endpoint)
        return {{}, {}, toQString(endpoint.error().where + ": " + endpoint.error().what)};
    SummariesPane::Destination destination;
    destination.host = toQString(endpointHost(*endpoint));
    const std::string variable = keyVariable(*endpoint);
    if (variable.empty())
        return destination;
    const QString name = toQString(variable);
    const bool known = qEnvironmentVariableIsSet(variable.c_str());
    destination.key = known ? tr("from %1; or type another").arg(name) : tr("%1 is not set: type one").arg(name);
    if (!known && typedKey.isEmpty() && endpoint->url.empty())
        destination.problem = tr("%1 wants a key: type one for this session, or set %2.").arg(destination.host, name);
    return destination;
}

class Summaries : public QObject {
public:
    Summaries(MainWindow &window, Tuning &tuning)
        : QObject(&window)
        , m_tuning(tuning)
        , m_pane(new SummariesPane(window.theme()))
    {
        Focus *focus = window.session().focus();
        connect(&tuning, &Tuning::whatIfChanged, this, &Summaries::plan);
        connect(window.dock(u"summaries"_s), &QDockWidget::visibilityChanged, this, &Summaries::plan);
        connect(tuning.model(), &TuningModel::changed, this, [this] {
            m_pane->setEndpoint(m_tuning.model()->value("summarizer"));
            showDestination();
        });
        connect(m_pane, &SummariesPane::endpointEdited, this, [this](const Value &summarizer) {
            m_tuning.model()->setValue("summarizer", summarizer, TuningModel::Step::GoesOn);
            showDestination();
        });
        connect(m_pane, &SummariesPane::keyEdited, this, &Summaries::showDestination);
        connect(m_pane, &SummariesPane::sendWanted, this, &Summaries::send);
        connect(m_pane, &SummariesPane::cancelWanted, this, [this] {
            m_runner.cancel(QString::fromLatin1(sendLane));
            m_pane->end(tr("Cancelled; the what-if keeps its summary."));
        });
        connect(m_pane, &SummariesPane::forgetWanted, this, [this] {
            if (const SummaryPlan *plan = m_pane->chosen())
                m_tuning.forget(plan->question.subject);
        });
        connect(m_pane, &SummariesPane::callChosen, this, [focus](CallNumber call) {
            const ScenePtr scene = focus->scene();
            const auto place = static_cast<std::size_t>(call.value - 1);
            if (!scene->space || place >= scene->space->calls.size())
                return;
            const CheckpointIndex at = scene->space->calls[place].checkpoint;
            if (at.isValid() && at.at() < scene->space->checkpoints.size())
                focus->selection()->setCall(call, scene->space->checkpoints[at.at()].id);
        });
        connect(focus, &Focus::sceneChanged, this, [this, focus] {
            if (focus->scene()->call && !m_pane->isSending())
                m_pane->chooseCall(focus->scene()->call->number);
        });
        m_pane->setEndpoint(tuning.model()->value("summarizer"));
        showDestination();
        if (focus->scene()->call)
            m_pane->chooseCall(focus->scene()->call->number);
        QMetaObject::invokeMethod(this, &Summaries::plan, Qt::QueuedConnection); // when it is seen
    }

    [[nodiscard]] SummariesPane *pane() const { return m_pane; }

private:
    void showDestination() { m_pane->setDestination(destinationOf(m_pane->endpoint(), m_pane->key())); }

    /// Only what is seen is kept up to date.
    void plan()
    {
        const WhatIfPtr run = m_tuning.whatIf();
        if (!run) {
            m_runner.cancel(QString::fromLatin1(sendLane));
            if (m_pane->isSending())
                m_pane->end();
            m_pane->setPlans(nullptr);
            m_planned = nullptr;
            return;
        }
        if (!m_pane->isVisible() || run == m_planned)
            return;
        m_planned = run;
        m_tuning.studies().run(
            QString::fromLatin1(plansLane), m_pane,
            [input = run->replay.input, settings = run->settings, given = m_tuning.given()](
                const JobContext &job) { return makeSummaryPlans(input, *settings, given, job); },
            [this](const Result<SummaryPlansPtr> &made) {
                if (made)
                    m_pane->setPlans(*made);
                else
                    m_pane->setPlans(nullptr, toQString(made.error().where + ": " + made.error().what));
            });
    }

    void send()
    {
        const SummaryPlan *plan = m_pane->chosen();
        const auto endpoint = chatEndpointFromValue(m_pane->endpoint());
        if (!plan || !endpoint || m_pane->prompt().isEmpty())
            return;
        m_pane->begin();
        m_runner.runInParts<QString>(
            QString::fromLatin1(sendLane), m_pane,
            [endpoint = *endpoint, key = fromQString(m_pane->key()), prompt = fromQString(m_pane->prompt())](
                const JobContext &job, const std::function<void(QString)> &emitText) {
                ChatSession session;
                session.key = key;
                session.stop = job.stop;
                session.onText = [&emitText](std::string_view text) { emitText(toQString(text)); };
                return ChatModel(endpoint, std::move(session)).invoke(prompt);
            },
            [this](const QString &text) { m_pane->addText(text); },
            [this, subject = plan->question.subject](const Attempt<std::string> &answer) { take(subject, answer); });
    }

    void take(const SummarySubject &subject, const Attempt<std::string> &answer)
    {
        if (answer && !stripped(*answer).empty()) {
            m_pane->end();
            m_tuning.give(subject, std::string(stripped(*answer)));
            return;
        }
        if (answer) {
            m_pane->end(tr("The model answered with nothing; the what-if keeps its summary."));
            return;
        }
        const Raised &error = answer.error();
        m_pane->end(toQString(error.message));
        if (error.type == "ContextOverflowError")
            m_pane->offerSmaller();
    }

    Tuning &m_tuning;
    SummariesPane *m_pane;
    WhatIfPtr m_planned;
    JobRunner m_runner;
};

} // namespace

void buildSummaries(MainWindow &window)
{
    window.addPane(MainWindow::Area::Bottom, u"summaries"_s, tr("Summaries"), [&window] {
        return (new Summaries(window, *window.findChild<Tuning *>()))->pane(); // the window's child
    });
}

} // namespace palimpsest
