// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/thread/checkpoint.h"
#include "core/values/value.h"

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace palimpsest {

/// Writes one JSON document piece by piece, so that an answer never has to be in memory as a whole. The caller opens
/// and closes in order; commas are its own business.
class JsonOutput {
public:
    explicit JsonOutput(std::ostream &out);
    ~JsonOutput();
    JsonOutput(const JsonOutput &) = delete;
    JsonOutput &operator=(const JsonOutput &) = delete;

    JsonOutput &beginObject();
    JsonOutput &endObject();
    JsonOutput &beginArray();
    JsonOutput &endArray();
    /// The next value is this member's.
    JsonOutput &key(std::string_view name);

    JsonOutput &value(const Value &value);
    JsonOutput &text(std::string_view wtf8);
    /// Null when the text is empty.
    JsonOutput &textOrNull(std::string_view wtf8);
    JsonOutput &optionalText(const std::optional<std::string> &wtf8);
    JsonOutput &number(std::int64_t number);
    JsonOutput &number(double number);
    /// Null where there is none.
    JsonOutput &number(const std::optional<std::int64_t> &number);
    JsonOutput &number(const std::optional<double> &number);
    JsonOutput &boolean(bool value);
    JsonOutput &null();
    /// A line break between two values, for whoever reads the answer with line tools.
    JsonOutput &newline();
    void flush();

private:
    void separate();
    void drain();

    std::ostream &m_out;
    std::string m_buffer;
    std::vector<bool> m_first; ///< of each open container: nothing is in it yet
    bool m_afterKey = false;
};

/// The bodies of an answer: the same body has the same key, whichever object carries it.
class MessagePool {
public:
    /// The body's key, given when it is first met.
    const std::string &key(const MessagePtr &message);
    /// An array of the keys of a list.
    void writeKeys(JsonOutput &json, const MessageLog &log);
    /// The member "messages" with all bodies met so far.
    void writeBodies(JsonOutput &json) const;

private:
    struct Body {
        MessagePtr message; ///< keeps the address taken
        std::string key;
    };
    std::vector<Body> m_bodies; ///< distinct
    std::vector<MessagePtr> m_same; ///< further objects of a body, kept for their addresses
    std::unordered_map<const Message *, std::size_t> m_byAddress;
    std::unordered_multimap<std::size_t, std::size_t> m_byContent; ///< hash of a body → place
};

} // namespace palimpsest
