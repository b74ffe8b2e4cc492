// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sources/splitcheckpoint.h"

namespace palimpsest {
namespace {

// Numbers are eight bytes, the lowest first; texts a number and their bytes.

void append(std::string &out, std::int64_t number)
{
    for (int shift = 0; shift < 64; shift += 8)
        out += static_cast<char>(static_cast<std::uint64_t>(number) >> shift & 0xff);
}

void append(std::string &out, std::string_view text)
{
    append(out, static_cast<std::int64_t>(text.size()));
    out += text;
}

class Reader {
public:
    explicit Reader(std::string_view bytes)
        : m_bytes(bytes)
    {
    }
    [[nodiscard]] bool ok() const { return m_ok; }
    [[nodiscard]] bool atEnd() const { return m_bytes.empty(); }
    std::int64_t number()
    {
        std::uint64_t value = 0;
        const std::string_view raw = take(8);
        for (std::size_t i = 0; i < raw.size(); ++i)
            value |= static_cast<std::uint64_t>(static_cast<unsigned char>(raw[i])) << (8 * i);
        return static_cast<std::int64_t>(value);
    }
    std::string_view bytes() { return take(static_cast<std::uint64_t>(number())); }
    std::string text() { return std::string(bytes()); }
    /// How many entries follow. A negative number is none that packSplit() writes.
    std::int64_t count()
    {
        const std::int64_t entries = number();
        m_ok = m_ok && entries >= 0;
        return entries;
    }

private:
    std::string_view take(std::uint64_t size)
    {
        if (!m_ok || size > m_bytes.size()) {
            m_ok = false;
            return {};
        }
        const std::string_view taken = m_bytes.substr(0, size);
        m_bytes.remove_prefix(size);
        return taken;
    }

    std::string_view m_bytes;
    bool m_ok = true;
};

} // namespace

std::string packSplit(const SplitCheckpoint &checkpoint)
{
    std::string out;
    append(out, checkpoint.format);
    append(out, checkpoint.id);
    append(out, checkpoint.ts);
    append(out, static_cast<std::int64_t>(checkpoint.values.size()));
    for (const ChannelPart &part : checkpoint.values) {
        append(out, part.name);
        append(out, part.type);
        append(out, part.size);
        append(out, part.bytes);
    }
    append(out, static_cast<std::int64_t>(checkpoint.versions.size()));
    for (const auto &[channel, version] : checkpoint.versions) {
        append(out, channel);
        append(out, version);
    }
    return out;
}

Result<SplitCheckpoint> unpackSplit(std::string_view bytes)
{
    Reader in(bytes);
    SplitCheckpoint checkpoint;
    checkpoint.format = in.number();
    checkpoint.id = in.text();
    checkpoint.ts = in.text();
    for (std::int64_t left = in.count(); left > 0 && in.ok(); --left) {
        ChannelPart &part = checkpoint.values.emplace_back();
        part.name = in.text();
        part.type = in.text();
        part.size = in.number();
        part.bytes = in.bytes();
    }
    for (std::int64_t left = in.count(); left > 0 && in.ok(); --left) {
        std::string channel = in.text();
        checkpoint.versions.emplace_back(std::move(channel), in.text());
    }
    if (!in.ok() || !in.atEnd())
        return failure(Error::Code::Malformed, "split", "the blob is no checkpoint with its channels apart");
    return checkpoint;
}

} // namespace palimpsest
