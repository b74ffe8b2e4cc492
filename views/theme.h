// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/thread/message.h"
#include "core/values/finding.h"

#include <QBrush>
#include <QColor>
#include <QFont>
#include <QObject>
#include <QPalette>
#include <QPen>

#include <array>

class QApplication;

namespace palimpsest {

/// What a colour stands for. Panes and delegates ask for a meaning, never for a colour.
enum class Ink {
    // Surfaces
    Window, ///< behind docks and cards
    Card, ///< where text stands: lists, editors
    CardAlternate, ///< every other row, code blocks
    Header, ///< titles of panes, table heads
    Line, ///< hairlines
    LineStrong, ///< outlines that must be seen (3:1)
    // Text on a card
    Text,
    TextSecondary, ///< captions, numbers
    TextFaint, ///< out of context: dimmed, still readable
    // Interaction
    Accent,
    Selection, ///< ground of what is selected
    SelectionText,
    Hover,
    Match, ///< ground of a search hit
    MatchCurrent,
    Playhead,
    // Who speaks
    Human,
    Ai,
    Tool,
    System, ///< system message and tool schemas
    Summary,
    OtherRole,
    // What happened
    Event, ///< a summarization event
    Truncation,
    Eviction,
    Clip,
    Patch,
    Offload,
    Media,
    Archive,
    // How it stands
    Recorded,
    WhatIf,
    TriggerLine,
    MustKeep,
    Changed,
    Added,
    Removed,
    Info,
    Warning,
    Error,
    Good,
    Count
};

/// Who said it, as a meaning; a summary message has its own.
Ink inkOf(MessageKind kind, bool isSummary = false);
Ink inkOf(Finding::Severity severity);

/// Colours by meaning for light, dark and high contrast, derived from a palette; and the fonts. One object, made by the
/// composition root and passed to whoever paints. Every text colour reaches 4.5:1 on a card (7:1 in high contrast),
/// every mark 3:1.
class Theme : public QObject {
    Q_OBJECT
public:
    enum class Mode {
        System, ///< light or dark as the system says, and it may change while we run
        Light,
        Dark,
        HighContrast, ///< black on white or white on black, as the system says
    };
    Q_ENUM(Mode)

    explicit Theme(QObject *parent = nullptr);

    /// Style, palette and fonts of the whole application follow this theme from now on.
    void install(QApplication &application);

    [[nodiscard]] Mode mode() const { return m_mode; }
    void setMode(Mode mode);
    [[nodiscard]] bool isDark() const { return m_dark; }
    [[nodiscard]] bool isHighContrast() const { return m_mode == Mode::HighContrast; }
    /// "system", "light", "dark", "contrast": as settings keep it.
    [[nodiscard]] static QString modeName(Mode mode);
    [[nodiscard]] static Mode modeFromName(const QString &name);

    /// The strong colour: lines, bars, marks (3:1 on a card), or the surface itself.
    [[nodiscard]] QColor color(Ink ink) const { return m_strong[static_cast<std::size_t>(ink)]; }
    /// The same meaning as text on a card (4.5:1).
    [[nodiscard]] QColor text(Ink ink) const { return m_text[static_cast<std::size_t>(ink)]; }
    /// The same meaning as a pale ground; `Ink::Text` reads on it.
    [[nodiscard]] QColor fill(Ink ink) const { return m_fill[static_cast<std::size_t>(ink)]; }
    /// Text on the strong colour, as in a badge or a flag.
    [[nodiscard]] QColor onColor(Ink ink) const { return m_on[static_cast<std::size_t>(ink)]; }

    /// Recorded lines are solid, a what-if's are dashed: told apart without colour.
    [[nodiscard]] QPen linePen(bool whatIf, qreal width = 1.6) const;
    /// Recorded areas are plain, a what-if's are hatched.
    [[nodiscard]] QBrush areaBrush(Ink ink, bool whatIf) const;

    [[nodiscard]] const QPalette &palette() const { return m_palette; }
    [[nodiscard]] QFont uiFont() const { return m_uiFont; }
    [[nodiscard]] QFont smallFont() const; ///< captions, numbers in rows
    [[nodiscard]] QFont titleFont() const; ///< titles of panes
    [[nodiscard]] QFont headlineFont() const; ///< the start page
    [[nodiscard]] QFont codeFont() const { return m_codeFont; }
    /// One step of text size up or down (Ctrl++, Ctrl+-); 0 goes back.
    void zoomText(int steps);

Q_SIGNALS:
    /// Colours or fonts are others now: ask again and repaint.
    void changed();

private:
    void rebuild();
    [[nodiscard]] QString styleSheet() const;

    static constexpr std::size_t inkCount = static_cast<std::size_t>(Ink::Count);
    Mode m_mode = Mode::System;
    bool m_dark = false;
    int m_textSteps = 0;
    QPalette m_palette;
    QFont m_baseFont;
    QFont m_uiFont;
    QFont m_codeFont;
    QApplication *m_application = nullptr;
    std::array<QColor, inkCount> m_strong;
    std::array<QColor, inkCount> m_text;
    std::array<QColor, inkCount> m_fill;
    std::array<QColor, inkCount> m_on;
};

} // namespace palimpsest
