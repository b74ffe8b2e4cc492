// SPDX-License-Identifier: GPL-3.0-or-later
// The house's order: an include may only point to the same room or to one below it. The linker does not see a breach, a
// Qt Gui header compiles in a Core-only library, so this test reads the includes.
#include "tests/support/sourcetree.h"

#include <QLibraryInfo>
#include <QTest>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <regex>
#include <set>

using namespace palimpsest::testing;

namespace {

/// From the ground up. A path belongs to the longest prefix that fits.
constexpr std::array<std::string_view, 17> rooms{"core/base/", "core/values/", "core/serde/", "core/sources/",
    "core/sources/net/", "core/thread/", "core/artifacts/", "core/tokens/", "core/compaction/", "core/summaries/",
    "core/summaries/net/", "core/insight/", "core/transcript/", "models/", "views/render/", "views/", "app/"};

std::optional<std::size_t> roomOf(std::string_view path)
{
    std::optional<std::size_t> found;
    for (std::size_t i = 0; i < rooms.size(); ++i) {
        if (path.starts_with(rooms[i]) && (!found || rooms[i].size() > rooms[*found].size())) {
            found = i;
        }
    }
    return found;
}

/// The Qt module whose folder holds this header, "" when it is none of Qt's.
std::string qtModuleOf(std::string_view header)
{
    const auto slash = header.find('/');
    if (header.starts_with("Qt") && slash != std::string_view::npos) {
        return std::string(header.substr(0, slash));
    }
    static const std::filesystem::path folder = QLibraryInfo::path(QLibraryInfo::HeadersPath).toStdString();
    for (const char *name : {"QtCore", "QtGui", "QtWidgets", "QtSql", "QtNetwork", "QtSvg", "QtSvgWidgets",
             "QtPrintSupport", "QtTest", "QtConcurrent", "QtDBus", "QtXml", "QtOpenGL", "QtOpenGLWidgets"}) {
        if (header.find('/') == std::string_view::npos && std::filesystem::exists(folder / name / header)) {
            return name;
        }
    }
    return {};
}

std::set<std::string> qtModulesFor(const SourceFile &file)
{
    const std::string_view path = file.path;
    if (path.starts_with("core/summaries/net/") || path.starts_with("core/sources/net/")) {
        return {"QtCore", "QtNetwork"};
    }
    if (path.starts_with("core/sources/")) {
        return {"QtCore", "QtSql"};
    }
    if (path.starts_with("core/") || path.starts_with("models/")) {
        return {"QtCore"};
    }
    if (path.starts_with("views/render/") || path.starts_with("app/cli/") || path.starts_with("app/session.")) {
        return {"QtCore", "QtGui"};
    }
    if (path.starts_with("views/")) {
        return {"QtCore", "QtGui", "QtWidgets", "QtSvg", "QtSvgWidgets", "QtPrintSupport"};
    }
    return {"QtCore", "QtGui", "QtWidgets", "QtSvg", "QtSvgWidgets", "QtPrintSupport", "QtNetwork", "QtSql"};
}

/// Libraries that only some rooms may name, by the beginning of their headers.
struct Library {
    std::string_view header;
    std::vector<std::string_view> allowed;
};
const std::vector<Library> &libraries()
{
    static const std::vector<Library> all{{"msgpack", {"core/serde/"}}, {"botan/", {"core/serde/"}},
        {"immer/", {"core/", "models/", "app/"}}, {"sqlite3", {"core/sources/"}}, {"libpq", {"core/sources/"}},
        {"CLI/", {"app/"}}, {"qcustomplot", {"views/"}}, {"KSyntaxHighlighting/", {"views/"}},
        {"nlohmann/", {"core/", "app/"}}, {"rapidcheck", {}}};
    return all;
}

/// A pane is a file `views/panes/<name>pane.h`; its own files begin with the same stem.
bool namesAnotherPane(const SourceFile &file, std::string_view include)
{
    constexpr std::string_view folder = "views/panes/";
    if (!file.path.starts_with(folder) || !include.starts_with(folder) || !include.ends_with("pane.h")) {
        return false;
    }
    const std::string_view pane = include.substr(folder.size(), include.size() - folder.size() - 2);
    return pane != "pane" && !file.stem().starts_with(pane);
}

std::vector<std::string> layeringFaults(const SourceFile &file, const std::string &root)
{
    std::vector<std::string> faults;
    const auto fault = [&](std::size_t line, const std::string &what) {
        faults.push_back(file.path + ":" + std::to_string(line) + ": " + what);
    };
    const bool test = file.path.starts_with("tests/");
    const auto room = roomOf(file.path);
    if (!room && !test) {
        fault(1, "stands in no room of the house");
        return faults;
    }
    const bool core = file.path.starts_with("core/") && file.path.find("/net/") == std::string::npos;
    static const std::set<std::string_view> noCore{
        "QObject", "QCoreApplication", "QEventLoop", "QTimer", "QThread", "QSettings"};
    for (const Include &include : includesOf(file)) {
        const std::string name(include.name);
        if (include.quoted && !name.ends_with(".moc")) {
            if (!std::filesystem::is_regular_file(root + "/" + name)) {
                fault(include.line, "\"" + name + "\" is not written from the root");
            } else if (!test) {
                const auto target = roomOf(name);
                if (!target) {
                    fault(include.line, "\"" + name + "\" is in no room of the house");
                } else if (*target > *room || (rooms[*target] == "core/summaries/net/" && core)) {
                    fault(include.line, "\"" + name + "\" points up the house");
                } else if (namesAnotherPane(file, name)) {
                    fault(include.line, "\"" + name + "\" is another pane");
                }
            }
        }
        if (test || include.quoted) {
            continue;
        }
        if (const std::string module = qtModuleOf(name); !module.empty() && !qtModulesFor(file).contains(module)) {
            fault(include.line, "<" + name + "> is " + module + ", which this room does not use");
        }
        const std::string_view plain = std::string_view(name).substr(name.rfind('/') + 1);
        if (core && noCore.contains(plain)) {
            fault(include.line, "<" + name + ">: core has neither objects nor an event loop");
        }
        if (core && file.endsWith(".h") && (plain == "QString" || plain == "QStringList")) {
            fault(include.line, "<" + name + ">: core's interfaces speak std::string");
        }
        for (const Library &library : libraries()) {
            const bool allowed = std::any_of(library.allowed.begin(), library.allowed.end(),
                [&](std::string_view prefix) { return file.path.starts_with(prefix); });
            if (name.starts_with(library.header) && !allowed) {
                fault(include.line, "<" + name + "> is not this room's library");
            }
        }
    }
    if (core) {
        static const std::regex objects(R"(\b(Q_OBJECT|Q_GADGET)\b|\b(QObject::)?tr\([\x22u])");
        std::size_t number = 0;
        for (const std::string_view line : file.lines()) {
            ++number;
            if (std::regex_search(line.begin(), line.end(), objects)) {
                fault(number, "core has neither objects nor translations");
            }
        }
    }
    return faults;
}

bool isCpp(const SourceFile &file)
{
    return file.endsWith(".cpp") || file.endsWith(".h");
}

} // namespace

class TestLayering : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void includesPointDown()
    {
        std::vector<std::string> faults;
        std::size_t seen = 0;
        for (const SourceFile &file : sourceTree(PALIMPSEST_SOURCE_DIR)) {
            if (isCpp(file)) {
                ++seen;
                for (std::string &fault : layeringFaults(file, PALIMPSEST_SOURCE_DIR)) {
                    qWarning("%s", fault.c_str());
                    faults.push_back(std::move(fault));
                }
            }
        }
        QVERIFY2(seen > 20, "the sources were not found");
        QCOMPARE(faults, std::vector<std::string>());
    }

    /// The rule itself: each of these must be refused, or the test above says nothing.
    void refusesBreaches_data()
    {
        QTest::addColumn<QString>("path");
        QTest::addColumn<QString>("include");
        QTest::addColumn<QString>("fault");
        const auto row = [](const char *name, const char *path, const char *include, const char *fault) {
            QTest::newRow(name) << QString::fromLatin1(path) << QString::fromLatin1(include)
                                << QString::fromLatin1(fault);
        };
        row("upward in core", "core/base/x.h", "\"core/values/value.h\"", "up the house");
        row("upward within the upper core", "core/values/x.cpp", "\"core/thread/thread.h\"", "up the house");
        row("relative", "core/thread/x.cpp", "\"thread.h\"", "from the root");
        row("gone", "core/thread/x.cpp", "\"core/thread/nowhere.h\"", "from the root");
        row("tests from the program", "core/thread/x.cpp", "\"tests/support/sourcetree.h\"", "in no room");
        row("widgets in core", "core/thread/x.cpp", "<QWidget>", "QtWidgets");
        row("gui in core", "core/thread/x.cpp", "<QColor>", "QtGui");
        row("old header names", "core/thread/x.cpp", "<qimage.h>", "QtGui");
        row("module before the name", "models/x.cpp", "<QtWidgets/QLabel>", "QtWidgets");
        row("gui in models", "models/x.cpp", "<QColor>", "QtGui");
        row("objects in core", "core/thread/x.cpp", "<QObject>", "neither objects");
        row("event loop in core", "core/thread/x.cpp", "<QtCore/QTimer>", "neither objects");
        row("QString in core's interface", "core/thread/x.h", "<QString>", "std::string");
        row("sql above sources", "core/thread/x.cpp", "<QSqlQuery>", "QtSql");
        row("network in views", "views/panes/x.cpp", "<QNetworkAccessManager>", "QtNetwork");
        row("network in core", "core/summaries/x.cpp", "<QNetworkReply>", "QtNetwork");
        row("widgets in render", "views/render/x.cpp", "<QWidget>", "QtWidgets");
        row("widgets in a command", "app/cli/x.cpp", "<QWidget>", "QtWidgets");
        row("widgets in the session", "app/session.cpp", "<QWidget>", "QtWidgets");
        row("command line in core", "core/thread/x.cpp", "<CLI/CLI.hpp>", "library");
        row("msgpack outside serde", "core/thread/x.cpp", "<msgpack.hpp>", "library");
        row("charts outside views", "app/x.cpp", "<qcustomplot.h>", "library");
        row("json in views", "views/x.cpp", "<nlohmann/json.hpp>", "library");
        row("no such room", "gui/x.cpp", "<vector>", "in no room");
        row("no such core room", "core/misc/x.cpp", "<vector>", "in no room");
    }
    void refusesBreaches()
    {
        QFETCH(QString, path);
        QFETCH(QString, include);
        QFETCH(QString, fault);
        const SourceFile file{path.toStdString(), "// SPDX\n#  include " + include.toStdString() + "\n"};
        const auto faults = layeringFaults(file, PALIMPSEST_SOURCE_DIR);
        QCOMPARE(faults.size(), 1U);
        QVERIFY2(QString::fromStdString(faults[0]).contains(fault), faults[0].c_str());
    }
    void refusesAPaneThatNamesAnother()
    {
        const SourceFile raw{"views/panes/rawlogpane.cpp", ""};
        QVERIFY(namesAnotherPane(raw, "views/panes/effectivepane.h"));
        QVERIFY(!namesAnotherPane(raw, "views/panes/rawlogpane.h"));
        QVERIFY(!namesAnotherPane(raw, "views/panes/pane.h"));
        QVERIFY(!namesAnotherPane({"views/panes/rawlogpanemenu.cpp", ""}, "views/panes/rawlogpane.h"));
        QVERIFY(!namesAnotherPane({"app/mainwindow.cpp", ""}, "views/panes/rawlogpane.h"));
    }
    void refusesObjectsInCore()
    {
        QCOMPARE(layeringFaults({"core/thread/x.h", "class X { Q_OBJECT };\n"}, PALIMPSEST_SOURCE_DIR).size(), 1U);
        QCOMPARE(layeringFaults({"core/thread/x.h", "auto s = tr(\"word\");\n"}, PALIMPSEST_SOURCE_DIR).size(), 1U);
        QCOMPARE(
            layeringFaults({"core/summaries/net/x.h", "class X { Q_OBJECT };\n"}, PALIMPSEST_SOURCE_DIR).size(), 0U);
    }
    void allowsWhatTheTableAllows()
    {
        const auto none = std::vector<std::string>();
        const SourceFile source{"core/sources/x.cpp",
            "#include \"core/values/value.h\"\n#include <QSqlQuery>\n#include <QFile>\n#include <map>\n"};
        QCOMPARE(layeringFaults(source, PALIMPSEST_SOURCE_DIR), none);
        const SourceFile pane{
            "views/panes/x.cpp", "#include \"core/values/value.h\"\n#include <QWidget>\n#include <QPainter>\n"};
        QCOMPARE(layeringFaults(pane, PALIMPSEST_SOURCE_DIR), none);
    }
};

QTEST_APPLESS_MAIN(TestLayering)
#include "tst_layering.moc"
