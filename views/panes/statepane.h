// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/thread/threadreader.h"

#include <QWidget>

#include <functional>

class QCheckBox;
class QTimer;
class QTreeView;

namespace palimpsest {

class Focus;
class PaneHead;
class StateModel;
class Theme;

/// Every channel of the checkpoint that is looked at, as a tree; changed ones are marked.
class StatePane : public QWidget {
    Q_OBJECT
public:
    using Done = std::function<void(const Result<std::vector<ChannelState>> &)>;
    /// Reads the channels of a checkpoint in a job and calls back on this thread; the newest request wins.
    using Reader = std::function<void(const std::string &ns, CheckpointIndex checkpoint, QObject *receiver, Done done)>;

    StatePane(const Theme &theme, Reader reader, QWidget *parent = nullptr);

    void follow(Focus *focus);
    void setChannels(const Result<std::vector<ChannelState>> &channels);
    [[nodiscard]] StateModel *model() const { return m_model; }

protected:
    void showEvent(QShowEvent *event) override;

private:
    void want();
    void read();
    void updateHead();
    void showMenu(const QPoint &place);

    const Theme &m_theme;
    Reader m_reader;
    Focus *m_focus = nullptr;
    StateModel *m_model;
    QTreeView *m_tree;
    PaneHead *m_head;
    QCheckBox *m_onlyChanged;
    QTimer *m_later;
    QString m_place; ///< "step 12"
    bool m_stale = true;
};

} // namespace palimpsest
