// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compaction/stages/summarymessage.h"
#include "tests/support/compactiongoldens.h"

#include <QtTest>

using namespace palimpsest;

namespace {

std::string check(const goldens::Case &one, const std::string &)
{
    if (one.input["fn"].asText() == "is_summary") {
        const MessagePtr message = messageFromValue(one.input["message"]);
        return message && isSummaryMessage(*message) == one.output.asBool() ? std::string() : "is_summary differs";
    }
    const std::string &summary = one.input["summary"].asText();
    const Value &path = one.input["file_path"];
    const MessagePtr message = summaryMessage(summary, path.isNil() ? std::nullopt : std::optional(path.asText()));
    if (summaryTextOf(*message) != summary)
        return "the summary cannot be read back: " + summaryTextOf(*message);
    return goldens::messagesDifference(one.output, {message}, {}, "messages");
}

} // namespace

class TestGoldenSummaryMessages : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void agreesWithThePackage() { PALIMPSEST_VERIFY_GOLDENS(goldens::run("summary_messages", check)); }
};

QTEST_APPLESS_MAIN(TestGoldenSummaryMessages)
#include "tst_golden_summary_messages.moc"
