// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/text.h"

#include <QTest>

#include <random>
#include <string>
#include <vector>

using namespace palimpsest;

class TestText : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void countsCodePoints()
    {
        QCOMPARE(text::length("abc"), 3U);
        QCOMPARE(text::length("a\xC3\xA4\xF0\x9F\x98\x80"), 3U);
        QCOMPARE(text::length("\xED\xA0\x80"), 1U); // a lone surrogate is one code point
        QCOMPARE(text::length("\xFF\xFE"), 2U);
        QCOMPARE(text::length("0123456789abcdef\xC3\xA4"), 17U);
    }
    void countsAnyBytesAsOneByOne()
    {
        // Whole sequences of every length, their beginnings, forms that are too long or too large, stray bytes.
        static const std::vector<std::string> pieces{"a", "12345678", "\xC3\xA4", "\xE2\x82\xAC", "\xE0\xA4\x85",
            "\xF0\x9F\x98\x80", "\xF4\x8F\xBF\xBF", "\xED\xA0\x80", "\xC3", "\xE2\x82", "\xF0\x9F\x98", "\x80", "\xBF",
            "\xC0\x80", "\xC1\xBF", "\xE0\x9F\xBF", "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF"};
        std::mt19937 random(7);
        for (int round = 0; round < 200000; ++round) {
            // Mostly valid, or the first stray byte would hide the rest.
            const std::size_t kinds = round % 3 == 0 ? pieces.size() : 8;
            std::string bytes;
            for (std::size_t n = random() % 14; n > 0; --n)
                bytes += pieces[random() % kinds];
            if (round % 5 == 0)
                bytes += pieces[random() % pieces.size()];
            std::size_t count = 0;
            bool valid = true;
            for (std::size_t at = 0; at < bytes.size(); ++count) {
                const std::size_t from = at;
                text::next(bytes, at);
                valid = valid && (at - from > 1 || static_cast<unsigned char>(bytes[from]) < 0x80);
            }
            if (text::length(bytes) != count || text::isValid(bytes) != valid)
                QFAIL(QByteArray::fromStdString(bytes).toHex(' ').constData());
        }
    }
    void cutsBetweenCodePoints()
    {
        const std::string_view s = "0123456789\xC3\xA4\xE2\x82\xAC!";
        QCOMPARE(text::head(s, 11), std::string_view("0123456789\xC3\xA4"));
        QCOMPARE(text::tail(s, 2), std::string_view("\xE2\x82\xAC!"));
        QCOMPARE(text::slice(s, 10, 12), std::string_view("\xC3\xA4\xE2\x82\xAC"));
        QCOMPARE(text::head(s, 99), s);
    }
    void roundTripsEveryPlane()
    {
        for (const char32_t c : {U'a', U'\u00e4', U'\u20ac', U'\U0001F600', char32_t(0xD800)}) {
            std::string out;
            text::append(out, c);
            std::size_t at = 0;
            QCOMPARE(text::next(out, at), c);
            QCOMPARE(at, out.size());
        }
    }
    void repairsStrayBytes()
    {
        QVERIFY(!text::isValid("a\xC3"));
        QCOMPARE(text::repaired("a\xC3z"), std::string("a\xEF\xBF\xBDz"));
        QVERIFY(text::isValid("\xED\xA0\x80"));
    }
};

QTEST_APPLESS_MAIN(TestText)
#include "tst_text.moc"
