// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session.h"

#include "app/settingsstore.h"

#include <QFileInfo>
#include <algorithm>

namespace palimpsest {

using namespace Qt::StringLiterals;

namespace {

const QString openLane = u"open"_s;
const QString threadLane = u"thread"_s;
const QString channelsLane = u"channels"_s;
const QString factsLane = u"facts"_s;

struct Opened {
    SourceInfo info;
    std::vector<ThreadRow> rows;
    std::vector<ArtifactFolder> folders;
};

/// The place to start at: what was asked for, else the last visit, else the thread with the newest checkpoint.
Result<Place> startPlace(
    const std::vector<ThreadRow> &rows, const Place &at, const Place &last, const std::string &where)
{
    const auto has = [&](const std::string &id) {
        return std::ranges::any_of(rows, [&](const ThreadRow &row) { return row.id == id; });
    };
    Place place = at;
    if (!at.thread.empty() && !has(at.thread)) {
        std::vector<std::string> matches;
        for (const ThreadRow &row : rows) {
            if (row.id.starts_with(at.thread))
                matches.push_back(row.id);
        }
        if (matches.size() != 1)
            return failure(matches.empty() ? Error::Code::NotFound : Error::Code::Invalid, where,
                (matches.empty() ? "No thread begins with \"" : "More than one thread begins with \"") + at.thread
                    + "\"; choose one from the list.");
        place.thread = matches.front();
    }
    if (at == Place{} && has(last.thread))
        return last;
    if (place.thread.empty() && has(last.thread))
        place.thread = last.thread;
    if (place.thread.empty() && !rows.empty())
        place.thread = std::ranges::max_element(rows, {}, &ThreadRow::last)->id;
    return place;
}

} // namespace

struct Session::Keeper {
    std::shared_ptr<CheckpointSource> source;
};

Session::Session(SettingsStore &settings, SourceReader reader, QObject *parent)
    : QObject(parent)
    , m_settings(settings)
    , m_read(std::move(reader))
    , m_keeper(std::make_shared<Keeper>())
    , m_focus(&m_selection)
{
    m_reader.setAtEnd([keeper = m_keeper] { keeper->source.reset(); });
    connect(&m_selection, &Selection::changed, this, &Session::onSelection);
    const auto tellBusy = [this](const QString &lane) {
        if (lane != channelsLane)
            Q_EMIT busyChanged(isBusy());
    };
    connect(&m_reader, &JobRunner::started, this, tellBusy);
    connect(&m_reader, &JobRunner::finished, this, tellBusy);
    connect(
        &m_reader, &JobRunner::progressed, this, [this](const QString &lane, double fraction, const QString &doing) {
            if (lane != channelsLane)
                Q_EMIT progressed(fraction, doing);
        });
}

Session::~Session()
{
    remember();
    m_reader.cancelAll();
    m_workers.cancelAll();
}

bool Session::isBusy() const
{
    return m_reader.isBusy(openLane) || m_reader.isBusy(threadLane);
}

void Session::open(const QString &location, const Place &at)
{
    remember();
    m_reader.cancel(threadLane);
    const std::string where = location.toStdString();
    m_reader.run(
        openLane, this,
        [keeper = m_keeper, open = m_read.open, list = m_read.list, where](const JobContext &job) -> Result<Opened> {
            if (!open)
                return failure(Error::Code::Unsupported, where, "This build reads no sources.");
            auto source = open(where, job);
            if (!source)
                return tl::unexpected(source.error());
            auto rows = list(**source, false, job);
            if (!rows)
                return tl::unexpected(rows.error());
            keeper->source = *source;
            Opened opened{(*source)->info(), std::move(*rows), {}};
            opened.folders = foldersOf(opened.info);
            return opened;
        },
        [this, location, at, where](const Result<Opened> &result) {
            if (!result) {
                Q_EMIT failed(result.error());
                return;
            }
            m_info = result->info;
            m_rows = result->rows;
            m_folders = result->folders;
            m_location = location;
            m_loading.clear();
            m_settings.addRecent(location);
            const auto place = startPlace(m_rows, at, m_settings.lastPlace(location), where);
            m_focus.setThread(nullptr);
            m_selection.reset();
            Q_EMIT opened();
            Q_EMIT foldersChanged();
            if (!place) {
                Q_EMIT failed(place.error());
                return;
            }
            m_selection.setPlace(*place);
        });
}

void Session::reload()
{
    if (!m_location.isEmpty())
        open(QString(m_location), m_selection.place());
}

void Session::cancel()
{
    if (!isBusy())
        return;
    m_reader.cancel(openLane);
    m_reader.cancel(threadLane);
    m_loading.clear();
    Q_EMIT cancelled();
}

void Session::onSelection(const Place &now, const Place &before)
{
    if (now.thread == before.thread || now.thread.empty())
        return;
    loadThread(now.thread);
}

void Session::loadThread(const std::string &id)
{
    if (id == m_loading)
        return;
    m_loading = id;
    m_reader.runInParts<ThreadPtr>(
        threadLane, this,
        [keeper = m_keeper, load = m_read.load, id](
            const JobContext &job, const std::function<void(ThreadPtr)> &emitPart) -> Result<ThreadPtr> {
            if (!keeper->source)
                return failure(Error::Code::NotFound, id, "Nothing is open.");
            LoadOptions options;
            options.partial = emitPart;
            return load(*keeper->source, id, options, job);
        },
        [this](const ThreadPtr &part) { showThread(part); },
        [this](const Result<ThreadPtr> &result) {
            m_loading.clear();
            if (!result) {
                if (result.error().code != Error::Code::Cancelled)
                    Q_EMIT failed(result.error());
                return;
            }
            showThread(*result);
            m_workers.run(
                factsLane, this, [thread = *result](const JobContext &job) { return makeLogFacts(thread, job); },
                [this](const Result<LogFactsPtr> &facts) {
                    if (facts)
                        m_focus.setFacts(*facts);
                });
        });
}

void Session::showThread(const ThreadPtr &thread)
{
    if (!thread || thread->id != m_selection.place().thread)
        return;
    m_focus.setThread(thread);
    Q_EMIT threadLoaded();
}

void Session::readChannels(const std::string &ns, CheckpointIndex checkpoint, QObject *receiver,
    std::function<void(const Result<std::vector<ChannelState>> &)> done)
{
    const ThreadPtr thread = m_focus.thread();
    if (!thread)
        return;
    m_reader.run(
        channelsLane, receiver,
        [keeper = m_keeper, read = m_read.channels, thread, ns, checkpoint](
            const JobContext &) -> Result<std::vector<ChannelState>> {
            if (!keeper->source)
                return failure(Error::Code::NotFound, ns, "Nothing is open.");
            return read(*keeper->source, *thread, ns, checkpoint);
        },
        std::move(done));
}

Result<void> Session::addFolder(const QString &folder)
{
    auto opened = ArtifactFolder::open(folder.toStdString());
    if (!opened)
        return tl::unexpected(opened.error());
    m_folders.push_back(std::move(*opened));
    Q_EMIT foldersChanged();
    return {};
}

void Session::remember()
{
    if (!m_location.isEmpty() && !m_selection.place().thread.empty())
        m_settings.setLastPlace(m_location, m_selection.place());
}

QString Session::placeCommand() const
{
    const Place &place = m_selection.place();
    const auto quoted = [](const QString &text) {
        static const QString plain = u"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=+@%,"_s;
        const bool bare = !text.isEmpty() && std::ranges::all_of(text, [](QChar c) { return plain.contains(c); });
        return bare ? text : u'\'' + QString(text).replace(u'\'', u"'\\''"_s) + u'\'';
    };
    QString command = u"palimpsest "_s + quoted(m_location);
    const auto add = [&](QStringView option, const std::string &value) {
        if (!value.empty())
            command += u" --"_s + option.toString() + u' ' + quoted(QString::fromStdString(value));
    };
    add(u"thread", place.thread);
    add(u"ns", place.ns);
    if (!place.message.empty())
        add(u"message", place.message);
    else if (place.call.isValid())
        add(u"call", std::to_string(place.call.value));
    else
        add(u"checkpoint", place.checkpoint);
    return command;
}

} // namespace palimpsest
