// SPDX-License-Identifier: GPL-3.0-or-later
// Record real JavaScript Deep Agents threads (npm deepagents) with @langchain/langgraph-checkpoint-sqlite
// and a scripted chat model. Usage: node record_js.mjs OUT [only...]
// Resolve packages from the folder given in JS_MODULES (a directory that has node_modules).
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import path from "node:path";
import fs from "node:fs";
import crypto from "node:crypto";
import zlib from "node:zlib";

const root = path.resolve(process.env.JS_MODULES ?? ".");
const req = createRequire(path.join(root, "package.json"));
const imp = async (name) => {
  // honour the ESM "import" condition, so that every package shares one copy of @langchain/core
  const parts = name.split("/");
  const pkg = name.startsWith("@") ? parts.slice(0, 2).join("/") : parts[0];
  const sub = "./" + parts.slice(name.startsWith("@") ? 2 : 1).join("/");
  const dir = path.join(root, "node_modules", pkg);
  const p = JSON.parse(fs.readFileSync(path.join(dir, "package.json"), "utf8"));
  const entry = p.exports[sub === "./" ? "." : sub];
  const pick = (e) => typeof e === "string" ? e : pick(e.import ?? e.default ?? e.node ?? e.require);
  return import(pathToFileURL(path.join(dir, pick(entry))).href);
};
const version = (p) => JSON.parse(fs.readFileSync(path.join(root, "node_modules", p, "package.json"), "utf8")).version;

const { createDeepAgent, createSummarizationMiddleware, createFilesystemMiddleware, StateBackend, FilesystemBackend } = await imp("deepagents");
const { BaseChatModel } = await imp("@langchain/core/language_models/chat_models");
const { AIMessage, HumanMessage, SystemMessage, ToolMessage, RemoveMessage } = await imp("@langchain/core/messages");
const { tool } = await imp("@langchain/core/tools");
const { SqliteSaver } = await imp("@langchain/langgraph-checkpoint-sqlite");
const lg = await imp("@langchain/langgraph");
const { z } = await import(pathToFileURL(req.resolve("zod")).href);
const Database = req("better-sqlite3");

const SHORTEN = 4000;
const shorten = (v) => {
  if (typeof v === "string") {
    const cp = Array.from(v);
    if (cp.length <= SHORTEN) return v;
    return { $sha256: crypto.createHash("sha256").update(v, "utf8").digest("hex"), $length: cp.length,
             $head: cp.slice(0, 200).join(""), $tail: cp.slice(-200).join("") };
  }
  if (v instanceof Uint8Array) return { $bytes_base64: Buffer.from(v).toString("base64") };
  if (Array.isArray(v)) return v.map(shorten);
  if (v && typeof v === "object") return Object.fromEntries(Object.entries(v).map(([k, x]) => [k, shorten(x)]));
  return v;
};

const dump = (m) => {
  const d = { type: m.getType ? m.getType() : m.type, content: m.content, id: m.id ?? null, name: m.name ?? null,
              additional_kwargs: m.additional_kwargs ?? {}, response_metadata: m.response_metadata ?? {} };
  if (d.type === "ai") Object.assign(d, { tool_calls: m.tool_calls ?? [], invalid_tool_calls: m.invalid_tool_calls ?? [], usage_metadata: m.usage_metadata ?? null });
  if (d.type === "tool") Object.assign(d, { tool_call_id: m.tool_call_id, status: m.status ?? null, artifact: m.artifact ?? null });
  return shorten(JSON.parse(JSON.stringify(d)));
};
const sorted = (v) => Array.isArray(v) ? v.map(sorted) : v && typeof v === "object" ? Object.fromEntries(Object.keys(v).sort().map((k) => [k, sorted(v[k])])) : v;

class Log {
  calls = []; tools = []; messages = {}; summaries = 0;
  pool(m) {
    const d = dump(m);
    const key = crypto.createHash("sha256").update(JSON.stringify(sorted(d))).digest("hex").slice(0, 16);
    this.messages[key] = d;
    return key;
  }
}

class ScriptedModel extends BaseChatModel {
  constructor(fields) { super(fields ?? {}); this.script = fields.script; this.log = fields.log; if (fields.profile) this._profile = fields.profile; }
  static lc_name() { return "ScriptedModel"; }
  _llmType() { return "scripted-chat"; }
  get profile() { return this._profile ?? {}; }
  bindTools(tools) {
    this.log.tools = tools.map((t) => ({ name: t.name, description: t.description }));
    return this.withConfig({});
  }
  async _generate(messages, options, runManager) {
    const first = messages[0];
    const summary = messages.length === 1 && typeof first.content === "string" && first.content.startsWith("You are a conversation summarizer");
    const info = options?.executionInfo ?? {};
    if (process.env.DEBUG_META) console.log(JSON.stringify(info));
    const call = { kind: summary ? "summary" : "agent", checkpoint_id: info.checkpointId ?? null, checkpoint_ns: info.checkpointNs ?? null, task_id: info.taskId ?? null,
                   messages: messages.map((m) => this.log.pool(m)), outcome: "ok" };
    this.log.calls.push(call);
    let answer;
    if (summary) {
      const n = ++this.log.summaries;
      answer = new AIMessage({ content: `SUMMARY ${n}: finish the scripted task. The prompt had ${first.content.length} UTF-16 units.` });
    } else {
      const said = this.script(messages);
      const size = Math.floor(messages.reduce((a, m) => a + (typeof m.content === "string" ? m.content : JSON.stringify(m.content)).length, 0) / 4);
      // built in one go: JS serializes only keys that went through the constructor (lc_kwargs)
      answer = new AIMessage({ content: said.content, tool_calls: said.tool_calls, usage_metadata: { input_tokens: size, output_tokens: 20, total_tokens: size + 20 },
        response_metadata: { model_provider: "openai", model_name: "scripted-1" } });
    }
    call.answer = this.log.pool(answer);
    return { generations: [{ text: typeof answer.content === "string" ? answer.content : "", message: answer }] };
  }
}

const call = (name, id, args) => ({ name, args, id, type: "tool_call" });
const says = (content = "", ...tool_calls) => new AIMessage({ content, tool_calls });
const steps = (...answers) => { const q = [...answers]; return () => { const a = q.shift(); if (!a) throw new Error("script ran out"); return a; }; };
const WORDS = "order ledger retry cache index shard vector token window agent plan tool result offset limit error trace span".split(" ");
const rng = (seed) => { let s = crypto.createHash("sha256").update(String(seed)).digest().readUInt32LE(0); return () => (s = (Math.imul(s, 1664525) + 1013904223) >>> 0) / 2 ** 32; };
const prose = (r, chars) => { const out = []; let n = 0; while (n < chars) { const w = WORDS[Math.floor(r() * WORDS.length)]; out.push(w); n += w.length + 1; } return out.join(" ").slice(0, chars); };
const png = ([r, g, b], size = 24) => {
  const raw = Buffer.concat(Array.from({ length: size }, () => Buffer.concat([Buffer.from([0]), Buffer.concat(Array(size).fill(Buffer.from([r, g, b])))])));
  const crcTable = Array.from({ length: 256 }, (_, n) => { let c = n; for (let k = 0; k < 8; k++) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1; return c >>> 0; });
  const crc = (buf) => { let c = 0xffffffff; for (const x of buf) c = crcTable[(c ^ x) & 255] ^ (c >>> 8); return (c ^ 0xffffffff) >>> 0; };
  const chunk = (kind, data) => { const kd = Buffer.concat([Buffer.from(kind), data]); const len = Buffer.alloc(4); len.writeUInt32BE(data.length); const cs = Buffer.alloc(4); cs.writeUInt32BE(crc(kd)); return Buffer.concat([len, kd, cs]); };
  const head = Buffer.alloc(13); head.writeUInt32BE(size, 0); head.writeUInt32BE(size, 4); head[8] = 8; head[9] = 2;
  return Buffer.concat([Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10]), chunk("IHDR", head), chunk("IDAT", zlib.deflateSync(raw)), chunk("IEND", Buffer.alloc(0))]).toString("base64");
};

const lookup = tool(async ({ topic }) => `${topic}: ` + prose(rng(topic), 300), { name: "lookup", description: "Return a paragraph about a topic.", schema: z.object({ topic: z.string() }) });
const needle = tool(async ({ topic }) => prose(rng(topic), 500) + `\nIMPORTANT: the passphrase for ${topic} is heron-${topic.length}42.\n` + prose(rng(topic + "2"), 500), { name: "needle", description: "Return a long text that holds one important fact in its middle.", schema: z.object({ topic: z.string() }) });
const dumpLog = tool(async ({ name, lines }) => { const r = rng(name); return Array.from({ length: lines }, (_, i) => `${String(i).padStart(6, "0")} ${name} ${prose(r, 60)}`).join("\n"); }, { name: "dump_log", description: "Return a long log.", schema: z.object({ name: z.string(), lines: z.number() }) });
const screenshot = tool(async ({ page }) => [{ type: "text", text: `screenshot of ${page}` }, { type: "image", mimeType: "image/png", data: png(page === "home" ? [200, 30, 30] : [30, 160, 60]) }], { name: "screenshot", description: "Return a picture of a page.", schema: z.object({ page: z.string() }) });
const odd = tool(async () => ["Result with an artifact.", { lc: 1, note: "user data that looks like a LangChain record", bytes: new Uint8Array([0, 255, 7]), set: new Set([1, 2]), map: new Map([["k", "v"]]), nothing: undefined, re: /a+b/gi, when: new Date(0), big: 2 ** 60 }], { name: "odd", description: "Return an artifact of odd types.", schema: z.object({}), responseFormat: "content_and_artifact" });

class Run {
  constructor(name, out, saver) { this.name = name; this.out = out; this.saver = saver; this.log = new Log(); this.settings = {}; this.config = { configurable: { thread_id: name }, recursionLimit: 10000 }; }
  model(script, profile) { return new ScriptedModel({ script, log: this.log, profile }); }
  agent(script, { tools = [], trigger, keep = { type: "messages", value: 6 }, truncateArgsSettings, toolLimit = 20000, humanLimit = 50000, backend, profile, defaults = false, ...rest } = {}) {
    const model = this.model(script, profile);
    const be = backend ?? ((rt) => new StateBackend(rt));
    const middleware = defaults ? [] : [
      createFilesystemMiddleware({ backend: be, toolTokenLimitBeforeEvict: toolLimit, humanMessageTokenLimitBeforeEvict: humanLimit }),
      createSummarizationMiddleware({ model, backend: be, trigger: trigger ?? { type: "tokens", value: 10 ** 9 }, keep, truncateArgsSettings })];
    Object.assign(this.settings, { trigger: trigger ?? null, keep, truncateArgsSettings: truncateArgsSettings ?? null, toolTokenLimitBeforeEvict: toolLimit, humanMessageTokenLimitBeforeEvict: humanLimit, backend: backend ? backend.constructor.name : "StateBackend (factory, the default of createDeepAgent)" });
    this.graph = createDeepAgent({ model, tools, backend: be, middleware, checkpointer: this.saver, systemPrompt: "You are a careful test agent.", ...rest });
    return this.graph;
  }
  say(content) { return this.graph.invoke({ messages: [new HumanMessage({ content })] }, this.config); }
}

const scenarios = {
  js_plain: ["two short turns with one tool call, no defence fires", async (run) => {
    run.agent(steps(says("", call("lookup", "p1", { topic: "herons" })), says("Herons wade — überall 🐦."), says("You are welcome.")), { tools: [lookup] });
    await run.say("Tell me about herons.");
    await run.say("Thanks!");
  }],
  js_tool_offload: ["large tool results and a large human message are offloaded; odd artifact types; write_file, read_file, edit_file", async (run) => {
    run.agent(steps(
      says("", call("dump_log", "call/../1", { name: "alpha", lines: 100 }), call("lookup", "small", { topic: "small" })),
      says("", call("read_file", "rf", { file_path: "/large_tool_results/call____1.txt", offset: 0, limit: 3 })),
      says("", call("write_file", "w1", { file_path: "/notes/a.md", content: "# Notes\nfirst line\n" })),
      says("", call("edit_file", "e1", { file_path: "/notes/a.md", old_string: "first", new_string: "zweite 🐦" }), call("write_todos", "td", { todos: [{ content: "finish", status: "in_progress" }] })),
      says("", call("odd", "o1", {})),
      says("Done."), says("Read it."), says("Bye.")), { tools: [lookup, dumpLog, odd], toolLimit: 1000, humanLimit: 1000 });
    await run.say("Dump the log.");
    const r = rng("human");
    await run.say("Please study:\n" + Array.from({ length: 90 }, () => prose(r, 70)).join("\n"));
    await run.say("short");
  }],
  js_summarize_chain: ["chained summarization by message count over three turns; the needle falls out of the window; default StateBackend factory: the event names an archive that was never stored", async (run) => {
    const answers = [says("", call("needle", "n0", { topic: "vault" }))];
    for (let i = 1; i < 8; i++) answers.push(says(`step ${i}`, call("lookup", `s${i}`, { topic: `topic ${i}` })));
    answers.push(says("First part done."));
    for (let i = 8; i < 13; i++) answers.push(says(`step ${i}`, call("lookup", `s${i}`, { topic: `topic ${i}` })));
    answers.push(says("Second part done."), says("I no longer know the passphrase."));
    run.agent(steps(...answers), { tools: [lookup, needle], trigger: { type: "messages", value: 12 }, keep: { type: "messages", value: 6 } });
    await run.say("Remember the vault passphrase, then research topics 1 to 7.");
    await run.say("Now topics 8 to 12.");
    await run.say("What was the passphrase?");
  }],
  js_summarize_send: ["summarization with a StateBackend instance (not a factory): the archive does reach files; also a binary file in state (Uint8Array)", async (run) => {
    const answers = [says("", call("write_file", "b0", { file_path: "/pics/dot.png", content: png([9, 200, 9], 4) }))];
    for (let i = 1; i < 9; i++) answers.push(says(`step ${i}`, call("lookup", `s${i}`, { topic: `topic ${i}` })));
    answers.push(says("Done."));
    run.agent(steps(...answers), { tools: [lookup], backend: new StateBackend(), trigger: { type: "messages", value: 10 }, keep: { type: "messages", value: 4 } });
    await run.say("Research topics 1 to 8.");
  }],
  js_media: ["inline images in a human message and in tool results; summarized once (JS does not offload media)", async (run) => {
    const image = png([250, 200, 0]);
    const answers = [says("", call("screenshot", "m1", { page: "home" })), says("", call("screenshot", "m2", { page: "cart" }))];
    for (let i = 0; i < 4; i++) answers.push(says(`step ${i}`, call("lookup", `m${i + 3}`, { topic: `m${i}` })));
    answers.push(says("Done."));
    run.agent(steps(...answers), { tools: [screenshot, lookup], trigger: { type: "messages", value: 10 }, keep: { type: "messages", value: 4 } });
    await run.say([{ type: "text", text: "Compare these:" }, { type: "image", mimeType: "image/png", data: image },
      { type: "image_url", image_url: { url: `data:image/png;base64,${image}` } },
      { type: "image", source_type: "base64", mime_type: "image/png", data: image },
      { type: "file", mimeType: "application/pdf", data: Buffer.from("%PDF-1.4 tiny").toString("base64") }]);
  }],
  js_truncate_args: ["old write_file/edit_file arguments are shortened in the request only (JS drops ids of the rebuilt messages)", async (run) => {
    const r = rng(5);
    const answers = [says("", call("write_file", "w1", { file_path: "/app/main.py", content: "# main\n" + prose(r, 3000) }))];
    for (let i = 0; i < 5; i++) answers.push(says(`step ${i}`, call("lookup", `x${i}`, { topic: `x${i}` })));
    answers.push(says("Done."));
    run.agent(steps(...answers), { tools: [lookup], truncateArgsSettings: { trigger: { type: "messages", value: 8 }, keep: { type: "messages", value: 4 }, maxLength: 2000 } });
    await run.say("Write the app.");
  }],
  js_subagent_interrupt: ["a subagent works in its own namespace, then the thread rests at a human-in-the-loop interrupt", async (run) => {
    const sub = [says("sub 0", call("lookup", "u0", { topic: "u0" })), says("Subagent result.")];
    run.agent(steps(says("", call("task", "t1", { description: "Look up one thing", subagent_type: "general-purpose" })), ...sub,
      says("", call("dump_log", "i1", { name: "beta", lines: 3 }))), { tools: [lookup, dumpLog], interruptOn: { dump_log: true } });
    await run.say("Delegate, then dump.");
  }],
  js_disk_backend: ["archive on disk: FilesystemBackend under a root directory, two summaries appended to one file", async (run) => {
    const dir = path.join(run.out, `${run.name}.files`);
    fs.rmSync(dir, { recursive: true, force: true }); fs.mkdirSync(dir, { recursive: true });
    const answers = [];
    for (let i = 0; i < 9; i++) answers.push(says(`step ${i}`, call("lookup", `q${i}`, { topic: `q${i}` })));
    answers.push(says("Done."));
    run.agent(steps(...answers), { tools: [lookup, dumpLog], backend: new FilesystemBackend({ rootDir: dir, virtualMode: true }), trigger: { type: "messages", value: 10 }, keep: { type: "messages", value: 6 } });
    await run.say("Nine lookups.");
  }],
  js_delta: ["plain LangGraph JS StateGraph (no deepagents) whose messages use DeltaChannel, snapshotFrequency 4; includes a RemoveMessage and an Overwrite", async (run) => {
    const State = lg.Annotation.Root({ messages: () => new lg.DeltaChannel(lg.messagesDeltaReducer, { snapshotFrequency: 4 }) });
    let n = 0;
    const graph = new lg.StateGraph(State).addNode("talk", async (s) => {
      n += 1;
      if (n === 6) return { messages: [new RemoveMessage({ id: s.messages[1].id }), new AIMessage({ id: `a${n}`, content: `reply ${n}, first reply removed` })] };
      if (n === 8) return { messages: new lg.Overwrite([new HumanMessage({ id: "ow", content: "overwritten base" }), new AIMessage({ id: `a${n}`, content: `reply ${n}` })]) };
      return { messages: [new AIMessage({ id: `a${n}`, content: `reply ${n} after ${s.messages.length}` })] };
    }).addEdge(lg.START, "talk").addEdge("talk", lg.END);
    run.graph = graph.compile({ checkpointer: run.saver });
    for (let i = 1; i <= 10; i++) await run.graph.invoke({ messages: [new HumanMessage({ id: `h${i}`, content: `turn ${i}` })] }, run.config);
  }],
};

const eventOf = (e) => e ? shorten({ cutoffIndex: e.cutoffIndex, filePath: e.filePath, summaryMessage: dump(e.summaryMessage) }) : null;

async function namespaces(run, file) {
  const db = new Database(file, { readonly: true });
  const rows = db.prepare("SELECT DISTINCT checkpoint_ns AS ns FROM checkpoints WHERE thread_id = ? AND checkpoint_ns <> ''").all(run.name);
  db.close();
  const found = {};
  for (const { ns } of rows) {
    found[ns] = [];
    for await (const t of run.saver.list({ configurable: { thread_id: run.name, checkpoint_ns: ns } })) {
      const v = t.checkpoint.channel_values;
      found[ns].push({ checkpoint_id: t.checkpoint.id, step: t.metadata.step, source: t.metadata.source, messages: (v.messages ?? []).map((m) => run.log.pool(m)) });
    }
    found[ns].reverse();
  }
  return found;
}

const out = path.resolve(process.argv[2]);
const only = process.argv.slice(3);
fs.mkdirSync(out, { recursive: true });
for (const [name, [what, fn]] of Object.entries(scenarios)) {
  if (only.length && !only.includes(name)) continue;
  const file = path.join(out, `${name}.sqlite`);
  for (const s of ["", "-wal", "-shm"]) fs.rmSync(file + s, { force: true });
  const saver = SqliteSaver.fromConnString(file);
  const run = new Run(name, out, saver);
  try {
    await fn(run);
    const checkpoints = [];
    for await (const s of run.graph.getStateHistory(run.config)) {
      const v = s.values;
      checkpoints.push({ checkpoint_id: s.config.configurable.checkpoint_id, parent_checkpoint_id: s.parentConfig?.configurable?.checkpoint_id ?? null,
        step: s.metadata?.step, source: s.metadata?.source, created_at: s.createdAt, next: [...s.next],
        messages: (v.messages ?? []).map((m) => run.log.pool(m)), event: eventOf(v._summarizationEvent), session_id: v._summarizationSessionId ?? null,
        files: shorten(Object.fromEntries(Object.entries(v.files ?? {}).sort())), todos: v.todos ?? null,
        tasks: s.tasks.map((t) => ({ id: t.id, name: t.name, interrupts: t.interrupts?.length ?? 0, interrupt_values: t.interrupts?.map((i) => shorten(JSON.parse(JSON.stringify(i.value)))) ?? [], error: t.error ? String(t.error) : null })) });
    }
    const truth = { scenario: name, what, thread_id: name, language: "javascript",
      packages: Object.fromEntries(["deepagents", "langchain", "@langchain/core", "@langchain/langgraph", "@langchain/langgraph-checkpoint", "@langchain/langgraph-checkpoint-sqlite", "better-sqlite3"].map((p) => [p, version(p)])),
      settings: run.settings, tools: run.log.tools, calls: run.log.calls, checkpoints: checkpoints.reverse(), namespaces: await namespaces(run, file), messages: run.log.messages };
    const last = truth.checkpoints.at(-1);
    truth.final = { messages: last.messages, event: last.event, session_id: last.session_id, files: last.files };
    fs.writeFileSync(path.join(out, `${name}.expected.json`), JSON.stringify(truth, null, 1));
    saver.db.pragma("wal_checkpoint(TRUNCATE)"); saver.db.pragma("journal_mode=DELETE"); saver.db.close();
    console.log(name.padEnd(24), checkpoints.length, "checkpoints", run.log.calls.length, "calls", "cutoffs", [...new Set(truth.checkpoints.filter((c) => c.event).map((c) => c.event.cutoffIndex))].join(","), "last msgs", last.messages.length);
  } catch (e) { console.log(name, "FAILED", e.stack?.split("\n").slice(0, 6).join("\n")); process.exitCode = 1; }
}
