// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/transcript/redaction.h"

#include "core/base/base64.h"
#include "core/base/secrets.h"
#include "core/compaction/stages/media.h"

#include <QRegularExpression>

#include <algorithm>
#include <array>
#include <format>
#include <map>
#include <unordered_map>
#include <unordered_set>

namespace palimpsest {

using namespace Qt::StringLiterals;

namespace {

std::string utf8(QStringView text)
{
    return text.toUtf8().toStdString();
}

/// The base64 or percent-encoded part of a medium's data URL; nothing for what holds no medium.
std::optional<std::string> payloadOf(const Value &block)
{
    const std::optional<std::string> url = extractDataUrl(block);
    return url ? std::optional<std::string>(url->substr(url->find(',') + 1)) : std::nullopt;
}

/// Calls `change` with every text of a value that does not hold the payload, `medium` with those that do.
template <class Change, class Medium>
Value withTexts(const Value &value, const std::string &payload, const Change &change, const Medium &medium)
{
    if (value.isText())
        return value.asText().find(payload) == std::string::npos ? Value(change(value.asText()))
                                                                 : Value(medium(value.asText()));
    if (value.isMap()) {
        Value::Map map = value.asMap();
        for (auto &[key, item] : map)
            item = withTexts(item, payload, change, medium);
        return Value(std::move(map));
    }
    return value;
}

/// A rule that is looked for only in texts that hold one of these: cheaper than the expression.
struct StandardRule {
    RedactionRule rule;
    std::vector<std::string_view> hints;
};

const std::vector<StandardRule> &standardRules()
{
    static const std::vector<StandardRule> rules{
        {{"email", R"(\b[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}\b)"}, {"@"}},
        {{"ip", R"((?<!\d)(?<!\d\.)(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)(?!\.?\d))"},
            {"."}},
        // IPv6 in full, or shortened behind at least two groups: shorter ones are names in C++ and times.
        {{"ip",
             R"((?<![\w:])(?:(?:[0-9A-Fa-f]{1,4}:){7}[0-9A-Fa-f]{1,4}|(?:[0-9A-Fa-f]{1,4}:){2,6}(?::[0-9A-Fa-f]{1,4}){1,5})(?![\w:]))"},
            {":"}},
        {{"path", R"((?:/home/|/Users/|/root/|[A-Za-z]:(?:\\+|/)Users(?:\\+|/)|(?<![\w~])~/)[^\s"'`<>|;,()\[\]{}]+)"},
            {"/home/", "/Users", "\\Users", "/root/", "~/"}},
        // Long runs that hold capitals, small letters and digits: no word, no number, no digest.
        {{"base64",
             R"((?<![A-Za-z0-9+/_-])(?=[A-Za-z0-9+/_-]*[a-z])(?=[A-Za-z0-9+/_-]*[A-Z])(?=[A-Za-z0-9+/_-]*\d)(?:[A-Za-z0-9+/]{64,}|[A-Za-z0-9_-]{64,})={0,2})"},
            {}},
    };
    return rules;
}

constexpr std::size_t leastBase64 = 64; ///< characters, as in the rule
constexpr std::size_t leastRest = 4; ///< bytes that tell of an original where a cut went through it
constexpr std::size_t longestRest = 256;

} // namespace

struct Redactor::State {
    struct Rule {
        std::string name;
        QRegularExpression pattern;
        std::vector<std::string_view> hints; ///< empty: any text
        std::size_t least = 1; ///< bytes of a text that can match
    };
    std::vector<Rule> rules;
    bool secrets = false;
    std::map<std::string, std::size_t, std::less<>> byOriginal; ///< place in `hits`
    std::map<std::string, int> numbers; ///< the last number of each name
    std::vector<RedactionHit> hits;
    std::array<std::vector<std::size_t>, 256> byFirst; ///< places in `hits` by the original's first byte
    std::unordered_map<const Message *, MessagePtr> messages; ///< looked at; with a value: replaced
    std::vector<MessagePtr> kept; ///< keeps the addresses taken
    std::unordered_set<std::size_t> begins; ///< see learnRests()
    std::unordered_set<std::size_t> ends;
    std::size_t learned = 0; ///< hits whose rests are known

    void add(const std::string &rule, const std::string &original)
    {
        if (original.empty() || !byOriginal.try_emplace(original, hits.size()).second)
            return;
        byFirst[static_cast<unsigned char>(original.front())].push_back(hits.size());
        hits.push_back({rule, original, std::format("[{}-{}]", rule, ++numbers[rule]), 0});
    }

    void look(std::string_view text)
    {
        if (secrets)
            for (const SecretPlace &place : findSecrets(text, SecretCare::Any))
                add(std::string(place.name), std::string(text.substr(place.offset, place.length)));
        QString whole;
        for (const Rule &rule : rules) {
            const auto has = [&](std::string_view hint) { return text.find(hint) != std::string_view::npos; };
            if (text.size() < rule.least || (!rule.hints.empty() && std::ranges::none_of(rule.hints, has)))
                continue;
            if (whole.isNull())
                whole = QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
            QRegularExpressionMatchIterator matches = rule.pattern.globalMatch(whole);
            while (matches.hasNext())
                add(rule.name, utf8(matches.next().capturedView()));
            if (!matches.isValid()) // the search gave up at its limit: what it would have found is anywhere in the text
                add(rule.name, std::string(text));
        }
    }

    struct Span {
        std::size_t begin = 0;
        std::size_t end = 0;
        std::vector<std::size_t> originals; ///< places in `hits` of what begins in it, in order
    };

    /// Where originals stand; those that overlap are one span.
    [[nodiscard]] std::vector<Span> spans(std::string_view text) const
    {
        std::vector<Span> out;
        for (std::size_t at = 0; at < text.size(); ++at) {
            std::size_t longest = 0;
            std::size_t found = 0;
            for (const std::size_t place : byFirst[static_cast<unsigned char>(text[at])]) {
                const std::string &original = hits[place].original;
                if (original.size() > longest && text.compare(at, original.size(), original) == 0) {
                    longest = original.size();
                    found = place;
                }
            }
            if (longest == 0)
                continue;
            if (out.empty() || at >= out.back().end)
                out.push_back({at, at + longest, {found}});
            else if (at + longest > out.back().end) {
                out.back().end = at + longest;
                out.back().originals.push_back(found);
            }
        }
        return out;
    }

    std::string replaced(std::string_view text)
    {
        std::string out;
        std::size_t from = 0;
        for (const Span &span : spans(text)) {
            out.append(text.substr(from, span.begin - from));
            for (const std::size_t place : span.originals) {
                out.append(hits[place].replacement);
                ++hits[place].count;
            }
            from = span.end;
        }
        return out.append(text.substr(from));
    }

    /// What cuts leave of originals, by their hashes: all beginnings and all ends, from `leastRest` bytes on.
    void learnRests()
    {
        for (; learned < hits.size(); ++learned) {
            const std::string_view original = hits[learned].original;
            for (std::size_t size = leastRest; size < std::min(original.size(), longestRest); ++size) {
                begins.insert(std::hash<std::string_view>()(original.substr(0, size)));
                ends.insert(std::hash<std::string_view>()(original.substr(original.size() - size)));
            }
        }
    }

    /// Bytes at the end of a text that begin an original.
    [[nodiscard]] std::size_t begunAtEnd(std::string_view text) const
    {
        for (std::size_t size = std::min(longestRest, text.size()); size >= leastRest; --size)
            if (begins.contains(std::hash<std::string_view>()(text.substr(text.size() - size))))
                return size;
        return 0;
    }
    /// Bytes at the beginning of a text that end an original.
    [[nodiscard]] std::size_t endedAtBegin(std::string_view text) const
    {
        for (std::size_t size = std::min(longestRest, text.size()); size >= leastRest; --size)
            if (ends.contains(std::hash<std::string_view>()(text.substr(0, size))))
                return size;
        return 0;
    }
};

Redactor::Redactor(std::unique_ptr<State> state)
    : m_state(std::move(state))
{
}
Redactor::~Redactor() = default;
Redactor::Redactor(Redactor &&) noexcept = default;
Redactor &Redactor::operator=(Redactor &&) noexcept = default;

Result<Redactor> Redactor::make(const RedactionRules &rules)
{
    auto state = std::make_unique<State>();
    state->secrets = rules.standard;
    const auto add = [&](const RedactionRule &rule, const std::vector<std::string_view> &hints) -> Result<void> {
        QRegularExpression pattern(
            QString::fromStdString(rule.pattern), QRegularExpression::UseUnicodePropertiesOption);
        if (!pattern.isValid())
            return failure(Error::Code::Invalid, rule.pattern,
                std::format("this is no regular expression: {} at character {}", utf8(pattern.errorString()),
                    pattern.patternErrorOffset()));
        pattern.optimize();
        state->rules.push_back({rule.name, std::move(pattern), hints, rule.name == "base64" ? leastBase64 : 1});
        return {};
    };
    for (const RedactionRule &rule : rules.own)
        if (Result<void> added = add(rule, {}); !added)
            return tl::unexpected(added.error());
    if (rules.standard)
        for (const StandardRule &standard : standardRules())
            if (Result<void> added = add(standard.rule, standard.hints); !added)
                return tl::unexpected(added.error());
    return Redactor(std::move(state));
}

void Redactor::look(std::string_view wtf8)
{
    m_state->look(wtf8);
}

void Redactor::look(const Value &value)
{
    switch (value.kind()) {
    case Value::Kind::Text:
        look(std::string_view(value.asText()));
        break;
    case Value::Kind::List:
        for (const Value &item : value.asList())
            look(item);
        break;
    case Value::Kind::Map:
        if (const std::optional<std::string> payload = payloadOf(value)) {
            // The medium's bytes are cleaned, not read.
            const auto lookAt = [this](const std::string &text) {
                look(std::string_view(text));
                return std::string();
            };
            withTexts(value, *payload, lookAt, [](const std::string &) { return std::string(); });
            break;
        }
        for (const auto &[key, item] : value.asMap()) {
            look(key);
            look(item);
        }
        break;
    case Value::Kind::Tagged:
        look(value.asTagged()->value);
        break;
    case Value::Kind::Nil:
    case Value::Kind::Bool:
    case Value::Kind::Int:
    case Value::Kind::BigInt:
    case Value::Kind::Float:
    case Value::Kind::Bytes:
        break;
    }
}

void Redactor::look(const MessagePtr &message)
{
    if (!message || !m_state->messages.try_emplace(message.get()).second)
        return;
    m_state->kept.push_back(message);
    for (const Value *member :
        {&message->content, &message->additionalKwargs, &message->responseMetadata, &message->toolCalls,
            &message->invalidToolCalls, &message->usageMetadata, &message->artifact, &message->extra})
        look(*member);
    for (const std::optional<std::string> *member : {&message->id, &message->name, &message->toolCallId})
        if (*member)
            look(std::string_view(**member));
}

void Redactor::look(const Transcript &transcript)
{
    for (const std::string *member : {&transcript.subject, &transcript.title, &transcript.source, &transcript.threadId,
             &transcript.checkpointNs, &transcript.checkpointId, &transcript.model, &transcript.place})
        look(std::string_view(*member));
    for (const std::string &note : transcript.notes)
        look(std::string_view(note));
    look(transcript.settings);
    look(transcript.metadata);
    for (const TranscriptEntry &entry : transcript.entries) {
        if (const auto *one = std::get_if<TranscriptMessage>(&entry)) {
            look(one->message);
            continue;
        }
        const auto &event = std::get<TranscriptEvent>(entry);
        look(event.summary);
        look(std::string_view(event.checkpointId));
        if (event.archive)
            look(std::string_view(*event.archive));
    }
    for (const TranscriptMessage &one : transcript.effective)
        look(one.message);
    for (const TranscriptTable &table : transcript.tables)
        for (const auto &row : table.rows)
            for (const Value &cell : row)
                look(cell);
    for (const TranscriptFile &file : transcript.files) {
        look(std::string_view(file.path));
        if (file.kind == TranscriptFile::Kind::Archive)
            look(std::string_view(file.bytes));
    }
    for (const Transcript &part : transcript.parts)
        look(part);
}

std::string Redactor::text(std::string_view wtf8)
{
    m_state->look(wtf8);
    return m_state->replaced(wtf8);
}

std::string Redactor::excerpt(std::string_view wtf8)
{
    m_state->look(wtf8);
    m_state->learnRests();
    // A cut may say so by dots, which are no part of the original.
    constexpr std::string_view dots = "…";
    const bool cut = wtf8.ends_with(dots);
    std::string_view rest = cut ? wtf8.substr(0, wtf8.size() - dots.size()) : wtf8;
    // A whole original is replaced as one, not taken for the rest of a longer one.
    const std::vector<State::Span> spans = m_state->spans(rest);
    const bool wholeAtBegin = !spans.empty() && spans.front().begin == 0;
    const bool wholeAtEnd = !spans.empty() && spans.back().end == rest.size();
    const std::size_t head = wholeAtBegin ? 0 : m_state->endedAtBegin(rest);
    rest.remove_prefix(head);
    const std::size_t tail = wholeAtEnd ? 0 : m_state->begunAtEnd(rest);
    rest.remove_suffix(tail);
    return (head > 0 ? std::string(dots) : std::string()) + m_state->replaced(rest)
        + (cut || tail > 0 ? std::string(dots) : std::string());
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
    return withTexts(
        block, payload, [this](const std::string &other) { return text(other); },
        [&](std::string holder) {
            return holder.replace(holder.find(payload), payload.size(), base64::encode(*clean));
        });
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
    look(message);
    MessagePtr &known = m_state->messages[message.get()];
    if (known)
        return known;
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
    known = *copy == *message ? message : MessagePtr(std::move(copy));
    return known;
}

void Redactor::finish(Transcript &transcript)
{
    for (std::string *member : {&transcript.subject, &transcript.source, &transcript.threadId, &transcript.checkpointNs,
             &transcript.checkpointId, &transcript.model, &transcript.place})
        *member = text(*member);
    transcript.title = excerpt(transcript.title);
    for (std::string &note : transcript.notes)
        note = excerpt(note);
    transcript.settings = value(transcript.settings);
    transcript.metadata = value(transcript.metadata);
    for (TranscriptEntry &entry : transcript.entries)
        if (auto *event = std::get_if<TranscriptEvent>(&entry)) {
            event->checkpointId = text(event->checkpointId);
            if (event->archive)
                event->archive = text(*event->archive);
        }
    for (TranscriptTable &table : transcript.tables)
        for (auto &row : table.rows)
            for (Value &cell : row)
                cell = cell.isText() ? Value(excerpt(cell.asText())) : value(cell);
    for (TranscriptFile &file : transcript.files) {
        file.path = text(file.path);
        if (file.kind == TranscriptFile::Kind::Media)
            continue; // cleaned before it became a file, and named after what it is now
        file.name = text(file.name);
        file.bytes = text(file.bytes);
    }
}

const std::vector<RedactionHit> &Redactor::hits() const
{
    return m_state->hits;
}

} // namespace palimpsest
