# SPDX-License-Identifier: GPL-3.0-or-later
"""JSON a user may have at hand, made from one real deepagents thread (same idea as the summarize_chain scenario, smaller).

usage: record_exports.py OUT
The LangSmith files come from the real tracer: a local HTTP server stands in for the ingest endpoint and keeps the bodies.
`langsmith_run_*.json` are then built with langsmith.schemas.Run from those bodies (the read side needs an account): synthesised.
"""
import http.server
import json
import os
import sys
import threading
from pathlib import Path

bodies = []


class Sink(http.server.BaseHTTPRequestHandler):
    def _keep(self):
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        bodies.append((self.command, self.path, self.headers.get("Content-Type"), raw))
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(b'{"version":"0.9.0","instance_flags":{}}' if self.path.endswith("/info") else b"{}")

    do_POST = do_PATCH = do_GET = _keep

    def log_message(self, *a):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Sink)
threading.Thread(target=server.serve_forever, daemon=True).start()
os.environ |= {"LANGSMITH_TRACING": "false", "LANGSMITH_ENDPOINT": f"http://127.0.0.1:{server.server_port}", "LANGSMITH_API_KEY": "none", "LANGSMITH_PROJECT": "fixture"}

sys.path.insert(0, str(Path(__file__).resolve().parent / "api_app"))
from langchain_core.load import dumps  # noqa: E402
from langchain_core.messages import AIMessage, HumanMessage, convert_to_openai_messages, message_to_dict, messages_to_dict  # noqa: E402
from langchain_core.tracers.langchain import LangChainTracer  # noqa: E402
from langgraph.checkpoint.sqlite import SqliteSaver  # noqa: E402
from langsmith import Client, schemas  # noqa: E402
import graph as app  # noqa: E402  (api_app/graph.py)

out = Path(sys.argv[1])
out.mkdir(parents=True, exist_ok=True)
db = out / "chain.sqlite"
db.unlink(missing_ok=True)
config = {"configurable": {"thread_id": "chain"}, "recursion_limit": 1000}
with SqliteSaver.from_conn_string(str(db)) as saver:
    agent = app.build(checkpointer=saver)
    client = Client(auto_batch_tracing=False, api_key="none")
    agent.invoke({"messages": [HumanMessage("Remember the vault passphrase, then research topics 1 to 7 and dump the log.")]}, config)
    tracer = LangChainTracer(project_name="fixture", client=client)
    agent.invoke({"messages": [HumanMessage("What was the passphrase?")]}, {**config, "callbacks": [tracer]})
    tracer.wait_for_futures()
    state = agent.get_state(config)
    saver.conn.execute("pragma wal_checkpoint(truncate)")
    saver.conn.execute("pragma journal_mode=delete")

v = state.values
w = lambda name, text: (out / name).write_text(text, encoding="utf-8")
flat = lambda o: o.model_dump() if hasattr(o, "model_dump") else str(o)
w("state_values.lc_dumps.json", dumps(v))
w("state_snapshot.lc_dumps.json", dumps(state))
w("state_values.model_dump.json", json.dumps(v, default=flat, ensure_ascii=False))
w("messages_to_dict.json", json.dumps(messages_to_dict(v["messages"]), ensure_ascii=False, indent=1))
w("openai_messages.json", json.dumps(convert_to_openai_messages(v["messages"]), ensure_ascii=False, indent=1))
w("messages.model_dump.jsonl", "".join(json.dumps(m.model_dump(), ensure_ascii=False) + "\n" for m in v["messages"]))
w("messages.to_dict.jsonl", "".join(json.dumps(message_to_dict(m), ensure_ascii=False) + "\n" for m in v["messages"]))
w("openai_chat.jsonl", json.dumps({"messages": convert_to_openai_messages(v["messages"])}, ensure_ascii=False) + "\n")

runs = {}
for method, path, ctype, raw in bodies:
    if path.startswith("/runs") and (ctype or "").startswith("application/json"):
        body = json.loads(raw)
        rid = body.get("id") or path.rsplit("/", 1)[-1]
        runs.setdefault(rid, {}).update({k: x for k, x in body.items() if x is not None})
print([(m, p.split("/")[1], c, len(r)) for m, p, c, r in bodies][:6], len(bodies), "bodies", len(runs), "runs")
for r in runs.values():
    for k in [k for k in ((r.get("extra") or {}).get("metadata") or {}) if k.startswith("LANGSMITH_")]:  # settings of the recording
        del r["extra"]["metadata"][k]
for r in runs.values():  # versions and platform of the recording machine are no part of the format
    (r.get("extra") or {}).pop("runtime", None)
ordered = sorted(runs.values(), key=lambda r: r.get("dotted_order", ""))
pick = {"root": next(r for r in ordered if not r.get("parent_run_id")), "llm": [r for r in ordered if r.get("run_type") == "llm"][-1]}
for name, r in pick.items():
    run = schemas.Run(**{**r, "trace_id": r.get("trace_id") or r["id"], "dotted_order": r.get("dotted_order", "")})
    w(f"langsmith_run_{name}.json", run.model_dump_json(indent=1) if hasattr(run, "model_dump_json") else run.json())
w("langsmith_trace.json", json.dumps({"_synthesised": "a list of real ingest bodies; the wrapper is ours", "runs": ordered}, ensure_ascii=False))
ev = v["_summarization_event"]
w("chain.expected.json", json.dumps({"thread_id": "chain", "messages": [m.model_dump() for m in v["messages"]], "event": {**ev, "summary_message": ev["summary_message"].model_dump()},
                                    "session_id": v["_summarization_session_id"], "files": v["files"]}, ensure_ascii=False, indent=1))
for f in sorted(out.iterdir()):
    print(f.name, f.stat().st_size)
