// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/text.h"

#include <QTest>

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
