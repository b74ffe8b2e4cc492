// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compaction/stages/patchtoolcalls.h"
#include "tests/support/stagecases.h"

#include <QTest>

using namespace palimpsest;

class TestGoldenPatchToolCalls : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void agreesWithThePackage();
};

void TestGoldenPatchToolCalls::agreesWithThePackage()
{
    PALIMPSEST_VERIFY_GOLDENS(goldens::run(
        "patch_tool_calls", [](const goldens::Case &one, [[maybe_unused]] const std::string &version) -> std::string {
            const std::vector<MessagePtr> given = goldens::messages(one.input["messages"]);
            const std::optional<PatchResult> made = patchToolCalls(given, stagecases::dialect(version));
            if (!made)
                return stagecases::difference(one.output, Value());
            Message removeAll;
            removeAll.kind = MessageKind::Remove;
            removeAll.type = "remove";
            removeAll.id = "__remove_all__";
            std::vector<MessagePtr> update{std::make_shared<const Message>(removeAll)};
            update.insert(update.end(), made->messages.begin(), made->messages.end());
            return stagecases::difference(one.output, Value::map({{"messages", stagecases::messages(update, given)}}));
        }));
}

QTEST_APPLESS_MAIN(TestGoldenPatchToolCalls)
#include "tst_golden_patch_tool_calls.moc"
