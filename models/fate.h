// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/thread/thread.h"

#include <string>
#include <vector>

namespace palimpsest {

/// What became of one raw message in the effective messages.
struct Fate {
    enum class Kind {
        Kept, ///< there as it is
        Stub, ///< there as a stub or a preview, its text is in the file `path`
        Truncated, ///< there with shortened arguments
        Summarized, ///< behind the summary of event `event`
        Removed, ///< taken out of the log (a tombstone; never in a FateMap)
    };
    Kind kind = Kind::Kept;
    EffectiveIndex row; ///< where it is, or where the summary is that stands for it; invalid when nowhere
    int event = 0; ///< the event that took it out of context; 0: none
    std::string path; ///< file with the original text (stub) or archive (summarized); empty: none

    [[nodiscard]] bool inContext() const { return kind == Kind::Kept || kind == Kind::Stub || kind == Kind::Truncated; }
    bool operator==(const Fate &) const = default;
};

/// A run of neighbouring raw messages that went the same way: what a ribbon shows.
struct FateRun {
    MessageIndex first;
    MessageIndex last; ///< inclusive
    Fate fate; ///< of the first message; of a kept run the row counts up with the message

    bool operator==(const FateRun &) const = default;
};

/// The fates of a raw log under one event. Cheap: a few numbers, and the rows that went another way than their
/// neighbours.
class FateMap {
public:
    struct Cut {
        int event = 0; ///< event number
        std::int64_t cutoff = 0; ///< first raw message that it keeps
        std::string archive; ///< its archive file; empty: none was written
    };

    FateMap() = default;
    /// `cuts` in order of their numbers, up to and with the event shown; `size` of the raw log. `hasSummary`: the shown
    /// event puts a summary in front.
    FateMap(std::vector<Cut> cuts, std::int64_t size, bool hasSummary);

    /// Marks one message as a stub or truncated, in ascending order of `index`; without effect on what is summarized.
    void mark(MessageIndex index, Fate::Kind kind, const std::string &path = {});

    [[nodiscard]] std::int64_t size() const { return m_size; }
    /// First raw message that is in context.
    [[nodiscard]] MessageIndex cutoff() const;
    /// Rows in front of the kept messages: 1 with a summary, else 0.
    [[nodiscard]] std::int64_t lead() const { return m_lead; }
    [[nodiscard]] Fate of(MessageIndex index) const;
    /// The raw message behind an effective row; invalid for the summary.
    [[nodiscard]] MessageIndex origin(EffectiveIndex row) const;
    /// All runs, in order of the raw log.
    [[nodiscard]] std::vector<FateRun> runs() const;
    [[nodiscard]] const std::vector<Cut> &cuts() const { return m_cuts; }

private:
    struct Mark {
        std::int64_t index = 0;
        Fate::Kind kind = Fate::Kind::Kept;
        std::string path;
    };
    [[nodiscard]] const Mark *markAt(std::int64_t index) const;

    std::vector<Cut> m_cuts;
    std::int64_t m_size = 0;
    std::int64_t m_lead = 0;
    std::vector<Mark> m_marks; ///< sorted by index
};

} // namespace palimpsest
