// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QSet>

namespace palimpsest {

/// Which messages are unfolded, by key: lists that share it unfold together, so that their rows stay level.
class FoldState : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

    [[nodiscard]] bool isOpen(const QString &key) const { return m_open.contains(key); }
    [[nodiscard]] const QSet<QString> &open() const { return m_open; }
    void toggle(const QString &key)
    {
        if (!m_open.remove(key))
            m_open.insert(key);
        Q_EMIT changed();
    }
    void clear()
    {
        if (m_open.isEmpty())
            return;
        m_open.clear();
        Q_EMIT changed();
    }

Q_SIGNALS:
    void changed();

private:
    QSet<QString> m_open;
};

} // namespace palimpsest
