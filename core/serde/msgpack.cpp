// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/serde/msgpack.h"

#include "core/base/text.h"

#include <msgpack.hpp>

#include <cstring>
#include <memory>
#include <optional>
#include <tuple>

namespace palimpsest {
namespace {

/// An open container. All those of one decoding stand in one row, whichever payload they belong to.
struct Frame {
    enum class At { Item, Key, Value };
    At at = At::Item;
    Value::List list;
    Value::Map map;
};

/// What one decoding shares between the row and the ext payloads nested in it.
struct Shared {
    const char *begin;
    const MsgpackLimits &limits;
    std::size_t valuesLeft;
    std::optional<Error> limit; ///< a limit that was reached ends the whole decoding
    std::vector<Frame> frames;
    std::size_t open = 0; ///< frames in use
};

/// Messages are full of empty lists and maps: all of them share one.
const Value &emptyList()
{
    static const Value value{Value::List{}};
    return value;
}

const Value &emptyMap()
{
    static const Value value{Value::Map{}};
    return value;
}

bool isAscii(const char *text, std::size_t size)
{
    constexpr std::uint64_t high = 0x8080808080808080ULL;
    const auto word = [](const char *at) {
        std::uint64_t eight = 0;
        std::memcpy(&eight, at, sizeof eight);
        return eight;
    };
    if (size < 8) {
        char any = 0;
        for (std::size_t i = 0; i < size; ++i)
            any = static_cast<char>(any | text[i]);
        return any >= 0;
    }
    std::uint64_t any = word(text + size - 8);
    for (std::size_t i = 0; i + 8 <= size; i += 8)
        any |= word(text + i);
    return (any & high) == 0;
}

Value keepExt(int code, std::string_view payload)
{
    return Value(
        Value::Tagged{Value::Form::UnknownExt, {}, {}, Value::bytes(std::string(payload)), std::to_string(code)});
}

Value decodeExt(int code, std::string_view payload, std::size_t depth, Shared &shared);

/// Builds values while msgpack-cxx walks the bytes with its explicit stack.
class Builder : public msgpack::null_visitor {
public:
    Builder(std::string_view bytes, std::size_t depth, Shared &shared)
        : m_shared(shared)
        , m_depth(depth)
        , m_left(bytes.size())
        , m_base(shared.open)
        , m_start(bytes.data())
    {
    }
    ~Builder()
    {
        // After an error half-filled containers are left.
        for (; m_shared.open > m_base; --m_shared.open)
            m_shared.frames[m_shared.open - 1] = {};
    }
    Builder(const Builder &) = delete;
    Builder &operator=(const Builder &) = delete;

    Value result;
    Value::List topList; ///< the elements when the outermost value is a list and `keepTopList`
    bool keepTopList = false;
    bool hasTopList = false;
    std::optional<Error> error;

    bool visit_nil() { return spend(1) && put(); }
    bool visit_boolean(bool v) { return spend(1) && put(v); }
    bool visit_positive_integer(std::uint64_t v)
    {
        if (!spend(1))
            return false;
        return v <= static_cast<std::uint64_t>(INT64_MAX) ? put(static_cast<std::int64_t>(v))
                                                          : put(Value::bigInt(std::to_string(v)));
    }
    bool visit_negative_integer(std::int64_t v) { return spend(1) && put(v); }
    bool visit_float32(float v) { return spend(5) && put(static_cast<double>(v)); }
    bool visit_float64(double v) { return spend(9) && put(v); }
    bool visit_str(const char *v, std::uint32_t size)
    {
        if (!spend(std::size_t(1) + size))
            return false;
        const std::string_view text(v, size);
        if (isAscii(v, size) || text::isValid(text))
            return put(text);
        return put(Value::Tagged{Value::Form::Python, "builtins", "str", Value::bytes(std::string(text)), {}});
    }
    bool visit_bin(const char *v, std::uint32_t size)
    {
        return spend(std::size_t(2) + size) && put(Value::bytes(std::string(v, size)));
    }
    bool visit_ext(const char *v, std::uint32_t size)
    {
        if (size == 0 || !spend(std::size_t(1) + size) || !descend())
            return false;
        Value value = decodeExt(static_cast<signed char>(v[0]), std::string_view(v + 1, size - 1), depth(), m_shared);
        return !m_shared.limit && put(std::move(value));
    }

    bool start_array(std::uint32_t size)
    {
        if (!open(size))
            return false;
        m_top->at = Frame::At::Item;
        m_top->list.reserve(size);
        return true;
    }
    bool end_array()
    {
        Value::List list = std::move(m_top->list);
        close();
        if (m_shared.open > m_base || !keepTopList)
            return list.empty() ? put(emptyList()) : put(std::move(list));
        topList = std::move(list);
        hasTopList = true;
        return true;
    }
    bool start_map(std::uint32_t size)
    {
        if (!open(2 * std::size_t(size)))
            return false;
        m_top->map.reserve(size);
        return true;
    }
    bool start_map_key() { return m_top->at = Frame::At::Key, true; }
    bool start_map_value() { return m_top->at = Frame::At::Value, true; }
    bool end_map()
    {
        Value::Map map = std::move(m_top->map);
        close();
        return map.empty() ? put(emptyMap()) : put(std::move(map));
    }

    void parse_error(std::size_t /*parsed*/, std::size_t at) { fail("is not msgpack", at); }
    void insufficient_bytes(std::size_t /*parsed*/, std::size_t at) { fail("is cut off", at); }

private:
    [[nodiscard]] std::size_t depth() const { return m_depth + (m_shared.open - m_base) + 1; }

    void fail(std::string_view how, std::size_t at)
    {
        const auto offset = static_cast<std::size_t>(m_start - m_shared.begin) + at;
        error =
            Error{Error::Code::Malformed, "byte " + std::to_string(offset), "the msgpack value " + std::string(how)};
    }
    bool limit(std::string what)
    {
        m_shared.limit = Error{Error::Code::Limit, {}, std::move(what)};
        return false;
    }
    /// Accounts for bytes that a value took (never more than it took) and refuses the rest when it cannot hold what is
    /// still announced: so no more is ever reserved than the input could fill.
    bool spend(std::size_t bytes)
    {
        if (m_shared.valuesLeft == 0)
            return limit("the value holds more than " + std::to_string(m_shared.limits.values) + " values");
        --m_shared.valuesLeft;
        m_left = bytes < m_left ? m_left - bytes : 0;
        return --m_due <= m_left || refuse();
    }
    bool descend()
    {
        return depth() <= m_shared.limits.depth
            || limit("the value is nested deeper than " + std::to_string(m_shared.limits.depth) + " levels");
    }
    bool refuse()
    {
        error =
            Error{Error::Code::Malformed, "byte " + std::to_string(static_cast<std::size_t>(m_start - m_shared.begin)),
                "the msgpack value announces more elements than there are bytes"};
        return false;
    }
    bool open(std::size_t children)
    {
        if (!spend(1) || !descend())
            return false;
        m_due += children;
        if (m_due > m_left)
            return refuse();
        if (m_shared.frames.size() == m_shared.open)
            m_shared.frames.emplace_back();
        m_top = &m_shared.frames[m_shared.open++];
        return true;
    }
    void close()
    {
        --m_shared.open;
        m_top = m_shared.open > m_base ? &m_shared.frames[m_shared.open - 1] : nullptr;
    }
    /// Makes the value just read, in its place.
    template <class... Parts> bool put(Parts &&...parts)
    {
        if (m_shared.open == m_base) {
            result = Value(std::forward<Parts>(parts)...);
            return true;
        }
        // A payload read meanwhile may have moved the frames.
        Frame &frame = m_shared.frames[m_shared.open - 1];
        m_top = &frame;
        switch (frame.at) {
        case Frame::At::Item:
            frame.list.emplace_back(std::forward<Parts>(parts)...);
            break;
        case Frame::At::Key:
            frame.map.emplace_back(
                std::piecewise_construct, std::forward_as_tuple(std::forward<Parts>(parts)...), std::tuple<>());
            break;
        case Frame::At::Value:
            // The nil there needs no destruction.
            std::construct_at(&frame.map.back().second, std::forward<Parts>(parts)...);
            break;
        }
        return true;
    }

    Shared &m_shared;
    std::size_t m_depth;
    std::size_t m_left; ///< bytes not yet accounted for, at most
    std::size_t m_due = 1; ///< values announced and not yet begun
    std::size_t m_base; ///< first frame of this payload
    const char *m_start;
    Frame *m_top = nullptr; ///< the innermost frame of this payload
};

/// Runs the parser over all of `bytes`. Exceptions of msgpack-cxx end here.
bool run(std::string_view bytes, Builder &builder, Shared &shared)
{
    std::size_t end = 0;
    bool done = false;
    try {
        done = msgpack::parse(bytes.data(), bytes.size(), end, builder);
    } catch (const std::exception &e) {
        builder.error = Error{Error::Code::Malformed, {}, std::string("the msgpack value cannot be read: ") + e.what()};
        return false;
    }
    if (!done) {
        if (!builder.error && !shared.limit)
            builder.parse_error(end, end);
        return false;
    }
    if (end != bytes.size()) {
        const auto offset = static_cast<std::size_t>(bytes.data() - shared.begin) + end;
        builder.error = Error{Error::Code::Malformed, "byte " + std::to_string(offset),
            std::to_string(bytes.size() - end) + " bytes follow the msgpack value"};
        return false;
    }
    return true;
}

/// Takes the text of an element that names something; false when it is no text.
bool takeText(const Value::List &list, std::size_t at, std::string &text)
{
    if (at >= list.size() || !list[at].isText())
        return false;
    text = list[at].asText();
    return true;
}

Value decodeExt(int code, std::string_view payload, std::size_t depth, Shared &shared)
{
    using Form = Value::Form;
    if (code < 0 || code > 7)
        return keepExt(code, payload);
    Builder builder(payload, depth, shared);
    builder.keepTopList = code != 7;
    if (!run(payload, builder, shared))
        return keepExt(code, payload);
    if (code == 7)
        return Value(Value::Tagged{
            Form::DeltaSnapshot, "langgraph.checkpoint.serde.types", "_DeltaSnapshot", std::move(builder.result), {}});
    Value::List &list = builder.topList;
    if (code == 6) {
        if (!builder.hasTopList || list.size() != 4)
            return keepExt(code, payload);
        return Value(Value::Tagged{Form::Numpy, "numpy", "ndarray", Value(std::move(list)), {}});
    }
    static constexpr Form forms[] = {Form::ConstructorSingle, Form::ConstructorArgs, Form::ConstructorKwargs,
        Form::MethodSingle, Form::PydanticV1, Form::PydanticV2};
    Value::Tagged tagged;
    tagged.form = forms[code];
    const bool takesMethod = code == 3 || code == 5;
    const bool wellFormed = builder.hasTopList && (list.size() == 3 || (takesMethod && list.size() == 4))
        && (code != 3 || list.size() == 4) && takeText(list, 0, tagged.module) && takeText(list, 1, tagged.name)
        && (list.size() == 3 || takeText(list, 3, tagged.method)) && (code != 1 || list[2].isList())
        && (code != 2 || list[2].isMap());
    if (!wellFormed)
        return keepExt(code, payload);
    tagged.value = std::move(list[2]);
    return Value(std::move(tagged));
}

} // namespace

Result<Value> decodeMsgpack(std::string_view bytes, const MsgpackLimits &limits)
{
    if (bytes.empty())
        return failure(Error::Code::Malformed, "byte 0", "the msgpack value is empty");
    Shared shared{bytes.data(), limits, limits.values, std::nullopt, {}, 0};
    shared.frames.reserve(16);
    Builder builder(bytes, 0, shared);
    if (!run(bytes, builder, shared))
        return tl::unexpected(shared.limit ? *shared.limit : *builder.error);
    return std::move(builder.result);
}

const std::string *brokenText(const Value &value)
{
    const Value::Tagged *tagged = value.asTagged();
    if (!tagged || tagged->form != Value::Form::Python || tagged->name != "str" || tagged->module != "builtins"
        || !tagged->value.isBytes())
        return nullptr;
    return &tagged->value.asBytes();
}

} // namespace palimpsest
