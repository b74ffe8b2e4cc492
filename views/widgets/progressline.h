// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

namespace palimpsest {

class Theme;

/// What is being done and how far it is, in a line. Unlike QProgressBar it paints with the next frame and never at
/// once: progress comes often while a thread is read.
class ProgressLine : public QWidget {
    Q_OBJECT
public:
    explicit ProgressLine(const Theme &theme, QWidget *parent = nullptr);

    /// A fraction from 0 to 1; negative when it is not known.
    void setProgress(double fraction, const QString &doing);
    [[nodiscard]] double fraction() const { return m_fraction; }
    [[nodiscard]] QString doing() const { return m_doing; }

    [[nodiscard]] QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    const Theme &m_theme;
    double m_fraction = -1;
    QString m_doing;
};

} // namespace palimpsest
