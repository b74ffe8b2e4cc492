// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/lint/loss/stubs.h"

#include "core/insight/lint/logwalk.h"

namespace palimpsest {

std::vector<StubRecord> stubsOf(const LintContext &context)
{
    std::vector<StubRecord> stubs;
    eachNewMessage(context.ns, context.job, [&](CheckpointIndex at, std::size_t raw, const MessagePtr &message) {
        if (message->kind != MessageKind::Tool)
            return;
        for (const ArtifactLink &link : artifactLinks(*message)) {
            if (link.kind != ArtifactLink::Kind::ToolResult)
                continue;
            StubRecord stub{
                message, link.path, message->toolCallId.value_or(""), static_cast<std::int64_t>(raw), at, {}};
            const Value &block =
                message->content.isList() ? message->content.asList()[link.block]["text"] : message->content;
            stub.preview = stubPreview(block.asText());
            stubs.push_back(std::move(stub));
            break;
        }
    });
    return stubs;
}

} // namespace palimpsest
