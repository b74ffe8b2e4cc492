// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/exporter.h"
#include "core/serde/json.h"
#include "core/sources/sourceprobe.h"
#include "core/thread/threadreader.h"
#include "core/transcript/scrub.h"
#include "core/values/json.h"
#include "tests/support/clirun.h"
#include "tests/support/recordings.h"

#include <QDir>
#include <QFile>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>
#include <set>

#include <sys/resource.h>

using namespace palimpsest;
using namespace Qt::StringLiterals;

namespace {

const std::string recordingsFolder = PALIMPSEST_TEST_DATA "/recordings/0.7.7/";
const std::string chain = recordingsFolder + "summarize_chain.sqlite";

QByteArray contentOf(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("cannot be opened");
}

Value json(const std::string &text)
{
    return parseJson(text).value_or(Value());
}

} // namespace

class TestExport : public QObject {
    Q_OBJECT

private:
    QTemporaryDir m_folder;

    static QStringList entriesOf(const QString &folder)
    {
        return QDir(folder).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot);
    }

    static void everyFormat()
    {
        QTest::addColumn<QString>("format");
        for (const FormatInfo &info : transcriptFormats())
            QTest::newRow(std::string(info.name).c_str())
                << QString::fromLatin1(info.name.data(), qsizetype(info.name.size()));
    }

    QString exported(const std::vector<std::string> &options, const QString &name, int expected = 0)
    {
        const QString path = m_folder.filePath(name);
        std::vector<std::string> args{"export"};
        args.insert(args.end(), options.begin(), options.end());
        args.insert(args.end(), {"-o", path.toStdString()});
        int status = -1;
        std::string messages;
        runOnBuffers(args, &status, &messages);
        if (status != expected)
            QTest::qFail((name.toStdString() + ": " + messages).c_str(), __FILE__, __LINE__);
        return path;
    }

private Q_SLOTS:
    void markdownSaysWhatWasCompacted()
    {
        const QByteArray text = contentOf(exported({chain, "-f", "markdown"}, u"chain.md"_s));
        QVERIFY(text.contains("### User"));
        QVERIFY(text.contains("### Assistant"));
        QVERIFY(text.contains("<details><summary>"));
        QVERIFY2(
            QRegularExpression(u"Compacted · automatic · \\d+k? → \\d+k? tokens · \\d+ messages → archive section 1"_s)
                .match(QString::fromUtf8(text))
                .hasMatch(),
            text.left(2000).constData());
        QVERIFY(text.contains("How this is known: Derived"));
        QVERIFY(text.contains("Open: `palimpsest "));
    }

    void pageAsksForNothingFromOutside()
    {
        const QByteArray page = contentOf(exported({recordingsFolder + "media.sqlite", "-f", "html"}, u"media.html"_s));
        QVERIFY(page.contains("<img alt=\"image/png\" src=\"data:image/png;base64,"));
        QVERIFY(page.contains("default-src 'none'"));
        QVERIFY(!page.contains("src=\"http"));
        QVERIFY(!page.contains("href=\"http"));
        QVERIFY(page.contains("Effective messages"));
    }

    void messagesComeBackFromJsonLines()
    {
        const QByteArray lines = contentOf(exported({chain, "-f", "jsonl"}, u"chain.jsonl"_s));
        const QByteArray whole = contentOf(exported({chain, "-f", "json"}, u"chain.json"_s));
        const Value document = json(whole.toStdString());
        QCOMPARE(document["format"].asText(), "palimpsest.transcript/1");
        const Value::List &messages = document["messages"].asList();
        QCOMPARE(static_cast<std::size_t>(lines.count('\n')), messages.size());
        const Value truth = recordings::readJson(recordingsFolder + "summarize_chain.expected.json");
        const Value &last = truth["checkpoints"].asList().back();
        const std::vector<Value> expected = recordings::bodies(last["messages"], truth["messages"]);
        QCOMPARE(messages.size(), expected.size());
        for (std::size_t i = 0; i < expected.size(); ++i)
            QCOMPARE(messages[i]["id"].asText(), expected[i]["id"].asText());
        // Every entry that is a message points into "messages", in order.
        std::int64_t place = 0;
        int events = 0;
        for (const Value &entry : document["entries"].asList()) {
            if (entry["kind"].asText() == "event")
                ++events;
            else
                QCOMPARE(entry["place"].asInt(-1), place++);
        }
        QVERIFY(events >= 2);
    }

    void exportedTranscriptOpensAgain_data()
    {
        QTest::addColumn<QString>("name");
        for (const char *name : {"summarize_chain", "media", "tool_offload", "subagent", "human_eviction"})
            QTest::newRow(name) << QString::fromLatin1(name);
    }
    void exportedTranscriptOpensAgain()
    {
        QFETCH(QString, name);
        const std::string original = recordingsFolder + name.toStdString() + ".sqlite";
        const auto lists = [](const std::string &source, const std::string &ns) {
            int status = -1;
            std::string messages;
            const Value dump = json(runOnBuffers({"dump", source, "--ns", ns, "--json"}, &status, &messages));
            const Value &last = dump["checkpoints"].asList().back();
            std::vector<Value> out = recordings::bodies(last["messages"], dump["messages"]);
            for (Value &body : recordings::bodies(last["effective"], dump["messages"]))
                out.push_back(body);
            for (Value &body : out)
                body = recordings::tidy(body);
            return out;
        };
        const QString whole = exported({original, "-f", "json", "--all-namespaces"}, name + u".again.json"_s);
        for (const std::string &ns : std::vector<std::string>{"", "tools"}) {
            std::string full = ns;
            if (!ns.empty()) {
                const Value document = json(contentOf(whole).toStdString());
                if (document["namespaces"].asList().empty())
                    continue;
                full = document["namespaces"].asList()[0]["checkpoint_ns"].asText();
            }
            QCOMPARE(lists(whole.toStdString(), full), lists(original, full));
        }
        for (const char *format : {"jsonl", "langchain"}) {
            const QString list = exported({original, "-f", format}, name + u".again."_s + QString::fromLatin1(format));
            const std::vector<Value> again = lists(list.toStdString(), "");
            const std::vector<Value> before = lists(original, "");
            QVERIFY(again.size() / 2 <= before.size());
            const auto half = std::ptrdiff_t(again.size() / 2); // without events the effective list is the log
            QVERIFY(std::equal(again.begin(), again.begin() + half, before.begin()));
        }
    }

    void chatFormatPairsCallsAndResults()
    {
        const Value chat = json(contentOf(exported({chain, "-f", "openai"}, u"chain.openai.jsonl"_s)).toStdString());
        std::set<std::string> open;
        for (const Value &message : chat["messages"].asList()) {
            const std::string &role = message["role"].asText();
            QVERIFY(role == "user" || role == "assistant" || role == "tool" || role == "system");
            if (role == "tool")
                QCOMPARE(open.erase(message["tool_call_id"].asText()), 1U);
            else
                QVERIFY(open.empty());
            for (const Value &call : message["tool_calls"].asList()) {
                QVERIFY(json(call["function"]["arguments"].asText()).isMap());
                open.insert(call["id"].asText());
            }
        }
        QVERIFY(open.empty());
    }

    void chatFormatRefusesACallWithoutResult()
    {
        int status = -1;
        std::string messages;
        runOnBuffers({"export", recordingsFolder + "interrupted.sqlite", "-f", "openai", "-o",
                         m_folder.filePath(u"no.jsonl"_s).toStdString()},
            &status, &messages);
        QCOMPARE(status, 2);
        QVERIFY2(messages.find("has no result") != std::string::npos, messages.c_str());
        QVERIFY(!QFile::exists(m_folder.filePath(u"no.jsonl"_s)));
    }

    void requestAndEventAreWhatTheModelSaw()
    {
        int status = -1;
        std::string messages;
        const Value requests = json(runOnBuffers({"requests", chain}, &status, &messages));
        const Value::List &calls = requests["requests"].asList();
        const std::string last = std::to_string(calls.size());
        const Value document =
            json(contentOf(exported({chain, "-f", "json", "--call", last}, u"call.json"_s)).toStdString());
        QCOMPARE(document["subject"].asText(), "Request of call " + last);
        QCOMPARE(document["messages"].asList().size(), calls.back()["messages"].asList().size());
        for (std::size_t i = 0; i < calls.back()["messages"].asList().size(); ++i)
            QCOMPARE(document["messages"].asList()[i]["content"],
                requests["messages"][calls.back()["messages"].asList()[i].asText()]["content"]);
        const Value event =
            json(contentOf(exported({chain, "-f", "json", "--event", "1"}, u"event.json"_s)).toStdString());
        QVERIFY(event["messages"].asList().front()["additional_kwargs"]["lc_source"].asText() == "summarization");
    }

    void pdfHasAnOutline()
    {
        const QByteArray pdf = contentOf(exported({chain, "-f", "pdf"}, u"chain.pdf"_s));
        QVERIFY(pdf.startsWith("%PDF"));
        QVERIFY(pdf.contains("/Outlines"));
    }

    void mediaBesideAreFiles()
    {
        const QString path =
            exported({recordingsFolder + "media.sqlite", "-f", "markdown", "--media", "beside"}, u"beside.md"_s);
        const QDir media(m_folder.filePath(u"beside.media"_s));
        QVERIFY(!media.entryList({u"*.png"_s}).isEmpty());
        QVERIFY(contentOf(path).contains("beside.media/" + media.entryList({u"*.png"_s}).first().toUtf8()));
        QVERIFY(!contentOf(path).contains("base64,"));
    }

    void fullDiskLeavesNothing_data() { everyFormat(); }
    void fullDiskLeavesNothing()
    {
        QFETCH(QString, format);
        QTemporaryDir folder;
        const std::string path = folder.filePath(u"out."_s + format).toStdString();
        // A file of more than a few kilobytes fails as on a full disk, for root as well.
        rlimit before{};
        QCOMPARE(getrlimit(RLIMIT_FSIZE, &before), 0);
        const auto signalBefore = std::signal(SIGXFSZ, SIG_IGN);
        const rlimit small{4096, before.rlim_max};
        QCOMPARE(setrlimit(RLIMIT_FSIZE, &small), 0);
        int status = -1;
        std::string messages;
        runOnBuffers({"export", recordingsFolder + "media.sqlite", "-f", format.toStdString(), "--media",
                         format == u"openai" ? "none" : "beside", "-o", path},
            &status, &messages);
        setrlimit(RLIMIT_FSIZE, &before);
        std::signal(SIGXFSZ, signalBefore);
        QCOMPARE(status, 2);
        QVERIFY2(!messages.empty(), "it must say why");
        QCOMPARE(entriesOf(folder.path()), QStringList());
    }

    void cancelledExportLeavesNothing_data() { everyFormat(); }
    void cancelledExportLeavesNothing()
    {
        QFETCH(QString, format);
        QTemporaryDir folder;
        const QString path = folder.filePath(u"out."_s + format);
        QFile old(path);
        QVERIFY(old.open(QIODevice::WriteOnly) && old.write("what was there") > 0);
        old.close();
        auto source = openSource(recordingsFolder + "media.sqlite", {});
        QVERIFY(source);
        const auto thread = loadThread(**source, (*source)->threadIds({}).value().front(), {}, {});
        QVERIFY(thread);
        ExportOrder order;
        order.format = findFormat(format.toStdString())->format;
        order.media = format == u"openai" ? MediaPlacement::Omitted : MediaPlacement::Beside;
        std::stop_source stop;
        const JobContext job{stop.get_token(), [&stop](double, std::string_view) { stop.request_stop(); }};
        const auto done = runExport(order, {*thread, "", "media.sqlite", {}}, source->get(), path.toStdString(), job);
        QVERIFY(!done);
        QCOMPARE(done.error().code, Error::Code::Cancelled);
        QCOMPARE(entriesOf(folder.path()), QStringList{u"out."_s + format});
        QCOMPARE(contentOf(path), QByteArray("what was there"));
    }

    /// The database of the thread, by its name, by a link, and the log beside it, is never written over.
    void sourceIsNoTarget_data() { everyFormat(); }
    void sourceIsNoTarget()
    {
        QFETCH(const QString, format);
        const QTemporaryDir folder;
        const QString database = folder.filePath(u"thread.sqlite"_s);
        QVERIFY(QFile::copy(QString::fromStdString(chain), database));
        QVERIFY(QFile::link(database, folder.filePath(u"link"_s)));
        const QByteArray before = contentOf(database);
        for (const QString &name : {u"thread.sqlite"_s, u"link"_s, u"thread.sqlite-wal"_s}) {
            int status = 0;
            std::string messages;
            runOnBuffers({"export", database.toStdString(), "-f", format.toStdString(), "-o",
                             folder.filePath(name).toStdString()},
                &status, &messages);
            QCOMPARE(status, 2);
            QVERIFY2(messages.find("it is what the thread is read from") != std::string::npos, messages.c_str());
        }
        QVERIFY(contentOf(database) == before);
        QCOMPARE(entriesOf(folder.path()).size(), 2);
    }

    void failedExportLeavesNothing()
    {
        int status = -1;
        std::string messages;
        for (const char *format : {"html", "bundle"}) {
            runOnBuffers({"export", chain, "-f", format, "-o", "/dev/full"}, &status, &messages);
            QCOMPARE(status, 2);
            QVERIFY(!QFileInfo(u"/dev/full"_s).isFile());
        }
        runOnBuffers({"export", chain, "-f", "html", "-o", m_folder.filePath(u"none/x.html"_s).toStdString()}, &status,
            &messages);
        QCOMPARE(status, 2);
        QVERIFY(messages.find("cannot be written") != std::string::npos);
    }

    void chatFormatHasNoPicturesInResults()
    {
        int status = -1;
        std::string messages;
        const std::string media = recordingsFolder + "media.sqlite";
        runOnBuffers({"export", media, "-f", "openai", "-o", m_folder.filePath(u"pictures.jsonl"_s).toStdString()},
            &status, &messages);
        QCOMPARE(status, 2);
        QVERIFY2(messages.find("image/svg+xml is no picture that it takes") != std::string::npos, messages.c_str());
        const QByteArray chat = contentOf(exported({media, "-f", "openai", "--media", "none"}, u"words.jsonl"_s));
        QVERIFY(chat.contains("[image/png left out]"));
    }

    void twoThreadsAreCompared()
    {
        // The same script recorded by another version: ids differ, the answers do not.
        const std::string other = PALIMPSEST_TEST_DATA "/recordings/0.7.32/summarize_chain.sqlite";
        const Value compared =
            json(contentOf(exported({chain, "-f", "json", "--other", other}, u"threads.json"_s)).toStdString());
        QCOMPARE(compared["subject"].asText(),
            "Comparison of summarize_chain and summarize_chain of summarize_chain.sqlite");
        QVERIFY(compared["assumes"].isNil());
        const Value::List &tables = compared["tables"].asList();
        QCOMPARE(tables.size(), 3U);
        QCOMPARE(tables[0]["columns"].asList()[1], Value("this thread"));
        QCOMPARE(tables[0]["columns"].asList()[2], Value("other"));
        QCOMPARE(tables[0]["rows"].asList()[0].asList()[1], Value(21)); // calls
        QCOMPARE(tables[0]["rows"].asList()[0].asList()[2], Value(21));
        QCOMPARE(tables[1]["columns"].asList()[1], Value("other_call"));
        for (const Value &table : tables)
            for (const Value &row : table["rows"].asList())
                QCOMPARE(row.asList().size(), table["columns"].asList().size());

        // A longer one beside a shorter: a row leads to the thread whose call it is.
        const std::string longer = recordingsFolder + "long_run.sqlite";
        const QByteArray text = contentOf(exported({chain, "-f", "markdown", "--other", longer}, u"longer.md"_s));
        QVERIFY(text.contains("long_run.sqlite --thread long_run --call 50"));

        // What is redacted in one is redacted in both.
        const QByteArray redacted = contentOf(exported(
            {recordingsFolder + "plain.sqlite", "-f", "json", "--other", chain, "--redact-pattern", "word=pass[a-z]+"},
            u"redacted-threads.json"_s));
        QVERIFY(!redacted.contains("passphrase"));
        QVERIFY(redacted.contains("[word-1]"));

        int status = -1;
        std::string messages;
        const std::string many = PALIMPSEST_TEST_DATA "/cases/worthless_summaries.sqlite";
        runOnBuffers({"export", chain, "-f", "json", "-o", "-", "--other", many}, &status, &messages);
        QCOMPARE(status, 2);
        QVERIFY2(messages.find("say which one is meant") != std::string::npos, messages.c_str());
        runOnBuffers({"export", chain, "-f", "json", "-o", "-", "--other", many, "--what", "raw"}, &status, &messages);
        QCOMPARE(status, 2);
    }

    void comparisonsAndTracesAreTables()
    {
        const std::string settings = m_folder.filePath(u"settings.json"_s).toStdString();
        const Value truth = recordings::readJson(recordingsFolder + "summarize_chain.expected.json");
        QFile file(QString::fromStdString(settings));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(QByteArray::fromStdString(
            toJson(truth["settings"].with("keep", Value::list({Value("messages"), Value(3)})))));
        file.close();
        const Value compared = json(contentOf(
            exported({chain, "-f", "json", "--what", "comparison", "--settings", settings}, u"compared.json"_s))
                .toStdString());
        QCOMPARE(compared["subject"].asText(), "Comparison of the recording and A");
        QCOMPARE(compared["certainty"].asText(), "derived assuming settings");
        QCOMPARE(compared["assumes"].asText(), "the agent would have acted the same");
        QCOMPARE(compared["tables"].asList().size(), 3U);
        for (const Value &table : compared["tables"].asList()) {
            QVERIFY(!table["rows"].asList().empty());
            for (const Value &row : table["rows"].asList())
                QCOMPARE(row.asList().size(), table["columns"].asList().size());
        }

        int status = -1;
        std::string messages;
        const Value trace = json(runOnBuffers({"trace", chain, "--text", "heron-542", "--json"}, &status, &messages));
        const Value traced =
            json(contentOf(exported({chain, "-f", "json", "--what", "trace", "--text", "heron-542"}, u"trace.json"_s))
                    .toStdString());
        QCOMPARE(traced["subject"].asText(), "Trace of “heron-542”");
        std::size_t places = 0;
        for (const Value &call : trace["calls"].asList())
            places += call["where"].asList().size();
        QCOMPARE(traced["tables"].asList()[0]["rows"].asList().size(), places);
        QCOMPARE(traced["tables"].asList()[1]["rows"].asList().size(), trace["losses"].asList().size());
        for (const char *format : {"markdown", "html", "csv"}) {
            const QByteArray out = contentOf(exported({chain, "-f", format, "--what", "trace", "--text", "heron-542"},
                u"trace."_s + QString::fromLatin1(format)));
            QVERIFY2(out.contains("summarization"), format);
            QVERIFY2(out.contains("heron-542"), format);
        }
        const QByteArray places2 =
            contentOf(exported({chain, "-f", "csv", "--sides", "call:7", "call:8"}, u"places.csv"_s));
        QVERIFY(places2.startsWith("change,call 7,call 8,type"));
        runOnBuffers(
            {"export", chain, "-f", "openai", "--what", "findings", "-o", settings + ".no"}, &status, &messages);
        QCOMPARE(status, 2);
        QVERIFY(messages.find("this is a table") != std::string::npos);
    }

    void partsOfALogAreExported()
    {
        const auto ids = [&](const std::vector<std::string> &options, const QString &name) -> std::vector<std::string> {
            std::vector<std::string> all{chain, "-f", "json"};
            all.insert(all.end(), options.begin(), options.end());
            std::vector<std::string> found;
            const Value document = json(contentOf(exported(all, name)).toStdString());
            for (const Value &message : document["messages"].asList())
                found.push_back(message["id"].asText());
            return found;
        };
        const std::vector<std::string> whole = ids({}, u"whole.json"_s);
        QCOMPARE(ids({"--from-turn", "1"}, u"turns.json"_s), whole);
        std::vector<std::string> turns = ids({"--to-turn", "1"}, u"turn.json"_s);
        QVERIFY(!turns.empty() && turns.size() < whole.size());
        for (std::string &id : ids({"--from-turn", "2"}, u"turn2.json"_s))
            turns.push_back(std::move(id));
        QCOMPARE(turns, whole);
        QCOMPARE(ids({"--select", whole[3], "--select", "#5"}, u"two.json"_s), (std::vector{whole[3], whole[5]}));
        QCOMPARE(ids({"--branch", "1"}, u"branch.json"_s), whole);
        const std::vector<std::string> calls = ids({"--from", "2", "--to", "3"}, u"calls.json"_s);
        QVERIFY(!calls.empty() && calls.size() < whole.size());
        int status = -1;
        std::string messages;
        const std::string none = m_folder.filePath(u"none.json"_s).toStdString();
        for (const std::vector<std::string> &wrong :
            std::vector<std::vector<std::string>>{{"--select", "nobody"}, {"--branch", "9"}, {"--to-turn", "7"},
                {"--from", "3", "--to", "2"}, {"--event", "77"}, {"--what", "replay"}, {"--what", "trace"}}) {
            std::vector<std::string> all{"export", chain, "-f", "json", "-o", none};
            all.insert(all.end(), wrong.begin(), wrong.end());
            runOnBuffers(all, &status, &messages);
            QVERIFY2(status == 2, wrong.front().c_str());
        }
        const Value thread = json(contentOf(
            exported({recordingsFolder + "subagent.sqlite", "-f", "json", "--all-namespaces"}, u"subagents.json"_s))
                .toStdString());
        QCOMPARE(thread["namespaces"].asList().size(), 1U);
        QVERIFY(thread["namespaces"].asList()[0]["checkpoint_ns"].asText().starts_with("tools:"));
        const QByteArray chats = contentOf(
            exported({recordingsFolder + "subagent.sqlite", "-f", "openai", "--all-namespaces"}, u"subagents.jsonl"_s));
        QCOMPARE(chats.count('\n'), 2);
    }

    void redactedPdfNamesNobody()
    {
        const QByteArray pdf =
            contentOf(exported({chain, "-f", "pdf", "--redact-pattern", "word=vault passphrase"}, u"redacted.pdf"_s));
        // Titles of the document and its outline are UTF-16 or plain.
        const QString title = u"vault passphrase"_s;
        QByteArray wide;
        for (const QChar c : title)
            wide.append(char(c.unicode() >> 8)).append(char(c.unicode()));
        QVERIFY(!pdf.contains(title.toUtf8()));
        QVERIFY(!pdf.contains(wide));
        QVERIFY(!pdf.toLower().contains(wide.toHex()));
    }

    void redactedExportsHoldNoOriginal()
    {
        for (const QString &format : {u"markdown"_s, u"html"_s, u"json"_s, u"jsonl"_s, u"langchain"_s, u"csv"_s}) {
            const QByteArray whole = contentOf(exported({chain, "-f", format.toStdString()}, u"plain."_s + format));
            const QByteArray redacted = contentOf(exported({chain, "-f", format.toStdString(), "--redact-pattern",
                                                               "word=heron-\\d+|passphrase", "--archive", "appended"},
                u"redacted."_s + format));
            QVERIFY(whole.contains("passphrase"));
            QVERIFY2(!redacted.contains("passphrase"), qPrintable(format));
            QVERIFY2(!redacted.contains("heron-"), qPrintable(format));
            QVERIFY(redacted.contains("[word-1]"));
        }
    }

    void fillerKeepsWidths()
    {
        QCOMPARE(fillerFor("Hello, World 42!\n"), "Xxxxx, Xxxxx 00!\n");
        QCOMPARE(fillerFor("     7\tsecret 7"), "     7\txxxxxx 0");
        QCOMPARE(fillerFor("na\xC3\xAFve"), "xx\xC3\xB8xx");
        Scrubber scrubber;
        const Value files = Value::map({{"files",
            Value::map({{"/notes/a.md", Value("x")}, {"/notes/b.md", Value("y")},
                {"/large_tool_results/call_1", Value("z")}})}});
        scrubber.look(files);
        QVERIFY(scrubber.scrubbedPath("/notes/a.md") != scrubber.scrubbedPath("/notes/b.md"));
        QCOMPARE(scrubber.scrubbedPath("/large_tool_results/call_1"), "/large_tool_results/call_1");
    }

    void bundleOpensLikeTheOriginal()
    {
        const QString bundle = exported({chain, "-f", "bundle"}, u"chain.palimpsest"_s);
        int status = -1;
        std::string messages;
        const std::string before = runOnBuffers({"requests", chain}, &status, &messages);
        const std::string after = runOnBuffers({"requests", bundle.toStdString()}, &status, &messages);
        QCOMPARE(after, before);
    }
};

QTEST_MAIN(TestExport)
#include "tst_export.moc"
