// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/thread/thread.h"

#include <string>
#include <unordered_map>
#include <vector>

namespace palimpsest {

/// Collects what rules see, so that a finding is reported once: at the first checkpoint where it holds, with the last
/// one in its evidence.
class FindingSink {
public:
    explicit FindingSink(const ThreadNamespace &ns)
        : m_ns(ns)
    {
    }

    /// `finding` holds at `checkpoint`. `key` says which finding of its rule it is (a message id, a path); the first
    /// sighting's text stays. Returns a handle for `extend`.
    std::size_t see(Finding finding, const std::string &key, CheckpointIndex checkpoint);
    /// The finding still holds at a later checkpoint.
    void extend(std::size_t handle, CheckpointIndex checkpoint);
    /// For findings about a request: forget it unless a model call met it or a head still shows it.
    void onlyIfSentOrAtHead(std::size_t handle);
    /// For findings about a state that no run passes through unharmed: a warning unless a model call met it or a head
    /// still shows it.
    void warningUnlessSentOrAtHead(std::size_t handle);

    /// From here on findings rest on settings that were inferred so: it goes into `evidence.assumed`. "" ends it.
    void assume(std::string settingsFrom) { m_assumed = std::move(settingsFrom); }

    /// The findings in the order of their first checkpoint.
    [[nodiscard]] std::vector<Finding> take();

private:
    /// What becomes of a finding about a request that no model call met and no head shows.
    enum class Unmet {
        Nothing, ///< it is no finding about a request
        Forgotten,
        Warning,
    };
    struct Sighting {
        Finding finding;
        CheckpointIndex first;
        CheckpointIndex last;
        Unmet unmet = Unmet::Nothing;
        bool sent = false;
        bool atHead = false;
    };
    void mark(Sighting &sighting, CheckpointIndex checkpoint);

    const ThreadNamespace &m_ns;
    std::vector<Sighting> m_sightings;
    std::unordered_map<std::string, std::size_t> m_byKey;
    std::string m_assumed;
    std::vector<bool> m_startsCall; ///< by checkpoint, filled at first use
    std::vector<bool> m_isHead;
};

} // namespace palimpsest
