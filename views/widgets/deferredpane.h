// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include <functional>

namespace palimpsest {

/// Stands in a dock for a pane that is made when it is first shown, or asked for.
class DeferredPane : public QWidget {
    Q_OBJECT
public:
    explicit DeferredPane(std::function<QWidget *()> make, QWidget *parent = nullptr);

    /// The pane, made now where it was not yet.
    QWidget *pane();

Q_SIGNALS:
    /// The pane is there, and visible when this is.
    void made(QWidget *pane);

protected:
    void showEvent(QShowEvent *event) override;

private:
    std::function<QWidget *()> m_make; ///< empty once the pane is made
    QWidget *m_pane = nullptr;
};

} // namespace palimpsest
