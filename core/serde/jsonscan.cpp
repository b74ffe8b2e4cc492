// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/serde/jsonscan.h"

#include "core/serde/json.h"

#include <array>
#include <cstring>

namespace palimpsest {
namespace {

tl::unexpected<Error> cutOff(std::size_t at)
{
    return failure(Error::Code::Malformed, "byte " + std::to_string(at), "not JSON: the text ends inside a value");
}

tl::unexpected<Error> unexpected(std::size_t at, const char *wanted)
{
    return failure(Error::Code::Malformed, "byte " + std::to_string(at), std::string("not JSON: expected ") + wanted);
}

/// Behind the quote that ends the string whose first quote is at `at`; npos when it has no end.
std::size_t stringEnd(std::string_view text, std::size_t at)
{
    for (std::size_t from = at + 1; from < text.size();) {
        const void *found = std::memchr(text.data() + from, '"', text.size() - from);
        if (!found)
            break;
        const auto quote = static_cast<std::size_t>(static_cast<const char *>(found) - text.data());
        std::size_t slashes = 0;
        while (quote - slashes > from && text[quote - slashes - 1] == '\\')
            ++slashes;
        if (slashes % 2 == 0)
            return quote + 1;
        from = quote + 1;
    }
    return std::string_view::npos;
}

/// The bytes that end a run of others inside a container.
constexpr std::array<bool, 256> marks = [] {
    std::array<bool, 256> table{};
    for (const char c : {'"', '{', '}', '[', ']'})
        table[static_cast<unsigned char>(c)] = true;
    return table;
}();

Result<std::size_t> containerEnd(std::string_view text, std::size_t at)
{
    std::size_t depth = 0;
    for (std::size_t i = at; i < text.size(); ++i) {
        while (i < text.size() && !marks[static_cast<unsigned char>(text[i])])
            ++i;
        if (i >= text.size())
            break;
        switch (text[i]) {
        case '"': {
            const std::size_t end = stringEnd(text, i);
            if (end == std::string_view::npos)
                return cutOff(text.size());
            i = end - 1;
            break;
        }
        case '{':
        case '[':
            if (++depth > jsonDepth)
                return failure(Error::Code::Limit, "byte " + std::to_string(i),
                    "JSON nested deeper than " + std::to_string(jsonDepth) + " levels");
            break;
        default:
            if (--depth == 0)
                return i + 1;
        }
    }
    return cutOff(text.size());
}

/// Goes through the members of the container at `at`; `take` reads one and gives its end.
template <class Take> Result<void> eachMember(std::string_view text, std::size_t at, char close, const Take &take)
{
    std::size_t i = jsonSpace(text, at + 1);
    if (i < text.size() && text[i] == close)
        return {};
    for (;;) {
        const Result<std::size_t> end = take(i);
        if (!end)
            return tl::unexpected(end.error());
        i = jsonSpace(text, *end);
        if (i >= text.size())
            return cutOff(i);
        if (text[i] == close)
            return {};
        if (text[i] != ',')
            return unexpected(i, close == '}' ? "',' or '}'" : "',' or ']'");
        i = jsonSpace(text, i + 1);
    }
}

} // namespace

std::size_t jsonSpace(std::string_view text, std::size_t at)
{
    while (at < text.size() && (text[at] == ' ' || text[at] == '\n' || text[at] == '\r' || text[at] == '\t'))
        ++at;
    return at;
}

Result<std::size_t> jsonSkip(std::string_view text, std::size_t at)
{
    at = jsonSpace(text, at);
    if (at >= text.size())
        return cutOff(at);
    if (text[at] == '{' || text[at] == '[')
        return containerEnd(text, at);
    if (text[at] == '"') {
        const std::size_t end = stringEnd(text, at);
        return end == std::string_view::npos ? Result<std::size_t>(cutOff(text.size())) : end;
    }
    const std::size_t end = std::min(text.find_first_of(",]}: \t\r\n\"[{", at), text.size());
    return end == at ? Result<std::size_t>(unexpected(at, "a value")) : end;
}

Result<std::vector<JsonEntry>> jsonEntries(std::string_view text, std::size_t at)
{
    std::vector<JsonEntry> entries;
    at = jsonSpace(text, at);
    if (at >= text.size() || text[at] != '{')
        return entries;
    const auto take = [&](std::size_t i) -> Result<std::size_t> {
        if (i >= text.size() || text[i] != '"')
            return unexpected(i, "a key in double quotes");
        const std::size_t keyEnd = stringEnd(text, i);
        if (keyEnd == std::string_view::npos)
            return cutOff(text.size());
        const std::size_t colon = jsonSpace(text, keyEnd);
        if (colon >= text.size() || text[colon] != ':')
            return unexpected(colon, "':' after a key");
        const std::size_t begin = jsonSpace(text, colon + 1);
        const Result<std::size_t> end = jsonSkip(text, begin);
        if (end)
            entries.push_back({{i, keyEnd}, {begin, *end}});
        return end;
    };
    if (Result<void> done = eachMember(text, at, '}', take); !done)
        return tl::unexpected(done.error());
    return entries;
}

Result<std::vector<ByteRange>> jsonElements(std::string_view text, std::size_t at)
{
    std::vector<ByteRange> elements;
    at = jsonSpace(text, at);
    if (at >= text.size() || text[at] != '[')
        return elements;
    const auto take = [&](std::size_t i) -> Result<std::size_t> {
        const Result<std::size_t> end = jsonSkip(text, i);
        if (end)
            elements.push_back({i, *end});
        return end;
    };
    if (Result<void> done = eachMember(text, at, ']', take); !done)
        return tl::unexpected(done.error());
    return elements;
}

std::optional<std::string> jsonText(std::string_view text, std::size_t at)
{
    at = jsonSpace(text, at);
    if (at >= text.size() || text[at] != '"')
        return std::nullopt;
    const Result<Value> value = parseJsonAt(text, at);
    return value ? std::optional(value->asText()) : std::nullopt;
}

std::string_view jsonFind(std::string_view text, const std::vector<JsonEntry> &entries, std::string_view key)
{
    for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) {
        const std::string_view stored = entry->key.of(text);
        const bool escaped = stored.find('\\') != std::string_view::npos;
        if (escaped ? jsonText(stored) == key : stored.substr(1, stored.size() - 2) == key)
            return entry->value.of(text);
    }
    return {};
}

std::string_view jsonFind(std::string_view object, std::string_view key)
{
    const Result<std::vector<JsonEntry>> entries = jsonEntries(object);
    return entries ? jsonFind(object, *entries, key) : std::string_view();
}

} // namespace palimpsest
