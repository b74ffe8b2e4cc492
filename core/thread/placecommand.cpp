// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/thread/placecommand.h"

namespace palimpsest {
namespace {

std::string quoted(const std::string &argument)
{
    constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=+@%,";
    if (!argument.empty() && argument.find_first_not_of(plain) == std::string::npos)
        return argument;
    std::string out = "'";
    for (const char c : argument) {
        if (c == '\'')
            out += "'\\''";
        else
            out += c;
    }
    return out + "'";
}

} // namespace

std::string placeCommand(const CommandPlace &place)
{
    std::string command = "palimpsest " + quoted(place.source);
    const auto add = [&](std::string_view option, const std::string &value) {
        if (!value.empty())
            command.append(" --").append(option).append(" ").append(quoted(value));
    };
    add("thread", place.thread);
    add("ns", place.ns);
    if (!place.message.empty())
        add("message", place.message);
    else if (place.call)
        add("call", std::to_string(*place.call));
    else
        add("checkpoint", place.checkpoint);
    return command;
}

} // namespace palimpsest
