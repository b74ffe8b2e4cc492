// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/lint/requestwalk.h"

#include "core/thread/projection.h"

#include <algorithm>

namespace palimpsest {
namespace {

/// Whether `log` is `before` with messages added at its end. Bodies are shared, so pointers tell; only a rewrite in the
/// middle would be missed by looking at the ends, hence the whole comparison, which immer makes cheap for shared nodes
/// of equal shape.
bool grewFrom(const MessageLog &before, const MessageLog &log)
{
    if (log.size() < before.size())
        return false;
    if (before.empty())
        return true;
    if (log.identity() == before.identity())
        return true;
    return log.take(before.size()) == before;
}

} // namespace

std::vector<ListChange> listChanges(const ThreadNamespace &ns)
{
    std::vector<ListChange> changes(ns.checkpoints.size(), ListChange::Fresh);
    for (std::size_t i = 1; i < ns.checkpoints.size(); ++i) {
        const Checkpoint &checkpoint = ns.checkpoints[i];
        const Checkpoint &before = ns.checkpoints[i - 1];
        if (checkpoint.parent != CheckpointIndex(i - 1))
            continue;
        const bool sameEvent = checkpoint.event == before.event
            || (checkpoint.event && before.event && *checkpoint.event == *before.event);
        if (sameEvent && grewFrom(before.messages, checkpoint.messages))
            changes[i] = checkpoint.messages.size() == before.messages.size() ? ListChange::Same : ListChange::Grew;
    }
    return changes;
}

std::string ruleSetOf(const Message &answer)
{
    const Value &metadata = answer.responseMetadata;
    const std::string &provider = metadata["model_provider"].asText();
    const bool openAi = provider == "openai" || provider.starts_with("azure");
    const auto isResponse = [](const std::string &id) { return id.starts_with("resp_"); };
    if (openAi
        && (metadata["object"].asText() == "response" || isResponse(metadata["id"].asText())
            || isResponse(answer.id.value_or(std::string()))))
        return "openai-responses";
    return provider;
}

namespace {

/// By checkpoint, who answered the next call at it or after it; empty where no such call tells.
std::vector<std::string> nextProviders(const ThreadNamespace &ns)
{
    std::vector<std::string> next(ns.checkpoints.size());
    for (const Call &call : ns.calls)
        if (call.checkpoint.isValid() && !call.answers.empty())
            if (std::string provider = ruleSetOf(*call.answers.front()); !provider.empty())
                next[call.checkpoint.at()] = std::move(provider);
    for (std::size_t i = next.size(); i-- > 0;) {
        const CheckpointIndex parent = ns.checkpoints[i].parent;
        if (parent.isValid() && parent.at() < i && next[parent.at()].empty())
            next[parent.at()] = next[i];
    }
    return next;
}

} // namespace

bool RequestWalk::advance()
{
    if (m_nextProviders.empty())
        m_nextProviders = nextProviders(m_context.ns);
    const auto &checkpoints = m_context.ns.checkpoints;
    for (; m_next < static_cast<std::int64_t>(checkpoints.size()); ++m_next) {
        if (m_context.job.stopped())
            return false;
        const CheckpointIndex index(m_next);
        const Checkpoint &checkpoint = checkpoints[index.at()];
        ListChange change = m_context.changes[index.at()];
        // Another provider has other rules for what it gets: all of it is looked at again.
        const std::string &next = m_nextProviders[index.at()];
        const bool moved = !next.empty() && next != m_provider;
        if (moved)
            change = ListChange::Fresh;
        if (change == ListChange::Same) {
            for (const std::size_t handle : m_active)
                m_sink.extend(handle, index);
            continue;
        }
        const bool grew = change == ListChange::Grew;
        m_view.checkpoint = index;
        m_view.fresh = !grew;
        if (grew) {
            for (const std::size_t handle : m_active)
                m_sink.extend(handle, index);
            m_view.firstNew = m_view.messages.size();
        } else {
            m_active.clear();
            m_view.messages.clear();
            m_view.raw.clear();
            m_view.firstNew = 0;
        }
        const Projection projection = projectionOf(checkpoint.messages.size(), checkpoint.event.get());
        std::size_t from = projection.first.at();
        if (grew) {
            from = std::max(from, checkpoints[index.at() - 1].messages.size());
        } else if (projection.summary && checkpoint.event && checkpoint.event->summaryMessage) {
            m_view.messages.push_back(checkpoint.event->summaryMessage);
            m_view.raw.push_back(-1);
        }
        for (std::size_t i = from; i < checkpoint.messages.size(); ++i) {
            const MessagePtr &message = checkpoint.messages[i];
            m_view.messages.push_back(message);
            m_view.raw.push_back(static_cast<std::int64_t>(i));
            if (std::string provider = ruleSetOf(*message); !provider.empty())
                m_newestProvider = std::move(provider);
        }
        m_provider = next.empty() ? m_newestProvider : next;
        m_view.provider = m_provider;
        m_view.incomplete = checkpoint.incomplete;
        ++m_next;
        return true;
    }
    return false;
}

std::size_t RequestWalk::seeHere(Finding finding, const std::string &key)
{
    const std::size_t handle = m_sink.see(std::move(finding), key, m_view.checkpoint);
    m_active.push_back(handle);
    return handle;
}

void RequestWalk::see(Finding finding, const std::string &key)
{
    m_sink.onlyIfSentOrAtHead(seeHere(std::move(finding), key));
}

void RequestWalk::seeAlways(Finding finding, const std::string &key)
{
    m_sink.warningUnlessSentOrAtHead(seeHere(std::move(finding), key));
}

Finding protocolFinding(std::string_view rule, Finding::Severity severity, const MessagePtr &message, std::string text)
{
    Finding finding;
    finding.rule = rule;
    finding.severity = severity;
    finding.message = std::move(text);
    if (message)
        finding.messageId = message->id;
    return finding;
}

} // namespace palimpsest
