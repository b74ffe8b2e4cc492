// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/diffhtml.h"

#include "core/values/json.h"
#include "models/display.h"

#include <QCoreApplication>

namespace palimpsest {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype around = 160; ///< characters of unchanged text that are kept beside a difference
constexpr qsizetype longest = 4000; ///< of a text that only one side has
constexpr int mostRows = 400;

QString tr(const char *text)
{
    return QCoreApplication::translate("Diff", text);
}

QString escaped(const QString &text)
{
    return text.toHtmlEscaped().replace(u'\n', u"<br>"_s);
}

QString cut(const QString &text, qsizetype limit = longest)
{
    return text.size() <= limit ? text : text.left(limit) + u" …"_s;
}

class Page {
public:
    Page(const DiffSide &a, const DiffSide &b, const Diff &diff, const DiffInks &inks)
        : m_a(a)
        , m_b(b)
        , m_diff(diff)
        , m_inks(inks)
    {
    }

    DiffPage write()
    {
        m_html = u"<body style='color:%1'><table width='100%' cellspacing='0' cellpadding='5'>"_s.arg(m_inks.text);
        head(toQString(m_a.name), toQString(m_b.name));
        qsizetype same = 0;
        for (const MessageDiff &message : m_diff.messages) {
            if (message.change == DiffChange::Same) {
                ++same;
                continue;
            }
            note(std::exchange(same, 0));
            row(message);
        }
        note(same);
        for (const FileDiff &file : m_diff.files)
            row(file);
        for (const ChannelDiff &channel : m_diff.channels)
            row(channel);
        if (m_count > mostRows)
            m_html += u"<tr><td colspan='2'>%1</td></tr>"_s.arg(
                tr("%1 more differences are not shown").arg(m_count - mostRows));
        m_html += u"</table></body>"_s;
        return {m_html, std::min(m_count, mostRows)};
    }

private:
    void head(const QString &a, const QString &b)
    {
        m_html += u"<tr><td width='50%'><b>%1</b></td><td width='50%'><b>%2</b></td></tr>"_s.arg(
            a.toHtmlEscaped(), b.toHtmlEscaped());
    }

    void note(qsizetype same)
    {
        if (same > 0)
            m_html += u"<tr><td colspan='2' align='center'><span style='color:%1'>%2</span></td></tr>"_s.arg(
                m_inks.faint, same == 1 ? tr("1 message is the same") : tr("%1 messages are the same").arg(same));
    }

    /// The text of one side with its own pieces marked.
    [[nodiscard]] QString side(const std::vector<TextPiece> &pieces, DiffRun::Kind own) const
    {
        QString html;
        for (std::size_t i = 0; i < pieces.size(); ++i) {
            if (pieces[i].kind != DiffRun::Kind::Same && pieces[i].kind != own)
                continue;
            const QString text = toQString(pieces[i].text);
            if (pieces[i].kind == own) {
                html += u"<span style='background-color:%1'>%2</span>"_s.arg(
                    own == DiffRun::Kind::Added ? m_inks.added : m_inks.removed, escaped(cut(text)));
                continue;
            }
            const bool first = i == 0;
            const bool last = i + 1 == pieces.size();
            if (text.size() <= 2 * around || (first && last)) {
                html += escaped(cut(text));
            } else {
                html += (first ? QString() : escaped(text.left(around)))
                    + u"<span style='color:%1'> … </span>"_s.arg(m_inks.faint)
                    + (last ? QString() : escaped(text.right(around)));
            }
        }
        return html;
    }

    void open(const QString &a, const QString &b)
    {
        const int number = m_count++;
        if (number >= mostRows)
            return;
        m_html += u"<tr><td bgcolor='%1'><a name='d%2'></a>%3</td><td bgcolor='%1'>%4</td></tr>"_s.arg(
            m_inks.head, QString::number(number), a, b);
    }

    void cells(const QString &a, const QString &b)
    {
        if (m_count <= mostRows)
            m_html += u"<tr><td valign='top'>%1</td><td valign='top'>%2</td></tr>"_s.arg(a, b);
    }

    [[nodiscard]] QString title(const MessagePtr &message, std::int64_t place, char side) const
    {
        if (!message)
            return {};
        return u"<a href='%1:%2' style='color:%3'>%4 %5</a> <span style='color:%6'>%7</span>"_s.arg(
            QString(QLatin1Char(side)), QString::number(place), m_inks.text,
            toQString(isSummary(*message) ? "summary" : message->type), QString::number(place + 1), m_inks.faint,
            toQString(message->id.value_or("")).left(36).toHtmlEscaped());
    }

    void row(const MessageDiff &message)
    {
        QString before = title(message.before, message.a, 'a');
        QString after = title(message.after, message.b, 'b');
        if (message.change == DiffChange::Moved)
            (message.before ? before : after) += u" · "_s + tr("stands elsewhere");
        if (!message.members.empty()) {
            QStringList names;
            for (const std::string &member : message.members)
                names << toQString(member);
            after += u" · "_s + names.join(u", "_s).toHtmlEscaped();
        }
        open(before, after);
        if (message.change == DiffChange::Changed) {
            if (!message.text.empty())
                cells(side(message.text, DiffRun::Kind::Removed), side(message.text, DiffRun::Kind::Added));
            if (!message.arguments.empty())
                cells(side(message.arguments, DiffRun::Kind::Removed), side(message.arguments, DiffRun::Kind::Added));
            return;
        }
        const auto whole = [this](const MessagePtr &one, const QString &ground) {
            if (!one)
                return QString();
            QString text = toQString(textOf(*one));
            if (!one->toolCalls.asList().empty())
                text += (text.isEmpty() ? QString() : u"\n"_s) + toQString(toJson(one->toolCalls));
            return u"<span style='background-color:%1'>%2</span>"_s.arg(ground, escaped(cut(text, 600)));
        };
        cells(whole(message.before, m_inks.removed), whole(message.after, m_inks.added));
    }

    void row(const FileDiff &file)
    {
        const auto size = [&](bool there, std::int64_t bytes) {
            return there ? toQString(file.path).toHtmlEscaped() + u" · "_s + sizeText(bytes) : QString();
        };
        open(size(file.change != DiffChange::Added, file.before), size(file.change != DiffChange::Removed, file.after));
        if (!file.text.empty())
            cells(side(file.text, DiffRun::Kind::Removed), side(file.text, DiffRun::Kind::Added));
    }

    void row(const ChannelDiff &channel)
    {
        const QString name = tr("channel %1").arg(toQString(channel.name)).toHtmlEscaped();
        open(channel.change == DiffChange::Added ? QString() : name,
            channel.change == DiffChange::Removed ? QString() : name);
        const std::vector<TextPiece> pieces =
            diffTexts(prettyJson(channel.before, 20000), prettyJson(channel.after, 20000));
        cells(channel.change == DiffChange::Added ? QString() : side(pieces, DiffRun::Kind::Removed),
            channel.change == DiffChange::Removed ? QString() : side(pieces, DiffRun::Kind::Added));
    }

    const DiffSide &m_a;
    const DiffSide &m_b;
    const Diff &m_diff;
    const DiffInks &m_inks;
    QString m_html;
    int m_count = 0;
};

} // namespace

DiffPage diffPage(const DiffSide &a, const DiffSide &b, const Diff &diff, const DiffInks &inks)
{
    return Page(a, b, diff, inks).write();
}

} // namespace palimpsest
