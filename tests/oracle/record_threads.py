#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Record real Deep Agents threads together with what the model really saw.

Every scenario runs the real `deepagents` package against a scripted chat model, with the real
LangGraph savers, and writes three things under OUT/<deepagents version>/:

    <scenario>.sqlite          the checkpoint database exactly as the saver left it
    <scenario>.files/          files a FilesystemBackend left on disk (only where one is used)
    <scenario>.expected.json   the ground truth, see README.md

Usage:
    record_threads.py --out OUT [--only NAME ...] [--skip NAME ...] [--random SEED ...] [--pairs SEED ...] [--postgres DSN] [--list]

The scripted model records each request it gets, so `calls` in the expected file is what a provider
would have received: the only honest reference for "effective messages".
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import inspect
import importlib.metadata as md
import json
import random
import shutil
import struct
import sys
import warnings
import zlib
from pathlib import Path
from typing import Any, Callable

from langchain.agents import create_agent
from langchain.agents.middleware import SummarizationMiddleware as LangChainSummarization
from langchain_core.exceptions import ContextOverflowError
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.store.sqlite import SqliteStore
from langgraph.types import Command

from deepagents import create_deep_agent
from deepagents.backends import CompositeBackend, FilesystemBackend, StateBackend, StoreBackend
from deepagents.middleware.filesystem import FilesystemMiddleware
from deepagents.middleware.summarization import (
    SummarizationMiddleware,
    SummarizationToolMiddleware,
)

warnings.filterwarnings("ignore")
SHORTEN = 4000  # strings longer than this are recorded by length, head, tail and hash


# ---------------------------------------------------------------- scripted model
class ScriptedModel(BaseChatModel):
    """Chat model that answers from a Python callable and keeps every request."""

    script: Any = None
    log: Any = None
    llm_type: str = "scripted-chat"
    provider: str = "openai"
    usage: bool = True
    constant_summary: str | None = None

    @property
    def _llm_type(self) -> str:
        return self.llm_type

    def _get_ls_params(self, stop=None, **kwargs):
        return {"ls_provider": self.provider, "ls_model_type": "chat"}

    def bind_tools(self, tools, **kwargs):
        self.log.tools = [_tool_dict(t) for t in tools]
        return self.bind()

    def _generate(self, messages, stop=None, run_manager=None, **kwargs):
        meta = dict(getattr(run_manager, "metadata", None) or {})
        summary = len(messages) == 1 and isinstance(messages[0], HumanMessage) and "<messages>" in messages[0].text[:20000]
        call = {
            "kind": "summary" if summary else "agent",
            "step": meta.get("langgraph_step"),
            "node": meta.get("langgraph_node"),
            "ns": meta.get("langgraph_checkpoint_ns"),
            "messages": [self.log.pool(m) for m in messages],
            "outcome": "ok",
        }
        self.log.calls.append(call)
        try:
            if summary:
                answer = AIMessage(content=self.constant_summary) if self.constant_summary else _summary(messages[0].text, self.log)
            else:
                answer = self.script(messages)
        except ContextOverflowError:
            call["outcome"] = "context_overflow"
            raise
        if not summary and self.usage:
            size = sum(len(str(m.content)) + len(str(getattr(m, "tool_calls", ""))) for m in messages) // 4
            answer.usage_metadata = {"input_tokens": size, "output_tokens": 20, "total_tokens": size + 20}
            answer.response_metadata = {"model_provider": self.provider, "model_name": "scripted-1"}
        call["answer"] = self.log.pool(answer)
        return ChatResult(generations=[ChatGeneration(message=answer)])


def _tool_dict(t) -> dict:
    if isinstance(t, dict):
        return t
    schema = t.tool_call_schema
    parameters = dict(schema) if isinstance(schema, dict) else dict(schema.model_json_schema())
    parameters.pop("title", None)
    parameters.pop("description", None)
    return {"name": t.name, "description": t.description, "parameters": parameters}


def _summary(prompt: str, log) -> str:
    log.summaries += 1
    n = log.summaries
    return AIMessage(content=(
        f"## SESSION INTENT\nFinish the scripted task (summary {n}).\n\n## SUMMARY\nThe prompt had {len(prompt)} characters.\n\n"
        "## ARTIFACTS\nNone.\n\n## NEXT STEPS\nContinue."
    ))


def shorten(value):
    if isinstance(value, str) and len(value) > SHORTEN:
        data = value.encode("utf-8", "surrogatepass")
        return {"$sha256": hashlib.sha256(data).hexdigest(), "$length": len(value), "$head": value[:200], "$tail": value[-200:]}
    if isinstance(value, list):
        return [shorten(v) for v in value]
    if isinstance(value, dict):
        return {k: shorten(v) for k, v in value.items()}
    return value


class Log:
    """What one scenario saw: calls, bound tools, and a content-addressed pool of messages."""

    def __init__(self):
        self.calls: list[dict] = []
        self.tools: list[dict] = []
        self.messages: dict[str, dict] = {}
        self.summaries = 0

    def pool(self, message) -> str:
        dump = shorten(json.loads(json.dumps(message.model_dump(), default=str)))
        key = hashlib.sha256(json.dumps(dump, sort_keys=True).encode()).hexdigest()[:16]
        self.messages[key] = dump
        return key


# ---------------------------------------------------------------- helpers for scripts
def call(name: str, id: str, /, **args) -> dict:
    return {"name": name, "args": args, "id": id}


def says(text: str = "", *calls: dict) -> AIMessage:
    return AIMessage(content=text, tool_calls=list(calls))


def steps(*answers) -> Callable:
    """A script that gives the answers in turn; an exception instance is raised."""
    queue = list(answers)

    def script(messages):
        answer = queue.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer(messages) if callable(answer) else answer

    return script


WORDS = "order ledger retry cache index shard vector token window agent plan tool result offset limit error trace span".split()


def prose(rng: random.Random, chars: int) -> str:
    out, n = [], 0
    while n < chars:
        w = rng.choice(WORDS)
        out.append(w)
        n += len(w) + 1
    return " ".join(out)[:chars]


def png(colour: tuple[int, int, int], size: int = 24) -> bytes:
    raw = b"".join(b"\0" + bytes(colour) * size for _ in range(size))

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", size, size, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(raw)) + chunk(b"IEND", b""))


@tool
def lookup(topic: str) -> str:
    """Return a paragraph about a topic."""
    return f"{topic}: " + prose(random.Random(topic), 900)


@tool
def dump_log(name: str, lines: int) -> str:
    """Return a long log."""
    rng = random.Random(name)
    return "\n".join(f"{i:06d} {name} {prose(rng, 60)}" for i in range(lines))


@tool
def needle(topic: str) -> str:
    """Return a long text that holds one important fact in its middle."""
    rng = random.Random(topic)
    return prose(rng, 1200) + f"\nIMPORTANT: the passphrase for {topic} is heron-{len(topic)}42.\n" + prose(rng, 1200)


@tool
def screenshot(page: str) -> list[dict]:
    """Return a picture of a page."""
    colour = {"home": (200, 30, 30), "cart": (30, 160, 60)}.get(page, (40, 60, 200))
    return [{"type": "text", "text": f"screenshot of {page}"},
            {"type": "image", "base64": base64.b64encode(png(colour)).decode(), "mime_type": "image/png"}]


class Run:
    """One scenario's settings and how to build its agent."""

    def __init__(self, name: str, out: Path, dsn: str | None):
        self.name, self.out, self.dsn = name, out, dsn
        self.log = Log()
        self.settings: dict[str, Any] = {}
        self.config = {"configurable": {"thread_id": name}, "recursion_limit": 10000}
        self.store = None
        self.saver: Any = None
        self.graph: Any = None

    def model(self, script, *, max_input_tokens=None, **kw):
        self.settings["model"] = {"max_input_tokens": max_input_tokens, "llm_type": kw.get("llm_type", "scripted-chat"),
                                  "provider": kw.get("provider", "openai"), "reports_usage": kw.get("usage", True)}
        profile = {"max_input_tokens": max_input_tokens} if max_input_tokens else None
        return ScriptedModel(script=script, log=self.log, profile=profile, **kw)

    def agent(self, script, *, tools=(), backend=None, trigger=None, keep=("messages", 6), truncate_args=None, trim=None,
              max_input_tokens=None, tool_limit=20000, human_limit=50000, compact_tool=False, defaults=False,
              system_prompt="You are a careful test agent.", subagents=None, interrupt_on=None, llm_type="scripted-chat",
              provider="openai", usage=True, constant_summary=None, blobs=False):
        model = self.model(script, max_input_tokens=max_input_tokens, llm_type=llm_type, provider=provider, usage=usage)
        model.constant_summary = constant_summary
        backend = backend or StateBackend()
        middleware: list[Any] = []
        if not defaults:
            summarization = SummarizationMiddleware(model=model, backend=backend, trigger=trigger, keep=keep,
                                                    trim_tokens_to_summarize=trim, truncate_args_settings=truncate_args)
            middleware = [FilesystemMiddleware(backend=backend, tool_token_limit_before_evict=tool_limit,
                                               human_message_token_limit_before_evict=human_limit,
                                               **({"offload_binary_content": True} if blobs else {})), summarization]
            if compact_tool:
                middleware.append(SummarizationToolMiddleware(summarization))
        self.settings |= {"trigger": trigger, "keep": keep, "truncate_args": truncate_args, "trim_tokens_to_summarize": trim,
                          "tool_token_limit_before_evict": tool_limit, "human_message_token_limit_before_evict": human_limit,
                          "compact_tool": compact_tool, "model_defaults": defaults, "backend": type(backend).__name__,
                          "artifacts_root": getattr(backend, "artifacts_root", "/"), **({"offload_binary_content": True} if blobs else {})}
        self.graph = create_deep_agent(model=model, tools=list(tools), backend=backend, middleware=middleware,
                                       checkpointer=self.saver, store=self.store, system_prompt=system_prompt,
                                       subagents=subagents, interrupt_on=interrupt_on)
        return self.graph

    def say(self, content, **kw):
        return self.graph.invoke({"messages": [HumanMessage(content=content)]}, self.config, **kw)


SCENARIOS: dict[str, tuple[str, Callable[[Run], None]]] = {}


def scenario(what: str):
    def register(fn):
        SCENARIOS[fn.__name__] = (what, fn)
        return fn
    return register


# ---------------------------------------------------------------- scenarios
@scenario("two short turns, no defence fires")
def plain(run):
    run.agent(steps(says("", call("lookup", "p1", topic="herons")), says("Herons wade."), says("You are welcome.")), tools=[lookup])
    run.say("Tell me about herons.")
    run.say("Thanks!")


@scenario("chained summarization by message count over three turns; the needle falls out of the window")
def summarize_chain(run):
    answers = [says("", call("needle", "n0", topic="vault"))]
    for i in range(1, 12):
        answers.append(says(f"step {i}", call("lookup", f"s{i}", topic=f"topic {i}")))
    answers += [says("First part done.")]
    for i in range(12, 18):
        answers.append(says(f"step {i}", call("lookup", f"s{i}", topic=f"topic {i}")))
    answers += [says("Second part done."), says("I no longer know the passphrase.")]
    run.agent(steps(*answers), tools=[lookup, needle], trigger=("messages", 14), keep=("messages", 6))
    run.say("Remember the vault passphrase, then research topics 1 to 11.")
    run.say("Now topics 12 to 17.")
    run.say("What was the passphrase?")


@scenario("summarization by tokens with token keep, parallel tool calls around the cutoff, usage metadata scaling")
def summarize_tokens(run):
    answers = []
    for i in range(10):
        answers.append(says(f"batch {i}", *(call("lookup", f"b{i}.{k}", topic=f"t{i}{k}") for k in range(1 + i % 4))))
    answers.append(says("All done."))
    run.agent(steps(*answers), tools=[lookup], trigger=("tokens", 5200), keep=("tokens", 1500))
    run.say("Look up everything.")


@scenario("fraction trigger and keep from a model profile (defaults of create_deep_agent)")
def profile_defaults(run):
    answers = [says(f"batch {i}", call("lookup", f"f{i}", topic=f"f{i}")) for i in range(30)] + [says("Done.")]
    run.agent(steps(*answers), tools=[lookup], defaults=True, max_input_tokens=10000)
    run.say("Look up thirty things.")


@scenario("anthropic-style model: 3.3 characters a token, list content, dict trigger (AND)")
def anthropic_counting(run):
    answers = []
    for i in range(9):
        m = AIMessage(content=[{"type": "text", "text": f"thinking about {i}"}, {"type": "tool_use", "id": f"a{i}", "name": "lookup", "input": {"topic": f"a{i}"}}],
                      tool_calls=[call("lookup", f"a{i}", topic=f"a{i}")])
        answers.append(m)
    answers.append(says("Done."))
    run.agent(steps(*answers), tools=[lookup], trigger={"tokens": 5000, "messages": 9}, keep=("tokens", 1200), llm_type="anthropic-chat", provider="anthropic")
    run.say("Nine lookups, please.")


@scenario("old write_file and edit_file arguments are truncated, which is enough to avoid a summary")
def truncate_args(run):
    rng = random.Random(5)
    answers = [says("", call("write_file", "w1", file_path="/app/main.py", content="# main\n" + prose(rng, 6000))),
               says("", call("edit_file", "e1", file_path="/app/main.py", old_string="# main\n", new_string="# main — überarbeitet 🐦\n" + prose(rng, 3500)))]
    answers += [says(f"step {i}", call("lookup", f"x{i}", topic=f"x{i}")) for i in range(6)] + [says("Done.")]
    run.agent(steps(*answers), tools=[lookup], trigger=("tokens", 9000), keep=("messages", 6),
              truncate_args={"trigger": ("messages", 8), "keep": ("messages", 6), "max_length": 2000})
    run.say("Write the app.")


@scenario("large tool results are offloaded; ids need sanitising; excluded tools and small ones stay")
def tool_offload(run):
    run.agent(steps(says("", call("dump_log", "call/../1", name="alpha", lines=400), call("lookup", "small", topic="small")),
                    says("", call("read_file", "rf", file_path="/large_tool_results/call____1", offset=0, limit=3)),
                    says("", call("dump_log", "call:2", name="beta", lines=8)), says("Done.")),
              tools=[lookup, dump_log], tool_limit=2000)
    run.say("Dump the logs.")


@scenario("a pasted document is evicted from the request but stays whole in state; a later one too")
def human_eviction(run):
    rng = random.Random(9)
    run.agent(steps(says("Read it."), says("Read that too."), says("Bye.")), human_limit=1000)
    run.say("Please study:\n" + "\n".join(prose(rng, 70) for _ in range(120)))
    run.say([{"type": "text", "text": "\n".join(prose(rng, 70) for _ in range(90))},
             {"type": "image", "base64": base64.b64encode(png((9, 9, 200))).decode(), "mime_type": "image/png"}])
    run.say("short")


@scenario("inline media are offloaded when their messages are summarized: png twice, svg, broken base64, pdf, audio")
def media(run):
    image = base64.b64encode(png((250, 200, 0))).decode()
    svg = "data:image/svg+xml,%3Csvg%20xmlns%3D%22http%3A%2F%2Fwww.w3.org%2F2000%2Fsvg%22%20width%3D%2210%22%20height%3D%2210%22%2F%3E"
    answers = [says("", call("screenshot", "m1", page="home")), says("", call("screenshot", "m2", page="cart"))]
    answers += [says(f"step {i}", call("lookup", f"m{i + 3}", topic=f"m{i}")) for i in range(5)] + [says("Done.")]
    run.agent(steps(*answers), tools=[screenshot, lookup], trigger=("messages", 12), keep=("messages", 4))
    run.say([{"type": "text", "text": "Compare these:"},
             {"type": "image", "base64": image, "mime_type": "image/png"},
             {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{image}"}},
             {"type": "image", "url": svg},
             {"type": "image", "base64": "@@not-base64@@x", "mime_type": "image/png"},
             {"type": "file", "base64": base64.b64encode(b"%PDF-1.4 tiny").decode(), "mime_type": "application/pdf"},
             {"type": "audio", "base64": base64.b64encode(b"RIFFxxxxWAVE").decode(), "mime_type": "audio/wav"}])


@scenario("the provider refuses a batch of huge tool results; summary plus tail clip rescue the turn")
def overflow_clip(run):
    rng = random.Random(3)
    big = "\n".join(prose(rng, 90) for _ in range(220))
    answers = [says("", call("write_file", "o0", file_path="/notes.txt", content=big)),
               says("a", call("lookup", "o1", topic="o1")), says("b", call("lookup", "o2", topic="o2")),
               says("batch", call("dump_log", "o3", name="one", lines=150), call("read_file", "o4", file_path="/notes.txt", offset=0, limit=200),
                    call("dump_log", "o5", name="two", lines=150), call("lookup", "o6", topic="o6")),
               ContextOverflowError("prompt is too long"), says("Rescued."), says("Still here.")]
    run.agent(steps(*answers), tools=[lookup, dump_log], trigger=("tokens", 100000), keep=("tokens", 3000))
    run.say("Gather everything.")
    run.say("And now?")


@scenario("dangling and malformed tool calls are patched when the thread resumes")
def dangling(run):
    def malformed(_):
        m = says("", call("lookup", "d2", topic="b"))
        m.invalid_tool_calls = [{"name": "lookup", "args": '{"topic": "c', "id": "d3", "error": "cut", "type": "invalid_tool_call"}]
        return m
    run.agent(steps(says("", call("lookup", "d1", topic="a")), malformed, says("Recovered.")), tools=[lookup], interrupt_on={"lookup": True})
    run.say("Begin.")
    run.say("Never mind, start over.")
    run.say("Once more.")


@scenario("compact_conversation: refused when too early, then accepted, then automatic summarization chains on it")
def compact_tool(run):
    answers = [says("", call("compact_conversation", "k0"))]
    answers += [says(f"step {i}", call("lookup", f"k{i}", topic=f"k{i}")) for i in range(1, 7)]
    answers += [says("", call("compact_conversation", "k9"))]
    answers += [says(f"more {i}", call("lookup", f"l{i}", topic=f"l{i}")) for i in range(1, 9)] + [says("Done.")]
    run.agent(steps(*answers), tools=[lookup], trigger=("messages", 18), keep=("messages", 4), compact_tool=True)
    run.say("Work, and compact when you like.")


@scenario("a subagent works in its own checkpoint namespace and summarizes there")
def subagent(run):
    sub = [says(f"sub {i}", call("lookup", f"u{i}", topic=f"u{i}")) for i in range(4)] + [says("Subagent result.")]
    answers = [says("", call("task", "t1", description="Look up four things", subagent_type="general-purpose"))] + sub + [says("Main done.")]
    run.agent(steps(*answers), tools=[lookup], trigger=("messages", 7), keep=("messages", 3))
    run.say("Delegate.")


@scenario("time travel: a fork from an earlier checkpoint and a manual update_state, so the thread has two branches")
def fork(run):
    answers = [says("a", call("lookup", "g1", topic="g1")), says("b", call("lookup", "g2", topic="g2")), says("Old end."),
               says("c", call("lookup", "g3", topic="g3")), says("New end.")]
    run.agent(steps(*answers), tools=[lookup])
    run.say("Explore.")
    history = list(run.graph.get_state_history(run.config))
    early = next(s for s in history if len(s.values.get("messages", [])) == 3)
    forked = run.graph.update_state(early.config, {"messages": [HumanMessage(content="Take the other road.")]})
    run.graph.invoke(None, forked)


@scenario("human in the loop: the thread rests at an interrupt with pending writes, is resumed, and rests again")
def interrupted(run):
    run.agent(steps(says("", call("lookup", "i1", topic="i1")), says("", call("lookup", "i2", topic="i2"))), tools=[lookup], interrupt_on={"lookup": True})
    run.say("Look, but ask first.")
    run.graph.invoke(Command(resume={"decisions": [{"type": "approve"}]}), run.config)


@scenario("archive on disk: FilesystemBackend under a root directory, two summaries appended to one file")
def disk_backend(run):
    root = run.out / f"{run.name}.files"
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir(parents=True)
    answers = [says(f"step {i}", call("lookup", f"q{i}", topic=f"q{i}")) for i in range(12)] + [says("Done.")]
    run.agent(steps(*answers), tools=[lookup], backend=FilesystemBackend(root_dir=root, virtual_mode=True), trigger=("messages", 12), keep=("messages", 6))
    run.say("Twelve lookups.")


@scenario("archive in a LangGraph store behind a CompositeBackend with artifacts_root")
def store_backend(run):
    backend = CompositeBackend(default=StateBackend(), routes={"/memories/": StoreBackend(namespace=lambda rt: ("agent", "filesystem"))}, artifacts_root="/memories")
    answers = [says(f"step {i}", call("lookup", f"v{i}", topic=f"v{i}")) for i in range(8)] + [says("Done.")]
    run.agent(steps(*answers), tools=[lookup, dump_log], backend=backend, trigger=("messages", 10), keep=("messages", 4), tool_limit=2000)
    run.say("Eight lookups.")


if "offload_binary_content" in inspect.signature(FilesystemMiddleware.__init__).parameters:

    @scenario("binary content moves to blobs on disk: a human picture and two read_file results (0.7.32)")
    def blob_offload(run):
        root = run.out / f"{run.name}.files"
        shutil.rmtree(root, ignore_errors=True)
        root.mkdir(parents=True)
        (root / "red.png").write_bytes(png((220, 20, 20)))
        (root / "blue.png").write_bytes(png((20, 20, 220)))
        answers = [says("", call("read_file", "b1", file_path="/red.png"), call("lookup", "b2", topic="b2")), says("", call("read_file", "b3", file_path="/blue.png")),
                   says("Seen."), says("", call("lookup", "b4", topic="b4")), says("Still there.")]
        run.agent(steps(*answers), tools=[lookup], backend=FilesystemBackend(root_dir=root, virtual_mode=True), trigger=("messages", 100), keep=("messages", 50), blobs=True)
        run.say([{"type": "text", "text": "Look:"}, {"type": "image", "base64": base64.b64encode(png((250, 200, 0))).decode(), "mime_type": "image/png"}])
        run.say("And now?")


@scenario("the archive cannot be written (read-only backend): the event has file_path null and a warning is due")
def archive_failure(run):
    class ReadOnly(StateBackend):
        def write(self, path, content):
            from deepagents.backends.protocol import WriteResult
            return WriteResult(error="read-only backend")
        def edit(self, *a, **k):
            from deepagents.backends.protocol import EditResult
            return EditResult(error="read-only backend")
        def upload_files(self, files):
            from deepagents.backends.protocol import FileUploadResponse
            return [FileUploadResponse(path=p, error="permission_denied") for p, _ in files]
    answers = [says(f"step {i}", call("lookup", f"r{i}", topic=f"r{i}")) for i in range(8)] + [says("Done.")]
    run.agent(steps(*answers), tools=[lookup], backend=ReadOnly(), trigger=("messages", 10), keep=("messages", 4))
    run.say([{"type": "text", "text": "Eight lookups."}, {"type": "image", "base64": base64.b64encode(png((1, 2, 3))).decode(), "mime_type": "image/png"}])


@scenario("260 steps: several snapshots at snapshot_frequency 50 and deep replays between them")
def long_run(run):
    answers = [says(f"step {i}", call("lookup", f"z{i}", topic=f"z{i}")) for i in range(130)] + [says("Done.")]
    run.agent(steps(*answers), tools=[lookup], trigger=("tokens", 20000), keep=("messages", 20))
    run.say("A hundred and thirty lookups.")


@scenario("durability exit: delta writes carry synthetic task ids that embed the step")
def exit_durability(run):
    answers = [says(f"step {i}", call("lookup", f"y{i}", topic=f"y{i}")) for i in range(5)] + [says("Done."), says("Bye.")]
    run.agent(steps(*answers), tools=[lookup])
    run.say("Five lookups.", durability="exit")
    run.say("Bye.", durability="exit")


@scenario("contrast: LangChain's own middleware rewrites state, full copies in every checkpoint")
def langchain_destructive(run):
    answers = [says(f"step {i}", call("lookup", f"h{i}", topic=f"h{i}")) for i in range(8)] + [says("Done.")]
    model = run.model(steps(*answers))
    middleware = LangChainSummarization(model=model, trigger=("messages", 10), keep=("messages", 4))
    run.settings |= {"trigger": ("messages", 10), "keep": ("messages", 4), "middleware": "langchain.SummarizationMiddleware"}
    run.graph = create_agent(model, [lookup], middleware=[middleware], checkpointer=run.saver, system_prompt="You are a careful test agent.")
    run.say("Eight lookups.")


@scenario("contrast: what LangChain's middleware keeps came after the last call, so no request ever held it whole")
def langchain_destructive_late(run):
    answers = [says(f"step {i}", call("lookup", f"j{i}", topic=f"j{i}")) for i in range(3)] + [says("Done."), says("", call("lookup", "j4", topic="j4")), says("Bye.")]
    model = run.model(steps(*answers))
    middleware = LangChainSummarization(model=model, trigger=("messages", 5), keep=("messages", 1), trim_tokens_to_summarize=2000)
    run.settings |= {"trigger": ("messages", 5), "keep": ("messages", 1), "trim_tokens_to_summarize": 2000, "middleware": "langchain.SummarizationMiddleware"}
    run.graph = create_agent(model, [lookup], middleware=[middleware], checkpointer=run.saver, system_prompt="You are a careful test agent.")
    run.say("Three lookups.")
    run.say("One more.")


@scenario("a tool call with malformed arguments beside a good one: the model's node answers it and writes the whole log back")
def malformed_call(run):
    def malformed(_):
        m = says("two", call("lookup", "e2", topic="b"))
        m.invalid_tool_calls = [{"name": "lookup", "args": '{"topic": "c', "id": "e3", "error": "cut", "type": "invalid_tool_call"}]
        return m
    answers = [says("one", call("lookup", "e1", topic="a")), malformed] + [says(f"step {i}", call("lookup", f"e{i}", topic=f"e{i}")) for i in range(4, 9)]
    answers += [says("Done."), says("Of course.")]
    run.agent(steps(*answers), tools=[lookup], trigger=("messages", 9), keep=("messages", 3))
    run.say("Look up some things.")
    run.graph.update_state(run.config, {"messages": [AIMessage(content="I said so myself.", id="by-hand")]}, as_node="model")
    run.say("Thanks!")


# ---------------------------------------------------------------- random threads
SCRIPTS = ["plain words in ascii", "日本語のテキストをここに書く", "Ünïcödé «guillemets» and 🐦🦉 emoji", 'quotes " and \' and \\ and <xml> & entities', "tabs\tand\nnewlines\r\n end"]


PAIR_SUMMARY = "## SESSION INTENT\nScripted.\n\n## SUMMARY\nThe same text every time.\n\n## ARTIFACTS\nNone.\n\n## NEXT STEPS\nGo on."


def random_thread(run: Run, seed: int, twin: str | None = None) -> None:
    """A thread with random settings, tools, text, media, turns and provider overflows.

    twin "a" or "b": the same script under two draws of the compaction settings, without usage reports, refusals or
    changing summaries, so that a replay of one with the other's settings must take the other's decisions.
    """
    rng = random.Random(seed)
    image = base64.b64encode(png((rng.randrange(256), 10, 10))).decode()
    total = rng.randrange(8, 40)
    answers: list[Any] = []
    for i in range(total):
        roll, text = rng.random(), rng.choice(SCRIPTS) * rng.randrange(1, 6)
        ident = f"r{seed}.{i}" if rng.random() < 0.85 else f"call/{i}..{'x' * rng.randrange(1, 80)}"
        if roll < 0.40:
            answers.append(says(text, call("lookup", ident, topic=text[:20] + str(i))))
        elif roll < 0.55:
            answers.append(says(text, *(call("lookup", f"{ident}.{k}", topic=f"{i}{k}") for k in range(rng.randrange(2, 5)))))
        elif roll < 0.65:
            answers.append(says("", call("write_file", ident, file_path=f"/w{i}.txt", content=(text + prose(rng, rng.randrange(10, 5000))))))
        elif roll < 0.75:
            answers.append(says("", call("dump_log", ident, name=f"log{i}", lines=rng.randrange(3, 200))))
        elif roll < 0.82:
            answers.append(says("", call("screenshot", ident, page=rng.choice(["home", "cart", "other"]))))
        elif roll < 0.88:
            answers.append(says("", call("read_file", ident, file_path=f"/w{rng.randrange(total)}.txt", offset=0, limit=50)))
        elif roll < 0.93:
            m = AIMessage(content=[{"type": "reasoning", "reasoning": text}, {"type": "text", "text": text}], tool_calls=[call("lookup", ident, topic=str(i))])
            answers.append(m)
        else:
            answers.append(says(text))
    overflow_at = set() if twin else {rng.randrange(total) for _ in range(rng.choice([0, 0, 1, 2]))}
    turns = rng.randrange(1, 4)
    texts = []
    for turn in range(turns):
        text = rng.choice(SCRIPTS) + " " + prose(rng, rng.choice([40, 400, 6000]))
        texts.append(text if rng.random() < 0.6 else [{"type": "text", "text": text}, {"type": "image", "base64": image, "mime_type": "image/png"}])
    limits = {"tool_limit": rng.choice([400, 2000, 20000]), "human_limit": rng.choice([300, 50000]), "max_input_tokens": rng.choice([9000, 15000]),
              "llm_type": rng.choice(["scripted-chat", "anthropic-chat"]), "provider": rng.choice(["openai", "anthropic"])}
    if twin:
        rng = random.Random(f"{seed}{twin}")
        run.config["recursion_limit"] = 400
    script = steps(*(a for i, a in enumerate(answers) for a in ([ContextOverflowError("too long"), a] if i in overflow_at else [a])), *([says("end")] * 50))
    trigger = rng.choice([("messages", rng.randrange(8, 20)), ("tokens", rng.randrange(3000, 9000)), ("fraction", 0.6),
                          {"messages": rng.randrange(6, 14), "tokens": rng.randrange(2500, 6000)},
                          [("messages", rng.randrange(10, 30)), ("tokens", rng.randrange(3000, 9000))]])
    keep = rng.choice([("messages", rng.randrange(2, 9)), ("tokens", rng.randrange(300, 2500)), ("fraction", rng.choice([0.05, 0.1, 0.3]))])
    truncation = rng.choice([None, {"trigger": ("messages", rng.randrange(4, 12)), "keep": ("messages", rng.randrange(2, 8)), "max_length": rng.choice([200, 2000])},
                             {"trigger": ("tokens", rng.randrange(1500, 5000)), "keep": ("tokens", rng.randrange(300, 2000)), "truncation_text": "…[cut]"}])
    run.agent(script, tools=[lookup, dump_log, screenshot], trigger=trigger, keep=keep, truncate_args=truncation,
              trim=None if twin else rng.choice([None, None, 400, 4000]), usage=not twin and rng.random() < 0.7,
              constant_summary=PAIR_SUMMARY if twin else None, **limits)
    for content in texts:
        try:
            run.say(content)
        except ContextOverflowError:
            pass  # the second refusal ends the turn; the thread goes on with the next one
    if twin:
        run.settings["summary_text"] = PAIR_SUMMARY


# ---------------------------------------------------------------- ground truth
def plain_json(value):
    return json.loads(json.dumps(value, default=lambda o: o.model_dump() if hasattr(o, "model_dump") else (o.decode("latin1") if isinstance(o, bytes) else str(o))))


def checkpoints(run: Run) -> list[dict]:
    rows = []
    for s in run.graph.get_state_history(run.config):
        v = s.values
        rows.append({
            "checkpoint_id": s.config["configurable"]["checkpoint_id"],
            "parent_checkpoint_id": (s.parent_config or {}).get("configurable", {}).get("checkpoint_id"),
            "step": s.metadata.get("step"), "source": s.metadata.get("source"), "created_at": s.created_at, "next": list(s.next),
            "messages": [run.log.pool(m) for m in v.get("messages", [])],
            "event": shorten(plain_json(v.get("_summarization_event"))),
            "session_id": v.get("_summarization_session_id"),
            "files": {p: shorten(plain_json(f)) for p, f in sorted((v.get("files") or {}).items())},
            "tasks": [{"id": t.id, "name": t.name, "interrupts": len(t.interrupts), "error": t.error and str(t.error)} for t in s.tasks],
        })
    return rows[::-1]


def namespaces(run: Run) -> dict[str, list[dict]]:
    """State of every checkpoint outside the root namespace (subagents), replayed by LangGraph itself."""
    from deepagents._messages_reducer import _messages_delta_reducer
    from deepagents.middleware.filesystem import _file_data_delta_reducer
    from langgraph.channels.delta import DeltaChannel
    from langgraph.pregel._checkpoint import channels_from_checkpoint

    specs = {}
    for key, reducer, typ in (("messages", _messages_delta_reducer, list), ("files", _file_data_delta_reducer, dict)):
        channel = DeltaChannel(reducer, typ, snapshot_frequency=50)
        channel.key = key
        specs[key] = channel
    found: dict[str, list[dict]] = {}
    for item in list(run.saver.list({"configurable": {"thread_id": run.name}})):  # list() holds the lock
        ns = item.config["configurable"]["checkpoint_ns"]
        if not ns:
            continue
        channels, _ = channels_from_checkpoint(specs, item.checkpoint, saver=run.saver, config=item.config)
        values = item.checkpoint["channel_values"]
        found.setdefault(ns, []).append({
            "checkpoint_id": item.checkpoint["id"], "step": item.metadata.get("step"), "source": item.metadata.get("source"),
            "messages": [run.log.pool(m) for m in channels["messages"].get()],
            "event": shorten(plain_json(values.get("_summarization_event"))), "session_id": values.get("_summarization_session_id"),
            "files": {p: shorten(plain_json(f)) for p, f in sorted(channels["files"].get().items())},
        })
    return {ns: rows[::-1] for ns, rows in found.items()}


def record(name: str, out: Path, dsn: str | None) -> dict:
    what, fn = SCENARIOS[name]
    run = Run(name, out, dsn)
    path = out / f"{name}.sqlite"
    for suffix in ("", "-wal", "-shm"):
        Path(str(path) + suffix).unlink(missing_ok=True)
    if dsn:
        from langgraph.checkpoint.postgres import PostgresSaver
        context = PostgresSaver.from_conn_string(dsn)
    else:
        context = SqliteSaver.from_conn_string(str(path))
    if dsn:
        from langgraph.store.postgres import PostgresStore
        store_context = PostgresStore.from_conn_string(dsn)
    else:
        store_context = SqliteStore.from_conn_string(str(path))
    with context as saver, store_context as store:
        saver.setup()
        store.setup()
        run.saver, run.store = saver, store
        fn(run)
        truth = {
            "scenario": name, "what": what, "thread_id": name,
            "packages": {p: md.version(p) for p in ("deepagents", "langchain", "langchain-core", "langgraph", "langgraph-checkpoint", "langgraph-checkpoint-sqlite", "langgraph-checkpoint-postgres")},
            "settings": run.settings, "tools": run.log.tools, "tools_chars": sum(len(json.dumps(t)) for t in run.log.tools),
            "calls": run.log.calls, "checkpoints": checkpoints(run), "namespaces": namespaces(run), "messages": run.log.messages,
        }
    if not dsn:
        import sqlite3
        with sqlite3.connect(path) as db:
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            db.execute("PRAGMA journal_mode=DELETE")
    (out / f"{name}.expected.json").write_text(json.dumps(truth, indent=1, ensure_ascii=False))
    return truth


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--skip", nargs="*", default=[])
    parser.add_argument("--postgres", help="write to this database instead of SQLite files")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--random", nargs="*", type=int, default=[], metavar="SEED", help="record random threads instead of the scenarios")
    parser.add_argument("--pairs", nargs="*", type=int, default=[], metavar="SEED", help="record the same random script under two settings")
    options = parser.parse_args()
    if options.list:
        for name, (what, _) in SCENARIOS.items():
            print(f"{name:22} {what}")
        return
    for seed in options.pairs:
        for twin in "ab":
            SCENARIOS[f"pair_{seed}_{twin}"] = (f"script {seed} under settings {twin}", lambda run, seed=seed, twin=twin: random_thread(run, seed, twin))
    for seed in options.random:
        SCENARIOS[f"random_{seed}"] = (f"random thread from seed {seed}", lambda run, seed=seed: random_thread(run, seed))
    if options.random or options.pairs:
        options.only = [f"random_{seed}" for seed in options.random] + [f"pair_{seed}_{twin}" for seed in options.pairs for twin in "ab"]
    out = options.out / md.version("deepagents")
    out.mkdir(parents=True, exist_ok=True)
    failed = 0
    for name in options.only or SCENARIOS:
        if name in options.skip:
            continue
        try:
            truth = record(name, out, options.postgres)
        except Exception as error:  # noqa: BLE001
            failed += 1
            import traceback
            traceback.print_exc()
            print(f"{name:22} FAILED {type(error).__name__}: {error}")
            continue
        events = [c["event"]["cutoff_index"] for c in truth["checkpoints"] if c["event"]]
        print(f"{name:22} {len(truth['checkpoints']):4} checkpoints {len(truth['calls']):4} calls  cutoffs {sorted(set(events))}")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
