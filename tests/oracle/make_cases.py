#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Make the small databases of tests/data/cases: faults that people reported, each with the real packages and savers.

Usage:
    make_cases.py --out tests/data/cases [--only NAME ...]

Runs in an environment with deepagents and langgraph-checkpoint-sqlite. What a fault needs beyond a run (a backend that
forgets, a value whose class is gone) is made here by hand and said so in the case's docstring.
"""

from __future__ import annotations

import argparse
import base64
import collections
import dataclasses
import datetime
import enum
import json
import math
import sqlite3
import sys
import types
import uuid
from pathlib import Path
from zoneinfo import ZoneInfo

sys.path.insert(0, str(Path(__file__).parent))
from record_threads import ScriptedModel, Log, call, png, prose, says, steps  # noqa: E402

from langchain.agents import create_agent  # noqa: E402
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage  # noqa: E402
from langchain_core.tools import tool  # noqa: E402
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer  # noqa: E402
from langgraph.checkpoint.sqlite import SqliteSaver  # noqa: E402

from deepagents.backends import StateBackend  # noqa: E402
from deepagents.backends.protocol import EditResult, FileDownloadResponse, FileUploadResponse, WriteResult  # noqa: E402
from deepagents.middleware.filesystem import FilesystemMiddleware  # noqa: E402
from deepagents.middleware.patch_tool_calls import PatchToolCallsMiddleware  # noqa: E402
from deepagents.middleware.summarization import SummarizationMiddleware, SummarizationToolMiddleware  # noqa: E402

import random  # noqa: E402

CASES = {}
IMAGE = {"type": "image", "base64": base64.b64encode(png((250, 200, 0), 4)).decode(), "mime_type": "image/png"}


def case(function):
    CASES[function.__name__] = function
    return function


class Model(ScriptedModel):
    """Answers summary prompts with given texts, the last one for ever."""

    summaries: list = []

    def _generate(self, messages, stop=None, run_manager=None, **kwargs):
        prompt = len(messages) == 1 and isinstance(messages[0], HumanMessage) and "<messages>" in messages[0].text[:20000]
        if prompt and self.summaries:
            text = self.summaries.pop(0) if len(self.summaries) > 1 else self.summaries[0]
            from langchain_core.outputs import ChatGeneration, ChatResult
            return ChatResult(generations=[ChatGeneration(message=AIMessage(content=text))])
        return super()._generate(messages, stop, run_manager, **kwargs)


SUMMARY = "## SESSION INTENT\nLook things up.\n\n## SUMMARY\nSome were looked up.\n\n## ARTIFACTS\nNone.\n\n## NEXT STEPS\nGo on."


@tool
def look(topic: str) -> str:
    """Look a topic up."""
    return f"{topic}: " + prose(random.Random(topic), 300)


@tool
def dump(name: str, lines: int) -> str:
    """Return a log."""
    return "\n".join(f"{i:04d} {name} {prose(random.Random(name + str(i)), 40)}" for i in range(lines))


@tool
def picture(name: str, lines: int) -> list[dict]:
    """Return a log with a picture."""
    text = "\n".join(f"{i:04d} {name} {prose(random.Random(name + str(i)), 40)}" for i in range(lines))
    return [{"type": "text", "text": text}, IMAGE]


def agent(saver, answers, *, trigger=None, keep=("messages", 3), backend=None, tools=(look,), summaries=(SUMMARY,),
          tool_limit=20000, compact_tool=False, provider="openai", usage=False, truncate_args=None):
    """An agent of deepagents' middleware alone, so that its threads stay small."""
    backend = backend or StateBackend()
    model = Model(script=steps(*answers), log=Log(), provider=provider, usage=usage, summaries=list(summaries))
    summarization = SummarizationMiddleware(model=model, backend=backend, trigger=trigger, keep=keep,
                                            trim_tokens_to_summarize=None, truncate_args_settings=truncate_args)
    middleware = [FilesystemMiddleware(backend=backend, tool_token_limit_before_evict=tool_limit), summarization, PatchToolCallsMiddleware()]
    if compact_tool:
        middleware.append(SummarizationToolMiddleware(summarization))
    return create_agent(model, list(tools), middleware=middleware, checkpointer=saver, system_prompt="Be brief.")


def config(thread):
    return {"configurable": {"thread_id": thread}, "recursion_limit": 200}


def say(graph, thread, content):
    graph.invoke({"messages": content if isinstance(content, list) and not isinstance(content[0], dict) else [HumanMessage(content=content)]}, config(thread))


def lookups(prefix, count):
    return [says(f"step {i}", call("look", f"{prefix}{i}", topic=f"{prefix}{i}")) for i in range(count)] + [says("Done.")]


# ---------------------------------------------------------------- D1
@case
def orphan_by_cutoff(saver):
    """Two AI messages in a row, their results behind both: the cut leaves a result without its call (langchain#38352)."""
    def ai(ident):
        return says("", call("look", ident, topic=ident))
    def result(ident):
        return ToolMessage(content="found", tool_call_id=ident, name="look")
    graph = agent(saver, [says("Well.")], trigger=("messages", 6), keep=("messages", 2))
    say(graph, "second", [HumanMessage(content="go"), ai("call_A"), ai("call_B"), result("call_A"), result("call_B"), HumanMessage(content="and?")])
    # The effective list [summary, AI(call_B), Tool(call_A), Tool(call_B), AI]: an update from outside brings the event.
    graph = agent(saver, [says("Well.")], trigger=("messages", 5), keep=("messages", 2))
    summary = HumanMessage(content="Here is a summary of the conversation to date:\n\n" + SUMMARY, additional_kwargs={"lc_source": "summarization"})
    graph.update_state(config("first"), {
        "messages": [HumanMessage(content="go"), ai("call_A"), ai("call_B"), result("call_A"), result("call_B"), says("So.")],
        "_summarization_event": {"cutoff_index": 2, "summary_message": summary, "file_path": None}}, as_node="tools")
    graph.invoke(None, config("first"))


# ---------------------------------------------------------------- D2
@case
def untyped_overwrite(saver):
    """A write {"value": [messages]} after two turns: an Overwrite that lost its type (deepagents#3788). Row by hand."""
    graph = agent(saver, [says("One."), says("Two.")])
    say(graph, "typed", "first")
    say(graph, "typed", "second")
    at = saver.get_tuple(config("typed"))
    kind, value = saver.serde.dumps_typed({"value": [HumanMessage(content="start over", id="reset")]})
    task = str(uuid.UUID(int=7))
    saver.conn.execute("INSERT INTO writes (thread_id, checkpoint_ns, checkpoint_id, task_id, idx, channel, type, value, task_path) VALUES (?,?,?,?,?,?,?,?,?)",
                       ("typed", "", at.checkpoint["id"], task, 0, "messages", kind, value, "~__pregel_pull, model"))
    child = dict(at.checkpoint)
    child["channel_values"] = dict(at.checkpoint["channel_values"])
    child["channel_versions"] = dict(at.checkpoint["channel_versions"])
    old = child["channel_versions"]["messages"]
    child["channel_versions"]["messages"] = f"{int(old.split('.')[0]) + 1:032}.0.5"
    child["id"] = next_id(at.checkpoint["id"], at.metadata["step"] + 1)
    counters = {k: [v[0] + 1, v[1] + 1] for k, v in at.metadata.get("counters_since_delta_snapshot", {}).items()}
    saver.put(at.config, child, {**at.metadata, "step": at.metadata["step"] + 1, "counters_since_delta_snapshot": counters}, {})


def next_id(previous, step):
    """A checkpoint id behind `previous`, with its step where LangGraph puts it."""
    fields = list(uuid.UUID(previous).fields)
    value = ((fields[0] << 28) | (fields[1] << 12) | (fields[2] & 0xFFF)) + 1000
    return f"{value >> 28:08x}-{(value >> 12) & 0xFFFF:04x}-6{value & 0xFFF:03x}-{0x8000 | step:04x}-{previous.rsplit('-', 1)[1]}"


# ---------------------------------------------------------------- D3
@case
def gone_classes(saver):
    """Values of classes whose module is gone, odd numbers and texts, and a pickle row beside msgpack rows."""
    from pydantic import BaseModel
    gone = types.ModuleType("gone_app.models")
    sys.modules["gone_app"] = types.ModuleType("gone_app")
    sys.modules["gone_app"].models = gone
    sys.modules["gone_app.models"] = gone

    @dataclasses.dataclass
    class Ticket:
        number: int
        title: str

    class Customer(BaseModel):
        name: str

    class Outer:
        class Mood(enum.Enum):
            GOOD = "good"

    class Closed:
        """Pickles only."""

    for cls in (Ticket, Customer, Outer, Outer.Mood, Closed):
        cls.__module__ = "gone_app.models"
        cls.__qualname__ = cls.__name__ if cls is not Outer.Mood else "Outer.Mood"
        setattr(gone, cls.__name__, cls)
    values = {"ticket": Ticket(7, "lost"), "customer": Customer(name="Ada"), "mood": Outer.Mood.GOOD,
              "recent": collections.deque([1, 2], maxlen=3), "when": datetime.datetime(2026, 1, 2, 3, 4, tzinfo=ZoneInfo("Europe/Rome")),
              "odd": [math.nan, "a\0b", "lone ?", None], "nothing": None}
    previous = None
    for step, more in enumerate(({}, values, {"closed": Closed()})):
        from langgraph.checkpoint.base import empty_checkpoint
        checkpoint = empty_checkpoint()
        checkpoint["v"] = 4
        checkpoint["id"] = f"1f1a0000-0000-6{step:03x}-{0x8000 | step:04x}-000000000001"
        checkpoint["channel_values"] = {"messages": [HumanMessage(content="hello", id="m1")], **({} if step == 2 else {}), **more}
        checkpoint["channel_versions"] = {name: f"{step + 1:032}.0.1" for name in checkpoint["channel_values"]}
        plain = saver.serde
        if step == 2:
            saver.serde = JsonPlusSerializer(pickle_fallback=True)
        where = {"configurable": {"thread_id": "gone", "checkpoint_ns": "", **({"checkpoint_id": previous} if previous else {})}}
        saver.put(where, checkpoint, {"source": "loop", "step": step, "parents": {}}, {})
        saver.serde = plain
        previous = checkpoint["id"]


# ---------------------------------------------------------------- D5
@case
def media_lost(saver):
    """A picture summarized by compact_conversation, by the automatic path, and with a backend that refuses uploads."""
    ask = [{"type": "text", "text": "What is this?"}, IMAGE]
    graph = agent(saver, [says("A square.")] + lookups("k", 3)[:3] + [says("", call("compact_conversation", "c1")), says("Compacted.")],
                  trigger=("messages", 14), keep=("messages", 2), compact_tool=True)
    say(graph, "tool", ask)
    say(graph, "tool", "go on")
    graph = agent(saver, lookups("a", 4), trigger=("messages", 6), keep=("messages", 2))
    say(graph, "automatic", ask)

    class NoUploads(StateBackend):
        def upload_files(self, files):
            return [FileUploadResponse(path=path, error="permission_denied") for path, _ in files]
    graph = agent(saver, lookups("f", 4), trigger=("messages", 6), keep=("messages", 2), backend=NoUploads())
    say(graph, "refused", ask)
    thinking = AIMessage(content=[{"type": "thinking", "thinking": "hmm", "signature": "s"},
                                  {"type": "server_tool_use", "id": "srv1", "name": "web_search", "input": {"query": "x"}},
                                  {"type": "web_search_tool_result", "tool_use_id": "srv1", "content": []},
                                  {"type": "text", "text": "Found."}])
    graph = agent(saver, [thinking] + lookups("t", 4), trigger=("messages", 6), keep=("messages", 2), provider="anthropic")
    say(graph, "blocks", "search")
    say(graph, "blocks", "more")


# ---------------------------------------------------------------- D6
@case
def archives(saver):
    """Archives that are missing, elsewhere, partial, never written, shared by two agents."""
    class Lying(StateBackend):
        def write(self, path, content):
            return WriteResult(path=path) if "conversation_history" in path else super().write(path, content)

        def edit(self, file_path, old_string, new_string, replace_all=False):
            return EditResult(path=file_path, occurrences=1)

    class ReadOnly(StateBackend):
        def write(self, path, content):
            return WriteResult(error="read-only")

    class Forgetful(StateBackend):
        """Appending starts anew every time: the file holds the last section only."""
        def download_files(self, paths):
            return [FileDownloadResponse(path=path, error="file_not_found") for path in paths]

        def write(self, path, content):
            from deepagents.backends.state import StateBackend as Base
            self._send_files_update({path: self._entry(content)}) if hasattr(self, "_entry") else None
            return Base.write(self, path, content)

    class Renaming(StateBackend):
        target = "/conversation_history/renamed.md"

        def _moved(self, path):
            return self.target if path.startswith("/conversation_history/session_") else path

        def download_files(self, paths):
            return [dataclasses.replace(r, path=p) for p, r in zip(paths, super().download_files([self._moved(p) for p in paths]))]

        def write(self, path, content):
            result = super().write(self._moved(path), content)
            return WriteResult(path=path, error=result.error)

        def edit(self, file_path, old_string, new_string, replace_all=False):
            result = super().edit(self._moved(file_path), old_string, new_string, replace_all)
            return EditResult(path=file_path, error=result.error, occurrences=result.occurrences)

    class OtherRoot(Renaming):
        def _moved(self, path):
            return "/other" + path if path.startswith("/conversation_history/session_") else path

    note = says("", call("write_file", "w", file_path="/note.txt", content="a note"))
    for thread, backend in (("missing", Lying()), ("null_path", ReadOnly()), ("renamed", Renaming()), ("other_root", OtherRoot())):
        graph = agent(saver, [note] + lookups(thread[0], 4), trigger=("messages", 6), keep=("messages", 2), backend=backend)
        say(graph, thread, "go")
    graph = agent(saver, lookups("n", 4), trigger=("messages", 6), keep=("messages", 2), backend=Lying())
    say(graph, "not_loaded", "go")
    graph = agent(saver, lookups("p", 9), trigger=("messages", 6), keep=("messages", 2))
    say(graph, "partial", "go")
    keep_last_section(saver, "partial")

    def shared(self, state):
        return "mixed"
    from deepagents import create_deep_agent
    original = SummarizationMiddleware._get_session_id
    import deepagents.middleware.summarization as module
    for cls in {SummarizationMiddleware, getattr(module, "_DeepAgentsSummarizationMiddleware", SummarizationMiddleware)}:
        cls._get_session_id = shared
    try:
        backend = StateBackend()
        sub = [says(f"sub {i}", call("look", f"u{i}", topic=f"u{i}")) for i in range(4)] + [says("Subagent result.")]
        answers = lookups("v", 3)[:3] + [says("", call("task", "t1", description="Look up four things", subagent_type="general-purpose"))] + sub + lookups("w", 2)
        model = Model(script=steps(*answers), log=Log(), usage=False, summaries=[SUMMARY])
        summarization = SummarizationMiddleware(model=model, backend=backend, trigger=("messages", 7), keep=("messages", 3))
        graph = create_deep_agent(model=model, tools=[look], backend=backend, checkpointer=saver, system_prompt="Be brief.",
                                  middleware=[FilesystemMiddleware(backend=backend), summarization])
        say(graph, "mixed", "go")
    finally:
        for cls in {SummarizationMiddleware, getattr(module, "_DeepAgentsSummarizationMiddleware", SummarizationMiddleware)}:
            cls._get_session_id = original


def keep_last_section(saver, thread):
    """Every stored form of the archive loses all sections but its last, as after a backend that starts anew."""
    def shorter(text):
        return text if text.count("## Summarized at ") < 2 else "## Summarized at " + text.rsplit("## Summarized at ", 1)[1]

    def change(value):
        if isinstance(value, dict):
            return {k: ({**v, "content": shorter(v["content"])} if k.startswith("/conversation_history/") and isinstance(v, dict) else change(v)) for k, v in value.items()}
        return value
    serde = saver.serde
    for rowid, kind, value in saver.conn.execute("SELECT rowid, type, value FROM writes WHERE thread_id = ? AND channel = 'files'", (thread,)).fetchall():
        kind, value = serde.dumps_typed(change(serde.loads_typed((kind, value))))
        saver.conn.execute("UPDATE writes SET type = ?, value = ? WHERE rowid = ?", (kind, value, rowid))
    saver.conn.commit()


# ---------------------------------------------------------------- D7
@case
def worthless_summaries(saver):
    """Bodies that are no summaries, and a real one that quotes one of them (langchain#38867, #39261)."""
    dump_text = json.dumps([{"type": "reasoning", "summary": [], "id": "rs_1"}])
    bodies = {"error": "Error generating summary: 500 upstream", "long": "Previous conversation was too long to summarize.",
              "none": "No previous conversation history.", "empty": " ", "reasoning": dump_text,
              "quoting": "## SUMMARY\nThe tool said \"Error generating summary: 500 upstream\" and then "
                         "\"No previous conversation history.\"; the cause was found."}
    for thread, body in bodies.items():
        graph = agent(saver, lookups(thread[0], 3), trigger=("messages", 6), keep=("messages", 2), summaries=[body])
        say(graph, thread, "go")


# ---------------------------------------------------------------- D9
@case
def offloads(saver):
    """Ids that are long, empty, climbing, equal after sanitizing, used again; a result of text and picture."""
    def big(ident, name, tool_name="dump"):
        return call(tool_name, ident, name=name, lines=60)
    script = {
        "long_id": [says("", big("L" * 1500, "long"))],
        "empty_ids": [says("", big("", "one")), says("", big("", "two"))],
        "climbing": [says("", big("../../x", "climb"))],
        "same_name": [says("", big("call/1", "alpha")), says("", big("call.1", "beta"))],
        "reused": [says("", big("again", "first")), says("ok"), says("", big("again", "second"))],
        "with_picture": [says("", big("pic", "shown", "picture"))],
    }
    for thread, answers in script.items():
        if thread == "reused":
            graph = agent(saver, [answers[0], answers[1], answers[2], says("Done.")], tools=[dump, picture], tool_limit=200)
            say(graph, thread, "first")
            say(graph, thread, "second")
            continue
        graph = agent(saver, answers + [says("Done.")], tools=[dump, picture], tool_limit=200)
        say(graph, thread, "go")


# ---------------------------------------------------------------- D10
@case
def usage_decides(saver):
    """22 counted tokens and 2,000 reported: what compacts depends on the provider (langchain#34664)."""
    answer = AIMessage(content="x", usage_metadata={"input_tokens": 1980, "output_tokens": 20, "total_tokens": 2000},
                       response_metadata={"model_provider": "anthropic", "model_name": "claude-x"})
    for thread, provider in (("matches", "anthropic"), ("differs", "openai")):
        model = Model(script=steps(says("z")), log=Log(), provider=provider, usage=False, summaries=[SUMMARY])
        middleware = SummarizationMiddleware(model=model, backend=StateBackend(), trigger=("tokens", 1000), keep=("messages", 1))
        graph = create_agent(model, [], middleware=[middleware], checkpointer=saver)
        say(graph, thread, [HumanMessage(content="short"), answer, HumanMessage(content="y")])
    # Tools and system prompt alone are over the trigger.
    graph = agent(saver, lookups("o", 3), trigger=("tokens", 300), keep=("messages", 20))
    say(graph, "overhead", "go")


# ---------------------------------------------------------------- D8 in small
@case
def repeated_files(saver):
    """Full copies in every checkpoint, half of each one unchanged `files` channel (langgraph#7843)."""
    from typing import Annotated, TypedDict
    from langgraph.graph import StateGraph
    from langgraph.graph.message import add_messages

    State = TypedDict("State", {"messages": Annotated[list, add_messages], "files": dict})

    def step(state):
        return {"messages": [AIMessage(content=f"step {len(state['messages'])}")]}
    builder = StateGraph(State)
    builder.add_node("model", step)
    builder.set_entry_point("model")
    graph = builder.compile(checkpointer=saver)
    files = {"/big.txt": {"content": prose(random.Random(1), 4000), "encoding": "utf-8", "created_at": "", "modified_at": ""}}
    for turn in range(12):
        graph.invoke({"messages": [HumanMessage(content=f"turn {turn}")], **({"files": files} if turn == 0 else {})}, config("repeated"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--only", nargs="*", default=[])
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    for name, make in CASES.items():
        if options.only and name not in options.only:
            continue
        path = options.out / f"{name}.sqlite"
        path.unlink(missing_ok=True)
        with SqliteSaver.from_conn_string(str(path)) as saver:
            saver.setup()
            make(saver)
            saver.conn.commit()
        with sqlite3.connect(path) as db:
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            db.execute("PRAGMA journal_mode=DELETE")
            db.execute("VACUUM")
        print(f"{name:24} {path.stat().st_size:8} bytes")


if __name__ == "__main__":
    main()
