// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/values/value.h"

#include <string>
#include <string_view>
#include <vector>

/// Real threads recorded with the real packages, and the truth beside each (tests/data/recordings/README.md).
namespace palimpsest::recordings {

struct Recording {
    std::string name; ///< "0.7.7/plain"
    std::string database; ///< path of the SQLite file
    std::string truth; ///< path of the expected.json
};

/// Every recording below PALIMPSEST_RECORDINGS, or below tests/data/recordings; in name order.
std::vector<Recording> all();

/// A whole JSON file; nil when it cannot be read.
Value readJson(const std::string &path);

/// The value without what an answer may leave out: null, empty texts, lists and maps.
Value tidy(const Value &value);

/// A message as recordings are compared: tidy, and without the id when it is a summary, since that is given after the
/// fact.
Value comparable(const Value &message);

/// Where two lists of messages differ as recordings are compared; empty when they do not. Long texts of the truth are
/// digests.
std::string messagesDifference(const std::vector<Value> &expected, const std::vector<Value> &actual);

/// The bodies that pool keys (or the bodies themselves) stand for.
std::vector<Value> bodies(const Value &keys, const Value &pool);

/// An event with Python's names, whichever it has, and its summary's body, null where there is none.
Value eventOf(const Value &event, const Value &pool);

} // namespace palimpsest::recordings
