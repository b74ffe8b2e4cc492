// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compaction/stages/largemessage.h"
#include "tests/support/stagecases.h"

#include <QTest>

using namespace palimpsest;

class TestGoldenProcessLargeMessage : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void agreesWithThePackage();
};

void TestGoldenProcessLargeMessage::agreesWithThePackage()
{
    PALIMPSEST_VERIFY_GOLDENS(goldens::run("process_large_message",
        [](const goldens::Case &one, [[maybe_unused]] const std::string &version) -> std::string {
            const Value &result = one.input["result"];
            ArtifactBackend backend = stagecases::backend(one.input["backend"], version);
            const bool command = result.contains("update");
            const Value &update = result["update"];
            const std::vector<MessagePtr> whole =
                goldens::messages(command ? update["messages"] : Value::list({result["message"]}));
            std::vector<MessagePtr> given = whole;
            // A Command may begin with the order to remove all messages, which stays in front.
            const bool wrapped = command && !given.empty() && given.front()->kind == MessageKind::Remove
                && given.front()->id == "__remove_all__";
            if (wrapped)
                given.erase(given.begin());
            const std::optional<std::int64_t> limit = stagecases::integer(one.input["tool_token_limit_before_evict"]);
            const std::string &tool = one.input["tool_name"].asText();
            const Attempt<LargeMessagesResult> made = interceptToolResults(
                tool, given, limit, backend, stagecases::dialect(version), stagecases::names(one.input["uuids"]));
            Value shown;
            if (!made) {
                shown = stagecases::error(made.error());
            } else {
                std::vector<MessagePtr> messages = made->messages;
                if (wrapped)
                    messages.insert(messages.begin(), whole.front());
                const Value list = stagecases::messages(messages, whole);
                // The wrapper passes a Command on untouched when the tool is excluded or the limit is off.
                const bool untouched = !limit || !evictionExclusion(tool).empty();
                if (!command)
                    shown = Value::map({{"message", list.asList().front()}});
                else if (update.isNil() || (untouched && !update.contains("messages")))
                    shown = Value::map({{"update", update}});
                else
                    shown = Value::map({{"update", update.with("messages", list)}});
            }
            return stagecases::difference(
                one.output, Value::map({{"result", shown}, {"files", stagecases::files(backend)}}));
        }));
}

QTEST_APPLESS_MAIN(TestGoldenProcessLargeMessage)
#include "tst_golden_process_large_message.moc"
