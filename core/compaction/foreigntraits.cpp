// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compaction/foreigntraits.h"

#include "core/compaction/stages/summarymessage.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace palimpsest {
namespace {

/// Members of an event that some dialect writes (deepagents/middleware/summarization.py SummarizationEvent, 0.7.7 and
/// 0.7.32).
constexpr std::array<std::string_view, 4> eventMembers{
    "cutoff_index", "summary_message", "file_path", "created_at_index"};

void addTraits(const SummarizationEvent &event, std::vector<std::string> &traits)
{
    if (event.malformed) {
        traits.emplace_back("An event is stored in a form that no known version writes.");
        return;
    }
    for (const auto &[key, value] : event.raw.asMap()) {
        if (std::find(eventMembers.begin(), eventMembers.end(), key.asText()) == eventMembers.end())
            traits.push_back("An event has the member \"" + key.asText() + "\", which no known version writes.");
    }
    if (event.summaryMessage && summaryTextOf(*event.summaryMessage) == textOf(*event.summaryMessage))
        traits.emplace_back("A summary is worded as no known version words it.");
}

} // namespace

std::vector<std::string> foreignTraits(const Thread &thread, const ThreadNamespace &space)
{
    std::vector<std::string> traits;
    if (thread.language != "python") {
        traits.emplace_back("The thread was made by deepagents for JavaScript, whose rules are not known here.");
        return traits; // its events have names of their own
    }
    if (space.messagesChannel != "messages")
        traits.push_back("The log is kept in the channel \"" + space.messagesChannel + "\" instead of \"messages\".");
    const SummarizationEvent *last = nullptr;
    for (const Checkpoint &checkpoint : space.checkpoints) {
        if (!checkpoint.event || checkpoint.event.get() == last)
            continue;
        last = checkpoint.event.get();
        addTraits(*last, traits);
    }
    std::sort(traits.begin(), traits.end());
    traits.erase(std::unique(traits.begin(), traits.end()), traits.end());
    return traits;
}

} // namespace palimpsest
