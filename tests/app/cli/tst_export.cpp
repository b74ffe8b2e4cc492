// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/base64.h"
#include "core/serde/json.h"
#include "core/transcript/redaction.h"
#include "core/transcript/scrub.h"
#include "core/values/json.h"
#include "tests/support/clirun.h"
#include "tests/support/recordings.h"

#include <QDir>
#include <QFile>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <set>

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

/// A PNG of one pixel with a text chunk.
std::string pngWithText(const std::string &words)
{
    const std::string pixel =
        base64::decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9"
                       "awAAAABJRU5ErkJggg==")
            .value();
    const std::string payload = "Comment" + std::string(1, '\0') + words;
    std::string chunk{'\0', '\0', static_cast<char>(payload.size() >> 8), static_cast<char>(payload.size())};
    chunk += "tEXt" + payload + "\1\2\3\4";
    return pixel.substr(0, 33) + chunk + pixel.substr(33);
}

} // namespace

class TestExport : public QObject {
    Q_OBJECT

private:
    QTemporaryDir m_folder;

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

    void failedExportLeavesNothing()
    {
        int status = -1;
        std::string messages;
        runOnBuffers({"export", chain, "-f", "html", "-o", "/dev/full"}, &status, &messages);
        QCOMPARE(status, 2);
        runOnBuffers({"export", chain, "-f", "html", "-o", m_folder.filePath(u"none/x.html"_s).toStdString()}, &status,
            &messages);
        QCOMPARE(status, 2);
        QVERIFY(messages.find("cannot be written") != std::string::npos);
    }

    void redactionTakesEveryOriginal()
    {
        Redactor redactor = Redactor::make(standardRedactions()).value();
        const std::string key = "sk-ant-REDACTED";
        const Value value = Value::map({{"text", Value("mail anna@example.org, key " + key)},
            {"anna@example.org", Value("/home/me/anna/notes.txt")},
            {"image",
                Value::map({{"type", Value("image")}, {"mime_type", Value("image/png")},
                    {"base64", Value(base64::encode(pngWithText("by anna@example.org")))}})}});
        const std::string out = toJson(redactor.value(value));
        for (const char *original : {"anna", "example.org", "abcdefghijklmnop", "/home/"})
            QVERIFY2(out.find(original) == std::string::npos, out.c_str());
        QCOMPARE(redactor.text("write to anna@example.org"), "write to [email-1]");
        const std::optional<std::string> clean = withoutPictureTexts(pngWithText("secret words"));
        QVERIFY(clean);
        QVERIFY(clean->find("secret") == std::string::npos);
        QVERIFY(clean->ends_with(std::string("IEND\xAE\x42\x60\x82", 8)));
        QVERIFY(!Redactor::make({{"x", "("}}));
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

    void scrubbedBundleTakesTheSameDecisions_data()
    {
        QTest::addColumn<QString>("name");
        for (const char *name : {"summarize_chain", "summarize_tokens", "media", "tool_offload", "human_eviction",
                 "truncate_args", "overflow_clip", "disk_backend", "compact_tool"})
            QTest::newRow(name) << QString::fromLatin1(name);
    }
    void scrubbedBundleTakesTheSameDecisions()
    {
        QFETCH(QString, name);
        const std::string original = recordingsFolder + name.toStdString() + ".sqlite";
        const Value truth = recordings::readJson(recordingsFolder + name.toStdString() + ".expected.json");
        const QString settings = m_folder.filePath(name + u".settings.json"_s);
        QFile file(settings);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(QByteArray::fromStdString(toJson(truth["settings"])));
        file.close();
        const QString bundle = exported({original, "-f", "bundle", "--scrub"}, name + u".palimpsest"_s);
        const auto decisions = [&](const std::string &source) {
            int status = -1;
            std::string messages;
            const Value replay =
                json(runOnBuffers({"replay", source, "--settings", settings.toStdString()}, &status, &messages));
            std::string out = messages;
            for (const Value &call : replay["calls"].asList())
                out += toJson(call["decision"]) + toJson(call["tokens"]["counted"]) + "\n";
            return out;
        };
        QCOMPARE(decisions(bundle.toStdString()), decisions(original));
        // None of the words that people and tools said.
        const QByteArray bytes = contentOf(bundle);
        for (const auto &[key, message] : truth["messages"].asMap()) {
            const std::string text = message["content"].isText() ? message["content"].asText() : std::string();
            for (const QString &word :
                QString::fromStdString(text.substr(0, 400)).split(QRegularExpression(u"[^A-Za-z]+"_s)))
                if (word.size() >= 9 && word.toLower() != u"conversation"_s && word != u"summarized"_s
                    && word != u"filesystem"_s && word != u"specifying"_s && word != u"truncated"_s
                    && word != u"compacted"_s && word != u"Summarized"_s && word != u"condensed"_s
                    && word != u"successfully"_s)
                    QVERIFY2(!bytes.contains(word.toUtf8()), qPrintable(word));
        }
    }
};

QTEST_MAIN(TestExport)
#include "tst_export.moc"
