// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/infercommand.h"

#include "app/cli/cli.h"
#include "app/cli/jsonoutput.h"
#include "core/compaction/contextsize.h"
#include "core/compaction/threadartifacts.h"
#include "core/insight/infer/infer.h"

#include <CLI/CLI.hpp>

namespace palimpsest {
namespace {

void writeEnd(JsonOutput &json, std::string_view key, const SizeRange &range, const std::optional<double> &end)
{
    json.key(key);
    if (!end)
        json.null();
    else if (range.kind == ContextSize::Kind::Fraction)
        json.number(*end);
    else
        json.number(static_cast<std::int64_t>(*end));
}

void writeRange(JsonOutput &json, const SizeRange &range)
{
    json.beginObject().key("kind").text(kindName(range.kind));
    writeEnd(json, "low", range, range.low);
    writeEnd(json, "high", range, range.high);
    json.endObject();
}

void writeBound(JsonOutput &json, const ReplayInput &input, const InferenceBound &bound)
{
    json.beginObject().key("call");
    if (bound.call >= 0)
        json.number(input.call(static_cast<std::size_t>(bound.call)).number.value);
    else
        json.null();
    json.key("task_id").text(bound.taskId).key("why").text(bound.why).endObject();
}

void writeBounds(JsonOutput &json, const ReplayInput &input, const std::vector<InferenceBound> &bounds)
{
    json.beginArray();
    for (const InferenceBound &bound : bounds)
        writeBound(json, input, bound);
    json.endArray();
}

void writeFamily(JsonOutput &json, const ReplayInput &input, const SettingsFamily &family)
{
    json.newline().beginObject().key("dialect").text(family.dialect).key("trigger").beginArray();
    for (const auto &clause : family.trigger) {
        json.beginArray();
        for (const SizeRange &range : clause)
            writeRange(json, range);
        json.endArray();
    }
    json.endArray().key("keep");
    writeRange(json, family.keep);
    const Settings point = settingsOf(family);
    const Value settings = settingsToJson(point);
    json.key("truncate_args").value(settings["truncate_args"]);
    json.key("max_input_tokens").number(family.model.maxInputTokens);
    json.key("tools_tokens").number(family.toolsTokens);
    json.key("system_tokens").number(family.systemTokens);
    json.key("explained").number(family.explained).key("events").number(family.events);
    json.key("from_call").number(family.fromCall).key("to_call").number(family.toCall);
    json.key("bounds");
    writeBounds(json, input, family.bounds);
    json.key("refused");
    writeBounds(json, input, family.refusals);
    json.key("chars_per_token").number(family.charsPerToken);
    json.key("model_defaults").boolean(family.modelDefaults);
    json.key("overhead").textOrNull(family.overheadFrom);
    json.key("settings").value(settings).endObject();
}

void writeInference(JsonOutput &json, const ReplayInput &input, const Inference &inference)
{
    json.beginObject().key("format").text("palimpsest.infer/1").key("thread_id").text(input.thread().id);
    json.key("checkpoint_ns").text(input.space().name).key("answer").text(describe(inference));
    json.key("events").number(inference.events).key("tool_events").number(inference.toolEvents);
    json.key("defaults").beginObject().key("fit").boolean(inference.defaultsFit);
    json.key("why").text(inference.defaults).endObject().newline().key("families").beginArray();
    for (const SettingsFamily &family : inference.families)
        writeFamily(json, input, family);
    json.endArray().newline().key("excluded").beginArray();
    for (const ExcludedTrigger &excluded : inference.excluded) {
        json.newline().beginObject().key("trigger");
        writeRange(json, excluded.values);
        json.key("by");
        writeBound(json, input, excluded.by);
        json.endObject();
    }
    json.endArray().newline().key("change_points").beginArray();
    for (const ChangePoint &change : inference.changes) {
        json.newline().beginObject().key("from_call").number(change.fromCall).key("what").text(changeName(change.what));
        json.key("why").text(change.why).key("resists");
        writeBound(json, input, change.resists);
        json.endObject();
    }
    json.endArray().newline().key("notes").beginArray();
    for (const std::string &note : inference.notes)
        json.text(note);
    json.endArray().endObject().newline();
}

void printInference(Console &console, const ReplayInput &input, const Inference &inference)
{
    std::ostream &out = console.out();
    out << describe(inference) << '\n' << inference.defaults << '\n';
    std::size_t shown = 0;
    for (const SettingsFamily &family : inference.families) {
        if (++shown > 10) {
            out << "… and " << inference.families.size() - 10 << " more (--json has all of them)\n";
            break;
        }
        out << '\n'
            << shown << ". " << describe(family) << "\n   " << family.explained << " of " << family.events
            << " events, calls " << family.fromCall << " to " << family.toCall << ", " << family.dialect << '\n';
        for (const InferenceBound &bound : family.bounds)
            out << "   " << bound.why << '\n';
        for (const InferenceBound &refusal : family.refusals)
            out << "   call " << input.call(static_cast<std::size_t>(refusal.call)).number.value << ": " << refusal.why
                << '\n';
        if (shown == 1)
            out << "   " << family.overheadFrom << '\n';
    }
    out << '\n';
    for (const ChangePoint &change : inference.changes)
        out << "Change at call " << change.fromCall << " (" << changeName(change.what) << "): " << change.why << ' '
            << change.resists.why << '\n';
    for (const ExcludedTrigger &excluded : inference.excluded)
        out << excluded.by.why << '\n';
    for (const std::string &note : inference.notes)
        out << note << '\n';
}

} // namespace

void InferCommand::declare(CLI::App &app)
{
    m_source.declare(app);
    m_source.declareFiles(app);
    app.add_flag("--json", m_json, "One JSON document");
}

Result<int> InferCommand::run(Console &console)
{
    const auto opened = openThread(m_source, console);
    if (!opened)
        return tl::unexpected(opened.error());
    if (!opened->space->hasWrites)
        console.message("no calls can be told: the saver that wrote this file kept no writes");
    const ArtifactReader artifacts = threadArtifacts(opened->thread, opened->space->name, opened->folders);
    const ReplayInputPtr input = ReplayInput::make(opened->thread, opened->space->name, artifacts);
    const auto inference = inferSettings(*input, artifacts, console.job());
    if (!inference)
        return tl::unexpected(inference.error());
    if (m_json) {
        JsonOutput json(console.out());
        writeInference(json, *input, *inference);
        json.flush();
    } else {
        printInference(console, *input, *inference);
    }
    return exitstatus::done;
}

} // namespace palimpsest
