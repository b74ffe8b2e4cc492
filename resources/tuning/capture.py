# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes what an agent runs with as a settings file for Palimpsest: model profile, thresholds, tools, system prompt.

Put CaptureSettings last into the agent's middleware and call the agent once:

    capture = CaptureSettings("settings.json", summarization=summarization, filesystem=filesystem)
    agent = create_deep_agent(model=model, middleware=[summarization, filesystem, capture])

Leave `summarization` and `filesystem` out where create_deep_agent() makes its own. Neither keys nor headers of the model
are read.
"""
import json

from importlib.metadata import PackageNotFoundError, version

from langchain.agents.middleware import AgentMiddleware


def _tool(tool):
    if isinstance(tool, dict):
        return tool
    schema = tool.tool_call_schema
    parameters = schema if isinstance(schema, dict) else schema.model_json_schema()
    return {"name": tool.name, "description": tool.description, "parameters": parameters}


class CaptureSettings(AgentMiddleware):
    def __init__(self, path, summarization=None, filesystem=None):
        super().__init__()
        self.path, self.summarization, self.filesystem = path, summarization, filesystem
        self.tools = []

    def _settings(self, request):
        model = request.model
        profile = getattr(model, "profile", None) or {}
        tracing = model._get_ls_params() if hasattr(model, "_get_ls_params") else {}
        found = {"model": {"max_input_tokens": profile.get("max_input_tokens"), "max_output_tokens": profile.get("max_output_tokens"),
                           "llm_type": model._llm_type, "provider": tracing.get("ls_provider", ""), "reports_usage": True}}
        try:
            found["dialect"] = "deepagents-" + version("deepagents")
        except PackageNotFoundError:
            found["dialect"] = "langchain-" + version("langchain")
        middleware = self.summarization
        helper = getattr(middleware, "_lc_helper", middleware)
        if helper is None:
            found["model_defaults"] = True
        else:
            found |= {"trigger": helper.trigger, "keep": helper.keep, "trim_tokens_to_summarize": helper.trim_tokens_to_summarize}
            if helper is middleware:
                found["dialect"] = "langchain-" + version("langchain")
            elif middleware._truncate_args_trigger is not None:
                found["truncate_args"] = {"trigger": middleware._truncate_args_trigger, "keep": middleware._truncate_args_keep,
                                          "max_length": middleware._max_arg_length, "truncation_text": middleware._truncation_text}
            backend = getattr(middleware, "_backend", None)
            found["artifacts_root"] = getattr(backend, "artifacts_root", "/")
        if self.filesystem is not None:
            found["tool_token_limit_before_evict"] = self.filesystem._tool_token_limit_before_evict
            found["human_message_token_limit_before_evict"] = self.filesystem._human_message_token_limit_before_evict
        found["tools"] = [_tool(tool) for tool in request.tools or []]
        if request.system_message is not None:
            found["system_message"] = {"type": "system", "content": request.system_message.content}
        return found

    def _write(self, request):
        with open(self.path, "w", encoding="utf-8") as file:
            json.dump(self._settings(request), file, indent=2)

    def wrap_model_call(self, request, handler):
        self._write(request)
        return handler(request)

    async def awrap_model_call(self, request, handler):
        self._write(request)
        return await handler(request)
