#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Golden test data for a C++ re-implementation of the Deep Agents compaction pipeline.

    python make_stage_goldens.py --out DIR [--seed N] [--cases FACTOR]
                                 [--random-only] [--families a,b] [--list]

Every case is produced like this:

    generator -> python input -> JSON input -> decoded again -> REAL python function -> JSON output

i.e. the function is always called with what the *recorded JSON* decodes to, so a
case is complete by construction.  See README.md for the encoding ("$repeat" etc.).
Sections:  1 codec / 2 fakes (backend, model, uuid, clock) / 3 random builders /
           4 families / 5 main.
"""
from __future__ import annotations

import argparse
import asyncio
import base64
import contextlib
import copy
import datetime as dt
import hashlib
import importlib.metadata
import json
import logging
import mimetypes
import os
import random
import re
import sys
import types
import unicodedata
import uuid as _uuid
import warnings

os.environ.setdefault("LANGSMITH_TRACING", "false")
logging.disable(logging.CRITICAL)

# Pin mimetypes to python's built-in table (guess_extension otherwise reads
# /etc/mime.types and friends, which would make goldens depend on the machine).
SYSTEM_MIME_FILES = [f for f in mimetypes.knownfiles if os.path.isfile(f)]
mimetypes.knownfiles = []
mimetypes.init()

import langgraph.pregel._checkpoint as lg_checkpoint  # noqa: E402
from langchain.agents.middleware.summarization import (  # noqa: E402
    DEFAULT_SUMMARY_PROMPT,
    SummarizationMiddleware as LCSummarization,
)
from langchain.agents.middleware.types import ExtendedModelResponse, ModelRequest, ModelResponse  # noqa: E402
from langchain_core.exceptions import ContextOverflowError  # noqa: E402
from langchain_core.language_models import BaseChatModel  # noqa: E402
from langchain_core.messages import (  # noqa: E402
    AIMessage,
    BaseMessage,
    ChatMessage,
    FunctionMessage,
    HumanMessage,
    RemoveMessage,
    SystemMessage,
    ToolMessage,
    get_buffer_string,
)
from langchain_core.messages.utils import count_tokens_approximately  # noqa: E402
from langchain_core.outputs import ChatGeneration, ChatResult  # noqa: E402
from langgraph.channels.delta import DeltaChannel  # noqa: E402
from langgraph.graph.message import REMOVE_ALL_MESSAGES  # noqa: E402
from langgraph.types import Command, Overwrite  # noqa: E402

import deepagents.middleware._message_eviction as da_evict  # noqa: E402
import deepagents.middleware._overflow_clip as da_clip  # noqa: E402
import deepagents.middleware.filesystem as da_fs  # noqa: E402
import deepagents.middleware.summarization as da_sum  # noqa: E402
from deepagents._messages_reducer import _messages_delta_reducer  # noqa: E402
from deepagents.backends import CompositeBackend  # noqa: E402
from deepagents.backends.protocol import (  # noqa: E402
    BackendProtocol,
    EditResult,
    FileDownloadResponse,
    FileUploadResponse,
    WriteResult,
)
from deepagents.backends.utils import perform_string_replacement, sanitize_tool_call_id  # noqa: E402
from deepagents.middleware.patch_tool_calls import PatchToolCallsMiddleware  # noqa: E402

VERSION = importlib.metadata.version("deepagents")

# --------------------------------------------------------------------------
# 1. codec
# --------------------------------------------------------------------------
LIMIT = 4000  # longest literal string in a golden file (code points)
REG: dict[str, object] = {}  # big string -> generator spec (reset per family)


def rep(s: str, n: int) -> str:
    v = s * n
    if len(v) > LIMIT:
        REG[v] = {"$repeat": [s, n]}
    return v


def lines(template: str, start: int, n: int) -> str:
    """n lines joined by newline, `{i}` replaced by start, start+1, ..."""
    v = "\n".join(template.replace("{i}", str(i)) for i in range(start, start + n))
    if len(v) > LIMIT:
        REG[v] = {"$lines": [template, start, n]}
    return v


def cat(*parts: str) -> str:
    v = "".join(parts)
    if len(v) > LIMIT:
        REG[v] = {"$concat": [_enc_str(p, False) for p in parts]}
    return v


_RUN = re.compile(r"(.{1,24}?)\1{49,}", re.S)


def _pieces(s: str):
    """Factor a long string into literals (<= LIMIT) and generator specs, or None."""
    for big in sorted((b for b in REG if len(b) < len(s)), key=len, reverse=True):
        i = s.find(big)
        if i >= 0:
            a, b = _pieces(s[:i]), _pieces(s[i + len(big):])
            return None if a is None or b is None else [*a, REG[big], *b]
    out, pos = [], 0
    if len(s) > LIMIT:
        for m in _RUN.finditer(s):
            if m.end() - m.start() < 200:
                continue
            if m.start() > pos:
                out.append(s[pos:m.start()])
            out.append({"$repeat": [m.group(1), (m.end() - m.start()) // len(m.group(1))]})
            pos = m.end()
    if pos < len(s):
        out.append(s[pos:])
    return None if any(isinstance(p, str) and len(p) > LIMIT for p in out) else out


def _enc_str(s: str, is_output: bool):
    if any(0xD800 <= ord(c) <= 0xDFFF for c in s):
        return {"$codepoints": [ord(c) for c in s]}
    if len(s) <= LIMIT:
        return s
    if s in REG:
        return REG[s]
    if (p := _pieces(s)) is not None and sum(len(x) for x in p if isinstance(x, str)) <= 3 * LIMIT:
        spec = p[0] if len(p) == 1 else {"$concat": p}
        assert dec(spec) == s
        return spec
    if not is_output:
        raise ValueError(f"input string of {len(s)} chars has no generator spec: {s[:80]!r}")
    return {"$sha256": hashlib.sha256(s.encode()).hexdigest(), "$length": len(s), "$head": s[:300], "$tail": s[-300:]}


def enc(o, is_output: bool = False):
    if o is None or isinstance(o, bool):
        return o
    if isinstance(o, int):
        return o if -(2**63) <= o < 2**63 else {"$int": str(o)}
    if isinstance(o, float):
        return o if o == o and abs(o) != float("inf") else {"$float": repr(o)}
    if isinstance(o, str):
        return _enc_str(str(o), is_output)
    if isinstance(o, bytes):
        return {"$base64": base64.b64encode(o).decode()}
    if isinstance(o, BaseMessage):
        return enc(o.model_dump(), is_output)
    if isinstance(o, Overwrite):
        return {"$overwrite": enc(o.value, is_output)}
    if isinstance(o, tuple):
        return {"$tuple": [enc(x, is_output) for x in o]}
    if isinstance(o, list):
        return [enc(x, is_output) for x in o]
    if isinstance(o, dict):
        assert all(isinstance(k, str) for k in o), o
        return {k: enc(v, is_output) for k, v in o.items()}
    raise TypeError(f"cannot encode {type(o)}: {o!r}")


def dec(j):
    if isinstance(j, list):
        return [dec(x) for x in j]
    if isinstance(j, dict):
        if len(j) == 1:
            (k, v), = j.items()
            if k == "$repeat":
                return v[0] * v[1]
            if k == "$lines":
                return "\n".join(v[0].replace("{i}", str(i)) for i in range(v[1], v[1] + v[2]))
            if k == "$concat":
                return "".join(dec(x) for x in v)
            if k == "$codepoints":
                return "".join(map(chr, v))
            if k == "$int":
                return int(v)
            if k == "$float":
                return float(v)
            if k == "$base64":
                return base64.b64decode(v)
            if k == "$tuple":
                return tuple(dec(x) for x in v)
            if k == "$overwrite":
                return Overwrite(dec(v))
        return {k: dec(v) for k, v in j.items()}
    return j


_CLS = {"human": HumanMessage, "ai": AIMessage, "system": SystemMessage, "tool": ToolMessage,
        "chat": ChatMessage, "function": FunctionMessage, "remove": RemoveMessage}


def M(d):
    """Full message dict -> message object (checked to round-trip)."""
    if isinstance(d, list):
        return [M(x) for x in d]
    if d is None or isinstance(d, BaseMessage):
        return d
    m = _CLS[d["type"]](**copy.deepcopy(d))
    assert m.model_dump() == d or repr(m.model_dump()) == repr(d), (m.model_dump(), d)
    return m


def maybe_M(d):
    """Full dumps become messages, anything else (raw dict/tuple/str) is left raw."""
    if isinstance(d, dict) and d.get("type") in _CLS and "additional_kwargs" in d and "response_metadata" in d:
        return M(d)
    if isinstance(d, list):
        return [maybe_M(x) for x in d]
    if isinstance(d, Overwrite):
        return Overwrite(maybe_M(d.value))
    return d


def out_msgs(msgs, inputs):
    """Encode output messages, replacing exact copies of input messages by an index."""
    idx = {}
    for i, m in enumerate(inputs):
        idx.setdefault(repr(m.model_dump()), i)
    out = []
    for m in msgs:
        if isinstance(m, BaseMessage) and (k := repr(m.model_dump())) in idx and type(m) in _CLS.values():
            out.append({"$same_as_input": idx[k]})
        else:
            out.append(m)
    return out


def attempt(fn):
    """Result of fn(), or {"$error": ...} with the exception's type and text."""
    try:
        return fn()
    except Exception as e:  # noqa: BLE001
        return {"$error": {"type": type(e).__name__, "message": str(e)}}


# --------------------------------------------------------------------------
# 2. fakes
# --------------------------------------------------------------------------
class MemBackend(BackendProtocol):
    """In-memory backend: path -> bytes, with scripted failures (see README)."""

    def __init__(self, spec: dict) -> None:
        self.files: dict[str, bytes] = {}
        for p, f in (spec.get("files") or {}).items():
            self.files[p] = f["content"].encode() if f["encoding"] == "utf-8" else base64.b64decode(f["content"])
        self.fail = spec.get("fail") or {}
        self.fail_paths = spec.get("fail_paths") or []
        self.result_prefix = spec.get("result_prefix")
        self.ops: list[list[str]] = []

    def _mode(self, op: str, path: str):
        self.ops.append([op, path])
        mode = self.fail.get(op)
        if mode and self.fail_paths and not any(s in path for s in self.fail_paths):
            mode = None
        if mode == "raise":
            raise RuntimeError("backend exploded")
        return mode

    def write(self, file_path, content):
        mode = self._mode("write", file_path)
        if mode == "none":
            return None
        if mode:
            return WriteResult(error="disk full")
        self.files[file_path] = content.encode()
        return WriteResult(path=(self.result_prefix + file_path) if self.result_prefix else file_path)

    def edit(self, file_path, old_string, new_string, replace_all=False):
        mode = self._mode("edit", file_path)
        if mode == "none":
            return None
        if mode:
            return EditResult(error="disk full")
        if file_path not in self.files:
            return EditResult(error=f"Error: File '{file_path}' not found")
        r = perform_string_replacement(self.files[file_path].decode(), old_string, new_string, replace_all)
        if isinstance(r, str):
            return EditResult(error=r)
        self.files[file_path] = r[0].encode()
        return EditResult(path=file_path, occurrences=r[1])

    def upload_files(self, files):
        out = []
        for path, content in files:
            mode = self._mode("upload", path)
            if mode == "empty":
                return []
            if mode:
                out.append(FileUploadResponse(path=path, error="permission_denied"))
                continue
            self.files[path] = content
            out.append(FileUploadResponse(path=path))
        return out

    def download_files(self, paths):
        out = []
        for path in paths:
            mode = self._mode("download", path)
            if mode == "empty":
                return []
            if mode:
                out.append(FileDownloadResponse(path=path, error="permission_denied"))
            elif path in self.files:
                out.append(FileDownloadResponse(path=path, content=self.files[path]))
            else:
                out.append(FileDownloadResponse(path=path, error="file_not_found"))
        return out


def mk_backend(spec):
    spec = spec or {}
    mem = MemBackend(spec)
    root = spec.get("artifacts_root")
    return mem, (CompositeBackend(default=mem, routes={}, artifacts_root=root) if root else mem)


def files_out(mem: MemBackend):
    out = {}
    for p in sorted(mem.files):
        b = mem.files[p]
        try:
            out[p] = {"encoding": "utf-8", "content": b.decode()}
        except UnicodeDecodeError:
            out[p] = {"encoding": "base64", "content": base64.b64encode(b).decode()}
    return out


class HTTPError(Exception):
    def __init__(self, message, status_code):
        super().__init__(message)
        self.status_code = status_code


_EXC = {"ContextOverflowError": ContextOverflowError, "ValueError": ValueError, "RuntimeError": RuntimeError, "KeyError": KeyError}


def raise_scripted(step):
    if isinstance(step, dict) and "raise" in step:
        if "status_code" in step:
            raise HTTPError(step["message"], step["status_code"])
        raise _EXC[step["raise"]](step["message"])


class FakeModel(BaseChatModel):
    """Chat model with a scripted list of summaries; the last step repeats."""

    llm_type: str = "fake"
    ls_provider: object = None
    profile: object = None
    max_tokens: object = None
    max_completion_tokens: object = None
    max_output_tokens: object = None
    script: list = ["SUMMARY"]
    prompts: list = []

    @property
    def _llm_type(self):
        return self.llm_type

    def _get_ls_params(self, stop=None, **kw):
        return {"ls_provider": self.ls_provider} if self.ls_provider is not None else {}

    def _generate(self, messages, stop=None, run_manager=None, **kw):
        i = len(self.prompts)
        self.prompts.append(messages[0].content)
        step = self.script[min(i, len(self.script) - 1)]
        raise_scripted(step)
        return ChatResult(generations=[ChatGeneration(message=AIMessage(content=step))])


def mk_model(spec):
    spec = spec or {}
    kw = {k: spec[k] for k in ("llm_type", "ls_provider", "profile", "max_tokens", "max_completion_tokens", "max_output_tokens") if k in spec}
    return FakeModel(script=spec.get("summaries", ["SUMMARY"]), prompts=[], **kw)


class _FakeUuidModule:
    UUID = _uuid.UUID

    def __init__(self, seq):
        self._it = iter(seq)

    def uuid4(self):
        return _uuid.UUID(next(self._it))


@contextlib.contextmanager
def frozen(inp):
    """Patch uuid4 (per input["uuids"], consumed in order) and datetime.now (input["now"])."""
    fake = _FakeUuidModule(inp.get("uuids", []))
    now = dt.datetime.fromisoformat(inp["now"]) if inp.get("now") else None

    class FrozenDT(dt.datetime):
        @classmethod
        def now(cls, tz=None):
            return now

    saved = []

    def patch(mod, name, val):
        if hasattr(mod, name):
            saved.append((mod, name, getattr(mod, name)))
            setattr(mod, name, val)

    patch(da_sum, "uuid", fake)
    patch(da_fs, "uuid", fake)
    patch(da_clip, "uuid", fake)
    patch(da_evict, "uuid4", fake.uuid4)
    patch(da_sum, "datetime", FrozenDT)
    try:
        yield
    finally:
        for mod, name, val in reversed(saved):
            setattr(mod, name, val)


# Auto-generated content block ids ("lc_<uuid4>") are pinned to one constant: how often
# content_blocks is evaluated is not part of the contract.
import langchain_core.utils.utils as lc_utils  # noqa: E402

lc_utils.uuid4 = lambda: _uuid.UUID("00000000-0000-4000-8000-0000000000ff")

# no real sleeping in Runnable.with_retry
import tenacity.nap  # noqa: E402

tenacity.nap.time = types.SimpleNamespace(sleep=lambda s: None)


def mk_lc(inp, **extra):
    """LangChain's SummarizationMiddleware from an input dict."""
    kw = {k: inp[k] for k in ("trigger", "keep", "summary_prompt", "trim_tokens_to_summarize", "max_tokens_before_summary", "messages_to_keep") if k in inp}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return LCSummarization(model=mk_model(inp.get("model")), **kw, **extra)


def mk_da(inp, backend=None, model=None):
    """Deep Agents' SummarizationMiddleware from an input dict."""
    kw = {k: inp[k] for k in ("trigger", "keep", "summary_prompt", "trim_tokens_to_summarize", "truncate_args_settings", "max_tokens_before_summary", "messages_to_keep") if k in inp}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return da_sum.SummarizationMiddleware(model=model or mk_model(inp.get("model")), backend=backend or MemBackend({}), **kw)


# --------------------------------------------------------------------------
# 3. builders and random generators
# --------------------------------------------------------------------------
def H(c="hi", **k):
    return HumanMessage(content=c, **k)


def A(c="ok", calls=None, provider=None, total=None, **k):
    """calls: list of (name, args, id). total: usage total_tokens."""
    if calls:
        k["tool_calls"] = [{"name": n, "args": a, "id": i} for n, a, i in calls]
    if provider is not None:
        k.setdefault("response_metadata", {})["model_provider"] = provider
    if total is not None:
        k["usage_metadata"] = {"input_tokens": max(0, total - 5), "output_tokens": min(5, total), "total_tokens": total}
    return AIMessage(content=c, **k)


def T(c="result", tid="c1", **k):
    return ToolMessage(content=c, tool_call_id=tid, **k)


def S(c="You are helpful.", **k):
    return SystemMessage(content=c, **k)


def SUMM(c="Here is a summary of the conversation to date:\n\nold"):
    return HumanMessage(content=c, additional_kwargs={"lc_source": "summarization"})


def RM(i):
    return RemoveMessage(id=i)


RMA = REMOVE_ALL_MESSAGES
WORDS = ["alpha", "beta", "gamma", "naïve", "данные", "日本語", "🙂", "<tag>", "a&b", '"quoted"', "it's", "C:\\path", "x=1;", "foo()",
         "line", "é", "\t", "μs", "“smart”", "0.5", "https://example.com/a?b=1&c=2", "{brace}", "👩‍👩‍👧", "end."]
TOOLNAMES = ["read_file", "write_file", "edit_file", "execute", "search", "ls"]


def rtext(r, lo=1, hi=25):
    n = r.randint(lo, hi)
    return "".join(r.choice(WORDS) + r.choice([" ", " ", " ", "\n"]) for _ in range(n)).rstrip(" ")


def rbig(r):
    k = r.randrange(4)
    if k == 0:
        return rep(r.choice(["abc", "x", "é\n", "lorem ipsum\n"]), r.choice([1500, 2500, 6000]))
    if k == 1:
        return lines(r.choice(["line {i}: value", "{i}\tπ≈3", "row={i};<x&y>"]), r.randint(1, 50), r.randint(300, 900))
    if k == 2:
        return cat(rtext(r, 2, 6), rep("data ", r.randint(900, 2000)), rtext(r, 2, 6))
    return rep(r.choice("xyz"), r.randint(4001, 9000))


def rvalue(r, depth=0):
    k = r.randrange(9 if depth < 2 else 7)
    if k == 0:
        return rtext(r, 1, 5)
    if k == 1:
        return r.choice([0, 1, -1, 42, 10**6, -(10**12), 2**53, 2**63 - 1])
    if k == 2:
        return r.choice([0.0, -0.0, 0.1, 1.0, 1e16, 1e15, 1e-4, 1e-5, 123456.789, -2.5e-10, 1.7976931348623157e308, 5e-324, r.uniform(-1e3, 1e3)])
    if k == 3:
        return r.choice([True, False, None])
    if k == 4:
        return r.choice(["", "'", '"', "'\"", "\\", "\n\r\t", "\x00\x07\x1b", "\x7f\xa0\xad", "\u2028\u2029", "\ue000", "\U0001f600", "it's"])
    if k == 5:
        return rtext(r, 1, 3)
    if k == 6:
        return r.randint(-10**6, 10**6)
    if k == 7:
        return [rvalue(r, depth + 1) for _ in range(r.randint(0, 4))]
    return {r.choice(["a", "b", "path", "it's", "ключ", "n", "q\"q"]): rvalue(r, depth + 1) for _ in range(r.randint(0, 4))}


def rargs(r, name, big=0.2):
    if name in ("write_file", "edit_file"):
        body = rbig(r) if r.random() < big else rep(r.choice("ab "), r.choice([10, 19, 20, 21, 1999, 2000, 2001, 2500])) if r.random() < 0.5 else rtext(r, 1, 8)
        return {"file_path": f"/src/f{r.randint(1, 9)}.py", "content": body} if name == "write_file" else {"file_path": "/src/e.py", "old_string": rtext(r, 1, 3), "new_string": body}
    if name == "read_file":
        return {"file_path": f"/src/f{r.randint(1, 9)}.py", "offset": r.randint(0, 100)}
    return {r.choice(["query", "command", "path", "opts"]): rvalue(r) for _ in range(r.randint(0, 3))}


PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(range(24))).decode()


def rblock(r, media=0.3):
    if r.random() > media:
        return r.choice([{"type": "text", "text": rtext(r, 1, 6)}, rtext(r, 1, 4), {"type": "text", "text": ""}, {"type": "text", "text": rtext(r, 1, 3), "cache_control": {"type": "ephemeral"}}])
    return r.choice([
        {"type": "image", "url": "https://x.test/p.png?a=1&b=\"2\""},
        {"type": "image", "base64": PNG, "mime_type": "image/png"},
        {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}"}},
        {"type": "image_url", "image_url": {"url": "https://x.test/q.jpg"}},
        {"type": "audio", "base64": base64.b64encode(b"RIFF" + bytes([r.randrange(256)])).decode(), "mime_type": "audio/wav"},
        {"type": "image", "url": "data:image/svg+xml,%3Csvg%20xmlns='http://www.w3.org/2000/svg'/%3E"},
        {"type": "file", "base64": base64.b64encode(b"%PDF-1.4 " + bytes([65 + r.randrange(26)])).decode(), "mime_type": "application/pdf"},
        {"type": "video", "url": "https://x.test/v.mp4"},
    ])


def conv(r, turns, *, usage=0.5, providers=("openai",), orphan=0.08, big=0.08, media=0.0, names=0.1, listc=0.12, ids=0.9, unanswered=0.08, summary=0.0, argbig=0.2):
    """A random, mostly well-formed conversation."""
    out, n, k = [], 0, r.randrange(100)

    def mid():
        nonlocal n
        n += 1
        return f"m{n}" if r.random() < ids else None

    def text(lo=1, hi=25):
        return rbig(r) if r.random() < big else rtext(r, lo, hi)

    def content():
        return [rblock(r, media) for _ in range(r.randint(1, 3))] if r.random() < listc else text()

    running = 50
    if summary and r.random() < summary:
        out.append(SUMM())
    for _ in range(turns):
        out.append(H(content(), id=mid(), name=r.choice(["bob", "Zoë"]) if r.random() < names else None))
        if r.random() < orphan:
            out.append(T(text(1, 6), f"orphan{r.randrange(99)}", id=mid()))
        for _ in range(r.randint(0, 3)):
            calls = []
            for _ in range(r.choice([1, 1, 1, 2, 3])):
                k += 1
                name = r.choice(TOOLNAMES)
                calls.append((name, rargs(r, name, argbig), f"call_{k}"))
            running += r.randint(20, 400)
            kw = dict(provider=r.choice(providers), total=running) if r.random() < usage else {}
            c = r.choice(["", "", rtext(r, 1, 5)])
            if r.random() < listc:
                c = [{"type": "text", "text": rtext(r, 1, 5)}]
            out.append(A(c, calls, id=mid(), **kw))
            for name, _, tid in calls:
                if r.random() < unanswered:
                    continue
                out.append(T(content() if media else text(), tid, id=mid(), name=name, **({"status": "error"} if r.random() < 0.05 else {})))
        if r.random() < 0.8:
            running += r.randint(20, 400)
            kw = dict(provider=r.choice(providers), total=running) if r.random() < usage else {}
            out.append(A(text(), id=mid(), **kw))
    if r.random() < 0.3:
        while out and not isinstance(out[-1], ToolMessage) and len(out) > 3:
            out.pop()
    return out


def ntok(ms, **k):
    return count_tokens_approximately(ms, **k)


def near(r, n):
    return max(1, r.choice([n - 1, n, n + 1, n // 2, n * 2, n // 3, int(n * 0.9)]))


def ruuids(r, n=6):
    return [str(_uuid.UUID(int=r.getrandbits(128), version=4)) for _ in range(n)]


def rnow(r):
    d = dt.datetime(2026, r.randint(1, 12), r.randint(1, 28), r.randint(0, 23), r.randint(0, 59), r.randint(0, 59), r.choice([0, r.randint(1, 999999), 120000]), tzinfo=dt.UTC)
    return d.isoformat()


NOW = "2026-03-04T05:06:07.089012+00:00"
UU = [f"00000000-0000-4000-8000-{i:012x}" for i in range(1, 13)]

FAMILIES = []


def family(name, dotted, nrand):
    """Register: the decorated function returns (hand_cases, rand_case(r), run(input))."""
    def deco(fn):
        FAMILIES.append((name, dotted, nrand, fn))
        return fn
    return deco


# --------------------------------------------------------------------------
# 4. families
# --------------------------------------------------------------------------
# ---- 2 count_tokens_approximately -----------------------------------------
TOOLS1 = [{"name": "search", "description": "Search — the wéb 🙂", "parameters": {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}}]
TOOLS2 = [*TOOLS1, {"type": "function", "function": {"name": "f\n\"q\"", "parameters": {"min": 1e-7, "max": 1e22, "f": 1.0, "n": None, "b": True, "e": {}, "l": []}}}, {}]


@family("count_tokens_approximately", "langchain_core.messages.utils.count_tokens_approximately", 36)
def f_count():
    def c(note, ms, params=None, tools="absent"):
        i = {"messages": ms, "params": params or {}}
        if tools != "absent":
            i["tools"] = tools
        return note, i

    sc = {"use_usage_metadata_scaling": True}
    tc = [("search", {"q": "it's \"x\"\n"}, "call_1")]
    h = [
        c("empty list", []),
        c("empty content still costs role + 3", [H("")]),
        c("ceil per message: 'user'+4 chars = 8/4", [H("abcd")]),
        c("one char over a token boundary", [H("abcde")]),
        c("code points, not bytes: emoji/ZWJ/combining", [H("👩‍👩‍👧é日本"), H("e\u0301")]),
        c("roles: system/developer/assistant/tool/function/chat", [S("s"), S("s", additional_kwargs={"__openai_role__": "developer"}), A("a"), T("t", "id"), FunctionMessage(content="f", name="fn"), ChatMessage(content="c", role="critic")]),
        c("name counted", [H("hello", name="bob")]),
        c("name not counted", [H("hello", name="bobby")], {"count_name": False}),
        c("empty name is falsy", [H("hello", name="")]),
        c("tool_call_id counted", [T("x", "call_0123456789")]),
        c("tool_calls use python repr", [A("", tc)]),
        c("list content excludes tool_calls (Anthropic)", [A([{"type": "text", "text": "t"}, {"type": "tool_use", "id": "call_1", "name": "search", "input": {"q": 1}}], tc)]),
        c("empty list content also excludes tool_calls", [A([], tc)]),
        c("images: fixed 85", [H([{"type": "image", "base64": rep("A", 5000), "mime_type": "image/png"}, {"type": "image_url", "image_url": {"url": "http://x"}}])]),
        c("images: custom penalty", [H([{"type": "image_url", "image_url": {"url": "http://x"}}, {"type": "text", "text": "hi"}])], {"tokens_per_image": 1000}),
        c("str blocks, text blocks, text without text key", [H(["abc", {"type": "text", "text": "defg"}, {"type": "text"}])]),
        c("unknown block via repr(dict)", [H([{"type": "audio", "base64": "QUJD", "n": 1.5, "ok": True, "x": None}])]),
        c("block without type via repr", [H([{"foo": "it's"}])]),
        c("reasoning/thinking blocks via repr incl. escapes", [A([{"type": "thinking", "thinking": "a\n'b'\u200b", "signature": "s"}])]),
        c("large base64 file block is counted by repr", [H([{"type": "file", "base64": rep("QUJD", 2000), "mime_type": "application/pdf"}])]),
        c("chars_per_token 3.3", [H("hello world"), A("x" * 33)], {"chars_per_token": 3.3}),
        c("chars_per_token 3.3 exact multiple float noise", [H("x" * n) for n in (29, 62, 95, 128, 161)], {"chars_per_token": 3.3}),
        c("chars_per_token 0.1 and 7", [H("x" * n) for n in (1, 2, 3)], {"chars_per_token": 0.1}),
        c("extra_tokens_per_message float rounds up at the end", [H("a"), H("b"), H("c")], {"extra_tokens_per_message": 0.5}),
        c("extra 0", [H("a"), H("b")], {"extra_tokens_per_message": 0.0}),
        c("tools json.dumps is ASCII-escaped", [H("hi")], None, TOOLS1),
        c("tools: floats, null, nested, empty dict", [H("hi")], {"chars_per_token": 3.3}, TOOLS2),
        c("tools empty list / None cost nothing", [H("hi")], None, []),
        c("tools None", [H("hi")], None, None),
        c("tools chars are summed before one ceil", [], None, [{"a": 1}, {"b": 2}, {"c": 3}]),
        c("scaling x1.25 cap", [H("hello"), A("hi", provider="openai", total=1000)], sc),
        c("scaling never below 1", [H("hello " * 50), A("hi", provider="openai", total=1)], sc),
        c("scaling in between (1.1x)", [H("hello " * 50), A("hi", provider="openai", total=95), H("more text here")], sc),
        c("scaling needs >1 message", [A("hi", provider="openai", total=1000)], sc),
        c("scaling off by default", [H("hello"), A("hi", provider="openai", total=1000)]),
        c("inconsistent providers disable scaling", [A("a", provider="openai", total=100), A("b", provider="anthropic", total=1000)], sc),
        c("missing provider after a set one is inconsistent", [A("a", provider="openai", total=100), A("b", total=1000)], sc),
        c("missing provider BEFORE a set one is fine", [A("a", total=100), A("b", provider="openai", total=1000)], sc),
        c("no provider at all disables scaling", [H("x"), A("a", total=1000)], sc),
        c("most recent AI with usage wins, later AI without usage ignored", [H("x"), A("a", provider="p", total=12), A("b", provider="p", total=30), A("c", provider="p")], sc),
        c("tools are inside the scaled base", [H("x"), A("a", provider="p", total=200)], sc, TOOLS1),
        c("total 0: isinstance int so scale 0 -> max(1.0)", [H("x"), A("a", provider="p", total=0)], sc),
        c("empty-string provider is 'not None'", [H("x"), A("a", provider="", total=100)], sc),
        c("raw inputs: str, tuple, dicts, mixed", ["hello", ("ai", "hi"), {"role": "assistant", "content": "yo", "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{\"a\": 1}"}}]}, {"type": "tool", "content": "r", "tool_call_id": "c1"}]),
        c("RemoveMessage has no role", [RM("a")]),
        c("huge text", [H(rep("abc", 50000)), A("", [("write_file", {"content": rep("é\n", 30000)}, "c")])]),
    ]

    def rnd(r):
        ms = conv(r, r.randint(1, 4), usage=r.choice([0, 0.5, 1]), providers=r.choice([("openai",), ("anthropic",), ("openai", "anthropic")]), media=0.3, listc=0.3, big=0.05)
        p = {"chars_per_token": r.choice([4.0, 3.3, 3.3, 2.5, 1.0])} if r.random() < 0.6 else {}
        if r.random() < 0.7:
            p["use_usage_metadata_scaling"] = True
            if r.random() < 0.6 and (ais := [m for m in ms if isinstance(m, AIMessage) and m.usage_metadata]):
                m = ais[-1]
                t = int(ntok(ms[: ms.index(m) + 1], **{k: v for k, v in p.items() if k == "chars_per_token"}) * r.choice([0.5, 1.05, 1.1, 1.2, 1.3]))
                m.usage_metadata = {"input_tokens": t, "output_tokens": 0, "total_tokens": t}
        if r.random() < 0.2:
            p["extra_tokens_per_message"] = r.choice([0.0, 1.5, 3.0])
        if r.random() < 0.2:
            p["count_name"] = False
        if r.random() < 0.2:
            p["tokens_per_image"] = r.choice([0, 1, 1000])
        i = {"messages": ms, "params": p}
        if r.random() < 0.5:
            i["tools"] = [{"name": rtext(r, 1, 1), "parameters": rvalue(r)} for _ in range(r.randint(0, 3))]
        return "random conversation", i

    def run(i):
        kw = dict(i["params"])
        if "tools" in i:
            kw["tools"] = i["tools"]
        return attempt(lambda: count_tokens_approximately(maybe_M(i["messages"]), **kw))

    return h, rnd, run


# ---- 3 reducers and DeltaChannel -------------------------------------------
def rops(r, n, ids=5):
    """Random write list: add/replace/remove/remove-all/no-id/raw forms, in random grouping."""
    ops = []
    for _ in range(n):
        i = f"m{r.randint(1, ids)}"
        ops.append(r.choice([
            lambda: H(rtext(r, 1, 3), id=i), lambda: H(rtext(r, 1, 3), id=i), lambda: A(rtext(r, 1, 3), id=i), lambda: T("t", "c", id=i),
            lambda: H("noid " + rtext(r, 1, 2)), lambda: RM(i), lambda: RM(i), lambda: RM("missing"),
            lambda: {"role": "user", "content": "raw", "id": i}, lambda: {"type": "ai", "content": "raw ai"}, lambda: ("human", "tup"), lambda: "plain",
            lambda: RM(RMA) if r.random() < 0.4 else H("x", id=i),
        ])())
    writes = []
    while ops:
        k = r.randint(1, 3)
        part, ops = ops[:k], ops[k:]
        writes.append(part[0] if len(part) == 1 and r.random() < 0.4 else part)
        if r.random() < 0.1:
            writes.append([])
    return writes


@family("messages_delta_reducer", "deepagents._messages_reducer._messages_delta_reducer", 40)
def f_reducer():
    a, b, c2 = H("a", id="1"), A("b", id="2"), T("c", "t", id="3")
    h = [
        ("state None, no writes", {"state": None, "writes": []}),
        ("state None + one write", {"state": None, "writes": [[a]]}),
        ("empty state", {"state": [], "writes": [[a], [b]]}),
        ("single message writes are not lists", {"state": [a], "writes": [b, c2]}),
        ("a tuple write is ONE message", {"state": [], "writes": [("human", "hi")]}),
        ("a list of two strings is TWO human messages", {"state": [], "writes": [["human", "hi"]]}),
        ("bare str write", {"state": [], "writes": ["hi"]}),
        ("raw dict forms: role, type, OpenAI tool_calls, lc constructor envelope", {"state": [], "writes": [[
            {"role": "user", "content": "u", "id": "u1"}, {"role": "assistant", "content": None}, {"type": "system", "content": "s"}, {"role": "developer", "content": "d"},
            {"role": "assistant", "content": "", "tool_calls": [{"id": "c9", "type": "function", "function": {"name": "f", "arguments": "{\"a\": [1, 2.5]}"}}]},
            {"role": "tool", "content": "r", "tool_call_id": "c9", "status": "error", "artifact": {"k": 1}},
            {"lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", "HumanMessage"], "kwargs": {"content": "env", "id": "e1"}},
            {"role": "user", "content": [{"type": "text", "text": "x"}], "name": "n", "extra": 5}]]}),
        ("raw dict state", {"state": [{"role": "user", "content": "a", "id": "1"}, {"role": "assistant", "content": "b"}], "writes": [[H("a2", id="1")]]}),
        ("raw remove dict via type", {"state": [a, b], "writes": [[{"type": "remove", "content": "", "id": "1"}]]}),
        ("bad dict raises", {"state": [], "writes": [[{"content": "no role"}]]}),
        ("bad role raises", {"state": [], "writes": [[{"role": "alien", "content": "x"}]]}),
        ("tuple of 3 raises", {"state": [], "writes": [("a", "b", "c")]}),
        ("number raises", {"state": [], "writes": [[5]]}),
        ("replace keeps position", {"state": [a, b, c2], "writes": [[H("B", id="2")]]}),
        ("duplicate ids inside one write: last wins at first position", {"state": [], "writes": [[H("x", id="9"), b, H("y", id="9")]]}),
        ("duplicate ids already in state are both kept; write replaces the LAST", {"state": [H("s1", id="d"), b, H("s2", id="d")], "writes": [[H("w", id="d")]]}),
        ("duplicate ids in state: remove removes the last only", {"state": [H("s1", id="d"), b, H("s2", id="d")], "writes": [[RM("d")]]}),
        ("remove existing", {"state": [a, b], "writes": [[RM("1")]]}),
        ("remove missing is ignored (no error)", {"state": [a], "writes": [[RM("zzz")]]}),
        ("remove then re-add goes to the END", {"state": [a, b, c2], "writes": [[RM("1"), H("a2", id="1")]]}),
        ("remove then re-add across writes", {"state": [a, b], "writes": [[RM("1")], [H("a2", id="1")], [RM("2")]]}),
        ("remove twice", {"state": [a, b], "writes": [[RM("1"), RM("1")]]}),
        ("add then remove in one write", {"state": [], "writes": [[a, RM("1")]]}),
        ("REMOVE_ALL first", {"state": [a, b], "writes": [[RM(RMA), c2]]}),
        ("REMOVE_ALL last", {"state": [a, b], "writes": [[c2, RM(RMA)]]}),
        ("REMOVE_ALL several times: only after the last survives", {"state": [a], "writes": [[RM(RMA), b], [RM(RMA), c2, RM(RMA), H("z", id="z")]]}),
        ("REMOVE_ALL as separate single writes", {"state": [a], "writes": [b, RM(RMA), c2]}),
        ("id None always appended, never deduped", {"state": [H("n")], "writes": [[H("n"), H("n")]]}),
        ("empty-string id behaves like an id", {"state": [H("e", id="")], "writes": [[H("f", id="")]]}),
        ("nested empty lists", {"state": [a], "writes": [[], [], [b], []]}),
        ("state[0] decides the fast path: a raw dict later in state is not coerced -> AttributeError", {"state": [a, {"role": "user", "content": "x"}], "writes": [[b]]}),
        ("type of message may change on replace", {"state": [H("h", id="1")], "writes": [[T("t", "c", id="1")]]}),
    ]

    def rnd(r):
        st = [m for m in (x for w in rops(r, r.randint(0, 6)) for x in (w if isinstance(w, list) else [w])) if isinstance(m, BaseMessage) and m.type != "remove"]
        w = rops(r, r.randint(1, 10))
        i = {"state": r.choice([st, st, st, None]), "writes": w, "splits": sorted(r.sample(range(len(w) + 1), min(2, len(w))))}
        try:
            run(dec(json.loads(json.dumps(enc(i)))))
        except AssertionError:  # an id twice in the state: no output of the reducer, so batching may matter
            return "random; an id is in the state twice", {k: v for k, v in i.items() if k != "splits"}
        return "random; 'splits' = batch boundaries giving the same result", i

    def run(i):
        st, ws = maybe_M(i["state"]), maybe_M(i["writes"])
        res = attempt(lambda: _messages_delta_reducer(st, ws))
        if "splits" in i:
            cur, prev = st, 0
            for s in [*i["splits"], len(ws)]:
                cur = _messages_delta_reducer(cur, ws[prev:s])
                prev = s
            assert cur == res, "batching invariance violated"
        return res

    return h, rnd, run


@family("delta_channel", "langgraph.channels.delta.DeltaChannel.{replay_writes,update}", 24)
def f_channel():
    a, b, c2 = H("a", id="1"), A("b", id="2"), T("c", "t", id="3")
    h = [
        ("replay nothing on a fresh channel gives typ()", {"op": "replay", "base": {"$missing": True}, "writes": []}),
        ("replay on a fresh channel", {"op": "replay", "base": {"$missing": True}, "writes": [[a], [b]]}),
        ("replay on a snapshot", {"op": "replay", "base": [a], "writes": [[b], [RM("1")]]}),
        ("Overwrite is the reset point", {"op": "replay", "base": [a], "writes": [[b], Overwrite([c2]), [H("d", id="4")]]}),
        ("last Overwrite wins", {"op": "replay", "base": [a], "writes": [Overwrite([b]), [H("lost", id="5")], Overwrite([c2])]}),
        ("Overwrite(None) resets to typ()", {"op": "replay", "base": [a], "writes": [Overwrite(None), [b]]}),
        ("Overwrite last: value used as is, reducer not called (raw dicts stay raw)", {"op": "replay", "base": [a], "writes": [Overwrite([{"role": "user", "content": "raw"}])]}),
        ("Overwrite with raw dicts then a write coerces", {"op": "replay", "base": [a], "writes": [Overwrite([{"role": "user", "content": "raw", "id": "r"}]), [b]]}),
        ("dict form {'__overwrite__': v}", {"op": "replay", "base": [a], "writes": [{"__overwrite__": [b]}, [c2]]}),
        ("erased form {'value': v, 'type': '__overwrite__'}", {"op": "replay", "base": [a], "writes": [{"value": [b], "type": "__overwrite__"}, [c2]]}),
        ("erased form with extra keys still counts", {"op": "replay", "base": [a], "writes": [{"value": [b], "type": "__overwrite__", "x": 1}]}),
        ("two-key dict with __overwrite__ is NOT an overwrite -> message coercion error", {"op": "replay", "base": [a], "writes": [{"__overwrite__": [b], "x": 1}]}),
        ("REMOVE_ALL inside replay", {"op": "replay", "base": [a], "writes": [[b], [RM(RMA), c2]]}),
        ("base None (thread without seed)", {"op": "replay", "base": None, "writes": [[a]]}),
        ("update: no values -> not updated", {"op": "update", "base": [a], "writes": []}),
        ("update", {"op": "update", "base": [a], "writes": [[b], [RM("1")]]}),
        ("update with one Overwrite drops the other writes, before AND after", {"op": "update", "base": [a], "writes": [[b], Overwrite([c2]), [H("also lost", id="9")]]}),
        ("update with two Overwrites is an error", {"op": "update", "base": [a], "writes": [Overwrite([b]), Overwrite([c2])]}),
        ("update Overwrite(None)", {"op": "update", "base": [a], "writes": [Overwrite(None)]}),
        ("update on a fresh channel", {"op": "update", "base": {"$missing": True}, "writes": [[a]]}),
    ]

    def rnd(r):
        w = rops(r, r.randint(1, 8))
        for _ in range(r.choice([0, 1, 1, 2])):
            v = [H(rtext(r, 1, 2), id=f"m{r.randint(1, 5)}") for _ in range(r.randint(0, 2))]
            w.insert(r.randint(0, len(w)), r.choice([lambda: Overwrite(v), lambda: {"__overwrite__": v}, lambda: {"type": "__overwrite__", "value": v}, lambda: Overwrite(None)])())
        return "random", {"op": r.choice(["replay", "replay", "update"]), "base": r.choice([{"$missing": True}, [H("base", id="m1")], [H("b1", id="m1"), A("b2", id="m2"), H("noid")]]), "writes": w}

    def run(i):
        ch0 = DeltaChannel(_messages_delta_reducer, list)
        missing = isinstance(i["base"], dict)

        def go():
            if missing:
                ch = ch0.from_checkpoint(None)
            else:
                ch = ch0.copy()
                ch.value = maybe_M(i["base"])
            ws = maybe_M([({k: maybe_M(v) for k, v in w.items()} if isinstance(w, dict) and ("__overwrite__" in w or w.get("type") == "__overwrite__") else w) for w in i["writes"]])
            if i["op"] == "replay":
                ch.replay_writes([("task", "messages", w) for w in ws])
                return {"value": ch.value}
            return {"updated": ch.update(ws), "value": ch.value}

        return attempt(go)

    return h, rnd, run


@family("file_data_reducer", "deepagents.middleware.filesystem._file_data_delta_reducer / _file_data_reducer", 20)
def f_files():
    def fd(t, n=0):
        return {"content": t, "encoding": "utf-8", "created_at": "2026-01-01T00:00:00+00:00", "modified_at": f"2026-01-01T00:00:{n:02d}+00:00"}

    h = [
        ("left None", {"left": None, "writes": [{"/a": fd("1")}]}),
        ("left None with deletion", {"left": None, "writes": [{"/a": None, "/b": fd("1")}]}),
        ("no writes copies", {"left": {"/a": fd("1")}, "writes": []}),
        ("overwrite keeps key order", {"left": {"/a": fd("1"), "/b": fd("2")}, "writes": [{"/a": fd("3", 5)}]}),
        ("delete then re-add moves the key to the end", {"left": {"/a": fd("1"), "/b": fd("2")}, "writes": [{"/a": None}, {"/a": fd("9")}]}),
        ("delete missing", {"left": {"/a": fd("1")}, "writes": [{"/zzz": None}]}),
        ("delete everything", {"left": {"/a": fd("1")}, "writes": [{"/a": None}]}),
        ("deletion in a later write wins", {"left": {}, "writes": [{"/a": fd("1")}, {"/a": None}]}),
        ("empty left dict", {"left": {}, "writes": [{}, {}]}),
        ("legacy list content passes through", {"left": {"/a": {"content": ["l1", "l2"], "created_at": "x", "modified_at": "y"}}, "writes": [{"/b": fd("")}]}),
    ]

    def rnd(r):
        def d():
            return {f"/f{r.randint(1, 5)}": (None if r.random() < 0.35 else fd(rtext(r, 0, 3), r.randint(0, 59))) for _ in range(r.randint(0, 4))}
        return "random", {"left": r.choice([None, {k: v for k, v in d().items() if v}, {k: v for k, v in d().items() if v}]), "writes": [d() for _ in range(r.randint(0, 4))]}

    def run(i):
        res = da_fs._file_data_delta_reducer(i["left"], i["writes"])
        cur = i["left"]
        for w in i["writes"]:
            cur = da_fs._file_data_reducer(cur, w)
        assert (cur or {}) == res
        for k in range(len(i["writes"]) + 1):
            assert da_fs._file_data_delta_reducer(da_fs._file_data_delta_reducer(i["left"], i["writes"][:k]), i["writes"][k:]) == res
        return {"value": res, "key_order": list(res)}

    return h, rnd, run


# ---- 7 determine_cutoff_index ----------------------------------------------
@family("determine_cutoff_index", "langchain.agents.middleware.summarization.SummarizationMiddleware._determine_cutoff_index", 45)
def f_cutoff():
    t2 = [("ls", {}, "c1"), ("ls", {}, "c2")]
    pair = [H("q", id="h"), A("", [("ls", {}, "c1")], id="a"), T("r", "c1", id="t")]
    tools_only = [T(f"r{k}", f"c{k}") for k in range(5)]
    c33 = {"llm_type": "anthropic-chat", "ls_provider": "anthropic", "profile": {"max_input_tokens": 1000}}
    h = [
        ("empty list", {"messages": [], "keep": ("messages", 3)}),
        ("fewer than keep", {"messages": pair, "keep": ("messages", 3)}),
        ("one more than keep", {"messages": [*pair, H("n")], "keep": ("messages", 3)}),
        ("cutoff on a ToolMessage moves back to its AIMessage", {"messages": [H("0"), *pair, H("n")], "keep": ("messages", 2)}),
        ("parallel calls: cutoff on 2nd tool result", {"messages": [H("0"), A("", t2), T("r", "c1"), T("r", "c2"), H("n")], "keep": ("messages", 2)}),
        ("moving back reaches index 0 -> 0 (no compaction)", {"messages": [A("", t2), T("r", "c1"), T("r", "c2"), H("n")], "keep": ("messages", 2)}),
        ("orphan ToolMessage: advance past all following ToolMessages", {"messages": [H("0"), T("r", "zz"), T("r", "yy"), H("n"), H("m")], "keep": ("messages", 4)}),
        ("orphan batch at the end: cutoff == len", {"messages": [H("0"), T("r", "zz"), T("r", "yy")], "keep": ("messages", 2)}),
        ("whole list of ToolMessages", {"messages": tools_only, "keep": ("messages", 2)}),
        ("whole list of ToolMessages, token keep", {"messages": tools_only, "keep": ("tokens", 8)}),
        ("nearest matching AIMessage wins", {"messages": [H("0"), A("", [("ls", {}, "c1")]), T("r", "c1"), A("", [("ls", {}, "c1")]), T("r", "c1"), H("n")], "keep": ("messages", 2)}),
        ("one id of the batch matches a far AIMessage", {"messages": [A("", [("ls", {}, "c9")]), H("0"), A("", [("ls", {}, "c1")]), H("x"), T("r", "zz"), T("r", "c1"), H("n")], "keep": ("messages", 3)}),
        ("only ToolMessages at/after the cutoff are collected", {"messages": [A("", t2), T("r", "c1"), T("r", "c2"), T("r", "zz"), H("n")], "keep": ("messages", 2)}),
        ("empty tool_call_id is not collected", {"messages": [H("0"), A("", [("ls", {}, "")]), T("r", ""), H("n")], "keep": ("messages", 2)}),
        ("tool_call id None in AIMessage", {"messages": [H("0"), A("", [("ls", {}, None)]), T("r", "c1"), H("n")], "keep": ("messages", 2)}),
        ("invalid_tool_calls do not count", {"messages": [H("0"), A("", invalid_tool_calls=[{"name": "f", "args": "{", "id": "c1", "error": "e"}]), T("r", "c1"), H("n")], "keep": ("messages", 2)}),
        ("default keep is 20 messages", {"messages": [H(str(k)) for k in range(25)]}),
        ("tokens: all fit", {"messages": pair, "keep": ("tokens", 10000)}),
        ("tokens: nothing fits -> keep last message", {"messages": [H("x" * 400) for _ in range(5)], "keep": ("tokens", 1)}),
        ("tokens: single message too large -> 0", {"messages": [H("x" * 400)], "keep": ("tokens", 1)}),
        ("tokens: last is ToolMessage too large -> its AIMessage", {"messages": [H("0"), H("1"), A("", t2), T("r", "c1"), T("x" * 900, "c2")], "keep": ("tokens", 5)}),
        ("tokens: exact boundary", {"messages": [H("abcd") for _ in range(10)], "keep": ("tokens", 25)}),
        ("tokens float value is int()-ed", {"messages": [H("abcd") for _ in range(10)], "keep": ("tokens", 24.9)}),
        ("fraction", {"messages": [H("abcd") for _ in range(10)], "keep": ("fraction", 0.25), "model": {"profile": {"max_input_tokens": 100}}}),
        ("fraction target 0 -> 1", {"messages": [H("abcd") for _ in range(4)], "keep": ("fraction", 0.001), "model": {"profile": {"max_input_tokens": 100}}}),
        ("fraction, int(100*0.29) is 28, the two-message suffix costs 29", {"messages": [H("x" * 44), H("x" * 40), H("x" * 44)], "keep": ("fraction", 0.29), "model": {"profile": {"max_input_tokens": 100}}}),
        ("anthropic-chat uses 3.3 chars/token", {"messages": [H("x" * 33) for _ in range(8)], "keep": ("tokens", 65), "model": c33}),
        ("other model uses 4", {"messages": [H("x" * 33) for _ in range(8)], "keep": ("tokens", 65)}),
        ("usage scaling applies to the whole-list check only: scaled total > keep, but the unscaled suffix at 0 fits, so still 0", {"messages": [H("x" * 40), A("y" * 40, provider="openai", total=100), H("z" * 40)], "keep": ("tokens", 48)}),
        ("same without scaling", {"messages": [H("x" * 40), A("y" * 40), H("z" * 40)], "keep": ("tokens", 48)}),
        ("binary search over a non-uniform list", {"messages": [H("x" * (k * 37 % 101)) for k in range(17)], "keep": ("tokens", 120)}),
        ("ai with tool call id shared by human text in between", {"messages": [H("0"), A("", t2), H("interrupt"), T("r", "c1"), T("r", "c2"), H("n")], "keep": ("messages", 3)}),
    ]

    def rnd(r):
        ms = conv(r, r.randint(1, 6), orphan=0.15, big=0.03, usage=r.choice([0, 0.5, 1]), providers=r.choice([("openai",), ("anthropic",)]))
        tot = ntok(ms)
        model = {"llm_type": r.choice(["fake", "anthropic-chat", "anthropic-chat-messages"]), "profile": {"max_input_tokens": max(10, int(tot * r.uniform(0.5, 3)))}}
        k = r.randrange(3)
        keep = ("messages", r.randint(1, max(1, len(ms)))) if k == 0 else ("tokens", max(1, int(tot * r.uniform(0.02, 1.1)))) if k == 1 else ("fraction", round(r.uniform(0.01, 1), 3))
        return "random", {"messages": ms, "keep": keep, "model": model}

    def run(i):
        lc = mk_lc(i)
        ms = M(i["messages"])
        cut = lc._determine_cutoff_index(ms)
        head, tail = lc._partition_messages(ms, cut)
        return {"cutoff": cut, "summarize_count": len(head), "preserve_count": len(tail), "total_tokens": lc.token_counter(ms), "unscaled_tokens": lc._partial_token_counter(ms)}

    return h, rnd, run


# ---- 5 truncate_args ---------------------------------------------------------
@family("truncate_args", "deepagents.middleware.summarization._DeepAgentsSummarizationMiddleware._truncate_args", 36)
def f_trunc():
    def wf(n, tid="c1", name="write_file", key="content", ch="x"):
        return A("", [(name, {"file_path": "/a", key: rep(ch, n)}, tid)], id="a" + tid)

    base = [H("q", id="h"), wf(3000), T("ok", "c1", id="t"), H("n", id="n"), A("done", id="d")]
    ON = {"trigger": ("messages", 1), "keep": ("messages", 2)}
    P = {"profile": {"max_input_tokens": 1000}}
    h = [
        ("settings None: disabled", {"messages": base, "total_tokens": 10**6, "truncate_args_settings": None}),
        ("trigger None inside settings: disabled", {"messages": base, "total_tokens": 10**6, "truncate_args_settings": {"trigger": None, "keep": ("messages", 1)}}),
        ("empty settings dict: trigger missing", {"messages": base, "total_tokens": 10**6, "truncate_args_settings": {}}),
        ("basic", {"messages": base, "total_tokens": 0, "truncate_args_settings": ON}),
        ("messages trigger boundary ==", {"messages": base, "total_tokens": 0, "truncate_args_settings": {**ON, "trigger": ("messages", 5)}}),
        ("messages trigger boundary <", {"messages": base, "total_tokens": 0, "truncate_args_settings": {**ON, "trigger": ("messages", 6)}}),
        ("tokens trigger ==", {"messages": base, "total_tokens": 100, "truncate_args_settings": {**ON, "trigger": ("tokens", 100)}}),
        ("tokens trigger <", {"messages": base, "total_tokens": 99, "truncate_args_settings": {**ON, "trigger": ("tokens", 100)}}),
        ("fraction without profile never fires", {"messages": base, "total_tokens": 10**9, "truncate_args_settings": {**ON, "trigger": ("fraction", 0.1)}}),
        ("fraction int(1000*0.1)", {"messages": base, "total_tokens": 100, "truncate_args_settings": {**ON, "trigger": ("fraction", 0.1)}, "model": P}),
        ("fraction threshold 0 becomes 1", {"messages": base, "total_tokens": 1, "truncate_args_settings": {**ON, "trigger": ("fraction", 0.0001)}, "model": P}),
        ("fraction threshold 0 becomes 1, total 0", {"messages": base, "total_tokens": 0, "truncate_args_settings": {**ON, "trigger": ("fraction", 0.0001)}, "model": P}),
        ("unknown trigger kind", {"messages": base, "total_tokens": 10**6, "truncate_args_settings": {**ON, "trigger": ("bogus", 1)}}),
        ("unknown keep kind -> keep everything", {"messages": base, "total_tokens": 10**6, "truncate_args_settings": {**ON, "keep": ("bogus", 1)}}),
        ("keep default 20 messages", {"messages": base, "total_tokens": 0, "truncate_args_settings": {"trigger": ("messages", 1)}}),
        ("keep 0 messages", {"messages": base, "total_tokens": 0, "truncate_args_settings": {**ON, "keep": ("messages", 0)}}),
        ("keep == len", {"messages": base, "total_tokens": 0, "truncate_args_settings": {**ON, "keep": ("messages", 5)}}),
        ("keep tokens", {"messages": base, "total_tokens": 0, "truncate_args_settings": {**ON, "keep": ("tokens", 20)}}),
        ("keep tokens 0 -> 1", {"messages": base, "total_tokens": 0, "truncate_args_settings": {**ON, "keep": ("tokens", 0)}}),
        ("keep tokens huge -> cutoff 0, nothing truncated", {"messages": base, "total_tokens": 0, "truncate_args_settings": {**ON, "keep": ("tokens", 10**6)}}),
        ("keep fraction", {"messages": base, "total_tokens": 0, "truncate_args_settings": {**ON, "keep": ("fraction", 0.02)}, "model": P}),
        ("keep fraction without profile falls back to 20 messages", {"messages": [*base, *[H(str(k)) for k in range(20)]], "total_tokens": 0, "truncate_args_settings": {**ON, "keep": ("fraction", 0.02)}}),
        ("keep tokens counts with 3.3 for anthropic-chat", {"messages": base, "total_tokens": 0, "truncate_args_settings": {**ON, "keep": ("tokens", 12)}, "model": {"llm_type": "anthropic-chat"}}),
        ("exactly max_length is untouched, +1 is clipped", {"messages": [wf(2000, "c1"), wf(2001, "c2"), H("n"), H("m")], "total_tokens": 0, "truncate_args_settings": ON}),
        ("length in code points", {"messages": [wf(2000, "c1", ch="🙂"), wf(2001, "c2", ch="🙂"), H("n"), H("m")], "total_tokens": 0, "truncate_args_settings": ON}),
        ("custom max_length and text", {"messages": base, "total_tokens": 0, "truncate_args_settings": {**ON, "max_length": 10, "truncation_text": "…✂"}}),
        ("max_length < 20: a 15-char value 'truncates' to longer text", {"messages": [wf(15), H("n"), H("m")], "total_tokens": 0, "truncate_args_settings": {**ON, "max_length": 10}}),
        ("truncation that reproduces the value is not 'modified'", {"messages": [A("", [("write_file", {"content": "x" * 20 + "YY"}, "c")]), H("n"), H("m")], "total_tokens": 0, "truncate_args_settings": {**ON, "max_length": 21, "truncation_text": "YY"}}),
        ("edit_file: both strings", {"messages": [A("", [("edit_file", {"file_path": "/a", "old_string": rep("o", 2500), "new_string": rep("n", 2500), "replace_all": True}, "c")]), H("n"), H("m")], "total_tokens": 0, "truncate_args_settings": ON}),
        ("other tools untouched; mixed call list", {"messages": [A("t", [("execute", {"command": rep("e", 3000)}, "c1"), ("write_file", {"content": rep("w", 3000)}, "c2"), ("ls", {}, "c3")]), H("n"), H("m")], "total_tokens": 0, "truncate_args_settings": ON}),
        ("non-string args untouched", {"messages": [A("", [("write_file", {"content": ["x" * 100] * 30, "n": 10**12}, "c")]), H("n"), H("m")], "total_tokens": 0, "truncate_args_settings": ON}),
        ("list content keeps the ORIGINAL args in content (Anthropic tool_use)", {"messages": [A([{"type": "tool_use", "id": "c", "name": "write_file", "input": {"content": rep("x", 2500)}}], [("write_file", {"content": rep("x", 2500)}, "c")]), H("n"), H("m")], "total_tokens": 0, "truncate_args_settings": ON}),
        ("already truncated value is stable", {"messages": [A("", [("write_file", {"content": "x" * 20 + "...(argument truncated)"}, "c")]), H("n"), H("m")], "total_tokens": 0, "truncate_args_settings": ON}),
        ("AI after the cutoff untouched", {"messages": [H("0"), wf(3000), H("m")], "total_tokens": 0, "truncate_args_settings": ON}),
        ("huge argument", {"messages": [A("", [("write_file", {"content": rep("abc", 50000)}, "c")]), H("n"), H("m")], "total_tokens": 0, "truncate_args_settings": ON}),
        ("empty list", {"messages": [], "total_tokens": 0, "truncate_args_settings": {"trigger": ("messages", 0), "keep": ("messages", 0)}}),
    ]

    def rnd(r):
        ms = conv(r, r.randint(1, 5), big=0.02, argbig=0.5)
        tot = ntok(ms)
        st = {"trigger": r.choice([("messages", near(r, len(ms))), ("tokens", near(r, tot)), ("fraction", 0.5), None, ("messages", 1)]),
              "keep": r.choice([("messages", r.randint(1, 8)), ("tokens", max(1, int(tot * r.uniform(0.01, 1)))), ("fraction", 0.2)])}
        if r.random() < 0.4:
            st["max_length"] = r.choice([0, 5, 20, 21, 100, 2000])
        if r.random() < 0.3:
            st["truncation_text"] = r.choice(["", "…", "[cut]"])
        model = {"profile": {"max_input_tokens": near(r, tot * 2)}} if r.random() < 0.6 else {}
        return "random", {"messages": ms, "total_tokens": tot, "truncate_args_settings": st, "model": model}

    def run(i):
        mw = mk_da(i)
        ms = M(i["messages"])
        should = mw._should_truncate_args(ms, i["total_tokens"])
        new, modified = mw._truncate_args(ms, i["total_tokens"])
        assert modified or new is ms or all(x is y for x, y in zip(new, ms))
        return {"should": should, "cutoff": mw._determine_truncate_cutoff_index(ms), "modified": modified, "messages": out_msgs(new, ms)}

    return h, rnd, run


# ---- 6 should_summarize and validation ----------------------------------------
@family("should_summarize", "langchain.agents.middleware.summarization.SummarizationMiddleware.{__init__,_should_summarize}", 45)
def f_should():
    m3 = [H("a"), A("b"), H("c")]

    def u(total, prov="openai", tail=()):
        return [H("a"), A("b", provider=prov, total=total), *tail]

    P = {"profile": {"max_input_tokens": 1000}, "ls_provider": "openai"}
    OA = {"ls_provider": "openai"}

    def s(note, trigger, ms=m3, tot=100, model=None, **kw):
        i = {"trigger": trigger, "messages": list(ms), "total_tokens": tot, **kw}
        if model is not None:
            i["model"] = model
        return note, i

    h = [
        s("None never", None), s("tuple messages ==", ("messages", 3)), s("tuple messages >", ("messages", 4)),
        s("tokens ==", ("tokens", 100)), s("tokens <", ("tokens", 101)),
        s("dict single", {"tokens": 100}), s("dict AND both met", {"tokens": 100, "messages": 3}), s("dict AND one unmet", {"tokens": 100, "messages": 4}), s("dict AND other unmet", {"tokens": 101, "messages": 3}),
        s("list OR second met", [("messages", 99), ("tokens", 50)]), s("list OR none met", [("messages", 99), ("tokens", 500)]),
        s("list of dict clauses", [{"tokens": 5000, "messages": 3}, {"tokens": 90, "messages": 2}]), s("mixed list", [("tokens", 1000), {"messages": 3}]), s("empty list = never", []),
        s("fraction ==", ("fraction", 0.1), model=P), s("fraction <", ("fraction", 0.11), tot=109, model=P), s("fraction int() truncation 0.29*100", ("fraction", 0.29), tot=28, model={"profile": {"max_input_tokens": 100}}),
        s("fraction 1.0", ("fraction", 1.0), tot=1000, model=P), s("fraction int 1", ("fraction", 1), tot=1000, model=P), s("fraction tiny -> threshold 1", ("fraction", 0.0001), tot=1, model=P), s("fraction tiny, total 0", ("fraction", 0.0001), tot=0, model=P),
        s("fraction + messages dict", {"fraction": 0.1, "messages": 3}, model=P),
        s("reported tokens fire", ("tokens", 500), u(500), 10, OA), s("reported tokens below", ("tokens", 501), u(500), 10, OA),
        s("reported ignored: provider differs", ("tokens", 500), u(500, "anthropic"), 10, OA), s("reported ignored: model has no ls_provider", ("tokens", 500), u(500), 10, {}),
        s("reported ignored: message has no provider", ("tokens", 500), [H("a"), A("b", total=500)], 10, OA), s("reported ignored: empty provider", ("tokens", 500), u(500, ""), 10, {"ls_provider": ""}),
        s("alias amazon_bedrock <- bedrock", ("tokens", 500), u(500, "bedrock"), 10, {"ls_provider": "amazon_bedrock"}), s("alias amazon_bedrock <- bedrock_converse", ("tokens", 500), u(500, "bedrock_converse"), 10, {"ls_provider": "amazon_bedrock"}),
        s("alias openai-mantle <- openai", ("tokens", 500), u(500), 10, {"ls_provider": "openai-mantle"}), s("alias anthropic-mantle <- anthropic", ("tokens", 500), u(500, "anthropic"), 10, {"ls_provider": "anthropic-mantle"}), s("alias is one way", ("tokens", 500), u(500, "amazon_bedrock"), 10, {"ls_provider": "bedrock"}),
        s("only the LAST AIMessage counts", ("tokens", 500), [A("x", provider="openai", total=900), A("y", provider="openai", total=10)], 10, OA), s("last AIMessage without usage hides an earlier one", ("tokens", 500), [A("x", provider="openai", total=900), A("y", provider="openai")], 10, OA),
        s("total_tokens 0 is falsy even with threshold 1", ("tokens", 1), u(0), 0, OA), s("reported + trailing tool messages", ("tokens", 500), u(500, tail=[T("r", "c"), H("n")]), 10, OA),
        s("reported for fraction", ("fraction", 0.5), u(500), 10, P), s("reported does not help messages", ("messages", 3), u(500), 10, OA), s("no messages", ("tokens", 1), [], 5),
        s("legacy max_tokens_before_summary", None, max_tokens_before_summary=100), s("legacy ignored when trigger given", ("tokens", 1000), max_tokens_before_summary=100), s("legacy None", None, max_tokens_before_summary=None), s("legacy messages_to_keep", None, messages_to_keep=7), s("legacy messages_to_keep ignored with explicit keep", None, messages_to_keep=7, keep=("messages", 3)), s("legacy messages_to_keep 0 is validated", None, messages_to_keep=0),
        # validation errors
        s("err tokens 0", ("tokens", 0)), s("err messages -1", ("messages", -1)), s("err fraction 0", ("fraction", 0), model=P), s("err fraction 1.5", ("fraction", 1.5), model=P), s("err fraction nan", ("fraction", float("nan")), model=P), s("err unknown kind", ("chars", 5)),
        s("err fraction without profile", ("fraction", 0.5)), s("err profile without int", ("fraction", 0.5), model={"profile": {"max_input_tokens": "1000"}}), s("bool max_input_tokens passes isinstance int", ("fraction", 1.0), tot=1, model={"profile": {"max_input_tokens": True}}),
        s("err empty dict", {}), s("err unknown metric", {"chars": 5}), s("err bool", {"messages": True}), s("err dict float tokens", {"tokens": 10.0}), s("err dict numeric string", {"tokens": "10"}), s("err dict fraction string", {"fraction": "0.5"}), s("err dict zero", {"messages": 0}), s("err dict fraction 2", {"fraction": 2}, model=P), s("err dict fraction needs profile", {"fraction": 0.5, "messages": 1}),
        s("err list item str", ["tokens"]), s("err list item list", [["tokens", 5]]), s("err trigger str", "tokens"), s("err trigger int", 5), s("err list empty dict", [("tokens", 5), {}]), s("tuple allows float tokens", ("tokens", 99.5)), s("tuple allows True", ("messages", True)), s("err tuple of 3", ("tokens", 1, 2)), s("err tuple str value", ("tokens", "5")),
        s("keep err 0", None, keep=("messages", 0)), s("keep err negative tokens", None, keep=("tokens", -5)), s("keep err fraction 0", None, keep=("fraction", 0.0), model=P), s("keep err fraction > 1", None, keep=("fraction", 1.01), model=P), s("keep err kind", None, keep=("words", 3)), s("keep fraction needs profile", None, keep=("fraction", 0.1)), s("keep fraction ok", None, keep=("fraction", 0.1), model=P), s("keep as list form works", None, keep=["messages", 3]),
        s("error order: trigger is validated before keep", ("tokens", 0), keep=("messages", 0)), s("error order: keep range before profile", ("fraction", 0.5), keep=("messages", 0)),
    ]

    def rnd(r):
        ms = conv(r, r.randint(1, 4), usage=0.8, providers=r.choice([("openai",), ("bedrock",), ("anthropic",)]), big=0.02)
        tot = ntok(ms)
        last = next((m for m in reversed(ms) if isinstance(m, AIMessage)), None)
        rep_ = (last.usage_metadata or {}).get("total_tokens") if last else None

        def cl():
            d = {}
            for kind in r.sample(["tokens", "messages", "fraction"], r.randint(1, 3)):
                d[kind] = near(r, len(ms)) if kind == "messages" else near(r, r.choice([tot, rep_ or tot])) if kind == "tokens" else r.choice([0.1, 0.25, 0.5, 0.85, 1.0])
            return d

        def one():
            d = cl()
            return d if r.random() < 0.5 else next(iter(d.items()))

        trig = one() if r.random() < 0.5 else [one() for _ in range(r.randint(1, 3))]
        model = {"ls_provider": r.choice(["openai", "anthropic", "amazon_bedrock", None]), "profile": {"max_input_tokens": near(r, tot)}}
        return "random", {"trigger": trig, "messages": ms, "total_tokens": tot, "model": model}

    def run(i):
        def go():
            lc = mk_lc(i)
            return {"should": lc._should_summarize(M(i["messages"]), i["total_tokens"]), "clauses": lc._trigger_clauses, "keep": tuple(lc.keep)}
        return attempt(go)

    return h, rnd, run


# ---- 8 events -------------------------------------------------------------------
TH = {"type": "thinking", "thinking": "hm", "signature": "s"}


@family("summarization_event", "deepagents...summarization._apply_event_to_messages / _compute_state_cutoff", 36)
def f_event():
    ms = [H(f"m{k}", id=f"{k}") for k in range(6)]
    sm = SUMM()

    def ev(cut, **k):
        return {"cutoff_index": cut, "summary_message": sm, "file_path": "/conversation_history/s.md", **k}

    def rz(provider=None, model_name=None, content=None, **k):
        rm = {}
        if provider is not None:
            rm["model_provider"] = provider
        if model_name is not None:
            rm["model_name"] = model_name
        return AIMessage(content=content if content is not None else [TH, {"type": "reasoning", "reasoning": "r"}, {"type": "redacted_thinking", "data": "x"}, {"type": "reasoning_content", "reasoning_content": {"text": "t"}}, "str", {"type": "text", "text": "hi"}], response_metadata=rm, **k)

    h = [
        ("no event", {"messages": ms, "event": None, "effective_cutoff": 3}),
        ("normal", {"messages": ms, "event": ev(3), "effective_cutoff": 2}),
        ("cutoff 0", {"messages": ms, "event": ev(0), "effective_cutoff": 1}),
        ("cutoff == len", {"messages": ms, "event": ev(6), "effective_cutoff": 1}),
        ("cutoff > len", {"messages": ms, "event": ev(7), "effective_cutoff": 1}),
        ("cutoff far out of range", {"messages": [], "event": ev(99), "effective_cutoff": 1}),
        ("empty messages, cutoff 0", {"messages": [], "event": ev(0), "effective_cutoff": 1}),
        ("negative cutoff slices from the end", {"messages": ms, "event": ev(-2), "effective_cutoff": 1}),
        ("effective cutoff 0 -> prior - 1", {"messages": ms, "event": ev(3), "effective_cutoff": 0}),
        ("file_path None", {"messages": ms, "event": ev(3, file_path=None), "effective_cutoff": 2}),
        ("missing cutoff_index", {"messages": ms, "event": {"summary_message": sm}, "effective_cutoff": 2}),
        ("missing summary_message", {"messages": ms, "event": {"cutoff_index": 3}, "effective_cutoff": 2}),
        ("empty dict event is not None", {"messages": ms, "event": {}, "effective_cutoff": 2}),
        ("event is a list -> TypeError caught; state cutoff raises", {"messages": ms, "event": [1, 2], "effective_cutoff": 2}),
        ("event is a string", {"messages": ms, "event": "evt", "effective_cutoff": 2}),
        ("event is an int", {"messages": ms, "event": 5, "effective_cutoff": 2}),
        ("cutoff None raises in apply, falls back in state cutoff", {"messages": ms, "event": ev(None), "effective_cutoff": 2}),
        ("cutoff string", {"messages": ms, "event": ev("3"), "effective_cutoff": 2}),
        ("cutoff float", {"messages": ms, "event": ev(3.0), "effective_cutoff": 2}),
        ("cutoff bool is an int", {"messages": ms, "event": ev(True), "effective_cutoff": 2}),
        ("summary_message None is used as is", {"messages": ms, "event": {"cutoff_index": 4, "summary_message": None}, "effective_cutoff": 2}),
        ("bound reasoning, no created_at_index (kept_from = cutoff: nothing dropped)", {"messages": [H("q"), rz("anthropic"), H("n")], "event": ev(1), "effective_cutoff": 2}),
        ("created_at_index: anthropic drops all reasoning kinds before it", {"messages": [H("q"), rz("anthropic"), H("n"), rz("anthropic")], "event": ev(1, created_at_index=3), "effective_cutoff": 2}),
        ("untagged: native types only", {"messages": [H("q"), rz(), H("n")], "event": ev(1, created_at_index=3), "effective_cutoff": 2}),
        ("bedrock claude", {"messages": [H("q"), rz("bedrock_converse", "us.Anthropic.CLAUDE-sonnet")], "event": ev(1, created_at_index=2), "effective_cutoff": 2}),
        ("bedrock other model keeps", {"messages": [H("q"), rz("bedrock", "openai.gpt-oss")], "event": ev(1, created_at_index=2), "effective_cutoff": 2}),
        ("bedrock without model_name keeps", {"messages": [H("q"), rz("bedrock")], "event": ev(1, created_at_index=2), "effective_cutoff": 2}),
        ("google keeps", {"messages": [H("q"), rz("google_genai")], "event": ev(1, created_at_index=2), "effective_cutoff": 2}),
        ("empty-string provider is not None -> keeps", {"messages": [H("q"), rz("")], "event": ev(1, created_at_index=2), "effective_cutoff": 2}),
        ("string content untouched; human with thinking block untouched", {"messages": [H("q"), rz("anthropic", content="s"), H([TH])], "event": ev(1, created_at_index=3), "effective_cutoff": 2}),
        ("only reasoning -> empty list content", {"messages": [H("q"), rz("anthropic", content=[TH])], "event": ev(1, created_at_index=2), "effective_cutoff": 2}),
        ("created_at_index not int -> ignored", {"messages": [H("q"), rz("anthropic")], "event": ev(1, created_at_index="2"), "effective_cutoff": 2}),
        ("created_at_index smaller than cutoff", {"messages": [H("q"), rz("anthropic"), rz("anthropic")], "event": ev(2, created_at_index=1), "effective_cutoff": 2}),
        ("created_at_index beyond list", {"messages": [H("q"), rz("anthropic")], "event": ev(1, created_at_index=99), "effective_cutoff": 2}),
        ("negative cutoff with created_at_index: enumerate starts negative", {"messages": [H("q"), rz("anthropic"), rz("anthropic")], "event": ev(-2, created_at_index=0), "effective_cutoff": 2}),
    ]

    def rnd(r):
        ms = conv(r, r.randint(1, 4), big=0, argbig=0)
        for m in ms:
            if isinstance(m, AIMessage) and r.random() < 0.4:
                m.content = r.sample([TH, {"type": "reasoning", "reasoning": "r"}, {"type": "text", "text": "hi"}, "str", {"type": "redacted_thinking", "data": "x"}], r.randint(1, 4))
                if r.random() < 0.7:
                    m.response_metadata = {**m.response_metadata, "model_provider": r.choice(["anthropic", "bedrock", "openai", "bedrock_converse"]), "model_name": r.choice(["claude-x", "gpt", "anthropic.c"])}
        e = ev(r.randint(0, len(ms) + 2))
        if r.random() < 0.7:
            e["created_at_index"] = r.randint(0, len(ms) + 2)
        if r.random() < 0.1:
            e.pop(r.choice(list(e)))
        return "random", {"messages": ms, "event": r.choice([e, e, e, e, None]), "effective_cutoff": r.randint(0, len(ms))}

    def run(i):
        ms = M(i["messages"])
        e = i["event"]
        if isinstance(e, dict) and isinstance(e.get("summary_message"), dict):
            e = {**e, "summary_message": M(e["summary_message"])}
        cls = da_sum.SummarizationMiddleware

        def eff():
            return out_msgs(cls._apply_event_to_messages(ms, e), ms)

        return {"effective": attempt(eff), "state_cutoff": attempt(lambda: cls._compute_state_cutoff(e, i["effective_cutoff"]))}

    return h, rnd, run


# ---- 16 wrap_model_call ------------------------------------------------------------
PR = "Summarize:\n{messages}"  # short prompt so that recorded prompts stay readable


def _norm_update(upd, ms):
    upd = dict(upd)
    if "messages" in upd:
        upd["messages"] = out_msgs(upd["messages"], ms)
    return upd


def _request(i, ms, model):
    rq = i.get("request") or {}
    st = {"messages": ms, **(i.get("state") or {})}
    e = st.get("_summarization_event")
    if isinstance(e, dict) and isinstance(e.get("summary_message"), dict):
        st["_summarization_event"] = {**e, "summary_message": M(e["summary_message"])}
    return ModelRequest(model=model, messages=ms, system_message=M(rq.get("system_message")), tools=rq.get("tools"), state=st, model_settings=rq.get("model_settings"))


def _wrap_once(i, use_async):
    ms = M(i["messages"])
    model = mk_model(i.get("model"))
    mem, backend = mk_backend(i.get("backend"))
    mw = mk_da(i["middleware"] | {"model": i.get("model")}, backend, model)
    req = _request(i, ms, model)
    calls, script = [], i.get("handler", ["ok"])

    def handle(r):
        calls.append({"messages": out_msgs(r.messages, ms)})
        raise_scripted(script[min(len(calls) - 1, len(script) - 1)])
        return ModelResponse(result=[AIMessage(content="response")])

    async def ahandle(r):
        return handle(r)

    def go():
        res = asyncio.run(mw.awrap_model_call(req, ahandle)) if use_async else mw.wrap_model_call(req, handle)
        if isinstance(res, ExtendedModelResponse):
            return {"kind": "ExtendedModelResponse", "update": _norm_update(res.command.update, ms)}
        return {"kind": "ModelResponse", "update": None}

    with frozen(i), warnings.catch_warnings(record=True) as ws:
        warnings.simplefilter("always")
        res = attempt(go)
    assert [m.model_dump() for m in ms] == [m.model_dump() for m in M(i["messages"])], "input messages were mutated"
    return {"calls": calls, "result": res, "summary_prompts": model.prompts, "files": files_out(mem),
            "warnings": [str(w.message) for w in ws if "ffload" in str(w.message)], "backend_ops": mem.ops}


def wrap_run(i):
    o = _wrap_once(i, False)
    if not i.get("sync_only"):
        a = _wrap_once(i, True)
        strip = lambda d: enc({k: v for k, v in d.items() if k != "backend_ops"}, True)  # noqa: E731
        assert strip(a) == strip(o), f"async differs from sync: {json.dumps(strip(a))[:1500]}\n{json.dumps(strip(o))[:1500]}"
    return o


@family("wrap_model_call", "deepagents.middleware.summarization._DeepAgentsSummarizationMiddleware.wrap_model_call", 40)
def f_wrap():
    def w(note, ms, mw, **k):
        mw = {"summary_prompt": PR, "trim_tokens_to_summarize": None, **mw}
        return note, {"middleware": mw, "model": {"ls_provider": "openai", "summaries": ["  SUMMARY one \n", "SUMMARY two"]}, "messages": ms, "now": NOW, "uuids": UU, **k}

    OV, OK = {"raise": "ContextOverflowError", "message": "too long"}, "ok"
    m10 = [H(f"question {k} <b>&", id=f"h{k}") if k % 2 == 0 else A(f"answer {k}", id=f"a{k}") for k in range(10)]
    tail = [H("start", id="h0"), A("thinking", id="a0"), H("do it", id="h1"), A("", [("execute", {"command": "x"}, "c1"), ("read_file", {"file_path": "/src/big.py"}, "c2")], id="a1"),
            T(rep("out\n", 3000), "c1", id="t1", name="execute"), T(rep("    1  code\n", 1000), "c2", id="t2", name="read_file")]
    P = {"ls_provider": "openai", "profile": {"max_input_tokens": 1000}}
    med = [H([{"type": "text", "text": "see"}, {"type": "image", "base64": PNG, "mime_type": "image/png"}], id="h0"), A("nice", id="a0"), H("n", id="h1"), A("m", id="a1")]
    evt = {"cutoff_index": 4, "summary_message": SUMM("You are in the middle…"), "file_path": "/conversation_history/session_old.md"}
    h = [
        w("below trigger: passthrough", m10, {"trigger": ("messages", 11), "keep": ("messages", 3)}),
        w("trigger None: passthrough", m10, {"trigger": None}),
        w("message trigger", m10, {"trigger": ("messages", 10), "keep": ("messages", 3)}),
        w("default keep 20 -> cutoff 0 -> second chance call without summary", m10, {"trigger": ("messages", 2)}),
        w("token trigger incl. system message and tools", m10, {"trigger": ("tokens", 130), "keep": ("messages", 2)}, request={"system_message": S("sys " * 20), "tools": TOOLS1}),
        w("same without system/tools stays below", m10, {"trigger": ("tokens", 130), "keep": ("messages", 2)}),
        w("microsecond 0: isoformat has no fraction", m10, {"trigger": ("messages", 10), "keep": ("messages", 3)}, now="2026-03-04T05:06:07+00:00"),
        w("session id reused and file appended", m10, {"trigger": ("messages", 10), "keep": ("messages", 3)}, state={"_summarization_session_id": "session_abc"}, backend={"files": {"/conversation_history/session_abc.md": {"encoding": "utf-8", "content": "## Summarized at earlier\n\nold\n\n"}}}),
        w("empty session id in state is regenerated", m10, {"trigger": ("messages", 10), "keep": ("messages", 3)}, state={"_summarization_session_id": ""}),
        w("chained: prior event, summary filtered from the archive, absolute cutoff", m10, {"trigger": ("messages", 5), "keep": ("messages", 2)}, state={"_summarization_event": evt, "_summarization_session_id": "session_old"}),
        w("prior event applied, below trigger", m10, {"trigger": ("messages", 50), "keep": ("messages", 2)}, state={"_summarization_event": evt}),
        w("artifacts_root with trailing slash", m10, {"trigger": ("messages", 10), "keep": ("messages", 3)}, backend={"artifacts_root": "/art/"}),
        w("offload fails (error result)", m10, {"trigger": ("messages", 10), "keep": ("messages", 3)}, backend={"fail": {"write": "error"}}),
        w("offload raises", m10, {"trigger": ("messages", 10), "keep": ("messages", 3)}, backend={"fail": {"write": "raise"}}),
        w("backend write returns None", m10, {"trigger": ("messages", 10), "keep": ("messages", 3)}, backend={"fail": {"write": "none"}}),
        w("handler overflow at first attempt, nothing to clip", m10, {"trigger": ("tokens", 10**6), "keep": ("messages", 3)}, handler=[OV, OK]),
        w("handler overflow, old history large enough that the summary shrinks the request (recovers in both versions)", [H("old " * 300, id="x0"), *m10], {"trigger": ("tokens", 10**6), "keep": ("messages", 3)}, handler=[OV, OK]),
        w("handler overflow, shrunk, then overflow again", [H("old " * 300, id="x0"), *m10], {"trigger": ("tokens", 10**6), "keep": ("messages", 3)}, handler=[OV, OV, OK]),
        w("handler overflow, shrunk, other error on the retry", [H("old " * 300, id="x0"), *m10], {"trigger": ("tokens", 10**6), "keep": ("messages", 3)}, handler=[OV, {"raise": "RuntimeError", "message": "net"}]),
        w("handler overflow with cutoff 0: retry is sent unchanged (0.7.7) / terminal error (0.7.32)", m10, {"trigger": None}, handler=[OV, OK]),
        w("overflow + large tool tail is clipped (message keep: 5000-token floor)", tail, {"trigger": None, "keep": ("messages", 3)}, handler=[OV, OK]),
        w("overflow + tail, keep tokens threshold", tail, {"trigger": None, "keep": ("tokens", 3000)}, handler=[OV, OK]),
        w("overflow + tail, write failure keeps the original of that message", tail, {"trigger": None, "keep": ("messages", 3)}, handler=[OV, OK], backend={"fail": {"write": "error"}, "fail_paths": ["large_tool_results"]}),
        w("overflow twice", m10, {"trigger": None, "keep": ("messages", 3)}, handler=[OV, OV, OK]),
        w("overflow on the already summarized request", m10, {"trigger": ("messages", 10), "keep": ("messages", 3)}, handler=[OV, OK]),
        w("overflow on the already summarized request with tail", tail, {"trigger": ("messages", 6), "keep": ("messages", 3)}, handler=[OV, OK]),
        w("other error propagates", m10, {"trigger": None, "keep": ("messages", 3)}, handler=[{"raise": "ValueError", "message": "boom"}, OK]),
        w("HTTP 400 'prompt is too long' (recognised in 0.7.32 only)", m10, {"trigger": None, "keep": ("messages", 3)}, handler=[{"raise": "HTTP", "status_code": 400, "message": "Prompt Is Too Long: 9 > 8"}, OK]),
        w("HTTP 400 unrelated", m10, {"trigger": None, "keep": ("messages", 3)}, handler=[{"raise": "HTTP", "status_code": 400, "message": "bad tool"}, OK]),
        w("HTTP 500 with marker text is not an overflow", m10, {"trigger": None, "keep": ("messages", 3)}, handler=[{"raise": "HTTP", "status_code": 500, "message": "prompt is too long"}, OK]),
        w("HTTP 413 maximum context length", tail, {"trigger": None, "keep": ("messages", 3)}, handler=[{"raise": "HTTP", "status_code": 413, "message": "Maximum context length is 8"}, OK]),
        w("truncate args only", [H("q"), A("", [("write_file", {"file_path": "/a", "content": rep("w", 3000)}, "c1")], id="a"), T("ok", "c1"), H("n"), A("m")], {"trigger": ("tokens", 700), "keep": ("messages", 2), "truncate_args_settings": {"trigger": ("messages", 3), "keep": ("messages", 2)}}),
        w("truncate args is not enough", [H("q"), A("", [("write_file", {"file_path": "/a", "content": rep("w", 3000)}, "c1")], id="a"), T("ok", "c1"), H("n"), A("m")], {"trigger": ("tokens", 20), "keep": ("messages", 2), "truncate_args_settings": {"trigger": ("messages", 3), "keep": ("messages", 2)}}),
        w("media offloaded for archive and summary prompt", med, {"trigger": ("messages", 4), "keep": ("messages", 1)}),
        w("media upload failure", med, {"trigger": ("messages", 4), "keep": ("messages", 1)}, backend={"fail": {"upload": "error"}}),
        w("media upload failure and archive failure: only the archive warning", med, {"trigger": ("messages", 4), "keep": ("messages", 1)}, backend={"fail": {"upload": "raise", "write": "error"}}),
        w("trim to 4000 tokens default drops older history from the summary prompt only", [H("old " * 900, id="h0"), A("a " * 900, id="a0"), H("rec " * 800, id="h1"), A("b", id="a1"), H("n", id="h2")], {"trigger": ("messages", 5), "keep": ("messages", 1), "trim_tokens_to_summarize": 1000}),
        w("trim leaves nothing: fixed text, model not called", [A("x " * 100, id="a0"), A("y " * 100, id="a1"), H("n", id="h2")], {"trigger": ("messages", 3), "keep": ("messages", 1), "trim_tokens_to_summarize": 10}),
        w("summary model overflow: middle cut and one retry", m10, {"trigger": ("messages", 10), "keep": ("messages", 3)}, model={"ls_provider": "openai", "summaries": [OV, "after retry"]}, sync_only=True),
        w("summary model fails: propagates, archive already written", m10, {"trigger": ("messages", 10), "keep": ("messages", 3)}, model={"ls_provider": "openai", "summaries": [OV, OV]}, sync_only=True),
        w("summary model ValueError retried up to 3 attempts", m10, {"trigger": ("messages", 10), "keep": ("messages", 3)}, model={"summaries": [{"raise": "ValueError", "message": "x"}, {"raise": "ValueError", "message": "x"}, "third"]}, sync_only=True),
        w("default prompt", m10, {"trigger": ("messages", 10), "keep": ("messages", 3), "summary_prompt": da_sum.DEEPAGENTS_DEFAULT_SUMMARY_PROMPT}),
        w("fraction defaults (0.85/0.10)", [H("x" * 400, id=f"h{k}") for k in range(9)], {"trigger": ("fraction", 0.85), "keep": ("fraction", 0.1)}, model=P),
        w("reported usage triggers", [H("a", id="1"), A("b", provider="openai", total=5000, id="2"), H("c", id="3")], {"trigger": ("tokens", 5000), "keep": ("messages", 1)}),
        w("budget (0.7.32): over 95% of input forces summarization without trigger", [H("x" * 400, id=f"h{k}") for k in range(10)], {"trigger": None, "keep": ("messages", 3)}, model=P),
        w("budget: max_tokens of the model is reserved", [H("x" * 400, id=f"h{k}") for k in range(7)], {"trigger": None, "keep": ("messages", 2)}, model={**P, "max_tokens": 500}),
        w("budget: model_settings override the model attribute", [H("x" * 400, id=f"h{k}") for k in range(7)], {"trigger": None, "keep": ("messages", 2)}, model={**P, "max_tokens": 500}, request={"model_settings": {"max_tokens": 10, "max_output_tokens": 20}}),
        w("budget: irreducible input raises", [H("x" * 400, id="h0"), H("x" * 9000, id="h1")], {"trigger": None, "keep": ("messages", 1)}, model=P),
        w("budget: tail clip makes it fit", tail, {"trigger": None, "keep": ("messages", 3)}, model={"ls_provider": "openai", "profile": {"max_input_tokens": 2500}}),
        w("budget: cutoff 0 and over budget, clip only", tail, {"trigger": None, "keep": ("messages", 20)}, model={"ls_provider": "openai", "profile": {"max_input_tokens": 2500}}),
        w("bound reasoning is dropped from preserved messages in 0.7.32", [H("0", id="0"), H("1", id="1"), A([TH, {"type": "text", "text": "t"}], id="2", provider="anthropic"), H("3", id="3")], {"trigger": ("messages", 4), "keep": ("messages", 2)}),
        w("tool message without id gets a fresh uuid when clipped", [*tail[:4], T(rep("o", 30000), "c1", name="execute")], {"trigger": None, "keep": ("messages", 2)}, handler=[OV, OK]),
        w("everything is one AI/tool pair: cutoff 0", tail[3:], {"trigger": ("messages", 1), "keep": ("messages", 1)}),
    ]

    def rnd(r):
        ms = conv(r, r.randint(2, 5), usage=r.choice([0, 0.6]), media=r.choice([0, 0.4]), big=0.08, argbig=0.3, summary=0.1)
        for m in ms:
            if isinstance(m, AIMessage) and isinstance(m.content, list):
                m.content = [b for b in m.content if isinstance(b, dict)] or ""
        tot = ntok(ms)
        mw = {"summary_prompt": PR, "trim_tokens_to_summarize": r.choice([None, None, 4000, 300, 60]),
              "trigger": r.choice([("messages", near(r, len(ms))), ("tokens", near(r, tot)), ("fraction", 0.85), None, [("tokens", 10**7), {"messages": 2, "tokens": near(r, tot)}]]),
              "keep": r.choice([("messages", r.randint(1, 6)), ("tokens", max(5, tot // r.randint(2, 9))), ("fraction", 0.1)])}
        if r.random() < 0.6:
            mw["truncate_args_settings"] = {"trigger": r.choice([("messages", 2), ("tokens", max(1, tot // 2))]), "keep": ("messages", r.randint(1, 5)), "max_length": r.choice([50, 2000])}
        i = {"middleware": mw, "model": {"ls_provider": r.choice(["openai", None, "anthropic"]), "llm_type": r.choice(["fake", "anthropic-chat"]), "profile": {"max_input_tokens": near(r, tot)}, "summaries": ["sum " + rtext(r, 1, 5)]},
             "messages": ms, "now": rnow(r), "uuids": ruuids(r, 8)}
        if r.random() < 0.6:
            del i["model"]["profile"]
            for k in ("trigger", "keep"):
                if isinstance(mw[k], tuple) and mw[k][0] == "fraction":
                    mw[k] = ("messages", r.randint(1, 6))
        if r.random() < 0.4:
            i["handler"] = r.choice([[OV, OK], [OV, OK], [OV, OV, OK], [{"raise": "HTTP", "status_code": 400, "message": "context_length_exceeded"}, OK]])
        if r.random() < 0.4:
            i["request"] = {"system_message": S(rtext(r, 1, 8)), "tools": TOOLS1, "model_settings": r.choice([{}, {"max_tokens": 20}])}
        if r.random() < 0.35:
            i["state"] = {"_summarization_event": {"cutoff_index": r.randint(0, len(ms)), "summary_message": SUMM(), "file_path": "/conversation_history/session_p.md", **({"created_at_index": r.randint(0, len(ms))} if r.random() < 0.6 else {})}, "_summarization_session_id": "session_p"}
            if r.random() < 0.7:
                i["backend"] = {"files": {"/conversation_history/session_p.md": {"encoding": "utf-8", "content": "## Summarized at x\n\nold é\n\n"}}}
        elif r.random() < 0.3:
            i["backend"] = r.choice([{"artifacts_root": "/root"}, {"fail": {"write": "error"}}, {"fail": {"upload": "error"}}, {"fail": {"download": "raise"}}])
        return "random end to end", i

    return h, rnd, wrap_run


# ---- 10 overflow clip --------------------------------------------------------------
@family("overflow_clip", "deepagents.middleware._overflow_clip.{_derive_overflow_clip_threshold_tokens,_find_tail_tool_message_batch,_clip_overflow_tail}", 30)
def f_clip():
    def w(note, ms, keep=("messages", 3), mx=None, **k):
        return note, {"messages": ms, "keep": keep, "max_input_tokens": mx, "prefix": "/large_tool_results", "uuids": UU, **k}

    big, mid = rep("out\n", 6000), "y" * 300
    rd = A("", [("read_file", {"file_path": "/src/a.py"}, "r1"), ("execute", {}, "e1")], id="a")
    h = [
        w("empty", []), w("not ending in tool messages", [T(big, "e1"), H("x")]),
        w("below the 5000-token floor", [rd, T(mid, "e1", id="t")]), w("keep messages: 5000", [rd, T(rep("z", 19984), "e1", id="t")]), w("just below 5000", [rd, T(rep("z", 19980), "e1", id="t")]),
        w("keep tokens threshold", [rd, T(mid, "e1", id="t")], ("tokens", 80)), w("keep tokens threshold +1", [rd, T(mid, "e1", id="t")], ("tokens", 81)),
        w("keep fraction", [rd, T(mid, "e1", id="t")], ("fraction", 0.05), 1000), w("keep fraction without limit: 5000", [rd, T(mid, "e1", id="t")], ("fraction", 0.05)),
        w("keep tokens 1 (0.7.32 recovery) clips everything, even tiny", [rd, T("tiny", "e1", id="t")], ("tokens", 1)),
        w("read_file is sliced to 4000 code points", [rd, T(rep("é🙂", 4000), "r1", id="t")], ("tokens", 10)),
        w("read_file shorter than 4000 still gets the notice (grows)", [rd, T("short", "r1", id="t")], ("tokens", 1)),
        w("read_file with missing/empty file_path arg falls back to offload", [A("", [("read_file", {}, "r1"), ("read_file", {"file_path": ""}, "r2"), ("read_file", {"file_path": 5}, "r3")]), T(mid, "r1", id="1"), T(mid, "r2", id="2"), T(mid, "r3", id="3")], ("tokens", 1)),
        w("AIMessage not in preserved list: read_file result is offloaded", [T(mid, "r1", id="t", name="read_file")], ("tokens", 1)),
        w("whole tail batch; earlier tool messages untouched", [T(big, "zz", id="z"), H("h"), rd, T(big, "e1", id="1"), T(mid, "r1", id="2")]),
        w("id None gets a uuid, in order", [rd, T(big, "e1"), T(mid, "r1")]),
        w("write failure for one message keeps it; both lists contain the original", [rd, T(big, "e1", id="1"), T(mid, "e2", id="2"), T(mid, "r1", id="3")], backend={"fail": {"write": "error"}, "fail_paths": ["e2"]}),
        w("all writes fail: nothing reported", [rd, T(big, "e1", id="1")], backend={"fail": {"write": "error"}}),
        w("write returns None", [rd, T(big, "e1", id="1")], backend={"fail": {"write": "none"}}),
        w("write raises: propagates", [rd, T(big, "e1", id="1")], backend={"fail": {"write": "raise"}}),
        w("tool_call_id sanitised", [T(big, "call/1.2\\3", id="1")]), w("empty tool_call_id", [T(big, "", id="1")]), w("long tool_call_id (> 32, > 128 bytes)", [T(big, "c" * 150, id="1"), T(mid, "d" * 33, id="2"), T(mid, "e" * 32, id="3"), T(mid, "é" * 65, id="4")]),
        w("duplicate tool_call_ids overwrite the same file", [T(big, "d", id="1"), T(mid, "d", id="2")]),
        w("name, status, artifact, kwargs preserved", [T(big, "e1", id="1", name="execute", status="error", artifact={"exit_code": 1}, additional_kwargs={"k": "v"}, response_metadata={"m": 1})]),
        w("list content: text blocks joined by newline, media kept after the stub", [T([{"type": "text", "text": "a" * 200}, {"type": "image", "url": "https://x.test/i.png"}, "plain", {"type": "text", "text": "b" * 200}], "e1", id="1")], ("tokens", 100)),
        w("list content, text only -> plain string stub", [T([{"type": "text", "text": "a" * 200}, "plain"], "e1", id="1")], ("tokens", 50)),
        w("read_file list content with media: media dropped, text sliced", [rd, T([{"type": "text", "text": "code"}, {"type": "image", "url": "https://x.test/i.png"}], "r1", id="1")], ("tokens", 1)),
        w("openai image_url block becomes standard image block", [T([{"type": "text", "text": "a" * 500}, {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}"}}, {"type": "weird", "x": 1}], "e1", id="1")], ("tokens", 50)),
        w("numbered lines preview", [T(lines("line {i} text", 1, 2000), "e1", id="1")]), w("backend reports another path", [T(big, "e1", id="1")], backend={"result_prefix": "/mnt"}),
    ]

    def rnd(r):
        ms = conv(r, r.randint(1, 3), big=0.25, media=0.3, listc=0.2)
        if r.random() < 0.8:
            while ms and not isinstance(ms[-1], ToolMessage) and len(ms) > 1:
                ms.pop()
        tail = da_clip._find_tail_tool_message_batch(ms)
        t = ntok(tail[1]) if tail else 10
        keep = r.choice([("messages", 3), ("tokens", near(r, t)), ("tokens", 1), ("fraction", 0.1)])
        i = {"messages": ms, "keep": keep, "max_input_tokens": r.choice([None, t * 10, t * 10 + 9]), "prefix": r.choice(["/large_tool_results", "/root/large_tool_results"]), "uuids": ruuids(r, 6)}
        if r.random() < 0.2:
            i["backend"] = {"fail": {"write": r.choice(["error", "none"])}, "fail_paths": [f"call_{r.randint(0, 9)}", "1"]}
        return "random", i

    def run(i):
        def once(use_async):
            ms = M(i["messages"])
            mem, be = mk_backend(i.get("backend"))
            kw = dict(keep=i["keep"], max_input_tokens=i["max_input_tokens"], token_counter=count_tokens_approximately, large_tool_results_prefix=i["prefix"])
            with frozen(i):
                def go():
                    a, b = asyncio.run(da_clip._aclip_overflow_tail(ms, be, **kw)) if use_async else da_clip._clip_overflow_tail(ms, be, **kw)
                    return {"messages": out_msgs(a, ms), "replacements": out_msgs(b, ms)}
                res = attempt(go)
            return {"result": res, "files": files_out(mem)}
        ms = M(i["messages"])
        found = da_clip._find_tail_tool_message_batch(ms)
        o = once(False)
        a = once(True)
        if "$error" not in o["result"] and len(set(m.tool_call_id for m in (found[1] if found else []))) == (len(found[1]) if found else 0):
            assert enc(a, True) == enc(o, True), "async clip differs"
        return {"threshold": da_clip._derive_overflow_clip_threshold_tokens(i["keep"], i["max_input_tokens"]), "tail_start": found[0] if found else None,
                "tail_tokens": count_tokens_approximately(found[1]) if found else None, **o}

    return h, rnd, run


# ---- 9 previews, sanitising, eviction ------------------------------------------------
@family("content_preview", "deepagents.middleware._message_eviction._create_content_preview", 25)
def f_preview():
    h = [(n, {"content": c}) for n, c in [
        ("empty", ""), ("one line", "a"), ("trailing newline adds no line", "a\nb\n"), ("only newlines", "\n\n\n"), ("exactly 10 lines", "\n".join(map(str, range(1, 11)))), ("11 lines", "\n".join(map(str, range(1, 12)))),
        ("100 lines: tail gutter is 3 wide (padding is per block)", "\n".join(f"l{k}" for k in range(1, 101))), ("99999 tail width", lines("r{i}", 1, 100002)), ("line of 1000", "x" * 1000), ("line of 1001 clipped", "x" * 1001), ("long lines in head and tail", "\n".join(["h" * 1500] * 6 + ["t" * 1200] * 6)), ("long line only in the omitted middle", "\n".join(["s"] * 6 + ["M" * 1500] + ["s"] * 6)),
        ("single huge line", rep("abc", 50000)), ("CR, CRLF", "a\rb\r\nc"), ("VT FF FS GS RS", "a\x0bb\x0cc\x1cd\x1de\x1ef"), ("NEL LS PS", "a\x85b\u2028c\u2029d"), ("US (0x1f) and NUL are not line breaks", "a\x1fb\x00c"), ("literal marker in the content", "\n".join(["x"] * 3 + ["... [7 lines truncated] ..."] + ["y"] * 3)), ("tabs and leading blanks kept", "\ta\n  b\n\n c"), ("emoji clipped by code point", "🙂" * 1005), ("whitespace-only lines", " \n\t\n\u3000"),
    ]] + [("custom head/tail", {"content": "\n".join(map(str, range(20))), "head_lines": 2, "tail_lines": 3}), ("tail_lines 0: lines[-0:] is the WHOLE list", {"content": "\n".join(map(str, range(20))), "head_lines": 2, "tail_lines": 0}), ("head_lines 0", {"content": "\n".join(map(str, range(20))), "head_lines": 0, "tail_lines": 2})]

    def rnd(r):
        c = rbig(r) if r.random() < 0.3 else r.choice(["\n", "\r\n", "\x0b", "\u2028", "\x85"]).join(rtext(r, 0, 4) * r.choice([1, 1, 1, 40]) for _ in range(r.randint(0, 25)))
        i = {"content": c if len(c) <= LIMIT or c in REG else c[:LIMIT]}
        if r.random() < 0.3:
            i.update(head_lines=r.randint(1, 6), tail_lines=r.randint(1, 6))
        return "random", i

    def run(i):
        p = da_evict._create_content_preview(i["content"], **{k: i[k] for k in ("head_lines", "tail_lines") if k in i})
        return {"text": p, "lines_omitted": None, "lines_clipped": None} if isinstance(p, str) else {"text": p.text, "lines_omitted": p.lines_omitted, "lines_clipped": p.lines_clipped}

    return h, rnd, run


@family("sanitize_tool_call_id", "deepagents.backends.utils.sanitize_tool_call_id", 10)
def f_sanit():
    h = [("edge", {"id": s}) for s in ["", "call_1", "../../etc/passwd", "a/b\\c.d", "...", "日本語.é", "a b:c*?", "x" * 128, "x" * 129, "é" * 64, "é" * 65, "." * 129, "x" * 128 + ".", "\x00\n"]]

    def rnd(r):
        return "random", {"id": "".join(r.choice("ab./\\é日_-") for _ in range(r.choice([5, 40, 100, 150])))}

    return h, rnd, lambda i: sanitize_tool_call_id(i["id"])


@family("process_large_message", "deepagents.middleware.filesystem.FilesystemMiddleware.wrap_tool_call (-> _intercept_large_tool_result -> _process_large_message)", 25)
def f_large():
    def w(note, res, tool="execute", limit=100, **k):
        return note, {"tool_name": tool, "tool_token_limit_before_evict": limit, "result": res, "uuids": UU, **k}

    def m(c, **k):
        k.setdefault("id", "t1")
        return {"message": T(c, k.pop("tid", "c1"), name="execute", **k)}

    big = lines("line {i}: some output é", 1, 800)
    h = [w("small", m("ok")), w("exactly limit*4 chars is kept", m("x" * 400)), w("one more char is evicted", m("x" * 401)), w("code points, not bytes", m("é" * 400)), w("big multi-line", m(big)), w("one huge line", m(rep("abc", 50000))),
         *[w("excluded tool", m(big), tool=t) for t in ("ls", "glob", "grep", "read_file", "edit_file", "write_file", "delete")], w("limit None", m(big), limit=None), w("limit 0 is falsy -> off", m(big), limit=0),
         w("default limit 20000 tokens: 80001 chars", m(rep("z", 80001)), limit=20000), w("default limit: 80000 chars", m(rep("z", 80000)), limit=20000),
         w("backend error keeps the message", m(big), backend={"fail": {"write": "error"}}), w("backend None keeps the message", m(big), backend={"fail": {"write": "none"}}), w("backend raises", m(big), backend={"fail": {"write": "raise"}}),
         w("text blocks + image", m([{"type": "text", "text": "a" * 300}, {"type": "image", "base64": PNG, "mime_type": "image/png"}, {"type": "text", "text": "b" * 300}])), w("base64 image does not count", m([{"type": "text", "text": "a"}, {"type": "image", "base64": rep("QUJD", 2000), "mime_type": "image/png"}])), w("text-only list becomes a string", m(["a" * 300, {"type": "text", "text": "b" * 300}])), w("join newline counts: 200+1+200 > 400", m(["a" * 200, "b" * 200])), w("non-standard block kept", m([{"type": "text", "text": "a" * 500}, {"type": "weird", "v": 1}])),
         w("id None stays None; metadata preserved", {"message": T(big, "c.1/2", artifact=[1], status="error", additional_kwargs={"a": 1}, response_metadata={"b": 2})}), w("empty tool_call_id", m(big, tid="")), w("tool_call_id > 32 shown abbreviated in 0.7.32", m(big, tid="call_" + "x" * 40)), w("tool_call_id > 128 bytes hashed in 0.7.32", m(big, tid="y" * 200)),
         w("curly braces in id and content", m("{content_sample} " * 50, tid="{x}")), w("artifacts_root", m(big), backend={"artifacts_root": "/art"}), w("canonical path from backend", m(big), backend={"result_prefix": "/mnt"}),
         w("Command with messages", {"update": {"messages": [T(big, "c1", id="1"), H("keep"), T("small", "c2", id="2")], "files_hint": "x"}}), w("Command with REMOVE_ALL first", {"update": {"messages": [RM(RMA), T(big, "c1", id="1")]}}), w("Command without messages gains an empty list", {"update": {"foo": 1}}), w("Command update None", {"update": None})]

    def rnd(r):
        mk = lambda: T([rblock(r, 0.4) for _ in range(r.randint(1, 4))] if r.random() < 0.3 else (rbig(r) if r.random() < 0.5 else rtext(r, 1, 120)), r.choice(["call_", "call_", "toolu/", "chatcmpl-tool-0123456789abcdef0123456789abcdef-"]) + str(r.randint(1, 99)), id=r.choice([None, "t"]), name="search", status=r.choice(["success", "error"]))  # noqa: E731
        res = {"message": mk()} if r.random() < 0.7 else {"update": {"messages": [r.choice([mk(), mk(), H("h")]) for _ in range(r.randint(0, 4))]}}
        return "random", {"tool_name": r.choice(["execute", "search", "task", "my_tool", "grep"]), "tool_token_limit_before_evict": r.choice([5, 10, 50, 100, 1000]), "result": res, "uuids": ruuids(r), **({"backend": {"fail": {"write": "error"}}} if r.random() < 0.1 else {})}

    def run(i):
        mem, be = mk_backend(i.get("backend"))
        fs = da_fs.FilesystemMiddleware(backend=be, tool_token_limit_before_evict=i["tool_token_limit_before_evict"])
        if "message" in i["result"]:
            ins = [M(i["result"]["message"])]
            res = ins[0]
        else:
            u = i["result"]["update"]
            ins = M(u["messages"]) if u and "messages" in u else []
            res = Command(update=None if u is None else {**u, **({"messages": ins} if "messages" in u else {})})
        req = types.SimpleNamespace(tool_call={"name": i["tool_name"], "args": {}, "id": "c1"}, state={"messages": []})

        def go():
            o = fs.wrap_tool_call(req, lambda _r: res)
            if isinstance(o, ToolMessage):
                return {"message": out_msgs([o], ins)[0]}
            return {"update": None if o.update is None else _norm_update(o.update, ins)}

        with frozen(i):
            r_ = attempt(go)
        return {"result": r_, "files": files_out(mem)}

    return h, rnd, run


@family("human_message_eviction", "deepagents.middleware.filesystem.FilesystemMiddleware._evict_and_truncate_messages", 25)
def f_human():
    def w(note, ms, limit=100, **k):
        return note, {"messages": ms, "human_message_token_limit_before_evict": limit, "uuids": UU, **k}

    big = lines("human line {i} 🙂", 1, 500)
    tag = {"lc_evicted_to": "/conversation_history/old.md"}
    h = [w("no messages", []), w("small", [H("hi", id="1")]), w("exactly limit*4", [H("x" * 400, id="1")]), w("limit*4+1", [H("x" * 401, id="1")]), w("big", [A("a"), H(big, id="1")]), w("only the LAST message is checked", [H(big, id="1"), A("a", id="2")]), w("last is not human", [H(big, id="1"), T("t", "c")]), w("id None gets a uuid AFTER the file uuid", [H(big)]),
         w("already tagged: truncated again, no write", [H(big, id="1", additional_kwargs=tag), A("x"), H("hi", id="2")]), w("tagged last message is not re-evicted", [H(big, id="1", additional_kwargs=tag)]), w("tagged + new eviction", [H(big, id="1", additional_kwargs=tag), A("x"), H(rep("new ", 500), id="2", name="bob", additional_kwargs={"k": 1})]), w("tagged small message is still rewritten", [H("small", id="1", additional_kwargs=tag)]), w("empty tag is falsy", [H("small", id="1", additional_kwargs={"lc_evicted_to": ""})]),
         w("write error: message unchanged but result is not None", [H(big, id="1")], backend={"fail": {"write": "error"}}), w("write None", [H(big, id="1")], backend={"fail": {"write": "none"}}), w("write raises", [H(big, id="1")], backend={"fail": {"write": "raise"}}), w("limit None", [H(big, id="1")], None), w("limit 0", [H(big, id="1")], 0), w("default 50000 tokens: 200000", [H(rep("z", 200000), id="1")], 50000), w("default 50000 tokens: 200001", [H(rep("z", 200001), id="1")], 50000),
         w("list content with image", [H([{"type": "text", "text": "a" * 500}, {"type": "image", "base64": PNG, "mime_type": "image/png"}], id="1")]), w("text-only list", [H(["a" * 300, {"type": "text", "text": "b" * 300}], id="1")]), w("artifacts_root", [H(big, id="1")], backend={"artifacts_root": "/art/"}), w("few long lines", [H("\n".join(["q" * 1500] * 2), id="1")]), w("braces", [H("{file_path} " * 60, id="1")]), w("summary message can be evicted too", [HumanMessage(content="s" * 500, id="1", additional_kwargs={"lc_source": "summarization"})])]

    def rnd(r):
        ms = conv(r, r.randint(1, 3), big=0.2, media=0.3)
        for m in ms:
            if isinstance(m, HumanMessage) and r.random() < 0.2:
                m.additional_kwargs = {"lc_evicted_to": f"/conversation_history/{r.randint(1, 9)}.md"}
        if r.random() < 0.8:
            ms.append(H(rbig(r) if r.random() < 0.6 else rtext(r, 1, 120), id=r.choice(["last", None])))
        return "random", {"messages": ms, "human_message_token_limit_before_evict": r.choice([10, 100, 1000]), "uuids": ruuids(r), **({"backend": {"fail": {"write": "error"}}} if r.random() < 0.15 else {})}

    def run(i):
        ms = M(i["messages"])
        mem, be = mk_backend(i.get("backend"))
        fs = da_fs.FilesystemMiddleware(backend=be, human_message_token_limit_before_evict=i["human_message_token_limit_before_evict"])

        def go():
            r_ = fs._evict_and_truncate_messages(types.SimpleNamespace(messages=ms))
            return None if r_ is None else {"messages": out_msgs(r_[0], ms), "update": None if r_[1] is None else {"messages": out_msgs(r_[1].update["messages"], ms)}}

        with frozen(i):
            res = attempt(go)
        t, n = fs._check_eviction_needed(ms)
        return {"has_tagged": t, "new_eviction_needed": n, "result": res, "files": files_out(mem)}

    return h, rnd, run


# ---- 11 media ------------------------------------------------------------------------
MIMES = """image/png image/jpeg image/jpg image/gif image/webp image/svg+xml image/bmp image/tiff image/x-icon image/vnd.microsoft.icon image/heic image/heif image/avif image/x-ms-bmp image/pjpeg image/ief
audio/mpeg audio/mp3 audio/wav audio/x-wav audio/wave audio/ogg audio/flac audio/aac audio/mp4 audio/webm audio/basic audio/x-aiff audio/aiff audio/midi audio/opus audio/3gpp
video/mp4 video/mpeg video/webm video/quicktime video/x-msvideo video/x-matroska video/ogg video/3gpp video/x-ms-wmv video/x-flv
application/pdf application/json application/xml application/zip application/gzip application/octet-stream application/javascript application/msword application/rtf application/x-tar application/x-sh application/wasm application/ld+json application/yaml
application/vnd.ms-excel application/vnd.ms-powerpoint application/vnd.openxmlformats-officedocument.wordprocessingml.document application/vnd.openxmlformats-officedocument.spreadsheetml.sheet application/vnd.openxmlformats-officedocument.presentationml.presentation
text/plain text/html text/css text/csv text/markdown text/xml text/javascript text/x-python text/tab-separated-values text/calendar text/rtf text/yaml IMAGE/PNG Text/Plain image image/ foo/bar x""".split() + ["", " image/png", "image/png "]


@family("mime_extension_table", "mimetypes.guess_extension as used by deepagents.middleware.summarization._decode_data_url", 0)
def f_mime():
    h = [("extension written by _decode_data_url ('bin' when unknown)", {"mime": m}) for m in MIMES]
    sysdb = mimetypes.MimeTypes()
    for f in SYSTEM_MIME_FILES:
        sysdb.read(f)

    def run(i):
        return {"builtin": (mimetypes.guess_extension(i["mime"]) or ".bin").lstrip("."), "with_this_machines_mime_types_files": (sysdb.guess_extension(i["mime"]) or ".bin").lstrip("."), "guess_extension": mimetypes.guess_extension(i["mime"])}

    return h, None, run


@family("mime_builtin_tables", "mimetypes: builtin types_map (extension -> type, dict order) and guess_all_extensions order", 0)
def f_mimetab():
    def run(i):
        if i["table"] == "types_map":
            return [[k, v] for k, v in mimetypes._types_map_default.items()]
        return [[k, v] for k, v in mimetypes._common_types_default.items()]
    return [("strict table in dict order; guess_extension returns the FIRST extension mapped to the lower-cased type", {"table": "types_map"}), ("non-standard table (not used: strict=True)", {"table": "common_types"})], None, run


@family("extract_data_url", "deepagents.middleware.summarization._extract_data_url", 15)
def f_extract():
    h = [(n, {"block": b}) for n, b in [
        ("base64 + mime", {"type": "image", "base64": "QUJD", "mime_type": "image/png"}), ("base64 without mime", {"type": "file", "base64": "QUJD"}), ("base64 mime None", {"type": "file", "base64": "QUJD", "mime_type": None}), ("base64 mime empty", {"type": "file", "base64": "QUJD", "mime_type": ""}),
        ("base64 empty is falsy, url used", {"type": "image", "base64": "", "url": "data:,x"}), ("base64 beats url", {"type": "image", "base64": "QUJD", "url": "data:image/gif;base64,R0lG", "mime_type": "image/png"}), ("url data", {"type": "image", "url": "data:image/svg+xml,<svg/>"}), ("url https", {"type": "image", "url": "https://x"}), ("url upper-case DATA: is not inline", {"type": "image", "url": "DATA:image/png;base64,QUJD"}), ("url leading blank", {"type": "image", "url": " data:,x"}),
        ("url not str", {"type": "image", "url": 5}), ("url None then image_url", {"type": "image_url", "url": None, "image_url": {"url": "data:image/png;base64,QUJD"}}), ("image_url data", {"type": "image_url", "image_url": {"url": "data:image/png;base64,QUJD"}}), ("image_url https", {"type": "image_url", "image_url": {"url": "https://x"}}), ("image_url str form is ignored", {"type": "image_url", "image_url": "data:image/png;base64,QUJD"}), ("image_url without url", {"type": "image_url", "image_url": {}}), ("image_url.url None", {"type": "image_url", "image_url": {"url": None}}),
        ("text mentioning data:", {"type": "text", "text": "data:image/png;base64,QUJD"}), ("not a dict", "data:image/png;base64,QUJD"), ("None", None), ("base64 non-string (bytes repr goes into an f-string)", {"base64": 5}), ("text block with url data", {"type": "text", "text": "x", "url": "data:,y"}), ("bare 'data:'", {"url": "data:"})]]

    def rnd(r):
        return "random", {"block": {k: r.choice(["", "QUJD", None, "data:image/png;base64,QUJD", "https://x", {"url": "data:,x"}, {"url": "http://y"}, "image/png"]) for k in r.sample(["base64", "url", "image_url", "mime_type", "type"], r.randint(1, 5))}}

    return h, rnd, lambda i: attempt(lambda: da_sum._extract_data_url(i["block"]))


@family("decode_data_url", "deepagents.middleware.summarization._decode_data_url", 30)
def f_decode():
    h = [(n, {"data_url": u}) for n, u in [
        ("plain base64", "data:image/png;base64,aGVsbG8="), ("no padding -> failure", "data:image/png;base64,aGVsbG8"), ("one pad of two", "data:;base64,aGVsbA="), ("two pads", "data:;base64,aGVsbA=="), ("too many pads ignored", "data:;base64,aGVsbA====="), ("data after padding is ignored", "data:;base64,aGVsbG8=aGVsbG8="), ("5 data chars -> failure", "data:;base64,aGVsb"), ("1 data char", "data:;base64,a"), ("pad only", "data:;base64,===="), ("single pad", "data:;base64,="), ("leading pad is skipped", "data:;base64,=aGVsbG8="), ("empty payload", "data:image/png;base64,"),
        ("whitespace and newlines discarded", "data:;base64,aGVs\nbG8 =\r\n"), ("invalid characters discarded", "data:;base64,aG*Vs!bG8=@"), ("url-safe alphabet chars are DISCARDED", "data:;base64,-_-_aGVsbG8="), ("pad in the middle of a quad", "data:;base64,aG=VsbG8="), ("non-ascii payload -> failure", "data:;base64,aGVsbG8é"), ("non-zero trailing bits accepted", "data:;base64,aGVsbG9="), ("percent-encoded padding is NOT decoded: %3D leaves 3D as data -> failure", "data:;base64,aGVsbA%3D%3D"),
        ("percent text", "data:text/plain,hello%20world%21"), ("percent lower/upper hex", "data:,%c3%A9"), ("invalid percent kept", "data:,100%zz%4"), ("trailing percent", "data:,a%"), ("plus is not a space", "data:,a+b"), ("raw unicode payload is UTF-8", "data:,é🙂"), ("svg", "data:image/svg+xml,%3Csvg xmlns='http://w3.org'/%3E"), ("commas in payload: split once", "data:text/csv,a,b,c"), ("no comma -> failure", "data:image/png;base64"), ("nothing", "data:"), ("empty string", ""),
        ("mime empty", "data:,x"), ("charset param", "data:text/plain;charset=utf-8;base64,eA=="), ("base64 marker upper case", "data:text/plain;BASE64,eA=="), ("base64 marker must be its own token", "data:text/plain;xbase64,eA=="), ("base64 not last", "data:text/plain;base64;charset=x,eA=="), ("'data:base64,': split(';') gives 'data:base64', so NOT base64", "data:base64,eA=="), ("upper-case mime", "data:IMAGE/PNG;base64,eA=="), ("mime case is preserved in the returned mime", "data:Image/Gif;base64,eA=="), ("unknown mime -> bin", "data:foo/bar;base64,eA=="), ("mime with blank", "data: image/png;base64,eA=="), ("header without colon", "image/png;base64,eA=="), ("two colons: second field only", "data:a:b;base64,eA=="), ("octet-stream -> bin", "data:application/octet-stream;base64,AAEC/w=="), ("jpeg extension", "data:image/jpeg;base64,/9j/"), ("comma inside a quoted param splits there", "data:text/plain;x=\"a,b\";base64,eA=="), ("NUL byte", "data:,%00a")]]

    def rnd(r):
        k = r.randrange(3)
        raw = bytes(r.randrange(256) for _ in range(r.randint(0, 12)))
        if k == 0:
            p = list(base64.b64encode(raw).decode())
            for _ in range(r.randint(0, 3)):
                p.insert(r.randint(0, len(p)), r.choice("=\n -_*a/+"))
            return "random base64", {"data_url": f"data:{r.choice(['image/png', 'audio/wav', '', 'text/html;charset=x'])};base64,{''.join(p)}"}
        if k == 1:
            return "random percent", {"data_url": "data:text/plain," + "".join(r.choice(["%41", "%", "%zz", "é", "a", ",", "%e2%82%ac", "+", "%0"]) for _ in range(r.randint(0, 10)))}
        return "random header", {"data_url": "".join(r.choice(["data:", "image/png", ";", "base64", ",", ":", "eA==", "x"]) for _ in range(r.randint(1, 8)))}

    def run(i):
        x = da_sum._decode_data_url(i["data_url"])
        return None if x is None else {"raw": x[0], "extension": x[1], "mime": x[2], "key": hashlib.sha256(x[0]).hexdigest()[:16]}

    return h, rnd, run


@family("media_reference_block", "deepagents.middleware.summarization._media_reference_block", 0)
def f_ref():
    h = [("major type decides", {"path": p, "mime": m}) for p in ["/conversation_history/media/ab.png", '/a "b"&<c>'] for m in ["image/png", "audio/wav", "video/mp4", "application/pdf", "text/plain", "", "image", "IMAGE/PNG", "image/svg+xml"]]
    return h, None, lambda i: da_sum._media_reference_block(i["path"], i["mime"])


@family("offload_inline_media", "deepagents...summarization._offload_inline_media (+ _rewrite_data_url_blocks)", 30)
def f_offmedia():
    def w(note, ms, **k):
        return note, {"messages": ms, **k}

    img = {"type": "image", "base64": PNG, "mime_type": "image/png"}
    gif = {"type": "image", "url": "data:image/gif;base64,R0lGODlh"}
    t = {"type": "text", "text": "see"}
    h = [
        w("no messages", []), w("plain strings", [H("a"), A("b")]), w("no inline media: originals", [H([t, {"type": "image", "url": "https://x"}])]), w("one image", [H([t, img], id="1")]), w("dedupe by content, different blocks", [H([img], id="1"), T([img, t], "c", id="2"), H([{"type": "image", "url": f"data:image/png;base64,{PNG}"}], id="3")]),
        w("same bytes, different mime: first extension wins, block type per block", [H([{"type": "image", "base64": "QUJD", "mime_type": "image/png"}, {"type": "audio", "base64": "QUJD", "mime_type": "audio/wav"}])]),
        w("image_url data URL (normalised to a standard block first)", [H([{"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}"}}])]), w("image_url svg (not base64)", [H([{"type": "image_url", "image_url": {"url": "data:image/svg+xml,%3Csvg/%3E"}}])]),
        w("url svg percent-encoded", [H([{"type": "image", "url": "data:image/svg+xml,%3Csvg/%3E"}])]), w("audio, video, pdf, unknown", [H([{"type": "audio", "base64": "UklGRg==", "mime_type": "audio/wav"}, {"type": "video", "base64": "AAAA", "mime_type": "video/mp4"}, {"type": "file", "base64": "JVBERg==", "mime_type": "application/pdf"}, {"type": "file", "base64": "eHh4"}])]),
        w("undecodable -> placeholder, no upload", [H([t, {"type": "image", "base64": "abc", "mime_type": "image/png"}])]), w("missing comma", [H([{"type": "image", "url": "data:image/png;base64"}])]), w("upload error", [H([img, t])], backend={"fail": {"upload": "error"}}), w("upload raises", [H([img])], backend={"fail": {"upload": "raise"}}), w("upload returns no response", [H([img])], backend={"fail": {"upload": "empty"}}),
        w("one of two fails, failed key not retried", [H([img, gif]), H([img, gif])], backend={"fail": {"upload": "error"}, "fail_paths": [".gif"]}), w("artifacts_root", [H([img])], backend={"artifacts_root": "/art/"}),
        w("str block in a modified message becomes a text block", [H(["plain", img])]), w("unmodified message keeps str blocks", [H(["plain"]), H([img])]), w("text-decodable payload is still bytes", [H([{"type": "file", "url": "data:text/plain,hello%20w"}])]), w("non-standard block next to media is kept as non_standard", [H([{"type": "weird", "x": 1}, img])]), w("extra keys of the media block are dropped", [H([{**img, "cache_control": {"type": "ephemeral"}, "id": "b1"}])]),
        w("AI message with tool_calls and media: tool_call blocks are appended to content", [A([t, gif], [("f", {"a": 1}, "c1")], id="a")]), w("AI message without media is untouched although content_blocks differ", [A([t], [("f", {"a": 1}, "c1")], id="a"), H([img])]), w("AI reasoning in additional_kwargs is inserted first", [A([gif], additional_kwargs={"reasoning_content": "why"})]),
        w("anthropic-style source base64 input", [H([{"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}}, t])]), w("v0 block with source_type", [H([{"type": "image", "source_type": "base64", "data": PNG, "mime_type": "image/png"}])]), w("openai input_audio and file blocks", [H([{"type": "input_audio", "input_audio": {"data": "UklGRg==", "format": "wav"}}, {"type": "file", "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,JVBERg=="}}])]),
        w("system message with media", [S([t, gif])]), w("summary message with media", [HumanMessage(content=[img], additional_kwargs={"lc_source": "summarization"})]), w("empty list content", [H([])]), w("empty data url 'data:,' hashes to e3b0c44298fc1c14", [H([{"type": "image", "url": "data:,"}])]),
        w("large media", [H([{"type": "file", "base64": rep("QUJD", 3000), "mime_type": "application/zip"}])]),
    ]

    def rnd(r):
        ms = conv(r, r.randint(1, 3), media=0.8, listc=0.6, big=0, argbig=0, usage=0)
        for m in ms:
            if isinstance(m, AIMessage) and isinstance(m.content, list):
                m.content = "x"
        return "random", {"messages": ms, "backend": r.choice([{}, {}, {"artifacts_root": "/r"}, {"fail": {"upload": "error"}, "fail_paths": [".wav", ".pdf"]}, {"fail": {"upload": "raise"}, "fail_paths": [".png"]}])}

    def run(i):
        def once(use_async):
            ms = M(i["messages"])
            mem, be = mk_backend(i.get("backend"))
            mw = mk_da({}, be)
            new, failed = asyncio.run(mw._aoffload_inline_media(be, ms)) if use_async else mw._offload_inline_media(be, ms)
            return {"messages": out_msgs(new, ms), "failed_block_count": failed, "files": files_out(mem), "backend_ops": mem.ops}
        o = once(False)
        assert enc(once(True), True) == enc(o, True)
        return o

    return h, rnd, run


# ---- 12 archive ------------------------------------------------------------------------
@family("offload_to_backend", "deepagents...summarization._offload_to_backend", 25)
def f_archive():
    def w(note, ms, **k):
        return note, {"messages": ms, "session_id": "session_x", "now": NOW, **k}

    p = "/conversation_history/session_x.md"
    basic = [H("q <1>", id="1"), A("", [("f", {"k": "v & w"}, "c1")], id="2"), T("r", "c1", id="3")]
    h = [
        w("first write", basic), w("append", basic, backend={"files": {p: {"encoding": "utf-8", "content": "## Summarized at t0\n\nold\n\n"}}}), w("existing EMPTY file is written, not edited", basic, backend={"files": {p: {"encoding": "utf-8", "content": ""}}}), w("no messages", []), w("summary messages filtered", [SUMM(), *basic, SUMM("again")]), w("only a summary message: empty section is still written", [SUMM()]),
        w("lc_source on an AIMessage is not filtered", [A("x", additional_kwargs={"lc_source": "summarization"})]), w("lc_source with another value is not filtered", [H("x", additional_kwargs={"lc_source": "other"})]), w("timestamp without microseconds", basic, now="2026-03-04T05:06:07+00:00"), w("timestamp trailing zeros kept", basic, now="2026-03-04T05:06:07.120000+00:00"),
        w("write error -> None", basic, backend={"fail": {"write": "error"}}), w("write None -> None", basic, backend={"fail": {"write": "none"}}), w("write raises -> None", basic, backend={"fail": {"write": "raise"}}), w("download raises -> treated as a new file, existing history LOST", basic, backend={"files": {p: {"encoding": "utf-8", "content": "old"}}, "fail": {"download": "raise"}}), w("download error result", basic, backend={"files": {p: {"encoding": "utf-8", "content": "old"}}, "fail": {"download": "error"}}), w("download empty list", basic, backend={"files": {p: {"encoding": "utf-8", "content": "old"}}, "fail": {"download": "empty"}}),
        w("edit error -> None, file kept", basic, backend={"files": {p: {"encoding": "utf-8", "content": "old"}}, "fail": {"edit": "error"}}), w("edit raises", basic, backend={"files": {p: {"encoding": "utf-8", "content": "old"}}, "fail": {"edit": "raise"}}), w("existing file is not utf-8: treated as new and overwritten", basic, backend={"files": {p: {"encoding": "base64", "content": "/w=="}}}), w("artifacts_root", basic, backend={"artifacts_root": "/art"}), w("artifacts_root '/'", basic, backend={"artifacts_root": "/"}), w("backend reports another path: requested path is returned", basic, backend={"result_prefix": "/mnt"}),
        w("unicode existing content", basic, backend={"files": {p: {"encoding": "utf-8", "content": "é🙂\r\n"}}}), w("media blocks: url kept, base64 dropped", [H([{"type": "image", "url": "/conversation_history/media/ab.png"}, {"type": "image", "base64": PNG, "mime_type": "image/png"}, {"type": "text", "text": "t"}])]),
    ]

    def rnd(r):
        ms = conv(r, r.randint(1, 4), big=0.03, argbig=0.05, summary=0.3, media=0.3)
        i = {"messages": ms, "session_id": f"session_{r.randint(1, 99)}", "now": rnow(r)}
        if r.random() < 0.4:
            i["backend"] = {"files": {f"/conversation_history/{i['session_id']}.md": {"encoding": "utf-8", "content": "## Summarized at x\n\n" + rtext(r, 1, 9) + "\n\n"}}}
        return "random", i

    def run(i):
        def once(use_async):
            ms = M(i["messages"])
            mem, be = mk_backend(i.get("backend"))
            mw = mk_da({}, be)
            with frozen(i):
                path = asyncio.run(mw._aoffload_to_backend(be, ms, i["session_id"])) if use_async else mw._offload_to_backend(be, ms, i["session_id"])
            return {"path": path, "files": files_out(mem), "backend_ops": mem.ops}
        o = once(False)
        assert enc(once(True), True) == enc(o, True)
        return o

    return h, rnd, run


# ---- 4 get_buffer_string(xml) -------------------------------------------------------------
@family("buffer_string_xml", "langchain_core.messages.get_buffer_string(format='xml')", 36)
def f_xml():
    def w(note, *ms):
        return note, {"messages": list(ms)}

    def b(note, *blocks):
        return note, {"messages": [H(list(blocks))]}

    L = "<&>\"'" * 130
    h = [
        w("empty"), w("two", H("a"), A("b")), w("empty content", H("")), w("all roles", S("s"), H("h"), A("a"), T("t", "c"), FunctionMessage(content="f", name="n"), ChatMessage(content="c", role="Critic & \"Co\"")), w("escape & < > but not quotes", H("<a href=\"x\">'&amp;'</a>")), w("newlines kept in text", H("a\nb\r\n\tc")), w("control chars pass through", H("a\x00\x1b\x85\u2028b")),
        w("tool calls, nested layout", A("text", [("f", {"a": 1, "b": [True, None, 1.5, "é<>&\"'"]}, "c1"), ("g", {}, "c2")])), w("tool calls without content have no <content>", A("", [("f", {"x": "y"}, "c1")])), w("tool call id None", A("", [("f", {}, None)])), w("tool call id 64 and 65 chars", A("", [("f", {}, "i" * 64), ("f", {}, "j" * 65)])), w("name/id quoting: double, single, both, newline, tab, CR", A("", [('a"b', {}, "it's"), ("c'd\"e", {}, "x\ny\tz\r"), ("<&>", {}, "ok")])), w("json escapes in args", A("", [("f", {"s": "\x00\x08\x0c\n\r\t\x1f\x7f\\/\"", "u": "日本🙂\u2028", "big": 2**70, "f": [1e16, 1e-7, -0.0, 1e22, 0.1, 5e-324], "nan": float("nan"), "inf": float("-inf"), "e": {}, "l": []}, "c1")])),
        w("function_call legacy", A("x", additional_kwargs={"function_call": {"name": "f", "arguments": "{\"a\": \"<b>\"}"}})), w("function_call empty arguments -> {}", A("", additional_kwargs={"function_call": {"name": None, "arguments": ""}})), w("tool_calls beat function_call", A("", [("f", {}, "c1")], additional_kwargs={"function_call": {"name": "g", "arguments": "{}"}})), w("invalid_tool_calls are not rendered", A("x", invalid_tool_calls=[{"name": "f", "args": "{", "id": "i", "error": None}])), w("tool message: no id/name rendered", T("r", "c1", name="n", status="error")), w("name is not rendered", H("x", name="bob")),
        b("text blocks joined by one blank", {"type": "text", "text": "a"}, {"type": "text", "text": "b<"}, "c&", "", {"type": "text", "text": ""}, {"type": "text"}), b("reasoning", {"type": "reasoning", "reasoning": "r<"}, {"type": "reasoning", "reasoning": ""}, {"type": "reasoning"}, {"type": "thinking", "thinking": "skipped"}), b("image url/file_id/both/none", {"type": "image", "url": "https://x/?a=1&b=\"2\""}, {"type": "image", "file_id": "f'1"}, {"type": "image", "url": "u", "file_id": "f"}, {"type": "image"}), b("image data url and base64 skipped", {"type": "image", "url": "data:image/png;base64,QUJD"}, {"type": "image", "base64": "QUJD", "mime_type": "image/png"}, {"type": "text", "text": "t", "base64": "x"}),
        b("image_url", {"type": "image_url", "image_url": {"url": "https://x"}}, {"type": "image_url", "image_url": {"url": "data:x"}}, {"type": "image_url", "image_url": {"url": ""}}, {"type": "image_url", "image_url": {}}, {"type": "image_url"}), b("audio and video", {"type": "audio", "url": "a.wav"}, {"type": "audio", "file_id": "1"}, {"type": "audio"}, {"type": "video", "url": "v.mp4"}, {"type": "video", "file_id": "2"}, {"type": "video"}), b("text-plain truncated to 500 BEFORE escaping", {"type": "text-plain", "text": L}, {"type": "text-plain", "text": ""}, {"type": "text-plain", "text": "x" * 500}, {"type": "text-plain", "text": "x" * 501}), b("text is never truncated", {"type": "text", "text": "y" * 1200}),
        b("server_tool_call", {"type": "server_tool_call", "id": "s1", "name": "web<", "args": {"q": "é"}}, {"type": "server_tool_call"}, {"type": "server_tool_call", "id": None, "name": None, "args": {"big": "z" * 600}}), b("server_tool_result", {"type": "server_tool_result", "tool_call_id": "s1", "status": "success", "output": {"a": [1]}}, {"type": "server_tool_result"}, {"type": "server_tool_result", "tool_call_id": "s", "status": "error", "output": "z" * 600}, {"type": "server_tool_result", "output": 0}, {"type": "server_tool_result", "output": []}), b("file block skipped", {"type": "file", "url": "https://x/f.pdf"}, {"type": "file", "base64": "QUJD", "mime_type": "application/pdf"}), b("unknown and typeless blocks skipped", {"type": "weird", "x": 1}, {"x": 1}), b("provider tool_use blocks in content skipped", {"type": "tool_use", "id": "1", "name": "f", "input": {}}),
        w("blocks + tool calls", A([{"type": "text", "text": "a"}, {"type": "reasoning", "reasoning": "b"}], [("f", {}, "c")])), w("list content with nothing renderable", H([{"type": "weird"}])), w("empty list content", H([])), w("quoteattr in role of ChatMessage", ChatMessage(content="x", role="it's \"q\"")), w("RemoveMessage is unsupported", RM("x")), w("huge", H(rep("a<b>&", 3000))), w("non-ascii args not escaped", A("", [("ключ", {"ключ": "значение"}, "ид")])),
    ]

    def rnd(r):
        ms = conv(r, r.randint(1, 3), media=0.4, listc=0.4, big=0.04, argbig=0.05)
        for m in ms:
            if isinstance(m, AIMessage) and r.random() < 0.15:
                m.content = r.sample([{"type": "reasoning", "reasoning": rtext(r, 1, 3)}, {"type": "server_tool_call", "id": "s", "name": "n", "args": rvalue(r)}, {"type": "text-plain", "text": rtext(r, 1, 200)}, {"type": "server_tool_result", "tool_call_id": "s", "status": "success", "output": rvalue(r)}, "str<"], r.randint(1, 4))
        return "random", {"messages": ms}

    return h, rnd, lambda i: attempt(lambda: get_buffer_string(M(i["messages"]), format="xml"))


# ---- 14 patch_tool_calls ----------------------------------------------------------------------
@family("patch_tool_calls", "deepagents.middleware.patch_tool_calls.PatchToolCallsMiddleware.before_agent", 25)
def f_patch():
    inv = [{"name": "g", "args": "{\"a", "id": "i1", "error": "bad"}]
    two = [("f", {}, "c1"), ("g", {}, "c2")]
    h = [(n, {"messages": ms}) for n, ms in [
        ("no messages", []), ("no tool calls", [H("a"), A("b")]), ("all answered", [H("a"), A("", two), T("r", "c1"), T("r", "c2")]), ("one dangling", [H("a", id="1"), A("", two, id="2"), T("r", "c1", id="3"), H("b", id="4")]), ("answered out of order / later", [A("", two), H("x"), T("r", "c2"), T("r", "c1")]), ("answered BEFORE the call counts", [T("r", "c1"), A("", [("f", {}, "c1")])]), ("dangling at the end", [H("a"), A("", two)]), ("invalid tool call", [H("a"), A("", invalid_tool_calls=inv)]), ("valid then invalid order", [A("", two, invalid_tool_calls=inv)]), ("invalid with None id is skipped", [A("", invalid_tool_calls=[{"name": "g", "args": "x", "id": None, "error": None}])]), ("invalid name None -> unknown", [A("", invalid_tool_calls=[{"name": None, "args": "x", "id": "i9", "error": None}])]), ("valid id None skipped", [A("", [("f", {}, None)])]), ("valid id empty string is patched", [A("", [("f", {}, "")])]), ("empty name -> unknown", [A("", [("", {}, "c1")])]), ("same dangling id in two AI messages: patched twice", [A("", [("f", {}, "c1")]), H("x"), A("", [("f", {}, "c1")])]), ("duplicate ids inside one message", [A("", [("f", {}, "c1"), ("g", {}, "c1")])]), ("tool message with empty id answers ''", [A("", [("f", {}, "")]), T("r", "")]), ("system and summary messages kept", [S("s"), SUMM(), A("", [("f", {}, "c1")])]), ("one answered invalid call", [A("", invalid_tool_calls=inv), T("r", "i1")])]]

    def rnd(r):
        ms = conv(r, r.randint(1, 5), unanswered=r.choice([0.0, 0.15, 0.5]), big=0, argbig=0)
        for m in ms:
            if isinstance(m, AIMessage) and r.random() < 0.1:
                m.invalid_tool_calls = [{"name": r.choice(["bad", None]), "args": "{", "id": r.choice(["i1", "i2", None]), "error": None, "type": "invalid_tool_call"}]
        return "random", {"messages": ms}

    def run(i):
        ms = M(i["messages"])
        u = PatchToolCallsMiddleware().before_agent({"messages": ms}, None)
        return None if u is None else _norm_update(u, ms)

    return h, rnd, run


# ---- 15 compact tool -------------------------------------------------------------------------------
@family("compact_tool", "deepagents.middleware.summarization.SummarizationToolMiddleware.{_is_eligible_for_compaction,_run_compact}", 30)
def f_compact():
    OA = {"ls_provider": "openai", "profile": {"max_input_tokens": 1000}, "summaries": [" done "]}

    def w(note, ms, trigger, keep=("messages", 2), **k):
        return note, {"messages": ms, "middleware": {"trigger": trigger, "keep": keep, "summary_prompt": PR, "trim_tokens_to_summarize": None}, "model": OA, "now": NOW, "uuids": UU, "tool_call_id": "call_compact", **k}

    m6 = [H(f"q{k}", id=f"{k}") if k % 2 == 0 else A(f"a{k}", id=f"{k}") for k in range(6)]

    def us(t, p="openai"):
        return [H("q" * 400, id="1"), A("a", id="2", provider=p, total=t), H("n", id="3"), H("m", id="4")]

    evt = {"cutoff_index": 2, "summary_message": SUMM(), "file_path": None}
    h = [
        w("no trigger: never", m6, None), w("messages: half reached", m6, ("messages", 12)), w("messages: half not reached", m6, ("messages", 14)), w("messages odd: int(13*0.5)=6", m6, ("messages", 13)), w("messages 1 -> max(1, 0)", m6, ("messages", 1)), w("tokens: no usage metadata -> nothing to compact although counted tokens are over", [H("q" * 4000, id="1"), A("a", id="2"), H("n"), H("m")], ("tokens", 100)),
        w("tokens: reported == half", us(500), ("tokens", 1000)), w("tokens: reported half-1", us(499), ("tokens", 1000)), w("tokens odd", us(500), ("tokens", 1001)), w("tokens: other provider", us(900, "anthropic"), ("tokens", 1000)), w("fraction: int(max*f) halved", us(425), ("fraction", 0.85)), w("fraction: below", us(424), ("fraction", 0.85)), w("dict AND", us(500), {"tokens": 1000, "messages": 8}), w("dict AND unmet", us(500), {"tokens": 1000, "messages": 10}), w("list OR", us(500), [("messages", 100), {"tokens": 900}]),
        w("cutoff 0 -> nothing to compact", m6, ("messages", 2), ("messages", 20)), w("summary failure", m6, ("messages", 2), model={"summaries": [{"raise": "ContextOverflowError", "message": "too big"}]}, sync_only=True), w("summary failure KeyError: message is repr'd key", m6, ("messages", 2), model={"summaries": [{"raise": "KeyError", "message": "k"}]}, sync_only=True), w("offload failure still compacts (file_path null)", m6, ("messages", 2), backend={"fail": {"write": "error"}}), w("with prior event: absolute cutoff", m6, ("messages", 2), state={"_summarization_event": evt, "_summarization_session_id": "session_old"}),
        w("eligibility counts EFFECTIVE messages", m6, ("messages", 12), state={"_summarization_event": evt}), w("tool_call_id None -> '' for the nothing message", m6, None, tool_call_id=None), w("inline media is NOT offloaded by the tool", [H([{"type": "image", "base64": PNG, "mime_type": "image/png"}, {"type": "text", "text": "t"}], id="1"), *m6], ("messages", 2)), w("empty state", [], ("messages", 2)), w("the AIMessage calling the tool is dangling at the end", [*m6, A("", [("compact_conversation", {}, "call_compact")], id="9")], ("messages", 2)),
    ]

    def rnd(r):
        ms = conv(r, r.randint(1, 5), usage=0.8, big=0.02, argbig=0)
        tot = ntok(ms)
        last = next((m for m in reversed(ms) if isinstance(m, AIMessage) and m.usage_metadata), None)
        t = last.usage_metadata["total_tokens"] if last else tot
        one = lambda: r.choice([("messages", near(r, len(ms) * 2)), ("tokens", near(r, t * 2)), {"tokens": near(r, t * 2), "messages": near(r, len(ms) * 2)}, ("fraction", 0.85)])  # noqa: E731
        i = {"messages": ms, "middleware": {"trigger": one() if r.random() < 0.6 else [one(), one()], "keep": r.choice([("messages", r.randint(1, 6)), ("tokens", max(1, tot // 3))]), "summary_prompt": PR, "trim_tokens_to_summarize": None},
             "model": {"ls_provider": r.choice(["openai", "openai", "anthropic"]), "profile": {"max_input_tokens": near(r, t * 2)}, "summaries": [rtext(r, 1, 4)]}, "now": rnow(r), "uuids": ruuids(r), "tool_call_id": "call_k"}
        if r.random() < 0.3:
            i["state"] = {"_summarization_event": {"cutoff_index": r.randint(0, len(ms)), "summary_message": SUMM(), "file_path": None}}
        return "random", i

    def once(i, use_async):
        ms = M(i["messages"])
        model = mk_model(i["model"])
        mem, be = mk_backend(i.get("backend"))
        mw = mk_da(i["middleware"] | {"model": i["model"]}, be, model)
        tool = da_sum.SummarizationToolMiddleware(mw)
        st = _request(i, ms, model).state
        rt = types.SimpleNamespace(state=st, tool_call_id=i["tool_call_id"])
        elig = tool._is_eligible_for_compaction(mw._apply_event_to_messages(ms, st.get("_summarization_event")))
        with frozen(i):
            cmd = asyncio.run(tool._arun_compact(rt)) if use_async else tool._run_compact(rt)
        return {"eligible": elig, "update": _norm_update(cmd.update, ms), "summary_prompts": model.prompts, "files": files_out(mem)}

    def run(i):
        o = once(i, False)
        if not i.get("sync_only"):
            assert enc(once(i, True), True) == enc(o, True)
        return o

    return h, rnd, run


# ---- 0.7.32 only: input budget and overflow recognition ---------------------------------------------
@family("recovery_helpers_0_7_32", "deepagents.middleware.summarization.{_input_budget,_over_budget,_is_context_overflow} (0.7.32 only)", 25)
def f_recovery():
    if not hasattr(da_sum, "_is_context_overflow"):
        return [], None, None

    def b(note, profile, attrs=None, settings=None, total=0):
        return note, {"fn": "budget", "model": {"profile": profile, **(attrs or {})}, "model_settings": settings or {}, "total_tokens": total}

    P = {"max_input_tokens": 1000}
    h = [b("no profile: no budget", None, total=10**9), b("empty profile", {}), b("int(1000*0.95)", P, total=950), b("over by one", P, total=951), b("int truncation 999*0.95", {"max_input_tokens": 999}), b("bool limit is ignored", {"max_input_tokens": True}), b("string limit is ignored", {"max_input_tokens": "1000"}), b("max_tokens attribute", P, {"max_tokens": 100}), b("max of the three attributes", P, {"max_tokens": 100, "max_completion_tokens": 300, "max_output_tokens": 200}), b("settings override the SAME key only", P, {"max_tokens": 400, "max_output_tokens": 50}, {"max_tokens": 10}), b("settings None hides the attribute", P, {"max_tokens": 400}, {"max_tokens": None}), b("float and bool outputs ignored", P, {"max_tokens": 400.0, "max_output_tokens": True}), b("negative output", P, {"max_tokens": -50}), b("output larger than the limit: 0", P, {"max_tokens": 5000}, total=0), b("budget 0 and 1 token", P, {"max_tokens": 5000}, total=1), b("zero limit", {"max_input_tokens": 0}), b("large limit float exactness", {"max_input_tokens": 9007199254740993}), b("20 * 0.95 = 19.0", {"max_input_tokens": 20}), b("100 * 0.95", {"max_input_tokens": 100}), b("1048576 * 0.95", {"max_input_tokens": 1048576})]
    markers = ["context_length_exceeded", "ContextWindowExceededError", "maximum context length", "exceeds the context window", "exceeds the available context size", "context window exceeded", "context limit exceeded", "input tokens exceed the configured limit", "Prompt is too long", "context  window exceeded", "too many tokens", ""]
    h += [("marker with 400", {"fn": "overflow", "status_code": 400, "message": f"Error: {m}!"}) for m in markers] + [("status", {"fn": "overflow", "status_code": c, "message": "prompt is too long"}) for c in (None, 400, 413, 422, 401, 429, 500, "400", 400.0)] + [("ContextOverflowError always", {"fn": "overflow", "raise": "ContextOverflowError", "message": "anything"}), ("ValueError without status", {"fn": "overflow", "raise": "ValueError", "message": "prompt is too long"})]

    def rnd(r):
        n = r.choice([r.randint(1, 300), r.randint(1000, 2_000_000)])
        return b("random", {"max_input_tokens": n}, {k: r.randint(0, n) for k in ("max_tokens", "max_completion_tokens", "max_output_tokens") if r.random() < 0.4}, {k: r.randint(0, n) for k in ("max_tokens", "max_output_tokens") if r.random() < 0.3}, int(n * r.choice([0.5, 0.949, 0.95, 0.951, 1])))

    def run(i):
        if i["fn"] == "overflow":
            e = _EXC[i["raise"]](i["message"]) if "raise" in i else HTTPError(i["message"], i["status_code"])
            return da_sum._is_context_overflow(e)
        m = mk_model(i["model"])
        mw = da_sum.SummarizationMiddleware(model=m, backend=MemBackend({}))
        rq = ModelRequest(model=m, messages=[], model_settings=i["model_settings"])
        return {"budget": mw._input_budget(rq), "over": mw._over_budget(rq, i["total_tokens"])}

    return h, rnd, run


# ---- 13 summary messages, prompts, trimming ------------------------------------------------------------
@family("summary_messages", "deepagents...summarization.{_build_new_messages_with_path,_is_summary_message}", 8)
def f_summ():
    h = [("with path", {"fn": "build", "summary": "S", "file_path": "/conversation_history/x.md"}), ("without path", {"fn": "build", "summary": "S", "file_path": None}), ("empty path is not None", {"fn": "build", "summary": "S", "file_path": ""}), ("braces and xml are literal", {"fn": "build", "summary": "{x} </summary> & é\n", "file_path": "/p"}), ("empty summary", {"fn": "build", "summary": "", "file_path": None})]
    h += [(n, {"fn": "is_summary", "message": m}) for n, m in [("summary", SUMM()), ("plain", H("x")), ("other source", H("x", additional_kwargs={"lc_source": "y"})), ("ai with lc_source", A("x", additional_kwargs={"lc_source": "summarization"})), ("tool", T("x", "c", additional_kwargs={"lc_source": "summarization"})), ("text alone does not matter", H("Here is a summary of the conversation to date:\n\nx"))]]

    def rnd(r):
        return "random", {"fn": "build", "summary": rtext(r, 0, 20), "file_path": r.choice([None, "/conversation_history/session_" + rtext(r, 1, 1) + ".md"])}

    def run(i):
        mw = mk_da({})
        return mw._build_new_messages_with_path(i["summary"], i["file_path"]) if i["fn"] == "build" else mw._is_summary_message(M(i["message"]))

    return h, rnd, run


@family("summary_prompt", "DEFAULT_SUMMARY_PROMPT / DEEPAGENTS_DEFAULT_SUMMARY_PROMPT / _format_summary_prompt / _overflow_retry_prompt", 12)
def f_prompt():
    ms = [H("q <b>"), A("", [("f", {"a": 1}, "c1")]), T("r", "c1")]
    h = [(f"{n} (raw template text)", {"fn": "data", "name": n, "slice": [k * LIMIT, (k + 1) * LIMIT]}) for n in ("DEFAULT_SUMMARY_PROMPT", "DEEPAGENTS_DEFAULT_SUMMARY_PROMPT") for k in range(1)]
    h += [("default prompt: {{hash}} renders as {hash}; rstrip", {"fn": "format", "messages": ms}), ("custom", {"fn": "format", "messages": ms, "summary_prompt": "P:{messages}  \n\t"}), ("trailing blanks of the messages are stripped too", {"fn": "format", "messages": [H("x")], "summary_prompt": "{messages}"}), ("no placeholder", {"fn": "format", "messages": ms, "summary_prompt": "fixed"}), ("placeholder twice", {"fn": "format", "messages": ms, "summary_prompt": "{messages}|{messages}"}), ("escaped braces", {"fn": "format", "messages": ms, "summary_prompt": "{{a}} {messages}"}), ("unknown placeholder raises KeyError", {"fn": "format", "messages": ms, "summary_prompt": "{other}"}), ("single brace raises ValueError", {"fn": "format", "messages": ms, "summary_prompt": "{ {messages}"}), ("braces in messages are literal", {"fn": "format", "messages": [H("{x} {{y}}")], "summary_prompt": "{messages}"}), ("no messages", {"fn": "format", "messages": [], "summary_prompt": "A{messages}B"}),
          ("overflow retry: half the tokens, head 1/4 tail 3/4", {"fn": "retry", "messages": [H("abcdefghij" * 20)], "summary_prompt": "{messages}"}), ("overflow retry: 40% of max_input_tokens", {"fn": "retry", "messages": [H("abcdefghij" * 20)], "summary_prompt": "{messages}", "model": {"profile": {"max_input_tokens": 50}}}), ("overflow retry: budget 0 -> None", {"fn": "retry", "messages": [H("abcdefghij" * 20)], "summary_prompt": "{messages}", "model": {"profile": {"max_input_tokens": 2}}}), ("overflow retry anthropic 3.3", {"fn": "retry", "messages": [H("abcdefghij" * 20)], "summary_prompt": "{messages}", "model": {"llm_type": "anthropic-chat"}}), ("overflow retry: tiny -> head 0 chars", {"fn": "retry", "messages": [H("ab")], "summary_prompt": "{messages}", "model": {"profile": {"max_input_tokens": 3}}})]

    def rnd(r):
        return "random", {"fn": r.choice(["format", "retry"]), "messages": conv(r, r.randint(1, 2), big=0, argbig=0, media=0.3), "summary_prompt": "<m>\n{messages}\n</m>", "model": {"profile": r.choice([None, {"max_input_tokens": r.randint(5, 400)}])}}

    def run(i):
        if i["fn"] == "data":
            s = {"DEFAULT_SUMMARY_PROMPT": DEFAULT_SUMMARY_PROMPT, "DEEPAGENTS_DEFAULT_SUMMARY_PROMPT": da_sum.DEEPAGENTS_DEFAULT_SUMMARY_PROMPT}[i["name"]]
            return {"text": s[slice(*i["slice"])], "total_length": len(s), "sha256": hashlib.sha256(s.encode()).hexdigest()}
        lc = mk_da(i)._lc_helper
        return attempt(lambda: (lc._format_summary_prompt if i["fn"] == "format" else lc._overflow_retry_prompt)(M(i["messages"])))

    return h, rnd, run


@family("trim_messages_for_summary", "langchain...SummarizationMiddleware._trim_messages_for_summary / _create_summary", 36)
def f_trim():
    def w(note, ms, n, **k):
        return note, {"messages": ms, "trim_tokens_to_summarize": n, **k}

    c5 = [H("h1 " * 10, id="1"), A("a1 " * 10, id="2"), H("h2 " * 10, id="3"), A("a2 " * 10, id="4"), H("h3 " * 10, id="5")]
    ml = [H("\n".join(f"line {k}" for k in range(30)), id="1"), A("ok", id="2"), H("end", id="3")]
    h = [
        w("None: untouched", c5, None), w("fits", c5, 10000), w("fits but starts on AI: leading non-human dropped", c5[1:], 10000), w("exact", c5, ntok(c5)), w("one less", c5, ntok(c5) - 1), w("starts on human after trimming", c5, 40), w("only last", c5, 14), w("partial of a single-line message: nothing fits", c5, 5), w("partial: the TAIL lines of a multi-line message", ml, 40), w("partial multi-line, smaller", ml, 25), w("0 tokens", c5, 0), w("negative", c5, -5), w("no human at all", [A("a"), T("t", "c")], 10000), w("no human, too large", [A("a" * 100), T("t" * 100, "c")], 10), w("system first is kept", [S("sys"), *c5], 45), w("system larger than the budget: kept, rest 0 tokens", [S("sys " * 50), *c5], 20), w("system in the middle is not special", [c5[0], S("sys"), *c5[1:]], 60),
        w("list content: partial drops leading blocks", [H([{"type": "text", "text": "b1 " * 20}, {"type": "text", "text": "b2 " * 5}], id="1"), A("a", id="2")], 25), w("list content single huge block: text partial becomes a string", [H([{"type": "text", "text": "l1 " * 20 + "\nl2"}], id="1"), A("a", id="2")], 16), w("str blocks in list", [H(["s1 " * 20, "s2"], id="1")], 10), w("image list content", [H([{"type": "image", "url": "u"}, {"type": "text", "text": "t"}], id="1"), A("a", id="2")], 20), w("tool batch before human", [H("q"), A("", [("f", {}, "c1")]), T("r" * 200, "c1"), H("end")], 30), w("usage scaling on the REVERSED list changes the fit", [H("x" * 80, id="1"), A("y" * 80, id="2", provider="openai", total=500), H("z" * 80, id="3")], 60), w("the same list without usage metadata", [H("x" * 80, id="1"), A("y" * 80, id="2"), H("z" * 80, id="3")], 60), w("usage scaling 1.25: 3 x 24 tokens do not fit 80", [H("x" * 80, id="1"), A("y" * 80, id="2", provider="openai", total=500), H("z" * 80, id="3")], 80), w("no scaling: they fit 80", [H("x" * 80, id="1"), A("y" * 80, id="2"), H("z" * 80, id="3")], 80), w("anthropic 3.3", c5, 40, model={"llm_type": "anthropic-chat"}), w("more than 15 messages", [H(f"m{k}") for k in range(40)], 50), w("huge string", [H(rep("abc", 50000), id="1"), H("end", id="2")], 4000), w("huge multi-line", [H(lines("line {i}", 1, 3000), id="1"), H("end", id="2")], 4000), w("empty", [], 100), w("summary message first", [SUMM(), *c5], 60), w("RemoveMessage in the list: counter raises -> last 15", [*[H(f"m{k}") for k in range(20)], RM("x")], 50),
    ]

    def rnd(r):
        ms = conv(r, r.randint(1, 5), usage=r.choice([0, 0.6]), big=0.06, media=0.2, listc=0.2, argbig=0.1, summary=0.2)
        if r.random() < 0.2:
            ms.insert(0, S(rtext(r, 1, 8)))
        t = ntok(ms)
        return "random", {"messages": ms, "trim_tokens_to_summarize": max(1, int(t * r.choice([0.05, 0.2, 0.4, 0.6, 0.8, 0.95, 1.1]))), "model": {"llm_type": r.choice(["fake", "anthropic-chat"])}}

    def run(i):
        ms = M(i["messages"])
        mw = mk_da({**i, "summary_prompt": PR})
        kept = mw._lc_helper._trim_messages_for_summary(ms)
        summ = attempt(lambda: mw._create_summary(ms))
        return {"messages": out_msgs(kept, ms), "summary": summ, "model_called": len(mw.model.prompts)}

    return h, rnd, run


# ---- 18 snapshot cadence ----------------------------------------------------------------------------------
def _cadence_graph(i):
    """Drive a real StateGraph + InMemorySaver; one node per run loops over the flags."""
    from typing import Annotated, TypedDict  # noqa: PLC0415

    from langgraph.checkpoint.memory import InMemorySaver  # noqa: PLC0415
    from langgraph.checkpoint.serde.types import _DeltaSnapshot  # noqa: PLC0415
    from langgraph.graph import END, START, StateGraph  # noqa: PLC0415

    def red(s, ws):
        return [*(s or []), *[x for w in ws for x in (w if isinstance(w, list) else [w])]]

    ann = Annotated[list, DeltaChannel(red, snapshot_frequency=i["snapshot_frequency"])]
    State = TypedDict("State", {"x": ann, "n": int})  # noqa: UP013
    cur = {}

    def node(st):
        flag = cur["flags"][st["n"]]
        upd = {"n": st["n"] + 1}
        if flag == "overwrite":
            upd["x"] = Overwrite(["o"])
        elif flag:
            upd["x"] = ["w"]
        return upd

    g = StateGraph(State)
    g.add_node("node", node)
    g.add_edge(START, "node")
    g.add_conditional_edges("node", lambda st: "node" if st["n"] < len(cur["flags"]) else END, {"node": "node", END: END})
    saver = InMemorySaver()
    app = g.compile(checkpointer=saver)
    cfg = {"configurable": {"thread_id": "t"}, "recursion_limit": 1000}
    for run_flags in i["runs"]:
        cur["flags"] = run_flags[1:]
        app.invoke({"n": 0, **({"x": ["in"]} if run_flags[0] else {})}, cfg)
    rows = []
    for cp in reversed(list(saver.list(cfg))):
        c = (cp.metadata.get("counters_since_delta_snapshot") or {}).get("x")
        # supersteps is bumped on every checkpoint, so (0, 0) <=> this checkpoint snapshotted
        rows.append({"source": cp.metadata["source"], "step": cp.metadata["step"], "snapshot": c is None, "updates": c[0] if c else 0, "supersteps": c[1] if c else 0})
        assert c is not None or isinstance(cp.checkpoint["channel_values"].get("x"), _DeltaSnapshot)
    return rows, app.get_state(cfg).values.get("x")


@family("snapshot_cadence", "langgraph.pregel._checkpoint.delta_channels_to_snapshot as driven by pregel/_loop.py _put_checkpoint", 25)
def f_cadence():
    def w(note, freq, runs, mx=5000):
        return note, {"snapshot_frequency": freq, "max_supersteps": mx, "runs": runs}

    F, Tt, O = False, True, "overwrite"
    h = [w("frequency 1: every update", 1, [[Tt, Tt, F, Tt]]), w("frequency 3", 3, [[Tt] * 8]), w("frequency 2 with idle steps", 2, [[Tt, F, F, Tt, F, Tt, Tt]]), w("never written: no version, never snapshots even past max supersteps", 2, [[F] * 8], 3), w("max supersteps 3, rare updates", 100, [[Tt, F, F, F, F, F, F, F]], 3), w("first write late: counters already ran; snapshot right at that step", 100, [[F, F, F, F, Tt, F, F, F, F]], 3), w("both reached at once", 2, [[Tt, Tt, F, F, Tt, Tt]], 2), w("counters survive across invocations", 5, [[Tt, F, Tt], [Tt, Tt], [F, Tt, Tt, Tt]]), w("deepagents' default 50, short", 50, [[Tt] * 12]), w("overwrite forces a snapshot at once", 100, [[Tt, Tt, O, Tt, F]]), w("overwrite resets counters", 3, [[Tt, Tt, O, Tt, Tt, Tt]]), w("max supersteps 1: every step", 100, [[Tt, F, Tt, F]], 1), w("input only", 1, [[Tt, F]]), w("frequency 50 crosses the border", 50, [[Tt] * 60])]

    def rnd(r):
        runs = [[r.random() < 0.7] + [r.choices([Tt, F, O], [5, 4, 0.6])[0] for _ in range(r.randint(1, 12))] for _ in range(r.randint(1, 3))]
        return "random", {"snapshot_frequency": r.choice([1, 2, 3, 4, 7, 10]), "max_supersteps": r.choice([2, 3, 5, 9, 5000]), "runs": runs}

    def simulate(i):
        """The bookkeeping of PregelLoop._put_checkpoint around the real predicate."""
        ch = DeltaChannel(lambda s, w: s, list, snapshot_frequency=i["snapshot_frequency"]).from_checkpoint(None)
        c, versions, rows = (0, 0), {}, []
        for flags in i["runs"]:
            for f in [False, *flags]:  # the "input" checkpoint counts as a superstep
                u, s = c
                s += 1
                if f:
                    u += 1
                    versions["x"] = 1
                snap = lg_checkpoint.delta_channels_to_snapshot({"x": ch}, {"x": (u, s)}, versions)
                if f == "overwrite":
                    snap = snap | {"x"}
                c = (0, 0) if snap else (u, s)
                rows.append((bool(snap), *c))
        return rows

    def run(i):
        old = lg_checkpoint.DELTA_MAX_SUPERSTEPS_SINCE_SNAPSHOT
        lg_checkpoint.DELTA_MAX_SUPERSTEPS_SINCE_SNAPSHOT = i["max_supersteps"]
        try:
            rows, value = _cadence_graph(i)
            sim = simulate(i)
        finally:
            lg_checkpoint.DELTA_MAX_SUPERSTEPS_SINCE_SNAPSHOT = old
        assert [(x["snapshot"], x["updates"], x["supersteps"]) for x in rows] == sim, (rows, sim)
        return {"checkpoints": rows, "final_value": value}

    return h, rnd, run


# ---- 1 python_repr -------------------------------------------------------------------------------------------
@family("python_repr", "builtins.repr (as used by count_tokens_approximately)", 40)
def f_repr():
    vals = ["", "abc", "it's", 'say "x"', "it's \"both\"", "''", "\\", "\\'", "\n\r\t", "\x00\x01\x07\x08\x0b\x0c\x1b\x1f", "\x7f\x80\x9f", "\xa0\xad", "é ñ", "日本語", "🙂👩‍👩‍👧", "\u200b\u200d\u2028\u2029\ufeff", "\ue000\uf8ff", "\U000e0001\U0010ffff", "\u0378\u0e00", "\u3000\u2003", "e\u0301", "\u202e", "\ud800", "a\udfffb", "\ufffd\ufffe\uffff", "{}%s", "\u0600\u061c", "\U0001fae8\U0001fadd",
            0, -0, 1, -1, 2**31, 2**63 - 1, -(2**63), 2**63, 2**64, 10**30, -(10**40), True, False, None,
            0.0, -0.0, 1.0, 100.0, 0.1, 0.1 + 0.2, 1e15, 1e16, 9999999999999998.0, 12345678901234567.0, 1e17, 1e21, 1e22, 1e23, 123456789.123456789, 1e-4, 0.00012345, 1e-5, 1.5e-7, 5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, float("nan"), float("inf"), float("-inf"), 1 / 3, 2.5, -1e16, 1e100,
            [], {}, [[]], [{}], {"a": {}}, [1, 2.0, "x", None, True], {"a": 1, "it's": "b"}, {"k": [1, {"n": None}]}, {"": ""}, ["it's", '"'], {"x\n": "\x00"},
            [{"name": "search", "args": {"q": "it's", "n": 1.0}, "id": "call_1", "type": "tool_call"}], [{"name": "f", "args": {}, "id": None, "type": "tool_call"}]]
    h = [("value", {"value": v}) for v in vals]
    h += [("repr of AIMessage.tool_calls as counted: key order name,args,id,type", {"tool_calls": [{"name": "f", "args": {"b": 1, "a": "x'"}, "id": "c1"}]}), ("extras are dropped, type is last", {"tool_calls": [{"type": "tool_call", "id": "c1", "args": {}, "name": "f"}]}),
          ("all non-printable code point ranges [first,last] of this python's Unicode table (surrogates included; space 0x20 is printable)", {"nonprintable_ranges": True})]

    def rnd(r):
        def s():
            return "".join(chr(r.choice([r.randint(0, 0x7F), r.randint(0x80, 0x3FF), r.randint(0x2000, 0x206F), r.randint(0x3000, 0xD7FF), r.randint(0xE000, 0xFFFF), r.randint(0x10000, 0x1FFFF), 0x27, 0x22, 0x5C])) for _ in range(r.randint(0, 14)))

        def v(d=0):
            k = r.randrange(8 if d < 3 else 5)
            if k == 0:
                return s()
            if k == 1:
                import struct
                f = struct.unpack("<d", r.getrandbits(64).to_bytes(8, "little"))[0]
                return f if f == f else float("nan")
            if k == 2:
                return round(r.uniform(-1e6, 1e6), r.randint(0, 8)) * 10 ** r.randint(-12, 14)
            if k == 3:
                return r.choice([None, True, False, r.randint(-10**r.randint(1, 25), 10**r.randint(1, 25))])
            if k == 4:
                return rtext(r, 1, 3)
            if k == 5:
                return [v(d + 1) for _ in range(r.randint(0, 4))]
            return {s(): v(d + 1) for _ in range(r.randint(0, 4))}

        return "random", {"value": v()}

    def run(i):
        if i.get("nonprintable_ranges"):
            out, start = [], None
            for c in range(0x110001):
                bad = c < 0x110000 and not chr(c).isprintable()
                if bad and start is None:
                    start = c
                elif not bad and start is not None:
                    out.append([start, c - 1])
                    start = None
            return out
        s = repr(A("", tool_calls=i["tool_calls"]).tool_calls) if "tool_calls" in i else repr(i["value"])
        return {"repr": s, "length": len(s)}

    return h, rnd, run


# ---- 17 defaults -----------------------------------------------------------------------------------------------
@family("compute_summarization_defaults", "deepagents.middleware.summarization.compute_summarization_defaults", 0)
def f_defaults():
    h = [(n, {"profile": p}) for n, p in [("no profile", None), ("empty profile", {}), ("int", {"max_input_tokens": 200000}), ("zero", {"max_input_tokens": 0}), ("negative", {"max_input_tokens": -1}), ("string", {"max_input_tokens": "200000"}), ("float", {"max_input_tokens": 2e5}), ("None", {"max_input_tokens": None}), ("bool is an int", {"max_input_tokens": True}), ("other keys only", {"max_output_tokens": 5}), ("profile is a list", [1]), ("small", {"max_input_tokens": 8})]]

    def run(i):
        m = mk_model({"profile": i["profile"]})
        d = da_sum.compute_summarization_defaults(m)

        def made():
            mw = da_sum.create_summarization_middleware(m, MemBackend({}))
            return {"trigger": mw._lc_helper.trigger, "keep": mw._lc_helper.keep, "trim_tokens_to_summarize": mw._lc_helper.trim_tokens_to_summarize, "truncate_trigger": mw._truncate_args_trigger, "truncate_keep": mw._truncate_args_keep, "max_length": mw._max_arg_length, "truncation_text": mw._truncation_text, "history_prefix": mw._history_path_prefix, "media_prefix": mw._media_prefix, "large_tool_results_prefix": mw._large_tool_results_prefix}

        return {"defaults": dict(d), "create_summarization_middleware": attempt(made)}

    return h, None, run

# ---- 16 content blocks ---------------------------------------------------------------------------
@family("content_blocks", "langchain_core.messages.BaseMessage.content_blocks (+ deepagents _extract_text_from_message)", 30)
def f_blocks():
    D = f"data:image/png;base64,{PNG}"
    shapes = [
        ("v0 image url", {"type": "image", "source_type": "url", "url": "https://x", "mime_type": "image/png", "cache": 1, "none": None}), ("v0 image url with id: handed over twice", {"type": "image", "source_type": "url", "url": "https://x", "id": "b"}), ("v0 image url missing", {"type": "image", "source_type": "url"}),
        ("v0 image base64", {"type": "image", "source_type": "base64", "data": PNG, "mime_type": "image/png", "metadata": {"a": 1}}), ("v0 image base64 without mime", {"type": "image", "source_type": "base64", "data": PNG}), ("v0 image id", {"type": "image", "source_type": "id", "id": "f", "k": 1}), ("v0 audio id", {"type": "audio", "source_type": "id", "id": "f"}), ("v0 file id gets a block id", {"type": "file", "source_type": "id", "id": "f", "k": 1}), ("v0 file id empty", {"type": "file", "source_type": "id", "id": ""}),
        ("v0 file text", {"type": "file", "source_type": "text", "url": "the text", "mime_type": "text/x", "k": 1}), ("v0 file text with id", {"type": "file", "source_type": "text", "url": "t", "id": "i"}), ("v0 audio base64", {"type": "audio", "source_type": "base64", "data": "UklGRg==", "mime_type": "audio/wav"}), ("v0 file url", {"type": "file", "source_type": "url", "url": "https://x/f.pdf"}), ("v0 unknown source", {"type": "image", "source_type": "weird", "x": 1}), ("v0 text source on image", {"type": "image", "source_type": "text", "url": "u"}), ("source_type on a text block", {"type": "text", "source_type": "x", "text": "t"}),
        ("openai data url", {"type": "image_url", "image_url": {"url": D}}), ("openai detail inside and outside", {"type": "image_url", "image_url": {"url": "https://x", "detail": "low", "z": 1}, "detail": "high"}), ("openai extra key: not recognised", {"type": "image_url", "image_url": {"url": "https://x"}, "k": 1}), ("openai empty url", {"type": "image_url", "image_url": {"url": ""}}), ("openai url as text", {"type": "image_url", "image_url": "https://x"}), ("openai data url with a line break", {"type": "image_url", "image_url": {"url": "data:image/png;base64,QU\nJD"}}), ("openai data url ending in a line break", {"type": "image_url", "image_url": {"url": "data:image/png;base64,QUJD\n"}}), ("openai data url with charset: kept as url", {"type": "image_url", "image_url": {"url": "data:text/html;charset=x;base64,QUJD"}}),
        ("openai audio", {"type": "input_audio", "input_audio": {"data": "UklGRg==", "format": "wav", "x": 2}, "id": "k"}), ("openai audio without format", {"type": "input_audio", "input_audio": {"data": "d"}}), ("openai audio empty data", {"type": "input_audio", "input_audio": {"data": "", "format": "wav"}}), ("openai file id", {"type": "file", "file": {"file_id": "f", "q": 1}}), ("openai file data", {"type": "file", "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,JVBERg=="}, "k": 1}), ("openai file data without name", {"type": "file", "file": {"file_data": "data:text/plain;base64,eA=="}}), ("openai file data no uri", {"type": "file", "file": {"file_data": "nonsense"}}),
        ("anthropic image base64", {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}, "cache_control": {"type": "ephemeral"}}), ("anthropic image url", {"type": "image", "source": {"type": "url", "url": "https://x"}}), ("anthropic image file", {"type": "image", "source": {"type": "file", "file_id": "f"}}), ("anthropic image incomplete", {"type": "image", "source": {"type": "base64", "data": PNG}}), ("anthropic image unknown", {"type": "image", "source": {"type": "z"}}), ("anthropic source without type", {"type": "image", "source": {"data": "x"}}), ("anthropic document base64", {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": "JVBERg=="}, "title": "t", "citations": {"enabled": True}}), ("anthropic document text", {"type": "document", "source": {"type": "text", "data": "d"}, "media_type": "x/y", "title": "t"}), ("anthropic document unknown", {"type": "document", "source": {"type": "content", "content": []}}),
        ("google text", {"text": "t"}), ("google empty text", {"text": ""}), ("google pdf", {"document": {"format": "pdf", "source": {"bytes": "JVBERg=="}, "name": "n"}}), ("google txt", {"document": {"format": "txt", "source": {"text": "x"}, "name": "n"}}), ("google docx", {"document": {"format": "docx", "source": {"bytes": "x"}}}), ("google image bytes", {"image": {"format": "png", "source": {"bytes": b"abc"}, "k": 1}}), ("google image without bytes", {"image": {"format": "png", "source": {}}}), ("google file_data", {"type": "file_data", "file_uri": "gs://x", "mime_type": "video/mp4"}), ("google function_call", {"type": "function_call", "name": "f", "args": {"a": 1}}), ("google executable code", {"type": "executable_code", "executable_code": "x=1"}), ("google code result", {"type": "code_execution_result", "code_execution_result": "1", "outcome": 2}), ("google code result without outcome", {"type": "code_execution_result", "code_execution_result": "1"}),
        ("known types pass", {"type": "reasoning", "reasoning": "r", "extras": {"a": 1}}), ("refusal", {"type": "refusal", "refusal": "no"}), ("unknown", {"type": "weird", "x": 1}), ("without type", {"x": 1, "y": 2}), ("wrapped google text", {"type": "non_standard", "value": {"text": "q"}}), ("wrapped unknown", {"type": "non_standard", "value": {"type": "weird"}}), ("thinking", {"type": "thinking", "thinking": "t", "signature": "s"}), ("tool_use", {"type": "tool_use", "id": "1", "name": "f", "input": {}}), ("text without text", {"type": "text"}),
    ]
    h = [(n, {"message": H([b])}) for n, b in shapes] + [("tool message, all shapes that do not raise", {"message": T([b for n, b in shapes if "handed over" not in n and "with id" not in n and "missing" not in n and "empty" not in n and "without text" not in n])})]
    h += [("text", {"message": H("abc")}), ("empty text", {"message": H("")}), ("strings", {"message": H(["a", "", "b"])}), ("ai with calls", {"message": A("x", [("f", {"a": 1}, "c1"), ("g", {}, None)])}), ("ai call already in content", {"message": A([{"type": "tool_call", "id": "c1", "name": "f", "args": {}}], [("f", {}, "c1"), ("g", {}, "c2")])}), ("ai reasoning", {"message": A("x", additional_kwargs={"reasoning_content": "why"})}), ("ai reasoning already there", {"message": A([{"type": "reasoning", "reasoning": "r"}], additional_kwargs={"reasoning_content": "why"})}), ("ai v1 content is taken as it is", {"message": A([{"type": "weird"}, {"type": "text", "text": "t"}], [("f", {}, "c")], response_metadata={"output_version": "v1"})})]

    def rnd(r):
        bs = [b for _, b in shapes]
        return "random", {"message": r.choice([H, lambda c: T(c, "c")])([r.choice([rblock(r, 0.5), copy.deepcopy(r.choice(bs))]) for _ in range(r.randint(1, 4))])}

    def run(i):
        m = M(i["message"])
        return {"blocks": attempt(lambda: m.content_blocks), "text": attempt(lambda: da_evict._extract_text_from_message(m))}

    return h, rnd, run


# ---- 17 blobs (0.7.32 and later) -------------------------------------------------------------------
try:
    import deepagents.middleware._blob_offload as da_blob
except ImportError:
    da_blob = None

if da_blob is not None:
    GIF = base64.b64encode(b"GIF89a" + bytes(range(9))).decode()
    PDF = base64.b64encode(b"%PDF-1.7 x").decode()
    IMG = {"type": "image", "base64": PNG, "mime_type": "image/png"}

    def dig(p):
        return hashlib.sha256(base64.b64decode(p)).hexdigest()

    def bref(p, **k):
        return {"type": "image", "mime_type": "image/png", **k, "deepagents_blob": dig(p) if isinstance(p, str) and len(p) < 60 else p}

    def blob_block(r):
        p = base64.b64encode(bytes([r.randrange(4)]) * r.randint(0, 5)).decode()
        return r.choice([{"type": "image", "base64": p, "mime_type": "image/png", "id": "x"}, {"type": "file", "base64": p}, {"type": "file", "mime_type": "a/b", "base64": p + r.choice(["", "", "=", "\n", "*"])}, {"type": "text", "text": "t"}, "plain", {"type": "image", "url": "https://x"}, bref(base64.b64encode(bytes([r.randrange(4)])).decode())])

    def blob_messages(r, n=4):
        out = []
        for k in range(r.randint(1, n)):
            c = [blob_block(r) for _ in range(r.randint(1, 4))] if r.random() < 0.8 else "text"
            out.append(r.choice([lambda: H(c, id=r.choice([f"m{k}", None])), lambda: T(c, f"c{k}", id=f"m{k}", name=r.choice(["read_file", "execute"])), lambda: A(c, id=f"m{k}")])())
        return out

    def blob_backend(r):
        return r.choice([{}, {}, {"artifacts_root": "/r"}, {"artifacts_root": "/r/"}, {"fail": {"upload": "error", "download": "error"}, "fail_paths": [r.choice("0123456789abcdef") + r.choice("0123456789abcdef")]}, {"fail": {"upload": "raise", "download": "raise"}}])

    def blob_stage(i):
        ms = M(i["messages"])
        mem, be = mk_backend(i.get("backend"))
        fs = da_fs.FilesystemMiddleware(backend=be, offload_binary_content=True)
        return ms, mem, be, fs._blobs_prefix, dict(i.get("cache") or {})

    @family("blob_offload_messages", "deepagents.middleware._blob_offload._offload_messages", 30)
    def f_blob_offload():
        def w(note, ms, **k):
            return note, {"messages": ms, **k}

        h = [
            w("no messages", []), w("text only", [H("a"), A("b")]), w("one picture", [H([{"type": "text", "text": "t"}, IMG], id="1")]), w("key order: reference at the end", [T([{"base64": PNG, "type": "image", "mime_type": "image/png", "id": "b"}], "c", id="1", name="read_file")]), w("the same payload twice: one upload", [H([IMG, IMG], id="1"), T([IMG], "c", id="2", name="read_file")]),
            w("two spellings of the same bytes: two uploads to one path", [H([{"type": "file", "base64": "QQ=="}, {"type": "file", "base64": "QR=="}], id="1")]), w("not strict base64 stays", [H([{"type": "file", "base64": "QU JD"}, {"type": "file", "base64": "QUJD\n"}, {"type": "file", "base64": "QU"}, {"type": "file", "base64": "é"}, {"type": "file", "base64": "=QUJD"}, {"type": "file", "base64": "QUJD="}, {"type": "file", "base64": "QUI=="}], id="1")]), w("empty payload", [H([{"type": "file", "base64": ""}], id="1")]), w("payload no text", [H([{"type": "file", "base64": None}, {"type": "file"}], id="1")]),
            w("upload error keeps it inline", [H([IMG], id="1")], backend={"fail": {"upload": "error"}}), w("one of two fails", [H([IMG, {"type": "image", "base64": GIF}], id="1")], backend={"fail": {"upload": "error"}, "fail_paths": [dig(GIF)]}), w("upload raises", [H([IMG], id="1")], backend={"fail": {"upload": "raise"}}), w("no responses: strict zip raises", [H([IMG], id="1")], backend={"fail": {"upload": "empty"}}), w("no responses behind a composite: taken as stored", [H([IMG], id="1")], backend={"fail": {"upload": "empty"}, "artifacts_root": "/art"}),
            w("artifacts_root", [H([IMG], id="1")], backend={"artifacts_root": "/art/"}), w("reference already there", [H([bref(PNG)], id="1")]), w("payload beside a reference", [H([{**IMG, "deepagents_blob": "x"}], id="1")]), w("AI messages too", [A([IMG], id="1")]), w("id None", [H([IMG])]), w("cache keeps what it had", [H([IMG], id="1")], cache={"k": "v"}), w("string content", [H("data:image/png;base64,QUJD", id="1")]), w("nested payload is not looked for", [H([{"type": "image", "source": {"base64": PNG}}], id="1")]),
        ]

        def run(i):
            ms, mem, be, prefix, cache = blob_stage(i)
            res = attempt(lambda: out_msgs(da_blob._offload_messages(ms, be, prefix, cache), ms))
            return {"messages": res, "cache": cache, "files": files_out(mem), "backend_ops": mem.ops}

        return h, lambda r: ("random", {"messages": blob_messages(r), "backend": blob_backend(r)}), run

    @family("blob_history", "deepagents.middleware._blob_offload._offload_history_messages", 30)
    def f_blob_history():
        def w(note, ms, pending=(), **k):
            return note, {"messages": ms, "pending": list(pending), **k}

        tool = T([{"type": "text", "text": "t"}, IMG], "c", id="t", name="read_file")
        h = [
            w("nothing", []), w("human and read_file", [H([IMG], id="h"), A("a", id="a"), tool]), w("other tools and AI messages are left alone", [T([IMG], "c", id="t", name="execute"), A([IMG], id="a"), S([IMG], id="s")]), w("without id", [H([IMG])]), w("pending takes the place of the state's message", [H([IMG, {"type": "text", "text": "old"}], id="h")], [H([IMG, {"type": "text", "text": "tagged"}], id="h", additional_kwargs={"lc_evicted_to": "/x"})]), w("pending without payload stays in front", [H([IMG], id="h"), H("x", id="g")], [H("y", id="g")]), w("pending of another id is kept, not offloaded", [H([IMG], id="h")], [H([{"type": "image", "base64": GIF}], id="z")]), w("pending without id", [H([IMG], id="h")], [H("p")]),
            w("the last pending of an id counts", [H([IMG], id="h")], [H("one", id="h"), H([IMG], id="h")]), w("failing upload: pending only", [H([IMG], id="h")], [H("p", id="p")], backend={"fail": {"upload": "error"}}), w("same id twice in the state", [H([IMG], id="h"), H([{"type": "image", "base64": GIF}], id="h")]),
        ]

        def run(i):
            ms, mem, be, prefix, cache = blob_stage(i)
            pending = M(i["pending"])
            res = attempt(lambda: out_msgs(da_blob._offload_history_messages(ms, pending, be, prefix, cache), [*ms, *pending]))
            return {"messages": res, "cache": cache, "files": files_out(mem), "backend_ops": mem.ops}

        def rnd(r):
            ms = blob_messages(r)
            return "random", {"messages": ms, "pending": [copy.deepcopy(m) for m in r.sample(ms, r.randint(0, min(2, len(ms))))], "backend": blob_backend(r)}

        return h, rnd, run

    @family("blob_hydrate", "deepagents.middleware._blob_offload._hydrate_messages", 30)
    def f_blob_hydrate():
        def stored(*ps, root=""):
            return {f"{root}/blobs/{dig(p)}": {"encoding": "base64", "content": p} for p in ps}

        def w(note, ms, **k):
            return note, {"messages": ms, **k}

        h = [
            w("no references: no download", [H([IMG], id="1")]), w("one", [H([{"type": "text", "text": "t"}, bref(PNG, id="b")], id="1")], backend={"files": stored(PNG)}), w("from the cache: no download", [H([bref(PNG)], id="1")], cache={dig(PNG): PNG}), w("missing file", [H([bref(PNG)], id="1")]), w("file changed: digest differs", [H([bref(PNG)], id="1")], backend={"files": {f"/blobs/{dig(PNG)}": {"encoding": "utf-8", "content": "evil"}}}), w("two, one cached", [H([bref(PNG), bref(GIF)], id="1"), T([bref(PNG)], "c", id="2")], cache={dig(PNG): PNG}, backend={"files": stored(GIF)}), w("same reference twice: one download", [H([bref(GIF), bref(GIF)], id="1")], backend={"files": stored(GIF)}),
            w("reference no digest", [H([bref("x" * 64)], id="1"), H([{"type": "image", "deepagents_blob": 5}], id="2"), H([{"type": "image", "deepagents_blob": None}], id="3"), H([{"type": "image", "deepagents_blob": "A" * 64}], id="4")]), w("download error", [H([bref(PNG)], id="1")], backend={"files": stored(PNG), "fail": {"download": "error"}}), w("download raises", [H([bref(PNG)], id="1")], backend={"files": stored(PNG), "fail": {"download": "raise"}}), w("download empty", [H([bref(PNG)], id="1")], backend={"files": stored(PNG), "fail": {"download": "empty"}}), w("artifacts_root", [H([bref(PNG)], id="1")], backend={"artifacts_root": "/art", "files": stored(PNG, root="/art")}), w("both base64 and reference", [H([{"type": "image", "base64": "QUJD", "deepagents_blob": dig(PNG)}], id="1")], backend={"files": stored(PNG)}), w("payload comes back in standard base64", [H([bref(PDF)], id="1")], backend={"files": stored(PDF)}),
        ]

        def run(i):
            ms, mem, be, prefix, cache = blob_stage(i)
            res = attempt(lambda: out_msgs(da_blob._hydrate_messages(ms, be, prefix, cache), ms))
            return {"messages": res, "cache": cache, "backend_ops": mem.ops}

        def rnd(r):
            files = stored(*[base64.b64encode(bytes([k])).decode() for k in range(4) if r.random() < 0.6])
            return "random", {"messages": blob_messages(r), "backend": {**r.choice([{}, {}, {"fail": {"download": "error"}, "fail_paths": [r.choice("0123456789abcdef")]}]), "files": files}, "cache": {dig("AQ=="): "AQ=="} if r.random() < 0.3 else {}}

        return h, rnd, run



# --------------------------------------------------------------------------
# 5. main
# --------------------------------------------------------------------------
PKGS = ["deepagents", "langchain", "langchain-core", "langgraph", "langgraph-checkpoint", "pydantic"]


def main() -> None:
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--out", required=True)
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--cases", type=float, default=1.0, help="scale the number of random cases")
    ap.add_argument("--random-only", action="store_true", help="leave the hand-written cases out")
    ap.add_argument("--families", default="", help="comma separated subset")
    a = ap.parse_args()
    out = os.path.join(a.out, VERSION)
    os.makedirs(out, exist_ok=True)
    src = {"packages": {p: importlib.metadata.version(p) for p in PKGS}, "python": sys.version.split()[0], "unicode": unicodedata.unidata_version, "seed": a.seed, "random_only": a.random_only}
    for name, dotted, nrand, fn in FAMILIES:
        if a.families and name not in a.families.split(","):
            continue
        REG.clear()
        hand, rnd, run = fn()
        todo = [] if a.random_only else [(f"{name}/hand/{k:03d}", note, inp) for k, (note, inp) in enumerate(hand)]
        if rnd is not None:
            r = random.Random(f"{name}/{a.seed}")
            todo += [(f"{name}/rand-{a.seed}/{k:03d}", *rnd(r)) for k in range(max(1, round(nrand * a.cases)))]
        cases = []
        for cid, note, inp in todo:
            j = enc(inp)
            try:
                outj = enc(run(dec(json.loads(json.dumps(j)))), True)
            except Exception as e:
                raise SystemExit(f"{cid} ({note}): {type(e).__name__}: {e}") from e
            cases.append({"id": cid, "note": note, "input": j, "output": outj})
        if not cases:
            continue
        path = os.path.join(out, f"{name}.json")
        with open(path, "w", encoding="utf-8") as f:
            f.write("{\n\"source\": " + json.dumps({**src, "function": dotted}, ensure_ascii=False) + ",\n\"cases\": [\n")
            f.write(",\n".join(json.dumps(c, ensure_ascii=False, allow_nan=False) for c in cases))
            f.write("\n]\n}\n")
        size = os.path.getsize(path)
        errs = sum("$error" in json.dumps(c["output"]) for c in cases)
        print(f"{VERSION} {name}: {len(cases)} cases ({len(hand) if not a.random_only else 0} hand), {errs} with $error, {size} bytes", flush=True)
        assert size < 1_500_000, path


if __name__ == "__main__":
    main()
