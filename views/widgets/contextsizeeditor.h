// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compaction/settings.h"

#include <QWidget>

#include <optional>
#include <set>

class QComboBox;
class QDoubleSpinBox;
class QSlider;

namespace palimpsest {

/// How far sliders reach: about what the thread at hand fills.
struct SliderReach {
    double messages = 200;
    double tokens = 200'000;

    bool operator==(const SliderReach &) const = default;
};

/// One context size: what it counts, a number, and a slider over the thread's own range.
class ContextSizeEditor : public QWidget {
    Q_OBJECT
public:
    /// `optional`: "none" can be chosen.
    explicit ContextSizeEditor(bool optional = false, QWidget *parent = nullptr);

    void setSize(const std::optional<ContextSize> &size);
    [[nodiscard]] std::optional<ContextSize> size() const;
    void setReach(const SliderReach &reach);
    /// Kinds that cannot be chosen here: another part of the clause has them.
    void setTaken(const std::set<ContextSize::Kind> &kinds);
    [[nodiscard]] QDoubleSpinBox *number() const { return m_number; }
    [[nodiscard]] QSlider *slider() const { return m_slider; }

Q_SIGNALS:
    /// `goesOn`: the same gesture as the change before, a dragged slider or a number being typed.
    void edited(bool goesOn);

private:
    void setKind(std::optional<ContextSize::Kind> kind);
    void setRange();
    void moveSlider();
    [[nodiscard]] std::optional<ContextSize::Kind> kind() const;
    [[nodiscard]] double reach() const;

    SliderReach m_reach;
    QComboBox *m_kind;
    QDoubleSpinBox *m_number;
    QSlider *m_slider;
};

} // namespace palimpsest
