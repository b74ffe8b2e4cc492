// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sources/net/serverthread.h"

#include "core/serde/jsonscan.h"
#include "core/sources/jsonsource.h"
#include "core/sources/net/httpclient.h"
#include "core/values/json.h"

#include <QString>

#include <algorithm>
#include <initializer_list>
#include <unordered_set>

namespace palimpsest {
namespace {

using Answer = HttpClient::Answer;

/// A server that repeats itself must not be asked for ever.
constexpr std::size_t pageLimit = 100'000;

/// What a status other than 200 means for the user.
Error statusError(const std::string &where, int status)
{
    switch (status) {
    case 401:
    case 403:
        return {Error::Code::Unreadable, where,
            "the server wants another key (status " + std::to_string(status) + "); set LANGGRAPH_API_KEY"};
    case 404:
    case 422:
        return {
            Error::Code::NotFound, where, "the server knows no such thread (status " + std::to_string(status) + ")"};
    default:
        return {Error::Code::Unreadable, where, "the server answers with status " + std::to_string(status)};
    }
}

/// What one page of a history brought.
struct Page {
    std::vector<std::string_view> states; ///< those not seen before
    std::string oldest; ///< id of the last one
    bool ended = false; ///< the last one has no parent
};

std::string idOf(std::string_view state, std::string_view place)
{
    return jsonText(jsonFind(jsonFind(state, place), "checkpoint_id")).value_or("");
}

Result<Page> readPage(std::string_view body, std::unordered_set<std::string> &seen)
{
    const Result<std::vector<ByteRange>> items = jsonElements(body);
    if (!items)
        return tl::unexpected(items.error());
    if (!body.substr(jsonSpace(body, 0)).starts_with('['))
        return failure(
            Error::Code::Malformed, {}, "a history is a list of states, and the server sends something else");
    Page page;
    for (const ByteRange &item : *items) {
        const std::string_view state = item.of(body);
        const std::string id = idOf(state, "checkpoint");
        if (id.empty() || !seen.insert(id).second)
            continue;
        page.states.push_back(state);
        page.oldest = id;
        page.ended = idOf(state, "parent_checkpoint").empty();
    }
    return page;
}

class ServerThread {
public:
    ServerThread(std::string address, const ServerAccess &access, const JobContext &job)
        : m_address(std::move(address))
        , m_access(access)
        , m_job(job)
        , m_client(QByteArray::fromStdString(access.apiKey), access.timeoutMs)
    {
    }

    /// The history as one JSON list, newest first; the thread itself when it has none.
    Result<std::string> read()
    {
        std::string all = "[";
        std::unordered_set<std::string> seen;
        std::string before;
        for (std::size_t pages = 0; pages < pageLimit; ++pages) {
            const Result<std::string> body = history(before);
            if (!body)
                return body;
            const Result<Page> page = readPage(*body, seen);
            if (!page)
                return failure(page.error().code, m_address + "/history", page.error().what);
            for (const std::string_view state : page->states) {
                all += all.size() > 1 ? "," : "";
                all += state;
            }
            m_job.report(-1, "reading history");
            if (page->states.empty() || page->ended)
                break;
            before = page->oldest;
        }
        if (seen.empty())
            return thread();
        return all + "]";
    }

private:
    /// How a page is asked for: langgraph-api (0.16.7) wants the place behind which it begins as a config, langgraphjs
    /// (1.5.1) as text, and a server in front may let nothing but reading through.
    enum class Form { Config, Text, Get };

    Result<Answer> askPage(Form form, const std::string &before)
    {
        const std::string limit = std::to_string(m_access.page);
        if (form == Form::Get)
            return ask("/history?limit=" + limit
                    + (before.empty()
                            ? ""
                            : "&before=" + QUrl::toPercentEncoding(QString::fromStdString(before)).toStdString()),
                {});
        std::string body = "{\"limit\":" + limit;
        if (!before.empty()) {
            std::string id;
            writeJsonText(id, before);
            body += ",\"before\":"
                + (form == Form::Text
                        ? id
                        : "{\"checkpoint_id\":" + id + ",\"configurable\":{\"checkpoint_id\":" + id + "}}");
        }
        return ask("/history", body + "}");
    }

    Result<std::string> history(const std::string &before)
    {
        Result<Answer> answer = askPage(m_form, before);
        const auto is = [&answer](std::initializer_list<int> statuses) {
            return answer && std::ranges::find(statuses, answer->status) != statuses.end();
        };
        if (m_form == Form::Config && !before.empty() && is({400, 422}))
            answer = askPage(m_form = Form::Text, before);
        if (m_form != Form::Get && is({405, 501}))
            answer = askPage(m_form = Form::Get, before);
        if (!answer)
            return tl::unexpected(answer.error());
        if (answer->status != 200)
            return tl::unexpected(statusError(m_address, answer->status));
        return std::move(answer->body);
    }

    Result<std::string> thread()
    {
        Result<Answer> answer = ask({}, {});
        if (!answer)
            return tl::unexpected(answer.error());
        if (answer->status != 200)
            return tl::unexpected(statusError(m_address, answer->status));
        return std::move(answer->body);
    }

    Result<Answer> ask(const std::string &below, const std::string &body)
    {
        return m_client.ask(QUrl(QString::fromStdString(m_address + below)), QByteArray::fromStdString(body), m_job);
    }

    std::string m_address;
    const ServerAccess &m_access;
    const JobContext &m_job;
    HttpClient m_client;
    Form m_form = Form::Config;
};

/// The address without its user's name and password, query and a trailing slash, for what is sent and shown.
Result<std::string> threadAddress(const std::string &given)
{
    const QUrl url(QString::fromStdString(given));
    const QString shown = url.toString(QUrl::RemoveUserInfo | QUrl::RemoveQuery | QUrl::RemoveFragment);
    const QString path = url.path();
    const qsizetype at = path.lastIndexOf(QLatin1StringView("/threads/"));
    const QString id = at < 0 ? QString() : path.mid(at + 9).section(u'/', 0, 0);
    if (!url.isValid() || url.host().isEmpty() || id.isEmpty())
        return failure(Error::Code::Invalid, shown.toStdString(),
            "is no thread's address; a thread of a running LangGraph server is http(s)://host/threads/<id>");
    QUrl clean(url);
    clean.setUserInfo({});
    clean.setQuery(QString());
    clean.setFragment({});
    clean.setPath(path.left(at + 9) + id);
    return clean.toString().toStdString();
}

} // namespace

ServerAccess ServerAccess::fromEnvironment()
{
    ServerAccess access;
    for (const char *name : {"LANGGRAPH_API_KEY", "LANGSMITH_API_KEY", "LANGCHAIN_API_KEY"}) {
        const QByteArray key = qgetenv(name).trimmed();
        if (key.isEmpty())
            continue;
        access.apiKey = key.toStdString();
        break;
    }
    return access;
}

bool isServerAddress(const std::string &location)
{
    return location.starts_with("http://") || location.starts_with("https://");
}

Result<std::unique_ptr<CheckpointSource>> openServerThread(
    const std::string &address, const ServerAccess &access, const JobContext &job)
{
    const Result<std::string> clean = threadAddress(address);
    if (!clean)
        return tl::unexpected(clean.error());
    Result<std::string> text = ServerThread(*clean, access, job).read();
    if (!text)
        return tl::unexpected(text.error());
    Result<std::unique_ptr<JsonSource>> source = JsonSource::fromText(*std::move(text), *clean, "server");
    if (!source)
        return tl::unexpected(source.error());
    return std::unique_ptr<CheckpointSource>(std::move(*source));
}

} // namespace palimpsest
