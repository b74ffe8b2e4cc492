// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QStringList>
#include <QWidget>

class QLabel;
class QVBoxLayout;

namespace palimpsest {

class Theme;

/// A recording that comes with the program.
struct SampleThread {
    QString title; ///< "Four summaries in a row"
    QString words; ///< what there is to see in it
    QString location; ///< file to open

    bool operator==(const SampleThread &) const = default;
};

/// What the program is, how to start, sample threads to look at at once, and what was open before.
class StartPage : public QWidget {
    Q_OBJECT
public:
    explicit StartPage(const Theme &theme, QWidget *parent = nullptr);

    void setSamples(const QList<SampleThread> &samples);
    void setRecent(const QStringList &locations);

Q_SIGNALS:
    void openRequested(const QString &location);
    void fileDialogRequested();
    void folderDialogRequested();
    void addressRequested();

protected:
    void dragEnterEvent(QDragEnterEvent *event) override;
    void dragLeaveEvent(QDragLeaveEvent *event) override;
    void dropEvent(QDropEvent *event) override;
    void paintEvent(QPaintEvent *event) override;
    void showEvent(QShowEvent *event) override;

private:
    void restyle();
    void styleFonts();
    void fill();

    const Theme &m_theme;
    QList<SampleThread> m_samples;
    QStringList m_recent;
    QLabel *m_headline;
    QLabel *m_words;
    QLabel *m_drop;
    QVBoxLayout *m_samplesColumn;
    QVBoxLayout *m_recentColumn;
    QList<QLabel *> m_titles;
    bool m_dropping = false;
};

} // namespace palimpsest
