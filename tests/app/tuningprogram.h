// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/tuning.h"
#include "tests/app/program.h"

#include <QDeadlineTimer>
#include <QTimer>

namespace palimpsest::test {

/// The program with a recording whose settings are tuned.
struct TuningProgram : Program {
    /// Opens a recording and waits until its settings are inferred and replayed.
    bool open(const QString &name)
    {
        if (!Program::open(recording(name)))
            return false;
        trigger(QStringLiteral("layout-tune"));
        return settle();
    }
    bool idle() { return tuning().input() && tuning().inference() && tuning().whatIf() && !tuning().isBusy(); }
    /// Waits for the newest what-if and whatever follows from it; as soon as something happens, not in slices of time.
    bool settle()
    {
        QTimer wake;
        wake.start(50);
        const QDeadlineTimer deadline(30000);
        while (!idle() && !deadline.hasExpired())
            QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
        return idle();
    }
    bool load(const Value &document) { return model().load(document).has_value() && settle(); }
    Tuning &tuning() { return *desk->window().findChild<Tuning *>(); }
    TuningModel &model() { return *tuning().model(); }
};

} // namespace palimpsest::test
