# SPDX-License-Identifier: GPL-3.0-or-later
"""Tiny Deep Agents graphs for `langgraph dev`: a scripted model, no network. See ../record_api.sh."""
import base64
import random
import struct
import zlib
from typing import Any

from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import tool

from deepagents import create_deep_agent
from deepagents.backends import StateBackend
from deepagents.middleware.filesystem import FilesystemMiddleware
from deepagents.middleware.summarization import SummarizationMiddleware

WORDS = "order ledger retry cache index shard vector token window agent plan tool result offset limit error trace span".split()


def prose(seed: str, chars: int) -> str:
    rng, out, n = random.Random(seed), [], 0
    while n < chars:
        w = rng.choice(WORDS)
        out.append(w)
        n += len(w) + 1
    return " ".join(out)[:chars]


def png(colour, size=16) -> bytes:
    raw = b"".join(b"\0" + bytes(colour) * size for _ in range(size))

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", size, size, 8, 2, 0, 0, 0)) + chunk(b"IDAT", zlib.compress(raw)) + chunk(b"IEND", b""))


@tool
def lookup(topic: str) -> str:
    """Return a paragraph about a topic."""
    return f"{topic}: " + prose(topic, 400)


@tool
def needle(topic: str) -> str:
    """Return a text that holds one important fact in its middle."""
    return prose(topic, 500) + f"\nIMPORTANT: the passphrase for {topic} is heron-{len(topic)}42.\n" + prose(topic + "2", 500)


@tool
def dump_log(lines: int) -> str:
    """Return a long log."""
    return "\n".join(f"{i:06d} {prose(str(i), 60)}" for i in range(lines))


def call(name, id, /, **args):
    return {"name": name, "args": args, "id": id}


class Scripted(BaseChatModel):
    """The answer depends on the last human text and on how many calls this thread has made (`done` per thread)."""

    done: Any = None

    @property
    def _llm_type(self):
        return "scripted-chat"

    def _get_ls_params(self, stop=None, **kwargs):
        return {"ls_provider": "openai", "ls_model_type": "chat"}

    def bind_tools(self, tools, **kwargs):
        return self.bind()

    def _generate(self, messages, stop=None, run_manager=None, **kwargs):
        if len(messages) == 1 and "<messages>" in str(messages[0].content):
            return self._reply(AIMessage(content="## SESSION INTENT\nFinish the scripted task.\n\n## SUMMARY\nEarlier steps.\n\n## ARTIFACTS\nNone.\n\n## NEXT STEPS\nContinue."))
        thread = (getattr(run_manager, "metadata", None) or {}).get("thread_id", "x")
        n = self.done[thread] = self.done.get(thread, -1) + 1
        plan = [call("needle", "n0", topic="vault")] + [call("lookup", f"s{i}", topic=f"topic {i}") for i in range(1, 8)] + [call("dump_log", "big", lines=120)]
        answer = AIMessage(content=f"step {n}" if n else "", tool_calls=[plan[n]]) if n < len(plan) else AIMessage(content="First part done." if n == len(plan) else "I no longer know the passphrase.")
        return self._reply(answer, messages)

    def _reply(self, answer, messages=()):
        if messages:
            size = sum(len(str(m.content)) for m in messages) // 4
            answer.usage_metadata = {"input_tokens": size, "output_tokens": 20, "total_tokens": size + 20}
            answer.response_metadata = {"model_provider": "openai", "model_name": "scripted-1"}
        return ChatResult(generations=[ChatGeneration(message=answer)])


def build(**kw):
    model, backend = Scripted(done={}), StateBackend()
    return create_deep_agent(model=model, tools=[lookup, needle, dump_log], backend=backend, system_prompt="You are a careful test agent.", middleware=[
        FilesystemMiddleware(backend=backend, tool_token_limit_before_evict=1000),
        SummarizationMiddleware(model=model, backend=backend, trigger=("messages", 12), keep=("messages", 6))], **kw)


agent = build()
asking = build(interrupt_on={"dump_log": True})
