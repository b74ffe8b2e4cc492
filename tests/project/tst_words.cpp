// SPDX-License-Identifier: GPL-3.0-or-later
// What no file of the project may hold: the paths of one machine, the hosts of package registries, leftovers of a
// merge.
#include "tests/support/sourcetree.h"

#include <QTest>

#include <regex>

using namespace palimpsest::testing;

namespace {

struct Rule {
    const char *what;
    std::regex pattern;
};

const std::vector<Rule> &rules()
{
    // Written with gaps ("[.]"), so that this file does not hold what it looks for.
    static const std::vector<Rule> all{
        {"path of a machine", std::regex(R"((^|[\s\x22'(=:])/((work|tmp|root)[/][\w.]|home/(?!user/|me/|you/)\w))")},
        {"path outside the project", std::regex(R"([.][.]/shared[/])")},
        {"host of a package registry",
            std::regex(
                R"((pypi[.]org|pythonhosted[.]org|npmjs[.]org|crates[.]io|golang[.]org/proxy|proxy[.]golang|deb[.]debian[.]org|security[.]debian[.]org|snapshot[.]debian[.]org|archive[.]ubuntu|ports[.]ubuntu|conda[.]anaconda))",
                std::regex::icase)},
        {"leftover of a merge", std::regex(R"(^(<{7}|>{7}|={7})( |$))")},
    };
    return all;
}

std::vector<std::string> wordFaults(const SourceFile &file)
{
    std::vector<std::string> faults;
    // Paths in there are what a made-up agent wrote, and the goldens hold them.
    const bool madeUp = file.path == "tests/oracle/make_stage_goldens.py";
    std::size_t number = 0;
    for (const std::string_view line : file.lines()) {
        ++number;
        // Long lines are data (tables, pictures as text); std::regex is recursive and not made for them.
        const std::string_view part = line.substr(0, 2000);
        for (const Rule &rule : rules()) {
            if (madeUp && rule.what == std::string_view("path of a machine")) {
                continue;
            }
            if (std::regex_search(part.begin(), part.end(), rule.pattern)) {
                faults.push_back(file.path + ":" + std::to_string(number) + ": " + rule.what + ": "
                    + std::string(line.substr(0, 120)));
            }
        }
    }
    return faults;
}

} // namespace

class TestWords : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void noFileHoldsThem()
    {
        std::vector<std::string> faults;
        for (const SourceFile &file : sourceTree(PALIMPSEST_SOURCE_DIR)) {
            for (std::string &fault : wordFaults(file)) {
                qWarning("%s", fault.c_str());
                faults.push_back(std::move(fault));
            }
        }
        QCOMPARE(faults, std::vector<std::string>());
    }
    void refusesThem_data()
    {
        QTest::addColumn<QString>("line");
        QTest::addColumn<bool>("refused");
        const auto row = [](const std::string &line, bool refused) {
            QTest::newRow(line.c_str()) << QString::fromStdString(line) << refused;
        };
        const std::string slash = "/";
        row("open(\"" + slash + "work/main/x\")", true);
        row("see " + slash + "tmp/thing.txt", true);
        row("PATH=" + slash + "home/jane/bin", true);
        row(slash + "root/.cache", true);
        row("cp .." + slash + "shared/x .", true);
        row("https://files.python" + std::string("hosted.org/x"), true);
        row("http://deb.debian" + std::string(".org/debian trixie"), true);
        row(std::string(7, '<') + " HEAD", true);
        row(std::string(7, '='), true);
        row("/usr" + slash + "share/doc", false);
        row("/home/user/project/a.txt", false);
        row("build" + slash + "work/x", false);
        row("mktemp -d", false);
        row("https://example.org/x", false);
    }
    void refusesThem()
    {
        QFETCH(QString, line);
        QFETCH(bool, refused);
        QCOMPARE(!wordFaults({"x", "first\n" + line.toStdString() + "\nlast\n"}).empty(), refused);
    }
};

QTEST_APPLESS_MAIN(TestWords)
#include "tst_words.moc"
