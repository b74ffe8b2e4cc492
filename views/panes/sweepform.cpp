// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panes/sweepform.h"

#include "models/display.h"

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QGridLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QStandardItemModel>
#include <QToolButton>

#include <algorithm>
#include <cmath>

namespace palimpsest {

using namespace Qt::StringLiterals;

namespace {

constexpr int mostSteps = 200;
constexpr std::size_t mostAxes = 5;
constexpr int stepsAcross = 12;
constexpr int stepsUp = 8;
constexpr int stepsBeyond = 3;
constexpr int boxWidth = 70;
constexpr int triggerMessages = 0; ///< places among the parameters
constexpr int keepMessages = 3;

} // namespace

SweepForm::SweepForm(QWidget *parent)
    : QWidget(parent)
    , m_axisRows(new QGridLayout)
    , m_more(new QToolButton)
    , m_needles(new QPlainTextEdit)
    , m_scope(new QComboBox)
{
    auto *grid = new QGridLayout(this);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setVerticalSpacing(3);
    grid->setHorizontalSpacing(8);
    m_axisRows->setHorizontalSpacing(8);
    m_axisRows->setVerticalSpacing(3);
    m_axisRows->setColumnStretch(1, 1);
    m_axisRows->setColumnStretch(2, 1);
    grid->addLayout(m_axisRows, 0, 0, 1, 2);
    m_more->setText(tr("+ parameter"));
    m_more->setToolTip(tr("Vary one more; the map shows one of its values at a time, the table all"));
    m_more->setAutoRaise(true);
    grid->addWidget(m_more, 1, 1);
    m_scope->setObjectName(u"sweepScope"_s);
    m_scope->setAccessibleName(tr("Over which threads"));
    m_scope->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_scope->setMinimumContentsLength(12);
    grid->addWidget(new QLabel(tr("Over")), 2, 0);
    grid->addWidget(m_scope, 2, 1);
    m_needles->setPlaceholderText(tr("Texts that must stay in context, one a line"));
    m_needles->setAccessibleName(tr("Needles"));
    m_needles->setTabChangesFocus(true);
    m_needles->setMinimumHeight(34);
    m_needles->setMaximumHeight(60);
    grid->addWidget(new QLabel(tr("Keep")), 3, 0, Qt::AlignTop);
    grid->addWidget(m_needles, 3, 1);
    grid->setColumnStretch(1, 1);
    connect(m_more, &QToolButton::clicked, this, [this] {
        addAxis(stepsBeyond);
        Q_EMIT changed();
    });
    connect(m_needles, &QPlainTextEdit::textChanged, this, &SweepForm::changed);
    connect(m_scope, &QComboBox::activated, this, &SweepForm::changed);
    setThreads(0, 1);
    m_parameters = sweepParameters(100, 20'000);
    addAxis(stepsAcross);
    addAxis(stepsUp);
}

void SweepForm::addAxis(int steps)
{
    if (m_axes.size() >= mostAxes)
        return;
    const int number = static_cast<int>(m_axes.size());
    const QString title = number == 0 ? tr("Across") : number == 1 ? tr("Up") : tr("And");
    Axis axis;
    axis.parameter = new QComboBox;
    axis.parameter->setAccessibleName(title);
    axis.parameter->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    axis.from = new QDoubleSpinBox;
    axis.to = new QDoubleSpinBox;
    axis.from->setAccessibleName(tr("%1, from").arg(title));
    axis.to->setAccessibleName(tr("%1, to").arg(title));
    for (QDoubleSpinBox *box : {axis.from, axis.to}) {
        box->setRange(0, 1e8);
        box->setGroupSeparatorShown(true);
        box->setMinimumWidth(boxWidth);
        connect(box, &QDoubleSpinBox::valueChanged, this, &SweepForm::changed);
    }
    axis.steps = new QSpinBox;
    axis.steps->setRange(1, mostSteps);
    axis.steps->setPrefix(u"× "_s);
    axis.steps->setMinimumWidth(boxWidth - 8);
    axis.steps->setToolTip(tr("How many values"));
    axis.steps->setAccessibleName(tr("%1, number of values").arg(title));
    axis.steps->setValue(steps);
    connect(axis.steps, &QSpinBox::valueChanged, this, &SweepForm::changed);
    const int row = number * 2;
    m_axisRows->addWidget(new QLabel(title), row, 0);
    m_axisRows->addWidget(axis.parameter, row, 1, 1, 3);
    m_axisRows->addWidget(axis.from, row + 1, 1);
    m_axisRows->addWidget(axis.to, row + 1, 2);
    m_axisRows->addWidget(axis.steps, row + 1, 3);
    const int firstNumber = keepMessages * 2;
    fillParameters(axis, number == 0 ? triggerMessages : number == 1 ? keepMessages : firstNumber + number - 2);
    connect(axis.parameter, &QComboBox::activated, this, [this, axis] {
        takeRange(axis);
        Q_EMIT changed();
    });
    m_axes.push_back(axis);
    m_more->setVisible(m_axes.size() < mostAxes);
}

void SweepForm::fillParameters(const Axis &axis, int otherwise)
{
    const QSignalBlocker quiet(axis.parameter);
    const QString chosen = axis.parameter->currentText();
    axis.parameter->clear();
    for (const SweepParameter &parameter : m_parameters)
        axis.parameter->addItem(parameter.name);
    const int at = axis.parameter->findText(chosen);
    axis.parameter->setCurrentIndex(at >= 0 ? at : std::min(otherwise, axis.parameter->count() - 1));
    takeRange(axis);
}

std::size_t SweepForm::parameterOf(const Axis &axis) const
{
    return static_cast<std::size_t>(std::max(0, axis.parameter->currentIndex()));
}

void SweepForm::takeRange(const Axis &axis)
{
    if (parameterOf(axis) >= m_parameters.size())
        return;
    const SweepParameter &parameter = m_parameters[parameterOf(axis)];
    for (QDoubleSpinBox *box : {axis.from, axis.to}) {
        box->setDecimals(parameter.whole ? 0 : 3);
        box->setSingleStep(parameter.whole ? std::max(1.0, std::round(parameter.to / 50)) : 0.05);
    }
    axis.from->setValue(parameter.from);
    axis.to->setValue(parameter.to);
}

void SweepForm::setReach(double messages, double tokens)
{
    m_parameters = sweepParameters(messages, tokens);
    for (const Axis &axis : m_axes)
        fillParameters(axis, 0);
}

void SweepForm::setThreads(int selected, int all)
{
    const int chosen = m_scope->currentIndex();
    const QSignalBlocker quiet(m_scope);
    m_scope->clear();
    m_scope->addItem(tr("this thread"));
    m_scope->addItem(selected > 1 ? tr("%L1 selected threads").arg(selected) : tr("threads selected in the list"));
    m_scope->addItem(tr("all %L1 threads of the source").arg(all));
    const auto *items = qobject_cast<QStandardItemModel *>(m_scope->model());
    items->item(static_cast<int>(Scope::Selection))->setEnabled(selected > 1);
    items->item(static_cast<int>(Scope::Source))->setEnabled(all > 1);
    const bool there = chosen >= 0 && items->item(chosen)->isEnabled();
    m_scope->setCurrentIndex(there ? chosen : static_cast<int>(Scope::Thread));
}

SweepForm::Scope SweepForm::scope() const
{
    return static_cast<Scope>(std::max(0, m_scope->currentIndex()));
}

void SweepForm::setScope(Scope scope)
{
    m_scope->setCurrentIndex(static_cast<int>(scope));
    Q_EMIT changed();
}

std::vector<std::size_t> SweepForm::used() const
{
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < m_axes.size(); ++i) {
        const std::string &key = m_parameters[parameterOf(m_axes[i])].key;
        // The same setting twice would overwrite itself.
        if (std::ranges::none_of(
                places, [&](std::size_t other) { return m_parameters[parameterOf(m_axes[other])].key == key; }))
            places.push_back(i);
    }
    return places;
}

SweepGrid SweepForm::grid() const
{
    SweepGrid grid;
    for (const std::size_t place : used()) {
        const Axis &axis = m_axes[place];
        grid.axes.push_back(
            sweepAxis(m_parameters[parameterOf(axis)], axis.from->value(), axis.to->value(), axis.steps->value()));
    }
    const QStringList lines = m_needles->toPlainText().split(u'\n', Qt::SkipEmptyParts);
    for (const QString &line : lines)
        if (!line.trimmed().isEmpty())
            grid.needles.push_back(fromQString(line.trimmed()));
    return grid;
}

QStringList SweepForm::axisNames() const
{
    QStringList names;
    for (const std::size_t place : used())
        names << m_axes[place].parameter->currentText();
    return names;
}

void SweepForm::setAxis(int axis, const QString &name, double from, double to, int steps)
{
    while (static_cast<std::size_t>(axis) >= m_axes.size() && m_axes.size() < mostAxes)
        addAxis(steps);
    const Axis &form = m_axes[static_cast<std::size_t>(axis)];
    form.parameter->setCurrentIndex(std::max(0, form.parameter->findText(name)));
    takeRange(form);
    form.from->setValue(from);
    form.to->setValue(to);
    form.steps->setValue(steps);
}

void SweepForm::setNeedles(const QStringList &needles)
{
    m_needles->setPlainText(needles.join(u'\n'));
}

void SweepForm::addNeedle(const QString &needle)
{
    QStringList lines = m_needles->toPlainText().split(u'\n', Qt::SkipEmptyParts);
    const QString line = needle.trimmed();
    if (line.isEmpty() || lines.contains(line))
        return;
    setNeedles(lines << line);
}

} // namespace palimpsest
