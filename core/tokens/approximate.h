// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/thread/message.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace palimpsest {

/// Keywords of count_tokens_approximately (langchain_core/messages/utils.py, 1.8.3; the same in both dialects).
struct ApproximateOptions {
    double charsPerToken = 4.0; ///< 3.3 for models whose `_llm_type` begins with "anthropic-chat"
    double extraTokensPerMessage = 3.0;
    bool countName = true;
    double tokensPerImage = 85;
    bool useUsageMetadataScaling = false;

    bool operator==(const ApproximateOptions &) const = default;
};

/// What one message adds to the sum, rounded up per message as upstream does: images, characters, the extra tokens.
/// Whole when the options' tokens are whole, so sums of it are exact. Error Invalid with upstream's words where
/// upstream raises (RemoveMessage, a message of unknown class, a text block whose text is null).
Result<double> approximateMessageTokens(const Message &message, const ApproximateOptions &options = {});

/// The same without a raise: what cannot be counted has role and extra tokens of an empty message of its content.
double approximateMessageTokensOrBest(const Message &message, const ApproximateOptions &options = {});

/// The same for a human message of plain text with so many characters and without a name.
double approximateHumanTokens(std::size_t characters, const ApproximateOptions &options = {});

/// Tokens of tool schemas: the characters of json.dumps of each, summed, then rounded up once. `tools` is a list of
/// maps; nil or empty: 0.
Result<double> approximateToolTokens(const Value &tools, double charsPerToken = 4.0);

/// count_tokens_approximately(messages, tools=tools).
Result<std::int64_t> countTokensApproximately(
    const std::vector<MessagePtr> &messages, const ApproximateOptions &options = {}, const Value &tools = {});

/// `usage_metadata["total_tokens"]` of an AI message when it is an integer.
std::optional<double> reportedTotalTokens(const Message &message);

/// The factor between 1 and 1.25 by which a sum is multiplied, given the last reported total and the sum up to and with
/// that message.
double usageScale(double reportedTotal, double approximateUpToThere);

} // namespace palimpsest
