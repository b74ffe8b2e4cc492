// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/jobcontext.h"
#include "core/sources/checkpointsource.h"

#include <immer/map.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace palimpsest {

/// Bytes of a list or map that grows by writes: what its elements weigh, by id or path.
struct PartSizes {
    immer::map<std::string, std::uint32_t> parts;
    std::int64_t total = 0;
};

/// What growth needs of one checkpoint: a few numbers.
struct CheckpointSizes {
    std::string id;
    std::int32_t parent = -1; ///< place in the namespace; -1: a root, or a parent that is not in the file
    bool parentMissing = false;
    bool opaque = false; ///< the blob cannot be looked into
    std::int64_t keys = 0; ///< thread, namespace, ids and type
    std::int64_t blob = 0;
    std::int64_t metadata = 0;
    std::int64_t counters = 0; ///< bytes of `counters_since_delta_snapshot` in the metadata
    std::int64_t writes = 0; ///< payload of this checkpoint's writes
    std::int64_t writeRows = 0;
    std::int64_t writeFootprint = 0; ///< cells and overflow pages
    std::int64_t footprint = 0;
    /// The messages and files channels.
    struct Channel {
        std::int64_t stored = 0; ///< bytes in the blob, with the channel's name; 0: not there
        std::int64_t whole = 0; ///< bytes of the whole value
        bool known = false; ///< the channel has a version
        bool written = false; ///< by the superstep that made the checkpoint
        bool wrote = false; ///< this checkpoint's writes hold some of it
    };
    Channel messages;
    Channel files;
};

/// Payload and footprint of one channel.
struct ChannelBytes {
    double footprint = 0; ///< its rows' cells and overflow pages, by its part of their payload
    std::int64_t payload = 0;
    double unchanged = 0; ///< footprint of values that were stored again unchanged
};

/// Reads one namespace: rows, then writes, then blobs, one at a time.
class NamespaceScan {
public:
    NamespaceScan(CheckpointSource &source, std::string threadId, std::string ns, std::string messagesChannel,
        std::int64_t pageSize, std::int64_t usable);

    Result<void> run(const JobContext &job);

    [[nodiscard]] const std::vector<CheckpointSizes> &checkpoints() const { return m_checkpoints; }
    [[nodiscard]] const std::map<std::string, ChannelBytes> &channels() const { return m_channels; }
    [[nodiscard]] const std::string &threadId() const { return m_thread; }
    [[nodiscard]] const std::string &ns() const { return m_ns; }
    [[nodiscard]] const std::string &messagesChannel() const { return m_messagesChannel; }
    /// Bytes of all rows as stored.
    [[nodiscard]] std::int64_t payload() const { return m_payload; }
    [[nodiscard]] std::int64_t opaqueRows() const { return m_opaque; }

private:
    struct Changes {
        /// Parts by id or path; a size of 0 takes the part out.
        std::vector<std::pair<std::string, std::uint32_t>> parts;
        bool clears = false; ///< the value begins anew
        bool any = false;
    };
    Result<void> readRows(const JobContext &job);
    Result<void> readWrites(const JobContext &job);
    Result<void> readBlobs(const JobContext &job);
    void takeWrite(const WriteRow &row);
    void takeBlob(std::size_t at, const CheckpointRow &row);
    void takeValues(CheckpointSizes &sizes, const CheckpointRow &row, double perByte);
    static void messageChanges(Changes &changes, const TypedBytes &value);
    static void fileChanges(Changes &changes, const TypedBytes &value);
    static PartSizes applied(PartSizes before, const Changes &changes);
    void addChannel(const std::string &channel, double footprint, std::int64_t payload);

    CheckpointSource &m_source;
    std::string m_thread;
    std::string m_ns;
    std::string m_messagesChannel;
    std::int64_t m_pageSize;
    std::int64_t m_usable;
    std::vector<CheckpointSizes> m_checkpoints;
    std::unordered_map<std::string, std::size_t> m_places;
    std::unordered_map<std::size_t, Changes> m_messageWrites; ///< by checkpoint, until its children are read
    std::unordered_map<std::size_t, Changes> m_fileWrites;
    std::vector<PartSizes> m_messageState; ///< by checkpoint; shares structure
    std::vector<PartSizes> m_fileState;
    std::unordered_set<std::string> m_versions; ///< channel and version of every value stored so far
    std::map<std::string, ChannelBytes> m_channels;
    std::int64_t m_payload = 0;
    std::int64_t m_opaque = 0;
};

} // namespace palimpsest
