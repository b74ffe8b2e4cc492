// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compaction/stages/media.h"
#include "tests/support/stagecases.h"

#include <QTest>

using namespace palimpsest;

class TestGoldenExtractDataUrl : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void agreesWithThePackage();
};

void TestGoldenExtractDataUrl::agreesWithThePackage()
{
    PALIMPSEST_VERIFY_GOLDENS(goldens::run(
        "extract_data_url", [](const goldens::Case &one, [[maybe_unused]] const std::string &version) -> std::string {
            const std::optional<std::string> url = extractDataUrl(one.input["block"]);
            return stagecases::difference(one.output, url ? Value(*url) : Value());
        }));
}

QTEST_APPLESS_MAIN(TestGoldenExtractDataUrl)
#include "tst_golden_extract_data_url.moc"
