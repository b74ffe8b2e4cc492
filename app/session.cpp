// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session.h"

#include "app/settingsstore.h"
#include "app/sourceoptions.h"
#include "core/artifacts/artifactplace.h"
#include "core/artifacts/folderproposal.h"
#include "core/insight/lint/lint.h"
#include "core/sources/sourceprobe.h"
#include "core/thread/placecommand.h"
#include "core/thread/snapshotcheck.h"
#include "models/display.h"
#include "models/navigator.h"

#include <QFileInfo>
#include <QTimer>

#include <algorithm>
#include <chrono>
#include <utility>

namespace palimpsest {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

const QString openLane = u"open"_s;
const QString threadLane = u"thread"_s;
const QString channelsLane = u"channels"_s;
const QString factsLane = u"facts"_s;
const QString listLane = u"list"_s;
const QString followLane = u"follow"_s;
const QString searchLane = u"search"_s;
const QString placesLane = u"places"_s;
const QString lintLane = u"lint"_s;
const QString snapshotsLane = u"snapshots"_s;
constexpr auto beforeVerifying = 2s; ///< the window comes to rest first

/// A new checkpoint is to be on the screen 300 ms after it was written, what it costs to draw it included.
constexpr int followMilliseconds = 100;
/// A commit writes to its files more than once.
constexpr int afterChangeMilliseconds = 10;

/// Lanes that work beside what the user waits for.
bool isQuiet(const QString &lane)
{
    return lane == channelsLane || lane == listLane || lane == followLane || lane == placesLane;
}

bool hasFinding(const Thread &thread, std::string_view rule)
{
    const auto is = [&](const Finding &finding) { return finding.rule == rule; };
    return std::ranges::any_of(thread.namespaces, [&](const ThreadNamespace &space) {
        return std::ranges::any_of(space.checkpoints,
            [&](const Checkpoint &checkpoint) { return std::ranges::any_of(checkpoint.findings, is); });
    });
}

using Places = QList<std::pair<QString, QString>>;

ArtifactPlace placeOf(const QString &where, const QString &route)
{
    return {route.toStdString(), where.toStdString()};
}

/// All folders of files of a source, with those that were added. One that is gone may come back, on a medium for
/// instance: it stays remembered.
std::vector<ArtifactFolder> openPlaces(CheckpointSource &source, const Places &added, const JobContext &job)
{
    std::vector<ArtifactFolder> folders = foldersOf(source.info());
    for (const auto &[where, route] : added)
        if (auto found = openArtifactPlace(placeOf(where, route), source, sourceOptions(job)))
            folders.push_back(std::move(*found));
    return folders;
}

/// The one thread of a file; nothing when there are several, or where it would take long to tell.
std::optional<std::string> onlyThread(CheckpointSource &source, const JobContext &job)
{
    if (source.info().kind != "sqlite")
        return std::nullopt;
    const auto ids = source.threadIds(job);
    return ids && ids->size() == 1 ? std::optional(ids->front()) : std::nullopt;
}

/// The place to start at: what was asked for, else the last visit, else the thread with the newest checkpoint.
Result<Place> startPlace(
    const std::vector<ThreadRow> &rows, bool more, const Place &at, const Place &last, const std::string &where)
{
    // A thread may be one of those that are not listed yet.
    const auto has = [&](const std::string &id) {
        return (more && !id.empty()) || std::ranges::any_of(rows, [&](const ThreadRow &row) { return row.id == id; });
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

/// What a session learns of a source when it opens it.
struct Session::Opened {
    SourceInfo info;
    std::vector<ThreadRow> rows;
    bool more = false; ///< there are more threads than those rows
    bool named = false; ///< of the only thread just the id is known
    std::vector<ArtifactFolder> folders;
    Place place; ///< where to start; without a thread there is nothing to read
};

/// One of them: the source, or a part of the thread that is read first.
struct Session::OpenPart {
    std::shared_ptr<const Opened> opened;
    ThreadPtr thread;
};

struct Session::Keeper {
    std::shared_ptr<CheckpointSource> source;
    std::string followed; ///< the thread that `poll` asks for
    SourceReader::Poll poll; ///< looks at `source`
};

Session::Session(SettingsStore &settings, SourceReader reader, QObject *parent)
    : QObject(parent)
    , m_settings(settings)
    , m_read(std::move(reader))
    , m_keeper(std::make_shared<Keeper>())
    , m_focus(&m_selection)
{
    m_reader.setAtEnd([keeper = m_keeper] {
        keeper->poll = {};
        keeper->source.reset();
    });
    connect(&m_selection, &Selection::changed, this, &Session::onSelection);
    const auto tellBusy = [this](const QString &lane) {
        if (!isQuiet(lane))
            Q_EMIT busyChanged(isBusy());
    };
    connect(&m_reader, &JobRunner::started, this, tellBusy);
    connect(&m_reader, &JobRunner::finished, this, tellBusy);
    connect(
        &m_reader, &JobRunner::progressed, this, [this](const QString &lane, double fraction, const QString &doing) {
            if (!isQuiet(lane))
                Q_EMIT progressed(fraction, doing);
        });
    m_followTimer.setInterval(followMilliseconds);
    connect(&m_followTimer, &QTimer::timeout, this, &Session::poll);
    m_pollSoon.setSingleShot(true);
    m_pollSoon.setInterval(afterChangeMilliseconds);
    connect(&m_pollSoon, &QTimer::timeout, this, &Session::poll);
    const auto changed = [this] {
        watchFiles(); // one that was replaced is another one
        if (!m_pollSoon.isActive())
            m_pollSoon.start();
    };
    connect(&m_watcher, &QFileSystemWatcher::fileChanged, this, changed);
    connect(&m_watcher, &QFileSystemWatcher::directoryChanged, this, changed);
}

Session::~Session()
{
    remember();
    m_reader.cancelAll();
    m_workers.cancelAll();
    m_background.cancelAll();
}

bool Session::isBusy() const
{
    return m_reader.isBusy(openLane) || m_reader.isBusy(threadLane) || m_reader.isBusy(searchLane);
}

bool Session::isStale() const
{
    return !m_loading.empty() && m_focus.thread() && m_focus.thread()->id != m_selection.place().thread;
}

void Session::open(const QString &location, const Place &at)
{
    remember();
    m_reader.cancel(threadLane);
    m_loading.clear();
    for (const QString &lane : {listLane, followLane, searchLane})
        m_reader.cancel(lane);
    m_background.cancelAll();
    // What was remembered of an open source has no password; the session still knows it.
    const QString target = location == m_location ? m_target : location;
    const std::string where = target.toStdString();
    const QString shown = QString::fromStdString(publicLocation(where));
    // The place is chosen where the source is read: the thread comes without waiting for a window that is still built.
    m_reader.runInParts<OpenPart>(
        openLane, this,
        [keeper = m_keeper, read = m_read, where, added = m_settings.folders(shown), at,
            last = m_settings.lastPlace(shown), resets = m_untypedOverwriteResets](
            const JobContext &job, const std::function<void(OpenPart)> &emitPart) -> Result<ThreadPtr> {
            if (!read.open)
                return failure(Error::Code::Unsupported, publicLocation(where), "This build reads no sources.");
            auto source = read.open(where, job);
            if (!source)
                return tl::unexpected(source.error());
            Opened opened;
            if (const auto only = onlyThread(**source, job)) {
                // Where there is nothing to choose from, the thread is read before it is described.
                opened.rows.emplace_back().id = *only;
                opened.named = true;
            } else if (read.first) {
                auto first = read.first(**source, job);
                if (!first)
                    return tl::unexpected(first.error());
                opened.rows = std::move(first->rows);
                opened.more = first->more;
            } else {
                auto rows = read.list(**source, false, job);
                if (!rows)
                    return tl::unexpected(rows.error());
                opened.rows = std::move(*rows);
            }
            keeper->poll = {};
            keeper->source = *source;
            opened.info = (*source)->info();
            opened.folders = openPlaces(**source, added, job);
            const auto place = startPlace(opened.rows, opened.more, at, last, publicLocation(where));
            opened.place = place.value_or(Place{});
            emitPart({std::make_shared<const Opened>(std::move(opened)), nullptr});
            if (!place)
                return tl::unexpected(place.error());
            if (place->thread.empty())
                return ThreadPtr();
            LoadOptions options;
            options.partial = [&emitPart](ThreadPtr part) { emitPart({nullptr, std::move(part)}); };
            options.untypedOverwriteResets = resets;
            return read.load(**source, place->thread, options, job);
        },
        [this, target, shown, asked = at != Place{}](const OpenPart &part) {
            if (part.opened)
                takeOpened(*part.opened, target, shown, asked);
            else
                showThread(part.thread);
        },
        [this](const Result<ThreadPtr> &result) { takeThread(result); });
}

void Session::takeOpened(const Opened &source, const QString &target, const QString &shown, bool asked)
{
    m_info = source.info;
    m_rows = source.rows;
    m_moreThreads = source.more || source.named;
    m_folders = source.folders;
    m_location = shown;
    m_target = target;
    m_loading = source.place.thread; // by the job that opened the source
    m_settings.addRecent(shown);
    watchFiles();
    m_asked = asked;
    m_focus.setThread(nullptr);
    m_selection.reset();
    Q_EMIT opened();
    Q_EMIT foldersChanged();
    if (!source.place.thread.empty())
        m_selection.setPlace(source.place);
}

void Session::reload()
{
    if (!m_location.isEmpty())
        open(QString(m_target), m_selection.place());
}

void Session::setUntypedOverwriteResets(bool resets)
{
    if (std::exchange(m_untypedOverwriteResets, resets) != resets)
        reload();
}

void Session::cancel()
{
    if (!isBusy())
        return;
    m_reader.cancel(openLane);
    m_reader.cancel(threadLane);
    m_reader.cancel(searchLane);
    m_loading.clear();
    // The thread that is still shown is the chosen one again.
    if (const ThreadPtr shown = m_focus.thread(); shown && shown->id != m_selection.place().thread) {
        if (m_selection.canGoBack())
            m_selection.back();
        else
            m_selection.setThread(shown->id);
        stopLoading();
        showThread(shown);
    }
    Q_EMIT cancelled();
}

void Session::onSelection(const Place &now, const Place &before)
{
    if (now.thread == before.thread || now.thread.empty())
        return;
    const ThreadPtr shown = m_focus.thread();
    const bool whole = shown && std::ranges::none_of(shown->namespaces, &ThreadNamespace::partial);
    if (whole && shown->id == now.thread) {
        stopLoading();
        showThread(shown);
        return;
    }
    loadThread(now.thread);
}

/// The thread may be read by the job that opened its source; one that opens another source goes on.
void Session::stopLoading()
{
    if (!m_loading.empty())
        m_reader.cancel(m_reader.isBusy(threadLane) ? threadLane : openLane);
    m_loading.clear();
}

void Session::loadThread(const std::string &id)
{
    if (id == m_loading)
        return;
    stopLoading();
    m_loading = id;
    for (const QString &lane : {listLane, followLane, searchLane})
        m_reader.cancel(lane);
    m_background.cancelAll();
    m_reader.runInParts<ThreadPtr>(
        threadLane, this,
        [keeper = m_keeper, load = m_read.load, id, resets = m_untypedOverwriteResets](
            const JobContext &job, const std::function<void(ThreadPtr)> &emitPart) -> Result<ThreadPtr> {
            if (!keeper->source)
                return failure(Error::Code::NotFound, id, "Nothing is open.");
            LoadOptions options;
            options.partial = emitPart;
            options.untypedOverwriteResets = resets;
            return load(*keeper->source, id, options, job);
        },
        [this](const ThreadPtr &part) { showThread(part); },
        [this](const Result<ThreadPtr> &result) { takeThread(result); });
}

void Session::takeThread(const Result<ThreadPtr> &result)
{
    m_loading.clear();
    if (!result) {
        if (result.error().code != Error::Code::Cancelled)
            Q_EMIT failed(result.error());
        return;
    }
    if (!*result)
        return; // the source holds none
    study(*result);
    settle();
    listThreads();
    verifyLater((*result)->id);
}

void Session::settle()
{
    if (!std::exchange(m_asked, false))
        return;
    const SettledPlace settled = settlePlace(*m_focus.scene(), m_selection.place());
    if (settled.place != m_selection.place())
        m_selection.setPlace(settled.place, Selection::Step::Merge);
    if (!settled.missing.isEmpty())
        Q_EMIT placeMissing(settled.missing);
}

void Session::study(const ThreadPtr &thread)
{
    if (!m_focus.thread() || m_focus.thread()->id != thread->id)
        m_settingsOfRun = nullptr;
    showThread(thread);
    findFacts(thread);
    findFindings(thread);
}

void Session::findFacts(const ThreadPtr &thread)
{
    m_workers.run(
        factsLane, this, [thread](const JobContext &job) { return makeLogFacts(thread, job); },
        [this](const Result<LogFactsPtr> &facts) {
            if (facts)
                m_focus.setFacts(*facts);
        });
}

/// The rest of a long thread list, once the thread that the user looks at is there.
void Session::listThreads()
{
    if (!m_moreThreads)
        return;
    m_reader.run(
        listLane, this,
        [keeper = m_keeper, list = m_read.list](const JobContext &job) -> Result<std::vector<ThreadRow>> {
            if (!keeper->source)
                return failure(Error::Code::NotFound, {}, "Nothing is open.");
            return list(*keeper->source, false, job);
        },
        [this](const Result<std::vector<ThreadRow>> &rows) {
            if (!rows)
                return;
            m_moreThreads = false;
            m_rows = *rows;
            Q_EMIT threadsChanged();
        });
}

void Session::setFollowing(bool following)
{
    if (following == isFollowing() || (following && !m_read.follow))
        return;
    if (following)
        m_followTimer.start();
    else
        m_followTimer.stop();
    watchFiles();
    Q_EMIT followingChanged(following);
}

/// What the system tells of files comes sooner than the next look at them; not every file system tells.
void Session::watchFiles()
{
    QStringList wanted;
    const QFileInfo source(m_location);
    if (isFollowing() && source.isFile())
        for (const QString &path : {m_location, m_location + u"-wal"_s, source.absolutePath()})
            if (QFileInfo::exists(path))
                wanted << path;
    QStringList gone = m_watcher.files() + m_watcher.directories();
    gone.removeIf([&](const QString &path) { return wanted.contains(path); });
    if (!gone.isEmpty())
        m_watcher.removePaths(gone);
    const QStringList watched = m_watcher.files() + m_watcher.directories();
    wanted.removeIf([&](const QString &path) { return watched.contains(path); });
    if (!wanted.isEmpty())
        m_watcher.addPaths(wanted);
}

void Session::poll()
{
    const ThreadPtr thread = m_focus.thread();
    if (!thread || m_reader.isBusy())
        return;
    m_reader.run(
        followLane, this,
        [keeper = m_keeper, follow = m_read.follow, id = thread->id, resets = m_untypedOverwriteResets](
            const JobContext &job) -> Result<ThreadPtr> {
            if (!keeper->source)
                return ThreadPtr();
            if (!keeper->poll || keeper->followed != id) {
                LoadOptions options;
                options.untypedOverwriteResets = resets;
                keeper->poll = follow(*keeper->source, id, options);
                keeper->followed = id;
            }
            return keeper->poll(job);
        },
        [this](const Result<ThreadPtr> &result) {
            if (!result) {
                setFollowing(false);
                Q_EMIT failed(result.error());
            } else if (*result) {
                study(*result);
            }
        });
}

void Session::findFindings(const ThreadPtr &thread)
{
    m_background.run(
        lintLane, this,
        [thread, folders = m_folders, around = m_info, settings = m_settingsOfRun](
            const JobContext &job) -> Result<ThreadFindingsPtr> {
            LintOptions options;
            options.folders = folders;
            options.searched = searchFolders(around, folders);
            options.settings = settings.get();
            Result<std::vector<Finding>> found = lint(*thread, options, job);
            if (!found)
                return tl::unexpected(found.error());
            return std::make_shared<const ThreadFindings>(
                thread, std::move(*found), proposeFolders(missingFiles(*thread, folders), options.searched));
        },
        [this](const Result<ThreadFindingsPtr> &findings) {
            if (findings)
                m_focus.setFindings(*findings);
        });
}

void Session::setSettingsOfRun(std::shared_ptr<const SettingsSet> settings)
{
    const bool same = settings == m_settingsOfRun || (settings && m_settingsOfRun && *settings == *m_settingsOfRun);
    m_settingsOfRun = std::move(settings);
    if (const ThreadPtr thread = m_focus.thread(); thread && !same && !isStale())
        findFindings(thread);
}

void Session::verifyLater(const std::string &id)
{
    if (m_info.kind != "sqlite")
        return; // over a network it would read a whole thread twice
    QTimer::singleShot(beforeVerifying, this, [this, id, where = m_location] {
        if (where == m_location && m_focus.thread() && m_focus.thread()->id == id && !isBusy())
            verifySnapshots(m_focus.thread());
    });
}

void Session::verifySnapshots(const ThreadPtr &thread)
{
    // By a source of its own: panes may read through the other one meanwhile.
    m_background.run(
        snapshotsLane, this,
        [open = m_read.open, load = m_read.load, where = m_target.toStdString(), thread,
            resets = m_untypedOverwriteResets](const JobContext &job) -> Result<ThreadPtr> {
            auto source = open(where, job);
            if (!source)
                return tl::unexpected(source.error());
            // As a rule the snapshots say what was read already.
            const Result<bool> agree = snapshotsAgree(**source, *thread, job);
            if (!agree)
                return tl::unexpected(agree.error());
            if (*agree)
                return ThreadPtr();
            LoadOptions options;
            options.readSnapshots = true;
            options.untypedOverwriteResets = resets;
            return load(**source, thread->id, options, job);
        },
        [this](const Result<ThreadPtr> &result) {
            if (result && *result && hasFinding(**result, "snapshot-differs")
                && (*result)->id == m_selection.place().thread)
                study(*result);
        });
}

void Session::showThread(const ThreadPtr &thread)
{
    if (!thread || thread->id != m_selection.place().thread)
        return;
    m_focus.setThread(thread);
    Q_EMIT threadLoaded();
}

void Session::searchThreads(const QString &text, QObject *receiver, std::function<void(const QString &threadId)> found)
{
    m_reader.cancel(searchLane);
    if (text.isEmpty() || !m_read.search)
        return;
    m_reader.runInParts<std::string>(
        searchLane, receiver,
        [keeper = m_keeper, search = m_read.search, needle = text.toStdString()](
            const JobContext &job, const std::function<void(std::string)> &emitPart) -> Result<void> {
            if (!keeper->source)
                return failure(Error::Code::NotFound, needle, "Nothing is open.");
            return search(*keeper->source, needle, emitPart, job);
        },
        [found = std::move(found)](const std::string &threadId) { found(QString::fromStdString(threadId)); },
        [this](const Result<void> &done) {
            if (!done && done.error().code != Error::Code::Cancelled)
                Q_EMIT failed(done.error());
        });
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

Result<void> Session::addFolder(const QString &folder, const QString &route)
{
    auto opened = ArtifactFolder::open(folder.toStdString(), route.toStdString());
    if (!opened)
        return tl::unexpected(opened.error());
    m_settings.addFolder(m_location, folder, route);
    std::vector<ArtifactFolder> folders = m_folders;
    folders.push_back(std::move(*opened));
    takeFolders(std::move(folders));
    return {};
}

void Session::addStore(const QString &where, const QString &route)
{
    m_reader.run(
        placesLane, this,
        [keeper = m_keeper, place = placeOf(where, route)](const JobContext &job) -> Result<ArtifactFolder> {
            if (!keeper->source)
                return failure(Error::Code::NotFound, place.where, "Nothing is open.");
            return openArtifactPlace(place, *keeper->source, sourceOptions(job));
        },
        [this, where, route, location = m_location](const Result<ArtifactFolder> &opened) {
            if (!opened) {
                Q_EMIT failed(opened.error());
                return;
            }
            if (location != m_location)
                return;
            m_settings.addFolder(m_location, toQString(publicPlace(fromQString(where))), route);
            std::vector<ArtifactFolder> folders = m_folders;
            folders.push_back(*opened);
            takeFolders(std::move(folders));
        });
}

QList<std::pair<QString, QString>> Session::places() const
{
    return m_settings.folders(m_location);
}

void Session::removePlace(const QString &where)
{
    m_settings.removeFolder(m_location, where);
    m_reader.run(
        placesLane, this,
        [keeper = m_keeper, left = places()](const JobContext &job) {
            return keeper->source ? openPlaces(*keeper->source, left, job) : std::vector<ArtifactFolder>();
        },
        [this, location = m_location](const std::vector<ArtifactFolder> &folders) {
            if (location == m_location)
                takeFolders(folders);
        });
}

void Session::takeFolders(std::vector<ArtifactFolder> folders)
{
    m_folders = std::move(folders);
    Q_EMIT foldersChanged();
    if (const ThreadPtr thread = m_focus.thread(); thread && !isStale())
        findFindings(thread);
}

void Session::remember()
{
    if (!m_location.isEmpty() && !m_selection.place().thread.empty())
        m_settings.setLastPlace(m_location, m_selection.place());
}

QString Session::placeCommand() const
{
    const Place &place = m_selection.place();
    CommandPlace named{fromQString(m_location), place.thread, place.ns, place.checkpoint, {}, place.message};
    if (place.call.isValid())
        named.call = place.call.value;
    return toQString(palimpsest::placeCommand(named));
}

} // namespace palimpsest
