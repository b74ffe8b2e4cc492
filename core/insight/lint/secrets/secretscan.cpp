// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/lint/secrets/secretscan.h"

#include <algorithm>
#include <array>

namespace palimpsest {
namespace {

bool isAlnum(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool isTokenByte(char c)
{
    return isAlnum(c) || c == '_' || c == '-';
}

/// A key that begins with fixed text and goes on with at least so many characters of a token.
struct Shape {
    std::string_view kind;
    std::string_view begin;
    std::size_t least;
};

constexpr std::array<Shape, 21> shapes{{
    {"Anthropic key", "sk-ant-", 20},
    {"OpenAI key", "sk-proj-", 20},
    {"LangSmith key", "lsv2_", 20},
    {"OpenAI key", "sk-", 20},
    {"AWS access key", "AKIA", 16},
    {"AWS access key", "ASIA", 16},
    {"Google API key", "AIza", 35},
    {"GitHub token", "ghp_", 30},
    {"GitHub token", "gho_", 30},
    {"GitHub token", "ghs_", 30},
    {"GitHub token", "ghu_", 30},
    {"GitHub token", "github_pat_", 30},
    {"GitLab token", "glpat-", 20},
    {"Slack token", "xoxb-", 20},
    {"Slack token", "xoxp-", 20},
    {"Slack token", "xoxa-", 20},
    {"Hugging Face token", "hf_", 30},
    {"Stripe key", "sk_live_", 16},
    {"Tavily key", "tvly-", 20},
    {"npm token", "npm_", 36},
    {"PyPI token", "pypi-AgE", 40},
}};

/// Keys look random: letters and digits both, and not one character over and over.
bool looksRandom(std::string_view body)
{
    std::array<bool, 256> seen{};
    std::size_t different = 0;
    bool digit = false;
    bool letter = false;
    for (const char c : body) {
        digit |= c >= '0' && c <= '9';
        letter |= isAlnum(c) && !(c >= '0' && c <= '9');
        if (!seen[static_cast<unsigned char>(c)]) {
            seen[static_cast<unsigned char>(c)] = true;
            ++different;
        }
    }
    return digit && letter && different >= 8;
}

std::size_t tokenEnd(std::string_view text, std::size_t at)
{
    while (at < text.size() && isTokenByte(text[at]))
        ++at;
    return at;
}

void findShapes(std::vector<SecretPlace> &found, std::string_view text)
{
    for (const Shape &shape : shapes) {
        for (std::size_t at = text.find(shape.begin); at != std::string_view::npos;
            at = text.find(shape.begin, at + 1)) {
            if (at > 0 && isTokenByte(text[at - 1]))
                continue;
            const std::size_t body = at + shape.begin.size();
            const std::size_t end = tokenEnd(text, body);
            if (end - body >= shape.least && looksRandom(text.substr(body, end - body)))
                found.push_back({shape.kind, at, end - at});
        }
    }
}

void findPrivateKeys(std::vector<SecretPlace> &found, std::string_view text)
{
    constexpr std::string_view begin = "-----BEGIN ";
    constexpr std::string_view end = "PRIVATE KEY-----";
    for (std::size_t at = text.find(begin); at != std::string_view::npos; at = text.find(begin, at + 1)) {
        const std::size_t close = text.find(end, at);
        if (close == std::string_view::npos || close - at > 40)
            continue;
        const std::size_t last = text.find("-----END ", close);
        found.push_back({"private key", at, (last == std::string_view::npos ? close + end.size() : last) - at});
    }
}

void findWebTokens(std::vector<SecretPlace> &found, std::string_view text)
{
    for (std::size_t at = text.find("eyJ"); at != std::string_view::npos; at = text.find("eyJ", at + 1)) {
        if (at > 0 && isTokenByte(text[at - 1]))
            continue;
        const std::size_t head = tokenEnd(text, at);
        if (head - at < 16 || head >= text.size() || text[head] != '.' || text.substr(head + 1, 3) != "eyJ")
            continue;
        const std::size_t body = tokenEnd(text, head + 1);
        if (body >= text.size() || text[body] != '.')
            continue;
        const std::size_t end = tokenEnd(text, body + 1);
        if (end - body > 16)
            found.push_back({"JSON web token", at, end - at});
    }
}

/// scheme://user:password@host
void findUrlPasswords(std::vector<SecretPlace> &found, std::string_view text)
{
    for (std::size_t at = text.find("://"); at != std::string_view::npos; at = text.find("://", at + 1)) {
        const std::size_t user = at + 3;
        std::size_t end = user;
        while (end < text.size() && text[end] != '/' && text[end] > ' ' && text[end] != '"' && text[end] != '\''
            && text[end] != '@')
            ++end;
        if (end >= text.size() || text[end] != '@')
            continue;
        const std::size_t colon = text.find(':', user);
        if (colon != std::string_view::npos && colon + 1 < end
            && text.substr(colon + 1, end - colon - 1).find_first_not_of('*') != std::string_view::npos)
            found.push_back({"password in a URL", colon + 1, end - colon - 1});
    }
}

} // namespace

std::vector<SecretPlace> findSecrets(std::string_view text)
{
    std::vector<SecretPlace> found;
    findShapes(found, text);
    findPrivateKeys(found, text);
    findWebTokens(found, text);
    findUrlPasswords(found, text);
    std::stable_sort(
        found.begin(), found.end(), [](const SecretPlace &a, const SecretPlace &b) { return a.offset < b.offset; });
    // A longer beginning names the kind better and comes first in the table.
    found.erase(std::unique(found.begin(), found.end(),
                    [](const SecretPlace &a, const SecretPlace &b) { return b.offset < a.offset + a.length; }),
        found.end());
    return found;
}

} // namespace palimpsest
