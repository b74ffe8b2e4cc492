// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compaction/stages/bufferstring.h"
#include "tests/support/compactiongoldens.h"

#include <QtTest>

using namespace palimpsest;

namespace {

std::string check(const goldens::Case &one, const std::string &)
{
    const auto xml = bufferStringXml(goldens::messages(one.input["messages"]));
    if (xml)
        return goldens::difference(one.output, Value(*xml));
    // The text names the message by its repr, which this program does not need to know.
    return one.output["$error"]["type"].asText() == xml.error().type ? std::string() : "raised " + xml.error().type;
}

} // namespace

class TestGoldenBufferStringXml : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void agreesWithThePackage() { PALIMPSEST_VERIFY_GOLDENS(goldens::run("buffer_string_xml", check)); }
};

QTEST_APPLESS_MAIN(TestGoldenBufferStringXml)
#include "tst_golden_buffer_string_xml.moc"
