// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/widgets/contextsizeeditor.h"

#include "views/widgets/steadywheel.h"

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QGridLayout>
#include <QSignalBlocker>
#include <QSlider>
#include <QStandardItemModel>

#include <algorithm>
#include <cmath>

namespace palimpsest {

using Kind = ContextSize::Kind;

namespace {

constexpr int sliderSteps = 1000;
constexpr int noKind = -1;
constexpr double mostTokens = 100'000'000;

/// A number that people would set: three digits that count.
double rounded(double value)
{
    if (value < 1000)
        return std::round(value);
    const double unit = std::pow(10.0, std::floor(std::log10(value)) - 2);
    return std::round(value / unit) * unit;
}

} // namespace

ContextSizeEditor::ContextSizeEditor(bool optional, QWidget *parent)
    : QWidget(parent)
    , m_kind(new QComboBox(this))
    , m_number(new QDoubleSpinBox(this))
    , m_slider(new QSlider(Qt::Horizontal, this))
{
    // The slider stands below: beside the number a narrow form would have no room for it.
    auto *grid = new QGridLayout(this);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setSpacing(3);
    if (optional)
        m_kind->addItem(tr("none"), noKind);
    m_kind->addItem(tr("messages"), static_cast<int>(Kind::Messages));
    m_kind->addItem(tr("tokens"), static_cast<int>(Kind::Tokens));
    m_kind->addItem(tr("of the window"), static_cast<int>(Kind::Fraction));
    m_kind->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_kind->setMinimumContentsLength(8);
    m_kind->setAccessibleName(tr("What is counted"));
    m_number->setAccessibleName(tr("Size"));
    m_number->setGroupSeparatorShown(true);
    m_number->setMinimumWidth(78);
    m_slider->setAccessibleName(tr("Size"));
    m_slider->setRange(0, sliderSteps);
    m_slider->setPageStep(sliderSteps / 20);
    m_slider->setMinimumWidth(50);
    grid->addWidget(m_number, 0, 0);
    grid->addWidget(m_kind, 0, 1);
    grid->setColumnStretch(1, 1);
    grid->addWidget(m_slider, 1, 0, 1, 2);
    setFocusProxy(m_number);
    keepWheelForScrolling(m_kind);
    keepWheelForScrolling(m_number);
    keepWheelForScrolling(m_slider);
    setRange();

    connect(m_kind, &QComboBox::activated, this, [this] {
        const auto now = kind();
        setRange();
        if (now == Kind::Fraction)
            m_number->setValue(0.85);
        else if (now)
            m_number->setValue(rounded(reach() / 2));
        moveSlider();
        Q_EMIT edited(false);
    });
    connect(m_number, &QDoubleSpinBox::valueChanged, this, [this] {
        moveSlider();
        Q_EMIT edited(true);
    });
    connect(m_slider, &QSlider::valueChanged, this, [this](int step) {
        const double value = reach() * step / sliderSteps;
        const QSignalBlocker quiet(m_number);
        m_number->setValue(kind() == Kind::Fraction ? std::round(value * 100) / 100 : std::max(1.0, rounded(value)));
        Q_EMIT edited(true);
    });
}

std::optional<Kind> ContextSizeEditor::kind() const
{
    const int chosen = m_kind->currentData().toInt();
    return chosen == noKind ? std::nullopt : std::optional(static_cast<Kind>(chosen));
}

double ContextSizeEditor::reach() const
{
    if (kind() == Kind::Fraction)
        return 1;
    return kind() == Kind::Messages ? m_reach.messages : m_reach.tokens;
}

void ContextSizeEditor::setRange()
{
    const auto now = kind();
    const QSignalBlocker quiet(m_number);
    const bool fraction = now == Kind::Fraction;
    m_number->setDecimals(fraction ? 3 : 0);
    m_number->setSingleStep(fraction ? 0.05 : now == Kind::Messages ? 1 : std::max(10.0, rounded(reach() / 100)));
    m_number->setRange(0, fraction ? 10 : mostTokens);
    m_number->setVisible(now.has_value());
    m_slider->setVisible(now.has_value());
}

void ContextSizeEditor::moveSlider()
{
    const QSignalBlocker quiet(m_slider);
    m_slider->setValue(static_cast<int>(std::lround(std::min(1.0, m_number->value() / reach()) * sliderSteps)));
}

void ContextSizeEditor::setKind(std::optional<Kind> kind)
{
    const QSignalBlocker quiet(m_kind);
    m_kind->setCurrentIndex(std::max(0, m_kind->findData(kind ? static_cast<int>(*kind) : noKind)));
    setRange();
}

void ContextSizeEditor::setSize(const std::optional<ContextSize> &size)
{
    if (size == this->size())
        return;
    setKind(size ? std::optional(size->kind) : std::nullopt);
    if (size) {
        const QSignalBlocker quiet(m_number);
        m_number->setValue(size->value);
    }
    moveSlider();
}

std::optional<ContextSize> ContextSizeEditor::size() const
{
    const auto now = kind();
    return now ? std::optional(ContextSize{*now, m_number->value()}) : std::nullopt;
}

void ContextSizeEditor::setReach(const SliderReach &reach)
{
    if (reach == m_reach)
        return;
    m_reach = reach;
    setRange();
    moveSlider();
}

void ContextSizeEditor::setTaken(const std::set<Kind> &kinds)
{
    const auto *items = qobject_cast<QStandardItemModel *>(m_kind->model());
    for (int row = 0; items && row < m_kind->count(); ++row) {
        const int kind = m_kind->itemData(row).toInt();
        items->item(row)->setEnabled(kind == noKind || !kinds.contains(static_cast<Kind>(kind)));
    }
}

} // namespace palimpsest
