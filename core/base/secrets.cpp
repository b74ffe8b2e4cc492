// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/secrets.h"

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

bool isOneOf(char c, std::string_view characters)
{
    return characters.find(c) != std::string_view::npos;
}

/// A key that begins with fixed text and goes on with at least so many characters of a token.
struct Shape {
    std::string_view kind;
    std::string_view begin;
    std::size_t least;
};

constexpr std::array<Shape, 28> shapes{{
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
    {"GitHub token", "ghr_", 30},
    {"GitHub token", "github_pat_", 30},
    {"GitLab token", "glpat-", 20},
    {"Slack token", "xoxb-", 20},
    {"Slack token", "xoxp-", 20},
    {"Slack token", "xoxa-", 20},
    {"Slack token", "xoxr-", 20},
    {"Slack token", "xoxs-", 20},
    {"Hugging Face token", "hf_", 30},
    {"Stripe key", "sk_live_", 16},
    {"Tavily key", "tvly-", 20},
    {"Groq key", "gsk_", 30},
    {"Replicate token", "r8_", 30},
    {"npm token", "npm_", 36},
    {"PyPI token", "pypi-AgE", 40},
    {"PyPI token", "pypi-", 40},
    {"Stripe key", "rk_live_", 16},
}};

constexpr std::size_t leastOfAny = 12; ///< characters of a key's body when any care is enough

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

void findShapes(std::vector<SecretPlace> &found, std::string_view text, SecretCare care)
{
    const bool any = care == SecretCare::Any;
    for (const Shape &shape : shapes) {
        for (std::size_t at = text.find(shape.begin); at != std::string_view::npos;
            at = text.find(shape.begin, at + 1)) {
            if (at > 0 && isTokenByte(text[at - 1]))
                continue;
            const std::size_t body = at + shape.begin.size();
            const std::size_t end = tokenEnd(text, body);
            const std::size_t least = any ? std::min(shape.least, leastOfAny) : shape.least;
            if (end - body >= least && (any || looksRandom(text.substr(body, end - body))))
                found.push_back({shape.kind, shape.kind.ends_with("token") ? "token" : "key", at, end - at});
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
        // To the end of the closing line; of a key that was cut all that follows.
        const std::size_t dashes = last == std::string_view::npos ? last : text.find("-----", last + 9);
        const std::size_t stop = dashes == std::string_view::npos ? text.size() : dashes + 5;
        found.push_back({"private key", "private-key", at, stop - at});
    }
}

void findWebTokens(std::vector<SecretPlace> &found, std::string_view text, SecretCare care)
{
    const std::size_t least = care == SecretCare::Any ? 8 : 16;
    for (std::size_t at = text.find("eyJ"); at != std::string_view::npos; at = text.find("eyJ", at + 1)) {
        if (at > 0 && isTokenByte(text[at - 1]))
            continue;
        const std::size_t head = tokenEnd(text, at);
        if (head - at < least || head >= text.size() || text[head] != '.' || text.substr(head + 1, 3) != "eyJ")
            continue;
        const std::size_t body = tokenEnd(text, head + 1);
        if (body >= text.size() || text[body] != '.')
            continue;
        const std::size_t end = tokenEnd(text, body + 1);
        if (care == SecretCare::Any || end - body > least)
            found.push_back({"JSON web token", "token", at, end - at});
    }
}

std::string lowered(std::string_view text)
{
    std::string out(text);
    for (char &c : out)
        if (c >= 'A' && c <= 'Z')
            c = static_cast<char>(c - 'A' + 'a');
    return out;
}

bool isSpace(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

std::size_t skipSpaces(std::string_view text, std::size_t at)
{
    while (at < text.size() && isSpace(text[at]))
        ++at;
    return at;
}

/// Authorization: Bearer …
void findBearers(std::vector<SecretPlace> &found, std::string_view text, std::string_view lower, SecretCare care)
{
    constexpr std::string_view word = "bearer";
    for (std::size_t at = lower.find(word); at != std::string_view::npos; at = lower.find(word, at + 1)) {
        const std::size_t gap = at + word.size();
        const std::size_t begin = skipSpaces(text, gap);
        if (begin == gap || (at > 0 && isTokenByte(text[at - 1])))
            continue;
        std::size_t end = begin;
        while (end < text.size() && (isTokenByte(text[end]) || isOneOf(text[end], "._~+/=")))
            ++end;
        const bool is = care == SecretCare::Any ? end - begin >= leastOfAny
                                                : end - begin >= 20 && looksRandom(text.substr(begin, end - begin));
        if (is)
            found.push_back({"bearer token", "token", begin, end - begin});
    }
}

/// Past quotes, also those that JSON inside JSON escapes; the quote that was there, 0 when none was.
char skipQuote(std::string_view text, std::size_t &at)
{
    std::size_t quote = at;
    while (quote < text.size() && text[quote] == '\\')
        ++quote;
    if (quote >= text.size() || (text[quote] != '"' && text[quote] != '\''))
        return 0;
    at = quote + 1;
    return text[quote];
}

/// password = …, "api_key": "…"
void findAssignments(std::vector<SecretPlace> &found, std::string_view text, std::string_view lower)
{
    constexpr std::array<std::string_view, 14> names{"api_key", "api-key", "apikey", "secret", "secret_key", "password",
        "passwd", "pwd", "passphrase", "access_token", "auth_token", "refresh_token", "client_secret", "token"};
    for (const std::string_view name : names) {
        for (std::size_t at = lower.find(name); at != std::string_view::npos; at = lower.find(name, at + 1)) {
            std::size_t begin = at + name.size();
            skipQuote(text, begin);
            begin = skipSpaces(text, begin);
            if (begin >= text.size() || (text[begin] != ':' && text[begin] != '='))
                continue;
            begin = skipSpaces(text, begin + 1);
            const char quote = skipQuote(text, begin);
            std::size_t end = begin;
            const std::string_view stops = quote ? "\n\r" : " \t\n\r\"',;{}[]<>";
            while (end < text.size() && text[end] != quote && !isOneOf(text[end], stops))
                ++end;
            while (end > begin && text[end - 1] == '\\')
                --end;
            const std::string_view value = text.substr(begin, end - begin);
            if (value.size() >= 4 && value.find_first_not_of("0123456789.*") != std::string_view::npos)
                found.push_back({"value of a secret", "secret", begin, value.size()});
        }
    }
}

/// scheme://user:password@host
void findUrlPasswords(std::vector<SecretPlace> &found, std::string_view text, SecretCare care)
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
            && text.substr(colon + 1, end - colon - 1).find_first_not_of('*') != std::string_view::npos) {
            const std::size_t begin = care == SecretCare::Any ? user : colon + 1; // the name goes too
            found.push_back({"password in a URL", "credentials", begin, end - begin});
        }
    }
}

} // namespace

std::vector<SecretPlace> findSecrets(std::string_view text, SecretCare care)
{
    std::vector<SecretPlace> found;
    const std::string lower = lowered(text);
    findShapes(found, text, care);
    findPrivateKeys(found, text);
    findWebTokens(found, text, care);
    findBearers(found, text, lower, care);
    findUrlPasswords(found, text, care);
    if (care == SecretCare::Any)
        findAssignments(found, text, lower);
    std::stable_sort(
        found.begin(), found.end(), [](const SecretPlace &a, const SecretPlace &b) { return a.offset < b.offset; });
    // A longer beginning names the kind better and comes first in the table; what reaches further is taken in full.
    std::vector<SecretPlace> out;
    for (const SecretPlace &place : found) {
        if (!out.empty() && place.offset < out.back().offset + out.back().length)
            out.back().length = std::max(out.back().length, place.offset + place.length - out.back().offset);
        else
            out.push_back(place);
    }
    return out;
}

} // namespace palimpsest
