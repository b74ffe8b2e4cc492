// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/thread/reducers.h"
#include "tests/support/goldens.h"
#include "tests/support/typedvalues.h"

#include <QTest>

using namespace palimpsest;

namespace {

Result<std::vector<MessagesWrite>> readWrites(std::span<const Value> values)
{
    std::vector<MessagesWrite> writes;
    for (const Value &value : values) {
        Result<MessagesWrite> write = messagesWrite(value);
        if (!write)
            return tl::unexpected(write.error());
        writes.push_back(std::move(*write));
    }
    return writes;
}

Value toValue(const MessageLog &log)
{
    Value::List list;
    for (const MessagePtr &message : log)
        list.push_back(messageToValue(*message));
    return Value(std::move(list));
}

/// The id index must say what a new one over the same log would say.
std::string indexDifference(const MessageState &state)
{
    return state.places == messageState(state.log).places ? std::string() : "the id index differs from the log";
}

std::string check(const goldens::Case &one)
{
    Result<MessageState> state = messageState(goldens::typedMessages(one.input["state"]));
    const Value written = goldens::typedMessages(one.input["writes"]);
    const Value::List &values = written.asList();
    const Result<std::vector<MessagesWrite>> writes = readWrites(values);
    if (one.output.contains("$error"))
        return state && writes ? "no error, though upstream raises" : "";
    if (!state)
        return state.error().what;
    if (!writes)
        return writes.error().what;
    const MessageState whole = applyMessages(*state, *writes);
    if (std::string d = goldens::difference(one.output, toValue(whole.log)); !d.empty())
        return d;
    if (std::string d = indexDifference(whole); !d.empty())
        return d;
    // The same writes in several calls, where upstream was asked to prove that it makes no difference.
    std::size_t from = 0;
    MessageState parts = *state;
    Value::List cuts = one.input["splits"].asList();
    if (!one.input.contains("splits"))
        return {};
    cuts.push_back(Value(static_cast<std::int64_t>(writes->size())));
    for (const Value &cut : cuts) {
        const auto to = static_cast<std::size_t>(cut.asInt());
        parts = applyMessages(std::move(parts), std::span(*writes).subspan(from, to - from));
        from = to;
    }
    return goldens::difference(one.output, toValue(parts.log), "in parts");
}

} // namespace

class TestGoldenMessagesDeltaReducer : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void givesWhatUpstreamGives()
    {
        PALIMPSEST_VERIFY_GOLDENS(goldens::run(
            "messages_delta_reducer", [](const goldens::Case &one, const std::string &) { return check(one); }));
    }
};

QTEST_APPLESS_MAIN(TestGoldenMessagesDeltaReducer)
#include "tst_golden_messages_delta_reducer.moc"
