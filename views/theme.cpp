// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/theme.h"

#include "views/cachedstyle.h"

#include "views/contrast.h"

#include <QApplication>
#include <QFontDatabase>
#include <QGuiApplication>
#include <QStyleHints>

#include <algorithm>
#include <utility>

namespace palimpsest {

using namespace Qt::StringLiterals;

namespace {

struct Surfaces {
    QRgb window, card, cardAlternate, header, line, text, secondary, faint, accent, selection, hover, match,
        matchCurrent;
};

constexpr Surfaces light{0xf4f6f8, 0xffffff, 0xf7f9fb, 0xeceff3, 0xd9dfe6, 0x1d232b, 0x56616e, 0x737d89, 0x2a63c4,
    0xd7e4f8, 0xeef3fa, 0xfff0bf, 0xffd65c};
constexpr Surfaces dark{0x15181c, 0x1d2126, 0x22272d, 0x272c33, 0x363d46, 0xe4e8ed, 0xa5afba, 0x8993a0, 0x7aa7f2,
    0x2c4267, 0x272e37, 0x574a1c, 0x735f18};
constexpr Surfaces contrastLight{0xffffff, 0xffffff, 0xffffff, 0xffffff, 0x000000, 0x000000, 0x000000, 0x2b2b2b,
    0x0000b4, 0xffe100, 0xfff6b0, 0xffe100, 0xff9e00};
constexpr Surfaces contrastDark{0x000000, 0x000000, 0x000000, 0x000000, 0xffffff, 0xffffff, 0xffffff, 0xd6d6d6,
    0x9fd0ff, 0x0a4fd0, 0x10233f, 0x5c5200, 0x8a5a00};

struct MeaningColor {
    Ink ink;
    QRgb onLight;
    QRgb onDark;
};

// The roles keep their hue in every scheme. Human, AI and tool differ in lightness too, for eyes that see few hues.
constexpr MeaningColor meanings[] = {
    {Ink::Human, 0x3f6fc4, 0x7ea6ee},
    {Ink::Ai, 0x2c9070, 0x58c7a0},
    {Ink::Tool, 0x94733f, 0xc8a571},
    {Ink::System, 0x7c8794, 0x8c97a5},
    {Ink::Summary, 0x8e46a6, 0xc58bdc},
    {Ink::OtherRole, 0x66707c, 0x9aa4b0},
    {Ink::Event, 0x8846a2, 0xc084da},
    {Ink::Truncation, 0xb06a12, 0xe0a458},
    {Ink::Eviction, 0xa8562a, 0xe09468},
    {Ink::Clip, 0xa33d63, 0xe58aa9},
    {Ink::Patch, 0x39788f, 0x76bbd2},
    {Ink::Offload, 0xa8562a, 0xe09468},
    {Ink::Media, 0x1f7a9c, 0x63bfe0},
    {Ink::Archive, 0x7b5bb0, 0xb39ae2},
    {Ink::Recorded, 0x3c4653, 0xc9d1da},
    {Ink::WhatIf, 0x2a2f36, 0xf0f3f6},
    {Ink::TriggerLine, 0xc2392f, 0xf07a70},
    {Ink::MustKeep, 0xb07a00, 0xe6bb4a},
    {Ink::Changed, 0xb06a12, 0xe0a458},
    {Ink::Added, 0x2a8050, 0x62c48c},
    {Ink::Removed, 0xbd3a3a, 0xee8484},
    {Ink::Info, 0x2f6fb5, 0x7db4ee},
    {Ink::Warning, 0xa86a00, 0xe5b04a},
    {Ink::Error, 0xc0322b, 0xf2807a},
    {Ink::Good, 0x2a8050, 0x62c48c},
    {Ink::Playhead, 0xd1590f, 0xff9148},
};

std::size_t at(Ink ink)
{
    return static_cast<std::size_t>(ink);
}

QString css(const QColor &color)
{
    return color.name(QColor::HexRgb);
}

} // namespace

Ink inkOf(MessageKind kind, bool isSummary)
{
    if (isSummary)
        return Ink::Summary;
    switch (kind) {
    case MessageKind::Human:
        return Ink::Human;
    case MessageKind::Ai:
        return Ink::Ai;
    case MessageKind::Tool:
    case MessageKind::Function:
        return Ink::Tool;
    case MessageKind::System:
        return Ink::System;
    case MessageKind::Remove:
        return Ink::Removed;
    case MessageKind::Chat:
    case MessageKind::Other:
        break;
    }
    return Ink::OtherRole;
}

Ink inkOf(Finding::Severity severity)
{
    switch (severity) {
    case Finding::Severity::Info:
        return Ink::Info;
    case Finding::Severity::Warning:
        return Ink::Warning;
    case Finding::Severity::Error:
        break;
    }
    return Ink::Error;
}

Theme::Theme(QObject *parent)
    : QObject(parent)
    , m_baseFont(QGuiApplication::font())
{
    rebuild();
    connect(QGuiApplication::styleHints(), &QStyleHints::colorSchemeChanged, this, [this] {
        if (m_mode == Mode::System || m_mode == Mode::HighContrast)
            rebuild();
    });
}

void Theme::install(QApplication &application)
{
    m_application = &application;
    QApplication::setStyle(new CachedStyle);
    rebuild();
}

void Theme::setMode(Mode mode)
{
    if (m_mode == mode)
        return;
    m_mode = mode;
    rebuild();
}

QString Theme::modeName(Mode mode)
{
    switch (mode) {
    case Mode::Light:
        return u"light"_s;
    case Mode::Dark:
        return u"dark"_s;
    case Mode::HighContrast:
        return u"contrast"_s;
    case Mode::System:
        break;
    }
    return u"system"_s;
}

Theme::Mode Theme::modeFromName(const QString &name)
{
    for (const Mode mode : {Mode::Light, Mode::Dark, Mode::HighContrast})
        if (modeName(mode) == name)
            return mode;
    return Mode::System;
}

void Theme::zoomText(int steps)
{
    m_textSteps = steps == 0 ? 0 : std::clamp(m_textSteps + steps, -4, 12);
    rebuild();
}

void Theme::rebuild()
{
    const bool systemDark = QGuiApplication::styleHints()->colorScheme() == Qt::ColorScheme::Dark;
    m_dark = m_mode == Mode::Dark || (m_mode != Mode::Light && systemDark);
    const bool high = isHighContrast();
    const Surfaces &s = high ? (m_dark ? contrastDark : contrastLight) : (m_dark ? dark : light);
    const QColor card(s.card);
    const double textRatio = high ? 7.0 : 4.5;

    const auto surface = [&](Ink ink, QRgb rgb) {
        const QColor color(rgb);
        m_strong[at(ink)] = m_fill[at(ink)] = color;
        m_text[at(ink)] = readableOn(color, card, textRatio);
        m_on[at(ink)] = readableOn(QColor(s.text), color, textRatio);
    };
    surface(Ink::Window, s.window);
    surface(Ink::Card, s.card);
    surface(Ink::CardAlternate, s.cardAlternate);
    surface(Ink::Header, s.header);
    surface(Ink::Line, s.line);
    surface(Ink::LineStrong, readableOn(QColor(s.line), card, 3.0).rgb());
    surface(Ink::Hover, s.hover);
    surface(Ink::Match, s.match);
    surface(Ink::MatchCurrent, s.matchCurrent);
    surface(Ink::Selection, s.selection);
    const auto ink = [&](Ink meaning, const QColor &wanted) {
        const QColor strong = readableOn(wanted, card, high ? 4.5 : 3.0);
        m_strong[at(meaning)] = strong;
        m_text[at(meaning)] = readableOn(wanted, card, textRatio);
        m_fill[at(meaning)] = mixed(card, strong, m_dark ? 0.26 : 0.15);
        const QColor paper = m_dark ? QColor(0x10, 0x12, 0x15) : QColor(Qt::white);
        m_on[at(meaning)] = readableOn(paper, strong, textRatio);
    };
    ink(Ink::Text, QColor(s.text));
    // Secondary and faint text must also read on the grounds of headers and selected rows.
    const QColor deepest =
        contrastRatio(QColor(s.text), QColor(s.selection)) < contrastRatio(QColor(s.text), QColor(s.header))
        ? QColor(s.selection)
        : QColor(s.header);
    ink(Ink::TextSecondary, readableOn(QColor(s.secondary), deepest, textRatio));
    ink(Ink::TextFaint, readableOn(QColor(s.faint), card, textRatio));
    ink(Ink::SelectionText, readableOn(QColor(s.text), QColor(s.selection), textRatio));
    ink(Ink::Accent, QColor(s.accent));
    for (const MeaningColor &meaning : meanings)
        ink(meaning.ink, QColor(m_dark ? meaning.onDark : meaning.onLight));

    QPalette palette;
    palette.setColor(QPalette::Window, color(Ink::Window));
    palette.setColor(QPalette::WindowText, color(Ink::Text));
    palette.setColor(QPalette::Base, card);
    palette.setColor(QPalette::AlternateBase, color(Ink::CardAlternate));
    palette.setColor(QPalette::Text, color(Ink::Text));
    palette.setColor(QPalette::PlaceholderText, color(Ink::TextFaint));
    palette.setColor(QPalette::Button, high ? card : color(Ink::Header));
    palette.setColor(QPalette::ButtonText, color(Ink::Text));
    palette.setColor(QPalette::BrightText, color(Ink::Error));
    palette.setColor(QPalette::Highlight, color(Ink::Selection));
    palette.setColor(QPalette::HighlightedText, color(Ink::SelectionText));
    palette.setColor(QPalette::Accent, color(Ink::Accent));
    palette.setColor(QPalette::Link, text(Ink::Accent));
    palette.setColor(QPalette::LinkVisited, text(Ink::Summary));
    palette.setColor(QPalette::ToolTipBase, color(Ink::Card));
    palette.setColor(QPalette::ToolTipText, color(Ink::Text));
    palette.setColor(QPalette::Light, mixed(card, Qt::white, 0.5));
    palette.setColor(QPalette::Midlight, color(Ink::Line));
    palette.setColor(QPalette::Mid, color(Ink::Line));
    palette.setColor(QPalette::Dark, color(Ink::LineStrong));
    palette.setColor(QPalette::Shadow, m_dark ? QColor(Qt::black) : color(Ink::LineStrong));
    for (const QPalette::ColorRole role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
        palette.setColor(QPalette::Disabled, role, color(Ink::TextFaint));
    m_palette = palette;

    m_uiFont = m_baseFont;
    const qreal size = m_baseFont.pointSizeF() > 0 ? m_baseFont.pointSizeF() : 9.0;
    m_uiFont.setPointSizeF(std::max(6.0, size + m_textSteps));
    m_codeFont = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    m_codeFont.setStyleHint(QFont::Monospace);
    m_codeFont.setFixedPitch(true);
    m_codeFont.setPointSizeF(std::max(6.0, size - 0.5 + m_textSteps));
    if (m_application) {
        QApplication::setFont(m_uiFont);
        QApplication::setPalette(m_palette);
        m_application->setStyleSheet(styleSheet());
    }
    Q_EMIT changed();
}

QFont Theme::smallFont() const
{
    QFont font = m_uiFont;
    font.setPointSizeF(std::max(6.0, m_uiFont.pointSizeF() - 1.0));
    return font;
}

QFont Theme::titleFont() const
{
    QFont font = m_uiFont;
    font.setWeight(QFont::DemiBold);
    return font;
}

QFont Theme::headlineFont() const
{
    QFont font = m_uiFont;
    font.setPointSizeF(m_uiFont.pointSizeF() * 2.2);
    font.setWeight(QFont::DemiBold);
    return font;
}

QPen Theme::linePen(bool whatIf, qreal width) const
{
    QPen pen(color(whatIf ? Ink::WhatIf : Ink::Recorded), width);
    pen.setCosmetic(true);
    pen.setJoinStyle(Qt::RoundJoin);
    if (whatIf)
        pen.setDashPattern({2.0, 2.2});
    return pen;
}

QBrush Theme::areaBrush(Ink ink, bool whatIf) const
{
    if (whatIf)
        return QBrush(color(ink), Qt::BDiagPattern);
    return QBrush(color(ink));
}

QString Theme::styleSheet() const
{
    const bool high = isHighContrast();
    QString sheet = uR"(
QMainWindow::separator { background: @window; width: 6px; height: 6px; }
QMainWindow::separator:hover { background: @selection; }
QToolBar { background: @header; border: none; border-bottom: 1px solid @line; padding: 4px 6px; spacing: 4px; }
QToolButton { background: transparent; padding: 3px 8px; border: 1px solid transparent; border-radius: 5px; color: @text; }
QToolButton:hover { background: @card; border-color: @line; }
QToolButton:checked, QToolButton:pressed { background: @selection; color: @seltext; border-color: @accent; }
QToolButton:focus { border-color: @accent; }
QToolButton:disabled { color: @faint; }
QMenuBar { background: @header; color: @text; }
QMenuBar::item { padding: 4px 9px; background: transparent; border-radius: 4px; }
QMenuBar::item:selected { background: @selection; color: @seltext; }
QMenu { background: @card; color: @text; border: 1px solid @linestrong; padding: 4px; }
QMenu::item { padding: 5px 26px 5px 22px; border-radius: 4px; }
QMenu::item:selected { background: @selection; color: @seltext; }
QMenu::item:disabled { color: @faint; }
QMenu::separator { height: 1px; background: @line; margin: 4px 6px; }
QStatusBar { background: @header; color: @secondary; border-top: 1px solid @line; }
QStatusBar::item { border: none; }
QToolTip { background: @card; color: @text; border: 1px solid @linestrong; padding: 5px; }
QTabBar { qproperty-drawBase: 0; }
QTabBar::tab { background: transparent; color: @secondary; padding: 5px 7px; margin: 2px 1px; border: 1px solid transparent; border-radius: 5px; }
QTabBar::tab:hover { background: @hover; color: @text; }
QTabBar::tab:selected { background: @selection; color: @seltext; border-color: @tabline; }
QTabBar::tab:focus { border-color: @accent; }
QTabBar::tear { width: 0; border: none; }
QHeaderView { background: @header; }
QHeaderView::section { background: @header; color: @secondary; padding: 4px 6px; border: none; border-right: 1px solid @line; border-bottom: 1px solid @line; }
QTableCornerButton::section { background: @header; border: none; border-right: 1px solid @line; border-bottom: 1px solid @line; }
QLineEdit, QPlainTextEdit, QTextEdit { background: @card; color: @text; selection-background-color: @selection; selection-color: @seltext; }
QLineEdit { border: 1px solid @line; border-radius: 5px; padding: 4px 7px; }
QLineEdit:focus { border-color: @accent; }
QAbstractScrollArea { border: 1px solid @line; border-radius: 0; }
QAbstractScrollArea:focus { border-color: @accent; }
QScrollArea, QScrollArea:focus { border: none; background: transparent; }
QPushButton { background: @card; color: @text; border: 1px solid @linestrong; border-radius: 5px; padding: 5px 12px; }
QPushButton:hover { background: @hover; }
QPushButton:pressed, QPushButton:checked { background: @selection; color: @seltext; border-color: @accent; }
QPushButton:focus { border-color: @accent; }
QPushButton:default { border-color: @accent; }
QPushButton:disabled { color: @faint; border-color: @line; }
QScrollBar:vertical { background: transparent; width: 11px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: 11px; margin: 0; }
QScrollBar::handle { background: @scroll; border-radius: 4px; margin: 1px; }
QScrollBar::handle:vertical { min-height: 28px; }
QScrollBar::handle:horizontal { min-width: 28px; }
QScrollBar::handle:hover { background: @scrollhover; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
QSplitter::handle { background: @window; }
)"_s;
    const std::pair<QLatin1StringView, QString> names[] = {
        // Longer names first: a name may begin another one.
        {"@window"_L1, css(color(Ink::Window))},
        {"@header"_L1, css(color(Ink::Header))},
        {"@linestrong"_L1, css(color(Ink::LineStrong))},
        {"@line"_L1, css(color(Ink::Line))},
        {"@tabline"_L1, css(high ? color(Ink::LineStrong) : color(Ink::Selection))},
        {"@card"_L1, css(color(Ink::Card))},
        {"@hover"_L1, css(color(Ink::Hover))},
        {"@accent"_L1, css(color(Ink::Accent))},
        {"@selection"_L1, css(color(Ink::Selection))},
        {"@seltext"_L1, css(color(Ink::SelectionText))},
        {"@secondary"_L1, css(color(Ink::TextSecondary))},
        {"@faint"_L1, css(color(Ink::TextFaint))},
        {"@text"_L1, css(color(Ink::Text))},
        {"@scrollhover"_L1, css(color(Ink::TextFaint))},
        {"@scroll"_L1, css(high ? color(Ink::LineStrong) : mixed(color(Ink::Card), color(Ink::Text), 0.26))},
    };
    for (const auto &[name, value] : names)
        sheet.replace(name, value);
    return sheet;
}

} // namespace palimpsest
