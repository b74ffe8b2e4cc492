// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTimer>
#include <QWidget>

namespace palimpsest {

class Theme;

/// Lies over a widget that shows an old result while the new one is being made: greys it and takes its clicks. Comes
/// after a moment, so that what is quick does not flicker.
class Veil : public QWidget {
    Q_OBJECT
public:
    Veil(const Theme &theme, QWidget *over);

    void setStale(bool stale);

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;
    void paintEvent(QPaintEvent *event) override;

private:
    const Theme &m_theme;
    QTimer m_later;
};

} // namespace palimpsest
