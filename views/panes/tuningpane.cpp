// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panes/tuningpane.h"

#include "models/display.h"
#include "views/theme.h"
#include "views/widgets/parameterfield.h"
#include "views/widgets/section.h"
#include "views/widgets/steadywheel.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalBlocker>
#include <QToolButton>
#include <QVBoxLayout>

namespace palimpsest {

using namespace Qt::StringLiterals;

namespace {

bool isOpenAtFirst(Parameter::Section section)
{
    return section == Parameter::Section::Rules || section == Parameter::Section::When
        || section == Parameter::Section::Keep;
}

} // namespace

TuningPane::TuningPane(TuningModel *model, const Theme &theme, QWidget *parent)
    : QWidget(parent)
    , m_model(model)
    , m_theme(theme)
{
    setObjectName(u"tuningPane"_s);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(buildHead());
    m_scroll = new QScrollArea;
    m_scroll->setWidgetResizable(true);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_scroll->setFocusPolicy(Qt::NoFocus);
    column->addWidget(m_scroll, 1);
    setMinimumWidth(300);
    connect(model, &TuningModel::changed, this, &TuningPane::showModel);
    connect(&theme, &Theme::changed, this, &TuningPane::restyle);
    restyle();
    showProposal();
    showModel();
}

void TuningPane::showEvent(QShowEvent *event)
{
    makeForm();
    QWidget::showEvent(event);
}

/// The form is a hundred widgets: it is made when it is first looked at.
void TuningPane::makeForm()
{
    if (m_scroll->widget())
        return;
    m_scroll->setWidget(buildForm());
    fillModels();
    for (const auto &[key, row] : m_fields)
        row->setReach(m_reach);
    restyle();
    showModel();
}

QToolButton *TuningPane::button(const QString &name, const QString &text, const QString &tip)
{
    auto *made = new QToolButton;
    made->setObjectName(name);
    made->setText(text);
    made->setToolTip(tip);
    made->setAccessibleName(tip);
    made->setAutoRaise(true);
    made->setFocusPolicy(Qt::TabFocus);
    return made;
}

QWidget *TuningPane::buildHead()
{
    auto *head = new QWidget;
    auto *column = new QVBoxLayout(head);
    column->setContentsMargins(8, 4, 6, 4);
    column->setSpacing(3);
    auto *row = new QHBoxLayout;
    row->setSpacing(1);
    m_undo = button(u"tuningUndo"_s, u"↶"_s, tr("Undo the last change of settings (Ctrl+Z)"));
    m_redo = button(u"tuningRedo"_s, u"↷"_s, tr("Redo it (Ctrl+Shift+Z)"));
    connect(m_undo, &QToolButton::clicked, m_model, &TuningModel::undo);
    connect(m_redo, &QToolButton::clicked, m_model, &TuningModel::redo);
    row->addWidget(m_undo);
    row->addWidget(m_redo);
    row->addStretch(1);
    for (int slot = 0; slot < 2; ++slot) {
        m_slots[slot] = button(slot == 0 ? u"keepA"_s : u"keepB"_s, slot == 0 ? u"→ A"_s : u"→ B"_s, {});
        connect(m_slots[slot], &QToolButton::clicked, this, [this, slot] { Q_EMIT slotWanted(slot); });
        row->addWidget(m_slots[slot]);
        setSlot(slot, {});
    }
    auto *python = button(u"copyPython"_s, tr("Python"), tr("Copy the Python code that sets exactly these settings"));
    connect(python, &QToolButton::clicked, this, &TuningPane::pythonWanted);
    row->addWidget(python);
    auto *more = button(u"tuningMenu"_s, u"☰"_s, tr("Load and save settings, and more"));
    m_menu = new QMenu(this);
    more->setMenu(m_menu);
    more->setPopupMode(QToolButton::InstantPopup);
    addMenuAction(
        tr("&Load settings…"), tr("A settings file as the command line takes it"), [this] { Q_EMIT loadWanted(); });
    addMenuAction(tr("&Save settings…"), tr("As a settings file for the command line and for others"),
        [this] { Q_EMIT saveWanted(); });
    m_menu->addSeparator();
    addMenuAction(tr("Settings of their own for &subagents"),
        tr("Subagents' namespaces then do not follow the main agent's"), [this] { m_model->addPart("tools:*", 1); });
    row->addWidget(more);
    column->addLayout(row);

    auto *which = new QHBoxLayout;
    m_parts = new QComboBox;
    m_parts->setAccessibleName(tr("Whose settings"));
    m_parts->setToolTip(tr("Whose settings the form shows"));
    m_removePart = button(u"removePart"_s, u"✕"_s, tr("Remove these settings: the ones before them hold again"));
    which->addWidget(m_parts, 1);
    which->addWidget(m_removePart);
    column->addLayout(which);
    connect(m_parts, &QComboBox::activated, this,
        [this](int part) { m_model->setCurrent(static_cast<std::size_t>(part)); });
    connect(m_removePart, &QToolButton::clicked, this, [this] { m_model->removePart(m_model->current()); });

    m_outcome = new QLabel(tr("Change a setting to see what it would have done"));
    m_outcome->setObjectName(u"whatIfOutcome"_s);
    m_outcome->setWordWrap(true);
    m_outcome->setTextFormat(Qt::PlainText);
    column->addWidget(m_outcome);
    m_fault = new QLabel;
    m_fault->setObjectName(u"tuningFault"_s);
    m_fault->setWordWrap(true);
    m_fault->setTextFormat(Qt::PlainText);
    m_fault->hide();
    column->addWidget(m_fault);

    m_proposalBox = new QWidget;
    auto *proposal = new QHBoxLayout(m_proposalBox);
    proposal->setContentsMargins(0, 0, 0, 0);
    m_proposalText = new QLabel;
    m_proposalText->setObjectName(u"proposal"_s);
    m_proposalText->setWordWrap(true);
    m_proposalText->setTextFormat(Qt::PlainText);
    m_useProposal = button(u"useProposal"_s, tr("Use"), tr("Take over the settings that explain the recording"));
    connect(m_useProposal, &QToolButton::clicked, this, [this] {
        if (m_model->load(m_proposal.document))
            Q_EMIT proposalTaken();
    });
    proposal->addWidget(m_proposalText, 1);
    proposal->addWidget(m_useProposal, 0, Qt::AlignTop);
    column->addWidget(m_proposalBox);
    return head;
}

QWidget *TuningPane::buildForm()
{
    auto *form = new QWidget;
    auto *column = new QVBoxLayout(form);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    for (const Parameter &parameter : parameters()) {
        Section *&section = m_sections[parameter.section];
        if (!section) {
            section = new Section(m_theme, toQString(sectionName(parameter.section)), isOpenAtFirst(parameter.section));
            column->addWidget(section);
            if (parameter.section == Parameter::Section::Model) {
                m_models = new QComboBox;
                m_models->setObjectName(u"modelPresets"_s);
                m_models->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
                m_models->setMinimumContentsLength(12);
                m_models->setAccessibleName(tr("Well-known models"));
                m_models->setToolTip(tr("Fills in the fields below and the prices; they stay editable"));
                keepWheelForScrolling(m_models);
                connect(m_models, &QComboBox::activated, this, [this](int at) {
                    if (at < 1 || static_cast<std::size_t>(at) > m_presets.size())
                        return;
                    const ModelPreset &preset = m_presets[static_cast<std::size_t>(at) - 1];
                    std::vector<std::pair<std::string, Value>> changes{{"model", preset.model}};
                    if (!preset.prices.isNil())
                        changes.emplace_back("prices", preset.prices);
                    m_model->setValues(changes);
                });
                section->add(m_models);
            }
        }
        auto *row = new ParameterField(parameter, m_theme);
        const std::string key(parameter.key);
        connect(row, &ParameterField::edited, this, [this, key](const Value &value, bool goesOn) {
            m_model->setValue(key, value, goesOn ? TuningModel::Step::GoesOn : TuningModel::Step::New);
        });
        connect(row, &ParameterField::importWanted, this,
            [this, key] { Q_EMIT importWanted(QString::fromStdString(key)); });
        section->add(row);
        m_fields[key] = row;
    }
    column->addStretch(1);
    return form;
}

QAction *TuningPane::addMenuAction(const QString &text, const QString &tip, std::function<void()> act)
{
    QAction *action = m_menu->addAction(text, this, std::move(act));
    action->setToolTip(tip);
    m_menu->setToolTipsVisible(true);
    return action;
}

ParameterField *TuningPane::field(std::string_view key)
{
    makeForm();
    const auto found = m_fields.find(key);
    return found == m_fields.end() ? nullptr : found->second;
}

void TuningPane::setModelPresets(std::vector<ModelPreset> presets)
{
    m_presets = std::move(presets);
    fillModels();
}

void TuningPane::fillModels()
{
    if (!m_models)
        return;
    m_models->clear();
    m_models->addItem(tr("Well-known models…"));
    for (const ModelPreset &preset : m_presets)
        m_models->addItem(toQString(preset.name));
}

void TuningPane::setReach(const SliderReach &reach)
{
    m_reach = reach;
    for (const auto &[key, row] : m_fields)
        row->setReach(reach);
}

void TuningPane::setProposal(const TuningProposal &proposal)
{
    m_proposal = proposal;
    showProposal();
}

void TuningPane::showProposal()
{
    m_proposalBox->setVisible(!m_proposal.words.isEmpty());
    m_proposalText->setText(m_proposal.words);
    m_proposalText->setToolTip(m_proposal.bounds.join(u'\n'));
    m_useProposal->setVisible(!m_proposal.document.isNil());
}

void TuningPane::setOutcome(const QString &words, bool leavesRecording, const QString &problem)
{
    m_outcome->setText(problem.isEmpty() ? words : problem);
    if (leavesRecording == m_leaves)
        return;
    m_leaves = leavesRecording;
    m_outcome->setStyleSheet(noteStyle(m_leaves ? Ink::Changed : Ink::Info));
}

QString TuningPane::noteStyle(Ink ink) const
{
    return u"color: %1; background: %2; border-left: 4px solid %3; padding: 3px 6px;"_s.arg(
        m_theme.color(Ink::Text).name(), m_theme.fill(ink).name(), m_theme.color(ink).name());
}

QString TuningPane::outcome() const
{
    return m_outcome->text();
}

void TuningPane::setSlot(int slot, const QString &words)
{
    const QString name = slot == 0 ? u"A"_s : u"B"_s;
    QString tip = tr("Keep these settings as %1 of the comparison").arg(name);
    if (!words.isEmpty())
        tip += u'\n' + tr("%1 is: %2").arg(name, words);
    m_slots[slot]->setToolTip(tip);
    m_slots[slot]->setAccessibleName(tip);
}

void TuningPane::fillParts()
{
    const QSignalBlocker quiet(m_parts);
    QStringList names;
    for (std::size_t part = 0; part < m_model->parts().size(); ++part)
        names << m_model->partName(part);
    QStringList shown;
    for (int i = 0; i < m_parts->count(); ++i)
        shown << m_parts->itemText(i);
    if (names != shown) {
        m_parts->clear();
        m_parts->addItems(names);
    }
    m_parts->setCurrentIndex(static_cast<int>(m_model->current()));
    m_parts->setVisible(names.size() > 1);
    m_removePart->setVisible(names.size() > 1);
    m_removePart->setEnabled(m_model->current() > 0);
}

void TuningPane::showModel()
{
    fillParts();
    m_undo->setEnabled(m_model->canUndo());
    m_redo->setEnabled(m_model->canRedo());
    const std::string dialect = m_model->value("dialect").asText();
    const bool truncates = m_model->value("truncate_args").isMap();
    for (const auto &[key, row] : m_fields) {
        Value value = m_model->value(key);
        const bool inside = key.starts_with("truncate_args.");
        if (value.isNil() && inside)
            value = parameterDefault(key, dialect);
        row->setValue(value);
        row->setVisible(m_model->applies(row->parameter()) && (!inside || truncates));
    }
    if (dialect != m_dialect && !m_fields.empty()) {
        m_dialect = dialect;
        for (const auto &[key, row] : m_fields)
            row->setDefault(parameterDefault(key, dialect));
    }
    showFault();
}

void TuningPane::showFault()
{
    const std::optional<Error> &fault = m_model->fault();
    bool placed = false;
    for (const auto &[key, row] : m_fields) {
        const bool here = fault && fault->where == key;
        row->setFault(here ? toQString(fault->what) : QString());
        placed = placed || here;
        if (here)
            m_sections[row->parameter().section]->setOpen(true);
    }
    m_fault->setVisible(fault.has_value());
    if (fault)
        m_fault->setText(placed ? tr("The last settings that made sense stay in force.")
                                : toQString(fault->where + ": " + fault->what));
}

void TuningPane::restyle()
{
    m_outcome->setFont(m_theme.smallFont());
    m_outcome->setStyleSheet(noteStyle(m_leaves ? Ink::Changed : Ink::Info));
    m_fault->setFont(m_theme.smallFont());
    m_fault->setStyleSheet(noteStyle(Ink::Error));
    m_proposalText->setFont(m_theme.smallFont());
    m_proposalText->setStyleSheet(noteStyle(Ink::Recorded));
    if (QWidget *form = m_scroll->widget())
        form->setStyleSheet(u".QWidget { background: %1; }"_s.arg(m_theme.color(Ink::Card).name()));
}

} // namespace palimpsest
