// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compaction/stages/media.h"
#include "tests/support/stagecases.h"

#include <QTest>

using namespace palimpsest;

class TestGoldenOffloadInlineMedia : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void agreesWithThePackage();
};

void TestGoldenOffloadInlineMedia::agreesWithThePackage()
{
    PALIMPSEST_VERIFY_GOLDENS(goldens::run("offload_inline_media",
        [](const goldens::Case &one, [[maybe_unused]] const std::string &version) -> std::string {
            const std::vector<MessagePtr> given = goldens::messages(one.input["messages"]);
            ArtifactBackend backend = stagecases::backend(one.input["backend"], version);
            const Attempt<InlineMediaResult> made = offloadInlineMedia(given, backend);
            if (!made)
                return stagecases::difference(one.output, stagecases::error(made.error()));
            return stagecases::difference(one.output,
                Value::map({{"messages", stagecases::messages(made->messages, given)},
                    {"failed_block_count", Value(made->failedBlocks)}, {"files", stagecases::files(backend)},
                    {"backend_ops", stagecases::operations(backend)}}));
        }));
}

QTEST_APPLESS_MAIN(TestGoldenOffloadInlineMedia)
#include "tst_golden_offload_inline_media.moc"
