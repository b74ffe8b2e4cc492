// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/dialogs/exportdialog.h"

#include "models/counted.h"
#include "models/display.h"
#include "views/dialogs/redactionform.h"
#include "views/theme.h"
#include "views/widgets/progressline.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QGroupBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>

#include <algorithm>

namespace palimpsest {

using namespace Qt::StringLiterals;

namespace {

constexpr int recordedSide = -1; ///< data of the choice "recorded"; others are places in the offer's settings
constexpr int placesSide = -2; ///< two places instead of two runs
constexpr int threadSide = -3; ///< the other thread that is compared

template <class Value> void addChoice(QComboBox *box, const QString &text, Value value, const QString &tip = {})
{
    box->addItem(text, static_cast<int>(value));
    box->setItemData(box->count() - 1, tip, Qt::ToolTipRole);
}

void choose(QComboBox *box, int value)
{
    box->setCurrentIndex(std::max(0, box->findData(value)));
}

QComboBox *makeBox(const char *name)
{
    auto *box = new QComboBox;
    box->setObjectName(QString::fromLatin1(name));
    box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    box->setMinimumContentsLength(24);
    return box;
}

QSpinBox *makeSpin(const char *name, int least, int most, int value)
{
    auto *spin = new QSpinBox;
    spin->setObjectName(QString::fromLatin1(name));
    spin->setRange(least, std::max(least, most));
    spin->setValue(value);
    return spin;
}

QLineEdit *makeLine(const char *name, const QString &placeholder)
{
    auto *line = new QLineEdit;
    line->setObjectName(QString::fromLatin1(name));
    line->setPlaceholderText(placeholder);
    return line;
}

QWidget *row(std::initializer_list<QWidget *> widgets)
{
    auto *holder = new QWidget;
    auto *layout = new QHBoxLayout(holder);
    layout->setContentsMargins(0, 0, 0, 0);
    for (QWidget *widget : widgets)
        layout->addWidget(widget);
    layout->addStretch();
    return holder;
}

QString aboutFormat(TranscriptFormat format)
{
    switch (format) {
    case TranscriptFormat::Markdown:
        return ExportDialog::tr("For issues and notes: calls and results fold away.");
    case TranscriptFormat::Html:
        return ExportDialog::tr("One page with search and folding, light and dark; it asks for nothing from outside.");
    case TranscriptFormat::Pdf:
        return ExportDialog::tr("Pages with an outline of turns and events.");
    case TranscriptFormat::Json:
        return ExportDialog::tr("Everything, by a documented schema; opens here again.");
    case TranscriptFormat::JsonLines:
        return ExportDialog::tr("A message a line, as LangChain's model_dump(); opens here again.");
    case TranscriptFormat::OpenAi:
        return ExportDialog::tr("Chat messages that a provider takes; refuses what one would refuse.");
    case TranscriptFormat::LangChain:
        return ExportDialog::tr("For messages_from_dict() of LangChain; opens here again.");
    case TranscriptFormat::Csv:
        return ExportDialog::tr("For a spreadsheet.");
    case TranscriptFormat::Bundle:
        return ExportDialog::tr("Checkpoints, events, files and settings of all namespaces, for a bug report.");
    }
    return {};
}

std::int64_t turnsIn(const MessageLog &log)
{
    return std::ranges::count_if(
        log, [](const MessagePtr &message) { return message->kind == MessageKind::Human && !isSummary(*message); });
}

} // namespace

ExportDialog::ExportDialog(const Theme &theme, ExportOffer offer, QWidget *parent)
    : QDialog(parent)
    , m_theme(theme)
    , m_offer(std::move(offer))
    , m_subject(makeBox("exportWhat"))
    , m_settings(makeBox("exportSettings"))
    , m_other(makeBox("exportOther"))
    , m_sideA(makeLine("exportSideA", tr("call:3, event:1, head, a checkpoint id")))
    , m_sideB(makeLine("exportSideB", tr("call:7, event:2, head:2, a checkpoint id")))
    , m_needle(makeLine("exportNeedle", tr("The text to follow")))
    , m_fold(new QCheckBox(tr("any case")))
    , m_regex(new QCheckBox(tr("regular expression")))
    , m_scope(makeBox("exportScope"))
    , m_format(makeBox("exportFormat"))
    , m_detail(makeBox("exportDetail"))
    , m_media(makeBox("exportMedia"))
    , m_archive(makeBox("exportArchive"))
    , m_scrub(new QCheckBox(tr("Scrub: filler of the same length in place of all text")))
    , m_redactionBox(new QGroupBox(tr("Redaction")))
    , m_redaction(new RedactionForm(theme))
    , m_progress(new ProgressLine(theme))
    , m_about(new QLabel)
    , m_message(new QLabel)
    , m_export(new QPushButton(tr("&Export…")))
    , m_close(new QPushButton(tr("Close")))
{
    setObjectName(u"exportDialog"_s);
    setWindowTitle(tr("Export"));
    setAttribute(Qt::WA_DeleteOnClose);
    const Scene &scene = *m_offer.scene;
    const int calls = scene.space ? static_cast<int>(scene.space->calls.size()) : 0;
    const int hereCall = scene.call ? static_cast<int>(scene.call->number.value) : calls;
    m_event = makeSpin("exportEvent", 0, static_cast<int>(scene.events.size()), scene.inForce);
    m_event->setSpecialValueText(tr("as at this checkpoint"));
    m_call = makeSpin("exportCall", 1, calls, std::max(1, hereCall));
    m_from = makeSpin("exportFrom", 1, 1, 1);
    m_to = makeSpin("exportTo", 1, 1, 1);

    m_redactionBox->setLayout(new QVBoxLayout);
    m_redactionBox->layout()->addWidget(m_redaction);
    auto *columns = new QHBoxLayout;
    columns->addWidget(buildForm(), 1);
    columns->addWidget(m_redactionBox, 1);

    m_message->setObjectName(u"exportMessage"_s);
    m_message->setWordWrap(true);
    m_message->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_export->setObjectName(u"exportButton"_s);
    m_export->setDefault(true);
    m_close->setObjectName(u"exportClose"_s);
    m_close->setAutoDefault(false);
    m_progress->setVisible(false);
    auto *foot = new QHBoxLayout;
    foot->addWidget(m_message, 1);
    foot->addWidget(m_progress);
    foot->addWidget(m_close);
    foot->addWidget(m_export);
    auto *column = new QVBoxLayout(this);
    column->addLayout(columns, 1);
    column->addLayout(foot);

    start();
    for (QComboBox *box : {m_subject, m_settings, m_format, m_scope})
        connect(box, &QComboBox::currentIndexChanged, this, &ExportDialog::refresh);
    connect(m_redaction, &RedactionForm::previewWanted, this, &ExportDialog::previewWanted);
    connect(m_redaction, &RedactionForm::rulesChanged, this, [this] { say({}, false); });
    connect(m_export, &QPushButton::clicked, this, &ExportDialog::exportWanted);
    connect(m_close, &QPushButton::clicked, this, &ExportDialog::reject);
    refresh();
    resize(940, 560);
}

ExportDialog::~ExportDialog() = default;

QWidget *ExportDialog::buildForm()
{
    m_scrub->setObjectName(u"exportScrub"_s);
    m_fold->setObjectName(u"exportFold"_s);
    m_regex->setObjectName(u"exportRegex"_s);
    addChoice(m_detail, tr("Full"), TranscriptDetail::Full);
    addChoice(m_detail, tr("Long results shortened"), TranscriptDetail::High);
    addChoice(m_detail, tr("Calls without their results"), TranscriptDetail::Low);
    addChoice(m_detail, tr("What the user said"), TranscriptDetail::UserOnly);
    addChoice(m_media, tr("Inside the file"), MediaPlacement::Inline);
    addChoice(m_media, tr("In a folder beside it"), MediaPlacement::Beside);
    addChoice(m_media, tr("Left out"), MediaPlacement::Omitted);
    addChoice(m_archive, tr("Named only"), ArchivePlacement::Linked);
    addChoice(m_archive, tr("Appended in full"), ArchivePlacement::Appended);

    auto *holder = new QGroupBox(tr("What leaves"));
    m_form = new QFormLayout(holder);
    m_form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    m_form->setRowWrapPolicy(QFormLayout::DontWrapRows);
    m_form->addRow(tr("&What"), m_subject);
    m_form->addRow(tr("&Event"), m_event);
    m_form->addRow(tr("&Call"), m_call);
    m_form->addRow(tr("&Settings"), m_settings);
    m_form->addRow(tr("&Against"), m_other);
    m_form->addRow(tr("First place"), m_sideA);
    m_form->addRow(tr("Second place"), m_sideB);
    m_form->addRow(tr("&Text"), m_needle);
    auto *kinds = row({m_fold, m_regex});
    m_form->addRow(QString(), kinds);
    m_form->addRow(tr("&Part"), m_scope);
    m_form->addRow(tr("From, to"), row({m_from, new QLabel(u"–"_s), m_to}));
    m_form->addRow(tr("&Format"), m_format);
    m_form->addRow(tr("&Detail"), m_detail);
    m_form->addRow(tr("&Media"), m_media);
    m_form->addRow(tr("A&rchive"), m_archive);
    m_form->addRow(QString(), m_scrub);
    m_about->setWordWrap(true);
    m_about->setFont(m_theme.smallFont());
    m_about->setObjectName(u"exportAbout"_s);
    m_form->addRow(m_about);
    return holder;
}

void ExportDialog::start()
{
    const ExportOrder &order = m_offer.start;
    addChoice(m_subject, tr("Raw log"), TranscriptSubject::Raw, tr("Every message, with the events between them."));
    addChoice(m_subject, tr("Effective messages after an event"), TranscriptSubject::Effective,
        tr("The summary and what followed it."));
    addChoice(m_subject, tr("Request of a call"), TranscriptSubject::Request, tr("What the model received."));
    addChoice(m_subject, tr("Replayed run"), TranscriptSubject::Replay,
        tr("The log with the events that other settings would make."));
    addChoice(m_subject, tr("Comparison of two"), TranscriptSubject::Comparison,
        tr("Runs, or places of the thread, side by side."));
    addChoice(m_subject, tr("Findings"), TranscriptSubject::Findings, tr("What is wrong or lost, with its places."));
    addChoice(m_subject, tr("Trace of a text"), TranscriptSubject::Trace,
        tr("Where it was at every call, and what took it away."));
    choose(m_subject, static_cast<int>(order.subject));
    for (std::size_t i = 0; i < m_offer.settings.size(); ++i)
        m_other->addItem(m_offer.settings[i].name, static_cast<int>(i));
    // As the comparison's pane: A against B where both are kept, else the recording against the one that is.
    const bool both = m_offer.settings.size() > 2;
    if (both)
        m_other->setCurrentIndex(1);
    if (order.other) {
        addChoice(m_other, tr("Thread %1").arg(toQString(order.other->threadId)), threadSide,
            tr("Another recorded thread, counted under the same settings."));
        choose(m_other, threadSide);
    }
    if (order.event > 0)
        m_event->setValue(order.event);
    if (order.call.isValid())
        m_call->setValue(static_cast<int>(order.call.value));
    const auto &sides = order.sides ? *order.sides : m_offer.sides;
    m_sideA->setText(toQString(sides.first));
    m_sideB->setText(toQString(sides.second));
    m_needle->setText(toQString(order.needleMessage.empty() ? order.needle : "#" + order.needleMessage));
    m_fold->setChecked(order.needleKind == NeedleKind::Folded || order.needleKind == NeedleKind::FoldedRegex);
    m_regex->setChecked(order.needleKind == NeedleKind::Regex || order.needleKind == NeedleKind::FoldedRegex);
    fillFormats();
    choose(m_format, static_cast<int>(order.format));
    choose(m_detail, static_cast<int>(order.detail));
    choose(m_media, static_cast<int>(order.media));
    choose(m_archive, static_cast<int>(order.archive));
    m_scrub->setChecked(order.scrub);
    m_redaction->setRules(order.redaction);
    fillScopes();
    if (!order.selected.empty())
        choose(m_scope, static_cast<int>(Scope::Selected));
    else if (order.wholeThread)
        choose(m_scope, static_cast<int>(Scope::WholeThread));
    refresh();
    if (order.sides)
        choose(m_settings, placesSide);
    else if (order.subject == TranscriptSubject::Comparison && both && !order.other)
        choose(m_settings, 0);
}

TranscriptSubject ExportDialog::subject() const
{
    return static_cast<TranscriptSubject>(m_subject->currentData().toInt());
}

TranscriptFormat ExportDialog::format() const
{
    return static_cast<TranscriptFormat>(m_format->currentData().toInt());
}

bool ExportDialog::isTable() const
{
    const TranscriptSubject what = subject();
    return what == TranscriptSubject::Comparison || what == TranscriptSubject::Findings
        || what == TranscriptSubject::Trace;
}

void ExportDialog::fillFormats()
{
    const QSignalBlocker quiet(m_format);
    const QVariant before = m_format->currentData();
    m_format->clear();
    for (const FormatInfo &info : transcriptFormats()) {
        const bool messagesOnly = info.format == TranscriptFormat::JsonLines || info.format == TranscriptFormat::OpenAi
            || info.format == TranscriptFormat::LangChain;
        if (isTable() && messagesOnly)
            continue;
        if (info.format == TranscriptFormat::Bundle && subject() != TranscriptSubject::Raw)
            continue;
        QString label = toQString(info.label);
        if (info.format == TranscriptFormat::Bundle)
            label = tr("Bundle: the whole thread in one file that opens here");
        m_format->addItem(label, static_cast<int>(info.format));
    }
    if (before.isValid())
        choose(m_format, before.toInt());
}

void ExportDialog::fillScopes()
{
    const QSignalBlocker quiet(m_scope);
    const Scene &scene = *m_offer.scene;
    const int before = m_scope->currentData().isValid() ? m_scope->currentData().toInt() : 0;
    const TranscriptSubject what = subject();
    m_scope->clear();
    addChoice(
        m_scope, what == TranscriptSubject::Request ? tr("All of it") : tr("This branch up to here"), Scope::Branch);
    const auto namespaces = scene.thread ? static_cast<qint64>(scene.thread->namespaces.size()) : 1;
    if (namespaces > 1 && (what == TranscriptSubject::Raw || what == TranscriptSubject::Effective))
        addChoice(m_scope, tr("The thread: %1").arg(counted(namespaces, tr("namespace"), tr("namespaces"))),
            Scope::WholeThread);
    if (what == TranscriptSubject::Raw || what == TranscriptSubject::Replay) {
        if (scene.space && !scene.space->calls.empty())
            addChoice(m_scope, tr("A range of calls"), Scope::Calls);
        addChoice(m_scope, tr("A range of turns"), Scope::Turns);
    }
    if (!m_offer.selected.empty())
        addChoice(m_scope,
            tr("What is selected: %1")
                .arg(counted(static_cast<qint64>(m_offer.selected.size()), tr("message"), tr("messages"))),
            Scope::Selected);
    choose(m_scope, before);
}

void ExportDialog::refresh()
{
    fillFormats();
    fillScopes();
    const TranscriptSubject what = subject();
    const bool comparison = what == TranscriptSubject::Comparison;
    {
        const QSignalBlocker quiet(m_settings);
        const QVariant before = m_settings->currentData();
        m_settings->clear();
        if (comparison)
            addChoice(m_settings, tr("The recording"), recordedSide);
        for (std::size_t i = 0; i < m_offer.settings.size(); ++i)
            m_settings->addItem(m_offer.settings[i].name, static_cast<int>(i));
        if (comparison)
            addChoice(m_settings, tr("Two places of the thread"), placesSide);
        if (before.isValid())
            choose(m_settings, before.toInt());
    }
    const bool places = comparison && m_settings->currentData().toInt() == placesSide;
    const bool bundle = format() == TranscriptFormat::Bundle;
    const bool range = !bundle && !isTable()
        && (m_scope->currentData().toInt() == int(Scope::Calls) || m_scope->currentData().toInt() == int(Scope::Turns));
    if (range) {
        const Scene &scene = *m_offer.scene;
        const int most = m_scope->currentData().toInt() == int(Scope::Calls)
            ? static_cast<int>(scene.space->calls.size())
            : static_cast<int>(turnsIn(scene.log));
        const bool another = m_to->maximum() != std::max(1, most);
        m_from->setMaximum(std::max(1, most));
        m_to->setMaximum(std::max(1, most));
        if (another) {
            m_from->setValue(1);
            m_to->setValue(most);
        }
    }
    m_form->setRowVisible(m_event, what == TranscriptSubject::Effective);
    m_form->setRowVisible(m_call, what == TranscriptSubject::Request);
    m_form->setRowVisible(m_settings, what == TranscriptSubject::Replay || comparison);
    m_form->setRowVisible(m_other, comparison && !places);
    m_form->setRowVisible(m_sideA, places);
    m_form->setRowVisible(m_sideB, places);
    m_form->setRowVisible(m_needle, what == TranscriptSubject::Trace);
    m_form->setRowVisible(m_fold->parentWidget(), what == TranscriptSubject::Trace);
    m_form->setRowVisible(m_scope, !isTable() && !bundle);
    m_form->setRowVisible(m_from->parentWidget(), range);
    m_form->setRowVisible(m_detail, !isTable() && !bundle);
    m_form->setRowVisible(m_media, !isTable() && !bundle);
    m_form->setRowVisible(m_archive, !isTable() && !bundle);
    m_form->setRowVisible(m_scrub, bundle);
    m_about->setText(m_subject->currentData(Qt::ToolTipRole).toString() + u' ' + aboutFormat(format()));
    m_redactionBox->setEnabled(!bundle);
    m_redaction->forgetHits();
    say({}, false);
}

void ExportDialog::readScope(ExportOrder &order) const
{
    if (isTable())
        return;
    switch (static_cast<Scope>(m_scope->currentData().toInt())) {
    case Scope::Branch:
        break;
    case Scope::WholeThread:
        order.wholeThread = true;
        break;
    case Scope::Calls:
        order.fromCall = m_from->value();
        order.toCall = m_to->value();
        break;
    case Scope::Turns:
        order.fromTurn = m_from->value();
        order.toTurn = m_to->value();
        break;
    case Scope::Selected:
        order.selected = m_offer.selected;
        break;
    }
}

Result<void> ExportDialog::readRun(ExportOrder &order) const
{
    const auto settings = [&](const QComboBox *box) -> const SettingsSet * {
        const int at = box->currentData().isValid() ? box->currentData().toInt() : recordedSide;
        return at >= 0 ? &m_offer.settings[static_cast<std::size_t>(at)].settings : nullptr;
    };
    if (order.subject == TranscriptSubject::Replay || order.subject == TranscriptSubject::Comparison) {
        if (m_settings->currentData().toInt() == placesSide) {
            order.sides = {fromQString(m_sideA->text().trimmed()), fromQString(m_sideB->text().trimmed())};
            if (order.sides->first.empty() || order.sides->second.empty())
                return failure(Error::Code::Invalid, fromQString(tr("Places")), fromQString(tr("say which two")));
            return {};
        }
        if (order.subject == TranscriptSubject::Comparison && m_other->currentData().toInt() == threadSide) {
            order.other = m_offer.start.other;
            // Both are counted as the pane counts them.
            if (const SettingsSet *set = settings(m_settings))
                order.settings.push_back(*set);
            else if (!m_offer.settings.empty())
                order.settings.push_back(m_offer.settings.back().settings);
            return {};
        }
        for (const QComboBox *box : {m_settings, m_other})
            if (const SettingsSet *set = settings(box);
                set && (box == m_settings || order.subject != TranscriptSubject::Replay))
                order.settings.push_back(*set);
        if (order.settings.empty())
            return failure(Error::Code::Invalid, fromQString(tr("Settings")),
                fromQString(tr("there are none yet; the tuning pane (Ctrl+3) makes them")));
    }
    if (order.subject == TranscriptSubject::Trace) {
        const std::string text = fromQString(m_needle->text());
        if (text.empty())
            return failure(
                Error::Code::Invalid, fromQString(tr("Text")), fromQString(tr("say what is to be followed")));
        if (!m_offer.start.needleMessage.empty() && text == "#" + m_offer.start.needleMessage)
            order.needleMessage = m_offer.start.needleMessage;
        else
            order.needle = text;
        const bool fold = m_fold->isChecked();
        order.needleKind = m_regex->isChecked() ? (fold ? NeedleKind::FoldedRegex : NeedleKind::Regex)
                                                : (fold ? NeedleKind::Folded : NeedleKind::Plain);
    }
    return {};
}

Result<ExportOrder> ExportDialog::order() const
{
    ExportOrder order;
    order.format = format();
    order.subject = subject();
    order.checkpoint = m_offer.scene->checkpointIndex;
    order.detail = static_cast<TranscriptDetail>(m_detail->currentData().toInt());
    order.media = static_cast<MediaPlacement>(m_media->currentData().toInt());
    order.archive = static_cast<ArchivePlacement>(m_archive->currentData().toInt());
    order.scrub = m_scrub->isChecked();
    if (order.format == TranscriptFormat::Bundle)
        return order;
    order.event = order.subject == TranscriptSubject::Effective ? m_event->value() : 0;
    // Events are numbered along the branch, also those behind this place.
    if (order.event > 0)
        order.checkpoint = m_offer.scene->events.back().checkpoint;
    order.call = CallNumber(m_call->value());
    order.redaction = m_redaction->rules();
    readScope(order);
    if (Result<void> read = readRun(order); !read)
        return tl::unexpected(read.error());
    return order;
}

QString ExportDialog::suggestedName() const
{
    QString name = m_subject->currentText().toLower();
    if (subject() == TranscriptSubject::Request)
        name = u"call %1"_s.arg(m_call->value());
    else if (subject() == TranscriptSubject::Effective)
        name = m_event->value() > 0 ? u"event %1"_s.arg(m_event->value()) : u"effective"_s;
    for (const FormatInfo &info : transcriptFormats())
        if (info.format == format())
            name += u'.' + toQString(info.extension);
    return name.replace(u' ', u'-');
}

QString ExportDialog::fileFilter() const
{
    for (const FormatInfo &info : transcriptFormats())
        if (info.format == format())
            return tr("%1 (*.%2)").arg(toQString(info.label), toQString(info.extension));
    return {};
}

void ExportDialog::setBusy(bool busy)
{
    m_busy = busy;
    m_progress->setVisible(busy);
    m_progress->setProgress(-1, tr("Reading"));
    m_export->setEnabled(!busy);
    m_close->setText(busy ? tr("Cancel") : tr("Close"));
    m_form->parentWidget()->setEnabled(!busy);
    m_redactionBox->setEnabled(!busy && format() != TranscriptFormat::Bundle);
    if (busy)
        say({}, false);
}

void ExportDialog::setProgress(double fraction, const QString &doing)
{
    m_progress->setProgress(fraction, doing);
}

void ExportDialog::setHits(const std::vector<RedactionHit> &hits)
{
    m_redaction->setHits(hits);
}

void ExportDialog::showError(const Error &error)
{
    say(toQString(error.where.empty() ? error.what : error.where + ": " + error.what), true);
}

void ExportDialog::showDone(const QString &what)
{
    say(what, false);
}

QString ExportDialog::message() const
{
    return m_message->text();
}

void ExportDialog::say(const QString &text, bool bad)
{
    QPalette palette = m_message->palette();
    palette.setColor(QPalette::WindowText, m_theme.text(bad ? Ink::Error : Ink::Text));
    m_message->setPalette(palette);
    m_message->setText(text);
}

void ExportDialog::reject()
{
    if (m_busy)
        Q_EMIT cancelWanted();
    else
        QDialog::reject();
}

} // namespace palimpsest
