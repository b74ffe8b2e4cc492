// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/serde/msgpackencode.h"

#include <bit>

namespace palimpsest {
namespace {

void put(std::string &out, std::uint64_t number, int width)
{
    for (int shift = 8 * (width - 1); shift >= 0; shift -= 8)
        out += static_cast<char>(number >> shift);
}

void putHead(std::string &out, std::size_t n, std::size_t fixLimit, int fix, int lead8, int lead16, int lead32)
{
    if (n < fixLimit) {
        out += static_cast<char>(fix + static_cast<int>(n));
    } else if (n < 0x100 && lead8) {
        out += static_cast<char>(lead8);
        put(out, n, 1);
    } else if (n < 0x10000) {
        out += static_cast<char>(lead16);
        put(out, n, 2);
    } else {
        out += static_cast<char>(lead32);
        put(out, n, 4);
    }
}

void putInt(std::string &out, std::int64_t i)
{
    const auto bits = static_cast<std::uint64_t>(i);
    if (i >= -32 && i < 128) {
        out += static_cast<char>(i);
    } else if (i >= 0) {
        const int size = i < 0x100 ? 0 : i < 0x10000 ? 1 : i < 0x100000000 ? 2 : 3;
        out += static_cast<char>(0xCC + size);
        put(out, bits, 1 << size);
    } else {
        const int size = i >= -0x80 ? 0 : i >= -0x8000 ? 1 : i >= -0x80000000LL ? 2 : 3;
        out += static_cast<char>(0xD0 + size);
        put(out, bits, 1 << size);
    }
}

void putText(std::string &out, const std::string &text)
{
    putHead(out, text.size(), 32, 0xA0, 0xD9, 0xDA, 0xDB);
    out += text;
}

void encode(std::string &out, const Value &value);

void putTagged(std::string &out, const Value::Tagged &tagged)
{
    using Form = Value::Form;
    if (tagged.form == Form::UnknownExt) {
        out += msgpackExt(std::stoi(tagged.method), tagged.value.asBytes());
        return;
    }
    if (tagged.form == Form::Python && tagged.value.isBytes()) {
        putText(out, tagged.value.asBytes());
        return;
    }
    std::string payload;
    const auto code = static_cast<int>(tagged.form);
    if (tagged.form == Form::DeltaSnapshot || tagged.form == Form::Numpy) {
        encode(payload, tagged.value);
    } else {
        payload += static_cast<char>(tagged.method.empty() ? 0x93 : 0x94);
        putText(payload, tagged.module);
        putText(payload, tagged.name);
        encode(payload, tagged.value);
        if (!tagged.method.empty())
            putText(payload, tagged.method);
    }
    out += msgpackExt(code, payload);
}

void encode(std::string &out, const Value &value)
{
    switch (value.kind()) {
    case Value::Kind::Nil:
        out += '\xC0';
        break;
    case Value::Kind::Bool:
        out += value.asBool() ? '\xC3' : '\xC2';
        break;
    case Value::Kind::Int:
        putInt(out, value.asInt());
        break;
    case Value::Kind::BigInt:
        out += '\xCF';
        put(out, std::stoull(value.bigIntDigits()), 8);
        break;
    case Value::Kind::Float:
        out += '\xCB';
        put(out, std::bit_cast<std::uint64_t>(value.asDouble()), 8);
        break;
    case Value::Kind::Text:
        putText(out, value.asText());
        break;
    case Value::Kind::Bytes:
        putHead(out, value.asBytes().size(), 0, 0, 0xC4, 0xC5, 0xC6);
        out += value.asBytes();
        break;
    case Value::Kind::List:
        putHead(out, value.asList().size(), 16, 0x90, 0, 0xDC, 0xDD);
        for (const Value &item : value.asList())
            encode(out, item);
        break;
    case Value::Kind::Map:
        putHead(out, value.asMap().size(), 16, 0x80, 0, 0xDE, 0xDF);
        for (const auto &[key, item] : value.asMap()) {
            encode(out, key);
            encode(out, item);
        }
        break;
    case Value::Kind::Tagged:
        putTagged(out, *value.asTagged());
        break;
    }
}

} // namespace

std::string encodeMsgpack(const Value &value)
{
    std::string out;
    encode(out, value);
    return out;
}

std::string msgpackExt(int code, const std::string &payload)
{
    std::string out;
    switch (payload.size()) {
    case 1:
        out += '\xD4';
        break;
    case 2:
        out += '\xD5';
        break;
    case 4:
        out += '\xD6';
        break;
    case 8:
        out += '\xD7';
        break;
    case 16:
        out += '\xD8';
        break;
    default:
        putHead(out, payload.size(), 0, 0, 0xC7, 0xC8, 0xC9);
    }
    out += static_cast<char>(code);
    return out + payload;
}

} // namespace palimpsest
