// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/thread/checkpoint.h"

#include <cstddef>

namespace palimpsest {

/// Whether messages kept from before a summary lose the reasoning that is bound to it.
enum class BoundReasoning {
    ByEvent, ///< when the event tells the length of the log at its making: 0.7.32, and what a recording shows by its
             ///< shape
    Kept, ///< never: 0.7.7
};

/// How an effective list lies over the raw log.
struct Projection {
    bool summary = false; ///< the first effective message is the event's summary
    MessageIndex first{0}; ///< raw place of the first message kept; the log's length when none is
    MessageIndex reasoningFrom{0}; ///< messages kept before this raw place have lost their bound reasoning

    bool operator==(const Projection &) const = default;
};

/// The projection of an event over a log of `size` messages: everything when there is no event or an unusable one.
Projection projectionOf(
    std::size_t size, const SummarizationEvent *event, BoundReasoning rule = BoundReasoning::ByEvent);
/// Raw place of an effective message; invalid for the summary.
MessageIndex rawIndex(const Projection &projection, EffectiveIndex index);
/// Effective place of a raw message; invalid when it is out of context.
EffectiveIndex effectiveIndex(const Projection &projection, MessageIndex index);

/// What the model would see of a log after an event, exactly as upstream makes it: summary and messages from the cutoff
/// on (deepagents/middleware/summarization.py `_apply_event_to_messages`, 0.7.7 and 0.7.32). A summary that is no
/// message is a null pointer. Error Malformed where upstream raises: a cutoff that is no whole number. O(log n) where
/// no reasoning is dropped.
Result<MessageLog> applyEvent(
    const MessageLog &log, const SummarizationEvent *event, BoundReasoning rule = BoundReasoning::ByEvent);

/// The same for display: never fails (an unusable event leaves the log as it is) and holds no null pointer.
MessageLog effectiveMessages(
    const MessageLog &log, const SummarizationEvent *event, BoundReasoning rule = BoundReasoning::ByEvent);

/// The message without the reasoning blocks that are bound to the conversation before it, or the message itself when it
/// has none (deepagents/middleware/summarization.py `_drop_bound_reasoning`, 0.7.32).
MessagePtr dropBoundReasoning(const MessagePtr &message);

} // namespace palimpsest
