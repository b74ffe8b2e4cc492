// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/widgets/levellink.h"

#include "models/messagemodel.h"
#include "views/widgets/leveling.h"
#include "views/widgets/messagelist.h"

#include <QScrollBar>
#include <algorithm>

namespace palimpsest {

LevelLink::LevelLink(MessageList *leader, MessageList *follower, QObject *parent)
    : QObject(parent)
    , m_leader(leader)
    , m_follower(follower)
{
    connect(leader, &MessageList::viewChanged, this, &LevelLink::update);
    connect(follower->messages(), &MessageModel::listChanged, this, &LevelLink::update);
    connect(follower, &MessageList::scrollWanted, this, [this](int pixels) {
        m_leader->verticalScrollBar()->setValue(m_leader->verticalScrollBar()->value() + pixels);
    });
    connect(follower, &MessageList::viewChanged, this, &LevelLink::update);
}

void LevelLink::setEnabled(bool enabled)
{
    m_enabled = enabled;
    update();
}

void LevelLink::update()
{
    if (m_updating)
        return;
    m_updating = true;
    const bool together =
        m_enabled && m_leader->isVisible() && m_follower->isVisible() && m_leader->window() == m_follower->window();
    const MessageModel *above = m_leader->messages();
    const MessageModel *below = m_follower->messages();
    // While one model has started anew and its list has not, there is nothing to compare.
    const bool ready = m_leader->geometry().rows() == above->rowCount()
        && m_follower->geometry().rows() == below->rowCount() && above->scene() == below->scene();
    if (!together) {
        m_follower->setOrigin({});
        m_leader->setPadding(0);
    } else if (ready) {
        const auto followerRow = [&](int row) { return below->rowOf(above->indexAt(row)); };
        const int firstKept = above->rowOf(above->scene()->fates.cutoff());
        // The panes have heads of different heights: level means level on the screen.
        const int shift =
            m_follower->viewport()->mapToGlobal(QPoint()).y() - m_leader->viewport()->mapToGlobal(QPoint()).y();
        // The first rows of the follower are not to be out of reach below a higher head.
        m_leader->setPadding(std::max(0, shift));
        const LevelSide leader{
            &m_leader->geometry(), m_leader->origin() - shift, m_leader->viewport()->height() - shift};
        const LevelSide follower{&m_follower->geometry(), m_follower->origin(), m_follower->viewport()->height()};
        m_follower->setOrigin(levelOrigin(leader, follower, firstKept, followerRow));
    }
    m_updating = false;
}

} // namespace palimpsest
