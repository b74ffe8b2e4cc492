#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares the program's replays with the real middleware on random threads.

Usage: diff_compaction.py BINARY [--seeds FROM COUNT] [--trim TOKENS …] [--keep DIR]

Run it with the python of an environment that has deepagents, langgraph and langgraph-checkpoint-sqlite; the installed
deepagents decides the dialect. For each seed a random thread and a pair are recorded (record_threads.py) and replayed:

    replay, whatif   as check_threads.py asks: requests, events, archives
    decisions        counted tokens, cutoff and summary prompt of every replayed call against the real functions, called with
                     what the replay says the middleware met; once more with each trim of the summarizer's input in --trim,
                     since no recording trims

Exit status 1 when anything differs. Recordings that fail are kept in DIR (default: a temporary folder that is named).
"""

from __future__ import annotations

import argparse
import importlib.metadata as metadata
import json
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import check_threads  # noqa: E402
from langchain_core.language_models.fake_chat_models import FakeListChatModel  # noqa: E402
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage  # noqa: E402

from deepagents.backends import StateBackend  # noqa: E402
from deepagents.middleware.summarization import SummarizationMiddleware  # noqa: E402

KINDS = {"human": HumanMessage, "ai": AIMessage, "tool": ToolMessage, "system": SystemMessage}


class Model(FakeListChatModel):
    """A model of which only the profile, the provider and the type matter."""

    profile: object = None
    provider: str = "openai"
    llm_type: str = "scripted-chat"

    @property
    def _llm_type(self):
        return self.llm_type

    def _get_ls_params(self, stop=None, **kwargs):
        return {"ls_provider": self.provider}


def pairs(value):
    """JSON lists that stand for tuples."""
    if isinstance(value, list) and len(value) == 2 and isinstance(value[0], str):
        return tuple(value)
    return [pairs(v) for v in value] if isinstance(value, list) else value


def middleware(settings):
    model = settings["model"]
    limit = model.get("max_input_tokens")
    truncate = settings.get("truncate_args")
    return SummarizationMiddleware(
        model=Model(responses=["x"], profile={"max_input_tokens": limit} if limit else None, provider=model["provider"], llm_type=model["llm_type"]),
        backend=StateBackend(), trigger=pairs(settings.get("trigger")), keep=pairs(settings["keep"]),
        trim_tokens_to_summarize=settings.get("trim_tokens_to_summarize"),
        truncate_args_settings=truncate and {k: pairs(v) for k, v in truncate.items()})


def message(raw):
    return KINDS[raw["type"]](**{"content": "", **raw})


def log_at(binary, db, thread):
    """Raw log by checkpoint, with full bodies, as the program reads it (compared with the recording by `dump` elsewhere)."""
    got = check_threads.run(binary, "dump", db, "--thread", thread)
    return {c["checkpoint_id"]: [got["messages"][k] for k in c["messages"]] for c in got["checkpoints"]}


def decisions(binary, truth, db, folder, trim=None):
    """Every replayed decision of a thread without refusals and moved messages, against the real functions."""
    settings_path = check_threads.settings_file(truth, folder, db)
    settings = json.loads(settings_path.read_text())
    if trim is not None:
        settings["trim_tokens_to_summarize"] = trim
        settings_path.write_text(json.dumps(settings))
    got = check_threads.run(binary, "replay", db, "--thread", truth["thread_id"], "--settings", settings_path, "--summaries", "recorded")
    if any(len(c["attempts"]) != 1 or c["attempts"][0]["outcome"] != "ok" for c in got["calls"]):
        return 0
    if any("lc_evicted_to" in (m.get("additional_kwargs") or {}) for m in got["messages"].values()):
        return 0
    logs = log_at(binary, db, truth["thread_id"])
    real, compared, event = middleware(settings), 0, None
    system = settings.get("system_message")
    for call in got["calls"]:
        at, raw = f"call {call['call']}", [message(m) for m in logs[call["checkpoint_id"]]]
        effective = real._apply_event_to_messages(raw, event)
        tokens = real._count_tokens(effective, system and message(system), settings["tools"])
        truncated, changed = real._truncate_args(effective, tokens)
        if changed:
            tokens = real._count_tokens(truncated, system and message(system), settings["tools"])
        check_threads.same(tokens, call["tokens"]["counted"], f"{at} counted tokens")
        check_threads.same(changed, call["decision"]["truncate_args"], f"{at} truncation")
        summarize = real._should_summarize(truncated, tokens)
        if hasattr(real, "_over_budget") and not summarize:
            limit = settings["model"].get("max_input_tokens")
            summarize = bool(limit) and tokens > int(limit * 0.95)
        check_threads.same(summarize, call["decision"]["summarize"], f"{at} summarize")
        compared += 1
        if not summarize:
            continue
        cutoff = real._determine_cutoff_index(truncated)
        check_threads.same(cutoff, call["decision"]["cutoff_index"], f"{at} cutoff")
        if cutoff <= 0:
            continue
        state_cutoff = real._compute_state_cutoff(event, cutoff)
        check_threads.same(state_cutoff, call["decision"]["state_cutoff_index"], f"{at} state cutoff")
        media = any(isinstance(b, dict) and b.get("type") == "image" for m in truncated[:cutoff] if isinstance(m.content, list) for b in m.content)
        if not media:  # pictures are references by then; the requests prove those
            helper = real._lc_helper
            trimmed = helper._trim_messages_for_summary(truncated[:cutoff])
            prompt = helper._format_summary_prompt(trimmed) if trimmed else None  # nothing left: the model is not asked
            check_threads.same(prompt, call["summary_prompt"], f"{at} summary prompt")
        event = {k: call["event"].get(k) for k in ("cutoff_index", "file_path", "created_at_index") if k in call["event"]}
        event["summary_message"] = message(got["messages"][call["event"]["summary_message"]])
    return compared


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary", type=Path)
    parser.add_argument("--seeds", type=int, nargs=2, default=[1, 20], metavar=("FROM", "COUNT"))
    parser.add_argument("--trim", type=int, nargs="+", default=[], metavar="TOKENS", help="compare decisions with these trims too")
    parser.add_argument("--keep", type=Path, help="keep the recordings here")
    options = parser.parse_args()
    binary = options.binary.resolve()
    out = options.keep or Path(tempfile.mkdtemp(prefix="palimpsest-diff-"))
    seeds = [str(s) for s in range(options.seeds[0], sum(options.seeds))]
    subprocess.run([sys.executable, str(HERE / "record_threads.py"), "--out", str(out), "--random", *seeds, "--pairs", *seeds],
                   check=False, stdout=subprocess.DEVNULL)
    directory = out / metadata.version("deepagents")
    failed = subprocess.run([sys.executable, str(HERE / "check_threads.py"), str(binary), str(directory), "--part", "replay", "whatif"], check=False).returncode
    compared = 0
    for path in sorted(directory.glob("*.expected.json")):
        truth, db = json.loads(path.read_text()), path.with_name(path.name.replace(".expected.json", ".sqlite"))
        try:
            with tempfile.TemporaryDirectory() as folder:
                for trim in [None, *options.trim]:
                    compared += decisions(binary, truth, db, folder, trim)
        except check_threads.Failed as error:
            failed = 1
            print(f"FAILED {path.name} decisions, trim {trim}: {error}")
    print(f"{compared} decisions compared with the real functions; recordings in {directory}")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
