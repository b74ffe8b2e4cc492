// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/values/prettyjson.h"

#include "core/values/json.h"

#include <algorithm>
#include <string_view>
#include <vector>

namespace palimpsest {
namespace {

class PrettyWriter {
public:
    PrettyWriter(std::string &out, std::size_t limit)
        : m_out(out)
        , m_limit(limit)
    {
    }

    void write(const Value &value, int depth)
    {
        if (value.isList() && !value.asList().empty()) {
            open('[');
            bool first = true;
            for (const Value &item : value.asList()) {
                if (!next(first, depth))
                    break;
                write(item, depth + 1);
            }
            close(']', depth);
        } else if (value.isMap() && !value.asMap().empty() && hasPlainKeys(value.asMap())) {
            open('{');
            bool first = true;
            for (const auto &[key, item] : value.asMap()) {
                if (!next(first, depth))
                    break;
                writeJsonText(m_out, key.asText());
                m_out += ": ";
                write(item, depth + 1);
            }
            close('}', depth);
        } else if (const Value::Tagged *tagged = value.asTagged()) {
            open('{');
            bool first = true;
            next(first, depth);
            m_out += "\"$class\": ";
            writeJsonText(m_out, tagged->qualifiedName());
            next(first, depth);
            m_out += "\"$value\": ";
            write(tagged->value, depth + 1);
            close('}', depth);
        } else {
            writeJson(m_out, value);
        }
    }

private:
    static bool hasPlainKeys(const Value::Map &map)
    {
        std::vector<std::string_view> keys;
        for (const auto &[key, item] : map) {
            if (!key.isText())
                return false;
            keys.push_back(key.asText());
        }
        std::ranges::sort(keys);
        return std::ranges::adjacent_find(keys) == keys.end();
    }
    void open(char bracket) { m_out += bracket; }
    bool next(bool &first, int depth)
    {
        if (!first)
            m_out += ',';
        first = false;
        line(depth + 1);
        if (m_out.size() < m_limit)
            return true;
        m_out += "…";
        return false;
    }
    void close(char bracket, int depth)
    {
        line(depth);
        m_out += bracket;
    }
    void line(int depth)
    {
        m_out += '\n';
        m_out.append(static_cast<std::size_t>(depth) * 2, ' ');
    }

    std::string &m_out;
    std::size_t m_limit;
};

} // namespace

std::string prettyJson(const Value &value, std::size_t limit)
{
    std::string out;
    PrettyWriter(out, limit).write(value, 0);
    return out;
}

} // namespace palimpsest
