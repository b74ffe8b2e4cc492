// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tokens/approximate.h"
#include "tests/support/goldens.h"

#include <QTest>

#include <cmath>

using namespace palimpsest;

namespace {

ApproximateOptions optionsOf(const Value &params)
{
    ApproximateOptions options;
    options.charsPerToken = params["chars_per_token"].asDouble(options.charsPerToken);
    options.extraTokensPerMessage = params["extra_tokens_per_message"].asDouble(options.extraTokensPerMessage);
    options.countName = params["count_name"].asBool(options.countName);
    options.tokensPerImage = params["tokens_per_image"].asDouble(options.tokensPerImage);
    options.useUsageMetadataScaling = params["use_usage_metadata_scaling"].asBool();
    return options;
}

std::string counted(const goldens::Case &c)
{
    const ApproximateOptions options = optionsOf(c.input["params"]);
    const Value &tools = c.input["params"].contains("tools") ? c.input["params"]["tools"] : c.input["tools"];
    std::vector<MessagePtr> messages;
    for (const Value &item : c.input["messages"].asList()) {
        MessagePtr message = item.contains("additional_kwargs") ? messageFromValue(item) : nullptr;
        if (!message) {
            const Result<MessagePtr> converted = messageFromLike(item);
            if (!converted)
                return "not a message: " + converted.error().what;
            message = *converted;
        }
        messages.push_back(message);
    }
    const Result<std::int64_t> count = countTokensApproximately(messages, options, tools);
    const Value &error = c.output["$error"];
    if (!count || error.isMap()) {
        if (count)
            return "counted where upstream raises " + error["message"].asText();
        if (error["type"].asText() == "TypeError")
            return {};
        return goldens::difference(error["message"], Value(count.error().what));
    }
    std::string difference = goldens::difference(c.output, Value(*count));
    if (!difference.empty())
        return difference;

    // The per-message counts that prefix sums are made of add up to the same.
    if (!options.useUsageMetadataScaling) {
        double sum = *approximateToolTokens(tools, options.charsPerToken);
        for (const MessagePtr &message : messages)
            sum += *approximateMessageTokens(*message, options);
        if (*count != static_cast<std::int64_t>(std::ceil(sum)))
            return "the messages one by one give " + std::to_string(sum);
    }
    return {};
}

} // namespace

class TestGoldenCountTokensApproximately : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void countsAsLangChainDoes()
    {
        PALIMPSEST_VERIFY_GOLDENS(goldens::run(
            "count_tokens_approximately", [](const goldens::Case &c, const std::string &) { return counted(c); }));
    }
};

QTEST_APPLESS_MAIN(TestGoldenCountTokensApproximately)
#include "tst_golden_count_tokens_approximately.moc"
