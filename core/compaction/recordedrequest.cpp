// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compaction/recordedrequest.h"

#include "core/base/text.h"
#include "core/compaction/dialect.h"
#include "core/compaction/requestview.h"
#include "core/compaction/rules.h"
#include "core/compaction/stages/argumenttruncation.h"
#include "core/compaction/stages/contentblocks.h"
#include "core/compaction/stages/humaneviction.h"
#include "core/compaction/stages/patchtoolcalls.h"
#include "core/compaction/stages/preview.h"
#include "core/thread/projection.h"

#include <algorithm>
#include <unordered_map>

namespace palimpsest {
namespace {

/// A stub as 0.7.32 alone writes it: behind the marker it names only the losses that the preview has.
bool isNewerStub(const Message &message)
{
    constexpr std::string_view begin = "Tool result too large, the result of this tool call ";
    if (message.kind != MessageKind::Tool || !message.content.isText())
        return false;
    const std::string_view text = message.content.asText();
    if (!text.starts_with(begin.substr(0, begin.find(','))))
        return false;
    // A long id stands in it shortened.
    const bool shortened = message.toolCallId && text.starts_with(begin)
        && text.substr(begin.size(), text.find(" was saved in the filesystem") - begin.size()) != *message.toolCallId;
    return shortened || text.find("Here is a preview of the ") != std::string_view::npos
        || text.find("this preview shows only their first 1000 characters") != std::string_view::npos;
}

/// Lines `first` to `last` of a preview as LangGraph JS numbers them (deepagents 1.14 formatContentWithLineNumbers).
void appendJsLines(std::string &out, const std::vector<std::string_view> &lines, std::size_t first, std::size_t last)
{
    for (std::size_t i = first; i < last; ++i) {
        std::string number = std::to_string(i + 1);
        if (number.size() < 6)
            number.insert(0, 6 - number.size(), ' ');
        out +=
            (out.empty() || out.back() == '\n' ? "" : "\n") + number + "\t" + std::string(text::head(lines[i], 1000));
    }
}

/// The stub that deepagents for JavaScript (1.14) puts into a request.
std::string jsHumanStub(std::string_view path, std::string_view content)
{
    std::string stub = "Message content too large and was saved to the filesystem at: " + std::string(path)
        + "\n\nYou can read the full content using the read_file tool with pagination (offset and limit "
          "parameters).\n\n"
          "Here is a preview showing the head and tail of the content:\n\n";
    std::vector<std::string_view> lines;
    for (std::size_t at = 0; at <= content.size();) {
        const std::size_t end = std::min(content.find('\n', at), content.size());
        lines.push_back(content.substr(at, end - at));
        at = end + 1;
    }
    constexpr std::size_t shown = 5;
    if (lines.size() <= 2 * shown) {
        appendJsLines(stub, lines, 0, lines.size());
        return stub;
    }
    appendJsLines(stub, lines, 0, shown);
    stub += "\n... [" + std::to_string(lines.size() - 2 * shown) + " lines truncated] ...\n";
    appendJsLines(stub, lines, lines.size() - shown, lines.size());
    return stub;
}

MessagePtr jsStubMessage(const Message &message, const std::string &path)
{
    auto stub = std::make_shared<Message>(message);
    const Attempt<std::string> content = extractText(message);
    const Attempt<Value> replaced = evictedContent(message, jsHumanStub(path, content ? *content : textOf(message)));
    if (!replaced)
        return nullptr;
    stub->content = *replaced;
    return stub;
}

bool hasMediaResults(const ThreadNamespace &space)
{
    for (const CheckpointIndex head : space.heads)
        for (const MessagePtr &message : space.checkpoints[head.at()].messages)
            if (message->kind == MessageKind::Human && message->additionalKwargs["read_file_media_result"].asBool())
                return true;
    return false;
}

} // namespace

struct RecordedRequests::State {
    ThreadPtr thread;
    const ThreadNamespace &space;
    std::optional<SettingsSet> settings;
    std::string guessed; ///< dialect without settings
    bool js = false;
    bool mediaResults = false;
    /// Made once for a message, so that requests share them.
    std::unordered_map<const Message *, MessagePtr> stubs;
    std::unordered_map<const Message *, MessagePtr> shortened;
    BlobReader blobs; ///< empty: references stay
    std::unordered_map<const Message *, RestoredMessage> restored;
    std::vector<MessagePtr> kept; ///< keeps the addresses above taken

    State(ThreadPtr t, const ThreadNamespace &s, std::optional<SettingsSet> set)
        : thread(std::move(t))
        , space(s)
        , settings(std::move(set))
        , guessed(recordedDialect(*thread))
        , js(thread->language == "js")
        , mediaResults(hasMediaResults(s))
    {
    }

    [[nodiscard]] const Settings *settingsAt(std::int64_t number) const
    {
        return settings ? &settingsFor(*settings, space.name, number) : nullptr;
    }

    [[nodiscard]] Dialect dialect(const Settings *at) const
    {
        const Result<DialectChoice> choice = dialectFor(at ? at->dialect : guessed);
        return choice ? choice->dialect : knownDialects().front();
    }

    MessagePtr stub(const MessagePtr &message, const Dialect &rules)
    {
        if (message->kind != MessageKind::Human)
            return message;
        const std::string path = evictedTo(*message);
        if (path.empty())
            return message;
        if (const auto known = stubs.find(message.get()); known != stubs.end())
            return known->second;
        MessagePtr made;
        if (js) {
            made = jsStubMessage(*message, path);
        } else if (const Attempt<MessagePtr> rendered = truncatedHumanMessage(*message, path, rules)) {
            made = *rendered;
        }
        if (!made)
            made = message;
        kept.push_back(message);
        stubs.emplace(message.get(), made);
        return made;
    }

    MessagePtr shorten(const MessagePtr &message, const TruncateArgsSettings &rule)
    {
        if (message->kind != MessageKind::Ai)
            return message;
        if (const auto known = shortened.find(message.get()); known != shortened.end())
            return known->second;
        MessagePtr made = truncateToolCalls(message, rule);
        if (!made)
            made = message;
        kept.push_back(message);
        shortened.emplace(message.get(), made);
        return made;
    }

    /// The message with its binary content back in place.
    const RestoredMessage &restore(const MessagePtr &message)
    {
        if (const auto known = restored.find(message.get()); known != restored.end())
            return known->second;
        kept.push_back(message);
        return restored.emplace(message.get(), restoreBlobs(message, blobs)).first->second;
    }

    /// Puts binary content back; gives the number of references whose content is gone.
    std::int64_t putBlobsBack(MessageLog &messages)
    {
        std::int64_t missing = 0;
        for (std::size_t i = 0; blobs && i < messages.size(); ++i) {
            if (!refersToBlobs(*messages[i]))
                continue;
            const RestoredMessage &whole = restore(messages[i]);
            missing += whole.missing;
            messages = std::move(messages).set(i, whole.message);
        }
        return missing;
    }

    /// The effective messages with stubs; `stubbed` counts them.
    MessageLog effective(
        const MessageLog &log, const SummarizationEvent *event, const Dialect &rules, std::int64_t &stubbed)
    {
        MessageLog messages = effectiveMessages(log, event);
        for (std::size_t i = 0; i < messages.size(); ++i) {
            const MessagePtr before = messages[i];
            if (before->kind != MessageKind::Human)
                continue;
            MessagePtr after = stub(before, rules);
            if (after == before)
                continue;
            messages = std::move(messages).set(i, std::move(after));
            ++stubbed;
        }
        return messages;
    }

    [[nodiscard]] MessageLog ordered(const MessageLog &log) const
    {
        if (!mediaResults)
            return log;
        const auto moved = moveMediaResults({log.begin(), log.end()});
        return moved ? MessageLog(moved->begin(), moved->end()) : log;
    }

    /// Raw place up to which arguments are shortened, when the settings' truncation fires on these effective messages;
    /// else 0.
    std::int64_t truncatedUntil(
        const MessageLog &log, const EventPtr &before, const Settings &at, const Dialect &dialectAt)
    {
        const CompactionRules rules = rulesFor(at, dialectAt);
        if (!rules.truncateArgs)
            return 0;
        std::int64_t ignored = 0;
        const MessageLog messages = effective(log, before.get(), dialectAt, ignored);
        RequestView view = viewOf({messages.begin(), messages.end()}, rules.counter, rules.truncateArgs);
        view.ignoresUsage = at.usage == Settings::Usage::Ignore || !at.model.reportsUsage;
        const ArgumentTruncation truncation = truncateArgs(view, view.count(requestBase(at, rules)), rules);
        // A cutoff at the end leaves everything as it is.
        if (truncation.changed == 0)
            return 0;
        const Projection projection = projectionOf(log.size(), before.get());
        const MessageIndex until = rawIndex(projection, EffectiveIndex(truncation.cutoff));
        return until.isValid() ? until.value : 0;
    }

    /// Whether other settings could have given another request: an argument in it is long enough to be shortened,
    /// whether or not the trigger fired, or a stub is worded as a dialect that the recording does not show itself.
    bool dependsOn(const Settings &at, const Dialect &rules, const RecordedRequest &request)
    {
        if (request.stubs > 0 && !(rules == dialect(nullptr)))
            return true;
        const std::optional<TruncateArgsSettings> rule = rulesFor(at, rules).truncateArgs;
        return rule && std::ranges::any_of(request.messages, [&](const MessagePtr &message) {
            return shorten(message, *rule) != message;
        });
    }

    RecordedRequest assemble(const MessageLog &seen, const MessageLog &decidedOn, const EventPtr &event,
        const EventPtr &before, std::int64_t number)
    {
        RecordedRequest request;
        const Settings *at = settingsAt(number);
        const Dialect rules = dialect(at);
        const MessageLog log = ordered(seen);
        request.messages = effective(log, event.get(), rules, request.stubs);
        request.missingBlobs = putBlobsBack(request.messages);
        request.certainty = request.missingBlobs > 0 ? Certainty::Uncertain
            : at && dependsOn(*at, rules, request)   ? Certainty::DerivedAssumingSettings
                                                     : Certainty::Derived;
        if (!at)
            return request;
        const std::int64_t until = truncatedUntil(ordered(decidedOn), before, *at, rules);
        if (until == 0)
            return request;
        const TruncateArgsSettings rule = *rulesFor(*at, rules).truncateArgs;
        const Projection projection = projectionOf(log.size(), event.get());
        for (std::size_t i = 0; i < request.messages.size(); ++i) {
            const MessageIndex raw = rawIndex(projection, EffectiveIndex(i));
            if (!raw.isValid())
                continue;
            if (raw.value >= until)
                break;
            const MessagePtr plain = request.messages[i];
            MessagePtr made = shorten(plain, rule);
            if (made == plain)
                continue;
            request.messages = std::move(request.messages).set(i, std::move(made));
            ++request.truncated;
        }
        return request;
    }
};

RecordedRequests::RecordedRequests(ThreadPtr thread, const ThreadNamespace &space, std::optional<SettingsSet> settings)
    : m_state(std::make_unique<State>(std::move(thread), space, std::move(settings)))
{
}

RecordedRequests::~RecordedRequests() = default;

void RecordedRequests::setBlobs(BlobReader blobs)
{
    m_state->blobs = std::move(blobs);
    m_state->restored.clear();
}

RecordedRequest RecordedRequests::at(const Call &call)
{
    if (!call.request)
        return derived(call);
    RecordedRequest request;
    request.certainty = Certainty::Recorded;
    for (const MessagePtr &message : *call.request)
        if (message->kind != MessageKind::System)
            request.messages = std::move(request.messages).push_back(message);
    return request;
}

RecordedRequest RecordedRequests::derived(const Call &call)
{
    // A clipped tail was cut after the decision.
    const bool clipped = std::any_of(call.rewrites.begin(), call.rewrites.end(),
        [](const MessagePtr &message) { return message->kind == MessageKind::Tool; });
    MessageLog decidedOn = call.log;
    if (clipped && call.checkpoint.isValid()) {
        const MessageLog &before = m_state->space.checkpoints[call.checkpoint.at()].messages;
        for (std::size_t i = 0; i < std::min(before.size(), decidedOn.size()); ++i)
            if (decidedOn[i]->kind == MessageKind::Tool && before[i]->id == decidedOn[i]->id
                && before[i] != decidedOn[i])
                decidedOn = std::move(decidedOn).set(i, before[i]);
    }
    RecordedRequest request =
        m_state->assemble(call.log, decidedOn, call.event, eventBefore(m_state->space, call), call.number.value);
    if (call.certainty == Certainty::Uncertain)
        request.certainty = call.certainty;
    return request;
}

RecordedRequest RecordedRequests::of(const MessageLog &log, const EventPtr &event, std::int64_t number)
{
    return m_state->assemble(log, log, event, event, number);
}

std::optional<std::size_t> firstDifference(const MessageLog &a, const MessageLog &b)
{
    const auto same = [](const Message &x, const Message &y) {
        return x.kind == y.kind && x.content == y.content && x.toolCallId == y.toolCallId
            && (x.toolCalls == y.toolCalls || (!x.toolCalls.truthy() && !y.toolCalls.truthy()));
    };
    const auto told = [](const MessageLog &log) {
        std::vector<MessagePtr> messages;
        for (const MessagePtr &message : log)
            if (message->kind != MessageKind::System)
                messages.push_back(message);
        return messages;
    };
    const std::vector<MessagePtr> left = told(a);
    const std::vector<MessagePtr> right = told(b);
    const std::size_t most = std::min(left.size(), right.size());
    for (std::size_t i = 0; i < most; ++i)
        if (left[i] != right[i] && !same(*left[i], *right[i]))
            return i;
    return left.size() == right.size() ? std::nullopt : std::optional(most);
}

std::string recordedDialect(const Thread &thread)
{
    for (const ThreadNamespace &space : thread.namespaces) {
        for (const CheckpointIndex at : space.eventCheckpoints) {
            const EventPtr &event = space.checkpoints[at.at()].event;
            if (event && event->createdAtIndex)
                return "deepagents-0.7.32";
        }
        for (const CheckpointIndex head : space.heads)
            for (const MessagePtr &message : space.checkpoints[head.at()].messages)
                if (refersToBlobs(*message) || isNewerStub(*message) || isNewerMadeUp(*message))
                    return "deepagents-0.7.32";
    }
    return "deepagents-0.7.7";
}

} // namespace palimpsest
