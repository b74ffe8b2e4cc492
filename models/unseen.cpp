// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/unseen.h"

#include "core/thread/requests.h"

#include <QCoreApplication>
#include <QLocale>

namespace palimpsest {

namespace {

std::int64_t inputOf(const Call &call)
{
    return call.usage["input_tokens"].asInt(-1);
}

const Call *tellingCall(const Scene &scene)
{
    if (scene.call && inputOf(*scene.call) > 0)
        return scene.call;
    const Call *best = nullptr;
    for (const Call &call : scene.space->calls) {
        if (inputOf(call) <= 0)
            continue;
        if (best && call.checkpoint > scene.checkpointIndex)
            break;
        best = &call;
    }
    return best;
}

} // namespace

Unseen unseenAt(const Scene &scene)
{
    Unseen out;
    const Call *call = scene.space ? tellingCall(scene) : nullptr;
    if (!call)
        return out;
    out.from = call->number;
    out.reported = inputOf(*call);
    out.counting = !scene.facts;
    if (out.counting)
        return out; // a request may hold thousands of messages: they are counted by a worker
    for (const MessagePtr &message : requestMessages(*call)) {
        if (message)
            out.counted += scene.facts->of(*message).tokens;
    }
    out.tokens = out.reported - out.counted;
    return out;
}

QString describeUnseen(const Unseen &unseen)
{
    const auto tr = [](const char *text) { return QCoreApplication::translate("Unseen", text); };
    if (unseen.counting)
        return tr("size: being counted");
    if (!unseen.tokens)
        return tr("size unknown: no answer reports its input tokens");
    const QLocale locale;
    if (*unseen.tokens < 0)
        return tr("size cannot be told: call %1 reports %2 input tokens, its messages count %3")
            .arg(unseen.from.value)
            .arg(locale.toString(static_cast<qlonglong>(unseen.reported)),
                locale.toString(static_cast<qlonglong>(unseen.counted)));
    return tr("about %1 tokens: call %2 reports %3 of input, its messages count %4")
        .arg(locale.toString(static_cast<qlonglong>(*unseen.tokens)))
        .arg(unseen.from.value)
        .arg(locale.toString(static_cast<qlonglong>(unseen.reported)),
            locale.toString(static_cast<qlonglong>(unseen.counted)));
}

} // namespace palimpsest
