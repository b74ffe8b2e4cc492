// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/measuredapplication.h"

#include <QEvent>
#include <QMetaEnum>

#include <ctime>

namespace palimpsest {

using namespace Qt::StringLiterals;

namespace {

/// Taken before the event is handled: its receiver may not be there afterwards.
struct Name {
    const char *type = "";
    QString own;

    explicit Name(const QObject *object)
    {
        if (object) {
            type = object->metaObject()->className();
            own = object->objectName();
        }
    }
    [[nodiscard]] QString text() const
    {
        return own.isEmpty() ? QString::fromLatin1(type) : QString::fromLatin1(type) + u' ' + own;
    }
};

QString describe(QEvent::Type type, const Name &receiver, const Name &parent)
{
    const char *key = QMetaEnum::fromType<QEvent::Type>().valueToKey(type);
    const QString text = (key ? QString::fromLatin1(key) : QString::number(type)) + u" to "_s + receiver.text();
    return parent.text().isEmpty() ? text : text + u" in "_s + parent.text();
}

} // namespace

double MeasuredApplication::threadCpu()
{
    timespec used{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return static_cast<double>(used.tv_sec) * 1e3 + static_cast<double>(used.tv_nsec) / 1e6;
}

bool MeasuredApplication::notify(QObject *receiver, QEvent *event)
{
    if (m_depth > 0)
        return QApplication::notify(receiver, event);
    const QEvent::Type type = event->type();
    const Name to(receiver);
    const Name in(receiver->parent());
    const auto begin = std::chrono::steady_clock::now();
    const double cpu = threadCpu();
    ++m_depth;
    const bool handled = QApplication::notify(receiver, event);
    --m_depth;
    const double used = threadCpu() - cpu;
    if (qEnvironmentVariableIsSet("PALIMPSEST_STALLS") && used > 3)
        qInfo("%6.1f %s", used, qPrintable(describe(type, to, in)));
    if (used > m_longest.cpuMilliseconds) {
        const auto passed = std::chrono::steady_clock::now() - begin;
        m_longest = {std::chrono::duration<double, std::milli>(passed).count(), used, describe(type, to, in)};
    }
    return handled;
}

} // namespace palimpsest
