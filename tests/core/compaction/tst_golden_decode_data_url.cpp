// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compaction/stages/media.h"
#include "tests/support/stagecases.h"

#include <QTest>

using namespace palimpsest;

class TestGoldenDecodeDataUrl : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void agreesWithThePackage();
};

void TestGoldenDecodeDataUrl::agreesWithThePackage()
{
    PALIMPSEST_VERIFY_GOLDENS(goldens::run(
        "decode_data_url", [](const goldens::Case &one, [[maybe_unused]] const std::string &version) -> std::string {
            const std::optional<DecodedDataUrl> media = decodeDataUrl(one.input["data_url"].asText());
            if (!media)
                return stagecases::difference(one.output, Value());
            return stagecases::difference(one.output,
                Value::map({{"raw", Value::bytes(media->bytes)}, {"extension", Value(media->extension)},
                    {"mime", Value(media->mime)}, {"key", Value(media->key())}}));
        }));
}

QTEST_APPLESS_MAIN(TestGoldenDecodeDataUrl)
#include "tst_golden_decode_data_url.moc"
