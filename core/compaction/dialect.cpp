// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compaction/dialect.h"

#include <charconv>
#include <compare>

namespace palimpsest {
namespace {

using Version = std::vector<int>;

/// "0.7.32" as numbers; empty when it is none. What follows a number ("0rc1") is left out.
Version parseVersion(std::string_view text)
{
    Version version;
    while (!text.empty()) {
        int part = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), part);
        if (error != std::errc())
            return {};
        version.push_back(part);
        text.remove_prefix(static_cast<std::size_t>(end - text.data()));
        const std::size_t dot = text.find('.');
        if (dot == std::string_view::npos)
            break;
        text.remove_prefix(dot + 1);
    }
    return version;
}

std::strong_ordering compare(const Version &a, const Version &b)
{
    for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) {
        if (const auto order = a[i] <=> b[i]; order != 0)
            return order;
    }
    return std::strong_ordering::equal; // "1.5" stands for all of 1.5.x
}

std::vector<Dialect> makeDialects()
{
    Dialect first;
    first.name = "deepagents-0.7.7";
    first.package = "deepagents";
    first.scrubsUnsupportedMedia = true;

    Dialect current = first;
    current.name = "deepagents-0.7.32";
    current.eventHasCreatedAtIndex = true;
    current.dropsBoundReasoning = true;
    current.checksInputBudget = true;
    current.recognisesOverflowByText = true;
    current.retriesSmaller = true;
    current.inputBudgetShare = 0.95;
    current.previewNotesLosses = true;
    current.visibleToolCallIdLimit = 32;
    current.toolCallPathLimit = 128;
    current.randomNameWithoutId = true;
    current.stubNamesBackendPath = true;
    current.scrubsUnsupportedMedia = false;
    current.offloadsBlobs = true;
    current.patchWording = Dialect::PatchWording::DidNotComplete;
    current.patchedCallsAreErrors = true;

    Dialect langchain;
    langchain.name = "langchain-1.5";
    langchain.package = "langchain";
    langchain.rewritesState = true;

    return {first, current, langchain};
}

} // namespace

const std::vector<Dialect> &knownDialects()
{
    static const std::vector<Dialect> dialects = makeDialects();
    return dialects;
}

Result<DialectChoice> dialectFor(std::string_view name)
{
    const std::size_t dash = name.rfind('-');
    const std::string_view package = name.substr(0, dash);
    const Version version = dash == std::string_view::npos ? Version() : parseVersion(name.substr(dash + 1));
    const Dialect *oldest = nullptr;
    const Dialect *chosen = nullptr;
    for (const Dialect &dialect : knownDialects()) {
        if (dialect.name == name)
            return DialectChoice{dialect, {}};
        if (dialect.package != package)
            continue;
        if (!oldest)
            oldest = &dialect;
        if (!version.empty()
            && compare(parseVersion(std::string_view(dialect.name).substr(package.size() + 1)), version) <= 0)
            chosen = &dialect;
    }
    if (!oldest || version.empty()) {
        std::string known;
        for (const Dialect &dialect : knownDialects())
            known += (known.empty() ? "" : ", ") + dialect.name;
        return failure(Error::Code::Invalid, "dialect",
            "\"" + std::string(name) + "\" is no dialect; use one of " + known + ", or another version of these");
    }
    if (chosen)
        return DialectChoice{*chosen,
            "The rules of " + chosen->name + " are used for " + std::string(name)
                + ": the newest known ones not above it."};
    return DialectChoice{
        *oldest, "The rules of " + oldest->name + " are used for " + std::string(name) + ": no older ones are known."};
}

} // namespace palimpsest
