// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/artifacts/archive.h"

#include "core/compaction/stages/archive.h"

#include <QTest>
#include <rapidcheck.h>

using namespace palimpsest;

namespace {

MessagePtr message(MessageKind kind, Value content, Value::List calls = {})
{
    Message m;
    m.kind = kind;
    m.type = typeName(kind);
    m.content = std::move(content);
    if (kind == MessageKind::Ai)
        m.toolCalls = Value(std::move(calls));
    if (kind == MessageKind::Tool)
        m.toolCallId = "c";
    return std::make_shared<Message>(std::move(m));
}

Value call(const std::string &id, const std::string &name, const std::string &argument)
{
    return Value::map({{"name", Value(name)}, {"args", Value::map({{"topic", Value(argument)}})}, {"id", Value(id)},
        {"type", Value("tool_call")}});
}

std::string sectionOf(const std::vector<MessagePtr> &messages, const std::string &time)
{
    const Attempt<std::string> section = archiveSection(messages, time);
    return section ? *section : "raised " + section.error().message;
}

/// Texts that try to look like the archive's own marks.
rc::Gen<std::string> anyText()
{
    return rc::gen::map(rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>("a", " ", "\n", "<",
                            ">", "&", "\"", "'", "</message>", "<message type=\"ai\">", "## Summarized at now\n\n",
                            "&lt;", "&#10;", "é🙂", "  <tool_call id=\"x\" name=\"y\">", "</content>")),
        [](const std::vector<std::string> &parts) {
            std::string text;
            for (const std::string &part : parts)
                text += part;
            return text;
        });
}

ThreadNamespace threadWithEvents(const std::string &path)
{
    ThreadNamespace space;
    MessageLog log;
    for (int i = 0; i < 6; ++i)
        log = log.push_back(message(i % 2 ? MessageKind::Ai : MessageKind::Human, Value("m" + std::to_string(i))));
    const auto event = [&](std::int64_t cutoff) {
        auto e = std::make_shared<SummarizationEvent>();
        e->cutoffIndex = cutoff;
        e->filePath = path;
        e->summaryMessage = message(MessageKind::Human, Value("summary"));
        return e;
    };
    Checkpoint first;
    first.messages = log;
    first.event = event(2);
    Checkpoint second;
    second.messages = log;
    second.parent = CheckpointIndex(0);
    second.event = event(5);
    space.checkpoints = {first, second};
    space.eventCheckpoints = {CheckpointIndex(0), CheckpointIndex(1)};
    return space;
}

} // namespace

class TestArchive : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void readsWhatTheMiddlewareWrites()
    {
        const std::string text =
            sectionOf(
                {message(MessageKind::Human, Value("a < b & \"c\"")),
                    message(MessageKind::Ai, Value("two\nlines"), {call("id\"1", "look'up", "x\ny"), call("", "", "")}),
                    message(MessageKind::Tool, Value("found"))},
                "2026-01-01T00:00:00+00:00")
            + sectionOf({message(MessageKind::Ai, Value(""), {call("2", "f", "z")})}, "2026-01-02T00:00:00+00:00");
        const Archive archive = parseArchive(text);
        QVERIFY(archive.preamble.empty());
        QCOMPARE(archive.sections.size(), 2U);
        const ArchiveSection &first = archive.sections[0];
        QCOMPARE(first.timestamp, std::string("2026-01-01T00:00:00+00:00"));
        QVERIFY(first.exact);
        QCOMPARE(first.messages.size(), 3U);
        QCOMPARE(first.messages[0].type, std::string("human"));
        QCOMPARE(first.messages[0].text, std::string("a < b & \"c\""));
        QCOMPARE(first.messages[1].text, std::string("two\nlines"));
        QCOMPARE(first.messages[1].toolCalls.size(), 2U);
        QCOMPARE(first.messages[1].toolCalls[0], (ArchivedToolCall{"id\"1", "look'up", "{\"topic\": \"x\\ny\"}"}));
        QCOMPARE(first.messages[2].text, std::string("found"));
        QCOMPARE(text.substr(first.messages[2].begin, first.messages[2].end - first.messages[2].begin),
            std::string("<message type=\"tool\">found</message>"));
        QCOMPARE(archive.sections[1].begin, first.end);
        QCOMPARE(archive.sections[1].end, text.size());
        QVERIFY(archive.sections[1].messages[0].text.empty());
    }

    void anyMessagesComeBack()
    {
        QVERIFY(rc::check([] {
            const auto texts = *rc::gen::container<std::vector<std::vector<std::string>>>(
                rc::gen::container<std::vector<std::string>>(anyText()));
            std::string file;
            for (const std::vector<std::string> &section : texts) {
                std::vector<MessagePtr> messages;
                for (std::size_t i = 0; i < section.size(); ++i)
                    messages.push_back(message(i % 2 ? MessageKind::Ai : MessageKind::Human, Value(section[i]),
                        i % 4 == 1 ? Value::List{call("1", "f", section[i])} : Value::List{}));
                file += sectionOf(messages, "t");
            }
            const Archive archive = parseArchive(file);
            RC_ASSERT(archive.sections.size() == texts.size());
            for (std::size_t s = 0; s < texts.size(); ++s) {
                RC_ASSERT(archive.sections[s].exact);
                RC_ASSERT(archive.sections[s].messages.size() == texts[s].size());
                for (std::size_t i = 0; i < texts[s].size(); ++i)
                    RC_ASSERT(archive.sections[s].messages[i].text == texts[s][i]);
            }
        }));
    }

    void takesAnyBytes()
    {
        QVERIFY(rc::check([] {
            const auto parts = *rc::gen::container<std::vector<std::string>>(
                rc::gen::oneOf(rc::gen::arbitrary<std::string>(), anyText(),
                    rc::gen::element<std::string>("\n## Summarized at ", "<message type=", "<message type=\"human\">",
                        "Human: x\n", "</message>\n")));
            std::string text;
            for (const std::string &part : parts)
                text += part;
            const Archive archive = parseArchive(text);
            std::size_t at = archive.preamble.size();
            for (const ArchiveSection &section : archive.sections) {
                RC_ASSERT(section.begin == at);
                RC_ASSERT(section.end > section.begin);
                at = section.end;
            }
            RC_ASSERT(at == text.size());
        }));
    }

    void readsJavaScriptLinesAsUncertain()
    {
        const Archive archive = parseArchive("## Summarized at 2026-11-30T17:38:18.745Z\n\nHuman: Research\nall of "
                                             "it\nAI: model, step 1[{\"name\":\"f\"}]\nTool: lookup, found\n\n"
                                             "## Summarized at 2026-11-30T17:39:00.000Z\n\nHuman: more\n\n");
        QCOMPARE(archive.sections.size(), 2U);
        QVERIFY(!archive.sections[0].exact);
        QCOMPARE(archive.sections[0].messages.size(), 3U);
        QCOMPARE(archive.sections[0].messages[0].text, std::string("Research\nall of it"));
        QCOMPARE(archive.sections[0].messages[2].type, std::string("tool"));
        QCOMPARE(archive.sections[1].messages.size(), 1U);
    }

    void tiesSectionsToTheirEvents()
    {
        const ThreadNamespace space = threadWithEvents("/conversation_history/s.md");
        const MessageLog &log = space.checkpoints[0].messages;
        const std::string text = sectionOf({log[0], log[1]}, "t1") + sectionOf({log[2], log[3], log[4]}, "t2");
        const std::vector<SectionLink> links = linkArchive(parseArchive(text), space, "/conversation_history/s.md");
        QCOMPARE(links.size(), 2U);
        QCOMPARE(links[0], (SectionLink{0, CheckpointIndex(0), MessageIndex(0), MessageIndex(2), true}));
        QCOMPARE(links[1], (SectionLink{1, CheckpointIndex(1), MessageIndex(2), MessageIndex(5), true}));
        QVERIFY(!linkArchive(parseArchive(text), space, "/conversation_history/other.md")[0].checkpoint.isValid());
    }

    void aMissingSectionLeavesTheOthersInPlace()
    {
        const ThreadNamespace space = threadWithEvents("/s.md");
        const MessageLog &log = space.checkpoints[0].messages;
        const std::vector<SectionLink> links =
            linkArchive(parseArchive(sectionOf({log[2], log[3], log[4]}, "t2")), space, "/s.md");
        QCOMPARE(links.size(), 1U);
        QCOMPARE(links[0].checkpoint, CheckpointIndex(1));
        QVERIFY(links[0].agrees);
    }
};

QTEST_APPLESS_MAIN(TestArchive)
#include "tst_archive.moc"
