// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace palimpsest {

/// Spans of OpenTelemetry in the JSON of OTLP (`resourceSpans`, as collectors write files) or as Python's SDK prints
/// them (`ReadableSpan.to_json`, one object a span): each one's text with the attributes as an object under
/// `attributes`. Nothing when the object is neither.
std::optional<std::vector<std::string_view>> spansOf(std::string_view object);

/// A span of LangChain's or LangGraph's instrumentation as the LangSmith run that it was made of: inputs and outputs
/// are whole in its attributes, as JSON, by OpenInference (`input.value`, `output.value`, `metadata`;
/// openinference-instrumentation-langchain 0.1) and by LangSmith's own exporter (`gen_ai.prompt`, `gen_ai.completion`,
/// `langsmith.metadata.*`; langsmith 0.9). Nothing for a span that holds no input.
std::optional<std::string> runOfSpan(std::string_view span);

} // namespace palimpsest
