// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panes/summariespane.h"

#include "models/counted.h"
#include "models/display.h"
#include "views/theme.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QSignalBlocker>
#include <QSplitter>
#include <QTreeWidget>

#include <algorithm>

namespace palimpsest {

using namespace Qt::StringLiterals;

namespace {

enum Column { CallColumn, MessagesColumn, TokensColumn, OriginColumn, ColumnCount };

QPlainTextEdit *textView(const QString &name, const QString &hint)
{
    auto *view = new QPlainTextEdit;
    view->setReadOnly(true);
    view->setAccessibleName(name);
    view->setPlaceholderText(hint);
    view->setFrameShape(QFrame::NoFrame);
    view->setTabChangesFocus(true);
    return view;
}

QWidget *underHead(QLabel *head, QWidget *body)
{
    head->setTextFormat(Qt::PlainText);
    head->setContentsMargins(8, 3, 8, 3);
    head->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    auto *widget = new QWidget;
    auto *column = new QVBoxLayout(widget);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(head);
    column->addWidget(body, 1);
    return widget;
}

} // namespace

SummariesPane::SummariesPane(const Theme &theme, QWidget *parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_list(new QTreeWidget)
    , m_promptHead(new QLabel)
    , m_prompt(textView(tr("Prompt"), tr("Choose a summary to see the prompt that asks for it")))
    , m_answerHead(new QLabel)
    , m_answer(textView(tr("Summary"), tr("The summary that the run has")))
    , m_words(new QLabel)
    , m_send(new QPushButton)
    , m_forget(new QPushButton(tr("Forget")))
{
    setObjectName(u"summariesPane"_s);
    m_list->setObjectName(u"summaryList"_s);
    m_list->setAccessibleName(tr("Summaries of this run"));
    m_list->setHeaderLabels({tr("Call"), tr("Messages"), tr("Prompt"), tr("Summary")});
    m_list->setRootIsDecorated(false);
    m_list->setUniformRowHeights(true);
    m_list->setFrameShape(QFrame::NoFrame);
    m_list->header()->setStretchLastSection(true);
    for (int column = 0; column < OriginColumn; ++column)
        m_list->header()->setSectionResizeMode(column, QHeaderView::ResizeToContents);
    auto *body = new QSplitter;
    body->addWidget(m_list);
    body->addWidget(underHead(m_promptHead, m_prompt));
    body->addWidget(underHead(m_answerHead, m_answer));
    body->setSizes({330, 420, 420});
    body->setStretchFactor(0, 0);
    body->setStretchFactor(1, 1);
    body->setStretchFactor(2, 1);
    m_words->setObjectName(u"summaryDestination"_s);
    m_words->setTextFormat(Qt::PlainText);
    m_words->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_answer->setObjectName(u"summaryAnswer"_s);
    m_send->setObjectName(u"sendPrompt"_s);
    m_forget->setObjectName(u"forgetSummary"_s);
    m_forget->setToolTip(tr("Go back to the summary that the recording holds, or to the extracted one"));
    m_words->setContentsMargins(10, 3, 8, 0);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(body, 1);
    column->addWidget(m_words);
    column->addLayout(buildFoot());
    connect(m_list, &QTreeWidget::currentItemChanged, this, [this] {
        if (m_quiet)
            return;
        m_smaller = false;
        m_failed = false;
        showChosen();
        if (const SummaryPlan *plan = chosen())
            Q_EMIT callChosen(plan->call);
    });
    connect(m_send, &QPushButton::clicked, this, [this] {
        if (m_sending)
            Q_EMIT cancelWanted();
        else
            Q_EMIT sendWanted();
    });
    connect(m_forget, &QPushButton::clicked, this, &SummariesPane::forgetWanted);
    connect(&theme, &Theme::changed, this, &SummariesPane::restyle);
    restyle();
    setPlans(nullptr);
}

QLayout *SummariesPane::buildFoot()
{
    m_api = new QComboBox;
    m_api->setAccessibleName(tr("Kind of endpoint"));
    m_api->addItem(tr("OpenAI-compatible"), u"openai"_s);
    m_api->addItem(u"Anthropic"_s, u"anthropic"_s);
    m_api->addItem(u"Ollama"_s, u"ollama"_s);
    m_model = new QLineEdit;
    m_model->setObjectName(u"summaryModel"_s);
    m_model->setAccessibleName(tr("Model"));
    m_model->setPlaceholderText(tr("name of the model"));
    m_url = new QLineEdit;
    m_url->setObjectName(u"summaryUrl"_s);
    m_url->setAccessibleName(tr("Address"));
    m_url->setToolTip(tr("Empty: the provider's own; or of a server, for example http://localhost:11434"));
    m_url->setPlaceholderText(tr("the provider's own address"));
    m_key = new QLineEdit;
    m_key->setObjectName(u"summaryKey"_s);
    m_key->setAccessibleName(tr("Key"));
    m_key->setEchoMode(QLineEdit::Password);
    m_key->setToolTip(tr("Kept in memory until the window is closed; never stored, logged or exported"));
    auto *row = new QHBoxLayout;
    row->setContentsMargins(10, 3, 8, 4);
    row->setSpacing(5);
    row->addWidget(new QLabel(tr("Ask")));
    row->addWidget(m_api);
    row->addWidget(m_model, 3);
    row->addWidget(new QLabel(tr("at")));
    row->addWidget(m_url, 4);
    row->addWidget(new QLabel(tr("key")));
    row->addWidget(m_key, 3);
    row->addWidget(m_forget);
    row->addWidget(m_send);
    connect(m_api, &QComboBox::activated, this, &SummariesPane::tellEndpoint);
    connect(m_model, &QLineEdit::textEdited, this, &SummariesPane::tellEndpoint);
    connect(m_url, &QLineEdit::textEdited, this, &SummariesPane::tellEndpoint);
    connect(m_key, &QLineEdit::textEdited, this, &SummariesPane::keyEdited);
    return row;
}

void SummariesPane::setPlans(const SummaryPlansPtr &plans, const QString &why)
{
    const SummaryPlan *before = chosen();
    const std::string id = before ? before->question.subject.id : std::string();
    m_plans = plans;
    if (!plans)
        m_smaller = false;
    fill(id);
    if (!m_sending && (!plans || plans->empty()))
        m_words->setText(!why.isEmpty() ? why
                : plans ? tr("With these settings nothing is summarized; lower the trigger in the tuning pane")
                        : tr("Open a thread that holds model calls; its summaries are listed here"));
}

void SummariesPane::fill(const std::string &chosenId)
{
    m_quiet = true;
    m_list->clear();
    if (m_plans) {
        for (const SummaryPlan &plan : *m_plans) {
            auto *item = new QTreeWidgetItem(m_list);
            const SummarySubject &subject = plan.question.subject;
            item->setText(CallColumn, QLocale().toString(plan.call.value) + (plan.byTool ? tr(" tool") : QString()));
            item->setText(MessagesColumn, u"%L1–%L2"_s.arg(subject.first + 1).arg(subject.end));
            item->setText(TokensColumn, plan.question.prompt ? tr("%L1 tokens").arg(plan.question.tokens) : tr("none"));
            item->setText(OriginColumn, originName(plan.origin));
        }
    }
    const int rows = m_list->topLevelItemCount();
    int row = rows > 0 ? 0 : -1;
    for (int i = 0; m_plans && i < rows; ++i)
        if ((*m_plans)[static_cast<std::size_t>(i)].question.subject.id == chosenId)
            row = i;
    if (row >= 0)
        m_list->setCurrentItem(m_list->topLevelItem(row));
    m_quiet = false;
    showChosen();
}

const SummaryPlan *SummariesPane::chosen() const
{
    const int row = m_list->currentItem() ? m_list->indexOfTopLevelItem(m_list->currentItem()) : -1;
    return m_plans && row >= 0 && static_cast<std::size_t>(row) < m_plans->size()
        ? &(*m_plans)[static_cast<std::size_t>(row)]
        : nullptr;
}

void SummariesPane::chooseCall(CallNumber call)
{
    for (std::size_t row = 0; m_plans && row < m_plans->size(); ++row) {
        if ((*m_plans)[row].call != call)
            continue;
        m_quiet = true;
        m_list->setCurrentItem(m_list->topLevelItem(static_cast<int>(row)));
        m_quiet = false;
        m_smaller = false;
        showChosen();
        return;
    }
}

QString SummariesPane::prompt() const
{
    const SummaryPlan *plan = chosen();
    if (!plan || !plan->question.prompt)
        return {};
    return toQString(m_smaller && plan->question.smaller ? *plan->question.smaller : *plan->question.prompt);
}

void SummariesPane::showChosen()
{
    const SummaryPlan *plan = chosen();
    if (!m_sending && !m_failed) {
        m_answer->setPlainText(plan ? toQString(plan->question.text) : QString());
        m_answerHead->setText(plan ? tr("Summary in the what-if: %1").arg(originName(plan->origin)) : tr("Summary"));
    }
    const QString text = prompt();
    if (m_prompt->toPlainText() != text)
        m_prompt->setPlainText(text);
    if (!plan)
        m_promptHead->setText(tr("Prompt"));
    else if (text.isEmpty())
        m_promptHead->setText(tr("No model is asked: nothing is left to summarize after trimming"));
    else
        m_promptHead->setText(m_smaller
                ? tr("The dialect's smaller prompt, %L1 tokens").arg(plan->question.smallerTokens)
                : tr("The dialect's prompt, %L1 tokens").arg(plan->question.tokens));
    updateSend();
}

void SummariesPane::updateSend()
{
    const SummaryPlan *plan = chosen();
    m_send->setText(m_sending ? tr("Cancel") : tr("Send"));
    const bool sendable = plan && plan->question.prompt && m_destination.problem.isEmpty();
    m_send->setEnabled(m_sending || sendable);
    m_forget->setVisible(plan && plan->origin == SummaryPlan::Origin::Given && !m_sending);
    if (m_sending || m_failed || !plan)
        return;
    const qint64 tokens = m_smaller ? plan->question.smallerTokens : plan->question.tokens;
    m_words->setText(sendable ? tr("Send gives this prompt, %1 of the thread's text, to %2. Nothing is sent before.")
                                    .arg(counted(tokens, tr("token"), tr("tokens")), m_destination.host)
                              : m_destination.problem);
}

void SummariesPane::setEndpoint(const Value &summarizer)
{
    if (summarizer == m_endpoint && !m_endpoint.isNil())
        return;
    m_endpoint = summarizer;
    const QString api = toQString(summarizer["api"].asText());
    m_api->setCurrentIndex(std::max(0, m_api->findData(api)));
    const auto show = [](QLineEdit *line, const Value &value) {
        const QString text = toQString(value.asText());
        if (line->text() != text)
            line->setText(text);
    };
    show(m_model, summarizer["model"]);
    show(m_url, summarizer["url"]);
}

Value SummariesPane::endpoint() const
{
    Value endpoint = m_endpoint.isMap() ? m_endpoint : Value(Value::Map{});
    endpoint = endpoint.with("api", Value(fromQString(m_api->currentData().toString())));
    endpoint = endpoint.with("model", Value(fromQString(m_model->text().trimmed())));
    const QString url = m_url->text().trimmed();
    return url.isEmpty() ? endpoint.without("url") : endpoint.with("url", Value(fromQString(url)));
}

void SummariesPane::tellEndpoint()
{
    m_endpoint = endpoint();
    Q_EMIT endpointEdited(m_endpoint);
}

void SummariesPane::setDestination(const Destination &destination)
{
    m_destination = destination;
    m_key->setPlaceholderText(destination.key);
    m_key->setEnabled(!destination.key.isEmpty());
    updateSend();
}

QString SummariesPane::key() const
{
    return m_key->text().trimmed();
}

void SummariesPane::begin()
{
    m_sending = true;
    m_failed = false;
    m_answer->clear();
    m_answerHead->setText(tr("Answer of %1, as it comes").arg(m_destination.host));
    m_words->setText(tr("Sent to %1; waiting for the answer…").arg(m_destination.host));
    m_list->setEnabled(false);
    restyle();
    updateSend();
}

void SummariesPane::addText(const QString &text)
{
    QScrollBar *bar = m_answer->verticalScrollBar();
    const bool atEnd = bar->value() == bar->maximum();
    QTextCursor cursor(m_answer->document());
    cursor.movePosition(QTextCursor::End);
    cursor.insertText(text);
    if (atEnd)
        bar->setValue(bar->maximum());
}

void SummariesPane::end(const QString &problem)
{
    m_sending = false;
    m_failed = !problem.isEmpty();
    m_list->setEnabled(true);
    if (m_failed) {
        m_words->setText(problem);
        m_answerHead->setText(tr("What came before it failed; the what-if keeps its summary"));
    } else {
        m_smaller = false;
    }
    restyle();
    showChosen();
}

void SummariesPane::offerSmaller()
{
    const SummaryPlan *plan = chosen();
    m_smaller = plan && plan->question.smaller && !m_smaller;
    showChosen();
}

void SummariesPane::restyle()
{
    for (QLabel *label : {m_words, m_promptHead, m_answerHead})
        label->setFont(m_theme.smallFont());
    const QString secondary = u"color:%1;"_s.arg(m_theme.color(Ink::TextSecondary).name());
    m_promptHead->setStyleSheet(secondary);
    m_answerHead->setStyleSheet(secondary);
    m_words->setStyleSheet(m_failed ? u"color:%1;"_s.arg(m_theme.text(Ink::Error).name()) : secondary);
    m_prompt->setFont(m_theme.codeFont());
    m_answer->setFont(m_theme.uiFont());
}

} // namespace palimpsest
