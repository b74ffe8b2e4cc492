# SPDX-License-Identifier: GPL-3.0-or-later
"""A small thread written by old savers (plain StateGraph, add_messages). usage: record_old.py OUT NAME
Run with langgraph-checkpoint 1.0.x or 2.0.x installed; both write 'json'-typed rows in some or all places."""
import collections
import importlib.metadata as md
import json
import pathlib
import sqlite3
import sys
import uuid
from datetime import datetime, timezone
from typing import Annotated, Any, TypedDict

from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages

out, name = pathlib.Path(sys.argv[1]), sys.argv[2]
out.mkdir(parents=True, exist_ok=True)
path = out / f"{name}.sqlite"
path.unlink(missing_ok=True)


class State(TypedDict):
    messages: Annotated[list, add_messages]
    extra: Any


SERDE = md.version("langgraph-checkpoint")
n = 0


def talk(state):
    global n
    n += 1
    if n == 1:
        return {"messages": [AIMessage(content="", id="a1", tool_calls=[{"name": "lookup", "args": {"topic": "herons"}, "id": "c1"}]), ToolMessage("Herons wade — überall 🐦.", tool_call_id="c1", name="lookup", id="t1")],
                "extra": {"when": datetime(2024, 1, 2, 3, 4, 5, tzinfo=timezone.utc), "id": uuid.UUID(int=7), "set": {1, 2}, **({} if SERDE == "1.0.2" else {"path": pathlib.Path("/a/b")}), "tuple": (1, "x"), "blob": b"\x00\xff"}}
    if n == 3 and SERDE != "2.0.26":  # 2.0.26 refuses a lone surrogate inside a message
        return {"messages": [AIMessage(content="lone surrogate \ud83d here", id="a3")]}
    return {"messages": [AIMessage(content=f"Answer {n}.", id=f"a{n}", usage_metadata={"input_tokens": 5, "output_tokens": 2, "total_tokens": 7})]}


g = StateGraph(State)
g.add_node("talk", talk)
g.add_edge(START, "talk")
g.add_edge("talk", END)
db = sqlite3.connect(path, check_same_thread=False)
saver = SqliteSaver(db)
graph = g.compile(checkpointer=saver, interrupt_before=[])
config = {"configurable": {"thread_id": name, "user": "someone"}}
for i in range(4):
    graph.invoke({"messages": [HumanMessage(content=f"Turn {i + 1}.", id=f"h{i + 1}")]}, config)
history = list(graph.get_state_history(config))[::-1]
db.execute("pragma wal_checkpoint(truncate)")
db.execute("pragma journal_mode=delete")
rows = {"checkpoints.type": sorted(collections.Counter(str(r[0]) for r in db.execute("select type from checkpoints")).items()),
        "writes.type": sorted((k[0], str(k[1]), c) for k, c in collections.Counter(db.execute("select channel,type from writes").fetchall()).items())}
truth = {"thread_id": name, "packages": {p: md.version(p) for p in ("langgraph", "langgraph-checkpoint", "langgraph-checkpoint-sqlite", "langchain-core")}, "row_types": rows,
         "checkpoints": [{"checkpoint_id": s.config["configurable"]["checkpoint_id"], "parent_checkpoint_id": (s.parent_config or {}).get("configurable", {}).get("checkpoint_id"), "step": s.metadata["step"], "source": s.metadata["source"], "next": list(s.next),
                          "messages": [json.loads(m.json()) for m in s.values.get("messages", [])], "extra": repr(s.values.get("extra"))} for s in history]}
(out / f"{name}.expected.json").write_text(json.dumps(truth, indent=1, ensure_ascii=True))
for (sql,) in db.execute("select sql from sqlite_master where sql is not null"):
    print(" ".join(sql.split()))
print(name, len(history), rows)
