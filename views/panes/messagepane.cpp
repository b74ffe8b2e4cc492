// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panes/messagepane.h"

#include "models/counted.h"
#include "models/display.h"
#include "models/messagetext.h"
#include "models/unseen.h"
#include "models/whatif.h"
#include "views/panes/filterbar.h"
#include "views/theme.h"
#include "views/widgets/elidedlabel.h"
#include "views/widgets/foldstate.h"
#include "views/widgets/messagelist.h"
#include "views/widgets/strip.h"

#include <QClipboard>
#include <QContextMenuEvent>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QLocale>
#include <QMenu>
#include <QSignalBlocker>
#include <QTabBar>
#include <QToolButton>

#include <algorithm>

namespace palimpsest {

using namespace Qt::StringLiterals;

namespace {

// What a tab stands for, beside the number of an event.
constexpr int startTab = 0;
constexpr int callTab = -1;
constexpr int moreTab = -2;
constexpr int allEventTabs = 4; ///< so many have a tab each; of more events …
constexpr int nearEventTabs = 3; ///< … those around the current one have, and all are behind a menu

} // namespace

MessagePane::MessagePane(Focus *focus, Theme *theme, FoldState *folds, MessageModel::List list, QWidget *parent)
    : QWidget(parent)
    , m_focus(focus)
    , m_theme(theme)
    , m_model(new MessageModel(focus, list, this))
    , m_list(new MessageList(m_model, theme, folds, this))
    , m_strip(new Strip(m_list, theme, this))
    , m_filters(new FilterBar(this))
    , m_caption(new ElidedLabel(this))
    , m_filterButton(new QToolButton(this))
    , m_empty(new QLabel(m_list->viewport()))
{
    setObjectName(isRaw() ? u"rawPane"_s : u"effectivePane"_s);
    m_list->setAccessibleName(isRaw() ? tr("Raw log") : tr("Effective messages"));
    setFocusProxy(m_list);

    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto *head = new QHBoxLayout;
    head->setContentsMargins(8, 2, 4, 2);
    if (isRaw()) {
        m_parentButton = new QToolButton(this);
        m_parentButton->setObjectName(u"parent"_s);
        m_parentButton->setText(tr("↑ parent"));
        m_parentButton->setToolTip(tr("To the call that started this subagent (U)"));
        m_parentButton->setAutoRaise(true);
        m_parentButton->hide();
        connect(m_parentButton, &QToolButton::clicked, this, &MessagePane::parentWanted);
        head->addWidget(m_parentButton);
    }
    head->addWidget(m_caption, 1);
    if (!isRaw()) {
        m_tabs = new QTabBar(this);
        m_tabs->setDrawBase(false);
        m_tabs->setExpanding(false);
        m_tabs->setUsesScrollButtons(true);
        m_tabs->setAccessibleName(tr("Events and the request of this call"));
        head->addWidget(m_tabs, 0);
        connect(m_tabs, &QTabBar::tabBarClicked, this, &MessagePane::onTab);
        m_whatIf = new QToolButton(this);
        m_whatIf->setObjectName(u"whatIfTab"_s);
        m_whatIf->setText(tr("what-if"));
        m_whatIf->setToolTip(tr("What the call would have received under the settings of the tuning pane; assumes the "
                                "agent would have acted the same"));
        m_whatIf->setCheckable(true);
        m_whatIf->setAutoRaise(true);
        head->addWidget(m_whatIf);
        connect(m_whatIf, &QToolButton::clicked, this, [this](bool shown) {
            m_focus->setWhatIfShown(shown);
            if (shown && !m_focus->scene()->call)
                onTab(m_tabs->count() - 1); // a request is a call's
        });
    }
    m_filterButton->setText(tr("Filter"));
    m_filterButton->setCheckable(true);
    m_filterButton->setAutoRaise(true);
    m_filterButton->setToolTip(tr("Show only some of the messages"));
    connect(m_filterButton, &QToolButton::toggled, this, &MessagePane::setFilterVisible);
    head->addWidget(m_filterButton);
    column->addLayout(head);
    m_filters->hide();
    column->addWidget(m_filters);
    if (!isRaw()) {
        m_unseen = new QLabel(this);
        m_unseen->setObjectName(u"unseen"_s);
        m_unseen->setTextFormat(Qt::PlainText);
        m_unseen->setWordWrap(true);
        column->addWidget(m_unseen);
    }
    auto *body = new QHBoxLayout;
    body->setSpacing(0);
    body->addWidget(m_list, 1);
    body->addWidget(m_strip);
    column->addLayout(body, 1);
    m_empty->setAlignment(Qt::AlignCenter);
    m_empty->setWordWrap(true);
    m_empty->setAttribute(Qt::WA_TransparentForMouseEvents);

    connect(m_filters, &FilterBar::changed, this, [this](const MessageFilter &filter) {
        m_model->setFilter(filter);
        showChosen();
    });
    connect(m_list, &MessageList::chosen, this, &MessagePane::onRow);
    connect(m_list, &MessageList::opened, this, [this](int row) {
        const MessageRow described = m_model->describe(row);
        if (!described.subagents.isEmpty())
            openSubagent(described, row);
        else if (!described.fate.path.empty())
            m_focus->selection()->setArtifact(described.fate.path);
    });
    connect(m_list, &MessageList::viewChanged, this,
        [this] { m_empty->setGeometry(m_list->viewport()->rect().adjusted(20, 0, -20, 0)); });
    connect(m_model, &MessageModel::listChanged, this, &MessagePane::onScene);
    connect(focus, &Focus::chosenChanged, this, &MessagePane::onChosen);
    connect(focus, &Focus::whatIfChanged, this, [this] { showWhatIfButton(*m_focus->scene()); });
    connect(theme, &Theme::changed, this, &MessagePane::restyle);
    restyle();
    onScene();
}

void MessagePane::restyle()
{
    QPalette palette = m_caption->palette();
    palette.setColor(QPalette::WindowText, m_theme->text(Ink::TextSecondary));
    m_caption->setPalette(palette);
    m_caption->setFont(m_theme->smallFont());
    palette.setColor(QPalette::WindowText, m_theme->text(Ink::TextFaint));
    m_empty->setPalette(palette);
    if (m_unseen) {
        m_unseen->setFont(m_theme->smallFont());
        m_unseen->setStyleSheet(
            u"#unseen { background: %1; color: %2; border-top: 1px solid %3; border-bottom: 1px solid %3; border-left: 4px solid %4; padding: 4px 8px; }"_s
                .arg(m_theme->fill(Ink::System).name(), m_theme->color(Ink::Text).name(),
                    m_theme->color(Ink::Line).name(), m_theme->color(Ink::System).name()));
    }
}

QString MessagePane::title() const
{
    const ScenePtr scene = m_focus->scene();
    if (!scene->checkpoint)
        return isRaw() ? tr("Raw log") : tr("Effective messages");
    if (isRaw())
        return tr("Raw log — %1").arg(counted(m_model->total(), tr("message"), tr("messages")));
    if (scene->whatIf)
        return tr("Effective — what-if request of call %1").arg(scene->call->number.value);
    if (scene->call)
        return tr("Effective — request of call %1").arg(scene->call->number.value);
    return scene->inForce ? tr("Effective — event %1 at this checkpoint").arg(scene->inForce)
                          : tr("Effective — no event so far");
}

void MessagePane::setFilterVisible(bool visible)
{
    m_filterButton->setChecked(visible);
    m_filters->setVisible(visible);
    if (!visible)
        m_filters->setFilter({});
}

void MessagePane::fillTabs()
{
    if (!m_tabs)
        return;
    const QSignalBlocker quiet(m_tabs);
    const ScenePtr scene = m_focus->scene();
    const QList<int> wanted = tabsFor(static_cast<int>(scene->events.size()), scene->inForce);
    if (wanted != m_tabsShown) {
        m_tabsShown = wanted;
        while (m_tabs->count() > 0)
            m_tabs->removeTab(0);
        for (const int what : wanted) {
            const int tab = m_tabs->addTab(what == callTab ? tr("call")
                    : what == moreTab                      ? u"…"_s
                    : what == startTab                     ? tr("start")
                                                           : QString::number(what));
            m_tabs->setTabToolTip(tab,
                what == callTab        ? tr("The request of the model call at this place")
                    : what == moreTab  ? tr("All %1 events").arg(scene->events.size())
                    : what == startTab ? tr("Before the first event: everything is in context")
                                       : tr("Effective messages when event %1 came into force").arg(what));
        }
    }
    m_tabs->setCurrentIndex(static_cast<int>(m_tabsShown.indexOf(scene->call ? callTab : scene->inForce)));
    m_tabs->setVisible(scene->checkpoint != nullptr);
}

QList<int> MessagePane::tabsFor(int events, int current)
{
    QList<int> tabs{startTab};
    const bool all = events <= allEventTabs;
    const int shown = all ? events : nearEventTabs;
    const int first = all ? 1 : std::clamp(current - shown / 2, 1, events - shown + 1);
    for (int event = first; event < first + shown; ++event)
        tabs << event;
    if (!all)
        tabs << moreTab;
    return tabs << callTab;
}

void MessagePane::chooseFromAllEvents()
{
    QMenu menu(this);
    for (const EventMark &mark : m_focus->scene()->events) {
        QAction *action = menu.addAction(
            tr("Event %1").arg(mark.number), this, [this, number = mark.number] { showEventMessages(number); });
        action->setCheckable(true);
        action->setChecked(mark.number == m_focus->scene()->inForce);
    }
    menu.exec(m_tabs->mapToGlobal(m_tabs->tabRect(static_cast<int>(m_tabsShown.indexOf(moreTab))).bottomLeft()));
}

void MessagePane::showEventMessages(int number)
{
    const ScenePtr scene = m_focus->scene();
    // At the start the last state before the first event, with as much of the log as there was without one.
    const bool start = number == startTab;
    CheckpointIndex at = scene->checkpointIndex;
    if (!scene->events.empty())
        at = scene->events[static_cast<std::size_t>(start ? 0 : number - 1)].checkpoint;
    if (start && !scene->events.empty())
        at = scene->space->checkpoints[at.at()].parent;
    if (at.isValid())
        m_focus->selection()->setCheckpoint(scene->space->checkpoints[at.at()].id);
    fillTabs();
}

void MessagePane::onTab(int index)
{
    const ScenePtr scene = m_focus->scene();
    if (!scene->checkpoint || index < 0 || index >= m_tabsShown.size())
        return;
    const int what = m_tabsShown[index];
    if (what == moreTab) {
        chooseFromAllEvents();
        fillTabs();
        return;
    }
    if (what != callTab) {
        showEventMessages(what);
        return;
    }
    if (scene->call)
        return;
    // The call that starts here, else the last one before.
    const Call *best = nullptr;
    for (const Call &call : scene->space->calls) {
        if (call.checkpoint <= scene->checkpointIndex || !best)
            best = &call;
    }
    if (best && best->checkpoint.isValid())
        m_focus->selection()->setCall(best->number, scene->space->checkpoints[best->checkpoint.at()].id);
}

void MessagePane::showWhatIfButton(const Scene &scene)
{
    if (!m_whatIf)
        return;
    m_whatIf->setVisible(scene.checkpoint && m_focus->whatIf());
    m_whatIf->setChecked(m_focus->isWhatIfShown());
}

void MessagePane::onScene()
{
    const ScenePtr scene = m_focus->scene();
    fillTabs();
    showWhatIfButton(*scene);
    QStringList parts;
    const bool filtered = !m_model->filter().isEmpty();
    if (scene->checkpoint) {
        const qint64 cut = scene->fates.cutoff().value;
        if (filtered)
            parts << tr("%L1 of %L2 shown").arg(m_model->rowCount()).arg(m_model->total());
        if (isRaw()) {
            if (m_parentButton)
                m_parentButton->setVisible(!scene->space->name.empty());
            if (const QString subagent = subagentOf(*scene); !subagent.isEmpty())
                parts << tr("subagent %1").arg(subagent);
            parts << tr("append-only");
            if (cut > 0)
                parts << tr("%L1 out of context").arg(cut);
            if (!scene->tombstones.empty())
                parts << tr("%L1 removed").arg(scene->tombstones.size());
        } else {
            parts << counted(m_model->total(), tr("message"), tr("messages"));
            parts << toQString(certaintyName(scene->certainty));
        }
        if (scene->whatIf && m_focus->whatIf()->leavesRecording())
            parts << tr("assumes the agent would have acted the same");
        if (scene->checkpoint->incomplete)
            parts << tr("uncertain: this state cannot be known in full");
    }
    m_caption->setText(parts.join(u" · "_s));
    if (m_unseen) {
        m_unseen->setVisible(scene->checkpoint != nullptr);
        if (scene->checkpoint)
            m_unseen->setText(tr("Not in a checkpoint: system prompt, tools, custom middleware — %1")
                    .arg(describeUnseen(unseenAt(*scene))));
    }
    QString empty;
    if (!scene->checkpoint)
        empty = tr("Nothing is open");
    else if (m_model->rowCount() == 0)
        empty = filtered ? tr("No message passes the filter") : tr("No messages at this checkpoint");
    m_empty->setText(empty);
    m_empty->setVisible(!empty.isEmpty());
    m_empty->setGeometry(m_list->viewport()->rect().adjusted(20, 0, -20, 0));
    if (!isRaw())
        m_list->setLeadText(leadText(*scene));
    showChosen();
    Q_EMIT titleChanged(title());
}

QString MessagePane::subagentOf(const Scene &scene)
{
    const auto link = std::ranges::find(scene.thread->subagents, scene.space->name, &SubagentLink::ns);
    if (scene.space->name.empty() || link == scene.thread->subagents.end())
        return {};
    return RowSubagent{toQString(link->ns), toQString(link->agent), toQString(link->description).simplified(), false}
        .title();
}

QString MessagePane::leadText(const Scene &scene) const
{
    const qint64 cut = scene.fates.cutoff().value;
    if (cut == 0 || scene.fates.lead() == 0)
        return {};
    QString text = tr("%1 out of context").arg(counted(cut, tr("message"), tr("messages")));
    if (scene.facts) {
        qint64 tokens = 0;
        for (const MessagePtr &message : scene.log.take(static_cast<std::size_t>(cut)))
            tokens += message ? scene.facts->of(*message).tokens : 0;
        text += tr(", %1").arg(counted(tokens, tr("token"), tr("tokens")));
    }
    const bool archived = scene.event && scene.event->filePath;
    text += u'\n'
        + (archived ? tr("The summary below stands for them; their words are in the archive.")
                    : tr("The summary below stands for them; no archive was written."));
    return text;
}

void MessagePane::onChosen(const Place &now, const Place &before)
{
    if (now.message != before.message || now.version != before.version)
        showChosen();
    else if (now.artifact != before.artifact || now.section != before.section)
        m_list->viewport()->update();
}

void MessagePane::showChosen()
{
    const std::string &key = m_focus->selection()->place().message;
    int row = m_model->rowOf(key);
    const ScenePtr scene = m_focus->scene();
    if (row < 0 && !isRaw()) {
        // Out of context: what stands for it is shown instead.
        const MessageIndex index = findMessage(scene->log, key);
        if (index.isValid())
            row = m_model->rowOf(scene->fates.of(index).row);
    }
    if (key.empty() && isRaw())
        m_list->showContext(scene->inForce ? m_model->rowOf(scene->fates.cutoff()) : -1);
    else
        m_list->showRow(row);
    if (row < 0 && isRaw() && key == summaryKey) // a summary is in no log: the cut that it stands for is shown
        m_list->scrollTo(m_model->index(m_model->rowOf(scene->fates.cutoff()), 0));
}

void MessagePane::onRow(int row)
{
    m_focus->selection()->setMessage(fromQString(m_model->describe(row).key));
}

void MessagePane::addSubagents(QMenu &menu, const MessageRow &row)
{
    for (const RowSubagent &subagent : row.subagents) {
        QAction *action = menu.addAction(tr("Open subagent %1").arg(subagent.title()), this,
            [this, ns = fromQString(subagent.ns)] { Q_EMIT namespaceWanted(ns); });
        action->setEnabled(!subagent.empty);
    }
}

void MessagePane::openSubagent(const MessageRow &described, int row)
{
    if (described.subagents.size() == 1 && !described.subagents.front().empty) {
        Q_EMIT namespaceWanted(fromQString(described.subagents.front().ns));
        return;
    }
    // Several ran at once, or there is nothing to open: say so.
    QMenu menu(this);
    addSubagents(menu, described);
    menu.exec(m_list->viewport()->mapToGlobal(m_list->rowRect(row).bottomLeft()));
}

void MessagePane::contextMenuEvent(QContextMenuEvent *event)
{
    const QModelIndex index = m_list->currentIndex();
    const MessagePtr message = index.isValid() ? m_model->message(index.row()) : nullptr;
    if (!message)
        return;
    const MessageRow row = m_model->describe(index.row());
    QMenu menu(this);
    const auto copy = [](const QString &text) { QGuiApplication::clipboard()->setText(text); };
    menu.addAction(tr("Copy as text"), this, [&] { copy(toQString(textOf(*message))); });
    menu.addAction(tr("Copy as Markdown"), this, [&] { copy(messageAsMarkdown(*message)); });
    menu.addAction(tr("Copy as JSON"), this, [&] { copy(messageAsJson(*message)); });
    menu.addAction(tr("Copy id"), this, [&] { copy(row.key); });
    menu.addAction(tr("Copy place"), this, &MessagePane::copyPlaceWanted);
    menu.addSeparator();
    menu.addAction(tr("Where did this go?"), this, &MessagePane::traceWanted);
    if (!row.partner.isEmpty())
        menu.addAction(row.kind == MessageKind::Tool ? tr("Go to its call") : tr("Go to its result"), this,
            [&] { m_focus->selection()->setMessage(fromQString(row.partner)); });
    if (!row.fate.path.empty())
        menu.addAction(tr("Open %1").arg(toQString(row.fate.path)), this,
            [&] { m_focus->selection()->setArtifact(row.fate.path); });
    addSubagents(menu, row);
    if (row.versions > 1)
        menu.addAction(tr("As first written"), this, [&] { m_focus->selection()->setVersion(0); });
    menu.addSeparator();
    const auto selected = static_cast<qint64>(m_list->selectedRows().size());
    menu.addAction(tr("Export %1…").arg(counted(std::max<qint64>(1, selected), tr("message"), tr("messages"))), this,
        [this] { Q_EMIT exportWanted(true); });
    menu.addAction(isRaw() ? tr("Export the raw log…") : tr("Export the effective messages…"), this,
        [this] { Q_EMIT exportWanted(false); });
    menu.exec(event->globalPos());
}

std::vector<std::string> MessagePane::selectedKeys() const
{
    std::vector<std::string> keys;
    const QList<int> rows = m_list->selectedRows();
    for (const int row : rows)
        if (!isRaw() || m_model->indexAt(row).isValid()) // a message that was removed is in no log
            keys.push_back(fromQString(m_model->describe(row).key));
    return keys;
}

} // namespace palimpsest
