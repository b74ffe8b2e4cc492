// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/serde/msgpack.h"

#include "core/base/text.h"

#include <msgpack.hpp>

#include <optional>

namespace palimpsest {
namespace {

/// What one decoding shares between the row and the ext payloads nested in it.
struct Shared {
    const char *begin;
    const MsgpackLimits &limits;
    std::size_t valuesLeft;
    std::optional<Error> limit; ///< a limit that was reached ends the whole decoding
};

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
    {
    }

    Value result;
    Value::List topList; ///< the elements when the outermost value is a list and `keepTopList`
    bool keepTopList = false;
    bool hasTopList = false;
    std::optional<Error> error;

    bool visit_nil() { return spend(1) && (place() = Value(), true); }
    bool visit_boolean(bool v) { return spend(1) && (place() = Value(v), true); }
    bool visit_positive_integer(std::uint64_t v)
    {
        if (!spend(1))
            return false;
        place() = v <= static_cast<std::uint64_t>(INT64_MAX) ? Value(static_cast<std::int64_t>(v))
                                                             : Value::bigInt(std::to_string(v));
        return true;
    }
    bool visit_negative_integer(std::int64_t v) { return spend(1) && (place() = Value(v), true); }
    bool visit_float32(float v) { return spend(5) && (place() = Value(static_cast<double>(v)), true); }
    bool visit_float64(double v) { return spend(9) && (place() = Value(v), true); }
    bool visit_str(const char *v, std::uint32_t size)
    {
        if (!spend(std::size_t(1) + size))
            return false;
        const std::string_view text(v, size);
        if (text::isValid(text))
            place() = Value(text);
        else
            place() = Value(Value::Tagged{Value::Form::Python, "builtins", "str", Value::bytes(std::string(text)), {}});
        return true;
    }
    bool visit_bin(const char *v, std::uint32_t size)
    {
        return spend(std::size_t(2) + size) && (place() = Value::bytes(std::string(v, size)), true);
    }
    bool visit_ext(const char *v, std::uint32_t size)
    {
        if (size == 0 || !spend(std::size_t(1) + size) || !descend())
            return false;
        Value value = decodeExt(static_cast<signed char>(v[0]), std::string_view(v + 1, size - 1), depth(), m_shared);
        if (m_shared.limit)
            return false;
        place() = std::move(value);
        return true;
    }

    bool start_array(std::uint32_t size)
    {
        if (!open(size))
            return false;
        m_frames[m_open++].list.reserve(size);
        return true;
    }
    bool end_array()
    {
        Value::List list = std::exchange(m_frames[--m_open].list, {});
        if (m_open == 0 && keepTopList) {
            topList = std::move(list);
            hasTopList = true;
        } else {
            place() = Value(std::move(list));
        }
        return true;
    }
    bool start_map(std::uint32_t size)
    {
        if (!open(2 * std::size_t(size)))
            return false;
        Frame &frame = m_frames[m_open++];
        frame.isMap = true;
        frame.map.reserve(size);
        return true;
    }
    bool start_map_key()
    {
        Frame &frame = m_frames[m_open - 1];
        frame.map.emplace_back();
        frame.atKey = true;
        return true;
    }
    bool start_map_value() { return m_frames[m_open - 1].atKey = false, true; }
    bool end_map()
    {
        Frame &frame = m_frames[--m_open];
        frame.isMap = false;
        Value value(std::exchange(frame.map, {}));
        place() = std::move(value);
        return true;
    }

    void parse_error(std::size_t /*parsed*/, std::size_t at) { fail("is not msgpack", at); }
    void insufficient_bytes(std::size_t /*parsed*/, std::size_t at) { fail("is cut off", at); }
    void setStart(const char *start) { m_start = start; }

private:
    struct Frame {
        bool isMap = false;
        bool atKey = false;
        Value::List list;
        Value::Map map;
    };

    [[nodiscard]] std::size_t depth() const { return m_depth + m_open + 1; }

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
        if (m_shared.valuesLeft-- == 0)
            return limit("the value holds more than " + std::to_string(m_shared.limits.values) + " values");
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
        if (m_frames.size() == m_open)
            m_frames.emplace_back();
        return true;
    }
    /// Where the value just read belongs.
    Value &place()
    {
        if (m_open == 0)
            return result;
        Frame &frame = m_frames[m_open - 1];
        if (!frame.isMap)
            return frame.list.emplace_back();
        return frame.atKey ? frame.map.back().first : frame.map.back().second;
    }

    Shared &m_shared;
    std::size_t m_depth;
    std::size_t m_left; ///< bytes not yet accounted for, at most
    std::size_t m_due = 1; ///< values announced and not yet begun
    std::size_t m_open = 0; ///< frames in use
    std::vector<Frame> m_frames;
    const char *m_start = nullptr;
};

/// Runs the parser over all of `bytes`. Exceptions of msgpack-cxx end here.
bool run(std::string_view bytes, Builder &builder, Shared &shared)
{
    builder.setStart(bytes.data());
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

/// The text of an element that names something, or null.
std::string *textOf(Value::List &list, std::size_t at, std::string &buffer)
{
    if (at >= list.size() || !list[at].isText())
        return nullptr;
    buffer = list[at].asText();
    return &buffer;
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
        && (code != 3 || list.size() == 4) && textOf(list, 0, tagged.module) && textOf(list, 1, tagged.name)
        && (list.size() == 3 || textOf(list, 3, tagged.method)) && (code != 1 || list[2].isList())
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
    Shared shared{bytes.data(), limits, limits.values, std::nullopt};
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
