// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compaction/stages/media.h"
#include "tests/support/stagecases.h"

#include <QTest>

using namespace palimpsest;

class TestGoldenMediaReferenceBlock : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void agreesWithThePackage();
};

void TestGoldenMediaReferenceBlock::agreesWithThePackage()
{
    PALIMPSEST_VERIFY_GOLDENS(goldens::run("media_reference_block",
        [](const goldens::Case &one, [[maybe_unused]] const std::string &version) -> std::string {
            return stagecases::difference(
                one.output, mediaReferenceBlock(one.input["path"].asText(), one.input["mime"].asText()));
        }));
}

QTEST_APPLESS_MAIN(TestGoldenMediaReferenceBlock)
#include "tst_golden_media_reference_block.moc"
