// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/lint/lint.h"
#include "core/insight/lint/rule.h"
#include "core/serde/json.h"
#include "core/thread/events.h"

#include <QFile>
#include <QTest>

#include <algorithm>
#include <set>

using namespace palimpsest;

namespace {

Value json(std::string text)
{
    std::replace(text.begin(), text.end(), '\'', '"');
    return *parseJson(text);
}

/// A root namespace whose checkpoints each add to the log of the one before; every checkpoint starts a call unless said
/// otherwise.
class Log {
public:
    explicit Log(std::string provider = "openai")
        : m_provider(std::move(provider))
    {
    }
    Log &human(const std::string &id, const std::string &text = "do it")
    {
        return add(json("{'type':'human','content':'" + text + "','id':'" + id + "','additional_kwargs':{}}"));
    }
    Log &ai(const std::string &id, const std::vector<std::string> &calls = {}, const std::string &text = "well")
    {
        std::string list;
        for (const std::string &call : calls)
            list += (list.empty() ? "" : ",") + ("{'name':'look','args':{},'id':'" + call + "','type':'tool_call'}");
        return add(json("{'type':'ai','content':'" + text + "','id':'" + id
            + "','additional_kwargs':{},'response_metadata':{'model_provider':'" + m_provider + "'},'tool_calls':["
            + list + "]}"));
    }
    Log &tool(const std::string &id, const std::string &call)
    {
        return add(json("{'type':'tool','content':'result','id':'" + id + "','additional_kwargs':{},'tool_call_id':'"
            + call + "'}"));
    }
    Log &message(const std::string &text) { return add(json(text)); }
    /// From the next checkpoint on an event hides everything before `cutoff`.
    Log &event(std::int64_t cutoff)
    {
        auto event = std::make_shared<SummarizationEvent>();
        event->cutoffIndex = cutoff;
        event->summaryMessage = messageFromValue(json(
            "{'type':'human','content':'<summary>s</summary>','additional_kwargs':{'lc_source':'summarization'}}"));
        m_event = event;
        return *this;
    }
    Log &noEvent()
    {
        m_event = nullptr;
        return *this;
    }
    Log &replaceLog(MessageLog log)
    {
        m_log = std::move(log);
        return *this;
    }
    [[nodiscard]] const MessageLog &log() const { return m_log; }
    /// Ends the checkpoint at hand.
    Log &save(bool startsCall = true, const std::string &source = "loop")
    {
        Checkpoint checkpoint;
        const std::size_t at = m_ns.checkpoints.size();
        checkpoint.id = "c" + std::to_string(100 + at);
        checkpoint.step = static_cast<int>(at);
        checkpoint.source = source;
        checkpoint.messages = m_log;
        checkpoint.event = m_event;
        if (at > 0) {
            checkpoint.parent = CheckpointIndex(at - 1);
            checkpoint.parentId = m_ns.checkpoints.back().id;
        }
        if (startsCall) {
            Call call;
            call.number = CallNumber(m_ns.calls.size() + 1);
            call.taskId = "t" + std::to_string(at);
            call.checkpoint = CheckpointIndex(at);
            call.log = m_log;
            call.event = m_event;
            m_ns.calls.push_back(call);
        }
        m_ns.checkpoints.push_back(std::move(checkpoint));
        return *this;
    }
    /// Who answered the call that the last checkpoint starts; `members` of its response_metadata.
    Log &answeredBy(const std::string &members)
    {
        m_ns.calls.back().answers = {messageFromValue(
            json("{'type':'ai','content':'so','additional_kwargs':{},'response_metadata':{" + members + "}}"))};
        return *this;
    }
    [[nodiscard]] std::vector<Finding> findings()
    {
        Thread thread;
        m_ns.heads = {CheckpointIndex(m_ns.checkpoints.size() - 1)};
        thread.namespaces.push_back(m_ns);
        return *lint(thread, {}, {});
    }
    [[nodiscard]] ThreadNamespace &ns() { return m_ns; }

private:
    Log &add(const Value &value)
    {
        m_log = m_log.push_back(messageFromValue(value));
        return *this;
    }
    std::string m_provider;
    MessageLog m_log;
    EventPtr m_event;
    ThreadNamespace m_ns;
};

std::vector<Finding> of(const std::vector<Finding> &findings, std::string_view rule)
{
    std::vector<Finding> out;
    std::copy_if(
        findings.begin(), findings.end(), std::back_inserter(out), [&](const Finding &f) { return f.rule == rule; });
    return out;
}

} // namespace

class TestLint : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void saysNothingOfAHealthyThread()
    {
        Log log("anthropic");
        log.human("h1")
            .save()
            .ai("a1", {"x", "y"})
            .save(false)
            .tool("t1", "x")
            .tool("t2", "y")
            .save()
            .ai("a2")
            .save(false);
        log.human("h2").save().event(4).ai("a3", {"z"}).save(false).tool("t3", "z").save();
        QCOMPARE(log.findings().size(), 0U);
    }
    void namesTheCallOfAnOrphanBehindTheCutoff()
    {
        Log log("anthropic");
        log.human("h1")
            .ai("a0", {"A"})
            .ai("a1", {"B"})
            .tool("t1", "A")
            .tool("t2", "B")
            .ai("a2")
            .human("h2")
            .event(2)
            .save();
        const auto found = of(log.findings(), "orphan-tool-result");
        QCOMPARE(found.size(), 1U);
        QCOMPARE(found[0].severity, Finding::Severity::Error);
        QCOMPARE(*found[0].messageId, std::string("t1"));
        QCOMPARE(found[0].evidence["tool_call_id"], Value("A"));
        QCOMPARE(found[0].evidence["call_raw_index"], Value(1));
        QVERIFY(found[0].evidence["provider_says"].asText().starts_with("unexpected `tool_use_id`"));
        QCOMPARE(of(log.findings(), "unanswered-tool-call").size(), 0U);
    }
    void saysWhenTheCallOfAnOrphanIsNowhere()
    {
        Log log;
        log.human("h1").tool("t1", "gone").save();
        const auto found = of(log.findings(), "orphan-tool-result");
        QCOMPARE(found.size(), 1U);
        QVERIFY(found[0].evidence["call_raw_index"].isNil());
    }
    void warnsOfAnOrphanThatNoCallMet()
    {
        Log log;
        log.human("h1").ai("a1").save();
        const MessageLog sound = log.log();
        log.tool("t1", "gone").save(false);
        log.replaceLog(sound).human("h2").save();
        const auto found = of(log.findings(), "orphan-tool-result");
        QCOMPARE(found.size(), 1U);
        QCOMPARE(found[0].severity, Finding::Severity::Warning);
        QCOMPARE(found[0].checkpointId, std::string("c101"));
        QCOMPARE(found[0].evidence["sent_to_the_model"], Value(false));
    }
    void knowsThatAnUpdateOffloadsNothing()
    {
        Log log;
        log.human("h1").ai("a1").human("h2").save();
        log.event(2).save(true, "update");
        log.ns().eventCheckpoints = {CheckpointIndex(1)};
        QCOMPARE(of(log.findings(), "offload-failed").size(), 0U);
        const auto found = of(log.findings(), "archive-missing");
        QCOMPARE(found.size(), 1U);
        QCOMPARE(found[0].severity, Finding::Severity::Info);
        QCOMPARE(found[0].evidence["why"], Value("set-by-update"));
        log.ns().checkpoints[1].source = "loop";
        QCOMPARE(of(log.findings(), "offload-failed").size(), 1U);
    }
    void reportsOnceWithTheLastCheckpoint()
    {
        Log log;
        log.human("h1").tool("t1", "gone").save().ai("a1").save().human("h2").save();
        const auto found = of(log.findings(), "orphan-tool-result");
        QCOMPARE(found.size(), 1U);
        QCOMPARE(found[0].checkpointId, std::string("c100"));
        QCOMPARE(found[0].evidence["last_checkpoint_id"], Value("c102"));
    }
    void findsCallsWithoutResults()
    {
        Log log;
        log.human("h1").ai("a1", {"x", "y"}).tool("t1", "x").human("h2").save();
        const auto found = of(log.findings(), "unanswered-tool-call");
        QCOMPARE(found.size(), 1U);
        QCOMPARE(found[0].severity, Finding::Severity::Error);
        QCOMPARE(found[0].evidence["tool_call_id"], Value("y"));
    }
    void forgetsWhatNoCallMetAndThePatcherMended()
    {
        Log log;
        log.human("h1").ai("a1", {"x"}).save(true);
        const MessageLog open = log.log();
        log.human("h2").save(false);
        log.replaceLog(open).tool("p1", "x").human("h2").save(true);
        QCOMPARE(log.findings().size(), 0U);
    }
    void tellsAWaitingCallFromABrokenOne()
    {
        Log log;
        log.human("h1").save().ai("a1", {"x"}).save(false);
        const auto found = of(log.findings(), "unanswered-tool-call");
        QCOMPARE(found.size(), 1U);
        QCOMPARE(found[0].severity, Finding::Severity::Info);
    }
    void seesCallsThatOnlyABlockHolds()
    {
        Log log("anthropic");
        log.human("h1")
            .message("{'type':'ai','id':'a1','additional_kwargs':{},'content':[{'type':'tool_use','id':'q','name':'"
                     "look','input':{}}]}")
            .human("h2")
            .save();
        const auto found = of(log.findings(), "unanswered-tool-call");
        QCOMPARE(found.size(), 1U);
        QCOMPARE(*found[0].block, 0);
    }
    void leavesServerToolsAlone()
    {
        Log log("anthropic");
        log.human("h1")
            .message("{'type':'ai','id':'a1','additional_kwargs':{},'content':[{'type':'server_tool_use','id':'s','"
                     "name':'web_search','input':{}},{'type':'web_search_tool_result','tool_use_id':'s','content':[]},{"
                     "'type':'text','text':'done'}]}")
            .human("h2")
            .save();
        QCOMPARE(log.findings().size(), 0U);
    }
    void findsResultsApartFromTheirCalls()
    {
        Log log;
        log.human("h1").ai("a1", {"x"}).human("h2").tool("t1", "x").save();
        QCOMPARE(of(log.findings(), "misplaced-tool-result").size(), 1U);
        QCOMPARE(of(log.findings(), "orphan-tool-result").size(), 0U);
    }
    void findsReusedAndIllegalIds()
    {
        Log twice;
        twice.human("h1").ai("a1", {"x"}).tool("t1", "x").ai("a2", {"x"}).tool("t2", "x").save();
        QCOMPARE(of(twice.findings(), "tool-call-id").size(), 1U);
        Log illegal("anthropic");
        illegal.human("h1").ai("a1", {"../x"}).tool("t1", "../x").save();
        QCOMPARE(of(illegal.findings(), "tool-call-id").size(), 1U);
        Log elsewhere("mistralai");
        elsewhere.human("h1").ai("a1", {"../x"}).tool("t1", "../x").save();
        QCOMPARE(of(elsewhere.findings(), "tool-call-id").size(), 0U);
    }
    void findsRequestsWithoutAUserTurn()
    {
        Log log("anthropic");
        log.ai("a1", {}, "hello").save();
        QCOMPARE(of(log.findings(), "user-turn-missing").size(), 1U);
        QCOMPARE(of(log.findings(), "user-turn-missing")[0].severity, Finding::Severity::Error);
        Log none("openai");
        none.ai("a1", {}, "hello").save();
        QCOMPARE(of(none.findings(), "user-turn-missing")[0].severity, Finding::Severity::Warning);
        Log later("openai");
        later.ai("a1", {}, "hello").human("h1").save();
        QCOMPARE(of(later.findings(), "user-turn-missing")[0].severity, Finding::Severity::Info);
    }
    void findsSystemMessagesInTheConversation()
    {
        Log log("anthropic");
        log.human("h1")
            .message("{'type':'system','content':'be kind','id':'s1','additional_kwargs':{}}")
            .ai("a1")
            .save();
        const auto apart = of(log.findings(), "two-system-messages");
        QCOMPARE(apart.size(), 1U);
        QCOMPARE(apart[0].severity, Finding::Severity::Error);
        const auto severity = [](const std::string &provider, bool between) {
            Log other(provider);
            other.message("{'type':'system','content':'be kind','id':'s1','additional_kwargs':{}}");
            if (between)
                other.human("h1");
            other.message("{'type':'system','content':'be brief','id':'s2','additional_kwargs':{}}")
                .human("h2")
                .ai("a1");
            other.save();
            return of(other.findings(), "two-system-messages").at(0).severity;
        };
        // Neighbours are merged.
        QCOMPARE(severity("anthropic", false), Finding::Severity::Info);
        QCOMPARE(severity("anthropic", true), Finding::Severity::Error);
        QCOMPARE(severity("openai", true), Finding::Severity::Info);
        QCOMPARE(severity("mistralai", true), Finding::Severity::Warning);
    }
    void findsEmptyContentForAnthropicOnly()
    {
        Log log("anthropic");
        log.human("h1").ai("a1", {}, "").human("h2", " ").save();
        QCOMPARE(of(log.findings(), "empty-content").size(), 2U);
        Log other("openai");
        other.human("h1").ai("a1", {}, "").human("h2", " ").save();
        QCOMPARE(of(other.findings(), "empty-content").size(), 0U);
    }
    void judgesARequestByItsOwnAnswer()
    {
        Log moved("openai");
        moved.human("h1").save().ai("a1").human("h2", " ").save().answeredBy("'model_provider':'anthropic'");
        const auto found = of(moved.findings(), "empty-content");
        QCOMPARE(found.size(), 1U);
        QCOMPARE(*found[0].messageId, std::string("h2"));
        QCOMPARE(found[0].checkpointId, std::string("c101"));
        Log away("anthropic");
        away.human("h1").save().ai("a1").human("h2", " ").save().answeredBy("'model_provider':'openai'");
        QCOMPARE(of(away.findings(), "empty-content").size(), 0U);
        // The first request too, whose answer no message before it names; also when the call comes a step later.
        Log first;
        first.human("h1", " ").save(false, "input").save().answeredBy("'model_provider':'anthropic'");
        QCOMPARE(of(first.findings(), "empty-content").size(), 1U);
        QCOMPARE(of(first.findings(), "empty-content")[0].checkpointId, std::string("c100"));
    }
    void looksAgainAtWhatMovesToAnotherProvider()
    {
        Log log("openai");
        log.human("h1", " ").save().answeredBy("'model_provider':'openai'");
        log.ai("a1").human("h2").save().answeredBy("'model_provider':'anthropic'");
        const auto found = of(log.findings(), "empty-content");
        QCOMPARE(found.size(), 1U);
        QCOMPARE(*found[0].messageId, std::string("h1"));
        QCOMPARE(found[0].checkpointId, std::string("c101"));
    }
    void saysOnceThatTheHistoryMovedToAnotherProvider()
    {
        Log one("anthropic");
        one.human("h1").save().answeredBy("'model_provider':'anthropic'");
        one.ai("a1").human("h2").save().answeredBy("'model_provider':'anthropic'");
        one.ai("a2").save(false);
        QVERIFY(of(one.findings(), "provider-changed").empty());

        Log moved("openai");
        moved.human("h1").save().answeredBy("'model_provider':'openai'");
        moved.ai("a1").human("h2").save().answeredBy("'model_provider':'anthropic'");
        moved.ai("a2").human("h3").save().answeredBy("'model_provider':'anthropic'");
        const auto found = of(moved.findings(), "provider-changed");
        QCOMPARE(found.size(), 1U);
        QCOMPARE(found[0].severity, Finding::Severity::Info);
        QCOMPARE(found[0].checkpointId, std::string("c101"));
        QCOMPARE(*found[0].messageId, std::string("a1"));
        QCOMPARE(found[0].evidence["call"], Value(2));
        QCOMPARE(found[0].evidence["last_checkpoint_id"], Value("c102"));

        // Nothing of the first provider's is in what the second gets: it is behind the summary.
        Log hidden("openai");
        hidden.human("h1").save().answeredBy("'model_provider':'openai'");
        hidden.ai("a1").human("h2").event(2).save().answeredBy("'model_provider':'anthropic'");
        QVERIFY(of(hidden.findings(), "provider-changed").empty());
    }
    void namesBlocksThatTheOtherProviderRefuses()
    {
        const auto blocks = [](const std::string &maker, const std::string &taker, const std::string &content) {
            Log log;
            log.human("h1").save().answeredBy(maker);
            log.message("{'type':'ai','id':'a1','additional_kwargs':{},'response_metadata':{" + maker + "},'content':["
                + content + "]}");
            log.human("h2").save().answeredBy(taker);
            std::vector<std::int64_t> refused;
            const auto found = of(log.findings(), "provider-changed");
            for (const Finding &finding : found)
                for (const Value &block : finding.evidence["refused_blocks"].asList())
                    refused.push_back(block["block"].asInt());
            if (!refused.empty() && (found.size() != 1 || found[0].severity != Finding::Severity::Warning))
                refused.push_back(-1);
            return refused;
        };
        using Blocks = std::vector<std::int64_t>;
        const std::string anthropic = "'model_provider':'anthropic'";
        const std::string chat = "'model_provider':'openai'";
        const std::string responses = chat + ",'object':'response'";
        const std::string google = "'model_provider':'google_genai'";
        const std::string thinking = "{'type':'thinking','thinking':'hm','signature':'s'},{'type':'text','text':'x'}";
        const std::string server = "{'type':'server_tool_use','id':'q','name':'web_search','input':{}},"
                                   "{'type':'web_search_tool_result','tool_use_id':'q','content':[]}";
        const std::string item = "{'type':'reasoning','id':'rs_1'},{'type':'web_search_call','id':'ws_1'},"
                                 "{'type':'text','text':'x'}";
        // Of Anthropic's own, all is taken.
        QCOMPARE(blocks(anthropic, anthropic, thinking + "," + server), Blocks());
        QCOMPARE(blocks(google, anthropic, thinking), Blocks({0}));
        // OpenAI's integration leaves thinking out, but not what server tools made.
        QCOMPARE(blocks(anthropic, chat, thinking), Blocks());
        QCOMPARE(blocks(anthropic, chat, server), Blocks({0, 1}));
        QCOMPARE(blocks(anthropic, responses, thinking + "," + server), Blocks());
        // Anthropic's leaves reasoning items out, but not the other items.
        QCOMPARE(blocks(responses, anthropic, item), Blocks({1}));
        QCOMPARE(blocks(responses, google, item), Blocks());
        // One provider, two interfaces.
        QCOMPARE(blocks(responses, responses, item), Blocks());
        QCOMPARE(blocks(responses, chat, item), Blocks({0, 1}));
    }
    void tellsResponsesFromChatCompletions()
    {
        const std::string longId(50, 'x');
        Log chat("openai");
        chat.human("h1").ai("a1", {longId}).tool("t1", longId).save().answeredBy("'model_provider':'openai'");
        QCOMPARE(of(chat.findings(), "tool-call-id").size(), 1U);
        Log responses("openai");
        responses.human("h1")
            .ai("a1", {longId})
            .tool("t1", longId)
            .save()
            .answeredBy("'model_provider':'openai','object':'response'");
        QCOMPARE(of(responses.findings(), "tool-call-id").size(), 0U);
    }
    void findsMalformedArgumentsInBlocks()
    {
        Log log("anthropic");
        log.human("h1")
            .message("{'type':'ai','id':'a1','additional_kwargs':{},'tool_calls':[],'content':["
                     "{'type':'text','text':'look'},"
                     "{'type':'tool_use','id':'x','name':'look','input':{},'partial_json':'{ broken'},"
                     "{'type':'function_call','call_id':'y','name':'look','arguments':'[1]'},"
                     "{'type':'tool_use','id':'z','name':'look','input':{'at':1}},"
                     "{'type':'function_call','call_id':'w','name':'look','arguments':'{}'}]}")
            .save();
        const auto found = of(log.findings(), "malformed-arguments");
        QCOMPARE(found.size(), 2U);
        QCOMPARE(found[0].evidence["tool_call_id"], Value("x"));
        QCOMPARE(*found[0].block, 1);
        QCOMPARE(found[1].evidence["tool_call_id"], Value("y"));
        QCOMPARE(*found[1].block, 2);
    }
    void makesNoGuessesAboutTheMissingStartOfALog()
    {
        const auto make = [](bool incomplete) {
            Log log("anthropic");
            log.save().tool("t1", "gone").ai("a1").save();
            for (Checkpoint &checkpoint : log.ns().checkpoints)
                checkpoint.incomplete = incomplete;
            return log.findings();
        };
        for (const char *rule : {"empty-request", "orphan-tool-result", "user-turn-missing"}) {
            QCOMPARE(of(make(false), rule).size(), 1U);
            QCOMPARE(of(make(true), rule).size(), 0U);
        }
    }
    void saysWhichMemberOfAnEventIsWrong()
    {
        const auto said = [](const std::string &stored) {
            Log log;
            log.human("h1").save();
            log.ns().checkpoints[0].event = parseEvent(json(stored));
            log.ns().eventCheckpoints = {CheckpointIndex(0)};
            const auto found = of(log.findings(), "malformed-event");
            const std::string words = found.size() == 1 ? found[0].message : std::string();
            const std::size_t from = words.find('(') + 1;
            return words.substr(from, words.find(')') - from);
        };
        const std::string summary = "'summary_message':{'type':'human','content':'s'}";
        QCOMPARE(said("[1]"), std::string("it is a list and no map"));
        QCOMPARE(said("{" + summary + "}"), std::string("cutoff_index is missing"));
        QCOMPARE(
            said("{'cutoff_index':'4'," + summary + "}"), std::string("cutoff_index is a text and no whole number"));
        QCOMPARE(said("{'cutoff_index':4}"), std::string("summary_message is missing"));
        QCOMPARE(
            said("{'cutoff_index':4,'summary_message':7}"), std::string("summary_message is a number and no message"));
        QCOMPARE(said("{'cutoff_index':4,'file_path':[]," + summary + "}"),
            std::string("file_path is a list and neither a text nor null"));
    }
    void findsReasoningWithoutItsPartner()
    {
        Log log("openai");
        log.human("h1")
            .message("{'type':'ai','id':'a1','additional_kwargs':{},'content':[{'type':'reasoning','id':'rs_1','"
                     "summary':[]}]}")
            .human("h2")
            .save();
        QCOMPARE(of(log.findings(), "reasoning-without-partner").size(), 1U);
    }
    void findsCutoffsOutsideTheLog()
    {
        Log log;
        log.human("h1").ai("a1").event(7).save();
        QCOMPARE(of(log.findings(), "cutoff-out-of-range").size(), 1U);
    }
    void measuresTheDriftOfACutoff()
    {
        Log log;
        log.human("h1").ai("a1").human("h2").ai("a2").event(2).save();
        const MessageLog whole = log.log();
        log.replaceLog(whole.drop(1)).save();
        const auto found = of(log.findings(), "cutoff-drift");
        QCOMPARE(found.size(), 1U);
        QCOMPARE(found[0].evidence["drift"], Value(-1));
        QCOMPARE(*found[0].messageId, std::string("h2"));
    }
    void findsEventsThatWentAway()
    {
        Log log;
        log.human("h1").ai("a1").event(1).save().noEvent().save();
        const auto found = of(log.findings(), "event-lost");
        QCOMPARE(found.size(), 1U);
        QCOMPARE(found[0].severity, Finding::Severity::Warning);
        Log byHand;
        byHand.human("h1").ai("a1").event(1).save().noEvent().save(true, "update");
        QCOMPARE(of(byHand.findings(), "event-lost")[0].severity, Finding::Severity::Info);
    }
    void findsASubagentWithItsParentsEvent()
    {
        Log parent;
        parent.human("h1").ai("a1").human("h2").event(2).save();
        parent.ns().eventCheckpoints = {CheckpointIndex(0)};
        Log child;
        child.human("task").event(2).save();
        Thread thread;
        thread.namespaces = {parent.ns(), child.ns()};
        thread.namespaces[1].name = "tools:1";
        const auto found = of(*lint(thread, {}, {}), "inherited-event");
        QCOMPARE(found.size(), 1U);
        QCOMPARE(found[0].checkpointNs, std::string("tools:1"));
    }
    void noticesThatEveryCallCompacts()
    {
        Log log;
        for (int i = 1; i <= 4; ++i)
            log.human("h" + std::to_string(i)).save();
        auto event = std::make_shared<SummarizationEvent>();
        event->summaryMessage = std::make_shared<const Message>();
        for (Call &call : log.ns().calls) {
            call.eventFrom = Call::EventFrom::ThisCall;
            call.event = event;
        }
        QCOMPARE(of(log.findings(), "compaction-every-call").size(), 1U);
        log.ns().calls[1].eventFrom = Call::EventFrom::Checkpoint;
        QCOMPARE(of(log.findings(), "compaction-every-call").size(), 0U);
    }
    void stopsWhenAsked()
    {
        Log log;
        log.human("h1").save();
        Thread thread;
        thread.namespaces.push_back(log.ns());
        std::stop_source source;
        source.request_stop();
        const auto result = lint(thread, {}, {source.get_token(), {}});
        QVERIFY(!result);
        QCOMPARE(result.error().code, Error::Code::Cancelled);
    }
    void describesEveryRule()
    {
        std::set<std::string_view> ids;
        for (const Rule &rule : lintRules()) {
            QVERIFY(!rule.info.meaning.empty() && !rule.info.advice.empty() && !rule.info.source.empty());
            QVERIFY(ids.insert(rule.info.id).second);
        }
    }
    void documentsEveryRule()
    {
        QFile page(QStringLiteral(PALIMPSEST_SOURCE_DIR "/resources/help/rules.md"));
        QVERIFY(page.open(QIODevice::ReadOnly));
        const std::string text = page.readAll().toStdString();
        // Written anew with: palimpsest lint --rules
        QVERIFY(text.ends_with(ruleTable()));
    }
};

QTEST_APPLESS_MAIN(TestLint)
#include "tst_lint.moc"
