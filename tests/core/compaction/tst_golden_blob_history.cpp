// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/blobcases.h"

#include <QTest>

using namespace palimpsest;

class TestGoldenBlobHistory : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void agreesWithThePackage();
};

void TestGoldenBlobHistory::agreesWithThePackage()
{
    PALIMPSEST_VERIFY_GOLDENS(
        goldens::run("blob_history", [](const goldens::Case &one, const std::string &version) -> std::string {
            const std::vector<MessagePtr> given = goldens::messages(one.input["messages"]);
            const std::vector<MessagePtr> pending = goldens::messages(one.input["pending"]);
            std::vector<MessagePtr> everything = given;
            everything.insert(everything.end(), pending.begin(), pending.end());
            const Value made =
                blobcases::run(one, version, everything, [&](ArtifactBackend &backend, BlobCache &cache) {
                    return offloadHistoryBlobs(given, pending, backend, cache);
                });
            return goldens::difference(one.output, made);
        }));
}

QTEST_APPLESS_MAIN(TestGoldenBlobHistory)
#include "tst_golden_blob_history.moc"
