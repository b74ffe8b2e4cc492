// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/messagerow.h"

#include <QWidget>

class QComboBox;
class QLineEdit;
class QToolButton;

namespace palimpsest {

/// Chooses which messages a list shows: by context, by who speaks, by tool.
class FilterBar : public QWidget {
    Q_OBJECT
public:
    explicit FilterBar(QWidget *parent = nullptr);

    [[nodiscard]] MessageFilter filter() const;
    void setFilter(const MessageFilter &filter);

Q_SIGNALS:
    void changed(const palimpsest::MessageFilter &filter);

private:
    QComboBox *m_context;
    QList<QToolButton *> m_roles;
    QLineEdit *m_tool;
};

} // namespace palimpsest
