// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/text.h"
#include "core/compaction/stages/summaryprompt.h"
#include "tests/support/compactiongoldens.h"

#include <QCryptographicHash>
#include <QtTest>

using namespace palimpsest;

namespace {

std::string check(const goldens::Case &one, const std::string &version)
{
    const std::string &fn = one.input["fn"].asText();
    if (fn == "data") {
        const std::string &prompt =
            one.input["name"].asText() == "DEFAULT_SUMMARY_PROMPT" ? defaultSummaryPrompt() : deepAgentsSummaryPrompt();
        const auto from = static_cast<std::size_t>(one.input["slice"].asList().at(0).asInt());
        const auto to = static_cast<std::size_t>(one.input["slice"].asList().at(1).asInt());
        const QByteArray digest =
            QCryptographicHash::hash(QByteArray::fromStdString(prompt), QCryptographicHash::Sha256).toHex();
        return goldens::difference(one.output,
            Value::map({{"text", Value(text::slice(prompt, from, to))},
                {"total_length", Value(static_cast<std::int64_t>(text::length(prompt)))},
                {"sha256", Value(digest.toStdString())}}));
    }
    const auto rules = goldens::rulesOf(one.input, one.input["model"], version, true);
    if (!rules)
        return "constructor: " + rules.error().message;
    const auto messages = goldens::messages(one.input["messages"]);
    if (fn == "format") {
        const auto prompt = formatSummaryPrompt(rules->summaryPrompt, messages);
        return goldens::resultDifference(one.output, prompt ? Value(*prompt) : goldens::errorValue(prompt.error()));
    }
    const auto prompt = overflowRetryPrompt(*rules, messages);
    if (!prompt)
        return goldens::resultDifference(one.output, goldens::errorValue(prompt.error()));
    return goldens::difference(one.output, *prompt ? Value(**prompt) : Value());
}

} // namespace

class TestGoldenSummaryPrompt : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void agreesWithThePackage() { PALIMPSEST_VERIFY_GOLDENS(goldens::run("summary_prompt", check)); }
};

QTEST_APPLESS_MAIN(TestGoldenSummaryPrompt)
#include "tst_golden_summary_prompt.moc"
