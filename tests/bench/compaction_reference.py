#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Times the package's own stages on the messages of a JSON file: {"count": ms, "cutoff": ms, "truncate": ms, "xml": ms}.

Run by bench_compaction with the interpreter that PALIMPSEST_PYTHON names; it needs deepagents.
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
        begun = time.perf_counter()
        work()
        times.append((time.perf_counter() - begun) * 1000)
    return statistics.median(times)


def main():
    messages = [KINDS[m["type"]](**m) for m in json.load(open(sys.argv[1], encoding="utf-8"))]
    middleware = SummarizationMiddleware(
        model=FakeListChatModel(responses=["x"]), backend=StateBackend(), trigger=("messages", 1), keep=("tokens", 20000),
        truncate_args_settings={"trigger": ("messages", 1), "keep": ("messages", 20)})
    print(json.dumps({
        "count": median(lambda: count_tokens_approximately(messages)),
        "cutoff": median(lambda: middleware._determine_cutoff_index(messages)),
        "truncate": median(lambda: middleware._truncate_args(messages, 0)),
        "xml": median(lambda: get_buffer_string(messages, format="xml")),
    }))


if __name__ == "__main__":
    main()
