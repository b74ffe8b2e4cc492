// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compaction/stages/cutoff.h"
#include "tests/support/compactiongoldens.h"

#include <QtTest>

using namespace palimpsest;

namespace {

std::string check(const goldens::Case &one, const std::string &version)
{
    const auto rules = goldens::rulesOf(one.input, one.input["model"], version, false);
    if (!rules)
        return "constructor: " + rules.error().message;
    const RequestView view = viewOf(goldens::messages(one.input["messages"]), rules->counter);
    const std::int64_t cutoff = determineCutoffIndex(view, *rules);
    return goldens::difference(one.output,
        Value::map({{"cutoff", Value(cutoff)}, {"summarize_count", Value(cutoff)},
            {"preserve_count", Value(view.size() - cutoff)}, {"total_tokens", Value(view.count())},
            {"unscaled_tokens", Value(view.countUnscaled())}}));
}

} // namespace

class TestGoldenDetermineCutoffIndex : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void agreesWithThePackage() { PALIMPSEST_VERIFY_GOLDENS(goldens::run("determine_cutoff_index", check)); }
};

QTEST_APPLESS_MAIN(TestGoldenDetermineCutoffIndex)
#include "tst_golden_determine_cutoff_index.moc"
