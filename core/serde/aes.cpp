// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/serde/aes.h"

#include <botan/aead.h>
#include <botan/exceptn.h>

namespace palimpsest {
namespace {

constexpr std::size_t nonceSize = 16;
constexpr std::size_t tagSize = 16;

std::span<const std::uint8_t> octets(std::string_view text)
{
    return {reinterpret_cast<const std::uint8_t *>(text.data()), text.size()};
}

} // namespace

std::string_view typeInsideAes(std::string_view type)
{
    constexpr std::string_view suffix = "+aes";
    return type.ends_with(suffix) ? type.substr(0, type.size() - suffix.size()) : std::string_view();
}

Result<std::string> decryptAesEax(std::string_view row, std::string_view key)
{
    if (key.size() != 16 && key.size() != 24 && key.size() != 32)
        return failure(Error::Code::Invalid, "LANGGRAPH_AES_KEY",
            key.empty() ? "this value is encrypted; set LANGGRAPH_AES_KEY to open it"
                        : "LANGGRAPH_AES_KEY must be 16, 24, or 32 bytes long");
    if (row.size() < nonceSize + tagSize)
        return failure(Error::Code::Malformed, "aes", "the encrypted value is shorter than its nonce and tag");
    try {
        const auto cipher = Botan::AEAD_Mode::create_or_throw(
            "AES-" + std::to_string(8 * key.size()) + "/EAX", Botan::Cipher_Dir::Decryption);
        cipher->set_key(octets(key));
        cipher->start(octets(row.substr(0, nonceSize)));
        // Botan wants the tag behind the ciphertext, the row has it before.
        const auto tag = octets(row.substr(nonceSize, tagSize));
        const auto text = octets(row.substr(nonceSize + tagSize));
        Botan::secure_vector<std::uint8_t> buffer(text.begin(), text.end());
        buffer.insert(buffer.end(), tag.begin(), tag.end());
        cipher->finish(buffer);
        return std::string(buffer.begin(), buffer.end());
    } catch (const Botan::Invalid_Authentication_Tag &) {
        return failure(
            Error::Code::Malformed, "aes", "LANGGRAPH_AES_KEY is not the key of this value, or the value is damaged");
    } catch (const std::exception &e) {
        return failure(Error::Code::Malformed, "aes", std::string("the encrypted value cannot be opened: ") + e.what());
    }
}

} // namespace palimpsest
