// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/serde/json.h"
#include "tests/support/clirun.h"
#include "tests/support/recordings.h"

#include <QTest>

#include <algorithm>
#include <set>

using namespace palimpsest;

namespace {

/// Which rules speak of which recording, and why that is no false alarm.
const std::string table = PALIMPSEST_TEST_DATA "/recordings/findings.json";

std::set<std::string> rulesOf(const std::string &database)
{
    std::set<std::string> rules;
    const Result<Value> document = parseJson(runOnBuffers({"lint", database, "--json"}, nullptr, nullptr));
    for (const Value &finding : document ? (*document)["findings"].asList() : Value::List{})
        rules.insert(finding["severity"].asText() + " " + finding["rule"].asText());
    return rules;
}

} // namespace

/// A new finding about a healthy thread is a false alarm until it is in the table with a reason.
class TestRecordingFindings : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void saysOnlyWhatIsJustified_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("database");
        for (const recordings::Recording &recording : recordings::all())
            QTest::newRow(recording.name.c_str())
                << QString::fromStdString(recording.name) << QString::fromStdString(recording.database);
    }
    void saysOnlyWhatIsJustified()
    {
        QFETCH(QString, name);
        QFETCH(QString, database);
        const Value expected = recordings::readJson(table);
        const bool own = qEnvironmentVariable("PALIMPSEST_RECORDINGS").isEmpty();
        const Value::List &justified = expected["recordings"][name.toStdString()].asList();
        for (const std::string &rule : rulesOf(database.toStdString())) {
            QVERIFY2(expected["why"].contains(rule), ("not justified: " + rule).c_str());
            if (own)
                QVERIFY2(std::find(justified.begin(), justified.end(), Value(rule)) != justified.end(), rule.c_str());
        }
    }
};

QTEST_GUILESS_MAIN(TestRecordingFindings)
#include "tst_recording_findings.moc"
