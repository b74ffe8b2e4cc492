// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/delegates/messagedelegate.h"

#include "models/display.h"

#include <QPainter>
#include <QPainterPath>

namespace palimpsest {

using namespace Qt::StringLiterals;

namespace {

constexpr int side = 6; ///< between the edge of the list and a card
constexpr int barWidth = 4;
constexpr int foldWidth = 18;
constexpr int resultIndent = 16;
constexpr qreal radius = 4;
constexpr int mostLines = 60; ///< of an unfolded row

QString letterOf(const MessageRow &row)
{
    if (row.summary)
        return u"Σ"_s;
    switch (row.kind) {
    case MessageKind::Human:
        return u"H"_s;
    case MessageKind::Ai:
        return u"A"_s;
    case MessageKind::Tool:
    case MessageKind::Function:
        return u"T"_s;
    case MessageKind::System:
        return u"S"_s;
    case MessageKind::Remove:
        return u"–"_s;
    default:
        return row.role.isEmpty() ? u"?"_s : row.role.left(1).toUpper();
    }
}

/// "17:21:03" of an ISO 8601 time, without the cost of parsing it.
QString clockOf(const QString &iso)
{
    const qsizetype t = iso.indexOf(u'T');
    return t < 0 ? QString() : iso.mid(t + 1, 8);
}

} // namespace

MessageDelegate::MessageDelegate(Theme *theme, QObject *parent)
    : QStyledItemDelegate(parent)
    , m_theme(theme)
{
    connect(theme, &Theme::changed, this, &MessageDelegate::refresh);
    refresh();
}

void MessageDelegate::refresh()
{
    m_font = m_theme->uiFont();
    m_small = m_theme->smallFont();
    m_bold = m_font;
    m_bold.setWeight(QFont::DemiBold);
    m_letter = m_small;
    m_letter.setWeight(QFont::Bold);
    m_base = QFontMetrics(m_font).height() + 14;
    m_unfolded.clear();
}

int MessageDelegate::indent(const MessageRow &row)
{
    return row.kind == MessageKind::Tool && row.callIsNear ? resultIndent : 0;
}

std::vector<MessageDelegate::Badge> MessageDelegate::badges(const MessageRow &row)
{
    std::vector<Badge> out;
    if (row.tombstone)
        out.push_back({tr("removed"), Ink::Removed});
    if (row.failed)
        out.push_back({tr("error"), Ink::Error});
    if (!row.findings.isEmpty())
        out.push_back({row.findings.size() == 1 ? tr("finding") : tr("%1 findings").arg(row.findings.size()),
            inkOf(row.severity)});
    if (row.dangling)
        out.push_back({tr("no result"), Ink::Warning});
    if (row.fate.kind == Fate::Kind::Stub || row.offloaded)
        out.push_back({tr("offloaded"), Ink::Offload});
    if (row.truncated)
        out.push_back({tr("shortened"), Ink::Truncation});
    if (row.clipped)
        out.push_back({tr("clipped"), Ink::Clip});
    if (row.media)
        out.push_back({row.remote ? tr("remote media") : tr("media"), Ink::Media});
    if (row.subagents.size() == 1)
        out.push_back({row.subagents.front().empty ? tr("subagent, no checkpoints") : tr("subagent ›"), Ink::Accent});
    else if (!row.subagents.isEmpty())
        out.push_back({tr("%1 subagents ›").arg(row.subagents.size()), Ink::Accent});
    if (row.calls > 1)
        out.push_back({tr("batch of %1").arg(row.calls), Ink::Ai});
    if (row.firstWritten)
        out.push_back({tr("as first written"), Ink::Changed});
    else if (row.versions > 1)
        out.push_back({tr("%1 versions").arg(row.versions), Ink::Changed});
    return out;
}

QString MessageDelegate::explain(const MessageRow &row) const
{
    QStringList lines;
    QString head = row.role;
    if (!row.tool.isEmpty())
        head += u" · "_s + row.tool;
    if (row.index.isValid())
        head += tr(" · message %1 of the log").arg(row.index.value + 1);
    lines << head;
    lines << tr("%L1 tokens (approximate count)").arg(row.tokens);
    if (!row.time.isEmpty())
        lines << tr("in the log since %1").arg(row.time);
    switch (row.fate.kind) {
    case Fate::Kind::Kept:
        lines << (row.summary ? tr("summary that stands for what is out of context") : tr("in context"));
        break;
    case Fate::Kind::Stub:
        lines << tr("in context as a stub; its text is in %1").arg(toQString(row.fate.path));
        break;
    case Fate::Kind::Truncated:
        lines << tr("in context with shortened arguments");
        break;
    case Fate::Kind::Summarized:
        lines << (row.fate.path.empty() ? row.fate.event == 0
                    ? tr("out of context in this what-if")
                    : tr("out of context: behind the summary of event %1, no archive was written").arg(row.fate.event)
                                        : tr("out of context: behind the summary of event %1, archived in %2")
                                              .arg(row.fate.event)
                                              .arg(toQString(row.fate.path)));
        break;
    case Fate::Kind::Removed:
        lines << tr("removed from the log");
        break;
    }
    if (row.dangling)
        lines << tr("a tool call has no result in this log");
    for (const QString &finding : row.findings)
        lines << tr("finding: %1").arg(finding);
    if (row.versions > 1)
        lines << tr("%1 bodies so far; W shows it as first written").arg(row.versions);
    for (const RowSubagent &subagent : row.subagents)
        lines << (subagent.empty ? tr("subagent %1, which left no checkpoints").arg(subagent.title())
                                 : tr("subagent %1, in %2").arg(subagent.title(), subagent.ns));
    lines << tr("id %1").arg(row.key);
    return lines.join(u'\n');
}

MessageDelegate::Unfolded &MessageDelegate::unfolded(const QModelIndex &index, int width) const
{
    const std::string key = fromQString(index.data(int(MessageRole::Key)).toString());
    auto &slot = m_unfolded[key];
    if (slot && slot->width == width)
        return *slot;
    if (m_unfolded.size() > 200) {
        m_unfolded.clear();
        return unfolded(index, width);
    }
    slot = std::make_unique<Unfolded>();
    slot->width = width;
    QString text = index.data(int(MessageRole::Text)).toString();
    text.replace(u'\n', QChar::LineSeparator);
    slot->layout.setText(text);
    slot->layout.setFont(index.data(int(MessageRole::Role)).toString() == "tool"_L1 ? m_theme->codeFont() : m_font);
    QTextOption option;
    option.setWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
    slot->layout.setTextOption(option);
    slot->layout.setCacheEnabled(true);
    slot->layout.beginLayout();
    for (int i = 0; i < mostLines; ++i) {
        QTextLine line = slot->layout.createLine();
        if (!line.isValid())
            break;
        line.setLineWidth(std::max(width, 40));
        line.setPosition({0, slot->height});
        slot->height += line.height();
    }
    slot->layout.endLayout();
    return *slot;
}

int MessageDelegate::extraHeight(const QModelIndex &index, int width) const
{
    const MessageRow row = index.data(int(MessageRole::Row)).value<MessageRow>();
    return static_cast<int>(unfolded(index, width - 2 * side - 28 - indent(row)).height) + 12;
}

QRect MessageDelegate::foldMark(const QRect &row) const
{
    return {row.right() - side - foldWidth, row.top(), foldWidth + side, m_base};
}

void MessageDelegate::paintPairing(QPainter *painter, const QRect &rect, const MessageRow &row) const
{
    // A rail from the call down to its results: one batch, one rail.
    const int x = rect.left() + side + resultIndent / 2;
    QPen pen(m_theme->color(row.inContext ? Ink::LineStrong : Ink::Line), 1.2);
    pen.setCosmetic(true);
    painter->setPen(pen);
    const int middle = rect.top() + m_base / 2;
    painter->drawLine(x, rect.top(), x, row.lastOfBatch ? middle : rect.bottom() + 1);
    painter->drawLine(x, middle, rect.left() + side + resultIndent - 1, middle);
}

void MessageDelegate::paintCard(
    QPainter *painter, const QRect &rect, const QModelIndex &index, const MessageRow &row, const Look &look) const
{
    const Theme &theme = *m_theme;
    const int in = indent(row);
    if (in > 0)
        paintPairing(painter, rect, row);
    const QRectF card = QRectF(rect).adjusted(side + in + 0.5, 1.5, -side - 0.5, -1.5);

    // Ground and outline
    const Ink ink = inkOf(row.kind, row.summary);
    QColor ground = row.inContext ? theme.color(Ink::CardAlternate) : theme.color(Ink::Card);
    if (row.summary)
        ground = theme.fill(Ink::Summary);
    if (look.hovered)
        ground = theme.color(Ink::Hover);
    if (look.hit)
        ground = theme.color(look.currentHit ? Ink::MatchCurrent : Ink::Match);
    if (look.selected)
        ground = theme.color(Ink::Selection);
    QPen outline(theme.color(Ink::Line), 1);
    if (look.selected)
        outline = QPen(theme.color(look.focused ? Ink::Accent : Ink::LineStrong), 1.6);
    else if (look.partner)
        outline = QPen(theme.color(Ink::Accent), 1.2, Qt::DashLine);
    else if (row.tombstone)
        outline = QPen(theme.color(Ink::Removed), 1, Qt::DotLine);
    painter->setPen(outline);
    painter->setBrush(ground);
    painter->drawRoundedRect(card, radius, radius);

    // Who speaks: a bar, and a letter for those who do not tell colours apart
    const QColor strong = theme.color(ink);
    QColor bar = strong;
    if (!row.inContext)
        bar.setAlphaF(0.4f);
    painter->setPen(Qt::NoPen);
    painter->setBrush(bar);
    painter->drawRoundedRect(QRectF(card.left() + 1, card.top() + 1, barWidth, card.height() - 2), 2, 2);
    const int middle = rect.top() + m_base / 2;
    const QRectF tag(card.left() + barWidth + 6, middle - 8, 16, 16);
    painter->setBrush(row.inContext ? theme.fill(ink) : Qt::transparent);
    painter->drawRoundedRect(tag, 3, 3);
    painter->setFont(m_letter);
    painter->setPen(row.inContext ? theme.text(ink) : theme.text(Ink::TextFaint));
    painter->drawText(tag, Qt::AlignCenter, letterOf(row));

    // From the right: fold mark, tokens, time, badges
    const QColor quiet = look.selected ? theme.color(Ink::SelectionText)
                                       : theme.text(row.inContext ? Ink::TextSecondary : Ink::TextFaint);
    const qreal lineTop = rect.top();
    const qreal cardRight = card.right();
    painter->setFont(m_small);
    const QFontMetrics small(m_small);
    painter->setPen(quiet);
    qreal right = cardRight - foldWidth + 2;
    {
        const QPointF centre(cardRight - foldWidth / 2.0 - 1, middle);
        QPolygonF mark;
        if (look.open)
            mark << centre + QPointF(-3.5, -2) << centre + QPointF(0, 2) << centre + QPointF(3.5, -2);
        else
            mark << centre + QPointF(-2, -3.5) << centre + QPointF(2, 0) << centre + QPointF(-2, 3.5);
        painter->setBrush(Qt::NoBrush);
        painter->setPen(QPen(quiet, 1.3));
        painter->drawPolyline(mark);
    }
    const QString tokens = QLocale().toString(row.tokens);
    const int tokensWidth = std::max(small.horizontalAdvance(tokens), small.horizontalAdvance(u"000"_s));
    painter->drawText(
        QRectF(right - tokensWidth, lineTop, tokensWidth, m_base), Qt::AlignRight | Qt::AlignVCenter, tokens);
    right -= tokensWidth + 10;
    const qreal textLeft = tag.right() + 7;
    if (card.width() > 400) {
        const QString clock = clockOf(row.time);
        if (!clock.isEmpty()) {
            const int width = small.horizontalAdvance(clock);
            painter->setPen(theme.text(Ink::TextFaint));
            painter->drawText(QRectF(right - width, lineTop, width, m_base), Qt::AlignRight | Qt::AlignVCenter, clock);
            right -= width + 10;
        }
    }
    const std::vector<Badge> pills = badges(row);
    const qreal room = std::max<qreal>(0, (right - textLeft) * 0.55);
    qreal used = 0;
    for (const Badge &pill : pills) {
        const qreal width = small.horizontalAdvance(pill.text) + 12;
        if (used + width > room) {
            // No room for the word: a dot in its colour, the tool tip says the rest.
            painter->setPen(Qt::NoPen);
            painter->setBrush(theme.color(pill.ink));
            painter->drawEllipse(QPointF(right - 4, middle), 3.5, 3.5);
            right -= 11;
            used += 11;
            continue;
        }
        const QRectF box(right - width, middle - small.height() / 2.0 - 1, width, small.height() + 2);
        painter->setPen(QPen(theme.color(pill.ink), 1));
        painter->setBrush(theme.fill(pill.ink));
        painter->drawRoundedRect(box, box.height() / 2, box.height() / 2);
        painter->setPen(theme.color(Ink::Text));
        painter->drawText(box, Qt::AlignCenter, pill.text);
        right -= width + 5;
        used += width + 5;
    }

    // What it says
    qreal left = textLeft;
    const QColor textColor =
        look.selected ? theme.color(Ink::SelectionText) : theme.text(row.inContext ? Ink::Text : Ink::TextFaint);
    painter->setPen(textColor);
    if (!row.tool.isEmpty()) {
        painter->setFont(m_bold);
        const QFontMetrics bold(m_bold);
        const QString name = bold.elidedText(row.tool, Qt::ElideRight, static_cast<int>((right - left) / 2));
        painter->drawText(QRectF(left, lineTop, right - left, m_base), Qt::AlignLeft | Qt::AlignVCenter, name);
        left += bold.horizontalAdvance(name) + 7;
    }
    QFont font = m_font;
    font.setStrikeOut(row.tombstone);
    painter->setFont(font);
    const QFontMetrics metrics(font);
    painter->drawText(QRectF(left, lineTop, right - left, m_base),
        Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine,
        metrics.elidedText(row.preview, Qt::ElideRight, static_cast<int>(right - left)));

    if (look.open) {
        const int width = rect.width() - 2 * side - 28 - in;
        painter->setPen(QPen(theme.color(Ink::Line), 1));
        painter->drawLine(
            QPointF(card.left() + 14, rect.top() + m_base - 1), QPointF(card.right() - 10, rect.top() + m_base - 1));
        painter->setPen(textColor);
        painter->save();
        painter->setClipRect(card);
        unfolded(index, width).layout.draw(painter, {card.left() + 14, rect.top() + m_base + 3.0});
        painter->restore();
    }
}

void MessageDelegate::paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const
{
    Look look;
    look.selected = option.state.testFlag(QStyle::State_Selected);
    look.hovered = option.state.testFlag(QStyle::State_MouseOver);
    paintCard(painter, option.rect, index, index.data(int(MessageRole::Row)).value<MessageRow>(), look);
}

QSize MessageDelegate::sizeHint(const QStyleOptionViewItem &, const QModelIndex &) const
{
    return {200, m_base};
}

} // namespace palimpsest
