// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panes/timelinepane.h"

#include "models/display.h"
#include "models/focus.h"
#include "views/theme.h"
#include "views/widgets/timelineview.h"

#include <QButtonGroup>
#include <QHBoxLayout>
#include <QLabel>
#include <QResizeEvent>
#include <QToolButton>

namespace palimpsest {

using namespace Qt::StringLiterals;

TimelinePane::TimelinePane(const Theme &theme, Maker maker, QWidget *parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_maker(std::move(maker))
    , m_view(new TimelineView(theme))
    , m_head(new QHBoxLayout)
    , m_title(new QLabel(tr("Context at each call")))
    , m_legend(new QLabel)
    , m_units(new QButtonGroup(this))
{
    setObjectName(u"timelinePane"_s);
    m_head->setContentsMargins(10, 3, 8, 3);
    m_head->setSpacing(3);
    m_head->addWidget(m_title);
    m_head->addSpacing(8);
    m_legend->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_head->addWidget(m_legend, 1);
    for (const auto &[unit, name] :
        {std::pair(ContextUnit::Tokens, tr("Tokens")), std::pair(ContextUnit::Messages, tr("Messages"))}) {
        QToolButton *button = addButton(name, tr("Count %1").arg(name.toLower()), [this, unit] { setUnit(unit); });
        button->setCheckable(true);
        button->setChecked(unit == ContextUnit::Tokens);
        m_units->addButton(button, static_cast<int>(unit));
        m_head->addWidget(button);
    }
    m_head->addSpacing(8);
    m_head->addWidget(addButton(u"◀"_s, tr("Previous call (Left)"), [this] { m_view->step(-1); }));
    m_play =
        addButton(tr("▶ Play"), tr("Play the thread (Space)"), [this] { m_view->setPlaying(!m_view->isPlaying()); });
    m_play->setObjectName(u"timelinePlay"_s);
    m_head->addWidget(m_play);
    m_head->addWidget(addButton(u"▶"_s, tr("Next call (Right)"), [this] { m_view->step(1); }));
    m_head->addSpacing(8);
    m_head->addWidget(
        addButton(u"+"_s, tr("Zoom in (+ or the wheel; Shift+drag for a box)"), [this] { m_view->zoomIn(); }));
    m_head->addWidget(addButton(u"−"_s, tr("Zoom out (-)"), [this] { m_view->zoomOut(); }));
    m_head->addWidget(addButton(tr("All"), tr("Show all calls (0)"), [this] { m_view->showAll(); }));
    m_undo = addButton(u"↶"_s, tr("Undo the zoom (Backspace)"), [this] { m_view->undoZoom(); });
    m_head->addWidget(m_undo);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(m_head);
    column->addWidget(m_view, 1);
    connect(m_view, &TimelineView::pointChosen, this, &TimelinePane::choosePoint);
    connect(m_view, &TimelineView::markChosen, this, &TimelinePane::chooseMark);
    connect(m_view, &TimelineView::playingChanged, this,
        [this](bool playing) { m_play->setText(playing ? tr("❚❚ Pause") : tr("▶ Play")); });
    connect(&m_theme, &Theme::changed, this, &TimelinePane::restyle);
    restyle();
}

QToolButton *TimelinePane::addButton(const QString &text, const QString &tip, std::function<void()> act)
{
    auto *button = new QToolButton;
    button->setText(text);
    button->setToolTip(tip);
    button->setAccessibleName(tip);
    button->setAutoRaise(true);
    button->setFocusPolicy(Qt::TabFocus);
    connect(button, &QToolButton::clicked, this, std::move(act));
    return button;
}

void TimelinePane::restyle()
{
    m_title->setFont(m_theme.titleFont());
    fitLegend();
}

QString TimelinePane::legend(bool brief) const
{
    QStringList entries;
    for (std::size_t part = contextParts; part-- > 0;) {
        const auto kind = static_cast<ContextPart>(part);
        QString name = toQString(partName(kind));
        if (brief)
            name = name.section(u' ', 0, 0);
        entries << u"<span style='color:%1'>■</span>&nbsp;<span style='color:%2'>%3</span>"_s.arg(
            m_theme.color(inkOf(kind)).name(), m_theme.color(Ink::TextSecondary).name(),
            name.replace(u' ', QChar::Nbsp));
    }
    return entries.join(brief ? u"&nbsp; "_s : u"&nbsp;&nbsp;&nbsp; "_s);
}

void TimelinePane::fitLegend()
{
    m_title->show();
    m_legend->setText(legend(false));
    const auto fits = [this] { return m_head->minimumSize().width() + m_legend->sizeHint().width() <= width(); };
    if (!fits())
        m_title->hide();
    if (!fits())
        m_legend->setText(legend(true));
}

void TimelinePane::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    if (event->size().width() != event->oldSize().width())
        fitLegend();
}

void TimelinePane::showEvent(QShowEvent *event)
{
    QWidget::showEvent(event);
    fitLegend(); // only now do the buttons have the style's sizes
}

void TimelinePane::setUnit(ContextUnit unit)
{
    m_units->button(static_cast<int>(unit))->setChecked(true);
    m_view->setUnit(unit);
}

void TimelinePane::setLimits(const std::vector<TimelineLimit> &limits)
{
    const auto sizes = [](const std::vector<TimelineLimit> &of) {
        std::vector<std::pair<ContextUnit, double>> all;
        for (const TimelineLimit &limit : of)
            all.emplace_back(limit.unit, limit.value);
        return all;
    };
    // Another word for the same line does not take the unit away that the user looks at.
    const bool moved = sizes(limits) != sizes(m_view->scene().limits);
    m_view->setLimits(limits);
    if (moved && !limits.empty())
        setUnit(limits.front().unit);
}

void TimelinePane::setWhatIfs(const std::vector<TimelineSeries> &whatIfs)
{
    m_view->setWhatIfs(whatIfs);
}

void TimelinePane::follow(Focus *focus)
{
    m_focus = focus;
    connect(focus, &Focus::threadChanged, this, &TimelinePane::make);
    connect(focus, &Focus::findingsChanged, this, &TimelinePane::remake);
    connect(focus, &Focus::sceneChanged, this, [this] {
        if (!m_moving)
            followPlace();
    });
    make();
}

void TimelinePane::make()
{
    const ThreadPtr thread = m_focus->thread();
    const std::string ns = m_focus->selection()->place().ns;
    if (thread && thread == m_made && ns == m_madeNs)
        return;
    if (!thread || !m_made || thread->id != m_made->id || ns != m_madeNs)
        m_view->setData(nullptr);
    m_made = thread;
    m_madeNs = ns;
    remake();
}

void TimelinePane::remake()
{
    if (!m_made)
        return;
    m_maker(m_made, m_madeNs, this, [this](const TimelineDataPtr &made) {
        m_view->setData(made);
        followPlace();
    });
}

void TimelinePane::followPlace()
{
    const TimelineDataPtr &shown = m_view->scene().data;
    const ScenePtr scene = m_focus->scene();
    if (!shown || !scene->checkpoint)
        return;
    const std::int64_t point = scene->call ? shown->pointOf(scene->call->number) : -1;
    m_view->setPlayhead(point >= 0 ? static_cast<double>(point) : shown->positionOf(scene->checkpointIndex));
}

void TimelinePane::choosePoint(std::int64_t point)
{
    const TimelineDataPtr &shown = m_view->scene().data;
    if (!m_focus || !shown || !m_made || point < 0 || static_cast<std::size_t>(point) >= shown->points.size())
        return;
    const TimelinePoint &at = shown->points[static_cast<std::size_t>(point)];
    const ThreadNamespace *space = m_made->find(m_madeNs);
    if (!space || !at.checkpoint.isValid() || at.checkpoint.at() >= space->checkpoints.size())
        return;
    m_moving = true;
    const std::string &id = space->checkpoints[at.checkpoint.at()].id;
    if (at.call.isValid())
        m_focus->selection()->setCall(at.call, id, Selection::Step::Merge);
    else
        m_focus->selection()->setCheckpoint(id, Selection::Step::Merge);
    m_moving = false;
}

void TimelinePane::chooseMark(const TimelineMark &mark)
{
    const ThreadNamespace *space = m_focus && m_made ? m_made->find(m_madeNs) : nullptr;
    if (!space || !mark.checkpoint.isValid() || mark.checkpoint.at() >= space->checkpoints.size())
        return;
    Place place = m_focus->selection()->place();
    place.checkpoint = space->checkpoints[mark.checkpoint.at()].id;
    place.call = CallNumber();
    place.version = -1;
    place.text = {};
    place.message = mark.message;
    const TimelineDataPtr &shown = m_view->scene().data;
    if (mark.kind != TimelineMark::Kind::Event && shown && shown->pointsAreCalls) {
        const auto point = static_cast<std::size_t>(mark.position);
        if (point < shown->points.size() && shown->points[point].checkpoint == mark.checkpoint)
            place.call = shown->points[point].call;
    }
    m_focus->selection()->setPlace(place);
}

} // namespace palimpsest
