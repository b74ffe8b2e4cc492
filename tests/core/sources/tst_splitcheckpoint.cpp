// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sources/splitcheckpoint.h"

#include <QTest>

#include <algorithm>

using namespace palimpsest;

namespace {

SplitCheckpoint sample()
{
    SplitCheckpoint checkpoint;
    checkpoint.format = 4;
    checkpoint.id = "1f0";
    checkpoint.ts = "2026-01-01T00:00:00+00:00";
    ChannelPart &part = checkpoint.values.emplace_back();
    part.name = "messages";
    part.type = "msgpack";
    part.size = 3;
    part.bytes = std::string_view("\x92\x01\x02", 3);
    checkpoint.versions.emplace_back("messages", "00000002");
    return checkpoint;
}

/// The blob of no channel at all, with one of its two counts set to -1.
std::string withCount(std::size_t at)
{
    std::string bytes = packSplit(SplitCheckpoint{});
    std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), 8, '\xff');
    return bytes;
}

} // namespace

class TestSplitCheckpoint : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void packsAndUnpacks()
    {
        const std::string bytes = packSplit(sample());
        const Result<SplitCheckpoint> read = unpackSplit(bytes);
        QVERIFY(read);
        QCOMPARE(read->format, 4);
        QCOMPARE(read->id, std::string("1f0"));
        QCOMPARE(read->values.size(), 1U);
        QCOMPARE(read->values.front().bytes, std::string_view("\x92\x01\x02", 3));
        QCOMPARE(read->versions.front().second, std::string("00000002"));
        QCOMPARE(packSplit(*read), bytes);
    }
    void refusesEveryCut()
    {
        const std::string bytes = packSplit(sample());
        for (std::size_t size = 0; size < bytes.size(); ++size)
            QVERIFY2(!unpackSplit(std::string_view(bytes).substr(0, size)), qPrintable(QString::number(size)));
        QVERIFY(!unpackSplit(bytes + '\0'));
    }
    void refusesNegativeCounts()
    {
        // After the format and two empty texts stands the number of values, then that of versions.
        QVERIFY(unpackSplit(packSplit(SplitCheckpoint{})));
        QVERIFY(!unpackSplit(withCount(24)));
        QVERIFY(!unpackSplit(withCount(32)));
    }
};

QTEST_GUILESS_MAIN(TestSplitCheckpoint)
#include "tst_splitcheckpoint.moc"
