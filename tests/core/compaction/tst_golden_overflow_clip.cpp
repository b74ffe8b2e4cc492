// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compaction/stages/overflowclip.h"
#include "core/tokens/approximate.h"
#include "tests/support/stagecases.h"

#include <QTest>

using namespace palimpsest;

namespace {

std::int64_t counted(std::span<const MessagePtr> messages)
{
    return countTokensApproximately({messages.begin(), messages.end()}).value_or(-1);
}

} // namespace

class TestGoldenOverflowClip : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void agreesWithThePackage();
};

void TestGoldenOverflowClip::agreesWithThePackage()
{
    PALIMPSEST_VERIFY_GOLDENS(goldens::run(
        "overflow_clip", [](const goldens::Case &one, [[maybe_unused]] const std::string &version) -> std::string {
            const std::vector<MessagePtr> given = goldens::messages(one.input["messages"]);
            const ContextSize keep = stagecases::contextSize(one.input["keep"]);
            const std::optional<std::int64_t> window = stagecases::integer(one.input["max_input_tokens"]);
            ArtifactBackend backend = stagecases::backend(one.input["backend"], version);
            const std::optional<std::size_t> start = tailToolBatch(given);
            const Value tokens = start ? Value(counted(std::span(given).subspan(*start))) : Value();
            const Attempt<OverflowClipResult> made =
                clipOverflowTail(given, keep, window, counted, one.input["prefix"].asText(), backend,
                    stagecases::dialect(version), stagecases::names(one.input["uuids"]));
            const Value shown = made ? Value::map({{"messages", stagecases::messages(made->messages, given)},
                                           {"replacements", stagecases::messages(made->replacements, given)}})
                                     : stagecases::error(made.error());
            return stagecases::difference(one.output,
                Value::map({{"threshold", Value(overflowClipThreshold(keep, window))},
                    {"tail_start", start ? Value(static_cast<std::int64_t>(*start)) : Value()}, {"tail_tokens", tokens},
                    {"result", shown}, {"files", stagecases::files(backend)}}));
        }));
}

QTEST_APPLESS_MAIN(TestGoldenOverflowClip)
#include "tst_golden_overflow_clip.moc"
