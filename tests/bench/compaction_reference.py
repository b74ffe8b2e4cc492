#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Times the package's own work on the messages of a JSON file, in milliseconds of processor time.

    compaction_reference.py stages FILE    {"count": ms, "cutoff": ms, "truncate": ms, "xml": ms}
    compaction_reference.py replay FILE    {"replay": ms}: one setting decided at every answer, as bench_replay's

Run by the benchmarks with the interpreter that PALIMPSEST_PYTHON names; it needs deepagents.
"""

import json
import statistics
import sys
import time

from langchain_core.language_models.fake_chat_models import FakeListChatModel
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage, get_buffer_string
from langchain_core.messages.utils import count_tokens_approximately

from deepagents.backends import StateBackend
from deepagents.middleware.summarization import SummarizationMiddleware

KINDS = {"human": HumanMessage, "ai": AIMessage, "tool": ToolMessage}


def median(work, runs=3):
    times = []
    for _ in range(runs):
        begun = time.process_time()
        work()
        times.append((time.process_time() - begun) * 1000)
    return statistics.median(times)


def middleware(trigger, keep, truncation):
    return SummarizationMiddleware(
        model=FakeListChatModel(responses=["x"]), backend=StateBackend(), trigger=trigger, keep=keep,
        truncate_args_settings={"trigger": ("messages", truncation), "keep": ("messages", 20)})


def stages(messages):
    real = middleware(("messages", 1), ("tokens", 20000), 1)
    return {
        "count": median(lambda: count_tokens_approximately(messages)),
        "cutoff": median(lambda: real._determine_cutoff_index(messages)),
        "truncate": median(lambda: real._truncate_args(messages, 0)),
        "xml": median(lambda: get_buffer_string(messages, format="xml")),
    }


def decide(messages):
    """The decisions of every call, without a summary's text."""
    real, event = middleware(("tokens", 12000), ("tokens", 4000), 20), None
    for end, message in enumerate(messages):
        if message.type != "ai":
            continue
        effective = real._apply_event_to_messages(messages[:end], event)
        tokens = real._count_tokens(effective, None, [])
        effective, changed = real._truncate_args(effective, tokens)
        if changed:
            tokens = real._count_tokens(effective, None, [])
        if not real._should_summarize(effective, tokens + 3500):
            continue
        cutoff = real._determine_cutoff_index(effective)
        if cutoff > 0:
            event = {"cutoff_index": real._compute_state_cutoff(event, cutoff), "file_path": None,
                     "summary_message": HumanMessage(content="s" * 1500)}


def main():
    messages = [KINDS[m["type"]](**m) for m in json.load(open(sys.argv[2], encoding="utf-8"))]
    print(json.dumps(stages(messages) if sys.argv[1] == "stages" else {"replay": median(lambda: decide(messages), 1)}))


if __name__ == "__main__":
    main()
