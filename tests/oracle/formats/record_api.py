# SPDX-License-Identifier: GPL-3.0-or-later
"""Record exact bytes that a running `langgraph dev` server returns. Usage: record_api.py URL OUT"""
import json
import sys
import urllib.request
from pathlib import Path

url, out = sys.argv[1], Path(sys.argv[2])
out.mkdir(parents=True, exist_ok=True)
T1, T2 = "00000000-0000-4000-8000-0000000000a1", "00000000-0000-4000-8000-0000000000a2"


def ask(method, path, body=None, save=None):
    req = urllib.request.Request(url + path, method=method, data=None if body is None else json.dumps(body).encode(), headers={"Content-Type": "application/json"})
    with urllib.request.urlopen(req, timeout=120) as r:
        raw = r.read()
    if save:
        (out / save).write_bytes(raw)
    try:
        return json.loads(raw)
    except ValueError:
        return raw


for t in (T1, T2):
    ask("POST", "/threads", {"thread_id": t, "if_exists": "do_nothing", "metadata": {"purpose": "fixture"}})
say = lambda text: {"messages": [{"role": "user", "content": text}]}
ask("POST", f"/threads/{T1}/runs/wait", {"assistant_id": "agent", "input": say("Remember the vault passphrase, then research topics 1 to 7 and dump the log.")}, "run_wait_values.json")
ask("POST", f"/threads/{T1}/runs/stream", {"assistant_id": "agent", "input": say("What was the passphrase?"), "stream_mode": ["values"]}, "run_stream_values.sse")
ask("POST", f"/threads/{T2}/runs/wait", {"assistant_id": "asking", "input": say("Remember the vault passphrase, then dump.")})

ask("GET", f"/threads/{T1}", save="thread.json")
state = ask("GET", f"/threads/{T1}/state", save="state.json")
hist = ask("POST", f"/threads/{T1}/history", {"limit": 1000}, "history_post_limit1000.json")
ask("GET", f"/threads/{T1}/history?limit=5", save="history_get_limit5.json")
mid = hist[len(hist) // 2]["checkpoint"]["checkpoint_id"]
ask("GET", f"/threads/{T1}/state/{mid}", save="state_at_checkpoint.json")
ask("GET", f"/threads/{T1}/runs", save="runs.json")
ask("POST", "/threads/search", {"limit": 10}, "threads_search.json")
ask("GET", f"/threads/{T2}", save="interrupted_thread.json")
ask("GET", f"/threads/{T2}/state?subgraphs=true", save="interrupted_state.json")
for f in sorted(out.iterdir()):
    print(f.name, f.stat().st_size)
