// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/display.h"

#include "core/base/text.h"
#include "core/values/json.h"

#include <QLocale>

#include <algorithm>

namespace palimpsest {

using namespace Qt::StringLiterals;

namespace {

bool hasSurrogates(std::string_view wtf8)
{
    // ED A0..BF xx is a surrogate and no valid UTF-8.
    for (std::size_t at = wtf8.find('\xed'); at != std::string_view::npos; at = wtf8.find('\xed', at + 1))
        if (at + 1 < wtf8.size() && static_cast<unsigned char>(wtf8[at + 1]) >= 0xa0)
            return true;
    return false;
}

} // namespace

QString toQString(std::string_view wtf8)
{
    if (!hasSurrogates(wtf8))
        return QString::fromUtf8(wtf8.data(), static_cast<qsizetype>(wtf8.size()));
    QString result;
    result.reserve(static_cast<qsizetype>(wtf8.size()));
    for (std::size_t at = 0; at < wtf8.size();) {
        const std::size_t before = at;
        const char32_t point = text::next(wtf8, at);
        if (point >= 0xdc80 && point <= 0xdcff && at == before + 1)
            result += QChar::ReplacementCharacter;
        else if (point >= 0x10000)
            result += QString::fromUcs4(&point, 1);
        else
            result += QChar(static_cast<char16_t>(point));
    }
    return result;
}

std::string fromQString(const QString &string)
{
    std::string result;
    result.reserve(static_cast<std::size_t>(string.size()));
    for (qsizetype i = 0; i < string.size(); ++i) {
        const QChar c = string[i];
        if (c.isHighSurrogate() && i + 1 < string.size() && string[i + 1].isLowSurrogate())
            text::append(result, QChar::surrogateToUcs4(c, string[++i]));
        else
            text::append(result, c.unicode());
    }
    return result;
}

QString hexText(std::string_view bytes, std::size_t count)
{
    const QByteArray head(bytes.data(), static_cast<qsizetype>(std::min(bytes.size(), count)));
    QString hex = QString::fromLatin1(head.toHex(' '));
    if (bytes.size() > count)
        hex += u" …"_s;
    return hex;
}

QString sizeText(std::int64_t bytes)
{
    return QLocale(QLocale::English)
        .formattedDataSize(bytes, 1, QLocale::DataSizeTraditionalFormat)
        .replace(u"bytes"_s, u"B"_s);
}

QString summaryOf(const Value &value, qsizetype length)
{
    const auto counted = [](std::size_t count, const char16_t *one, const char16_t *many) {
        return u"%1 %2"_s.arg(count).arg(QStringView(count == 1 ? one : many));
    };
    switch (value.kind()) {
    case Value::Kind::Nil:
        return u"null"_s;
    case Value::Kind::Text: {
        const auto head = text::head(value.asText(), static_cast<std::size_t>(length));
        QString shown = toQString(head);
        shown.replace(u'\n', u'⏎').replace(u'\r', u' ').replace(u'\t', u' ');
        return u'"' + shown + (head.size() < value.asText().size() ? u"…\""_s : u"\""_s);
    }
    case Value::Kind::Bytes:
        return counted(value.asBytes().size(), u"byte", u"bytes") + u"  "_s + hexText(value.asBytes());
    case Value::Kind::List:
        return u'[' + counted(value.asList().size(), u"item", u"items") + u']';
    case Value::Kind::Map: {
        if (value.asMap().empty())
            return u"{}"_s;
        QStringList keys;
        for (const auto &[key, item] : value.asMap()) {
            keys << (key.isText() ? toQString(text::head(key.asText(), 40)) : summaryOf(key, 20));
            if (keys.size() == 6)
                break;
        }
        return u'{' + keys.join(u", "_s)
            + (static_cast<std::size_t>(keys.size()) < value.asMap().size() ? u", …}"_s : u"}"_s);
    }
    case Value::Kind::Tagged: {
        const Value::Tagged &tagged = *value.asTagged();
        if (tagged.form == Value::Form::UnknownExt)
            return u"unknown type %1, "_s.arg(toQString(tagged.method)) + summaryOf(tagged.value, length);
        QString inner = summaryOf(tagged.value, length);
        if (!inner.startsWith(u'{'))
            inner = u'{' + inner + u'}';
        return toQString(tagged.qualifiedName()) + inner;
    }
    case Value::Kind::Bool:
    case Value::Kind::Int:
    case Value::Kind::BigInt:
    case Value::Kind::Float:
        break;
    }
    return toQString(toJson(value));
}

} // namespace palimpsest
