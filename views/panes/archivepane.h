// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/archivemodel.h"
#include "models/focus.h"

#include <QPixmap>
#include <QWidget>

class QLabel;
class QPlainTextEdit;
class QStackedWidget;
class QTreeView;

namespace palimpsest {

class Theme;

/// What is kept outside the log: a tree of archives, offloaded results, media and other files, and the chosen one below
/// it. Follows the chosen message to the section or file that holds it.
class ArchivePane : public QWidget {
    Q_OBJECT
public:
    ArchivePane(Focus *focus, Theme *theme, ArchiveModel::Maker maker = {}, QWidget *parent = nullptr);

    [[nodiscard]] ArchiveModel *model() const { return m_model; }
    [[nodiscard]] QTreeView *tree() const { return m_tree; }
    [[nodiscard]] QPlainTextEdit *text() const { return m_text; }
    /// The picture shown; null when none is.
    [[nodiscard]] QPixmap picture() const;
    /// Where a section of an event, or a file, is in the tree's viewport; its folded ancestor when it is folded away.
    [[nodiscard]] QRect sectionRect(int event) const;
    [[nodiscard]] QRect fileRect(const std::string &path) const;

protected:
    void resizeEvent(QResizeEvent *event) override;

private:
    void onReset();
    void onChosen(const Place &now, const Place &before);
    void showChosen();
    void showFile(const std::string &path, int section, int message);
    void showText(const std::string &bytes, const ArchiveSection *section, const ArchivedMessage *message);
    void showMedia(const Message &message);
    /// The first picture that the message holds or refers to; null when there is none that can be shown.
    [[nodiscard]] QImage pictureOf(const Message &message) const;
    void showThumbnail(const Message *message);
    void showPicture(const QByteArray &bytes, const QString &what);
    void markRange(qsizetype start, qsizetype length, bool chosen);
    void scalePicture();
    void restyle();
    [[nodiscard]] QRect visibleRect(QModelIndex index) const;

    Focus *m_focus;
    Theme *m_theme;
    ArchiveModel *m_model;
    QTreeView *m_tree;
    QLabel *m_caption;
    QStackedWidget *m_viewer;
    QPlainTextEdit *m_text;
    QLabel *m_picture;
    QLabel *m_thumbnail; ///< the chosen message's picture, above the section that holds it
    QLabel *m_nothing;
    QPixmap m_original;
    QString m_shown; ///< the text shown
    bool m_quiet = false;
};

} // namespace palimpsest
