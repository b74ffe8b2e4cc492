#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Load what `palimpsest export` writes in the real langchain_core, and hold it against the recordings' truth.

Usage: check_exports.py BINARY DIRECTORY... [--only NAME ...] [--scrub] [-v]

Needs a Python with langchain_core. For every DIRECTORY/<name>.expected.json with its .sqlite beside it and every namespace:

    langchain  `-f langchain` through messages_from_dict: the messages of the last checkpoint, member by member
    json       the bodies of `-f json` the same way; convert_to_messages takes them too
    jsonl      the lines are these bodies
    openai     each line by the chat format's rules, and through convert_to_messages; a refusal has to name what breaks, and
               has to be true
    scrub      (with --scrub) a scrubbed bundle replays with the recorded settings to the same decisions

Prints what failed and at the end 'N passed, N failed'. Exit status 1 if any failed.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from langchain_core.messages import convert_to_messages, messages_from_dict

sys.path.insert(0, str(Path(__file__).parent))
from check_threads import message as tidied  # noqa: E402


def run(binary, *arguments):
    return subprocess.run([binary, *map(str, arguments)], capture_output=True, text=True, encoding="utf-8", errors="surrogateescape")


def export(binary, source, ns, kind, folder, *more):
    path = folder / f"out.{kind}"
    path.unlink(missing_ok=True)
    done = run(binary, "export", source, "--ns", ns, "-f", kind, "-o", path, *more)
    return path, done


def dumped(loaded):
    return tidied(loaded.model_dump())


def same(expected, loaded):
    if len(expected) != len(loaded):
        return f"{len(loaded)} messages instead of {len(expected)}"
    for i, (want, have) in enumerate(zip(expected, loaded)):
        want, have = tidied(want), dumped(have)
        for key in set(want) | set(have):
            if key in ("id",) and key not in want:
                continue  # of a summary: given after the fact
            if want.get(key) != have.get(key):
                return f"message {i}: {key} is {have.get(key)!r:.200}, not {want.get(key)!r:.200}"
    return None


def chat_fault(messages):
    """What a provider would refuse in OpenAI's chat format; None when nothing."""
    open_calls = []
    for i, message in enumerate(messages):
        role = message.get("role")
        if role not in ("system", "developer", "user", "assistant", "tool"):
            return f"message {i}: role {role!r}"
        if role != "tool" and open_calls:
            return f"message {i}: calls {open_calls} have no result"
        content = message.get("content")
        if isinstance(content, list):
            if not content:
                return f"message {i}: empty content"
            kinds = {part.get("type") for part in content}
            allowed = {"user": {"text", "image_url", "input_audio", "file"}}.get(role, {"text"})
            if kinds - allowed:
                return f"message {i}: {role} with {sorted(kinds - allowed)}"
            for part in content:
                if part["type"] == "text" and not isinstance(part.get("text"), str):
                    return f"message {i}: a text part without text"
                if part["type"] == "image_url" and not part["image_url"]["url"].startswith(("data:image/", "http://", "https://")):
                    return f"message {i}: {part['image_url']['url'][:40]!r} is no picture's address"
        elif not isinstance(content, str):
            return f"message {i}: content is {type(content).__name__}"
        if role == "tool":
            if message.get("tool_call_id") not in open_calls:
                return f"message {i}: a result for {message.get('tool_call_id')!r}, which is not open"
            open_calls.remove(message["tool_call_id"])
        for call in message.get("tool_calls") or []:
            if role != "assistant" or call.get("type") != "function" or not call.get("id"):
                return f"message {i}: a malformed call"
            if len(call["id"]) > 40 or not re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", call["function"]["name"]):
                return f"message {i}: id {call['id']!r} or name {call['function']['name']!r}"
            if not isinstance(json.loads(call["function"]["arguments"]), dict):
                return f"message {i}: arguments are no object"
            open_calls.append(call["id"])
        name = message.get("name")
        if name is not None and (not name or len(name) > 64 or any(c in name for c in " <|\\/>")):
            return f"message {i}: name {name!r}"
        if "tool_calls" in message and not message["tool_calls"]:
            return f"message {i}: an empty list of calls"
    return f"calls {open_calls} have no result" if open_calls else None


def check_openai(binary, source, ns, folder):
    path, done = export(binary, source, ns, "openai", folder)
    if done.returncode == 2:
        if path.exists():
            return "refused, but the file is there"
        if "a provider would refuse" in done.stderr and "; choose" in done.stderr:
            return None
        return f"refused without a reason: {done.stderr.strip()}"
    if done.returncode != 0:
        return done.stderr.strip()
    for line in path.read_text(encoding="utf-8").splitlines():
        messages = json.loads(line)["messages"]
        if fault := chat_fault(messages):
            return fault
        convert_to_messages(messages)
    return None


def decisions(binary, source, settings, ns):
    done = run(binary, "replay", source, "--ns", ns, "--settings", settings, "--json")
    if done.returncode == 2:
        return done.stderr
    return [(c["decision"], c["tokens"]["counted"], [a["outcome"] for a in c["attempts"]]) for c in json.loads(done.stdout)["calls"]]


def check(binary, truth, source, folder, scrub):
    results = []
    # Of a fork the newest branch is exported, that of the newest checkpoint.
    spaces = {"": truth, **{ns: {"checkpoints": found, "messages": truth["messages"]} for ns, found in truth.get("namespaces", {}).items()}}
    for ns, space in spaces.items():
        last = space["checkpoints"][-1]
        expected = [space["messages"][key] for key in last["messages"]]
        path, done = export(binary, source, ns, "langchain", folder)
        if done.returncode != 0:
            results.append((f"langchain {ns}", done.stderr.strip()))
            continue
        results.append((f"langchain {ns}", same(expected, messages_from_dict(json.loads(path.read_text(encoding="utf-8"))))))
        path, done = export(binary, source, ns, "json", folder)
        bodies = json.loads(path.read_text(encoding="utf-8"))["messages"]
        loaded = messages_from_dict([{"type": body["type"], "data": body} for body in bodies])
        results.append((f"json {ns}", same(expected, loaded) or (None if len(convert_to_messages(bodies)) == len(expected) else "convert_to_messages lost some")))
        path, done = export(binary, source, ns, "jsonl", folder)
        lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        results.append((f"jsonl {ns}", None if lines == bodies else "the lines are not the bodies of the JSON export"))
        results.append((f"openai {ns}", check_openai(binary, source, ns, folder)))
    if scrub and isinstance(truth.get("settings"), dict):
        settings = folder / "settings.json"
        settings.write_text(json.dumps(truth["settings"]))
        bundle = folder / "scrubbed.palimpsest"
        bundle.unlink(missing_ok=True)
        done = run(binary, "export", source, "-f", "bundle", "--scrub", "-o", bundle)
        if done.returncode != 0:
            results.append(("scrub", done.stderr.strip()))
        else:
            for ns in spaces:
                before, after = (decisions(binary, place, settings, ns) for place in (source, bundle))
                results.append((f"scrub {ns}", None if before == after else f"other decisions: {before!r:.300} … {after!r:.300}"))
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("directories", nargs="+", type=Path)
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--scrub", action="store_true")
    parser.add_argument("-v", action="store_true")
    arguments = parser.parse_args()
    passed = failed = refused = 0
    with tempfile.TemporaryDirectory() as folder:
        for directory in arguments.directories:
            for path in sorted(directory.glob("*.expected.json")):
                name = path.name.removesuffix(".expected.json")
                source = path.with_name(name + ".sqlite")
                if not source.exists() or (arguments.only and name not in arguments.only):
                    continue
                try:
                    results = check(arguments.binary, json.loads(path.read_text(encoding="utf-8")), source, Path(folder), arguments.scrub)
                except Exception as error:  # noqa: BLE001
                    results = [("check", f"{type(error).__name__}: {error}")]
                for what, fault in results:
                    passed += fault is None
                    failed += fault is not None
                    if fault or arguments.v:
                        print(f"{'FAIL' if fault else 'ok  '} {directory.name}/{name} {what}: {fault or ''}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
