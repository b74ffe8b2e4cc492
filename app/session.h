// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/jobrunner.h"
#include "core/artifacts/artifactview.h"
#include "core/base/result.h"
#include "core/sources/checkpointsource.h"
#include "core/thread/threadreader.h"
#include "models/focus.h"

#include <QFileSystemWatcher>
#include <QObject>
#include <QTimer>
#include <functional>
#include <memory>

namespace palimpsest {

class SettingsStore;
struct SettingsSet;

/// How a session reads: what core offers, or a test's own. All are called on the reader's thread.
struct SourceReader {
    /// The rows of a source's first threads, and whether there are more.
    struct FirstThreads {
        std::vector<ThreadRow> rows;
        bool more = false;
    };
    /// Gives the thread when it has changed since the last call, else null.
    using Poll = std::function<Result<ThreadPtr>(const JobContext &job)>;

    std::function<Result<std::shared_ptr<CheckpointSource>>(const std::string &location, const JobContext &job)> open;
    std::function<Result<std::vector<ThreadRow>>(CheckpointSource &source, bool full, const JobContext &job)> list;
    std::function<Result<ThreadPtr>(
        CheckpointSource &source, const std::string &threadId, const LoadOptions &options, const JobContext &job)>
        load;
    std::function<Result<std::vector<ChannelState>>(
        CheckpointSource &source, const Thread &thread, const std::string &ns, CheckpointIndex checkpoint)>
        channels;
    /// As `list`, but only as many as are there soon; may be empty.
    std::function<Result<FirstThreads>(CheckpointSource &source, const JobContext &job)> first;
    /// How a thread is followed that another process goes on with; may be empty.
    std::function<Poll(CheckpointSource &source, const std::string &threadId, const LoadOptions &options)> follow;
    /// Looks for a text in all threads; may be empty.
    std::function<Result<void>(CheckpointSource &source, const std::string &text,
        const std::function<void(const std::string &threadId)> &found, const JobContext &job)>
        search;
};

/// The composition root without widgets: opens sources and loads threads in jobs (the newest wins, partial results
/// first), and owns what every pane is given.
class Session : public QObject {
    Q_OBJECT
public:
    Session(SettingsStore &settings, SourceReader reader, QObject *parent = nullptr);
    ~Session() override;

    [[nodiscard]] Selection *selection() { return &m_selection; }
    [[nodiscard]] Focus *focus() { return &m_focus; }
    [[nodiscard]] SettingsStore &settings() { return m_settings; }
    /// Jobs that need no source: counting, searching, laying out.
    [[nodiscard]] JobRunner &workers() { return m_workers; }
    /// Long jobs that nobody waits for: rules, checks of what was read.
    [[nodiscard]] JobRunner &background() { return m_background; }

    /// Opens a location at a place; what `at` leaves open is taken from the last visit. `at.thread` may be a unique
    /// prefix.
    void open(const QString &location, const Place &at = {});
    /// Reads the open location again and stays at the place.
    void reload();
    /// Stops whatever is loading; what is there stays.
    void cancel();
    [[nodiscard]] bool isBusy() const;
    /// What the panes show is another thread than the chosen one, which is being loaded.
    [[nodiscard]] bool isStale() const;

    /// Whether what other processes add to the thread is taken up as it comes; the place stays.
    void setFollowing(bool following);
    [[nodiscard]] bool isFollowing() const { return m_followTimer.isActive(); }

    /// What is open, without a password: to be shown and remembered.
    [[nodiscard]] QString location() const { return m_location; }
    [[nodiscard]] const SourceInfo &info() const { return m_info; }
    [[nodiscard]] const std::vector<ThreadRow> &threads() const { return m_rows; }
    /// Folders of files that belong to the source: the one beside it and those the user added.
    [[nodiscard]] const std::vector<ArtifactFolder> &folders() const { return m_folders; }
    /// Adds a folder of files. Error NotFound when there is none.
    /// `route` is what the agent calls it ("/memories/"), empty for the root of its files; both are remembered for the
    /// location.
    Result<void> addFolder(const QString &folder, const QString &route = {});
    /// Adds a namespace of a store in the same way ("store:NAMESPACE" or "store:NAMESPACE@SOURCE", see ArtifactPlace);
    /// `failed` tells when there is none.
    void addStore(const QString &where, const QString &route);
    /// What was added to the open location: each a folder or a store's namespace, and the agent's name for it.
    [[nodiscard]] QList<std::pair<QString, QString>> places() const;
    /// Takes one of them away again.
    void removePlace(const QString &where);
    /// Whether Overwrites that lost their type are taken as the reset points they may have been; reads the thread
    /// again.
    void setUntypedOverwriteResets(bool resets);
    /// Settings that reproduce the recording: the rules then speak of them instead of inferred ones. Null: none are
    /// known.
    void setSettingsOfRun(std::shared_ptr<const SettingsSet> settings);
    /// The command line that opens the window at the place.
    [[nodiscard]] QString placeCommand() const;

    /// Looks for a text in the messages of all threads, regardless of case; `found` is told of each thread that has it.
    /// Empty: ends the search that runs.
    void searchThreads(const QString &text, QObject *receiver, std::function<void(const QString &threadId)> found);

    /// Reads every channel of a checkpoint of the loaded thread; a newer request replaces one that waits.
    void readChannels(const std::string &ns, CheckpointIndex checkpoint, QObject *receiver,
        std::function<void(const Result<std::vector<ChannelState>> &)> done);

Q_SIGNALS:
    /// A source is open. Of a file with one thread the row follows when the thread is shown.
    void opened();
    /// More threads of the source are listed.
    void threadsChanged();
    void foldersChanged();
    void followingChanged(bool following);
    /// A thread is there, perhaps in part.
    void threadLoaded();
    /// Work on the source begins or ends.
    void busyChanged(bool busy);
    /// Fraction from 0 to 1, negative when unknown.
    void progressed(double fraction, const QString &doing);
    /// The last open or load did not succeed: what, where and what to do is in the error. What was shown before stays.
    void failed(const palimpsest::Error &error);
    /// Something of the place that was asked for is not in the thread; a sentence says what.
    void placeMissing(const QString &what);
    /// Opening or loading was stopped by the user.
    void cancelled();

private:
    struct Keeper;
    struct Opened;
    struct OpenPart;
    void onSelection(const Place &now, const Place &before);
    void takeOpened(const Opened &source, const QString &target, const QString &shown, bool asked);
    void stopLoading();
    void loadThread(const std::string &id);
    void takeThread(const Result<ThreadPtr> &result);
    void showThread(const ThreadPtr &thread);
    void findFacts(const ThreadPtr &thread);
    void findFindings(const ThreadPtr &thread);
    void listThreads();
    void poll();
    void watchFiles();
    void takeFolders(std::vector<ArtifactFolder> folders);
    /// Shows a thread and finds out what there is to know of it.
    void study(const ThreadPtr &thread);
    void settle();
    void verifyLater(const std::string &id);
    void verifySnapshots(const ThreadPtr &thread);
    void remember();

    SettingsStore &m_settings;
    SourceReader m_read;
    std::shared_ptr<Keeper> m_keeper; ///< the open source; only the reader's thread looks inside
    Selection m_selection;
    Focus m_focus;
    QString m_location;
    QString m_target; ///< as it was given; only ever handed to the reader
    SourceInfo m_info;
    std::vector<ThreadRow> m_rows;
    std::vector<ArtifactFolder> m_folders;
    std::string m_loading; ///< id of the thread that is being loaded
    std::shared_ptr<const SettingsSet> m_settingsOfRun; ///< of the loaded thread
    bool m_untypedOverwriteResets = false;
    bool m_moreThreads = false; ///< `m_rows` are the first ones
    bool m_asked = false; ///< the place was asked for, and the thread is not all there yet
    QTimer m_followTimer;
    QTimer m_pollSoon; ///< a file of the source has changed
    QFileSystemWatcher m_watcher; ///< of the source's files, while it is followed
    JobRunner m_workers;
    JobRunner m_background{JobRunner::Urgency::Idle};
    JobRunner m_reader; ///< last: it ends first, and closes the source on its own thread
};

} // namespace palimpsest
