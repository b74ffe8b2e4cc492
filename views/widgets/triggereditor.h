// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compaction/settings.h"
#include "views/widgets/contextsizeeditor.h"

#include <QWidget>

#include <vector>

class QToolButton;
class QHBoxLayout;
class QVBoxLayout;

namespace palimpsest {

class Theme;

/// A trigger in all its forms: a block is a clause whose sizes must all be reached (AND), any block suffices (OR).
class TriggerEditor : public QWidget {
    Q_OBJECT
public:
    explicit TriggerEditor(const Theme &theme, QWidget *parent = nullptr);

    void setTrigger(const Trigger &trigger);
    [[nodiscard]] Trigger trigger() const;
    void setReach(const SliderReach &reach);
    /// Row of the size `size` of the clause `clause`, or null.
    [[nodiscard]] ContextSizeEditor *editor(std::size_t clause, std::size_t size) const;

Q_SIGNALS:
    void edited(bool goesOn);

private:
    void build(const Trigger &trigger);
    void change(const Trigger &trigger);
    /// A clause counts each kind once: the others cannot be chosen.
    /// What can be added below a clause; below the last one, another clause too.
    QHBoxLayout *foot(const Trigger &trigger, std::size_t clause);
    void spreadKinds(std::size_t clause);
    [[nodiscard]] QToolButton *button(const QString &text, const QString &tip, std::function<void()> act);

    const Theme &m_theme;
    SliderReach m_reach;
    QVBoxLayout *m_column;
    QWidget *m_body = nullptr;
    std::vector<std::vector<ContextSizeEditor *>> m_editors;
};

} // namespace palimpsest
