// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compaction/stages/humaneviction.h"
#include "tests/support/stagecases.h"

#include <QTest>

using namespace palimpsest;

class TestGoldenHumanMessageEviction : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void agreesWithThePackage();
};

void TestGoldenHumanMessageEviction::agreesWithThePackage()
{
    PALIMPSEST_VERIFY_GOLDENS(goldens::run("human_message_eviction",
        [](const goldens::Case &one, [[maybe_unused]] const std::string &version) -> std::string {
            const std::vector<MessagePtr> given = goldens::messages(one.input["messages"]);
            const std::optional<std::int64_t> limit =
                stagecases::integer(one.input["human_message_token_limit_before_evict"]);
            ArtifactBackend backend = stagecases::backend(one.input["backend"], version);
            const Attempt<HumanEvictionCheck> check = checkHumanEviction(given, limit);
            if (!check)
                return "the check raised " + check.error().type;
            const Attempt<HumanEvictionResult> made = evictHumanMessages(
                given, limit, backend, stagecases::dialect(version), stagecases::names(one.input["uuids"]));
            Value shown;
            if (!made)
                shown = stagecases::error(made.error());
            else if (made->changed)
                shown = Value::map({{"messages", stagecases::messages(made->messages, given)},
                    {"update",
                        made->tagged ? Value::map({{"messages", stagecases::messages({made->tagged}, given)}})
                                     : Value()}});
            return stagecases::difference(one.output,
                Value::map(
                    {{"has_tagged", Value(check->hasTagged)}, {"new_eviction_needed", Value(check->newEvictionNeeded)},
                        {"result", shown}, {"files", stagecases::files(backend)}}));
        }));
}

QTEST_APPLESS_MAIN(TestGoldenHumanMessageEviction)
#include "tst_golden_human_message_eviction.moc"
