# SPDX-License-Identifier: GPL-3.0-or-later
"""Threads whose checkpoints are typed otherwise than plain msgpack. usage: record_serde.py OUT (current packages)

encrypted.sqlite   SqliteSaver(serde=EncryptedSerializer.from_pycryptodome_aes(key=...))
pickle.sqlite      SqliteSaver(serde=JsonPlusSerializer(pickle_fallback=True)) with a value msgpack cannot hold
typed.sqlite       many value types that the default serializer writes
"""
import collections
import dataclasses
import datetime as dt
import decimal
import enum
import importlib.metadata as md
import ipaddress
import json
import pathlib
import re
import sqlite3
import sys
import uuid
import zoneinfo
from typing import Annotated, Any, NamedTuple, TypedDict

from langchain_core.documents import Document
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from langgraph.checkpoint.serde.encrypted import EncryptedSerializer
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.types import Command, Send, interrupt
from pydantic import BaseModel

KEY = b"0123456789abcdef"  # LANGGRAPH_AES_KEY


class Colour(enum.Enum):
    RED = "red"


class Point(NamedTuple):
    x: int
    y: float


@dataclasses.dataclass
class Box:
    name: str
    size: tuple


class Model(BaseModel):
    title: str
    tags: set[str] = set()


class Opaque:
    """Neither msgpack nor JSON can hold it: only pickle does."""

    def __init__(self):
        self.note, self.blob = "opaque", b"\x00\xff"


class State(TypedDict):
    messages: Annotated[list, add_messages]
    extra: Any


def run(path, serde, extra, turns=2):
    path.unlink(missing_ok=True)
    n = 0

    def talk(state):
        nonlocal n
        n += 1
        if n == 1:
            return {"messages": [AIMessage(content="", id="a1", tool_calls=[{"name": "lookup", "args": {"topic": "herons"}, "id": "c1"}]), ToolMessage("Herons wade — überall 🐦.", tool_call_id="c1", name="lookup", id="t1", artifact={"n": 1})], "extra": extra}
        return {"messages": [AIMessage(content=f"Answer {n}.", id=f"a{n}", usage_metadata={"input_tokens": 5, "output_tokens": 2, "total_tokens": 7})]}

    g = StateGraph(State)
    g.add_node("talk", talk)
    g.add_edge(START, "talk")
    g.add_edge("talk", END)
    db = sqlite3.connect(path, check_same_thread=False)
    saver = SqliteSaver(db, serde=serde)
    graph = g.compile(checkpointer=saver)
    config = {"configurable": {"thread_id": path.stem}}
    for i in range(turns):
        graph.invoke({"messages": [HumanMessage(content=f"Turn {i + 1}.", id=f"h{i + 1}")]}, config)
    history = list(graph.get_state_history(config))[::-1]
    db.execute("pragma wal_checkpoint(truncate)")
    db.execute("pragma journal_mode=delete")
    rows = {"checkpoints.type": sorted(collections.Counter(r[0] for r in db.execute("select type from checkpoints")).items()),
            "writes.type": sorted((*k, c) for k, c in collections.Counter(db.execute("select channel,type from writes").fetchall()).items())}
    truth = {"thread_id": path.stem, "packages": {p: md.version(p) for p in ("langgraph", "langgraph-checkpoint", "langgraph-checkpoint-sqlite", "langchain-core", "pycryptodome")}, "row_types": rows,
             "checkpoints": [{"checkpoint_id": s.config["configurable"]["checkpoint_id"], "parent_checkpoint_id": (s.parent_config or {}).get("configurable", {}).get("checkpoint_id"), "step": s.metadata["step"], "source": s.metadata["source"], "next": list(s.next),
                              "messages": [json.loads(m.model_dump_json()) for m in s.values.get("messages", [])], "extra": repr(s.values.get("extra"))} for s in history]}
    (path.parent / f"{path.stem}.expected.json").write_text(json.dumps(truth, indent=1, ensure_ascii=False))
    db.close()
    print(path.name, len(history), rows)


out = pathlib.Path(sys.argv[1])
out.mkdir(parents=True, exist_ok=True)
run(out / "encrypted.sqlite", EncryptedSerializer.from_pycryptodome_aes(key=KEY), {"secret": "heron"})
run(out / "pickle.sqlite", JsonPlusSerializer(pickle_fallback=True), Opaque())
odd = {
    "none": None, "big": 2**64 - 1, "neg": -(2**63), "float": 0.1, "nan": float("nan"), "inf": float("inf"), "bytes": b"\x00\x01\xff", "tuple": (1, (2, "x")), "set": {1, 2}, "frozenset": frozenset({"a"}),
    "deque": collections.deque([1, 2]), "decimal": decimal.Decimal("1.50"), "complexless": [1, [2, [3]]], "datetime": dt.datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=dt.timezone.utc), "date": dt.date(2026, 1, 2), "time": dt.time(3, 4, 5), "delta": dt.timedelta(days=1, seconds=2),
    "tz": dt.timezone(dt.timedelta(hours=2)), "zone": zoneinfo.ZoneInfo("UTC"), "uuid": uuid.UUID(int=7), "path": pathlib.PurePosixPath("/a/b"), "regex": re.compile("a+b", re.I), "ip": ipaddress.ip_address("192.0.2.1"), "enum": Colour.RED,
    "namedtuple": Point(1, 2.5), "dataclass": Box("b", (1, 2)), "pydantic": Model(title="t", tags={"x"}), "document": Document(page_content="doc", metadata={"k": 1}), "send": Send("talk", {"a": 1}), "command": Command(update={"x": 1}),
    "exception": ValueError("boom"), "intkeys": {1: "one", (1, 2): "pair"}, "surrogate": "a\ud800b", "nul": "a\x00b", "message": SystemMessage("inner", id="s1"), "ext_looking": {"lc": 1, "type": "constructor", "id": ["x"]},
}
refused = {}
for k in list(odd):
    try:
        JsonPlusSerializer().dumps_typed(odd[k])
    except Exception as e:  # noqa: BLE001
        refused[k] = f"{type(e).__name__}: {e}"
        del odd[k]
run(out / "typed.sqlite", JsonPlusSerializer(), odd)
truth = json.loads((out / "typed.expected.json").read_text())
truth["refused_by_serializer"] = refused
truth["extra_read_back"] = {k: repr(v) for k, v in JsonPlusSerializer().loads_typed(JsonPlusSerializer().dumps_typed(odd)).items()}
(out / "typed.expected.json").write_text(json.dumps(truth, indent=1, ensure_ascii=True))
print("refused", refused)
