// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panes/tracepane.h"

#include "core/values/json.h"
#include "models/display.h"
#include "models/focus.h"
#include "models/survivalmodel.h"
#include "views/theme.h"
#include "views/widgets/tracelane.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPainter>
#include <QStackedWidget>
#include <QStyledItemDelegate>
#include <QTableView>
#include <QToolButton>
#include <QTreeView>

namespace palimpsest {

using namespace Qt::StringLiterals;

namespace {

/// A bar of the kind's colour before its name.
class TraceDelegate : public QStyledItemDelegate {
public:
    TraceDelegate(const Theme &theme, QObject *parent)
        : QStyledItemDelegate(parent)
        , m_theme(theme)
    {
    }

    void paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override
    {
        QStyleOptionViewItem shifted = option;
        if (index.column() == TraceModel::KindColumn) {
            if (option.state.testFlag(QStyle::State_Selected))
                painter->fillRect(option.rect, m_theme.color(Ink::Selection));
            const auto kind = static_cast<TraceKind>(index.data(TraceModel::KindRole).toInt());
            painter->fillRect(QRect(option.rect.left() + 4, option.rect.top() + 4, 6, option.rect.height() - 8),
                m_theme.color(inkOf(kind)));
            shifted.rect.setLeft(option.rect.left() + 14);
        }
        QStyledItemDelegate::paint(painter, shifted, index);
    }

    QSize sizeHint(const QStyleOptionViewItem &option, const QModelIndex &index) const override
    {
        return QStyledItemDelegate::sizeHint(option, index) + QSize(14, 6);
    }

protected:
    void initStyleOption(QStyleOptionViewItem *option, const QModelIndex &index) const override
    {
        QStyledItemDelegate::initStyleOption(option, index);
        const bool strong = index.data(TraceModel::FirstOfRunRole).toBool();
        option->palette.setColor(QPalette::Text,
            m_theme.color(strong && index.column() != TraceModel::PlaceColumn ? Ink::Text : Ink::TextSecondary));
        option->palette.setColor(QPalette::HighlightedText, m_theme.color(Ink::SelectionText));
    }

private:
    const Theme &m_theme;
};

/// What is gone is pale and red as well as said.
class SurvivalDelegate : public QStyledItemDelegate {
public:
    SurvivalDelegate(const Theme &theme, QObject *parent)
        : QStyledItemDelegate(parent)
        , m_theme(theme)
    {
    }

protected:
    void initStyleOption(QStyleOptionViewItem *option, const QModelIndex &index) const override
    {
        QStyledItemDelegate::initStyleOption(option, index);
        const QVariant kept = index.data(SurvivalModel::KeptRole);
        if (kept.isValid())
            option->palette.setColor(QPalette::Text, m_theme.text(kept.toBool() ? Ink::Good : Ink::Error));
    }

private:
    const Theme &m_theme;
};

} // namespace

TracePane::TracePane(const Theme &theme, Tracer tracer, QWidget *parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_tracer(std::move(tracer))
    , m_model(new TraceModel(this))
    , m_text(new QLineEdit)
    , m_fold(new QToolButton)
    , m_regex(new QToolButton)
    , m_lane(new TraceLane(theme))
    , m_verdict(new QLabel)
    , m_terms(new QToolButton)
    , m_tables(new QStackedWidget)
    , m_table(new QTreeView)
    , m_survival(new SurvivalModel(this))
    , m_survivalTable(new QTableView)
{
    setObjectName(u"tracePane"_s);
    m_text->setObjectName(u"traceText"_s);
    m_text->setPlaceholderText(tr("A text to follow through the thread: Return asks where it went"));
    m_text->setClearButtonEnabled(true);
    const auto toggle = [this](QToolButton *button, const QString &text, const QString &tip) {
        button->setText(text);
        button->setToolTip(tip);
        button->setAccessibleName(tip);
        button->setCheckable(true);
        button->setAutoRaise(true);
        connect(button, &QToolButton::toggled, this, &TracePane::start);
    };
    toggle(m_fold, tr("Aa"), tr("Without regard to case and width"));
    toggle(m_regex, tr(".*"), tr("The text is a regular expression"));
    m_verdict->setWordWrap(true);
    m_verdict->setTextFormat(Qt::RichText);
    m_verdict->setTextInteractionFlags(Qt::TextBrowserInteraction);
    m_verdict->setObjectName(u"traceVerdict"_s);
    m_verdict->setContentsMargins(10, 2, 10, 4);
    m_table->setModel(m_model);
    m_table->setItemDelegate(new TraceDelegate(theme, m_table));
    m_table->setRootIsDecorated(false);
    m_table->setUniformRowHeights(true);
    m_table->setFrameShape(QFrame::NoFrame);
    m_table->setAccessibleName(tr("Places of the text, call by call"));
    m_table->setColumnWidth(TraceModel::CallsColumn, 80);
    m_table->setColumnWidth(TraceModel::KindColumn, 150);
    m_table->setColumnWidth(TraceModel::PlaceColumn, 330);
    m_survivalTable->setModel(m_survival);
    m_survivalTable->setObjectName(u"survivalTable"_s);
    m_survivalTable->setItemDelegate(new SurvivalDelegate(theme, m_survivalTable));
    m_survivalTable->setSelectionMode(QAbstractItemView::NoSelection);
    m_survivalTable->setShowGrid(false);
    m_survivalTable->setFrameShape(QFrame::NoFrame);
    m_survivalTable->verticalHeader()->hide();
    m_survivalTable->horizontalHeader()->setHighlightSections(false);
    m_survivalTable->setAccessibleName(tr("Key terms, and where they are still to be found"));
    m_terms->setObjectName(u"survivalButton"_s);
    m_terms->setText(tr("Key terms"));
    m_terms->setToolTip(
        tr("Names, numbers, paths and negations of the text, held against the last request, each summary "
           "and the archive. Similar text is no verified meaning."));
    m_terms->setCheckable(true);
    m_terms->setAutoRaise(true);
    m_tables->addWidget(m_table);
    m_tables->addWidget(m_survivalTable);
    connect(m_terms, &QToolButton::toggled, m_tables, [this](bool terms) { m_tables->setCurrentIndex(terms ? 1 : 0); });
    auto *head = new QHBoxLayout;
    head->setContentsMargins(10, 5, 8, 3);
    head->addWidget(m_text, 1);
    head->addWidget(m_fold);
    head->addWidget(m_regex);
    head->addWidget(m_terms);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(head);
    column->addWidget(m_lane);
    column->addWidget(m_verdict);
    column->addWidget(m_tables, 1);
    connect(m_text, &QLineEdit::returnPressed, this, [this] {
        m_message.reset();
        start();
    });
    connect(m_text, &QLineEdit::textEdited, this, [this](const QString &text) {
        m_message.reset();
        if (text.isEmpty())
            clear();
    });
    connect(m_lane, &TraceLane::callChosen, this, &TracePane::goTo);
    connect(m_table, &QTreeView::clicked, this, &TracePane::go);
    connect(m_table, &QTreeView::activated, this, &TracePane::go);
    connect(m_verdict, &QLabel::linkActivated, this, &TracePane::onLink);
    connect(&theme, &Theme::changed, this, [this] { m_verdict->setText(richVerdict()); });
    clear();
}

void TracePane::follow(Focus *focus)
{
    m_focus = focus;
    connect(focus, &Focus::threadChanged, this, [this] {
        // The same thread read further is asked again; another one has other texts.
        const ThreadPtr now = m_focus->thread();
        if (now && m_thread && now->id == m_thread->id && m_model->trace())
            start();
        else
            clear();
    });
    connect(focus, &Focus::sceneChanged, this, &TracePane::followCall);
}

QString TracePane::verdict() const
{
    return m_model->trace() ? traceVerdict(*m_model->trace()) : QString();
}

void TracePane::ask(const QString &text)
{
    m_message.reset();
    m_text->setText(text);
    start();
}

void TracePane::askMessage(const std::string &id)
{
    m_message = id;
    m_text->setText(toQString(id));
    start();
}

TraceQuestion TracePane::question() const
{
    if (!m_focus || !m_focus->thread() || !m_focus->scene()->space || m_text->text().isEmpty())
        return {};
    const NeedleKind kind = m_regex->isChecked() ? (m_fold->isChecked() ? NeedleKind::FoldedRegex : NeedleKind::Regex)
                                                 : (m_fold->isChecked() ? NeedleKind::Folded : NeedleKind::Plain);
    return {m_focus->thread(), m_focus->scene()->space->name, fromQString(m_text->text()), kind, m_message};
}

void TracePane::start()
{
    const TraceQuestion asked = question();
    if (!asked.thread)
        return;
    m_thread = asked.thread;
    m_ns = asked.ns;
    m_tracer(asked, this, [this](const Result<TracePtr> &answer) { showAnswer(answer); });
}

void TracePane::showAnswer(const Result<TracePtr> &answer)
{
    if (!answer) {
        clear();
        m_verdict->setText(u"<span style='color:%1'>%2</span>"_s.arg(
            m_theme.text(Ink::Error).name(), toQString(answer.error().what).toHtmlEscaped()));
        return;
    }
    m_model->setTrace(*answer, m_thread, m_ns);
    std::vector<TraceKind> kinds;
    for (const TracedCall &call : (*answer)->calls)
        kinds.push_back(call.where.front()->kind);
    m_lane->setKinds(std::move(kinds));
    m_survival->setTrace(*answer);
    m_survivalTable->resizeColumnsToContents();
    m_verdict->setText(richVerdict());
    followCall();
    Q_EMIT traced(*answer);
}

void TracePane::clear()
{
    m_model->setTrace(nullptr, nullptr, {});
    m_survival->setTrace(nullptr);
    m_lane->setKinds({});
    m_verdict->setText(richVerdict());
    Q_EMIT traced(nullptr);
}

QString TracePane::richVerdict() const
{
    const QString secondary = m_theme.color(Ink::TextSecondary).name();
    const TracePtr &trace = m_model->trace();
    if (!trace)
        return u"<span style='color:%1'>%2</span>"_s.arg(secondary,
            tr("Select a text or a message anywhere and choose “Where did this go?” (Ctrl+T), or type it here."));
    const auto link = [this](const QString &to, const QString &text) {
        return u"<a style='color:%1' href='%2'>%3</a>"_s.arg(
            m_theme.text(Ink::Accent).name(), to, text.toHtmlEscaped());
    };
    QString text = u"<b>%1</b>"_s.arg(traceVerdict(*trace).toHtmlEscaped());
    if (trace->lostAt)
        text += u' ' + link(u"call:%1"_s.arg(trace->lostAt->call), tr("Go to the call"));
    if (trace->lostAt && trace->lostAt->blame != SummaryBlame::None)
        text += u" · "_s + link(u"prompt"_s, tr("Show the summary's prompt"));
    QStringList more;
    if (trace->recovery) {
        if (trace->recovery->messageId && !trace->recovery->checkpointId.empty())
            more << tr("The raw log has it whole: %1.").arg(link(u"log"_s, tr("show the message")));
        if (!trace->recovery->path.empty())
            more
                << tr("The agent could read it again: %1").arg(link(u"file"_s, toQString(trace->recovery->readFile())));
    }
    if (!trace->keepsIt.empty()) {
        const KeepsIt &kept = trace->keepsIt.front();
        more << tr("At call %1 it would have stayed with %2 %3.")
                    .arg(kept.fromCall + 1)
                    .arg(toQString(kept.setting), toQString(toJson(kept.to)).toHtmlEscaped());
    }
    if (!more.isEmpty())
        text += u"<br><span style='color:%1'>%2</span>"_s.arg(secondary, more.join(u"  "_s));
    return text;
}

void TracePane::onLink(const QString &link)
{
    const TracePtr &trace = m_model->trace();
    if (!trace || !m_focus)
        return;
    if (link.startsWith(u"call:"_s)) {
        goTo(link.mid(5).toInt());
        return;
    }
    if (link == u"prompt"_s && trace->lostAt) {
        goTo(static_cast<int>(trace->lostAt->call));
        Q_EMIT promptWanted(trace->lostAt->call);
        return;
    }
    if (!trace->recovery)
        return;
    if (link == u"file"_s) {
        m_focus->selection()->setArtifact(trace->recovery->path);
        return;
    }
    Place place = m_focus->selection()->place();
    place.call = CallNumber();
    place.checkpoint = trace->recovery->checkpointId;
    place.message = trace->recovery->messageId.value_or(std::string());
    m_focus->selection()->setPlace(place);
}

void TracePane::goTo(int call)
{
    const ScenePtr scene = m_focus ? m_focus->scene() : nullptr;
    if (!scene || !scene->space || call < 0 || call >= static_cast<int>(scene->space->calls.size()))
        return;
    const Call &at = scene->space->calls[static_cast<std::size_t>(call)];
    m_focus->selection()->setCall(
        at.number, at.checkpoint.isValid() ? scene->space->checkpoints[at.checkpoint.at()].id : std::string());
}

void TracePane::go(const QModelIndex &index)
{
    const TracePlace *place = m_model->placeAt(index);
    if (!place || !m_focus)
        return;
    const TracePlace own = *place;
    goTo(index.data(TraceModel::FirstCallRole).toInt());
    if (!own.path.empty())
        m_focus->selection()->setArtifact(own.path, own.section ? static_cast<int>(*own.section) : -1);
    else if (own.messageId)
        m_focus->selection()->setMessage(*own.messageId);
    else if (own.kind == TraceKind::Summary || own.kind == TraceKind::Similar)
        m_focus->selection()->setMessage(std::string(summaryKey));
}

void TracePane::followCall()
{
    const ScenePtr scene = m_focus ? m_focus->scene() : nullptr;
    m_lane->setCurrent(scene && scene->call ? static_cast<int>(scene->call->number.value) - 1 : -1);
}

} // namespace palimpsest
