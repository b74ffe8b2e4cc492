# SPDX-License-Identifier: GPL-3.0-or-later
"""Record a deepagents-code thread with its own session module, agent factory and stream config (no TUI, no server).

Run inside a private mount namespace with HOME=/home/user/, so that no path of the recording machine is stored:
    see record_dcode.sh
"""
import asyncio
import json
import os
import random
import sys
from pathlib import Path
from typing import Any

os.environ.setdefault("LANGSMITH_TRACING", "false")
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import tool

from deepagents_code import sessions
from deepagents_code.agent import create_cli_agent
from deepagents_code.config import build_stream_config

WORDS = "order ledger retry cache index shard vector token window agent plan tool result offset limit error trace span".split()


def prose(seed, chars):
    rng, out, n = random.Random(seed), [], 0
    while n < chars:
        w = rng.choice(WORDS)
        out.append(w)
        n += len(w) + 1
    return " ".join(out)[:chars]


@tool
def lookup(topic: str) -> str:
    """Return a paragraph about a topic."""
    return f"{topic}: " + prose(topic, 3000)


@tool
def dump_log(lines: int) -> str:
    """Return a long log."""
    return "\n".join(f"{i:06d} {prose(str(i), 60)}" for i in range(lines))


class Scripted(BaseChatModel):
    answers: Any = None
    calls: Any = None

    @property
    def _llm_type(self):
        return "scripted-chat"

    def _get_ls_params(self, stop=None, **kwargs):
        return {"ls_provider": "openai", "ls_model_type": "chat"}

    def bind_tools(self, tools, **kwargs):
        return self.bind()

    def _generate(self, messages, stop=None, run_manager=None, **kwargs):
        summary = len(messages) == 1 and "<messages>" in str(messages[0].content)
        self.calls.append({"kind": "summary" if summary else "agent", "messages": [{"type": m.type, "id": m.id, "chars": len(str(m.content)), "head": str(m.content)[:160], "tail": str(m.content)[-80:]} for m in messages]})
        a = AIMessage(content="## SESSION INTENT\nFinish the scripted task.\n\n## SUMMARY\nEarlier steps.\n\n## ARTIFACTS\nNone.\n\n## NEXT STEPS\nContinue.") if summary else self.answers.pop(0)
        if not summary:
            size = sum(len(str(m.content)) for m in messages) // 4
            a.usage_metadata = {"input_tokens": size, "output_tokens": 20, "total_tokens": size + 20}
            a.response_metadata = {"model_provider": "openai", "model_name": "scripted-1"}
        return ChatResult(generations=[ChatGeneration(message=a)])


def call(name, id, /, **args):
    return {"name": name, "args": args, "id": id}


def says(text="", *calls):
    return AIMessage(content=text, tool_calls=list(calls))


async def main(out: Path):
    answers = [says("", call("dump_log", "big1", lines=1400))] + [says(f"step {i}", call("lookup", f"c{i}", topic=f"c{i}")) for i in range(14)]
    answers += [says("", call("write_file", "w1", file_path=str(Path.cwd() / "notes.md"), content="# Notes\n")), says("Done."), says("Bye.")]
    model = Scripted(answers=answers, calls=[], profile={"max_input_tokens": int(os.environ.get("MAX_INPUT", "16000")), "tool_calling": True})
    thread_id = sessions.generate_thread_id()
    async with sessions.get_checkpointer() as saver:
        agent, backend = create_cli_agent(model, "agent", tools=[lookup, dump_log], checkpointer=saver, auto_approve=True, enable_skills=False, cwd=Path.cwd())
        for n, text in enumerate(["Dump the log, research 14 topics, write notes.", "Thanks."], 1):
            config = build_stream_config(thread_id, "agent", turn_id=f"turn-{n}", turn_number=n, auto_approve=True)
            config["recursion_limit"] = 1000
            await agent.ainvoke({"messages": [HumanMessage(content=text)]}, config)
        state = await agent.aget_state(config)
        listed = await sessions.list_threads()
    v = state.values
    ev = v.get("_summarization_event")
    facts = {
        "thread_id": thread_id, "artifacts_root": backend.artifacts_root, "routes": {k: type(b).__name__ for k, b in backend.routes.items()}, "default_backend": type(backend.default).__name__,
        "stream_config_metadata": config["metadata"], "state_keys": sorted(v), "list_threads": listed,
        "event": ev and {**ev, "summary_message": ev["summary_message"].model_dump()}, "session_id": v.get("_summarization_session_id"),
        "messages": [json.loads(m.model_dump_json()) for m in v["messages"]], "files": sorted(v.get("files") or {}), "calls": model.calls,
        "other_state": {k: v[k] for k in v if k not in ("messages", "files", "_summarization_event")},
    }
    (out / "dcode.expected.json").write_text(json.dumps(facts, indent=1, default=str))
    print(thread_id, backend.artifacts_root, facts["routes"], "msgs", len(v["messages"]), "cutoff", ev and ev["cutoff_index"], ev and ev["file_path"])
    print(sorted(v))


asyncio.run(main(Path(sys.argv[1])))
