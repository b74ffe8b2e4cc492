// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/base64.h"
#include "core/base/secrets.h"
#include "core/base/sha256.h"
#include "core/transcript/exportorder.h"
#include "core/values/json.h"
#include "tests/support/threadbuilder.h"

#include <QTest>

#include <rapidcheck.h>

#include <set>
#include <sstream>

using namespace palimpsest;

namespace {

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

Value picture(const std::string &words)
{
    return Value::map({{"type", Value("image")}, {"mime_type", Value("image/png")}, {"filename", Value(words + ".png")},
        {"base64", Value(base64::encode(pngWithText(words)))}});
}

std::string randomText(const std::string &alphabet, int least, int most)
{
    std::string out;
    for (int i = *rc::gen::inRange(least, most); i > 0; --i)
        out += *rc::gen::elementOf(alphabet);
    return out;
}

/// Something that no export may hold.
std::string randomSecret()
{
    static const std::string word = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    static const std::string low = "abcdefghijklmnopqrstuvwxyz";
    switch (*rc::gen::inRange(0, 8)) {
    case 0:
        return "sk-ant-" + randomText(word, 24, 48);
    case 1:
        return "ghp_" + randomText(word, 30, 36);
    case 2:
        return randomText(low, 3, 9) + "." + randomText(low, 3, 9) + "@" + randomText(low, 3, 9) + ".example.org";
    case 3:
        return "10." + std::to_string(*rc::gen::inRange(0, 256)) + "." + std::to_string(*rc::gen::inRange(0, 256))
            + ".17";
    case 4:
        return "/home/" + randomText(low, 4, 9) + "/" + randomText(low, 4, 9) + ".txt";
    case 5:
        return "eyJ" + randomText(word, 20, 30) + ".eyJ" + randomText(word, 20, 30) + "." + randomText(word, 20, 30);
    case 6:
        return "Aa0" + randomText(word, 70, 120); // base64
    default:
        return "fe80:1:2:" + randomText("0123456789abcdef", 1, 5) + ":5:6:7:8";
    }
}

std::string around(const std::string &secret)
{
    return randomText("abc ", 0, 20) + " " + secret + " " + randomText("abc\n", 0, 20);
}

std::string written(const Transcript &transcript, TranscriptFormat format)
{
    std::ostringstream out;
    const Result<void> done = writeTranscript(out, transcript, format);
    RC_ASSERT(done.has_value());
    return out.str();
}

} // namespace

class TestRedaction : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyRuleFindsItsKind_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("redacted");
        const auto row = [](const char *text, const char *redacted) { QTest::newRow(text) << text << redacted; };
        row("write to anna@example.org now", "write to [email-1] now");
        row("anna@example.org, then anna@example.org", "[email-1], then [email-1]");
        row("key sk-ant-api03-abcdefghijkl done", "key [key-1] done");
        row("AKIAABCDEFGHIJKLMNOP", "[key-1]");
        row("Authorization: Bearer abcDEF123456789.x", "Authorization: Bearer [token-1]");
        row("DB_PASSWORD=hunter2 rest", "DB_PASSWORD=[secret-1] rest");
        row("{\"api_key\": \"swordfish\"}", "{\"api_key\": \"[secret-1]\"}");
        row("{\\\"password\\\": \\\"it's, that\\\"}", "{\\\"password\\\": \\\"[secret-1]\\\"}");
        row("max_token: 4096", "max_token: 4096");
        row("postgresql://anna:s3cret@db/agents", "postgresql://[credentials-1]@db/agents");
        row("from 192.168.7.12:443", "from [ip-1]:443");
        row("it is 10.1.0.17.", "it is [ip-1].");
        row("1.2.3.4.5 is a version", "1.2.3.4.5 is a version");
        row("version 1.2.3", "version 1.2.3");
        row("at 12:30:45", "at 12:30:45");
        row("2001:db8:0:0:0:0:2:1", "[ip-1]");
        row("open /home/me/notes.txt and ~/keys", "open [path-1] and [path-2]");
        row("C:\\Users\\anna\\x.txt", "[path-1]");
        row("/usr/share/doc", "/usr/share/doc");
        row("-----BEGIN RSA PRIVATE KEY-----\nMIIabc\n-----END RSA PRIVATE KEY-----\nafter", "[private-key-1]\nafter");
        row("dGhlIHF1aWNrIGJyb3duIGZveCBqdW1wcyBvdmVyIHRoZSBsYXp5IGRvZyBhbmQgMTIzNDU2Nzg5MA==", "[base64-1]");
        row("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"); // a digest tells nothing
    }
    void everyRuleFindsItsKind()
    {
        QFETCH(QString, text);
        QFETCH(QString, redacted);
        Redactor redactor = Redactor::make({}).value();
        QCOMPARE(QString::fromStdString(redactor.text(text.toStdString())), redacted);
    }

    void anOriginalGoesEverywhere()
    {
        // Away from its name a password is a word like others; it must not be left standing there, even earlier.
        Redactor redactor = Redactor::make({}).value();
        redactor.look("the password: \"swordfish\"");
        QCOMPARE(redactor.text("I like swordfish."), "I like [secret-1].");
        QCOMPARE(redactor.excerpt("and then swordf…"), "and then …");
        QCOMPARE(redactor.excerpt("dfish is what I typed"), "… is what I typed");
        QCOMPARE(redactor.hits().size(), 1U);
        QCOMPARE(redactor.hits().front().count, 1);
    }

    void ownExpressionsComeFirstAndOverlapsLeaveNothing()
    {
        Redactor redactor =
            Redactor::make({.standard = true, .own = {{"name", "anna"}, {"org", "ample.org/x"}}}).value();
        const std::string out = redactor.text("anna@example.org/x");
        for (const char *rest : {"anna", "example", "org/x"})
            QVERIFY2(out.find(rest) == std::string::npos, out.c_str());
        QVERIFY(!Redactor::make({.standard = false, .own = {{"x", "("}}}));
        QVERIFY(RedactionRules({.standard = false, .own = {}}).empty());
    }

    void picturesLoseTheirWords()
    {
        const std::optional<std::string> clean = withoutPictureTexts(pngWithText("secret words"));
        QVERIFY(clean);
        QVERIFY(clean->find("secret") == std::string::npos);
        QVERIFY(clean->ends_with(std::string("IEND\xAE\x42\x60\x82", 8)));
        Redactor redactor = Redactor::make({}).value();
        const std::string out = toJson(redactor.value(picture("anna@example.org")));
        QVERIFY2(out.find("anna") == std::string::npos, out.c_str()); // the name of the file too
        QVERIFY(out.find("\"base64\"") != std::string::npos);
        const std::string pdf = toJson(redactor.value(Value::map({{"type", Value("file")},
            {"mime_type", Value("application/pdf")}, {"base64", Value(base64::encode("%PDF anna@example.org"))}})));
        QVERIFY2(pdf.find("application/pdf left out") != std::string::npos, pdf.c_str());
    }

    /// Words between the scans of a progressive picture and behind its end, as cameras put a second one there.
    void picturesLoseWordsBehindTheirFirstScan()
    {
        using namespace std::string_literals;
        const std::string scan = "\xFF\xDA\x00\x03\x01"s + "coded\xFF\x00\xFF\xD0more"s;
        const std::string comment = "\xFF\xFE\x00\x08secret"s;
        const std::optional<std::string> clean =
            withoutPictureTexts("\xFF\xD8"s + comment + scan + comment + scan + "\xFF\xD9"s + "secret\xFF\xD9"s);
        QVERIFY(clean);
        QCOMPARE(*clean, "\xFF\xD8"s + scan + scan + "\xFF\xD9"s);
        QVERIFY(!withoutPictureTexts("\xFF\xD8"s + scan)); // cut off
    }

    /// A search that gives up has not looked at its text: all of it goes.
    void searchThatGivesUpHidesItsText()
    {
        RedactionRules rules{.standard = false, .own = {{"own", "(a+)+$"}}};
        Redactor redactor = Redactor::make(rules).value();
        const std::string text = "before " + std::string(60, 'a') + "! behind";
        QCOMPARE(redactor.text(text), "[own-1]");
    }

    /// What finds a checkpoint's id finds it in the transcript's head and at its events too.
    void checkpointIdsAreReplaced()
    {
        RedactionRules rules{.standard = false, .own = {{"own", "1f1e-[a-z]+"}}};
        Redactor redactor = Redactor::make(rules).value();
        Transcript transcript;
        transcript.checkpointId = "1f1e-head";
        transcript.place = "palimpsest x.sqlite --checkpoint 1f1e-head";
        TranscriptEvent event;
        event.checkpointId = "1f1e-event";
        transcript.entries.emplace_back(event);
        redactor.look(transcript);
        redactor.finish(transcript);
        QCOMPARE(transcript.checkpointId, "[own-1]");
        QCOMPARE(transcript.place, "palimpsest x.sqlite --checkpoint [own-1]");
        QCOMPARE(std::get<TranscriptEvent>(transcript.entries.front()).checkpointId, "[own-2]");
    }

    /// Also what a redacted export leaves out leaves no reference behind.
    void referencesLeadToFilesThatAreThere()
    {
        ThreadBuilder builder;
        Message message;
        message.type = "human";
        message.kind = MessageKind::Human;
        message.id = "h1";
        message.content = Value::list({picture("anna@example.org"),
            Value::map({{"type", Value("file")}, {"mime_type", Value("application/pdf")},
                {"base64", Value(base64::encode("%PDF anna@example.org"))}})});
        builder.message(message).checkpoint();
        const ExportMaterial material{builder.build(), "", "x.sqlite", {}};
        ExportOrder order;
        order.media = MediaPlacement::Beside;
        order.redaction.standard = true;
        const Result<PreparedExport> prepared = prepareExport(material, order, "x.media", {});
        QVERIFY(prepared);
        std::set<std::string> names;
        for (const TranscriptFile &file : prepared->transcript.files) {
            names.insert("x.media/" + file.name);
            QVERIFY(file.bytes.find("anna") == std::string::npos);
        }
        QCOMPARE(names.size(), 1U);
        const auto &one = std::get<TranscriptMessage>(prepared->transcript.entries.front());
        const Value::List &blocks = one.message->content.asList();
        QCOMPARE(blocks.size(), 2U);
        QVERIFY(names.contains(blocks[0]["url"].asText()));
        QCOMPARE(blocks[1]["text"].asText(), "[application/pdf left out: it cannot be redacted]");
    }

    void noExportHoldsAnOriginal()
    {
        QVERIFY(rc::check("in no format, wherever the secret stands", [] {
            std::vector<std::string> secrets;
            const auto secret = [&] {
                secrets.push_back(randomSecret());
                return secrets.back();
            };
            ThreadBuilder builder("thread of " + secret());
            builder.human("h1", around(secret()));
            Message ai;
            ai.type = "ai";
            ai.kind = MessageKind::Ai;
            ai.id = "a1";
            ai.content = Value::list({Value::map({{"type", Value("text")}, {"text", Value(around(secret()))}}),
                Value::map({{"type", Value("reasoning")}, {"reasoning", Value(around(secret()))}})});
            ai.toolCalls = Value::list({Value::map({{"name", Value("run")}, {"id", Value("c1")},
                {"type", Value("tool_call")},
                {"args", Value::map({{"command", Value(around(secret()))}, {secret(), Value(around(secret()))}})}})});
            ai.additionalKwargs = Value::map({{"extra", Value(around(secret()))}});
            ai.responseMetadata = Value::map({{"host", Value::list({Value(around(secret()))})}});
            builder.message(ai).checkpoint();
            builder.tool("t1", "c1", "run", around(secret()) + std::string(600, 'x') + around(secret()));
            Message shown;
            shown.type = "human";
            shown.kind = MessageKind::Human;
            shown.id = "h2";
            shown.content = Value::list({picture(secret())});
            shown.artifact = Value::map({{"raw", Value(around(secret()))}});
            builder.message(shown);
            builder.event(3, "Summary: " + around(secret()), "/conversation_history/s.md");
            const std::string medium = pngWithText(around(secret()));
            const std::string mediumPath = "/conversation_history/media/" + sha256Hex(medium).substr(0, 16) + ".png";
            builder.file(mediumPath, base64::encode(medium));
            builder.file("/conversation_history/s.md",
                "## Summarized at 2026-01-01T00:00:00+00:00\n\n<message type=\"human\">" + around(secret())
                    + "<image url=\"" + mediumPath + "\" /></message>\n");
            builder.checkpoint().call();
            builder.ai("a2", around(secret()));
            const ThreadPtr built = builder.build();
            auto thread = std::make_shared<Thread>(*built);
            for (Checkpoint &checkpoint : thread->namespaces.front().checkpoints)
                checkpoint.metadata =
                    Value::map({{"user", Value(around(secrets[0]))}, {"host", Value(around(secret()))}});

            ExportOrder order;
            order.redaction.standard = true;
            order.detail = *rc::gen::element(TranscriptDetail::Full, TranscriptDetail::High);
            order.archive = ArchivePlacement::Appended;
            order.media = *rc::gen::element(MediaPlacement::Inline, MediaPlacement::Beside, MediaPlacement::Omitted);
            const ExportMaterial material{thread, "", "/home/me/agents/x.sqlite", {}};
            const auto prepared = prepareExport(material, order, "x.media", {});
            RC_ASSERT(prepared.has_value());
            for (const FormatInfo &info : transcriptFormats()) {
                if (info.format == TranscriptFormat::Pdf || info.format == TranscriptFormat::Bundle)
                    continue; // the same transcript, drawn; rows, which are scrubbed
                const std::string out = written(prepared->transcript, info.format);
                for (const std::string &original : secrets) {
                    const std::size_t at = out.find(original);
                    if (at != std::string::npos)
                        RC_LOG() << info.name << ": " << out.substr(at < 80 ? 0 : at - 80, original.size() + 160);
                    RC_ASSERT(at == std::string::npos);
                }
                RC_ASSERT(out.find("/home/me/") == std::string::npos);
            }
            const bool along = archivedMedium(prepared->transcript, mediumPath) != nullptr;
            RC_ASSERT(along == (order.media != MediaPlacement::Omitted));
            for (const TranscriptFile &file : prepared->transcript.files)
                for (const std::string &original : secrets)
                    RC_ASSERT(file.bytes.find(original) == std::string::npos);
            for (const RedactionHit &hit : prepared->hits)
                RC_ASSERT(hit.count > 0);
        }));
    }

    void secretsAreToldFromWords()
    {
        QVERIFY(findSecrets("sk-learn is a library; the token count is 12").empty());
        QVERIFY(findSecrets("password: swordfish").empty()); // not sure enough to report
        QCOMPARE(findSecrets("password: swordfish", SecretCare::Any).size(), 1U);
        const auto found = findSecrets("Bearer abcdEFGH12345678ijkl90");
        QCOMPARE(found.size(), 1U);
        QCOMPARE(found.front().offset, 7U);
    }
};

QTEST_GUILESS_MAIN(TestRedaction)
#include "tst_redaction.moc"
