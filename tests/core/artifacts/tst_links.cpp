// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/artifacts/links.h"

#include "core/compaction/dialect.h"
#include "core/compaction/stages/preview.h"

#include <QTest>
#include <rapidcheck.h>

using namespace palimpsest;

namespace {

Message message(MessageKind kind, Value content)
{
    Message m;
    m.kind = kind;
    m.type = typeName(kind);
    m.content = std::move(content);
    return m;
}

std::string numbered(int count)
{
    std::string text;
    for (int i = 1; i <= count; ++i)
        text += "line " + std::to_string(i) + "\n";
    return text;
}

Value blockOf(std::initializer_list<std::pair<std::string_view, Value>> members)
{
    return Value::map(members);
}

} // namespace

class TestLinks : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void findsThePathInEveryDialectsStub()
    {
        for (const Dialect &dialect : knownDialects()) {
            if (!dialect.evictsMessages())
                continue;
            const std::string content = numbered(40);
            const std::string tool = largeToolResultStub(dialect, "call_1", "/large_tool_results/call_1", content);
            const auto link = stubLink(tool);
            QVERIFY(link);
            QCOMPARE(link->kind, ArtifactLink::Kind::ToolResult);
            QCOMPARE(link->path, std::string("/large_tool_results/call_1"));
            QCOMPARE(link->toolCallId, std::string("call_1"));
            const StubPreview preview = stubPreview(tool);
            QCOMPARE(preview.head.size(), 5U);
            QCOMPARE(preview.tail.size(), 5U);
            QCOMPARE(preview.tail.back(), std::string("line 40"));
            QVERIFY(previewMatches(preview, content));
            QVERIFY(!previewMatches(preview, numbered(39)));
            QVERIFY(!previewMatches(preview, "x" + content));

            const auto human = stubLink(largeHumanMessageStub(dialect, "/conversation_history/a.md", content));
            QVERIFY(human);
            QCOMPARE(human->kind, ArtifactLink::Kind::HumanStub);
            QCOMPARE(human->path, std::string("/conversation_history/a.md"));
        }
    }

    void aPreviewMatchesItsOwnContent()
    {
        QVERIFY(rc::check([] {
            const auto lines = *rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
                "", "a", "  12  b", "3\tc", "... [4 lines truncated] ...", "é", std::string(1200, 'x'), "tab\there"));
            std::string content;
            for (const std::string &line : lines)
                content += line + "\n";
            for (const Dialect &dialect : knownDialects())
                if (dialect.evictsMessages())
                    RC_ASSERT(previewMatches(stubPreview(largeToolResultStub(dialect, "c", "/p", content)), content));
        }));
    }

    void readsJavaScriptsStub()
    {
        const std::string stub = "Tool result too large, the result of this tool call call/../1 was saved in the "
                                 "filesystem at this path: /large_tool_results/call____1.txt\n"
                                 "You can read the result from the filesystem by using the read_file tool.\n\n     "
                                 "1\tfirst\n... [90 lines truncated] ...\n   100\tlast";
        QCOMPARE(stubLink(stub)->path, std::string("/large_tool_results/call____1.txt"));
        QCOMPARE(stubLink(stub)->toolCallId, std::string("call/../1"));
        QCOMPARE(stubPreview(stub), (StubPreview{{"first"}, {"last"}}));
    }

    void ordinaryTextIsNoStub()
    {
        QVERIFY(!stubLink("He said: Tool result too large, the result of this tool call x was saved"));
        QVERIFY(!stubLink("Tool result too large, sorry"));
        QVERIFY(!stubLink(""));
        QVERIFY(stubPreview("1  a\n2  b").head.empty());
    }

    void findsEveryLinkOfAMessage()
    {
        Message human = message(MessageKind::Human, Value("whole text"));
        human.additionalKwargs = Value::map({{"lc_evicted_to", Value("/conversation_history/x.md")}});
        QCOMPARE(artifactLinks(human),
            (std::vector<ArtifactLink>{{ArtifactLink::Kind::HumanMessage, "/conversation_history/x.md", 0, {}}}));

        Message summary = message(MessageKind::Human,
            Value("You are in the middle of a conversation that has been summarized.\n\nThe full conversation history "
                  "has been saved to "
                  "/memories/conversation_history/session_1.md should you need to refer back to it for details.\n\nA "
                  "condensed summary follows:"));
        QVERIFY(artifactLinks(summary).empty()); // only a marked summary counts
        summary.additionalKwargs = Value::map({{"lc_source", Value("summarization")}});
        QCOMPARE(artifactLinks(summary),
            (std::vector<ArtifactLink>{
                {ArtifactLink::Kind::Archive, "/memories/conversation_history/session_1.md", 0, {}}}));

        const std::string media = "/conversation_history/media/0123456789abcdef.png";
        const Message blocks = message(MessageKind::Human,
            Value::list({blockOf({{"type", Value("text")}, {"text", Value("see")}}),
                blockOf({{"type", Value("image")}, {"url", Value(media)}}),
                blockOf({{"type", Value("image_url")}, {"image_url", blockOf({{"url", Value(media)}})}}),
                blockOf({{"type", Value("image")}, {"deepagents_blob", Value("abc")}}),
                blockOf({{"type", Value("image")}, {"url", Value("https://x.org/a.png")}})}));
        QCOMPARE(artifactLinks(blocks),
            (std::vector<ArtifactLink>{{ArtifactLink::Kind::Media, media, 1, {}},
                {ArtifactLink::Kind::Media, media, 2, {}}, {ArtifactLink::Kind::Blob, "/blobs/abc", 3, {}}}));
    }

    void archivesNameMedia()
    {
        const std::string one = "/conversation_history/media/0123456789abcdef.png";
        const std::string other = "/agent/conversation_history/media/fedcba9876543210.bin";
        QCOMPARE(mediaPaths("<image url=\"" + one + "\" /> &lt;file url=\"" + other + "\" /&gt; <image url=\"" + one
                     + "\" /> &quot;" + one + "&quot;"),
            (std::vector<std::string>{one, other}));
        QVERIFY(mediaPaths("see conversation_history/media/ and /conversation_history/media/notes.md").empty());
        QCOMPARE(mediaPaths(one), std::vector<std::string>{one});
    }
};

QTEST_APPLESS_MAIN(TestLinks)
#include "tst_links.moc"
