// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compaction/stages/preview.h"
#include "tests/support/stagecases.h"

#include <QTest>

using namespace palimpsest;

class TestGoldenContentPreview : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void agreesWithThePackage();
};

void TestGoldenContentPreview::agreesWithThePackage()
{
    PALIMPSEST_VERIFY_GOLDENS(goldens::run(
        "content_preview", [](const goldens::Case &one, [[maybe_unused]] const std::string &version) -> std::string {
            const auto number = [&](std::string_view key) { return stagecases::integer(one.input[key]).value_or(5); };
            const ContentPreview preview =
                contentPreview(one.input["content"].asText(), number("head_lines"), number("tail_lines"));
            // Up to 0.7.7 the preview says nothing about its losses.
            const bool tells = stagecases::dialect(version).previewNotesLosses;
            return stagecases::difference(one.output,
                Value::map(
                    {{"text", Value(preview.text)}, {"lines_omitted", tells ? Value(preview.linesOmitted) : Value()},
                        {"lines_clipped", tells ? Value(preview.linesClipped) : Value()}}));
        }));
}

QTEST_APPLESS_MAIN(TestGoldenContentPreview)
#include "tst_golden_content_preview.moc"
