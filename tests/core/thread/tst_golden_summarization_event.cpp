// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/thread/events.h"
#include "core/thread/projection.h"
#include "tests/support/goldens.h"

#include <QTest>

using namespace palimpsest;

namespace {

std::string checkEffective(const Value &expected, const MessageLog &log, const MessageLog &effective)
{
    if (expected.asList().size() != effective.size())
        return "expected " + std::to_string(expected.asList().size()) + " effective messages, got "
            + std::to_string(effective.size());
    for (std::size_t i = 0; i < effective.size(); ++i) {
        const Value &want = expected.asList()[i];
        const std::string where = "effective[" + std::to_string(i) + "]";
        if (const Value *same = want.find("$same_as_input")) {
            if (*effective[i] != *log[static_cast<std::size_t>(same->asInt())])
                return where + " is not input " + std::to_string(same->asInt());
        } else if (want.isNil()) {
            if (effective[i])
                return where + " should be null";
        } else if (std::string d = goldens::difference(want, messageToValue(*effective[i]), where); !d.empty()) {
            return d;
        }
    }
    return {};
}

std::string check(const goldens::Case &one, const std::string &version)
{
    const std::vector<MessagePtr> messages = goldens::messages(one.input["messages"]);
    const MessageLog log(messages.begin(), messages.end());
    const EventPtr event = parseEvent(one.input["event"]);
    const BoundReasoning rule = version == "0.7.7" ? BoundReasoning::Kept : BoundReasoning::ByEvent;

    const Result<MessageLog> effective = applyEvent(log, event.get(), rule);
    const Value &expected = one.output["effective"];
    if (expected.contains("$error")) {
        if (effective)
            return "an effective list, though upstream raises";
        if (effectiveMessages(log, event.get(), rule) != log)
            return "an unusable event must leave the log as it is";
    } else {
        if (!effective)
            return effective.error().what;
        if (std::string d = checkEffective(expected, log, *effective); !d.empty())
            return d;
        // Places translate back and forth.
        const Projection projection = projectionOf(log.size(), event.get(), rule);
        const MessageLog shown = effectiveMessages(log, event.get(), rule);
        for (std::size_t i = 0; i < shown.size(); ++i) {
            const MessageIndex raw = rawIndex(projection, EffectiveIndex(i));
            if (raw.isValid() == (projection.summary && i == 0))
                return "only the summary has no place in the log";
            if (raw.isValid()
                && (log[raw.at()]->id != shown[i]->id || effectiveIndex(projection, raw) != EffectiveIndex(i)))
                return "place " + std::to_string(i) + " does not translate";
        }
    }

    const Result<std::int64_t> cutoff = stateCutoff(event.get(), one.input["effective_cutoff"].asInt());
    if (one.output["state_cutoff"].contains("$error"))
        return cutoff ? "a state cutoff, though upstream raises" : "";
    if (!cutoff)
        return cutoff.error().what;
    return goldens::difference(one.output["state_cutoff"], Value(*cutoff), "state_cutoff");
}

} // namespace

class TestGoldenSummarizationEvent : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void givesWhatUpstreamGives() { PALIMPSEST_VERIFY_GOLDENS(goldens::run("summarization_event", check)); }
};

QTEST_APPLESS_MAIN(TestGoldenSummarizationEvent)
#include "tst_golden_summarization_event.moc"
