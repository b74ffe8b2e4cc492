// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compaction/stages/preview.h"
#include "tests/support/stagecases.h"

#include <QTest>

using namespace palimpsest;

class TestGoldenSanitizeToolCallId : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void agreesWithThePackage();
};

void TestGoldenSanitizeToolCallId::agreesWithThePackage()
{
    PALIMPSEST_VERIFY_GOLDENS(goldens::run("sanitize_tool_call_id",
        [](const goldens::Case &one, [[maybe_unused]] const std::string &version) -> std::string {
            const Attempt<std::string> id = sanitizeToolCallId(stagecases::dialect(version), one.input["id"].asText());
            return stagecases::difference(one.output, id ? Value(*id) : stagecases::error(id.error()));
        }));
}

QTEST_APPLESS_MAIN(TestGoldenSanitizeToolCallId)
#include "tst_golden_sanitize_tool_call_id.moc"
