// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compaction/stages/bloboffload.h"
#include "tests/support/stagecases.h"

#include <QTest>

using namespace palimpsest;

class TestGoldenBlobHydrate : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void agreesWithThePackage();
};

void TestGoldenBlobHydrate::agreesWithThePackage()
{
    PALIMPSEST_VERIFY_GOLDENS(goldens::run(
        "blob_hydrate", [](const goldens::Case &one, [[maybe_unused]] const std::string &version) -> std::string {
            const std::vector<MessagePtr> given = goldens::messages(one.input["messages"]);
            ArtifactBackend backend = stagecases::backend(one.input["backend"], version);
            BlobCache cache;
            for (const auto &[digest, payload] : one.input["cache"].asMap())
                cache[digest.asText()] = payload.asText();
            const Attempt<BlobResult> made = hydrateBlobs(given, backend, cache);
            Value::Map known;
            for (const auto &[digest, payload] : cache)
                known.emplace_back(Value(digest), Value(payload));
            const Value messages = made ? stagecases::messages(made->messages, given) : stagecases::error(made.error());
            return goldens::difference(one.output,
                Value::map({{"messages", messages}, {"cache", Value(std::move(known))},
                    {"backend_ops", stagecases::operations(backend)}}));
        }));
}

QTEST_APPLESS_MAIN(TestGoldenBlobHydrate)
#include "tst_golden_blob_hydrate.moc"
