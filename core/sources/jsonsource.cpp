// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sources/jsonsource.h"

#include "core/serde/jsonscan.h"
#include "core/sources/json/eventstream.h"
#include "core/sources/json/langsmithjson.h"
#include "core/sources/json/messagejson.h"
#include "core/sources/json/openaijson.h"
#include "core/sources/json/spansjson.h"
#include "core/sources/json/statejson.h"

#include <QFile>

#include <filesystem>

namespace palimpsest {
namespace {

constexpr qint64 fileLimit = 2LL * 1024 * 1024 * 1024;

/// The documents of a text: one, or one a line.
Result<std::vector<std::string_view>> documentsOf(std::string_view text)
{
    std::vector<std::string_view> documents;
    std::size_t at = text.starts_with("\xEF\xBB\xBF") ? 3 : 0;
    for (at = jsonSpace(text, at); at < text.size(); at = jsonSpace(text, at)) {
        const Result<std::size_t> end = jsonSkip(text, at);
        if (!end)
            return tl::unexpected(end.error());
        documents.push_back(text.substr(at, *end - at));
        at = *end;
    }
    return documents;
}

/// Gives each document of a kind to the reader of that kind.
class Reader {
public:
    Reader(JsonRows &rows, std::string name)
        : m_rows(rows)
        , m_name(std::move(name))
        , m_states(rows)
        , m_messages(rows)
        , m_runs(rows)
    {
    }

    bool read(const std::vector<std::string_view> &documents)
    {
        const bool lines = documents.size() > 1;
        if (lines && MessageJson::isMessage(documents.front())) {
            m_messages.addMessages(documents, m_name);
            m_rows.what = "messages as JSON lines";
            return true;
        }
        for (std::size_t i = 0; i < documents.size(); ++i)
            if (!readDocument(documents[i], lines ? "line-" + std::to_string(i + 1) : m_name))
                return false;
        if (m_anyState)
            m_states.finish();
        if (m_anyRun)
            m_runs.finish();
        return !m_rows.threads.empty();
    }

private:
    bool readDocument(std::string_view document, const std::string &name)
    {
        if (document.starts_with('['))
            return readArray(document, name);
        return readObject(document, name);
    }

    bool readObject(std::string_view object, const std::string &name)
    {
        if (StateJson::isState(object)) {
            m_states.addState(object);
            m_anyState = true;
            return say("the state of a thread from a LangGraph server");
        }
        if (StateJson::isThread(object)) {
            m_states.addThread(object);
            return say("a thread from a LangGraph server");
        }
        if (LangSmithJson::isRun(object)) {
            m_runs.addRun(object);
            m_anyRun = true;
            return say("LangSmith runs");
        }
        if (const auto spans = spansOf(object))
            return readSpans(*spans);
        if (const std::string_view runs = jsonFind(object, "runs"); runs.starts_with('['))
            return readArray(runs, name);
        if (MessageJson::isTranscript(object)) {
            m_messages.addTranscript(object, name);
            return say("a transcript that was exported");
        }
        // A prompt value of LangChain: its envelope holds the messages.
        const std::string_view members = jsonFind(object, "kwargs");
        if (!jsonFind(object, "lc").empty() && MessageJson::isState(members)) {
            m_messages.addMessages(jsonFind(members, "messages"), name);
            return say("a prompt of LangChain");
        }
        if (MessageJson::isState(object)) {
            m_messages.addState(object, name);
            return say("values of a state");
        }
        if (MessageJson::isMessage(object)) {
            m_messages.addMessages(std::vector{object}, name);
            return say("messages");
        }
        if (std::optional<std::string> messages = openAiMessages(object)) {
            m_messages.addMessages(*messages, name);
            return say("a request or an answer of OpenAI's clients");
        }
        return false;
    }

    /// Spans without inputs (of other instrumentations, or of what lies between) are no runs.
    bool readSpans(const std::vector<std::string_view> &spans)
    {
        for (const std::string_view span : spans) {
            if (std::optional<std::string> run = runOfSpan(span)) {
                m_runs.addRun(m_rows.keep(*std::move(run)));
                m_anyRun = true;
            }
        }
        return say("spans of OpenTelemetry");
    }

    bool readArray(std::string_view array, const std::string &name)
    {
        if (StateJson::isSnapshot(array)) {
            m_states.addSnapshot(array);
            m_anyState = true;
            return say("a state snapshot of LangGraph");
        }
        const Result<std::vector<ByteRange>> items = jsonElements(array);
        if (!items || items->empty())
            return false;
        const std::string_view first = items->front().of(array);
        const auto each = [&](const char *what, const auto &add) {
            for (const ByteRange &item : *items)
                add(item.of(array));
            return say(what);
        };
        if (StateJson::isState(first)) {
            m_anyState = true;
            return each("the history of a thread from a LangGraph server",
                [&](std::string_view one) { m_states.addState(one); });
        }
        if (StateJson::isThread(first))
            return each("threads from a LangGraph server", [&](std::string_view one) { m_states.addThread(one); });
        if (StateJson::isSnapshot(first)) {
            m_anyState = true;
            return each("state snapshots of LangGraph", [&](std::string_view one) { m_states.addSnapshot(one); });
        }
        if (spansOf(first))
            return each("spans of OpenTelemetry", [&](std::string_view one) {
                if (const auto spans = spansOf(one))
                    readSpans(*spans);
            });
        if (LangSmithJson::isRun(first)) {
            m_anyRun = true;
            return each("LangSmith runs", [&](std::string_view one) { m_runs.addRun(one); });
        }
        if (MessageJson::isMessage(first)) {
            m_messages.addMessages(array, name);
            return say("messages");
        }
        if (MessageJson::isState(first)) {
            std::size_t count = 0;
            return each("conversations", [&](std::string_view one) {
                m_messages.addState(one, items->size() == 1 ? name : "item-" + std::to_string(++count));
            });
        }
        return false;
    }

    bool say(const char *what)
    {
        if (m_rows.what.empty())
            m_rows.what = what;
        return true;
    }

    JsonRows &m_rows;
    std::string m_name;
    StateJson m_states;
    MessageJson m_messages;
    LangSmithJson m_runs;
    bool m_anyState = false;
    bool m_anyRun = false;
};

/// What a document is that holds no thread, where that is known.
std::string otherKind(std::string_view document)
{
    const Result<std::vector<ByteRange>> items = jsonElements(document);
    const std::string_view first = items && !items->empty() ? items->front().of(document) : document;
    if (!jsonFind(first, "run_id").empty() && !jsonFind(first, "kwargs").empty())
        return "these are runs of a LangGraph server, which hold no state; fetch /threads/<id>/history; ";
    if (!jsonFind(first, "graph_id").empty() && !jsonFind(first, "assistant_id").empty())
        return "these are assistants of a LangGraph server, which hold no threads; ";
    if (jsonFind(document, "items").starts_with('['))
        return "these are items of a store, which hold no thread; ";
    if (spansOf(first))
        return "these are spans of OpenTelemetry without the messages of a model (input.value of OpenInference, "
               "gen_ai.prompt of LangSmith); record them with contents, export the runs from LangSmith, or fetch the "
               "thread's history; ";
    if (LangSmithJson::isRun(first))
        return "these are LangSmith runs without messages, as those of tools are; export the whole trace, or the runs "
               "of its model; ";
    if (const std::string_view json = jsonFind(first, "json"); !jsonFind(json, "runs").empty())
        return "these are the runs of a development server; open the folder, or .langgraphjs_api.checkpointer.json in "
               "it; ";
    if (items && items->empty() && document.starts_with('['))
        return "the list is empty; ";
    return {};
}

} // namespace

bool looksLikeJson(std::string_view text)
{
    const std::size_t at = jsonSpace(text, text.starts_with("\xEF\xBB\xBF") ? 3 : 0);
    return at < text.size() && (text[at] == '{' || text[at] == '[');
}

Result<std::string> readWholeFile(const std::string &path)
{
    QFile file(QString::fromStdString(path));
    if (!file.exists())
        return failure(Error::Code::NotFound, path, "there is no such file");
    if (!file.open(QIODevice::ReadOnly))
        return failure(Error::Code::Unreadable, path, file.errorString().toStdString());
    if (file.size() > fileLimit)
        return failure(Error::Code::Limit, path, "the file is larger than 2 GB");
    std::string bytes(static_cast<std::size_t>(file.size()), '\0');
    const qint64 read = file.read(bytes.data(), static_cast<qint64>(bytes.size()));
    if (read < 0)
        return failure(Error::Code::Unreadable, path, file.errorString().toStdString());
    bytes.resize(static_cast<std::size_t>(read));
    return bytes;
}

const char *JsonSource::lookedFor()
{
    return "JSON of a LangGraph server (a thread, a state, a history), a state or messages as LangChain, LangSmith or "
           "OpenAI's clients write them, JSON lines of these, and the stream of a run (text/event-stream)";
}

Result<std::unique_ptr<JsonSource>> JsonSource::open(const std::string &path)
{
    Result<std::string> text = readWholeFile(path);
    if (!text)
        return tl::unexpected(text.error());
    return fromText(*std::move(text), path);
}

Result<std::unique_ptr<JsonSource>> JsonSource::fromText(
    std::string text, const std::string &location, const std::string &kind)
{
    std::unique_ptr<JsonSource> source(new JsonSource);
    source->m_text = std::move(text);
    const std::string stem = std::filesystem::path(location).stem().string();
    const std::string name = stem.empty() ? "thread" : stem;
    if (looksLikeEventStream(source->m_text)) {
        if (!EventStream(source->m_rows, name).read(source->m_text))
            return failure(Error::Code::Unsupported, location,
                "a stream of events without a state, an update or a message of a thread; looked for the modes values, "
                "updates, messages, checkpoints and debug");
        source->takeRows(location, kind);
        return source;
    }
    const Result<std::vector<std::string_view>> documents = documentsOf(source->m_text);
    if (!documents)
        return failure(documents.error().code, location + ": " + documents.error().where, documents.error().what);
    if (documents->empty() || !Reader(source->m_rows, name).read(*documents))
        return failure(Error::Code::Unsupported, location,
            (documents->empty() ? std::string() : otherKind(documents->front()))
                + "JSON without a thread; looked for: " + lookedFor());
    source->takeRows(location, kind);
    return source;
}

void JsonSource::takeRows(const std::string &location, const std::string &kind)
{
    m_info.kind = kind;
    m_info.location = location;
    m_info.what = m_rows.what;
    m_info.language = m_rows.language;
    m_info.hasTaskPath = m_rows.hasTaskPath;
    m_info.findings = std::move(m_rows.findings);
    hold(std::move(m_rows.threads));
}

} // namespace palimpsest
