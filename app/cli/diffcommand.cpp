// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/diffcommand.h"

#include "app/cli/jsonoutput.h"
#include "core/thread/threadreader.h"
#include "core/values/json.h"

#include <CLI/CLI.hpp>

namespace palimpsest {
namespace {

void writePieces(JsonOutput &json, std::string_view key, const std::vector<TextPiece> &pieces)
{
    if (pieces.empty())
        return;
    json.key(key).beginArray();
    for (const TextPiece &piece : pieces) {
        const char *mark = piece.kind == DiffRun::Kind::Same ? "=" : piece.kind == DiffRun::Kind::Added ? "+" : "-";
        json.beginArray().text(mark).text(piece.text).endArray();
    }
    json.endArray();
}

void writeSide(JsonOutput &json, const DiffSide &side)
{
    json.beginObject().key("kind").text(sideKindName(side.kind)).key("name").text(side.name).key("thread_id");
    json.text(side.thread->id).key("checkpoint_ns").text(side.ns).key("checkpoint_id");
    if (side.checkpoint.isValid())
        json.text(side.thread->find(side.ns)->checkpoints[side.checkpoint.at()].id);
    else
        json.null();
    json.key("call");
    if (side.call.isValid())
        json.number(side.call.value);
    else
        json.null();
    json.key("messages").number(static_cast<std::int64_t>(side.messages.size())).endObject();
}

void placeOrNull(JsonOutput &json, std::string_view key, std::int64_t place)
{
    json.key(key);
    if (place >= 0)
        json.number(place);
    else
        json.null();
}

void writeDiff(JsonOutput &json, const DiffSide &a, const DiffSide &b, const Diff &diff)
{
    json.beginObject().key("format").text("palimpsest.diff/1").key("a");
    writeSide(json, a);
    json.key("b");
    writeSide(json, b);
    json.newline().key("messages").beginArray();
    for (const MessageDiff &message : diff.messages) {
        const Message &any = message.after ? *message.after : *message.before;
        json.newline().beginObject().key("change").text(changeName(message.change)).key("id").optionalText(any.id);
        json.key("type").text(any.type);
        placeOrNull(json, "a", message.a);
        placeOrNull(json, "b", message.b);
        if (!message.members.empty() && message.change == DiffChange::Changed) {
            json.key("members").beginArray();
            for (const std::string &member : message.members)
                json.text(member);
            json.endArray();
        }
        writePieces(json, "text", message.text);
        writePieces(json, "tool_calls", message.arguments);
        json.endObject();
    }
    json.endArray().newline().key("channels").beginArray();
    for (const ChannelDiff &channel : diff.channels)
        json.newline()
            .beginObject()
            .key("name")
            .text(channel.name)
            .key("change")
            .text(changeName(channel.change))
            .key("a")
            .value(channel.before)
            .key("b")
            .value(channel.after)
            .endObject();
    json.endArray().newline().key("files").beginArray();
    for (const FileDiff &file : diff.files) {
        json.newline().beginObject().key("path").text(file.path).key("change").text(changeName(file.change));
        json.key("bytes").beginArray().number(file.before).number(file.after).endArray();
        writePieces(json, "text", file.text);
        json.endObject();
    }
    json.endArray().newline().key("counts").beginObject();
    for (const DiffChange change :
        {DiffChange::Same, DiffChange::Changed, DiffChange::Added, DiffChange::Removed, DiffChange::Moved})
        json.key(changeName(change)).number(diff.count(change));
    json.endObject().endObject().newline();
}

/// The changed parts with a few words around them.
std::string shortened(const std::vector<TextPiece> &pieces)
{
    std::string out;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        const std::string &text = pieces[i].text;
        if (pieces[i].kind != DiffRun::Kind::Same) {
            const bool added = pieces[i].kind == DiffRun::Kind::Added;
            out += (added ? "{+" : "[-") + printable(text, 200) + (added ? "+}" : "-]");
            continue;
        }
        constexpr std::size_t around = 40;
        if (text.size() <= 2 * around) {
            out += printable(text);
            continue;
        }
        if (i > 0)
            out += printable(text, around);
        out += " … ";
        if (i + 1 < pieces.size()) {
            std::size_t from = text.size() - around;
            while (from < text.size() && (static_cast<unsigned char>(text[from]) & 0xC0) == 0x80)
                ++from;
            out += printable(std::string_view(text).substr(from));
        }
    }
    return out;
}

void printDiff(std::ostream &out, const DiffSide &a, const DiffSide &b, const Diff &diff, bool all)
{
    out << "--- " << printable(a.name) << ", " << a.messages.size() << " messages\n+++ " << printable(b.name) << ", "
        << b.messages.size() << " messages\n";
    for (const MessageDiff &message : diff.messages) {
        if (message.change == DiffChange::Same && !all)
            continue;
        const Message &any = message.after ? *message.after : *message.before;
        const bool removed = !message.after;
        const char *mark = message.change == DiffChange::Same ? "  "
            : message.change == DiffChange::Changed           ? "~ "
            : removed                                         ? "- "
                                                              : "+ ";
        out << mark << any.type << ' ' << (message.a >= 0 ? std::to_string(message.a) : "-") << ' '
            << (message.b >= 0 ? std::to_string(message.b) : "-") << ' ' << printable(any.id.value_or(""), 40)
            << (message.change == DiffChange::Moved ? " (moved)" : "") << "  ";
        if (message.change == DiffChange::Changed)
            out << shortened(message.text.empty() ? message.arguments : message.text);
        else
            out << printable(textOf(any), 100);
        out << '\n';
    }
    for (const ChannelDiff &channel : diff.channels)
        out << "channel " << printable(channel.name) << ' ' << changeName(channel.change) << ": "
            << printable(toJson(channel.before), 80) << " -> " << printable(toJson(channel.after), 80) << '\n';
    for (const FileDiff &file : diff.files)
        out << "file " << printable(file.path) << ' ' << changeName(file.change) << ", " << file.before << " -> "
            << file.after << " bytes  " << shortened(file.text) << '\n';
    if (diff.isEmpty())
        out << "No difference.\n";
}

} // namespace

void DiffCommand::declare(CLI::App &app)
{
    m_source.declare(app);
    app.add_option("SIDES", m_sides,
           "A [SOURCE2] B: a checkpoint id, call:N, event:N, head, head:N (branches) or thread:ID, also "
           "thread:ID@call:N")
        ->required()
        ->expected(2, 3);
    app.add_flag("--all", m_all, "Also list messages that are the same");
    app.add_flag("--json", m_json, "JSON instead of text");
}

Result<DiffSide> DiffCommand::side(const std::string &location, const std::string &words, Console &console) const
{
    SourceArgument argument = m_source.withLocation(location);
    std::string place = words;
    if (words.starts_with("thread:")) {
        const std::size_t at = words.find('@');
        argument = argument.withThread(words.substr(7, at == std::string::npos ? at : at - 7));
        place = at == std::string::npos ? "head" : words.substr(at + 1);
    }
    const Result<OpenedThread> opened = openThread(argument, console);
    if (!opened)
        return tl::unexpected(opened.error());
    Result<DiffSide> side = diffSide(opened->thread, opened->space->name, place);
    if (!side || !side->checkpoint.isValid())
        return side;
    if (place == "head" && words.starts_with("thread:"))
        side->name = "thread " + opened->thread->id;
    const Result<std::vector<ChannelState>> channels =
        readChannels(*opened->source, *opened->thread, opened->space->name, side->checkpoint);
    if (!channels) {
        console.message(words + ": channels are left out: " + channels.error().what);
        return side;
    }
    for (const ChannelState &channel : *channels)
        if (channel.name != m_source.channel() && channel.name != "files" && channel.undecodable.empty())
            side->channels.emplace(channel.name, channel.value);
    return side;
}

Result<int> DiffCommand::run(Console &console)
{
    const std::string &second = m_sides.size() == 3 ? m_sides[1] : m_source.location();
    const Result<DiffSide> a = side(m_source.location(), m_sides.front(), console);
    if (!a)
        return tl::unexpected(a.error());
    const Result<DiffSide> b = side(second, m_sides.back(), console);
    if (!b)
        return tl::unexpected(b.error());
    const Diff diff = compare(*a, *b);
    if (m_json) {
        JsonOutput json(console.out());
        writeDiff(json, *a, *b, diff);
    } else {
        printDiff(console.out(), *a, *b, diff, m_all);
    }
    return 0;
}

} // namespace palimpsest
