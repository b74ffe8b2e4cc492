// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/mimetypes.h"
#include "tests/support/stagecases.h"

#include <QTest>

using namespace palimpsest;

class TestGoldenMimeExtensionTable : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void agreesWithThePackage();
};

void TestGoldenMimeExtensionTable::agreesWithThePackage()
{
    PALIMPSEST_VERIFY_GOLDENS(goldens::run("mime_extension_table",
        [](const goldens::Case &one, [[maybe_unused]] const std::string &version) -> std::string {
            const std::string_view extension = mime::guessExtension(one.input["mime"].asText());
            // "with_this_machines_mime_types_files" tells about the machine that made the case, not about the rule.
            const Value made = Value::map({{"builtin", Value(extension.empty() ? "bin" : extension.substr(1))},
                {"with_this_machines_mime_types_files", one.output["with_this_machines_mime_types_files"]},
                {"guess_extension", extension.empty() ? Value() : Value(extension)}});
            return stagecases::difference(one.output, made);
        }));
}

QTEST_APPLESS_MAIN(TestGoldenMimeExtensionTable)
#include "tst_golden_mime_extension_table.moc"
