# SPDX-License-Identifier: GPL-3.0-or-later
"""One thread with all that the formats of checkpoints (`v` 1 to 4) store differently, by whatever LangGraph is installed.

usage: record_versions.py TARGET NAME OUT [shallow]

TARGET is `sqlite` (writes OUT/NAME.sqlite) or a postgresql:// address, whose tables are made there and can be dumped with
pg_dump. OUT/NAME.expected.json says what the saver itself reads back. The graph has values of every primitive kind, three
tasks sent off at once, a subgraph, a tool result, an interrupt and, but for a saver that keeps only the newest checkpoint
(`shallow`), a fork made by hand. Tried with langgraph 0.2.28, 0.2.76, 0.4.10, 0.6.11, 1.0.5, 1.1.10 and 1.2.24.
"""
import importlib.metadata as md
import json
import operator
import pathlib
import sqlite3
import sys
from typing import Annotated, Any, TypedDict

from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages

try:
    from langgraph.types import Send
except ImportError:
    from langgraph.constants import Send
try:
    from langgraph.types import Command, interrupt
except ImportError:  # before 0.2.57
    Command = interrupt = None

target, name, out = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
shallow = "shallow" in sys.argv[4:]
calls = 0


class State(TypedDict):
    messages: Annotated[list, add_messages]
    extra: Any
    count: int
    flag: bool
    words: str
    parts: Annotated[list, operator.add]


class Inner(TypedDict):
    messages: Annotated[list, add_messages]


def talk(state):
    global calls
    calls += 1
    asks = AIMessage("", id=f"a{calls}", tool_calls=[{"name": "lookup", "args": {"topic": "herons"}, "id": f"c{calls}"}])
    found = ToolMessage("Herons wade — überall 🐦.", tool_call_id=f"c{calls}", name="lookup", id=f"t{calls}", artifact={"n": 1})
    return {"messages": [asks, found], "extra": {"set": {1, 2}, "blob": b"\x00\xff"}, "count": calls, "flag": True, "words": "abc"}


def ask(state):
    answer = interrupt({"question": "go on?"}) if interrupt else "yes"
    return {"messages": [AIMessage(f"asked: {answer}", id=f"ask{calls}")]}


inner = StateGraph(Inner)
inner.add_node("inner", lambda state: {"messages": [AIMessage(f"inner {calls}", id=f"in{calls}")]})
inner.add_edge(START, "inner")
inner.add_edge("inner", END)
outer = StateGraph(State)
outer.add_node("talk", talk)
outer.add_node("work", lambda sent: {"parts": [sent["i"]]})
outer.add_node("sub", inner.compile())
outer.add_node("ask", ask)
outer.add_edge(START, "talk")
outer.add_conditional_edges("talk", lambda state: [Send("work", {"i": i}) for i in range(3)], ["work"])
outer.add_edge("work", "sub")
outer.add_edge("sub", "ask")
outer.add_edge("ask", END)


def row(stored):
    """A checkpoint as the saver reads it back."""
    checkpoint = stored.checkpoint
    values = checkpoint["channel_values"]
    return {
        "checkpoint_id": checkpoint["id"],
        "parent_checkpoint_id": (stored.parent_config or {}).get("configurable", {}).get("checkpoint_id"),
        "v": checkpoint["v"],
        "step": stored.metadata.get("step"),
        "source": stored.metadata.get("source"),
        "messages": [json.loads(m.json()) for m in values.get("messages", [])],
        "plain": {k: values[k] for k in ("count", "flag", "words", "parts") if k in values},
        "sends": len(values.get("__pregel_tasks") or checkpoint.get("pending_sends") or []),
    }


def record(saver):
    graph = outer.compile(checkpointer=saver, interrupt_before=[] if interrupt else ["ask"])
    config = {"configurable": {"thread_id": name, "user": "someone"}}
    for turn in range(2):
        graph.invoke({"messages": [HumanMessage(f"Turn {turn + 1}.", id=f"h{turn + 1}")], "parts": []}, config)
        graph.invoke(Command(resume="yes") if interrupt else None, config)
    if not shallow:
        history = list(graph.get_state_history(config))
        middle = history[len(history) // 2]
        forked = graph.update_state(middle.config, {"messages": [HumanMessage("forked", id="hf")]}, as_node="talk")
        graph.invoke(None, forked)
    spaces = {}
    for stored in saver.list({"configurable": {"thread_id": name}}):
        spaces.setdefault(stored.config["configurable"].get("checkpoint_ns", ""), []).insert(0, row(stored))
    packages = {p: md.version(p) for p in ("langgraph", "langgraph-checkpoint", "langchain-core")}
    truth = {"thread_id": name, "packages": packages, "checkpoints": spaces.pop(""), "namespaces": spaces}
    (out / f"{name}.expected.json").write_text(json.dumps(truth, indent=1, ensure_ascii=False))
    print(name, packages, len(truth["checkpoints"]), {ns: len(rows) for ns, rows in spaces.items()})


out.mkdir(parents=True, exist_ok=True)
if target == "sqlite":
    from langgraph.checkpoint.sqlite import SqliteSaver

    path = out / f"{name}.sqlite"
    path.unlink(missing_ok=True)
    database = sqlite3.connect(path, check_same_thread=False)
    record(SqliteSaver(database))
    database.execute("pragma wal_checkpoint(truncate)")
    database.execute("pragma journal_mode=delete")
    database.execute("vacuum")
    database.close()
else:
    if shallow:
        from langgraph.checkpoint.postgres.shallow import ShallowPostgresSaver as Saver
    else:
        from langgraph.checkpoint.postgres import PostgresSaver as Saver
    with Saver.from_conn_string(target) as saver:
        saver.setup()
        record(saver)
