// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/thread/reducers.h"
#include "tests/support/goldens.h"
#include "tests/support/typedvalues.h"

#include <QTest>

using namespace palimpsest;

namespace {

Value toValue(const MessageLog &log)
{
    Value::List list;
    for (const MessagePtr &message : log)
        list.push_back(messageToValue(*message));
    return Value(std::move(list));
}

/// An Overwrite without a later write leaves raw maps as they are upstream; here a log always holds messages.
Value coerced(const Value &expected)
{
    Value::List list;
    for (const Value &item : expected.asList()) {
        const Result<MessagePtr> message = messageFromLike(item);
        list.push_back(item.contains("additional_kwargs") || !message ? item : messageToValue(**message));
    }
    return Value(std::move(list));
}

std::string check(const goldens::Case &one)
{
    const Value base = goldens::typedMessages(one.input["base"]);
    const bool update = one.input["op"].asText() == "update";
    Result<MessageState> state = base.isTagged() ? Result<MessageState>(MessageState()) : messageState(base);
    std::string error = state ? std::string() : state.error().what;
    std::vector<MessagesWrite> writes;
    const Value written = goldens::typedMessages(one.input["writes"]);
    for (const Value &value : written.asList()) {
        Result<MessagesWrite> write = messagesWrite(value);
        if (write)
            writes.push_back(std::move(*write));
        else
            error = write.error().what;
    }
    if (error.empty()) {
        state = update ? updateMessages(*state, writes) : Result<MessageState>(replayMessages(*state, writes));
        if (!state)
            error = state.error().what;
    }
    if (one.output.contains("$error"))
        return error.empty() ? "no error, though upstream raises" : "";
    if (!error.empty())
        return error;
    if (update && one.output["updated"].asBool() == writes.empty())
        return "updated differs";
    if (state->places != messageState(state->log).places)
        return "the id index differs from the log";
    return goldens::difference(coerced(one.output["value"]), toValue(state->log));
}

} // namespace

class TestGoldenDeltaChannel : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void givesWhatUpstreamGives()
    {
        PALIMPSEST_VERIFY_GOLDENS(
            goldens::run("delta_channel", [](const goldens::Case &one, const std::string &) { return check(one); }));
    }
};

QTEST_APPLESS_MAIN(TestGoldenDeltaChannel)
#include "tst_golden_delta_channel.moc"
