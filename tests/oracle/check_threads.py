#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compare a palimpsest binary with threads recorded by record_threads.py.

Usage: check_threads.py BINARY DIRECTORY... [--part dump requests replay whatif] [--only NAME ...] [-v]

For every DIRECTORY/<scenario>.expected.json with its .sqlite beside it, four questions are asked (contract.md):

    dump      does it read the recording: checkpoints, raw log, event, files, in every namespace?
    requests  can it tell what the model saw at each call, from the recording and the argument-truncation settings?
    replay    does its own pipeline, run with the recorded settings, take the decisions that the real one took?
    whatif    for pairs (the same script recorded under two settings): one replayed with the other's settings gives the other

Prints one line a question and scenario, and at the end 'N passed, N failed'. Exit status 1 if any failed.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import json
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SHORTEN = 4000
STAMP = re.compile(r"^## Summarized at .*$", re.M)


def shorten(value):
    if isinstance(value, str) and len(value) > SHORTEN:
        data = value.encode("utf-8", "surrogatepass")
        return {"$sha256": hashlib.sha256(data).hexdigest(), "$length": len(value), "$head": value[:200], "$tail": value[-200:]}
    if isinstance(value, list):
        return [shorten(v) for v in value]
    if isinstance(value, dict):
        return {k: shorten(v) for k, v in value.items()}
    return value


def tidy(value):
    """Drop what a dump may leave out: null, empty strings, lists and objects."""
    if isinstance(value, dict):
        return {k: t for k, v in value.items() if (t := tidy(v)) not in (None, "", [], {})}
    if isinstance(value, list):
        return [tidy(v) for v in value]
    return value


def message(raw, *, keep_id=True):
    out = tidy(shorten(raw))
    if not keep_id or (raw.get("additional_kwargs") or {}).get("lc_source") == "summarization":
        out.pop("id", None)  # the id of a summary is given after the fact
    return out


def first_difference(a, b, where=""):
    if type(a) is not type(b):
        return f"{where}: expected {short(a)}, got {short(b)}"
    if isinstance(a, dict):
        for k in sorted(a.keys() | b.keys()):
            if k not in a:
                return f"{where}.{k}: unexpected {short(b[k])}"
            if k not in b:
                return f"{where}.{k}: missing, expected {short(a[k])}"
            if d := first_difference(a[k], b[k], f"{where}.{k}"):
                return d
        return None
    if isinstance(a, list):
        if len(a) != len(b):
            return f"{where}: expected {len(a)} items, got {len(b)}"
        for i, (x, y) in enumerate(zip(a, b)):
            if d := first_difference(x, y, f"{where}[{i}]"):
                return d
        return None
    return None if a == b else f"{where}: expected {short(a)}, got {short(b)}"


def short(value):
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) < 160 else text[:150] + "…"


class Failed(Exception):
    pass


def same(expected, got, where):
    if d := first_difference(expected, got, where):
        raise Failed(d)


def alone(db, folder):
    """The recording under another name in a folder of its own: no truth lies beside what the program is given."""
    name = hashlib.sha256(str(db).encode()).hexdigest()[:10]
    copy = Path(folder) / f"{name}{db.suffix}"
    shutil.copy(db, copy)
    files = db.with_name(db.name.replace(".sqlite", ".files"))
    if files.is_dir():
        shutil.copytree(files, Path(folder) / f"{name}.files")
    return copy


def run(binary, *arguments, timeout=120):
    process = subprocess.run([str(binary), *map(str, arguments)], capture_output=True, timeout=timeout)
    if process.returncode:
        raise Failed(f"exit status {process.returncode}: {process.stderr.decode(errors='replace')[-300:]}")
    try:
        return json.loads(process.stdout)
    except ValueError as error:
        raise Failed(f"standard output is not one JSON document: {error}") from error


def files(raw):
    """path -> (content, encoding) of a recorded or dumped files map; archive time stamps are blanked elsewhere."""
    return {p: {"content": f.get("content"), "encoding": f.get("encoding", "utf-8")} for p, f in (raw or {}).items()}


def event(e, pool=None):
    if not e:
        return None
    if "cutoffIndex" in e:  # as LangGraph JS stores it; a dump always uses the Python names
        e = {"cutoff_index": e["cutoffIndex"], "summary_message": e["summaryMessage"], "file_path": e.get("filePath")}
    summary = e["summary_message"]
    return {"cutoff_index": e["cutoff_index"], "file_path": e.get("file_path"), "created_at_index": e.get("created_at_index"),
            "summary_message": message(pool[summary] if isinstance(summary, str) else summary)}


NATIVE_REASONING = {"thinking", "redacted_thinking", "reasoning_content"}


def without_reasoning(raw):
    """deepagents 0.7.32, _drop_bound_reasoning: blocks bound to the conversation before a summary are left out."""
    if raw.get("type") != "ai" or not isinstance(raw.get("content"), list):
        return raw
    meta = raw.get("response_metadata") or {}
    provider, model = meta.get("model_provider"), str(meta.get("model_name", "")).lower()
    if provider is None:
        bound = NATIVE_REASONING
    elif provider == "anthropic" or (provider in ("bedrock", "bedrock_converse") and ("claude" in model or "anthropic" in model)):
        bound = NATIVE_REASONING | {"reasoning"}
    else:
        bound = set()
    return {**raw, "content": [b for b in raw["content"] if not (isinstance(b, dict) and b.get("type") in bound)]}


def projected(bodies, e):
    """deepagents' _apply_event_to_messages on a well-formed event."""
    if not e:
        return bodies
    if "cutoffIndex" in e:
        e = {"cutoff_index": e["cutoffIndex"], "summary_message": e["summaryMessage"]}
    cut, kept_from = e["cutoff_index"], e.get("created_at_index")
    kept_from = kept_from if isinstance(kept_from, int) else cut
    return [e["summary_message"], *(without_reasoning(m) if i < kept_from else m for i, m in enumerate(bodies[cut:], start=cut))]


def task_of(call):
    return call.get("task_id") or (call.get("ns") or "").split(":")[-1]


def namespace_of(call):
    return (call.get("ns") or call.get("checkpoint_ns") or "").rpartition("|")[0]


def is_js(truth):
    return truth.get("language", "python") != "python"


def stored_tasks(db):
    """task id of a call -> task id in the file; exit mode replaces the first group by the step."""
    if db.suffix != ".sqlite":
        return lambda task: task
    connection = sqlite3.connect(f"file:{db}?mode=ro&immutable=1", uri=True)
    ids = {row[0] for row in connection.execute("SELECT DISTINCT task_id FROM writes")}
    connection.close()
    by_tail = {i.split("-", 1)[-1]: i for i in ids}
    return lambda task: task if task in ids else by_tail.get(task.split("-", 1)[-1])


def check_dump(binary, truth, db):
    spaces = {"": truth["checkpoints"], **truth.get("namespaces", {})}
    for ns, rows in spaces.items():
        got = run(binary, "dump", db, "--thread", truth["thread_id"], "--ns", ns)
        pool = got["messages"]
        mine = {c["checkpoint_id"]: c for c in got["checkpoints"]}
        if list(mine) != sorted(mine):
            raise Failed("checkpoints are not in checkpoint_id order")
        same(sorted(c["checkpoint_id"] for c in rows), list(mine), f"ns {ns!r} checkpoint ids")
        for row in rows:
            at, me = f"ns {ns!r} checkpoint {row['checkpoint_id']} (step {row['step']})", mine[row["checkpoint_id"]]
            for key in ("step", "source", "parent_checkpoint_id", "session_id"):
                if key in row:
                    same(row[key], me.get(key), f"{at}.{key}")
            bodies = [k if isinstance(k, dict) else truth["messages"][k] for k in row["messages"]]
            same([message(m) for m in bodies], [message(pool[k]) for k in me["messages"]], f"{at}.messages")
            same(event(row.get("event")), event(me.get("event"), pool), f"{at}.event")
            if "effective" in me or row.get("event"):
                same([message(m) for m in projected(bodies, row.get("event"))], [message(pool[k]) for k in me["effective"]], f"{at}.effective")
            want = tidy(files(row.get("files")))
            have = tidy(shorten(files(me.get("files"))))
            same(want, have, f"{at}.files")


def settings_file(truth, folder, db):
    refused: dict[str, int] = {}
    for call in truth["calls"]:
        if call["kind"] == "agent" and call["outcome"] == "context_overflow":
            task = stored_tasks(db)(task_of(call)) or task_of(call)
            refused[task] = refused.get(task, 0) + 1
    system = next((truth["messages"][c["messages"][0]] for c in truth["calls"] if c["kind"] == "agent"), None)
    settings = {"dialect": f"deepagents-{truth['packages']['deepagents']}", **truth["settings"], "tools": truth["tools"],
                "system_message": system if system and system["type"] == "system" else None, "refused_calls": refused,
                "artifacts_fail": truth["settings"].get("backend") == "ReadOnly"}
    path = Path(folder) / "settings.json"
    path.write_text(json.dumps(settings))
    return path


def agent_calls(truth, ns):
    return [c for c in truth["calls"] if c["kind"] == "agent" and c.get("node", "model") == "model" and namespace_of(c) == ns]


def asked(truth, call):
    return [seen(truth, truth["messages"][k]) for k in call["messages"] if truth["messages"][k]["type"] != "system"]


def seen(truth, raw):
    """A message as compared; JS stores fewer members than the model saw, so there only type and content count."""
    return {k: v for k, v in message(raw).items() if k in ("type", "content")} if is_js(truth) else message(raw)


def check_requests(binary, truth, db, folder):
    for ns in ["", *truth["namespaces"]]:
        settings = [] if is_js(truth) else ["--settings", settings_file(truth, folder, db)]
        got = run(binary, "requests", db, "--thread", truth["thread_id"], "--ns", ns, *settings)
        mine = {r["task_id"]: r for r in got["requests"]}
        stored = stored_tasks(db)
        for call in agent_calls(truth, ns):
            task = stored(task_of(call))
            if call["outcome"] != "ok" or task is None:
                continue
            me = mine.get(task)
            if me is None:
                raise Failed(f"ns {ns!r}: no request for task {task_of(call)}")
            same(asked(truth, call), [seen(truth, got["messages"][k]) for k in me["messages"]], f"ns {ns!r} call {task_of(call)} request")


def check_replay(binary, truth, db, folder):
    for ns in ["", *truth["namespaces"]]:
        got = run(binary, "replay", db, "--thread", truth["thread_id"], "--ns", ns, "--settings", settings_file(truth, folder, db), "--summaries", "recorded")
        pool = got["messages"]
        mine = {c["task_id"]: c for c in got["calls"]}
        calls: dict[str, list[dict]] = {}
        for call in agent_calls(truth, ns):
            calls.setdefault(task_of(call), []).append(call)
        stored = stored_tasks(db)
        for task, attempts in calls.items():
            task = stored(task)
            if task is None:
                continue  # the call left nothing in the file
            at = f"ns {ns!r} step {attempts[0]['step']}"
            me = mine.get(task)
            if me is None:
                raise Failed(f"{at}: no call for task {task}")
            same([a["outcome"] for a in attempts], [a["outcome"] for a in me["attempts"]], f"{at} outcomes")
            lost = all(a["outcome"] != "ok" for a in attempts)  # a call refused to the end leaves no event, so no summary text
            for i, (a, b) in enumerate(zip(attempts, me["attempts"])):
                if lost:
                    same(len(asked(truth, a)), len(b["messages"]), f"{at} attempt {i + 1} length")
                    continue
                same(asked(truth, a), [message(pool[k]) for k in b["messages"]], f"{at} attempt {i + 1}")
        rows = {"": truth["checkpoints"], **truth["namespaces"]}[ns]
        events = []
        for row in rows:
            e = row["event"] and {"cutoff_index": row["event"]["cutoff_index"], "file_path": row["event"]["file_path"]}
            if e and e not in events:
                events.append(e)
        have = []
        for c in got["calls"]:
            e = c.get("event") and {"cutoff_index": c["event"]["cutoff_index"], "file_path": c["event"].get("file_path")}
            if e and e not in have:
                have.append(e)
        if not truth["settings"].get("compact_tool"):  # the tool's own events come from a tool call, not from a model call
            same(events, have, f"ns {ns!r} events")
        last = {p: f for p, f in files(rows[-1]["files"]).items() if "/conversation_history/" in p} if rows else {}
        if ns == "" and not truth["namespaces"] and not truth["settings"].get("compact_tool"):
            want = {p: f["content"] for p, f in last.items() if isinstance(f["content"], str)}
            made = {p: f.get("content") for p, f in (got.get("files") or {}).items()}
            for path, content in want.items():
                if path not in made:
                    raise Failed(f"archive {path} was not written")
                same(STAMP.sub("## Summarized at", content), STAMP.sub("## Summarized at", made[path]), f"archive {path}")


NAMES = re.compile(r"session_[0-9a-f]{32}|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")


def nameless(raw):
    """A body without what two runs of one script never share: ids, random file names."""
    text = json.dumps({k: v for k, v in message(raw).items() if k not in ("id", "response_metadata", "usage_metadata")}, ensure_ascii=False, sort_keys=True)
    return json.loads(NAMES.sub("NAME", text))


def check_whatif(binary, truth, db, other, other_db, folder):
    """The recording of `truth`, replayed with the settings of `other`, takes the decisions that `other` took."""
    settings = json.loads(settings_file(other, folder, other_db).read_text()) | {"refused_calls": {}, "usage": "ignore"}
    path = Path(folder) / "whatif.json"
    path.write_text(json.dumps(settings))
    got = run(binary, "replay", db, "--thread", truth["thread_id"], "--settings", path, "--summaries", "fixed")
    want = agent_calls(other, "")
    have = [a | {"call": c} for c in got["calls"] for a in c["attempts"]]
    same(len(want), len(have), "attempts")
    for i, (a, b) in enumerate(zip(want, have)):
        mine = [nameless(got["messages"][k]) for k in b["messages"]]
        truth_ = [nameless(other["messages"][k]) for k in a["messages"] if other["messages"][k]["type"] != "system"]
        same(truth_, mine, f"call {i + 1} (step {a['step']}) request")
    events = [c["event"]["cutoff_index"] for c in other["checkpoints"] if c["event"]]
    cuts = [c["event"]["cutoff_index"] for c in got["calls"] if c.get("event")]
    same([e for i, e in enumerate(events) if i == 0 or events[i - 1] != e], [e for i, e in enumerate(cuts) if i == 0 or cuts[i - 1] != e], "cutoffs")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary", type=Path)
    parser.add_argument("directory", type=Path, nargs="+")
    parser.add_argument("--part", nargs="*", default=["dump", "requests", "replay", "whatif"], choices=["dump", "requests", "replay", "whatif"])
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("-v", action="store_true", help="print passes too")
    options = parser.parse_args()
    passed = failed = 0
    for directory in options.directory:
        for path in sorted(directory.glob("*.expected.json")):
            name = path.name.removesuffix(".expected.json")
            if options.only and name not in options.only:
                continue
            truth, db = json.loads(path.read_text()), path.with_name(f"{name}.sqlite")
            for part in options.part:
                settings = truth.get("settings", {})
                if part != "dump" and "calls" not in truth:
                    continue  # a plain graph: nothing but the reading to compare
                if part != "dump" and settings.get("middleware"):
                    continue  # LangChain's own middleware: only the reading is compared
                if is_js(truth) and (part == "replay" or part == "requests" and settings.get("truncateArgsSettings")):
                    continue  # no JS dialect; shortened arguments are not in a recording
                twin = path.with_name(re.sub(r"_([ab])\.expected", lambda m: f"_{'b' if m[1] == 'a' else 'a'}.expected", path.name))
                if part == "whatif" and not (name.startswith("pair_") and twin.exists()):
                    continue
                begun = time.perf_counter()
                try:
                    with tempfile.TemporaryDirectory() as folder:
                        copy = alone(db, folder)
                        if part == "dump":
                            check_dump(options.binary, truth, copy)
                        elif part == "requests":
                            check_requests(options.binary, truth, copy, folder)
                        elif part == "replay":
                            check_replay(options.binary, truth, copy, folder)
                        else:
                            check_whatif(options.binary, truth, copy, json.loads(twin.read_text()), twin.with_name(twin.name.replace(".expected.json", ".sqlite")), folder)
                    passed += 1
                    if options.v:
                        print(f"ok     {directory.name}/{name} {part} {time.perf_counter() - begun:.2f} s")
                except (Failed, KeyError, TypeError, subprocess.TimeoutExpired, OSError) as error:
                    failed += 1
                    print(f"FAILED {directory.name}/{name} {part}: {type(error).__name__ + ': ' if not isinstance(error, Failed) else ''}{error}")
    print(f"{passed} passed, {failed} failed")
    sys.exit(bool(failed or not passed))


if __name__ == "__main__":
    main()
