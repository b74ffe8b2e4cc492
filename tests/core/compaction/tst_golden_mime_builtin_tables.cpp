// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/mimetypes.h"
#include "tests/support/stagecases.h"

#include <QTest>

using namespace palimpsest;

class TestGoldenMimeBuiltinTables : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void agreesWithThePackage();
};

void TestGoldenMimeBuiltinTables::agreesWithThePackage()
{
    PALIMPSEST_VERIFY_GOLDENS(goldens::run("mime_builtin_tables",
        [](const goldens::Case &one, [[maybe_unused]] const std::string &version) -> std::string {
            Value::List rows;
            for (const mime::Mapping &mapping :
                one.input["table"].asText() == "types_map" ? mime::standardTypes() : mime::commonTypes())
                rows.push_back(Value::list({Value(mapping.extension), Value(mapping.type)}));
            return stagecases::difference(one.output, Value(std::move(rows)));
        }));
}

QTEST_APPLESS_MAIN(TestGoldenMimeBuiltinTables)
#include "tst_golden_mime_builtin_tables.moc"
