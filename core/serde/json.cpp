// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/serde/json.h"

#include "core/base/text.h"

#include <charconv>
#include <cstdlib>
#include <limits>

namespace palimpsest {
namespace {

class Parser {
public:
    Parser(std::string_view bytes, std::size_t at, std::size_t maxDepth)
        : m_s(bytes)
        , m_at(at)
        , m_maxDepth(maxDepth)
    {
    }

    Result<Value> document()
    {
        // An explicit stack: a nesting bomb must not end ours.
        std::vector<Frame> stack;
        for (;;) {
            skipSpace();
            Value value;
            bool open = false;
            const char c = peek();
            if (c == '{' || c == '[') {
                if (stack.size() >= m_maxDepth)
                    return failure(Error::Code::Limit, place(),
                        "JSON nested deeper than " + std::to_string(m_maxDepth) + " levels");
                stack.push_back(Frame{c == '{', {}, {}, {}});
                ++m_at;
                skipSpace();
                if (peek() == (c == '{' ? '}' : ']')) {
                    ++m_at;
                    value = close(stack);
                } else {
                    open = true;
                }
            } else {
                auto read = scalar();
                if (!read)
                    return read;
                value = std::move(*read);
            }
            // A finished value goes to its container, which may be finished by it in turn.
            while (!open) {
                if (stack.empty())
                    return value;
                Frame &top = stack.back();
                if (top.isMap)
                    top.map.emplace_back(std::move(top.key), std::move(value));
                else
                    top.list.push_back(std::move(value));
                skipSpace();
                if (peek() == ',') {
                    ++m_at;
                    skipSpace();
                    open = true;
                } else if (peek() == (top.isMap ? '}' : ']')) {
                    ++m_at;
                    value = close(stack);
                } else {
                    return fail(top.isMap ? "expected ',' or '}'" : "expected ',' or ']'");
                }
            }
            if (stack.back().isMap) {
                if (peek() != '"')
                    return fail("expected a key in double quotes");
                auto key = text();
                if (!key)
                    return tl::unexpected(key.error());
                stack.back().key = Value(std::move(*key));
                skipSpace();
                if (peek() != ':')
                    return fail("expected ':' after a key");
                ++m_at;
            }
        }
    }

    void skipSpace()
    {
        while (m_at < m_s.size() && (m_s[m_at] == ' ' || m_s[m_at] == '\n' || m_s[m_at] == '\r' || m_s[m_at] == '\t'))
            ++m_at;
    }
    [[nodiscard]] std::size_t at() const { return m_at; }
    [[nodiscard]] tl::unexpected<Error> fail(const char *what) const
    {
        return failure(Error::Code::Malformed, place(), std::string("not JSON: ") + what);
    }

private:
    struct Frame {
        bool isMap;
        Value::List list;
        Value::Map map;
        Value key;
    };

    static Value close(std::vector<Frame> &stack)
    {
        Frame &top = stack.back();
        Value value = top.isMap ? Value(std::move(top.map)) : Value(std::move(top.list));
        stack.pop_back();
        return value;
    }
    [[nodiscard]] std::string place() const { return "byte " + std::to_string(m_at); }
    [[nodiscard]] char peek() const { return m_at < m_s.size() ? m_s[m_at] : '\0'; }

    bool literal(std::string_view word)
    {
        if (m_s.substr(m_at, word.size()) != word)
            return false;
        m_at += word.size();
        return true;
    }

    Result<Value> scalar()
    {
        const char c = peek();
        if (c == '"') {
            auto string = text();
            if (!string)
                return tl::unexpected(string.error());
            return Value(std::move(*string));
        }
        if (c == '-' || (c >= '0' && c <= '9')) {
            if (literal("-Infinity"))
                return Value(-std::numeric_limits<double>::infinity());
            return number();
        }
        if (literal("true"))
            return Value(true);
        if (literal("false"))
            return Value(false);
        if (literal("null"))
            return Value();
        if (literal("NaN"))
            return Value(std::numeric_limits<double>::quiet_NaN());
        if (literal("Infinity"))
            return Value(std::numeric_limits<double>::infinity());
        return fail(m_at < m_s.size() ? "unexpected character" : "the text ends where a value should be");
    }

    bool digits()
    {
        const std::size_t first = m_at;
        while (peek() >= '0' && peek() <= '9')
            ++m_at;
        return m_at > first;
    }

    Result<Value> number()
    {
        const std::size_t from = m_at;
        if (peek() == '-')
            ++m_at;
        const std::size_t start = m_at;
        if (!digits())
            return fail("a number without digits");
        if (m_s[start] == '0' && m_at - start > 1) {
            m_at = start + 1;
            return fail("a number with a leading zero");
        }
        bool whole = true;
        if (peek() == '.') {
            ++m_at;
            whole = false;
            if (!digits())
                return fail("a number without digits after its point");
        }
        if (peek() == 'e' || peek() == 'E') {
            ++m_at;
            whole = false;
            if (peek() == '+' || peek() == '-')
                ++m_at;
            if (!digits())
                return fail("a number without digits in its exponent");
        }
        const std::string_view word = m_s.substr(from, m_at - from);
        if (whole)
            return Value::bigInt(std::string(word));
        double number = 0;
        const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
        if (error == std::errc::result_out_of_range)
            number = std::strtod(std::string(word).c_str(), nullptr);
        return Value(number);
    }

    bool hex4(unsigned &code)
    {
        if (m_at + 4 > m_s.size())
            return false;
        const char *first = m_s.data() + m_at;
        const auto [end, error] = std::from_chars(first, first + 4, code, 16);
        if (error != std::errc() || end != first + 4)
            return false;
        m_at += 4;
        return true;
    }

    /// Reads what follows a backslash; false when it is no escape.
    bool escape(std::string &out)
    {
        const char c = peek();
        ++m_at;
        switch (c) {
        case '"':
        case '\\':
        case '/':
            out += c;
            return true;
        case 'b':
            out += '\b';
            return true;
        case 'f':
            out += '\f';
            return true;
        case 'n':
            out += '\n';
            return true;
        case 'r':
            out += '\r';
            return true;
        case 't':
            out += '\t';
            return true;
        case 'u':
            break;
        default:
            return false;
        }
        unsigned code = 0;
        if (!hex4(code))
            return false;
        if (code >= 0xD800 && code < 0xDC00 && m_s.substr(m_at, 2) == "\\u") {
            const std::size_t before = m_at;
            unsigned low = 0;
            m_at += 2;
            if (hex4(low) && low >= 0xDC00 && low < 0xE000)
                code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
            else
                m_at = before;
        }
        text::append(out, code);
        return true;
    }

    Result<std::string> text()
    {
        ++m_at;
        std::string out;
        for (;;) {
            const std::size_t from = m_at;
            while (m_at < m_s.size() && m_s[m_at] != '"' && m_s[m_at] != '\\')
                ++m_at;
            out.append(m_s.substr(from, m_at - from));
            if (m_at >= m_s.size())
                return fail("a string without its end");
            if (m_s[m_at++] == '"')
                break;
            if (!escape(out))
                return fail("an unknown escape in a string");
        }
        if (!text::isValid(out))
            return text::repaired(out);
        return out;
    }

    std::string_view m_s;
    std::size_t m_at;
    std::size_t m_maxDepth;
};

} // namespace

Result<Value> parseJsonAt(std::string_view bytes, std::size_t &at, std::size_t maxDepth)
{
    Parser parser(bytes, at, maxDepth);
    auto value = parser.document();
    at = parser.at();
    return value;
}

Result<Value> parseJson(std::string_view bytes, std::size_t maxDepth)
{
    if (bytes.starts_with("\xEF\xBB\xBF"))
        bytes.remove_prefix(3);
    Parser parser(bytes, 0, maxDepth);
    auto value = parser.document();
    if (!value)
        return value;
    parser.skipSpace();
    if (parser.at() != bytes.size())
        return parser.fail("more text after the value");
    return value;
}

} // namespace palimpsest
