// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/lint/protocol/toolpairs.h"
#include "core/insight/lint/rules.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace palimpsest {
namespace {

/// OpenAI's two interfaces are one provider.
std::string_view vendorOf(std::string_view ruleSet)
{
    return ruleSet == "openai-responses" ? std::string_view("openai") : ruleSet;
}

/// Whether a block of an answer that `maker` gave reaches `taker` as it is, who knows no such block or not this one.
/// What the integrations leave out or change is no matter: langchain_anthropic/chat_models.py _format_messages, 1.7.10
/// (`reasoning` and `function_call` of others are left out, `thinking` is not, unknown types are handed on);
/// langchain_openai/chat_models/base.py _format_message_content and _construct_responses_api_input, 1.7.4;
/// langchain_google_genai/chat_models.py _prepare_ai_message_content, 4.4.3, leaves all of it out.
bool isRefused(const Value &block, std::string_view maker, std::string_view taker)
{
    const std::string &type = block["type"].asText();
    const auto isOneOf = [&](const auto &types) { return std::ranges::find(types, type) != types.end(); };
    static constexpr std::array<std::string_view, 12> responses{"web_search_call", "file_search_call", "computer_call",
        "custom_tool_call", "code_interpreter_call", "mcp_call", "mcp_list_tools", "mcp_approval_request",
        "image_generation_call", "tool_search_call", "tool_search_output", "apply_patch_call"};
    static constexpr std::array<std::string_view, 9> anthropic{"redacted_thinking", "server_tool_use", "mcp_tool_use",
        "mcp_tool_result", "web_search_tool_result", "web_fetch_tool_result", "code_execution_tool_result",
        "bash_code_execution_tool_result", "text_editor_code_execution_tool_result"};
    static constexpr std::array<std::string_view, 3> google{
        "executable_code", "code_execution_result", "function_call_signature"};
    if (taker == "anthropic")
        return vendorOf(maker) != taker && (type == "thinking" || isOneOf(responses) || isOneOf(google));
    if (taker
        == "openai") // Chat Completions leaves out thinking, and the interpreter's call of the blocks of Responses
        return (type == "reasoning" && maker == "openai-responses") || isOneOf(anthropic) || isOneOf(google)
            || (type != "code_interpreter_call" && isOneOf(responses));
    if (taker == "openai-responses") // takes its own types alone; reasoning goes by an id that it gave itself
        return vendorOf(maker) != "openai" && type == "reasoning" && !block["id"].asText().starts_with("rs_");
    return false;
}

/// A history's way from one provider to another, as one request shows it.
struct Move {
    MessagePtr first; ///< the first message of the other provider's, or the first with a refused block
    std::optional<std::int64_t> block; ///< the first refused one
    Value::List refused;
};

/// The next call at the checkpoint or after it that the provider answered; null where none tells.
const Call *callOf(const ThreadNamespace &ns, CheckpointIndex from, std::string_view taker)
{
    const auto call = std::ranges::find_if(ns.calls, [&](const Call &candidate) {
        return candidate.checkpoint.isValid() && candidate.checkpoint >= from && !candidate.answers.empty()
            && ruleSetOf(*candidate.answers.front()) == taker;
    });
    return call == ns.calls.end() ? nullptr : &*call;
}

Finding findingOf(const LintContext &context, const EffectiveView &view, const std::string &maker, const Move &move)
{
    const std::string taker(view.provider);
    const Call *call = callOf(context.ns, view.checkpoint, taker);
    const std::string &model = move.first->responseMetadata["model_name"].asText();
    std::string words = call ? "From call " + std::to_string(call->number.value) + " on the" : std::string("The");
    words += " history of " + maker + (model.empty() ? "" : " (" + model + ")") + " goes to " + taker
        + (call && !call->model.empty() ? " (" + call->model + ")" : "");
    words += move.refused.empty() ? ": ids, reasoning blocks and reported usage are the other provider's."
                                  : ": " + std::to_string(move.refused.size())
            + (move.refused.size() == 1 ? " block of it is" : " blocks of it are") + " handed on that " + taker
            + " does not take, the first of type " + move.refused[0]["type"].asText() + ".";
    Finding finding = protocolFinding("provider-changed",
        move.refused.empty() ? Finding::Severity::Info : Finding::Severity::Warning, move.first, std::move(words));
    if (call)
        finding.taskId = call->taskId;
    finding.block = move.block;
    finding.evidence =
        Value::map({{"call", call ? Value(call->number.value) : Value()}, {"from", Value(maker)}, {"to", Value(taker)},
            {"model", Value(call ? call->model : std::string())}, {"refused_blocks", Value(move.refused)}});
    return finding;
}

void check(const LintContext &context, FindingSink &sink)
{
    RequestWalk walk(context, sink);
    std::set<std::string> seen; // in the list at hand
    walk.run([&](const EffectiveView &view) {
        if (view.fresh)
            seen.clear();
        std::map<std::string, Move> moves; // by who made the messages
        for (std::size_t i = view.firstNew; i < view.messages.size(); ++i) {
            const MessagePtr &message = view.messages[i];
            if (message->kind != MessageKind::Ai)
                continue;
            const std::string maker = ruleSetOf(*message);
            if (maker.empty() || view.provider.empty() || maker == view.provider)
                continue;
            const bool moved = vendorOf(maker) != vendorOf(view.provider);
            Move *move = moved ? &moves[maker] : nullptr;
            const Value::List &blocks = message->content.asList();
            for (std::size_t k = 0; k < blocks.size(); ++k) {
                if (!isRefused(blocks[k], maker, view.provider))
                    continue;
                move = &moves[maker];
                if (move->refused.empty()) {
                    move->first = message;
                    move->block = static_cast<std::int64_t>(k);
                }
                move->refused.push_back(Value::map({{"effective_index", Value(static_cast<std::int64_t>(i))},
                    {"block", Value(static_cast<std::int64_t>(k))}, {"type", blocks[k]["type"]}}));
            }
            if (move && !move->first)
                move->first = message;
        }
        for (const auto &[maker, move] : moves) {
            // Refused blocks say more than the move alone, which is not said beside them.
            const std::string key = maker + ">" + std::string(view.provider);
            const bool refused = !move.refused.empty();
            if (seen.contains(key + "!") || !seen.insert(refused ? key + "!" : key).second)
                continue;
            walk.see(findingOf(context, view, maker, move), refused ? key + "!" : key);
        }
    });
}

} // namespace

const Rule rules::providerChanged{
    {"provider-changed", Finding::Severity::Warning,
        "A request holds answers of another provider than the one that it goes to; a warning when blocks of them are "
        "handed on that this one does not take.",
        "Expect refused reasoning blocks and ids: drop them before the move; reported usage before it does not count "
        "for the trigger any more.",
        "langchain/agents/middleware/summarization.py _should_summarize_based_on_reported_tokens, 1.5.2; "
        "langchain_anthropic 1.7.10 _format_messages, langchain_openai 1.7.4 _format_message_content"},
    &check};

} // namespace palimpsest
