#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run the Python that the program hands out with the real packages.

Usage: check_python.py [--root SOURCES] [--binary PALIMPSEST]

Run it with the interpreter of an environment that holds deepagents (and once for each version of it that matters):

- every tests/data/tuning/NAME.py.txt ("copy as Python" of NAME.settings.json) must build an agent whose middleware has
  exactly those settings;
- resources/tuning/capture.py must write a settings file of a running agent that says the same. With --binary the program
  itself reads that file: it replays the recording summarize_chain under it.

Code for a version that is not installed is run too and only told apart when the package refuses an argument that its
version does not have.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import pathlib
import subprocess
import sys
import tempfile
from importlib.metadata import version

from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.tools import tool


class ScriptedModel(GenericFakeChatModel):
    """Answers anything, takes any tools."""

    def bind_tools(self, tools, **kwargs):
        return self


def model() -> ScriptedModel:
    return ScriptedModel(messages=iter([AIMessage("done")] * 20))


@tool
def look_up(topic: str) -> str:
    """Looks a topic up."""
    return topic


def plain(value):
    """Tuples as the settings file has them: lists."""
    if isinstance(value, (tuple, list)):
        return [plain(item) for item in value]
    return {key: plain(item) for key, item in value.items()} if isinstance(value, dict) else value


def clauses(trigger):
    """A trigger in its longest form: a list (OR) of lists (AND) of sizes."""
    if not trigger:
        return []
    if isinstance(trigger, dict):
        return [sorted([kind, size] for kind, size in trigger.items())]
    if isinstance(trigger[0], str):
        return [[list(trigger)]]
    return [clause for one in trigger for clause in clauses(plain(one))]


class Recorder:
    """Notes the middleware that an agent is made with."""

    def __init__(self, namespace, name):
        self.made, self.middleware = namespace[name], []
        namespace[name] = self

    def __call__(self, *args, **kwargs):
        self.middleware = kwargs.get("middleware", [])
        return self.made(*args, **kwargs)

    def named(self, name):
        return next((one for one in self.middleware if type(one).__name__ == name), None)


def differences(wanted: dict, recorder: Recorder) -> list[str]:
    """What of the settings the made middleware does not have."""
    told = []

    def compare(name, found, expected):
        if plain(found) != plain(expected):
            told.append(f"{name}: {found!r} instead of {expected!r}")

    summarization = next(one for one in recorder.middleware
                         if type(one).__name__ in ("SummarizationMiddleware", "_DeepAgentsSummarizationMiddleware"))
    helper = getattr(summarization, "_lc_helper", summarization)
    if not wanted.get("model_defaults"):
        compare("trigger", sorted(clauses(plain(helper.trigger))), sorted(clauses(wanted.get("trigger"))))
        compare("keep", helper.keep, wanted["keep"])
        compare("trim", helper.trim_tokens_to_summarize, wanted.get("trim_tokens_to_summarize"))
        cut = wanted.get("truncate_args")
        if cut is not None:
            compare("truncation trigger", summarization._truncate_args_trigger, cut.get("trigger"))
            compare("truncation keep", summarization._truncate_args_keep, cut.get("keep", ["messages", 20]))
            compare("max_length", summarization._max_arg_length, cut.get("max_length", 2000))
            compare("truncation text", summarization._truncation_text, cut.get("truncation_text", "...(argument truncated)"))
        elif helper is not summarization:
            compare("truncation trigger", summarization._truncate_args_trigger, None)
    if helper is summarization:
        return told
    filesystem = recorder.named("FilesystemMiddleware")
    compare("tool limit", filesystem._tool_token_limit_before_evict, wanted.get("tool_token_limit_before_evict", 20000))
    compare("human limit", filesystem._human_message_token_limit_before_evict,
            wanted.get("human_message_token_limit_before_evict", 50000))
    root = getattr(filesystem.backend, "artifacts_root", "/")
    compare("artifacts root", root.rstrip("/") or "/", wanted.get("artifacts_root", "/").rstrip("/") or "/")
    compact = recorder.named("SummarizationToolMiddleware")
    compare("compact tool", compact is not None, wanted.get("compact_tool", False))
    if wanted.get("compact_tool_prompt"):
        prompts = [value for value in vars(compact).values() if value == wanted["compact_tool_prompt"]]
        compare("compact prompt", bool(prompts), True)
    return told


def check_code(path: pathlib.Path) -> tuple[str, str]:
    wanted = json.loads(path.with_name(path.name.replace(".py.txt", ".settings.json")).read_text())
    namespace: dict = {}
    exec(compile(path.read_text(), str(path), "exec"), namespace)
    recorder = Recorder(namespace, "create_agent" if "create_agent" in namespace else "create_deep_agent")
    agent_model = model()
    try:
        agent = namespace["make_agent"](agent_model, tools=[look_up])
    except TypeError as error:
        own = wanted["dialect"] == "deepagents-" + version("deepagents")
        if "unexpected keyword argument" in str(error) and not own:
            return "other version", str(error)
        raise
    told = differences(wanted, recorder)
    agent.invoke({"messages": [("human", "hello")]})
    return ("failed", "; ".join(told)) if told else ("passed", "")


def check_capture(snippet: pathlib.Path, folder: pathlib.Path, asynchronous: bool) -> tuple[dict, list[str]]:
    from deepagents import create_deep_agent
    from deepagents.backends import CompositeBackend, StateBackend
    from deepagents.middleware.filesystem import FilesystemMiddleware
    from deepagents.middleware.summarization import SummarizationMiddleware

    namespace: dict = {}
    exec(compile(snippet.read_text(), str(snippet), "exec"), namespace)
    backend = CompositeBackend(default=StateBackend(), routes={}, artifacts_root="/work")
    agent_model = model()
    agent_model.profile = {"max_input_tokens": 64000}
    summarization = SummarizationMiddleware(
        model=agent_model, backend=backend, trigger=[("messages", 14), {"tokens": 900, "messages": 3}], keep=("messages", 6),
        truncate_args_settings={"trigger": ("messages", 4), "keep": ("messages", 2), "max_length": 50, "truncation_text": "cut"})
    filesystem = FilesystemMiddleware(backend=backend, tool_token_limit_before_evict=1234,
                                      human_message_token_limit_before_evict=None)
    path = folder / "settings.json"
    capture = namespace["CaptureSettings"](str(path), summarization=summarization, filesystem=filesystem)
    agent = create_deep_agent(model=agent_model, backend=backend, tools=[look_up], system_prompt="Be brief.",
                              middleware=[summarization, filesystem, capture])
    question = {"messages": [("human", "hello")]}
    if asynchronous:
        asyncio.run(agent.ainvoke(question))
    else:
        agent.invoke(question)
    found = json.loads(path.read_text())
    told = []
    for key, expected in (("trigger", [["messages", 14], {"tokens": 900, "messages": 3}]), ("keep", ["messages", 6]),
                          ("tool_token_limit_before_evict", 1234), ("human_message_token_limit_before_evict", None),
                          ("artifacts_root", "/work"), ("dialect", "deepagents-" + version("deepagents"))):
        if found.get(key) != expected:
            told.append(f"{key}: {found.get(key)!r} instead of {expected!r}")
    if found["truncate_args"] != {"trigger": ["messages", 4], "keep": ["messages", 2], "max_length": 50, "truncation_text": "cut"}:
        told.append(f"truncate_args: {found['truncate_args']!r}")
    if found["model"]["max_input_tokens"] != 64000:
        told.append(f"model: {found['model']!r}")
    if "look_up" not in [one["name"] for one in found["tools"]]:
        told.append("tools: look_up is missing")
    if "Be brief." not in json.dumps(found["system_message"]):
        told.append("system message: the prompt is missing")
    return found, told


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[2])
    parser.add_argument("--binary")
    arguments = parser.parse_args()
    failed = 0
    installed = version("deepagents")
    for path in sorted((arguments.root / "tests/data/tuning").glob("*.py.txt")):
        try:
            outcome, words = check_code(path)
        except Exception as error:  # the package's own words are the finding
            outcome, words = "failed", f"{type(error).__name__}: {error}"
        failed += outcome == "failed"
        print(f"{installed}  {path.name}: {outcome} {words}".rstrip())
    for asynchronous in (False, True):
        name = "capture.py, " + ("ainvoke" if asynchronous else "invoke")
        with tempfile.TemporaryDirectory() as folder:
            try:
                _, told = check_capture(arguments.root / "resources/tuning/capture.py", pathlib.Path(folder), asynchronous)
            except Exception as error:
                told = [f"{type(error).__name__}: {error}"]
            if not told and arguments.binary:
                recording = arguments.root / "tests/data/recordings/0.7.7/summarize_chain.sqlite"
                run = subprocess.run([arguments.binary, "replay", str(recording), "--settings", f"{folder}/settings.json"],
                                     capture_output=True, text=True, check=False)
                if run.returncode != 0:
                    told.append(run.stderr.strip())
        failed += bool(told)
        print(f"{installed}  {name}: {'failed ' + '; '.join(told) if told else 'passed'}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
