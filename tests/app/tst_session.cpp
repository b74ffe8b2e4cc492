// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session.h"
#include "app/settingsstore.h"
#include "app/windowarguments.h"
#include "tests/support/threadbuilder.h"

#include <QDir>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QtTest>
#include <atomic>
#include <thread>

using namespace palimpsest;
using namespace Qt::StringLiterals;

namespace {

/// A source of two threads that remembers the thread of execution it was used and destroyed on.
class FakeSource : public CheckpointSource {
public:
    explicit FakeSource(std::atomic<int> *wrongThread)
        : m_owner(std::this_thread::get_id())
        , m_wrongThread(wrongThread)
    {
    }
    ~FakeSource() override { check(); }
    SourceInfo info() const override { return {}; }
    Result<std::vector<ThreadRow>> threads(bool, const JobContext &) override
    {
        check();
        ThreadRow one;
        one.id = "alpha-1";
        one.last = "2026-01-01";
        ThreadRow two;
        two.id = "beta-2";
        two.last = "2026-02-01";
        return std::vector<ThreadRow>{one, two};
    }
    Result<std::vector<std::string>> namespaces(const std::string &) override { return std::vector<std::string>{""}; }
    Result<std::vector<CheckpointRow>> checkpoints(
        const std::string &, const std::string &, const JobContext &) override
    {
        return std::vector<CheckpointRow>{};
    }
    Result<TypedBytes> checkpointBlob(const std::string &, const std::string &, const std::string &) override
    {
        return TypedBytes{};
    }
    Result<void> writes(const std::string &, const std::string &, const std::vector<std::string> &,
        const std::function<bool(WriteRow &&)> &, const JobContext &) override
    {
        return {};
    }
    Result<std::vector<WriteRow>> writesAt(const std::string &, const std::string &, const std::string &) override
    {
        return std::vector<WriteRow>{};
    }
    Result<std::map<std::string, std::map<std::string, Value>>> store() override
    {
        return std::map<std::string, std::map<std::string, Value>>{};
    }
    void check() const
    {
        if (std::this_thread::get_id() != m_owner)
            ++*m_wrongThread;
    }

private:
    std::thread::id m_owner;
    std::atomic<int> *m_wrongThread;
};

struct Fixture {
    QTemporaryDir folder;
    SettingsStore settings{folder.filePath(u"s.ini"_s)};
    std::atomic<int> wrongThread{0};
    std::atomic<bool> hold{false}; ///< loading waits until it is stopped
    std::atomic<bool> sendParts{true}; ///< loading gives a part first

    SourceReader reader()
    {
        SourceReader out;
        out.open = [this](
                       const std::string &location, const JobContext &) -> Result<std::shared_ptr<CheckpointSource>> {
            if (location == "bad")
                return failure(Error::Code::Unreadable, "bad", "This is no recording; choose another file.");
            return std::make_shared<FakeSource>(&wrongThread);
        };
        out.list = [](CheckpointSource &source, bool full, const JobContext &job) { return source.threads(full, job); };
        out.load = [this](CheckpointSource &, const std::string &id, const LoadOptions &options,
                       const JobContext &job) -> Result<ThreadPtr> {
            ThreadBuilder builder(id);
            builder.human("m", "hello " + id).checkpoint();
            if (options.partial && sendParts) {
                auto part = std::make_shared<Thread>(*builder.build());
                part->namespaces[0].partial = true;
                options.partial(part);
            }
            while (hold && !job.stopped())
                std::this_thread::yield();
            if (job.stopped())
                return failure(Error::Code::Cancelled, id, "Stopped.");
            return builder.build();
        };
        out.channels = [](CheckpointSource &, const Thread &, const std::string &,
                           CheckpointIndex) -> Result<std::vector<ChannelState>> {
            return std::vector<ChannelState>(3);
        };
        return out;
    }
};

} // namespace

class TestSession : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void opensTheNewestThread();
    void aUniquePrefixIsEnough();
    void theNewestPartIsUsableFirst();
    void cancelKeepsWhatIsThere();
    void anotherThreadReplacesTheLoadingOne();
    void theOldThreadIsStaleWhileAnotherLoads();
    void errorsLeaveWhatWasOpen();
    void sourceLivesAndDiesOnItsThread();
    void channelsComeBack();
    void takesUpWhatIsAddedUntilPaused();
    void remembersNoPassword();
    void remembersAddedFolders();
    void listsTheRestOnceTheThreadIsThere();
    void commandLineIsRead();
};

void TestSession::opensTheNewestThread()
{
    Fixture f;
    Session session(f.settings, f.reader());
    session.open(u"file"_s);
    QTRY_VERIFY(session.focus()->scene()->checkpoint && session.focus()->scene()->facts);
    QCOMPARE(session.selection()->place().thread, std::string("beta-2"));
    QCOMPARE(f.settings.recent(), QStringList{u"file"_s});
}

void TestSession::aUniquePrefixIsEnough()
{
    Fixture f;
    Session session(f.settings, f.reader());
    Place place;
    place.thread = "alp";
    session.open(u"file"_s, place);
    QTRY_COMPARE(session.selection()->place().thread, std::string("alpha-1"));
    QSignalSpy failed(&session, &Session::failed);
    place.thread = "gamma";
    session.open(u"file"_s, place);
    QTRY_COMPARE(failed.count(), 1);
}

void TestSession::theNewestPartIsUsableFirst()
{
    Fixture f;
    f.hold = true;
    Session session(f.settings, f.reader());
    session.open(u"file"_s);
    QTRY_VERIFY(session.focus()->scene()->checkpoint);
    QVERIFY(session.focus()->scene()->space->partial);
    QVERIFY(session.isBusy());
    f.hold = false;
    QTRY_VERIFY(!session.isBusy());
    QVERIFY(!session.focus()->scene()->space->partial);
}

void TestSession::cancelKeepsWhatIsThere()
{
    Fixture f;
    f.hold = true;
    Session session(f.settings, f.reader());
    QSignalSpy cancelled(&session, &Session::cancelled);
    session.open(u"file"_s);
    QTRY_VERIFY(session.focus()->scene()->checkpoint);
    session.cancel();
    QCOMPARE(cancelled.count(), 1);
    QVERIFY(!session.isBusy());
    QVERIFY(session.focus()->scene()->checkpoint);
}

void TestSession::anotherThreadReplacesTheLoadingOne()
{
    Fixture f;
    f.hold = true;
    Session session(f.settings, f.reader());
    session.open(u"file"_s);
    QTRY_VERIFY(session.focus()->scene()->checkpoint);
    session.selection()->setThread("alpha-1");
    f.hold = false;
    QTRY_VERIFY(!session.isBusy());
    QTRY_COMPARE(session.focus()->thread()->id, std::string("alpha-1"));
    // Back loads the other one again.
    session.selection()->back();
    QTRY_COMPARE(session.focus()->thread()->id, std::string("beta-2"));
}

void TestSession::theOldThreadIsStaleWhileAnotherLoads()
{
    Fixture f;
    f.sendParts = false;
    Session session(f.settings, f.reader());
    session.open(u"file"_s);
    QTRY_VERIFY(session.focus()->scene()->facts && !session.isBusy() && !session.background().isBusy());
    QVERIFY(!session.isStale());
    f.hold = true;
    session.selection()->setThread("alpha-1");
    QVERIFY(session.isStale());
    QCOMPARE(session.focus()->thread()->id, std::string("beta-2"));
    // Stopping takes the selection back to what is shown.
    session.cancel();
    QVERIFY(!session.isStale() && !session.isBusy());
    QCOMPARE(session.selection()->place().thread, std::string("beta-2"));
    // As does changing one's mind, without another reading.
    session.selection()->setThread("alpha-1");
    session.selection()->setThread("beta-2");
    QVERIFY(!session.isStale() && !session.isBusy());
    QVERIFY(session.focus()->scene()->checkpoint);
    f.hold = false;
    session.selection()->setThread("alpha-1");
    QTRY_COMPARE(session.focus()->thread()->id, std::string("alpha-1"));
    QVERIFY(!session.isStale());
}

void TestSession::errorsLeaveWhatWasOpen()
{
    Fixture f;
    Session session(f.settings, f.reader());
    session.open(u"file"_s);
    QTRY_VERIFY(session.focus()->scene()->checkpoint);
    QSignalSpy failed(&session, &Session::failed);
    session.open(u"bad"_s);
    QTRY_COMPARE(failed.count(), 1);
    QCOMPARE(session.location(), u"file"_s);
    QVERIFY(session.focus()->scene()->checkpoint);
}

void TestSession::sourceLivesAndDiesOnItsThread()
{
    Fixture f;
    {
        Session session(f.settings, f.reader());
        session.open(u"file"_s);
        QTRY_VERIFY(session.focus()->scene()->checkpoint);
        session.open(u"other"_s);
        QTRY_VERIFY(!session.isBusy());
    }
    QCOMPARE(f.wrongThread.load(), 0);
}

void TestSession::channelsComeBack()
{
    Fixture f;
    Session session(f.settings, f.reader());
    session.open(u"file"_s);
    QTRY_VERIFY(session.focus()->scene()->checkpoint);
    std::size_t count = 0;
    session.readChannels("", CheckpointIndex(std::int64_t{0}), this,
        [&](const Result<std::vector<ChannelState>> &channels) { count = channels->size(); });
    QTRY_COMPARE(count, std::size_t(3));
}

void TestSession::takesUpWhatIsAddedUntilPaused()
{
    Fixture f;
    SourceReader reader = f.reader();
    std::atomic<int> polls{0};
    reader.follow = [&polls](CheckpointSource &, const std::string &id, const LoadOptions &) -> SourceReader::Poll {
        return [&polls, id](const JobContext &) -> Result<ThreadPtr> {
            if (++polls != 2)
                return ThreadPtr();
            ThreadBuilder builder(id);
            builder.human("m", "hello " + id).checkpoint().human("n", "and more").checkpoint();
            return builder.build();
        };
    };
    Session session(f.settings, reader);
    session.open(u"file"_s);
    QTRY_VERIFY(session.focus()->scene()->checkpoint && !session.isBusy());
    Place place = session.selection()->place();
    place.checkpoint = session.focus()->scene()->checkpoint->id;
    session.selection()->setPlace(place);
    QCOMPARE(session.focus()->thread()->namespaces[0].checkpoints.size(), 1U);
    session.setFollowing(true);
    QVERIFY(session.isFollowing());
    QTRY_COMPARE(session.focus()->thread()->namespaces[0].checkpoints.size(), 2U);
    QCOMPARE(session.selection()->place(), place);
    QVERIFY(!session.isBusy());
    session.setFollowing(false);
    QVERIFY(!session.isFollowing());
    QCOMPARE(f.wrongThread, 0);
}

void TestSession::remembersAddedFolders()
{
    Fixture f;
    const QString added = f.folder.filePath(u"memories"_s);
    QVERIFY(QDir().mkpath(added));
    {
        Session session(f.settings, f.reader());
        session.open(u"one"_s);
        QTRY_VERIFY(session.focus()->scene()->checkpoint);
        QVERIFY(!session.addFolder(f.folder.filePath(u"missing"_s)));
        QVERIFY(session.addFolder(added, u"/memories/"_s));
    }
    Session session(f.settings, f.reader());
    session.open(u"other"_s);
    QTRY_VERIFY(session.focus()->scene()->checkpoint);
    QVERIFY(session.folders().empty());
    session.open(u"one"_s);
    QTRY_COMPARE(session.folders().size(), std::size_t(1));
    QCOMPARE(session.folders().front().route(), std::string("/memories/"));
    QCOMPARE(session.places().size(), 1);
    // A namespace of a store is read in a job; one that is not there is told and not remembered.
    QSignalSpy failed(&session, &Session::failed);
    session.addStore(u"store:nobody"_s, u"/notes/"_s);
    QTRY_COMPARE(failed.count(), 1);
    QCOMPARE(session.places().size(), 1);
    session.removePlace(added);
    QTRY_VERIFY(session.folders().empty());
    QVERIFY(session.places().isEmpty());
}

void TestSession::remembersNoPassword()
{
    Fixture f;
    QStringList targets;
    SourceReader reader = f.reader();
    reader.open = [&](const std::string &location, const JobContext &) -> Result<std::shared_ptr<CheckpointSource>> {
        targets << QString::fromStdString(location);
        return std::make_shared<FakeSource>(&f.wrongThread);
    };
    const QString given = u"postgresql://reader:hunter2@db/agents"_s;
    const QString shown = u"postgresql://reader@db/agents"_s;
    {
        Session session(f.settings, reader);
        session.open(given);
        QTRY_VERIFY(session.focus()->scene()->checkpoint);
        QCOMPARE(session.location(), shown);
        QVERIFY(!session.placeCommand().contains(u"hunter2"_s));
        // The session still knows what it was given.
        session.reload();
        QTRY_COMPARE(targets, (QStringList{given, given}));
        QTRY_VERIFY(!session.isBusy());
    }
    QCOMPARE(f.settings.recent(), QStringList{shown});
    QFile stored(f.folder.filePath(u"s.ini"_s));
    if (stored.open(QIODevice::ReadOnly))
        QVERIFY(!stored.readAll().contains("hunter2"));
}

void TestSession::listsTheRestOnceTheThreadIsThere()
{
    Fixture f;
    SourceReader reader = f.reader();
    reader.first = [](CheckpointSource &source, const JobContext &job) -> Result<SourceReader::FirstThreads> {
        SourceReader::FirstThreads first;
        first.rows = *source.threads(false, job);
        first.rows.resize(1);
        first.more = true;
        return first;
    };
    Session session(f.settings, reader);
    QSignalSpy more(&session, &Session::threadsChanged);
    session.open(u"file"_s);
    QTRY_COMPARE(more.count(), 1);
    QCOMPARE(session.threads().size(), 2U);
    QCOMPARE(session.selection()->place().thread, std::string("alpha-1"));
}

void TestSession::commandLineIsRead()
{
    const auto all = parseWindowArguments({"file.sqlite", "--thread", "t", "--ns", "tools:1", "--call", "3"});
    QVERIFY(all.has_value());
    QCOMPARE(all->source, std::string("file.sqlite"));
    QCOMPARE(all->place.thread, std::string("t"));
    QCOMPARE(all->place.ns, std::string("tools:1"));
    QCOMPARE(all->place.call, CallNumber(3));
    QVERIFY(parseWindowArguments({})->source.empty());
    QVERIFY(!parseWindowArguments({"a", "--call", "1", "--checkpoint", "c"}));
    QVERIFY(!parseWindowArguments({"a", "--call", "0"}));
    QVERIFY(!parseWindowArguments({"a", "--nonsense"}));
}

QTEST_GUILESS_MAIN(TestSession)
#include "tst_session.moc"
