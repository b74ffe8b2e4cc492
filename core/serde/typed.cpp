// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/serde/typed.h"

#include "core/serde/aes.h"
#include "core/serde/envelope.h"
#include "core/serde/json.h"
#include "core/serde/msgpack.h"

namespace palimpsest {

bool isJsonType(std::string_view type)
{
    return type == "json" || type == jsonFlat || type == jsonLangChain;
}

Result<Value> decodeTyped(std::string_view type, std::string_view bytes, std::string_view aesKey)
{
    if (type == "msgpack")
        return decodeMsgpack(bytes);
    if (type == jsonFlat)
        return parseJson(bytes);
    if (isJsonType(type))
        return parseJson(bytes).map(openEnvelopes);
    if (type == "null")
        return Value();
    if (type == "bytes")
        return Value::bytes(std::string(bytes));
    if (type == "bytearray")
        return Value(Value::Tagged{Value::Form::Python, "builtins", "bytearray", Value::bytes(std::string(bytes)), {}});
    if (type == "pickle")
        return failure(Error::Code::Unsupported, std::string(type),
            "this value is a Python pickle (" + std::to_string(bytes.size())
                + " bytes), which can only be read by executing it; it is kept closed");
    if (const std::string_view inside = typeInsideAes(type); !inside.empty() && !aesKey.empty()) {
        const Result<std::string> plain = decryptAesEax(bytes, aesKey);
        return plain ? decodeTyped(inside, *plain) : tl::unexpected(plain.error());
    }
    if (const std::size_t plus = type.find('+'); plus != std::string_view::npos)
        return failure(Error::Code::Unsupported, std::string(type),
            "this value is encrypted with " + std::string(type.substr(plus + 1)) + " (" + std::to_string(bytes.size())
                + " bytes); set LANGGRAPH_AES_KEY to open it");
    return failure(Error::Code::Unsupported, std::string(type),
        "the serializer tag \"" + std::string(type) + "\" is unknown; the value (" + std::to_string(bytes.size())
            + " bytes) is kept closed");
}

} // namespace palimpsest
