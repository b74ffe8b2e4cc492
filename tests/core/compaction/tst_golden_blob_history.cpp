// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compaction/stages/bloboffload.h"
#include "tests/support/stagecases.h"

#include <QTest>

using namespace palimpsest;

class TestGoldenBlobHistory : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void agreesWithThePackage();
};

void TestGoldenBlobHistory::agreesWithThePackage()
{
    PALIMPSEST_VERIFY_GOLDENS(goldens::run(
        "blob_history", [](const goldens::Case &one, [[maybe_unused]] const std::string &version) -> std::string {
            const std::vector<MessagePtr> given = goldens::messages(one.input["messages"]);
            const std::vector<MessagePtr> pending = goldens::messages(one.input["pending"]);
            std::vector<MessagePtr> everything = given;
            everything.insert(everything.end(), pending.begin(), pending.end());
            ArtifactBackend backend = stagecases::backend(one.input["backend"], version);
            BlobCache cache;
            for (const auto &[digest, payload] : one.input["cache"].asMap())
                cache[digest.asText()] = payload.asText();
            const Attempt<BlobResult> made = offloadHistoryBlobs(given, pending, backend, cache);
            Value::Map known;
            for (const auto &[digest, payload] : cache)
                known.emplace_back(Value(digest), Value(payload));
            const Value messages = made ? stagecases::messages(made->messages, everything) : stagecases::error(made.error());
            return goldens::difference(one.output,
                Value::map({{"messages", messages}, {"cache", Value(std::move(known))},
                    {"files", stagecases::files(backend)}, {"backend_ops", stagecases::operations(backend)}}));
        }));
}

QTEST_APPLESS_MAIN(TestGoldenBlobHistory)
#include "tst_golden_blob_history.moc"
