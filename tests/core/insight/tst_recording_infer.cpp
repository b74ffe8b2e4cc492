// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compaction/contextsize.h"
#include "core/compaction/replay.h"
#include "core/insight/infer/infer.h"
#include "core/insight/infer/reproduction.h"
#include "tests/support/recordedinput.h"
#include "tests/support/recordings.h"

#include <QtTest>

#include <algorithm>

using namespace palimpsest;

namespace {

using Kind = ContextSize::Kind;

/// Families of one recording that are tried at their ends.
constexpr std::size_t familiesTried = 16;

/// Whether a replay under these settings makes the recorded events at the recorded calls and no others, up to a call.
double stepOf(const SizeRange &range, const SettingsFamily &family)
{
    return range.kind == Kind::Fraction ? 1.0 / static_cast<double>(*family.model.maxInputTokens) : 1.0;
}

double highOf(const SizeRange &range)
{
    return range.high.value_or(range.kind == Kind::Messages ? 1e6 : range.kind == Kind::Tokens ? 1e9 : 1.0);
}

double lowOf(const SizeRange &range)
{
    return range.low.value_or(range.kind == Kind::Fraction ? 1e-6 : 1);
}

/// The family's settings with every size at one of its ends.
Settings at(const SettingsFamily &family, bool triggerHigh, bool keepHigh)
{
    Settings settings = settingsOf(family);
    settings.modelDefaults = false;
    for (std::size_t c = 0; c < family.trigger.size(); ++c) {
        for (std::size_t i = 0; i < family.trigger[c].size(); ++i) {
            const SizeRange &range = family.trigger[c][i];
            (*settings.trigger)[c][i].value = triggerHigh ? highOf(range) : lowOf(range);
        }
    }
    if (family.keep.low || family.keep.high)
        settings.keep = {family.keep.kind, keepHigh ? highOf(family.keep) : lowOf(family.keep)};
    else
        settings.keep = {family.keep.kind, 1};
    return settings;
}

std::string withWhat(const SettingsFamily &family, const std::string &what)
{
    return what + ": " + describe(family);
}

Trigger trueTrigger(const Value &settings)
{
    if (settings["model_defaults"].asBool())
        return {{{Kind::Fraction, 0.85}}};
    const auto trigger = readTrigger(settings["trigger"], PairForm::Json);
    return trigger ? *trigger : Trigger();
}

/// The size as tokens, where it is a fraction.
ContextSize asTokens(const ContextSize &size, std::int64_t window)
{
    return size.kind == Kind::Fraction
        ? ContextSize{Kind::Tokens, static_cast<double>(fractionThreshold(window, size.value))}
        : size;
}

bool holds(const SizeRange &range, const ContextSize &size, std::int64_t window)
{
    return range.contains(size) || range.contains(asTokens(size, window));
}

bool holds(const SettingsFamily &family, const Trigger &trigger, const ContextSize &keep, std::int64_t window)
{
    if (family.trigger.size() != trigger.size() || !holds(family.keep, keep, window))
        return false;
    return std::all_of(trigger.begin(), trigger.end(), [&](const TriggerClause &clause) {
        return std::any_of(family.trigger.begin(), family.trigger.end(), [&](const std::vector<SizeRange> &ranges) {
            return ranges.size() == clause.size()
                && std::all_of(clause.begin(), clause.end(), [&](const ContextSize &size) {
                       return std::any_of(ranges.begin(), ranges.end(),
                           [&](const SizeRange &range) { return holds(range, size, window); });
                   });
        });
    });
}

} // namespace

class RecordingInferTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase_data();
    void findsTheTrueSettings();
    void rangesAreTight();
};

void RecordingInferTest::initTestCase_data()
{
    QTest::addColumn<QString>("database");
    QTest::addColumn<QString>("truth");
    for (const recordings::Recording &recording : recordings::all())
        QTest::newRow(recording.name.c_str())
            << QString::fromStdString(recording.database) << QString::fromStdString(recording.truth);
}

void RecordingInferTest::findsTheTrueSettings()
{
    QFETCH_GLOBAL(QString, database);
    QFETCH_GLOBAL(QString, truth);
    ArtifactReader artifacts;
    const ReplayInputPtr input = recordedInput(database.toStdString(), &artifacts);
    QVERIFY(input);
    const auto inference = inferSettings(*input, artifacts);
    QVERIFY(inference);
    const Value settings = recordings::readJson(truth.toStdString())["settings"];
    const Trigger trigger = trueTrigger(settings);
    const ContextSize keep = settings["model_defaults"].asBool()
        ? ContextSize{Kind::Fraction, 0.1}
        : readContextSize(settings["keep"], "keep").value_or(ContextSize());
    const std::int64_t window = settings["model"]["max_input_tokens"].asInt(1);
    const bool anthropic = settings["model"]["provider"].asText() == "anthropic";
    const bool usual = (settings["model"]["llm_type"].asText() == "anthropic-chat") == anthropic;
    QCOMPARE(inference->families.empty(), input->calls().empty());
    if (inference->events == 0) {
        // What would have compacted is ruled out, and the truth is not.
        for (const ExcludedTrigger &excluded : inference->excluded) {
            QVERIFY(!excluded.by.taskId.empty());
            for (const TriggerClause &clause : trigger)
                QVERIFY2(clause.size() > 1 || excluded.values.kind != clause.front().kind
                        || clause.front().value > *excluded.values.high || keep.value > 1,
                    excluded.by.why.c_str());
        }
        QVERIFY(!inference->defaults.empty());
        return;
    }
    if (trigger.empty() || !usual)
        return; // a class of model that counts unlike its provider's usual one leaves no trace
    // A truncation of arguments that no archive shows can hide the truth.
    const bool hidden = settings["truncate_args"].isMap() && !inference->changes.empty();
    const bool found = std::any_of(inference->families.begin(), inference->families.end(),
        [&](const SettingsFamily &family) { return holds(family, trigger, keep, window); });
    QVERIFY2(found || hidden, describe(*inference).c_str());
}

void RecordingInferTest::rangesAreTight()
{
    QFETCH_GLOBAL(QString, database);
    ArtifactReader artifacts;
    const ReplayInputPtr input = recordedInput(database.toStdString(), &artifacts);
    QVERIFY(input);
    const auto inference = inferSettings(*input, artifacts);
    QVERIFY(inference);
    // Whether `compact_conversation` is refused as too early depends on the trigger as well.
    if (std::any_of(input->calls().begin(), input->calls().end(),
            [](const ReplayInput::CallInput &call) { return !call.compactions.empty(); }))
        return;
    std::string loose;
    const auto note = [&loose](bool tight, const char *what) {
        if (!tight && loose.empty())
            loose = what;
    };
    const Replayer replayer(input);
    std::size_t tried = 0;
    for (const SettingsFamily &family : inference->families) {
        if (!family.explainsAll() || family.segment >= 0)
            continue;
        if (++tried > familiesTried)
            break;
        for (const bool triggerHigh : {false, true}) {
            for (const bool keepHigh : {false, true})
                note(reproducesEvents(replayer, at(family, triggerHigh, keepHigh)),
                    withWhat(family, "the ends").c_str());
        }
        note(reproducesEvents(replayer, settingsOf(family)), withWhat(family, "the proposal").c_str());
        for (std::size_t c = 0; c < family.trigger.size(); ++c) {
            for (std::size_t i = 0; i < family.trigger[c].size(); ++i) {
                const SizeRange &range = family.trigger[c][i];
                if (range.low) {
                    Settings below = at(family, false, false);
                    (*below.trigger)[c][i].value = *range.low - stepOf(range, family);
                    note(!reproducesEvents(replayer, below), withWhat(family, "a trigger below").c_str());
                }
                if (range.high) {
                    Settings above = at(family, true, false);
                    (*above.trigger)[c][i].value = *range.high + stepOf(range, family);
                    if (range.kind != Kind::Fraction || (*above.trigger)[c][i].value <= 1)
                        note(!reproducesEvents(replayer, above), withWhat(family, "a trigger above").c_str());
                }
            }
        }
        const double step = stepOf(family.keep, family);
        if (family.keep.low && *family.keep.low > step) {
            Settings below = at(family, false, false);
            below.keep.value -= step;
            note(!reproducesEvents(replayer, below), withWhat(family, "a keep below").c_str());
        }
        if (family.keep.high) {
            Settings above = at(family, false, true);
            above.keep.value += step;
            note(!reproducesEvents(replayer, above), withWhat(family, "a keep above").c_str());
        }
    }
    QVERIFY2(loose.empty(), loose.c_str());
}

QTEST_GUILESS_MAIN(RecordingInferTest)
#include "tst_recording_infer.moc"
