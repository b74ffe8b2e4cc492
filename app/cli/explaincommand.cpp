// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/explaincommand.h"

#include "app/cli/jsonoutput.h"
#include "core/insight/explain/explain.h"

#include <CLI/CLI.hpp>

namespace palimpsest {
namespace {

void writeJson(std::ostream &out, const Explanation &explanation, const std::string &error)
{
    JsonOutput json(out);
    json.beginObject().key("cause").text(explanation.cause).key("rule").textOrNull(explanation.rule);
    json.key("call").number(explanation.call).key("request_index").number(explanation.requestIndex);
    json.key("message_id").optionalText(explanation.messageId);
    json.key("made_by").text(explanation.madeBy).key("fix").text(explanation.fix);
    json.key("provider").textOrNull(explanation.provider).key("checkpoint_ns").text(explanation.checkpointNs);
    json.key("checkpoint_id").textOrNull(explanation.checkpointId);
    json.key("tool_call_id").textOrNull(explanation.toolCallId).key("error").text(error).endObject().newline();
}

void writeText(std::ostream &out, const Explanation &explanation)
{
    out << explanation.cause << '\n';
    if (!explanation.rule.empty())
        out << "Rule:    " << explanation.rule << '\n';
    if (explanation.call)
        out << "Call:    " << *explanation.call << (explanation.checkpointNs.empty() ? "" : " of ")
            << explanation.checkpointNs << '\n';
    if (explanation.requestIndex)
        out << "Message: " << *explanation.requestIndex << " of the request"
            << (explanation.messageId ? ", id " + *explanation.messageId : std::string()) << '\n';
    if (!explanation.madeBy.empty())
        out << "Made by: " << explanation.madeBy << '\n';
    if (!explanation.fix.empty())
        out << "Fix:     " << explanation.fix << '\n';
}

} // namespace

void ExplainCommand::declare(CLI::App &app)
{
    m_source.declare(app);
    auto *text = app.add_option("--error", m_error, "The provider's error text");
    app.add_flag("--recorded", m_recorded, "The newest error that the recording holds")->excludes(text);
    app.add_flag("--json", m_json, "As JSON");
}

Result<int> ExplainCommand::run(Console &console)
{
    if (m_error.empty() && !m_recorded)
        return failure(Error::Code::Invalid, "explain", "give the provider's text with --error TEXT, or --recorded");
    const Result<OpenedThread> opened = openThread(m_source, console);
    if (!opened)
        return tl::unexpected(opened.error());
    std::string error = m_error;
    if (m_recorded) {
        const std::optional<RecordedError> recorded = recordedError(*opened->thread);
        if (!recorded) {
            console.message("explain: the recording holds no error; give one with --error TEXT");
            return 1;
        }
        error = recorded->text;
    }
    const Result<Explanation> explanation = explainError(*opened->thread, error, console.job());
    if (!explanation)
        return tl::unexpected(explanation.error());
    if (m_json)
        writeJson(console.out(), *explanation, error);
    else
        writeText(console.out(), *explanation);
    return explanation->rule.empty() ? 1 : 0;
}

} // namespace palimpsest
