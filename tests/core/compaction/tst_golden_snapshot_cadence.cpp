// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compaction/stages/snapshotcadence.h"
#include "tests/support/stagecases.h"

#include <QTest>

using namespace palimpsest;

class TestGoldenSnapshotCadence : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void agreesWithThePackage();
};

void TestGoldenSnapshotCadence::agreesWithThePackage()
{
    PALIMPSEST_VERIFY_GOLDENS(goldens::run(
        "snapshot_cadence", [](const goldens::Case &one, [[maybe_unused]] const std::string &version) -> std::string {
            SnapshotCadence cadence({one.input["snapshot_frequency"].asInt(), one.input["max_supersteps"].asInt()});
            const Value::List &rows = one.output["checkpoints"].asList();
            std::size_t at = 0;
            Value::List made;
            for (const Value &run : one.input["runs"].asList()) {
                // The input checkpoint comes first: a superstep that wrote nothing yet.
                Value::List flags = run.asList();
                flags.insert(flags.begin(), Value(false));
                for (const Value &flag : flags) {
                    const bool snapshot = cadence.advance(flag.isText() ? ChannelStep::Forced
                            : flag.asBool()                             ? ChannelStep::Written
                                                                        : ChannelStep::Untouched);
                    const Value row = at < rows.size() ? rows[at] : Value();
                    ++at;
                    made.push_back(Value::map({{"source", row["source"]}, {"step", row["step"]},
                        {"snapshot", Value(snapshot)}, {"updates", Value(cadence.counters().updates)},
                        {"supersteps", Value(cadence.counters().supersteps)}}));
                }
            }
            return stagecases::difference(Value(rows), Value(std::move(made)));
        }));
}

QTEST_APPLESS_MAIN(TestGoldenSnapshotCadence)
#include "tst_golden_snapshot_cadence.moc"
