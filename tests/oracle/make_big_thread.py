#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Make a big Deep Agents thread in a SQLite checkpoint file, fast, without running an agent.

The rows have the layout a real deepagents 0.7.7 / langgraph 1.2 run leaves (one `lookup` tool call per
model call), written with the real SqliteSaver's schema and the real JsonPlusSerializer.  Messages are
encoded once and spliced into snapshots, so the time is close to the size of the file over disk speed.

    make_big_thread.py --out big.sqlite --steps 2000
    make_big_thread.py --out naive.sqlite --steps 1000 --naive
    make_big_thread.py --out big.sqlite --steps 2000 --check     # load it with create_deep_agent's graph

--steps N writes N + 4 checkpoints (input, __start__, before_agent, N / 2 pairs of model and tools, the
last model call) and N + 2 messages.  Everything but the wall clock is decided by --seed.
"""
from __future__ import annotations

import argparse, json, random, sqlite3, struct, sys, time, warnings
from datetime import datetime, timedelta, timezone
from pathlib import Path
from uuid import UUID

import ormsgpack
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage, get_buffer_string
from langgraph.checkpoint.serde.types import _DeltaSnapshot
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.pregel._algo import _xxhash_str
from langgraph.types import Send

warnings.filterwarnings("ignore")
WORDS = "order ledger retry cache index shard vector token window agent plan tool result offset limit error trace span".split()
BEFORE = "branch:to:PatchToolCallsMiddleware.before_agent"
MAX_SUPERSTEPS = 5000  # langgraph's DELTA_MAX_SUPERSTEPS_SINCE_SNAPSHOT
# the order of the compiled graph's channels; channel_values keeps it
ORDER = ("messages", "_summarization_event", "_summarization_session_id", "files", "__start__", "__pregel_tasks", BEFORE, "branch:to:model")


class Writer:
    def __init__(self, o):
        self.o, self.rng = o, random.Random(o.seed)
        path = Path(o.out)
        for s in ("", "-wal", "-shm", "-journal"):
            Path(str(path) + s).unlink(missing_ok=True)
        self.db = sqlite3.connect(path)
        self.saver = SqliteSaver(self.db)
        self.saver.setup()
        self.db.execute("PRAGMA synchronous=OFF")
        self.serde = self.saver.serde
        self.clock = datetime(2026, 11, 1, 8, 0, 0, tzinfo=timezone.utc)
        self.step, self.ver, self.parent = -1, 0, None
        self.values, self.versions, self.seen = {}, {}, {"__input__": {}}
        self.counters = {"messages": (0, 0), "files": (0, 0)}
        self.count, self.body, self.files = 0, bytearray(), {}
        self.msgs = []  # texts for archives
        self.rows, self.wrows = [], []

    def tick(self):
        self.clock += timedelta(milliseconds=self.rng.randint(3, 40), microseconds=self.rng.randint(0, 999))
        return self.clock.isoformat()

    def uuid(self):
        return str(UUID(int=self.rng.getrandbits(128), version=4))

    def prose(self, n):
        return " ".join(self.rng.choices(WORDS, k=n // 5 + 2))[:n]

    def packed(self, message):
        data = self.serde.dumps_typed(message)[1]
        self.count += 1
        self.body += data
        self.msgs.append(message)
        return ormsgpack.Fragment(data)

    def message_list(self):
        n = self.count
        head = bytes([0x90 | n]) if n < 16 else b"\xdc" + struct.pack(">H", n) if n < 65536 else b"\xdd" + struct.pack(">I", n)
        return ormsgpack.Fragment(head + bytes(self.body))

    def checkpoint(self, updated, bumped):
        """One row of `checkpoints`: `bumped` channels get this superstep's version, `updated` had writes."""
        self.ver += 1
        v = f"{self.ver:032}.{self.rng.random():016}"
        ordered = {k: None for k in self.versions}
        for k in bumped:
            ordered.setdefault(k)
            self.versions[k] = v
        self.versions = {k: self.versions[k] for k in ordered}
        snap = {}
        if not self.o.naive:
            for ch in self.counters:
                u, s = self.counters[ch]
                u, s = u + (ch in updated), s + 1
                if ch in self.versions and (u >= self.o.snapshot_frequency or s >= MAX_SUPERSTEPS):
                    snap[ch], (u, s) = True, (0, 0)
                self.counters[ch] = (u, s)
        values = {}
        for ch in ORDER:
            if ch in ("messages", "files"):
                if ch not in self.versions:
                    continue
                value = self.message_list() if ch == "messages" else dict(self.files)
                if self.o.naive:
                    values[ch] = value
                elif ch in snap:
                    values[ch] = _DeltaSnapshot(value)
            elif ch in self.values:
                values[ch] = self.values[ch]
        ts = self.tick()
        self.ticks = int((self.clock - datetime(1970, 1, 1, tzinfo=timezone.utc)).total_seconds() * 1e7) + 0x01B21DD213814000
        t = self.ticks
        raw = (((t >> 12) & 0xFFFFFFFFFFFF) << 80) | ((t & 0xFFF) << 64) | ((self.step & 0x3FFF) << 48) | self.rng.getrandbits(48)
        cid = str(UUID(int=raw & ~(0xF << 76 | 3 << 62) | 6 << 76 | 2 << 62))
        blob = {"v": 4, "ts": ts, "id": cid, "channel_values": values, "channel_versions": self.versions,
                "versions_seen": self.seen, "updated_channels": sorted(updated)}
        meta = {"source": "input" if self.step < 0 else "loop", "step": self.step, "parents": {}}
        live = {k: c for k, c in self.counters.items() if c != (0, 0)}
        if live and not self.o.naive:
            meta["counters_since_delta_snapshot"] = live
        meta["ls_integration"] = "deepagents"
        kind, data = self.serde.dumps_typed(blob)
        self.rows.append((self.o.thread, "", cid, self.parent, kind, data, json.dumps(meta, ensure_ascii=False).encode()))
        self.pending = sum(len(r[5]) for r in self.rows[-64:])
        if len(self.rows) >= 64 or self.pending > 32 << 20:
            self.flush()
        self.parent, self.cid = cid, cid
        self.step += 1

    def writes(self, node, trigger, items, push=False):
        """Rows of `writes` under the current checkpoint, with the task id langgraph computes."""
        name = bytes.fromhex(self.cid.replace("-", ""))
        if push:
            task, path = _xxhash_str(name, node, str(self.step), node, "__pregel_push", "0"), "~__pregel_push, 0000000000, 0000000000"
        else:
            task, path = _xxhash_str(name, node, str(self.step), node, "__pregel_pull", trigger), f"~__pregel_pull, {node}"
        for i, (ch, value) in enumerate(items):
            kind, data = self.serde.dumps_typed(value)
            self.wrows.append((self.o.thread, "", self.cid, task, path, i, ch, kind, data))

    def flush(self):
        self.db.executemany("INSERT INTO checkpoints VALUES (?,?,?,?,?,?,?)", self.rows)
        self.db.executemany("INSERT INTO writes VALUES (?,?,?,?,?,?,?,?,?)", self.wrows)
        self.db.commit()
        self.rows, self.wrows = [], []

    # ------------------------------------------------------------ the thread
    def ai(self, text, *calls):
        n = 12 + sum(len(m.text) for m in self.msgs[self.cutoff:]) // 4 if self.o.usage == "real" else 500 + self.count % 900
        return AIMessage(content=text, id=f"lc_run--{self.uuid()}-0", tool_calls=list(calls),
                         response_metadata={"model_provider": "openai", "model_name": "scripted-1"},
                         usage_metadata={"input_tokens": n, "output_tokens": 20, "total_tokens": n + 20})

    def event(self, cutoff):
        """Write of one summarization: the archive file grows by the evicted messages."""
        path = f"/conversation_history/{self.session}.md"
        ts = self.tick()
        evicted = self.msgs[self.cutoff:cutoff]
        if self.cutoff:
            evicted = [self.summary, *evicted]
        section = f"## Summarized at {ts}\n\n{get_buffer_string([m for m in evicted if m.additional_kwargs.get('lc_source') != 'summarization'], format='xml')}\n\n"
        old = self.files.get(path)
        file = {"content": (old["content"] if old else "") + section, "encoding": "utf-8",
                "created_at": old["created_at"] if old else self.tick(), "modified_at": ts}
        self.files[path] = file
        self.events += 1
        self.summary = HumanMessage(content=(
            "You are in the middle of a conversation that has been summarized.\n\nThe full conversation history has been saved to "
            f"{path} should you need to refer back to it for details.\n\nA condensed summary follows:\n\n<summary>\n## SESSION INTENT\n"
            f"Finish the scripted task (summary {self.events}).\n\n## SUMMARY\nThe prompt had {len(section) + 4400} characters.\n\n"
            "## ARTIFACTS\nNone.\n\n## NEXT STEPS\nContinue.\n</summary>"), additional_kwargs={"lc_source": "summarization"})
        self.cutoff = cutoff
        event = {"cutoff_index": cutoff, "summary_message": self.summary, "file_path": path}
        return {path: file}, event

    def run(self):
        o = self.o
        pairs, self.cutoff, self.events, self.summary = o.steps // 2, 0, 0, None
        self.session = f"session_{self.rng.getrandbits(128):032x}"
        if o.events_at:
            at = {int(x) for x in o.events_at.split(",")}
        else:  # message counts at a model call, evenly spread
            at = {2 * ((i + 1) * pairs // (o.events + 1)) + 1 for i in range(o.events)}
            at = {a for a in at if a > o.keep + 2}
        human = "A great many lookups."
        # the stored input message has an id or none: the run stamps ids while the save is under way
        first = HumanMessage(content=human, id=self.uuid())
        self.values = {"__start__": {"messages": [first]}}
        self.checkpoint({"__start__"}, ["__start__"])
        first = self.packed(first)
        self.writes("__start__", "__start__", [("messages", [first]), (BEFORE, None)])
        self.seen["__start__"] = {"__start__": self.versions["__start__"]}
        self.values = {BEFORE: None}
        self.checkpoint({"messages", BEFORE}, ["__start__", "messages", BEFORE])
        self.writes("PatchToolCallsMiddleware.before_agent", BEFORE, [("branch:to:model", None)])
        self.seen = {"__input__": {}, "__start__": self.seen["__start__"], "PatchToolCallsMiddleware.before_agent": {BEFORE: self.versions[BEFORE]}}
        self.values = {"branch:to:model": None}
        self.checkpoint({"branch:to:model"}, [BEFORE, "branch:to:model"])
        for i in range(pairs + 1):
            last = i == pairs
            writes, updated, bumped = [], {"messages"}, ["messages", "branch:to:model"]
            keep = {k: v for k, v in self.values.items() if k.startswith("_summ")}
            event = None
            if self.count in at:
                files, event = self.event(max(1, self.count - o.keep))
            if not last:
                tc = {"name": "lookup", "args": {"topic": f"z{i}"}, "id": f"z{i}", "type": "tool_call"}
                message = self.ai(f"step {i}", tc)
            else:
                message = self.ai("Done.")
            packed = self.packed(message)
            if event:
                writes.append(("files", files))
            writes.append(("messages", [packed]))
            if event:
                writes += [("_summarization_event", event), ("_summarization_session_id", self.session)]
                keep = {"_summarization_event": event, "_summarization_session_id": self.session}
                updated |= {"files", "_summarization_event", "_summarization_session_id"}
            if not last:
                send = Send("tools", [tc])
                writes.append(("__pregel_tasks", send))
                updated.add("__pregel_tasks")
                keep["__pregel_tasks"] = [send]
                bumped.append("__pregel_tasks")
            elif "__pregel_tasks" in self.versions:
                keep["__pregel_tasks"] = []
            if event:
                bumped += ["files", "_summarization_event", "_summarization_session_id"]
            self.writes("model", "branch:to:model", writes)
            self.seen = {**{k: v for k, v in self.seen.items() if k != "tools"}, "model": {"branch:to:model": self.versions["branch:to:model"]},
                         **({"tools": {}} if "tools" in self.seen else {})}
            self.values = keep
            self.checkpoint(updated, bumped)
            if last:
                break
            text = f"z{i}: " + self.prose(o.chars)
            self.writes("tools", "", [("messages", [self.packed(ToolMessage(content=text, name="lookup", id=self.uuid(), tool_call_id=f"z{i}"))]),
                                      ("branch:to:model", None)], push=True)
            self.seen = {**self.seen, "tools": {}}
            keep = {k: v for k, v in self.values.items() if k.startswith("_summ")}
            self.values = {**keep, "__pregel_tasks": [], "branch:to:model": None}
            self.checkpoint({"messages", "branch:to:model"}, ["messages", "branch:to:model", "__pregel_tasks"])
        self.flush()
        self.db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self.db.execute("PRAGMA journal_mode=DELETE")
        self.db.close()


def deep_graph(path):
    """The graph deepagents builds, on this file; the model is never called."""
    from deepagents import create_deep_agent
    from langchain_core.language_models.fake_chat_models import FakeListChatModel
    from langchain_core.tools import tool

    @tool
    def lookup(topic: str) -> str:
        """Return a paragraph about a topic."""
        return topic

    class Fake(FakeListChatModel):
        def bind_tools(self, tools, **kw):
            return self.bind()

    saver = SqliteSaver(sqlite3.connect(path, check_same_thread=False))
    return create_deep_agent(model=Fake(responses=["ok"]), tools=[lookup], checkpointer=saver), saver


def check(o):
    graph, saver = deep_graph(o.out)
    config = {"configurable": {"thread_id": o.thread}}
    head = graph.get_state(config)
    n = 2 * (o.steps // 2) + 2
    assert len(head.values["messages"]) == n and head.next == () and head.metadata["step"] == n, (len(head.values["messages"]), head.next, head.metadata)
    seen, expect = 0, None
    for s in graph.get_state_history(config, limit=o.check_limit):
        m = s.values.get("messages", [])
        step = s.metadata["step"]
        assert len(m) == (0 if step < 0 else 1 if step < 2 else step), (step, len(m))
        assert m == head.values["messages"][:len(m)]
        assert s.next == (("__start__",) if step < 0 else ("PatchToolCallsMiddleware.before_agent",) if step == 0 else () if step == n else ("model",) if step % 2 else ("tools",)) , (step, s.next)
        # a task with its result means langgraph matched the task id we computed
        assert all(t.result is not None or t.name == "PatchToolCallsMiddleware.before_agent" for t in s.tasks), (step, s.tasks)
        seen += 1
    saver.conn.execute("PRAGMA journal_mode=DELETE")
    print(f"check ok: {seen} states, head {len(head.values['messages'])} messages, event cutoff "
          f"{(head.values.get('_summarization_event') or {}).get('cutoff_index')}, files {[len(f['content']) for f in (head.values.get('files') or {}).values()]}")


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--out", required=True)
    p.add_argument("--steps", type=int, default=2000)
    p.add_argument("--snapshot-frequency", type=int, default=50)
    p.add_argument("--chars", type=int, default=300, help="characters of each tool result")
    p.add_argument("--naive", action="store_true", help="full message list in every checkpoint, as add_messages writes")
    p.add_argument("--events", type=int, default=0, help="summarization events, with their archive in the files channel")
    p.add_argument("--events-at", help="message counts of the model calls that summarize, comma separated (instead of --events)")
    p.add_argument("--keep", type=int, default=20, help="messages an event keeps")
    p.add_argument("--usage", choices=("cheap", "real"), default="cheap")
    p.add_argument("--thread", default="big")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--check", action="store_true")
    p.add_argument("--check-only", action="store_true")
    p.add_argument("--check-limit", type=int, default=400)
    o = p.parse_args()
    if not o.check_only:
        t = time.perf_counter()
        w = Writer(o)
        w.run()
        print(f"{o.out}: {w.step} last step, {w.count} messages, {w.events} events, {Path(o.out).stat().st_size} bytes, {time.perf_counter() - t:.2f} s")
    if o.check or o.check_only:
        check(o)


if __name__ == "__main__":
    main()
