// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/thread/reducers.h"

#include <QTest>
#include <rapidcheck.h>

using namespace palimpsest;

namespace {

MessagePtr message(MessageKind kind, std::optional<std::string> id, const std::string &content = {})
{
    Message m;
    m.kind = kind;
    m.type = typeName(kind);
    m.id = std::move(id);
    m.content = Value(content);
    return std::make_shared<Message>(std::move(m));
}

/// The reducer as upstream writes it, with plain lists.
std::vector<MessagePtr> plain(std::vector<MessagePtr> state, std::vector<MessagePtr> messages)
{
    for (std::size_t i = messages.size(); i-- > 0;) {
        if (messages[i]->kind == MessageKind::Remove && messages[i]->id == removeAllMessages) {
            state.clear();
            messages.erase(messages.begin(), messages.begin() + static_cast<std::ptrdiff_t>(i) + 1);
            break;
        }
    }
    std::vector<MessagePtr> result = state;
    std::map<std::string, std::size_t> index;
    for (std::size_t i = 0; i < state.size(); ++i)
        if (state[i]->id)
            index[*state[i]->id] = i;
    for (const MessagePtr &m : messages) {
        if (!m->id) {
            result.push_back(m);
        } else if (m->kind == MessageKind::Remove) {
            if (const auto at = index.find(*m->id); at != index.end()) {
                result[at->second] = nullptr;
                index.erase(at);
            }
        } else if (const auto at = index.find(*m->id); at != index.end()) {
            result[at->second] = m;
        } else {
            index[*m->id] = result.size();
            result.push_back(m);
        }
    }
    std::erase(result, nullptr);
    return result;
}

rc::Gen<MessagePtr> anyMessage()
{
    return rc::gen::map(rc::gen::tuple(rc::gen::inRange(0, 10), rc::gen::inRange(0, 8), rc::gen::arbitrary<int>()),
        [](const std::tuple<int, int, int> &t) {
            const auto [kind, id, content] = t;
            if (kind == 0)
                return message(
                    MessageKind::Remove, id == 0 ? std::string(removeAllMessages) : "m" + std::to_string(id));
            if (kind == 1)
                return message(MessageKind::Human, std::nullopt, std::to_string(content));
            return message(
                kind < 5 ? MessageKind::Ai : MessageKind::Tool, "m" + std::to_string(id), std::to_string(content));
        });
}

std::vector<MessagePtr> listOf(const MessageLog &log)
{
    return {log.begin(), log.end()};
}

} // namespace

class TestReducers : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void agreesWithThePlainReducer()
    {
        QVERIFY(rc::check([] {
            const auto batches = *rc::gen::container<std::vector<std::vector<MessagePtr>>>(
                rc::gen::container<std::vector<MessagePtr>>(anyMessage()));
            MessageState state;
            std::vector<MessagePtr> expected;
            for (const std::vector<MessagePtr> &batch : batches) {
                const MessageState before = state;
                const std::vector<MessagePtr> kept = listOf(before.log);
                state = applyMessages(state, MessagesWrite{false, batch});
                expected = plain(expected, batch);
                RC_ASSERT(listOf(state.log) == expected);
                RC_ASSERT(state.places == messageState(state.log).places);
                RC_ASSERT(listOf(before.log) == kept); // the state before stays valid
            }
        }));
    }

    void anySplitOfTheWritesGivesTheSameState()
    {
        QVERIFY(rc::check([] {
            const auto messages = *rc::gen::container<std::vector<MessagePtr>>(anyMessage());
            const auto cut = *rc::gen::inRange<std::size_t>(0, messages.size() + 1);
            const auto middle = messages.begin() + static_cast<std::ptrdiff_t>(cut);
            const MessagesWrite first{false, {messages.begin(), middle}};
            const MessagesWrite second{false, {middle, messages.end()}};
            const MessageState whole = applyMessages(MessageState(), MessagesWrite{false, messages});
            const MessageState parts = applyMessages(applyMessages(MessageState(), first), second);
            RC_ASSERT(parts.log == whole.log);
            RC_ASSERT(parts.places == whole.places);
        }));
    }

    void replacesMessageWithSameId()
    {
        MessageState state =
            messageState(MessageLog{message(MessageKind::Human, "a", "1"), message(MessageKind::Ai, "b", "2")});
        const MessagePtr changed = message(MessageKind::Human, "a", "3");
        state = applyMessages(std::move(state), MessagesWrite{false, {changed}});
        QCOMPARE(state.log.size(), 2U);
        QCOMPARE(state.log[0], changed);
    }

    void addMessagesRefusesToRemoveWhatIsNotThere()
    {
        const auto state = addMessages(MessageState(), MessagesWrite{false, {message(MessageKind::Remove, "gone")}});
        QVERIFY(!state);
        QCOMPARE(state.error().code, Error::Code::Invalid);
        QCOMPARE(
            state.error().what, std::string("Attempting to delete a message with an ID that doesn't exist ('gone')"));
    }

    void addMessagesKeepsThePlaceOfAMessageThatComesAgain()
    {
        MessageState state = messageState(MessageLog{message(MessageKind::Human, "a"), message(MessageKind::Ai, "b")});
        const MessagePtr again = message(MessageKind::Human, "a", "again");
        const auto merged = addMessages(state, MessagesWrite{false, {message(MessageKind::Remove, "a"), again}});
        QVERIFY(merged);
        QCOMPARE(merged->log.size(), 2U);
        QCOMPARE(merged->log[0], again);
        // The delta reducer puts it at the end.
        const MessageState delta =
            applyMessages(state, MessagesWrite{false, {message(MessageKind::Remove, "a"), again}});
        QCOMPARE(delta.log[1], again);
    }

    void addMessagesRemoves()
    {
        MessageState state = messageState(MessageLog{message(MessageKind::Human, "a"), message(MessageKind::Ai, "b")});
        const auto merged = addMessages(
            state, MessagesWrite{false, {message(MessageKind::Remove, "a"), message(MessageKind::Ai, "c")}});
        QVERIFY(merged);
        QCOMPARE(merged->log.size(), 2U);
        QCOMPARE(*merged->log[0]->id, std::string("b"));
        QCOMPARE(*merged->find("c"), 1U);
        QVERIFY(!merged->find("a"));
    }

    void knowsEveryFormOfOverwrite_data()
    {
        QTest::addColumn<int>("form");
        QTest::newRow("kwargs") << 0;
        QTest::newRow("args") << 1;
        QTest::newRow("single") << 2;
        QTest::newRow("sentinel key") << 3;
        QTest::newRow("erased") << 4;
    }
    void knowsEveryFormOfOverwrite()
    {
        QFETCH(int, form);
        const Value inside = Value::list({Value("x")});
        const auto tagged = [](Value::Form f, Value v) {
            return Value(Value::Tagged{f, "langgraph.types", "Overwrite", std::move(v), {}});
        };
        const Value forms[] = {tagged(Value::Form::ConstructorKwargs, Value::map({{"value", inside}})),
            tagged(Value::Form::ConstructorArgs, Value::list({inside})), tagged(Value::Form::ConstructorSingle, inside),
            Value::map({{"__overwrite__", inside}}), Value::map({{"value", inside}, {"type", Value("__overwrite__")}})};
        const auto found = overwriteOf(forms[form]);
        QVERIFY(found);
        QVERIFY(*found == inside);
    }

    void anUntypedValueIsNoOverwrite()
    {
        // An Overwrite that lost its type on a JSON route cannot be told from a map that is no message.
        QVERIFY(!overwriteOf(Value::map({{"value", Value::list({})}})));
        QVERIFY(!messagesWrite(Value::map({{"value", Value::list({})}})));
    }
};

QTEST_APPLESS_MAIN(TestReducers)
#include "tst_reducers.moc"
