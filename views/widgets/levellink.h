// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

namespace palimpsest {

class MessageList;

/// Lets one list follow another, so that kept messages stay level; off, or while one of them is not visible or stands
/// elsewhere, each scrolls by itself.
class LevelLink : public QObject {
    Q_OBJECT
public:
    LevelLink(MessageList *leader, MessageList *follower, QObject *parent = nullptr);

    void setEnabled(bool enabled);
    [[nodiscard]] bool isEnabled() const { return m_enabled; }
    /// Looks again at where the lists stand.
    void update();

private:
    MessageList *m_leader;
    MessageList *m_follower;
    bool m_enabled = true;
    bool m_updating = false;
};

} // namespace palimpsest
