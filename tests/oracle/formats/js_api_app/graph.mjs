// SPDX-License-Identifier: GPL-3.0-or-later
// Tiny Deep Agents (JavaScript) graph for `langgraphjs dev`: a scripted model, no network.
import { createDeepAgent, createSummarizationMiddleware, createFilesystemMiddleware, StateBackend } from "deepagents";
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { z } from "zod";

const text = (topic, n) => (topic + " order ledger retry cache index shard vector token window agent plan ").repeat(50).slice(0, n);
const lookup = tool(async ({ topic }) => `${topic}: ` + text(topic, 300), { name: "lookup", description: "Return a paragraph about a topic.", schema: z.object({ topic: z.string() }) });
const dumpLog = tool(async ({ lines }) => Array.from({ length: lines }, (_, i) => `${i} ${text("log", 50)}`).join("\n"), { name: "dump_log", description: "Return a long log.", schema: z.object({ lines: z.number() }) });
let n = -1;
class Scripted extends BaseChatModel {
  _llmType() { return "scripted-chat"; }
  get profile() { return {}; }
  bindTools() { return this.withConfig({}); }
  async _generate(messages) {
    const first = messages[0];
    if (messages.length === 1 && String(first.content).startsWith("You are a conversation summarizer")) return this.reply(new AIMessage({ content: "SUMMARY: earlier steps." }));
    n += 1;
    const call = n < 6 ? { name: "lookup", args: { topic: `topic ${n}` }, id: `s${n}`, type: "tool_call" } : n === 6 ? { name: "dump_log", args: { lines: 100 }, id: "big", type: "tool_call" } : null;
    return this.reply(new AIMessage({ content: call ? `step ${n}` : "Done.", tool_calls: call ? [call] : [], usage_metadata: { input_tokens: 10 + n, output_tokens: 20, total_tokens: 30 + n }, response_metadata: { model_provider: "openai", model_name: "scripted-1" } }));
  }
  reply(message) { return { generations: [{ text: String(message.content), message }] }; }
}
const model = new Scripted({}), backend = new StateBackend();
export const agent = createDeepAgent({ model, tools: [lookup, dumpLog], backend, systemPrompt: "You are a careful test agent.", middleware: [
  createFilesystemMiddleware({ backend, toolTokenLimitBeforeEvict: 1000 }),
  createSummarizationMiddleware({ model, backend, trigger: { type: "messages", value: 10 }, keep: { type: "messages", value: 4 } })] });
