// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/jsonoutput.h"

#include "core/values/json.h"

#include <charconv>
#include <cmath>
#include <functional>

namespace palimpsest {
namespace {

constexpr std::size_t bufferSize = 1 << 16;

} // namespace

JsonOutput::JsonOutput(std::ostream &out)
    : m_out(out)
{
    m_buffer.reserve(bufferSize + 4096);
}

JsonOutput::~JsonOutput()
{
    flush();
}

void JsonOutput::separate()
{
    if (m_afterKey) {
        m_afterKey = false;
        return;
    }
    if (m_first.empty())
        return;
    if (!m_first.back())
        m_buffer += ',';
    m_first.back() = false;
}

void JsonOutput::drain()
{
    if (m_buffer.size() >= bufferSize)
        flush();
}

void JsonOutput::flush()
{
    m_out.write(m_buffer.data(), static_cast<std::streamsize>(m_buffer.size()));
    m_buffer.clear();
}

JsonOutput &JsonOutput::beginObject()
{
    separate();
    m_buffer += '{';
    m_first.push_back(true);
    return *this;
}

JsonOutput &JsonOutput::endObject()
{
    m_buffer += '}';
    m_first.pop_back();
    drain();
    return *this;
}

JsonOutput &JsonOutput::beginArray()
{
    separate();
    m_buffer += '[';
    m_first.push_back(true);
    return *this;
}

JsonOutput &JsonOutput::endArray()
{
    m_buffer += ']';
    m_first.pop_back();
    drain();
    return *this;
}

JsonOutput &JsonOutput::key(std::string_view name)
{
    separate();
    writeJsonText(m_buffer, name);
    m_buffer += ':';
    m_afterKey = true;
    return *this;
}

JsonOutput &JsonOutput::value(const Value &value)
{
    separate();
    writeJson(m_buffer, value);
    drain();
    return *this;
}

JsonOutput &JsonOutput::text(std::string_view wtf8)
{
    separate();
    writeJsonText(m_buffer, wtf8);
    drain();
    return *this;
}

JsonOutput &JsonOutput::textOrNull(std::string_view wtf8)
{
    return wtf8.empty() ? null() : text(wtf8);
}

JsonOutput &JsonOutput::optionalText(const std::optional<std::string> &wtf8)
{
    return wtf8 ? text(*wtf8) : null();
}

JsonOutput &JsonOutput::number(std::int64_t number)
{
    separate();
    char digits[24];
    const auto [end, error] = std::to_chars(digits, digits + sizeof digits, number);
    m_buffer.append(digits, end);
    return *this;
}

JsonOutput &JsonOutput::number(double number)
{
    if (!std::isfinite(number))
        return null();
    separate();
    writeJsonFloat(m_buffer, number);
    return *this;
}

JsonOutput &JsonOutput::number(const std::optional<std::int64_t> &number)
{
    return number ? this->number(*number) : null();
}

JsonOutput &JsonOutput::number(const std::optional<double> &number)
{
    return number ? this->number(*number) : null();
}

JsonOutput &JsonOutput::boolean(bool value)
{
    separate();
    m_buffer += value ? "true" : "false";
    return *this;
}

JsonOutput &JsonOutput::null()
{
    separate();
    m_buffer += "null";
    return *this;
}

JsonOutput &JsonOutput::newline()
{
    m_buffer += '\n';
    return *this;
}

namespace {

void mix(std::size_t &hash, std::size_t more)
{
    hash ^= more + 0x9e3779b97f4a7c15 + (hash << 6) + (hash >> 2);
}

void mixTexts(std::size_t &hash, const Value &value)
{
    if (value.isText())
        mix(hash, std::hash<std::string>()(value.asText()));
    for (const Value &item : value.asList())
        mixTexts(hash, item);
    for (const auto &[key, member] : value.asMap())
        mixTexts(hash, member);
}

/// A number that equal messages share. Those of one number are compared, so that it need not tell all others apart.
std::size_t likeness(const Message &message)
{
    std::size_t hash = std::hash<std::string>()(message.type);
    mix(hash, std::hash<std::string>()(message.id.value_or("")));
    mix(hash, std::hash<std::string>()(message.toolCallId.value_or("")));
    mixTexts(hash, message.content);
    mixTexts(hash, message.toolCalls);
    return hash;
}

} // namespace

const std::string &MessagePool::key(const MessagePtr &message)
{
    if (const auto known = m_byAddress.find(message.get()); known != m_byAddress.end())
        return m_bodies[known->second].key;
    const std::size_t hash = likeness(*message);
    const auto [from, to] = m_byContent.equal_range(hash);
    for (auto at = from; at != to; ++at) {
        if (*m_bodies[at->second].message == *message) {
            m_same.push_back(message);
            m_byAddress.emplace(message.get(), at->second);
            return m_bodies[at->second].key;
        }
    }
    const std::size_t place = m_bodies.size();
    m_bodies.push_back({message, "m" + std::to_string(place + 1)});
    m_byAddress.emplace(message.get(), place);
    m_byContent.emplace(hash, place);
    return m_bodies.back().key;
}

void MessagePool::writeKeys(JsonOutput &json, const MessageLog &log)
{
    json.beginArray();
    for (const MessagePtr &message : log)
        json.text(key(message));
    json.endArray();
}

void MessagePool::writeBodies(JsonOutput &json) const
{
    json.key("messages").beginObject();
    for (const Body &body : m_bodies)
        json.newline().key(body.key).value(messageToValue(*body.message, true));
    json.endObject();
}

} // namespace palimpsest
