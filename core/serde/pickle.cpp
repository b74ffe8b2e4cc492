// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/serde/pickle.h"

#include "core/base/text.h"
#include "core/serde/pickleopcodes.h"

#include <bit>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <unordered_map>
#include <vector>

namespace palimpsest {
namespace {

constexpr std::uint64_t newestProtocol = 5;

/// datetime.datetime's state: year (two bytes), month, day, hour, minute, second, microseconds (three bytes); as ISO
/// 8601, in UTC where a zone goes with it: LangGraph's servers store no other.
std::string isoOfDatetime(std::string_view state, bool zoned)
{
    const auto at = [&state](std::size_t i) { return static_cast<unsigned>(static_cast<unsigned char>(state[i])); };
    char text[48];
    std::snprintf(text, sizeof text, "%04u-%02u-%02uT%02u:%02u:%02u.%06u%s", at(0) << 8 | at(1), at(2) & 0x7f, at(3),
        at(4), at(5), at(6), at(7) << 16 | at(8) << 8 | at(9), zoned ? "+00:00" : "");
    return text;
}

/// What the pickle machine's stack holds. Lists and dicts are filled after they were made, so values come into being at
/// the end.
struct Node {
    enum class Kind { Leaf, Tuple, List, Dict, Global, Mark };
    Kind kind = Kind::Leaf;
    Value leaf; ///< of Global: its name
    std::vector<std::size_t> items; ///< nodes of a tuple or list; keys and values in turn of a dict
    bool busy = false; ///< being turned into a value: met again, it contains itself
    std::size_t size = 0; ///< values in `built`, shared ones counted each time; 0: not yet built
    std::size_t depth = 0;
    Value built;
};

class Machine {
public:
    Machine(std::string_view bytes, const PickleLimits &limits)
        : m_bytes(bytes)
        , m_limits(limits)
    {
    }

    Result<Value> run()
    {
        while (!m_error) {
            if (m_at >= m_bytes.size()) {
                fail(Error::Code::Malformed, "the pickle is cut off");
                break;
            }
            const auto op = static_cast<unsigned char>(m_bytes[m_at++]);
            if (op == '.') {
                if (m_stack.size() != 1)
                    fail(Error::Code::Malformed, "the pickle ends with " + std::to_string(m_stack.size()) + " values");
                break;
            }
            step(op);
            if (m_nodes.size() > m_limits.values)
                fail(Error::Code::Limit, "the pickle holds more than " + std::to_string(m_limits.values) + " values");
        }
        if (!m_error)
            build(m_stack.back(), 0);
        if (m_error)
            return tl::unexpected(*m_error);
        return m_nodes[m_stack.back()].built;
    }

private:
    using Kind = Node::Kind;

    void fail(Error::Code code, std::string what)
    {
        if (!m_error)
            m_error = Error{code, "byte " + std::to_string(m_at), std::move(what)};
    }

    std::string_view take(std::size_t n)
    {
        if (n > m_bytes.size() - m_at) {
            fail(Error::Code::Malformed, "the pickle is cut off");
            return {};
        }
        m_at += n;
        return m_bytes.substr(m_at - n, n);
    }
    std::uint64_t number(std::size_t width)
    {
        std::uint64_t n = 0;
        const std::string_view raw = take(width);
        for (std::size_t i = raw.size(); i-- > 0;)
            n = (n << 8) | static_cast<unsigned char>(raw[i]);
        return n;
    }
    std::uint64_t bigEndian(std::size_t width)
    {
        std::uint64_t n = 0;
        for (const char c : take(width))
            n = (n << 8) | static_cast<unsigned char>(c);
        return n;
    }
    std::string_view line()
    {
        const std::size_t end = m_bytes.find('\n', m_at);
        if (end == std::string_view::npos) {
            fail(Error::Code::Malformed, "the pickle is cut off");
            return {};
        }
        const std::string_view text = m_bytes.substr(m_at, end - m_at);
        m_at = end + 1;
        return text;
    }

    void push(Node node)
    {
        m_stack.push_back(m_nodes.size());
        m_nodes.push_back(std::move(node));
    }
    void pushLeaf(Value value) { push({Kind::Leaf, std::move(value), {}, false, 0, 0, {}}); }
    std::size_t pop()
    {
        if (m_stack.empty()) {
            fail(Error::Code::Malformed, "the pickle takes from an empty stack");
            return none();
        }
        const std::size_t node = m_stack.back();
        m_stack.pop_back();
        return node;
    }
    /// A node to go on with after a failure.
    std::size_t none()
    {
        if (m_nodes.empty())
            m_nodes.emplace_back();
        return 0;
    }
    void pushTuple(std::size_t n)
    {
        Node tuple{Kind::Tuple, {}, std::vector<std::size_t>(n), false, 0, 0, {}};
        for (std::size_t i = n; i-- > 0;)
            tuple.items[i] = pop();
        push(std::move(tuple));
    }
    /// Everything above the last mark.
    std::vector<std::size_t> popToMark()
    {
        std::size_t at = m_stack.size();
        while (at > 0 && m_nodes[m_stack[at - 1]].kind != Kind::Mark)
            --at;
        if (at == 0) {
            fail(Error::Code::Malformed, "the pickle has no mark");
            return {};
        }
        std::vector<std::size_t> items(m_stack.begin() + static_cast<std::ptrdiff_t>(at), m_stack.end());
        m_stack.resize(at - 1);
        return items;
    }
    void setItems(const std::vector<std::size_t> &items)
    {
        if (m_stack.empty() || m_nodes[m_stack.back()].kind != Kind::Dict || items.size() % 2) {
            fail(Error::Code::Malformed, "the pickle sets items of something that is no dict");
            return;
        }
        Node &dict = m_nodes[m_stack.back()];
        dict.items.insert(dict.items.end(), items.begin(), items.end());
    }
    void append(const std::vector<std::size_t> &items)
    {
        if (m_stack.empty() || m_nodes[m_stack.back()].kind != Kind::List) {
            fail(Error::Code::Malformed, "the pickle appends to something that is no list");
            return;
        }
        Node &list = m_nodes[m_stack.back()];
        list.items.insert(list.items.end(), items.begin(), items.end());
    }
    void put(std::size_t key)
    {
        if (m_stack.empty())
            fail(Error::Code::Malformed, "the pickle remembers what is not there");
        else
            m_memo[key] = m_stack.back();
    }
    void get(std::size_t key)
    {
        const auto it = m_memo.find(key);
        if (it == m_memo.end())
            fail(Error::Code::Malformed, "the pickle recalls what it never remembered");
        else
            m_stack.push_back(it->second);
    }

    void global(const std::string &name)
    {
        for (const char *known : {"__builtin__.dict", "builtins.dict", "__builtin__.bytes", "builtins.bytes",
                 "collections.defaultdict", "_codecs.encode", "langgraph.store.base.Item", "datetime.datetime",
                 "datetime.timezone", "datetime.timedelta"})
            if (name == known) {
                push({Kind::Global, Value(name), {}, false, 0, 0, {}});
                return;
            }
        fail(Error::Code::Unsupported, "the pickle names " + name + ", which this program does not take from a pickle");
    }
    /// Module and name as lines.
    void globalOfLines()
    {
        std::string name(line());
        name += '.';
        name += line();
        global(name);
    }
    /// Module and name from the stack.
    void globalOfStack()
    {
        const std::size_t name = pop();
        const std::size_t module = pop();
        if (m_error)
            return;
        if (!m_nodes[name].leaf.isText() || !m_nodes[module].leaf.isText())
            fail(Error::Code::Malformed, "the pickle names a global by what is no text");
        else
            global(m_nodes[module].leaf.asText() + "." + m_nodes[name].leaf.asText());
    }

    /// An item of a store (langgraph/store/base Item): made empty here, filled by `build`.
    void newObject()
    {
        const std::size_t arguments = pop();
        const std::size_t type = pop();
        if (m_error)
            return;
        const Node &made = m_nodes[type];
        if (made.kind != Kind::Global || made.leaf.asText() != "langgraph.store.base.Item"
            || m_nodes[arguments].kind != Kind::Tuple || !m_nodes[arguments].items.empty())
            fail(Error::Code::Unsupported, "the pickle makes an object of a class that this program does not know");
        else
            push({Kind::Dict, {}, {}, false, 0, 0, {}});
    }
    /// State of an object with slots: (None, {name: value}).
    void buildState()
    {
        const std::size_t state = pop();
        if (m_error)
            return;
        const Node &pair = m_nodes[state];
        const bool slots = pair.kind == Kind::Tuple && pair.items.size() == 2
            && m_nodes[pair.items[0]].kind == Kind::Leaf && m_nodes[pair.items[1]].kind == Kind::Dict;
        if (slots)
            setItems(std::vector<std::size_t>(m_nodes[pair.items[1]].items));
        else
            fail(Error::Code::Unsupported,
                "the pickle gives an object a state (BUILD) of a form this program does not know");
    }

    void reduce()
    {
        const std::size_t arguments = pop();
        const std::size_t function = pop();
        if (m_error)
            return;
        if (m_nodes[function].kind != Kind::Global || m_nodes[arguments].kind != Kind::Tuple) {
            fail(Error::Code::Malformed, "the pickle calls what is no function");
            return;
        }
        const std::string name = m_nodes[function].leaf.asText();
        const std::vector<std::size_t> args = m_nodes[arguments].items;
        const bool oneGlobal = args.size() == 1 && m_nodes[args[0]].kind == Kind::Global;
        if ((name.ends_with(".dict") && args.empty())
            || (name == "collections.defaultdict" && (args.empty() || oneGlobal))) {
            push({Kind::Dict, {}, {}, false, 0, 0, {}});
        } else if (name.ends_with(".bytes") && args.empty()) {
            pushLeaf(Value::bytes({}));
        } else if (name == "_codecs.encode" && args.size() == 2 && m_nodes[args[0]].leaf.isText()
            && m_nodes[args[1]].leaf.asText() == "latin1") {
            pushLatin1(m_nodes[args[0]].leaf.asText());
        } else if (name == "datetime.timezone" || name == "datetime.timedelta") {
            pushLeaf(Value(name));
        } else if (name == "datetime.datetime" && !args.empty() && m_nodes[args[0]].leaf.isBytes()
            && m_nodes[args[0]].leaf.asBytes().size() == 10) {
            pushLeaf(Value(isoOfDatetime(m_nodes[args[0]].leaf.asBytes(), args.size() > 1)));
        } else {
            fail(Error::Code::Unsupported, "the pickle calls " + name + " in a way this program does not know");
        }
    }
    void pushLatin1(const std::string &text)
    {
        std::string raw;
        raw.reserve(text.size());
        for (std::size_t at = 0; at < text.size();) {
            const char32_t c = text::next(text, at);
            if (c > 0xFF) {
                fail(Error::Code::Malformed, "the pickle's bytes are not latin-1 text");
                return;
            }
            raw += static_cast<char>(c);
        }
        pushLeaf(Value::bytes(std::move(raw)));
    }

    void step(unsigned char op)
    {
        switch (op) {
        case 0x80: { // PROTO
            const std::uint64_t protocol = number(1);
            if (protocol > newestProtocol)
                fail(Error::Code::Unsupported,
                    "pickle protocol " + std::to_string(protocol) + " is not one this program reads");
            break;
        }
        case '(':
            push({Kind::Mark, {}, {}, false, 0, 0, {}});
            break;
        case '}':
            push({Kind::Dict, {}, {}, false, 0, 0, {}});
            break;
        case ')':
            pushTuple(0);
            break;
        case 0x85:
        case 0x86:
        case 0x87:
            pushTuple(op - 0x84U);
            break;
        case 't':
            push({Kind::Tuple, {}, popToMark(), false, 0, 0, {}});
            break;
        case ']':
            push({Kind::List, {}, {}, false, 0, 0, {}});
            break;
        case 'l':
            push({Kind::List, {}, popToMark(), false, 0, 0, {}});
            break;
        case 'a':
            append({pop()});
            break;
        case 'e':
            append(popToMark());
            break;
        case 0x81:
            newObject();
            break;
        case 'b':
            buildState();
            break;
        case 's': {
            const std::size_t value = pop();
            const std::size_t key = pop();
            setItems({key, value});
            break;
        }
        case 'u':
            setItems(popToMark());
            break;
        case 'N':
            pushLeaf(Value());
            break;
        case 0x88:
        case 0x89:
            pushLeaf(Value(op == 0x88));
            break;
        case 'J':
            pushLeaf(Value(static_cast<std::int64_t>(static_cast<std::int32_t>(number(4)))));
            break;
        case 'K':
            pushLeaf(Value(static_cast<std::int64_t>(number(1))));
            break;
        case 'M':
            pushLeaf(Value(static_cast<std::int64_t>(number(2))));
            break;
        case 'G':
            pushLeaf(Value(std::bit_cast<double>(bigEndian(8))));
            break;
        case 0x8a:
            pushLong(take(number(1)));
            break;
        case 'X':
            pushText(take(number(4)));
            break;
        case 0x8c:
            pushText(take(number(1)));
            break;
        case 0x8d:
            pushText(take(number(8)));
            break;
        case 'B':
            pushLeaf(Value::bytes(std::string(take(number(4)))));
            break;
        case 'C':
            pushLeaf(Value::bytes(std::string(take(number(1)))));
            break;
        case 0x8e:
            pushLeaf(Value::bytes(std::string(take(number(8)))));
            break;
        case 0x95: // FRAME: what follows is read as it comes
            number(8);
            break;
        case 0x94:
            put(m_memo.size());
            break;
        case 'c':
            globalOfLines();
            break;
        case 0x93:
            globalOfStack();
            break;
        case 'R':
            reduce();
            break;
        case 'q':
            put(number(1));
            break;
        case 'r':
            put(number(4));
            break;
        case 'h':
            get(number(1));
            break;
        case 'j':
            get(number(4));
            break;
        default:
            refuse(op);
        }
    }
    void refuse(unsigned char op)
    {
        static constexpr char hex[] = "0123456789ABCDEF";
        const std::string code = std::string("0x") + hex[op >> 4] + hex[op & 15];
        const std::string_view name = pickleOpcodeName(op);
        fail(name.empty() ? Error::Code::Malformed : Error::Code::Unsupported,
            name.empty() ? "the pickle holds byte " + code + " where an opcode should be"
                         : "the pickle uses opcode " + std::string(name) + " (" + code
                    + "), which this program does not take from a pickle");
    }

    void pushText(std::string_view raw)
    {
        if (!text::isValid(raw))
            fail(Error::Code::Malformed, "the pickle's text is not UTF-8");
        pushLeaf(Value(raw));
    }
    /// A number of two's complement, the lowest byte first.
    void pushLong(std::string_view raw)
    {
        if (raw.size() > 8) {
            fail(Error::Code::Unsupported, "the pickle holds a number of more than 64 bits");
            return;
        }
        std::uint64_t n = !raw.empty() && (raw.back() & 0x80) != 0 ? ~std::uint64_t(0) : 0;
        for (std::size_t i = raw.size(); i-- > 0;)
            n = (n << 8) | static_cast<unsigned char>(raw[i]);
        pushLeaf(Value(static_cast<std::int64_t>(n)));
    }

    /// Turns a node into a value once; nodes that are met several times share it.
    void build(std::size_t at, std::size_t depth)
    {
        Node &node = m_nodes[at];
        if (m_error || node.size > 0)
            return;
        if (node.busy)
            return fail(Error::Code::Unsupported, "the pickle holds a value that contains itself");
        if (depth > m_limits.depth)
            return fail(
                Error::Code::Limit, "the pickle is nested deeper than " + std::to_string(m_limits.depth) + " levels");
        if (node.kind == Kind::Global || node.kind == Kind::Mark)
            return fail(Error::Code::Unsupported, "the pickle holds a function as a value");
        node.busy = true;
        std::size_t size = 1;
        std::size_t below = 0;
        for (const std::size_t item : node.items) {
            build(item, depth + 1);
            if (m_error)
                return;
            size += m_nodes[item].size;
            below = std::max(below, m_nodes[item].depth + 1);
            if (size > m_limits.values)
                return fail(
                    Error::Code::Limit, "the pickle holds more than " + std::to_string(m_limits.values) + " values");
        }
        if (depth + below > m_limits.depth)
            return fail(
                Error::Code::Limit, "the pickle is nested deeper than " + std::to_string(m_limits.depth) + " levels");
        node.built = valueOf(node);
        node.depth = below;
        node.size = size;
        node.busy = false;
    }
    Value valueOf(const Node &node) const
    {
        if (node.kind == Kind::Leaf)
            return node.leaf;
        if (node.kind == Kind::Dict) {
            Value::Map map;
            map.reserve(node.items.size() / 2);
            for (std::size_t i = 0; i + 1 < node.items.size(); i += 2)
                map.emplace_back(m_nodes[node.items[i]].built, m_nodes[node.items[i + 1]].built);
            return Value(std::move(map));
        }
        Value::List list;
        list.reserve(node.items.size());
        for (const std::size_t item : node.items)
            list.push_back(m_nodes[item].built);
        if (node.kind == Kind::List)
            return Value(std::move(list));
        return Value(Value::Tagged{Value::Form::Python, "builtins", "tuple", Value(std::move(list)), {}});
    }

    std::string_view m_bytes;
    const PickleLimits &m_limits;
    std::size_t m_at = 0;
    std::vector<Node> m_nodes;
    std::vector<std::size_t> m_stack;
    std::unordered_map<std::size_t, std::size_t> m_memo;
    std::optional<Error> m_error;
};

} // namespace

Result<Value> readClosedPickle(std::string_view bytes, const PickleLimits &limits)
{
    return Machine(bytes, limits).run();
}

} // namespace palimpsest
