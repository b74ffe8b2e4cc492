// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QApplication>

#include <chrono>

namespace palimpsest {

/// An application that knows how long its event loop could not react, and what held it up.
class MeasuredApplication : public QApplication {
public:
    using QApplication::QApplication;

    /// One event that was handled at a stretch.
    struct Stretch {
        double milliseconds = 0;
        double cpuMilliseconds = 0; ///< of the window's thread alone: what a busy machine does not change
        QString what; ///< who received which event
    };

    /// Forgets what was seen so far.
    void restart() { m_longest = {}; }
    /// The event that took the most of the processor.
    [[nodiscard]] const Stretch &longest() const { return m_longest; }

    bool notify(QObject *receiver, QEvent *event) override;

    /// What the calling thread has used of the processor, in milliseconds.
    static double threadCpu();

private:
    Stretch m_longest;
    int m_depth = 0; ///< an event may bring about others
};

} // namespace palimpsest
