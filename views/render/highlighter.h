// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QList>
#include <QString>
#include <QTextCharFormat>

#include <memory>

namespace KSyntaxHighlighting {
class Repository;
}

namespace palimpsest {

/// Which colours highlighted text stands on.
enum class RenderLook { Light, Dark };

/// A piece of a line with its own look.
struct HighlightSpan {
    int start = 0; ///< UTF-16 units in the line
    int length = 0;
    QTextCharFormat format;

    bool operator==(const HighlightSpan &) const = default;
};

/// Highlights text line by line with KSyntaxHighlighting, without a window. Line by line, so that a long text can be
/// done in slices. Lines beyond 4,000 characters stay plain: they are data, and would take long.
class Highlighter {
public:
    /// The list of syntaxes is loaded at the first use (some tens of milliseconds): make one and keep it.
    Highlighter();
    ~Highlighter();
    Highlighter(const Highlighter &) = delete;
    Highlighter &operator=(const Highlighter &) = delete;

    /// The syntax to use: `syntax` when it is known, else by the file name; empty when there is none.
    [[nodiscard]] QString syntaxFor(const QString &syntax, const QString &fileName) const;
    /// Colours are adjusted so that each reaches 4.5:1 on `ground`.
    void setLook(RenderLook look, const QColor &ground);

    /// Where highlighting stands between two lines.
    class Run {
    public:
        ~Run();
        Run(Run &&) noexcept;
        Run &operator=(Run &&) noexcept;
        /// Spans of the next line (without its line break).
        QList<HighlightSpan> next(const QString &line);

    private:
        friend class Highlighter;
        struct Work;
        explicit Run(std::unique_ptr<Work> work);
        std::unique_ptr<Work> m_work;
    };
    /// Begins a text. An unknown or empty syntax gives no spans.
    [[nodiscard]] Run begin(const QString &syntax) const;

    /// The whole text as HTML for a <pre>, for exports: each colour as CSS `light-dark()`, readable on both grounds.
    [[nodiscard]] QString toHtml(
        const QString &text, const QString &syntax, const QColor &lightGround, const QColor &darkGround) const;

private:
    [[nodiscard]] Run begin(const QString &syntax, RenderLook look, const QColor &ground) const;
    [[nodiscard]] KSyntaxHighlighting::Repository &repository() const;

    mutable std::unique_ptr<KSyntaxHighlighting::Repository> m_repository;
    RenderLook m_look = RenderLook::Light;
    QColor m_ground = Qt::white;
};

} // namespace palimpsest
