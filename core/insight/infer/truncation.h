// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/artifacts/archive.h"
#include "core/insight/infer/evidence.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace palimpsest {

/// Argument truncations under which the archives would read as they do: an archive holds the messages as the request
/// had them, so a shortened argument in it tells the text, the length and, over several events, trigger and keep.
class TruncationSearch {
public:
    TruncationSearch(const ReplayInput &input, const ArtifactReader &artifacts);

    /// The archives show shortened arguments.
    [[nodiscard]] bool told() const { return m_shortestCut > 0; }
    /// Length and text, as far as told; without a trigger.
    [[nodiscard]] const TruncateArgsSettings &shape() const { return m_shape; }
    /// Triggers and keeps that fit, some that lie apart, the most usual first. `facts` are unshortened ones, counted
    /// with `shape` at hand.
    [[nodiscard]] std::vector<TruncateArgsSettings> candidates(
        const std::vector<CallFact> &facts, const CompactionRules &rules) const;

    /// Lengths and texts that shorten some of the log's arguments, each others: those that the archives show, or any
    /// where they show none. Without triggers; empty where every argument is short.
    [[nodiscard]] std::vector<TruncateArgsSettings> possibleShapes() const;
    /// Triggers and keeps that the archives allow, one for each outcome over the calls. `facts` are unshortened ones,
    /// counted with `shape` at hand. At most `limit`.
    [[nodiscard]] std::vector<TruncateArgsSettings> possible(const TruncateArgsSettings &shape,
        const std::vector<CallFact> &facts, const CompactionRules &rules, std::size_t limit) const;

private:
    /// An argument of an archived message against the one in the log.
    struct ArgumentSeen {
        std::int64_t place = 0; ///< of its message in the log
        std::int64_t length = 0; ///< code points of the original
        bool shortened = false;
    };
    using Section = std::vector<ArgumentSeen>;
    /// An event's fact and what its archive section shows.
    struct Seen {
        const CallFact *fact = nullptr;
        const Section *section = nullptr;
    };

    [[nodiscard]] std::vector<Seen> seenEvents(const std::vector<CallFact> &facts) const;
    void readArchive(const ReplayInput &input, const std::string &path, const std::string &content);
    void compare(const Message &logged, const ArchivedMessage &archived, std::int64_t place, Section &seen);
    void findShape();
    [[nodiscard]] bool fits(
        const std::vector<Seen> &seen, const CompactionRules &rules, const TruncateArgsSettings &settings) const;
    void byMessages(
        const std::vector<Seen> &seen, const CompactionRules &rules, std::vector<TruncateArgsSettings> &found) const;
    void byTokens(const std::vector<Seen> &seen, const CompactionRules &rules, const std::vector<CallFact> &facts,
        std::vector<TruncateArgsSettings> &found) const;

    const ReplayInput &m_input;
    std::map<std::int64_t, Section> m_byCutoff; ///< by the event's raw cutoff
    std::int64_t m_longestWhole = 0; ///< left whole before one that was shortened
    std::int64_t m_shortestCut = 0; ///< of the arguments that were shortened; 0: none
    TruncateArgsSettings m_shape;
};

} // namespace palimpsest
