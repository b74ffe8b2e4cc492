// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/jobcontext.h"
#include "core/base/result.h"

#include <cstdint>
#include <optional>
#include <string>

namespace palimpsest {

/// What a database says of the space that it takes.
struct StorageFacts {
    std::int64_t pageSize = 0; ///< bytes
    std::int64_t reserved = 0; ///< bytes at the end of each page that hold no content
    std::int64_t pages = 0; ///< of the database as a reader sees it, the write-ahead log's pages among them
    std::int64_t freePages = 0; ///< kept in the file, used by nothing
    std::int64_t walBytes = 0; ///< size of the `-wal` file
    std::int64_t orphanWrites = 0; ///< rows of `writes` whose checkpoint is not in the file
    std::int64_t orphanBytes = 0; ///< … their values

    /// Bytes of the pages in use.
    [[nodiscard]] std::int64_t total() const { return (pages - freePages) * pageSize; }
    bool operator==(const StorageFacts &) const = default;
};

/// The facts of an SQLite file, opened as SqliteFile does; nothing for a location that is none. Error Cancelled, or
/// why it cannot be read.
Result<std::optional<StorageFacts>> storageFacts(const std::string &path, const JobContext &job);

} // namespace palimpsest
