// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compaction/stages/contentblocks.h"
#include "tests/support/stagecases.h"

#include <QTest>

using namespace palimpsest;

class TestGoldenContentBlocks : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void agreesWithThePackage();
};

void TestGoldenContentBlocks::agreesWithThePackage()
{
    PALIMPSEST_VERIFY_GOLDENS(goldens::run(
        "content_blocks", [](const goldens::Case &one, [[maybe_unused]] const std::string &version) -> std::string {
            const MessagePtr message = goldens::messages(Value::list({one.input["message"]})).front();
            const Attempt<Value::List> blocks = contentBlocks(*message);
            const Attempt<std::string> text = extractText(*message);
            // Each part may be an exception, whose text counts or not by its own kind.
            std::string d = stagecases::difference(
                one.output["blocks"], blocks ? Value(*blocks) : stagecases::error(blocks.error()));
            return d.empty()
                ? stagecases::difference(one.output["text"], text ? Value(*text) : stagecases::error(text.error()))
                : d;
        }));
}

QTEST_APPLESS_MAIN(TestGoldenContentBlocks)
#include "tst_golden_content_blocks.moc"
