// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panes/inspectorpane.h"

#include "models/display.h"
#include "models/focus.h"
#include "views/panes/inspectionview.h"
#include "views/theme.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QTimer>
#include <QToolButton>

#include <chrono>

namespace palimpsest {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

/// The tool call that a tool message answers, looked for backwards from it.
std::optional<ToolCallView> callAnsweredBy(const Message &message, const MessageLog &log, MessageIndex place)
{
    if (message.kind != MessageKind::Tool || !message.toolCallId)
        return std::nullopt;
    for (std::size_t i = place.isValid() ? place.at() : log.size(); i-- > 0;)
        if (log[i]->kind == MessageKind::Ai)
            for (const ToolCallView &call : toolCalls(*log[i]))
                if (call.hasId && call.id == *message.toolCallId)
                    return call;
    return std::nullopt;
}

} // namespace

InspectorPane::InspectorPane(const Theme &theme, std::shared_ptr<Highlighter> highlighter, QWidget *parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_highlighter(std::move(highlighter))
    , m_later(new QTimer(this))
    , m_badge(new QLabel)
    , m_title(new QLabel)
    , m_subtitle(new QLabel)
    , m_stored(new QToolButton)
    , m_copy(new QToolButton)
    , m_view(new InspectionView(theme, *m_highlighter))
{
    setObjectName(u"inspectorPane"_s);
    m_subtitle->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_subtitle->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_stored->setText(tr("As stored"));
    m_stored->setObjectName(u"inspectorStored"_s);
    m_stored->setCheckable(true);
    m_stored->setToolTip(tr("Show the stored form as JSON"));
    m_copy->setText(tr("Copy"));
    m_copy->setObjectName(u"inspectorCopy"_s);
    m_copy->setToolTip(tr("Copy the text, or the JSON while that is shown"));
    auto *head = new QHBoxLayout;
    head->setContentsMargins(10, 5, 8, 5);
    head->setSpacing(8);
    head->addWidget(m_badge);
    head->addWidget(m_title);
    head->addWidget(m_subtitle, 1);
    head->addWidget(m_stored);
    head->addWidget(m_copy);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(head);
    column->addWidget(m_view, 1);
    connect(m_stored, &QToolButton::toggled, m_view, &InspectionView::setStored);
    connect(m_copy, &QToolButton::clicked, this, &InspectorPane::copy);
    connect(&m_theme, &Theme::changed, this, &InspectorPane::restyle);
    m_badge->setFixedSize(10, 10);
    setInspection({});
}

void InspectorPane::restyle()
{
    Ink ink = Ink::Accent;
    switch (m_inspection.subject) {
    case Inspection::Subject::Message:
        ink = inkOf(m_inspection.kind, m_inspection.isSummary);
        break;
    case Inspection::Subject::Event:
        ink = Ink::Event;
        break;
    case Inspection::Subject::File:
    case Inspection::Subject::Section:
        ink = Ink::Archive;
        break;
    case Inspection::Subject::Call:
        ink = Ink::Ai;
        break;
    case Inspection::Subject::Nothing:
    case Inspection::Subject::Checkpoint:
        break;
    }
    m_title->setFont(m_theme.titleFont());
    m_badge->setStyleSheet(u"background:%1; border-radius:3px;"_s.arg(m_theme.color(ink).name()));
    m_badge->setVisible(m_inspection.subject != Inspection::Subject::Nothing);
    m_subtitle->setStyleSheet(u"color:%1;"_s.arg(m_theme.color(Ink::TextSecondary).name()));
}

void InspectorPane::setInspection(const Inspection &inspection)
{
    m_inspection = inspection;
    const bool nothing = inspection.subject == Inspection::Subject::Nothing;
    m_title->setText(nothing ? tr("Nothing selected") : inspection.title);
    m_subtitle->setText(inspection.subtitle);
    m_stored->setEnabled(!inspection.stored.isEmpty());
    m_copy->setEnabled(!nothing);
    if (nothing) {
        Inspection hint;
        InspectionSection words;
        words.kind = InspectionSection::Kind::Note;
        words.text = tr("Choose a message, a file, an event or a call: it is shown here in full.");
        hint.sections.append(words);
        m_view->setInspection(hint);
    } else {
        m_view->setInspection(inspection);
    }
    restyle();
}

void InspectorPane::copy()
{
    QGuiApplication::clipboard()->setText(m_view->isStored() ? m_inspection.stored : m_inspection.plain);
}

void InspectorPane::follow(Focus *focus)
{
    m_focus = focus;
    connect(focus, &Focus::chosenChanged, this, &InspectorPane::onChosen);
    // While the playhead scrubs, a few times a second are enough.
    m_later->setSingleShot(true);
    m_later->setInterval(80ms);
    connect(m_later, &QTimer::timeout, this, &InspectorPane::onScene);
    connect(focus, &Focus::threadChanged, this, [this] { m_wanted.reset(); });
    connect(focus, &Focus::sceneChanged, this, [this] {
        if (!m_later->isActive())
            m_later->start();
    });
    onScene();
}

void InspectorPane::onChosen(const Place &now, const Place &before)
{
    if (now.artifact != before.artifact || now.section != before.section)
        m_wanted = now.artifact.empty() ? Inspection::Subject::Message : Inspection::Subject::File;
    if (now.message != before.message || now.version != before.version)
        m_wanted = now.message.empty() ? Inspection::Subject::Checkpoint : Inspection::Subject::Message;
    onScene();
}

void InspectorPane::showEvent(QShowEvent *event)
{
    QWidget::showEvent(event);
    if (m_stale)
        onScene();
}

void InspectorPane::onScene()
{
    m_stale = !isVisible();
    if (m_stale)
        return;
    const ScenePtr scene = m_focus->scene();
    if (!scene->space) {
        setInspection({});
        return;
    }
    const Place &place = m_focus->selection()->place();
    const Inspection::Subject wanted = m_wanted.value_or(!place.message.empty() ? Inspection::Subject::Message
            : !place.artifact.empty()                                           ? Inspection::Subject::File
                                                                                : Inspection::Subject::Checkpoint);
    if (wanted == Inspection::Subject::File)
        showFile();
    else if (wanted == Inspection::Subject::Message)
        showMessage();
    else
        showState();
}

void InspectorPane::showMessage()
{
    const ScenePtr scene = m_focus->scene();
    const MessagePtr message = chosenMessage(*scene, m_focus->selection()->place());
    if (!message) {
        showState();
        return;
    }
    const std::optional<ToolCallView> answered =
        callAnsweredBy(*message, scene->log, findMessage(scene->log, m_focus->selection()->place().message));
    setInspection(inspectMessage(*message, answered ? &*answered : nullptr));
}

void InspectorPane::showFile()
{
    const ScenePtr scene = m_focus->scene();
    const std::string &path = m_focus->selection()->place().artifact;
    const FileEntryPtr *file = scene->checkpoint ? scene->checkpoint->files.find(path) : nullptr;
    if (file && *file)
        setInspection(inspectFile(path, **file));
    else
        showMessage();
}

void InspectorPane::showState()
{
    const ScenePtr scene = m_focus->scene();
    if (scene->call) {
        setInspection(inspectCall(*scene->call));
        return;
    }
    for (const EventMark &mark : scene->events)
        if (mark.checkpoint == scene->checkpointIndex && mark.event) {
            setInspection(inspectEvent(*mark.event, mark.number));
            return;
        }
    setInspection(scene->checkpoint ? inspectCheckpoint(*scene->checkpoint) : Inspection());
}

} // namespace palimpsest
