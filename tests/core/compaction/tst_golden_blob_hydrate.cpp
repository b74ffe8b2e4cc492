// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/blobcases.h"

#include <QTest>

using namespace palimpsest;

class TestGoldenBlobHydrate : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void agreesWithThePackage();
};

void TestGoldenBlobHydrate::agreesWithThePackage()
{
    PALIMPSEST_VERIFY_GOLDENS(
        goldens::run("blob_hydrate", [](const goldens::Case &one, const std::string &version) -> std::string {
            const std::vector<MessagePtr> given = goldens::messages(one.input["messages"]);
            const Value made = blobcases::run(one, version, given,
                [&](ArtifactBackend &backend, BlobCache &cache) { return hydrateBlobs(given, backend, cache); });
            return goldens::difference(one.output, made.without("files"));
        }));
}

QTEST_APPLESS_MAIN(TestGoldenBlobHydrate)
#include "tst_golden_blob_hydrate.moc"
