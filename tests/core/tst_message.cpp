// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/serde/json.h"
#include "core/thread/message.h"
#include "core/values/json.h"

#include <QTest>

#include <algorithm>

using namespace palimpsest;

class TestMessage : public QObject {
    Q_OBJECT

    /// JSON with single quotes: moc loses its way in raw strings.
    static Value json(std::string text)
    {
        std::replace(text.begin(), text.end(), '\'', '"');
        return *parseJson(text);
    }

private Q_SLOTS:
    void readsEveryStoredForm()
    {
        const Value kwargs =
            json("{'content':'hi','type':'human','id':'h1','name':null,'additional_kwargs':{},'response_metadata':{}}");
        const MessagePtr plain = messageFromValue(kwargs);
        const MessagePtr tagged = messageFromValue(Value(Value::Tagged{
            Value::Form::PydanticV2, "langchain_core.messages.human", "HumanMessage", kwargs, "model_validate_json"}));
        const MessagePtr envelope =
            messageFromValue(json("{'lc':1,'type':'constructor','id':['langchain','schema','messages','HumanMessage'],'"
                                  "kwargs':{'content':'hi','id':'h1','type':'human'}}"));
        const MessagePtr dict = messageFromValue(json("{'type':'human','data':{'content':'hi','id':'h1'}}"));
        QVERIFY(plain && tagged && envelope && dict);
        QCOMPARE(plain->kind, MessageKind::Human);
        QCOMPARE(*tagged, *plain);
        QCOMPARE(*envelope, *plain);
        QCOMPARE(*dict, *plain);
    }
    void keepsUnknownMembersAndBlocks()
    {
        const MessagePtr message = messageFromValue(json(
            "{'type':'ai','content':[{'type':'hologram','z':1,'a':2}],'additional_kwargs':{},'future':{'x':[1]}}"));
        QCOMPARE(toJson(messageToValue(*message, true)),
            toJson(json("{'content':[{'type':'hologram','z':1,'a':2}],'type':'ai','future':{'x':[1]}}")));
    }
    void ordersToolCallsAsTheValidatorDoes()
    {
        const MessagePtr message =
            messageFromValue(json("{'type':'ai','content':'','additional_kwargs':{},'tool_calls':[{'type':'tool_call','"
                                  "id':'c1','args':{'a':1},'name':'t'}]}"));
        QCOMPARE(
            toJson(message->toolCalls), toJson(json("[{'name':'t','args':{'a':1},'id':'c1','type':'tool_call'}]")));
        QCOMPARE(toolCalls(*message).front().name, std::string_view("t"));
    }
    void readsOldOpenAiToolCalls()
    {
        const MessagePtr message =
            messageFromValue(json("{'type':'ai','content':'','additional_kwargs':{'tool_calls':[{'id':'c1','type':'"
                                  "function','function':{'name':'t','arguments':'{\\'a\\': 1}'}}]}}"));
        QCOMPARE(
            toJson(message->toolCalls), toJson(json("[{'name':'t','args':{'a':1},'id':'c1','type':'tool_call'}]")));
    }
    void refusesWhatIsNoMessage()
    {
        QVERIFY(!messageFromValue(Value(3)));
        QVERIFY(!messageFromValue(json("{'type':'text','text':'a block'}")));
        QVERIFY(!messageFromLike(json("{'role':'wizard','content':'x'}")));
        QVERIFY(!messageFromLike(json("['a','b','c']")));
    }
    void joinsTextBlocks()
    {
        const MessagePtr message = messageFromValue(json("{'type':'ai','additional_kwargs':{},'content':['a',{'type':'"
                                                         "text','text':'b'},{'type':'image','text':'no'}]}"));
        QCOMPARE(textOf(*message), std::string("ab"));
    }
};

QTEST_APPLESS_MAIN(TestMessage)
#include "tst_message.moc"
