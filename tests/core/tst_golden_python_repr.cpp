// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/text.h"
#include "core/thread/message.h"
#include "core/values/nonprintable.h"
#include "core/values/pyrepr.h"
#include "tests/support/goldens.h"

#include <QTest>

using namespace palimpsest;

class TestGoldenPythonRepr : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void reprIsPythons()
    {
        PALIMPSEST_VERIFY_GOLDENS(goldens::run("python_repr", [](const goldens::Case &c, const std::string &) {
            if (c.input.contains("nonprintable_ranges")) {
                Value::List ranges;
                for (const auto &[first, last] : nonPrintableRanges)
                    ranges.push_back(
                        Value::list({Value(static_cast<std::int64_t>(first)), Value(static_cast<std::int64_t>(last))}));
                return goldens::difference(c.output, Value(std::move(ranges)));
            }
            Value value = c.input["value"];
            if (c.input.contains("tool_calls")) {
                const MessagePtr message = messageFromValue(
                    Value::map({{"type", Value("ai")}, {"content", Value("")}, {"tool_calls", c.input["tool_calls"]}}));
                value = message->toolCalls;
            }
            const std::string repr = pyrepr(value);
            if (text::length(repr) != pyreprLength(value))
                return "pyreprLength gives " + std::to_string(pyreprLength(value)) + " for a repr of "
                    + std::to_string(text::length(repr));
            return goldens::difference(c.output,
                Value::map({{"repr", Value(repr)}, {"length", Value(static_cast<std::int64_t>(pyreprLength(value)))}}));
        }));
    }
};

QTEST_APPLESS_MAIN(TestGoldenPythonRepr)
#include "tst_golden_python_repr.moc"
