// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/transcript/redaction.h"

#include "core/base/base64.h"
#include "core/compaction/stages/media.h"

#include <QRegularExpression>

#include <format>
#include <map>

namespace palimpsest {

using namespace Qt::StringLiterals;

namespace {

std::string utf8(QStringView text)
{
    return text.toUtf8().toStdString();
}

/// Replaces `from` in every text of a value.
Value withText(const Value &value, const std::string &from, const std::string &to)
{
    if (value.isText()) {
        std::string out = value.asText();
        for (std::size_t at = out.find(from); at != std::string::npos; at = out.find(from, at + to.size()))
            out.replace(at, from.size(), to);
        return Value(std::move(out));
    }
    if (value.isMap()) {
        Value::Map map = value.asMap();
        for (auto &[key, item] : map)
            item = withText(item, from, to);
        return Value(std::move(map));
    }
    return value;
}

} // namespace

std::vector<RedactionRule> standardRedactions()
{
    return {
        {"private-key", R"(-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$))"},
        {"token", R"(\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*)"},
        {"token", R"((?i:\bbearer\s+)\K[A-Za-z0-9._~+/=-]{12,})"},
        {"key",
            R"(\b(?:sk-(?:ant-|proj-)?|lsv2_(?:pt|sk)_|gh[pousr]_|github_pat_|glpat-|hf_|xox[abprs]-|pypi-|npm_|r8_|gsk_)[A-Za-z0-9_-]{12,})"},
        {"key", R"(\b(?:AKIA|ASIA)[A-Z0-9]{16}\b|\bAIza[A-Za-z0-9_-]{35})"},
        {"secret",
            R"((?i:["']?(?:api[_-]?key|secret|password|passwd|pwd|access[_-]?token|auth[_-]?token)["']?\s*[:=]\s*["']?)\K[^\s"',;{}\[\]]{4,})"},
        {"credentials", R"((?<=://)[^\s/:@]+:[^\s/@]+(?=@))"},
        {"email", R"(\b[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}\b)"},
        {"ip", R"((?<![\d.])(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)(?![\d.]))"},
        {"path", R"((?:/home/|/Users/|/root/|[A-Za-z]:\\+Users\\+|~/)[^\s"'`<>|;,()\[\]{}]+)"},
    };
}

struct Redactor::State {
    struct Rule {
        std::string name;
        QRegularExpression pattern;
    };
    std::vector<Rule> rules;
    std::map<std::string, std::size_t> byOriginal; ///< place in `hits`
    std::map<std::string, int> numbers; ///< the last number of each name
    std::vector<RedactionHit> hits;

    QString replacement(const std::string &rule, const std::string &original)
    {
        const auto [it, isNew] = byOriginal.try_emplace(original, hits.size());
        if (isNew)
            hits.push_back({rule, original, std::format("[{}-{}]", rule, ++numbers[rule]), 0});
        RedactionHit &hit = hits[it->second];
        ++hit.count;
        return QString::fromStdString(hit.replacement);
    }
};

Redactor::Redactor(std::unique_ptr<State> state)
    : m_state(std::move(state))
{
}
Redactor::~Redactor() = default;
Redactor::Redactor(Redactor &&) noexcept = default;
Redactor &Redactor::operator=(Redactor &&) noexcept = default;

Result<Redactor> Redactor::make(const std::vector<RedactionRule> &rules)
{
    auto state = std::make_unique<State>();
    for (const RedactionRule &rule : rules) {
        QRegularExpression pattern(
            QString::fromStdString(rule.pattern), QRegularExpression::UseUnicodePropertiesOption);
        if (!pattern.isValid())
            return failure(Error::Code::Invalid, rule.pattern,
                std::format("this is no regular expression: {} at character {}", utf8(pattern.errorString()),
                    pattern.patternErrorOffset()));
        pattern.optimize();
        state->rules.push_back({rule.name, std::move(pattern)});
    }
    return Redactor(std::move(state));
}

std::string Redactor::text(std::string_view wtf8)
{
    if (wtf8.empty())
        return {};
    QString whole = QString::fromUtf8(wtf8.data(), static_cast<qsizetype>(wtf8.size()));
    bool changed = false;
    for (const State::Rule &rule : m_state->rules) {
        QString out;
        qsizetype from = 0;
        QRegularExpressionMatchIterator matches = rule.pattern.globalMatch(whole);
        while (matches.hasNext()) {
            const QRegularExpressionMatch match = matches.next();
            if (match.capturedLength() == 0)
                continue;
            out += QStringView(whole).mid(from, match.capturedStart() - from);
            out += m_state->replacement(rule.name, utf8(match.capturedView()));
            from = match.capturedEnd();
        }
        if (from == 0)
            continue;
        out += QStringView(whole).mid(from);
        whole = std::move(out);
        changed = true;
    }
    // Lone surrogates of a text without hits survive; in one with hits they become U+FFFD.
    return changed ? utf8(whole) : std::string(wtf8);
}

std::optional<Value> Redactor::mediaBlock(const Value &block)
{
    const std::optional<std::string> url = extractDataUrl(block);
    if (!url)
        return std::nullopt;
    const std::optional<DecodedDataUrl> medium = decodeDataUrl(*url);
    std::optional<std::string> clean = medium ? withoutPictureTexts(medium->bytes) : std::nullopt;
    if (!clean)
        return Value::map({{"type", Value("text")},
            {"text",
                Value(std::format("[{} left out: it cannot be redacted]",
                    medium && !medium->mime.empty() ? medium->mime : block["type"].asText()))}});
    const std::size_t comma = url->find(',');
    const std::string payload = url->substr(comma + 1);
    // A payload in percent encoding stays in that form no more: its header would have to change too.
    if (url->substr(0, comma).find(";base64") == std::string::npos)
        return Value::map(
            {{"type", Value("image")}, {"mime_type", Value(medium->mime)}, {"base64", Value(base64::encode(*clean))}});
    return withText(block, payload, base64::encode(*clean));
}

Value Redactor::value(const Value &value)
{
    switch (value.kind()) {
    case Value::Kind::Text:
        return Value(text(value.asText()));
    case Value::Kind::List: {
        Value::List list;
        list.reserve(value.asList().size());
        for (const Value &item : value.asList())
            list.push_back(this->value(item));
        return Value(std::move(list));
    }
    case Value::Kind::Map: {
        if (const std::optional<Value> medium = mediaBlock(value))
            return *medium;
        Value::Map map;
        map.reserve(value.asMap().size());
        for (const auto &[key, item] : value.asMap())
            map.emplace_back(this->value(key), this->value(item));
        return Value(std::move(map));
    }
    case Value::Kind::Tagged: {
        Value::Tagged tagged = *value.asTagged();
        tagged.value = this->value(tagged.value);
        return Value(std::move(tagged));
    }
    case Value::Kind::Bytes: {
        const std::optional<std::string> picture = withoutPictureTexts(value.asBytes());
        return picture ? Value::bytes(*picture) : Value("[bytes left out: they cannot be redacted]");
    }
    case Value::Kind::Nil:
    case Value::Kind::Bool:
    case Value::Kind::Int:
    case Value::Kind::BigInt:
    case Value::Kind::Float:
        break;
    }
    return value;
}

MessagePtr Redactor::message(const MessagePtr &message)
{
    if (!message)
        return message;
    const auto optionalText = [&](std::optional<std::string> &member) {
        if (member)
            member = text(*member);
    };
    auto copy = std::make_shared<Message>(*message);
    for (Value *member : {&copy->content, &copy->additionalKwargs, &copy->responseMetadata, &copy->toolCalls,
             &copy->invalidToolCalls, &copy->usageMetadata, &copy->artifact, &copy->extra})
        *member = value(*member);
    optionalText(copy->id);
    optionalText(copy->name);
    optionalText(copy->toolCallId);
    if (*copy == *message)
        return message;
    return copy;
}

void Redactor::apply(Transcript &transcript)
{
    for (std::string *member : {&transcript.subject, &transcript.title, &transcript.source, &transcript.threadId,
             &transcript.checkpointNs, &transcript.model, &transcript.place})
        *member = text(*member);
    transcript.settings = value(transcript.settings);
    transcript.metadata = value(transcript.metadata);
    for (TranscriptEntry &entry : transcript.entries) {
        if (auto *one = std::get_if<TranscriptMessage>(&entry)) {
            one->message = message(one->message);
        } else {
            auto &event = std::get<TranscriptEvent>(entry);
            event.summary = message(event.summary);
            if (event.archive)
                event.archive = text(*event.archive);
        }
    }
    for (TranscriptMessage &one : transcript.effective)
        one.message = message(one.message);
    for (TranscriptTable &table : transcript.tables)
        for (auto &row : table.rows)
            for (Value &cell : row)
                cell = value(cell);
    std::vector<TranscriptFile> files;
    for (TranscriptFile &file : transcript.files) {
        file.path = text(file.path);
        file.name = text(file.name);
        if (file.kind == TranscriptFile::Kind::Archive) {
            file.bytes = text(file.bytes);
        } else if (std::optional<std::string> clean = withoutPictureTexts(file.bytes)) {
            file.bytes = std::move(*clean);
        } else {
            continue; // the reference stays and leads nowhere, as a finding would say
        }
        files.push_back(std::move(file));
    }
    transcript.files = std::move(files);
}

const std::vector<RedactionHit> &Redactor::hits() const
{
    return m_state->hits;
}

} // namespace palimpsest
