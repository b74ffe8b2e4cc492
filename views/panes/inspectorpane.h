// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/inspection.h"

#include <QWidget>

#include <memory>

class QLabel;
class QTimer;
class QToolButton;

namespace palimpsest {

class Focus;
class Highlighter;
class InspectionView;
class Theme;
struct Place;

/// Whatever is selected, in full: a message with its blocks, tool call arguments highlighted by their file's name,
/// usage, metadata; a file; an event; a checkpoint; a call. "As stored" shows the stored form as JSON.
class InspectorPane : public QWidget {
    Q_OBJECT
public:
    InspectorPane(const Theme &theme, std::shared_ptr<Highlighter> highlighter, QWidget *parent = nullptr);

    /// Follows the selection from now on.
    void follow(Focus *focus);
    void setInspection(const Inspection &inspection);
    [[nodiscard]] const Inspection &inspection() const { return m_inspection; }
    [[nodiscard]] InspectionView *view() const { return m_view; }

public Q_SLOTS:
    /// Copies the text, or the JSON while that is shown.
    void copy();

protected:
    void showEvent(QShowEvent *event) override;

private:
    void restyle();
    void onChosen(const Place &now, const Place &before);
    void onScene();
    void showMessage();
    void showFile();
    void showState();

    const Theme &m_theme;
    std::shared_ptr<Highlighter> m_highlighter;
    Focus *m_focus = nullptr;
    QTimer *m_later;
    Inspection m_inspection;
    bool m_stale = false; ///< the selection changed while the pane was hidden
    std::optional<Inspection::Subject> m_wanted; ///< what was chosen last; nothing: whatever the place names
    QLabel *m_badge;
    QLabel *m_title;
    QLabel *m_subtitle;
    QToolButton *m_stored;
    QToolButton *m_copy;
    InspectionView *m_view;
};

} // namespace palimpsest
