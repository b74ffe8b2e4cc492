// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/timelinedata.h"

#include <QWidget>

#include <functional>

class QButtonGroup;
class QHBoxLayout;
class QLabel;
class QToolButton;

namespace palimpsest {

class Focus;
class Theme;
class TimelineView;

/// The timeline with its legend and buttons; moves the selection and follows it.
class TimelinePane : public QWidget {
    Q_OBJECT
public:
    /// Makes the timeline of a namespace in a job and calls back on this thread; the newest request wins.
    using Maker = std::function<void(
        ThreadPtr thread, const std::string &ns, QObject *receiver, std::function<void(TimelineDataPtr)> done)>;

    TimelinePane(const Theme &theme, Maker maker, QWidget *parent = nullptr);

    void follow(Focus *focus);
    void setUnit(ContextUnit unit);
    /// Sizes that trigger summarization; the unit becomes that of the first.
    void setLimits(const std::vector<TimelineLimit> &limits);
    void setWhatIfs(const std::vector<TimelineSeries> &whatIfs);
    /// Makes the timeline anew: messages are counted in another way now.
    void remake();
    [[nodiscard]] TimelineView *view() const { return m_view; }

protected:
    void resizeEvent(QResizeEvent *event) override;
    void showEvent(QShowEvent *event) override;

private:
    void make();
    void followPlace();
    void restyle();
    /// The legend in as many words as there is room for; the title gives way first.
    void fitLegend();
    [[nodiscard]] QString legend(bool brief) const;
    void choosePoint(std::int64_t point);
    void chooseMark(const TimelineMark &mark);
    [[nodiscard]] QToolButton *addButton(const QString &text, const QString &tip, std::function<void()> act);

    const Theme &m_theme;
    Maker m_maker;
    Focus *m_focus = nullptr;
    TimelineView *m_view;
    QHBoxLayout *m_head;
    QLabel *m_title;
    QLabel *m_legend;
    QToolButton *m_play = nullptr;
    QToolButton *m_undo = nullptr;
    QButtonGroup *m_units;
    ThreadPtr m_made; ///< thread of the timeline shown
    std::string m_madeNs;
    bool m_moving = false; ///< the selection moves because the playhead does
};

} // namespace palimpsest
