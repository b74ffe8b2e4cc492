// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/render/highlighter.h"

#include <KSyntaxHighlighting/AbstractHighlighter>
#include <KSyntaxHighlighting/Definition>
#include <KSyntaxHighlighting/Format>
#include <KSyntaxHighlighting/Repository>
#include <KSyntaxHighlighting/State>
#include <KSyntaxHighlighting/Theme>

#include <QHash>
#include <QTextLayout>

#include <algorithm>
#include <cmath>

namespace palimpsest {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype longestLine = 4000;

double luminance(const QColor &color)
{
    const auto linear = [](double c) { return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4); };
    return 0.2126 * linear(color.redF()) + 0.7152 * linear(color.greenF()) + 0.0722 * linear(color.blueF());
}

/// A syntax colour moved towards black or white until it reads on the ground (4.5:1).
QColor readable(QColor ink, const QColor &ground)
{
    const double below = luminance(ground);
    const bool darker = below > 0.18;
    for (int step = 0; step < 20; ++step) {
        const double own = luminance(ink);
        if ((std::max(own, below) + 0.05) / (std::min(own, below) + 0.05) >= 4.5)
            break;
        ink = darker ? ink.darker(112)
                     : QColor::fromRgbF(ink.redF() + (1 - ink.redF()) * 0.12F,
                           ink.greenF() + (1 - ink.greenF()) * 0.12F, ink.blueF() + (1 - ink.blueF()) * 0.12F);
    }
    return ink;
}

} // namespace

struct Highlighter::Run::Work : KSyntaxHighlighting::AbstractHighlighter {
    KSyntaxHighlighting::State state;
    KSyntaxHighlighting::Theme look;
    QColor ground;
    QList<HighlightSpan> spans;
    QHash<int, QTextCharFormat> formats; ///< by KSyntaxHighlighting's format id

    void applyFormat(int offset, int length, const KSyntaxHighlighting::Format &format) override
    {
        if (length <= 0 || format.isDefaultTextStyle(look))
            return;
        auto known = formats.constFind(format.id());
        if (known == formats.cend()) {
            QTextCharFormat made;
            if (format.hasTextColor(look))
                made.setForeground(readable(format.textColor(look), ground));
            if (format.isBold(look))
                made.setFontWeight(QFont::DemiBold);
            if (format.isItalic(look))
                made.setFontItalic(true);
            if (format.isUnderline(look))
                made.setFontUnderline(true);
            known = formats.insert(format.id(), made);
        }
        spans.append({offset, length, *known});
    }
    using AbstractHighlighter::highlightLine;
};

Highlighter::Run::Run(std::unique_ptr<Work> work)
    : m_work(std::move(work))
{
}

Highlighter::Run::~Run() = default;
Highlighter::Run::Run(Run &&) noexcept = default;
Highlighter::Run &Highlighter::Run::operator=(Run &&) noexcept = default;

QList<HighlightSpan> Highlighter::Run::next(const QString &line)
{
    if (!m_work->definition().isValid() || line.size() > longestLine)
        return {};
    m_work->spans.clear();
    m_work->state = m_work->highlightLine(line, m_work->state);
    return m_work->spans;
}

Highlighter::Highlighter() = default;

KSyntaxHighlighting::Repository &Highlighter::repository() const
{
    if (!m_repository)
        m_repository = std::make_unique<KSyntaxHighlighting::Repository>();
    return *m_repository;
}

Highlighter::~Highlighter() = default;

QString Highlighter::syntaxFor(const QString &syntax, const QString &fileName) const
{
    if (!syntax.isEmpty()) {
        const auto definition = repository().definitionForName(syntax);
        if (definition.isValid())
            return definition.name();
    }
    if (fileName.isEmpty())
        return {};
    const auto definition = repository().definitionForFileName(fileName);
    return definition.isValid() && definition.name() != u"None"_s ? definition.name() : QString();
}

void Highlighter::setLook(RenderLook look, const QColor &ground)
{
    m_look = look;
    m_ground = ground;
}

Highlighter::Run Highlighter::begin(const QString &syntax) const
{
    return begin(syntax, m_look, m_ground);
}

Highlighter::Run Highlighter::begin(const QString &syntax, RenderLook look, const QColor &ground) const
{
    auto work = std::make_unique<Run::Work>();
    if (!syntax.isEmpty())
        work->setDefinition(repository().definitionForName(syntax));
    work->look = repository().defaultTheme(look == RenderLook::Dark ? KSyntaxHighlighting::Repository::DarkTheme
                                                                    : KSyntaxHighlighting::Repository::LightTheme);
    work->setTheme(work->look);
    work->ground = ground;
    return Run(std::move(work));
}

QString Highlighter::toHtml(
    const QString &text, const QString &syntax, const QColor &lightGround, const QColor &darkGround) const
{
    QString html;
    Run light = begin(syntax, RenderLook::Light, lightGround);
    Run dark = begin(syntax, RenderLook::Dark, darkGround);
    bool first = true;
    for (const QStringView line : QStringView(text).split(u'\n')) {
        if (!first)
            html += u'\n';
        first = false;
        const QString own = line.toString();
        qsizetype done = 0;
        QList<HighlightSpan> spans = light.next(own);
        QHash<int, QColor> darkColours; // by the start of a span: both looks cut a line at the same places
        for (const HighlightSpan &span : dark.next(own))
            darkColours.insert(span.start, span.format.foreground().color());
        std::ranges::sort(spans, {}, &HighlightSpan::start);
        for (const HighlightSpan &span : spans) {
            if (span.start < done)
                continue;
            html += own.mid(done, span.start - done).toHtmlEscaped();
            QString style;
            if (span.format.foreground().style() != Qt::NoBrush)
                style += u"color:light-dark(%1,%2);"_s.arg(span.format.foreground().color().name(),
                    darkColours.value(span.start, darkGround.lighter(400)).name());
            if (span.format.fontWeight() > QFont::Normal)
                style += u"font-weight:bold;"_s;
            if (span.format.fontItalic())
                style += u"font-style:italic;"_s;
            const QString piece = own.mid(span.start, span.length).toHtmlEscaped();
            html += style.isEmpty() ? piece : u"<span style=\"%1\">%2</span>"_s.arg(style, piece);
            done = span.start + span.length;
        }
        html += own.mid(done).toHtmlEscaped();
    }
    return html;
}

} // namespace palimpsest
