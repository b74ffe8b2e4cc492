// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/artifacts/artifactplace.h"
#include "core/artifacts/folderproposal.h"

#include "core/base/base64.h"
#include "core/base/sha256.h"
#include "core/thread/reducers.h"
#include "tests/support/checkpointfile.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QTest>

using namespace Qt::StringLiterals;
using namespace palimpsest;

namespace {

void write(const QString &path, const QByteArray &bytes)
{
    QDir().mkpath(QFileInfo(path).path());
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(bytes);
}

FileEntryPtr entry(Value content, const char *encoding = "utf-8")
{
    return fileEntry(Value::map({{"content", std::move(content)}, {"encoding", Value(encoding)}}));
}

/// A thread whose only checkpoint holds these files.
struct Holder {
    Thread thread;
    ThreadNamespace space;

    explicit Holder(FileMap files)
    {
        Checkpoint checkpoint;
        checkpoint.files = std::move(files);
        space.checkpoints.push_back(checkpoint);
    }
    [[nodiscard]] ArtifactView view() const { return ArtifactView(thread, space, CheckpointIndex(0)); }
};

} // namespace

class TestArtifactView : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void readsEveryFormOfAStateFile()
    {
        QCOMPARE(entryBytes(*entry(Value("text"))).bytes, std::string("text"));
        QCOMPARE(entryBytes(*entry(Value::list({Value("a"), Value("b")}))).bytes, std::string("a\nb"));
        const EntryBytes decoded = entryBytes(*entry(Value("AP8="), "base64"));
        QCOMPARE(decoded.bytes, std::string("\0\xff", 2));
        QVERIFY(!decoded.text);
        QCOMPARE(entryBytes(*entry(Value::map({{"0", Value(0)}, {"1", Value(255)}}))).bytes, std::string("\0\xff", 2));
        const Value array(Value::Tagged{
            Value::Form::LangChain, "", "Uint8Array", Value::list({Value::list({Value(1), Value(2)})}), "from"});
        QCOMPARE(entryBytes(*entry(array)).bytes, std::string("\1\2", 2));
        QVERIFY(entryBytes(*fileEntry(Value(7))).bytes.empty());
    }
    /// A text may look like base64: the name tells.
    void aMediumIsWhatItsNameSays()
    {
        const auto path = [](const std::string &uploaded) {
            return "/conversation_history/media/" + sha256Hex(uploaded).substr(0, 16) + ".bin";
        };
        QCOMPARE(mediumBytes(path("RIFFxxxxWAVE"), "RIFFxxxxWAVE"), std::string("RIFFxxxxWAVE"));
        QCOMPARE(mediumBytes(path("\xFF\xFEz"), base64::encode("\xFF\xFEz")), std::string("\xFF\xFEz"));
        QCOMPARE(mediumBytes(path("other"), "AP8="), std::string("AP8="));
    }

    void readsStateThenFolderThenStore()
    {
        QTemporaryDir folder;
        write(folder.filePath(u"a.txt"_s), "from the folder");
        write(folder.filePath(u"b.txt"_s), "b");
        Holder holder(FileMap().set("/a.txt", entry(Value("from the state"))));
        holder.thread.store["agent.filesystem"]["/b.txt"] = Value::map({{"content", Value("other")}});
        holder.thread.store["agent.filesystem"]["/c.txt"] = Value::map({{"content", Value("from the store")}});
        holder.thread.store["memories"]["note"] = Value::map({{"text", Value("no file")}});
        ArtifactView view = holder.view();
        view.addFolder(*ArtifactFolder::open(folder.path().toStdString()));
        QCOMPARE(view.read("/a.txt")->bytes, std::string("from the state"));
        QCOMPARE(view.read("/b.txt")->bytes, std::string("b"));
        QCOMPARE(view.read("/b.txt")->artifact.origin, Artifact::Origin::Folder);
        QCOMPARE(view.read("/c.txt")->bytes, std::string("from the store"));
        QCOMPARE(view.read("/c.txt")->artifact.place, std::string("agent.filesystem"));
        QVERIFY(!view.contains("/d.txt"));
        // A route to a store leaves the bare name; where two namespaces have it, none is meant.
        QCOMPARE(view.read("/memories/c.txt")->rerouted, std::string("/memories/c.txt is kept as /c.txt"));
        holder.thread.store["other"]["/c.txt"] = Value::map({{"content", Value("another")}});
        QVERIFY(!holder.view().contains("/memories/c.txt"));
        QCOMPARE(view.list().size(), 5U);
    }

    void followsARoute()
    {
        Holder holder(FileMap().set("/data/root/large_tool_results/x", entry(Value("x"))));
        holder.thread.store["agent.filesystem"]["/conversation_history/s.md"] =
            Value::map({{"content", Value("archive")}});
        const ArtifactView view = holder.view();
        // The prefix of a CompositeBackend's route is taken off …
        const auto archive = view.read("/memories/conversation_history/s.md");
        QVERIFY(archive);
        QCOMPARE(archive->bytes, std::string("archive"));
        QVERIFY(!archive->rerouted.empty());
        // … or was put on.
        QCOMPARE(view.read("/large_tool_results/x")->bytes, std::string("x"));
        // A bare name is not searched for everywhere.
        QVERIFY(!view.contains("/elsewhere/s.md"));
    }

    void staysInsideTheFolder()
    {
        QTemporaryDir outer;
        write(outer.filePath(u"secret.txt"_s), "secret");
        write(outer.filePath(u"root/in.txt"_s), "in");
        write(outer.filePath(u"root-next/n.txt"_s), "next");
        QFile::link(outer.filePath(u"secret.txt"_s), outer.filePath(u"root/out.txt"_s));
        QFile::link(outer.path(), outer.filePath(u"root/up"_s));
        QFile::link(outer.filePath(u"root/in.txt"_s), outer.filePath(u"root/same.txt"_s));
        const ArtifactFolder folder = *ArtifactFolder::open(outer.filePath(u"root"_s).toStdString());
        QCOMPARE(*folder.read("/in.txt"), std::string("in"));
        QCOMPARE(*folder.read("sub/../in.txt"), std::string("in"));
        for (const char *path :
            {"../secret.txt", "/../secret.txt", "/out.txt", "/up/secret.txt", "/../root-next/n.txt", "", "/", ".."})
            QVERIFY2(!folder.read(path), path);
        QVERIFY(!folder.contains(std::string("/in.txt\0x", 9)));
        // A link that stays inside is the file it names.
        QCOMPARE(*folder.read("/same.txt"), std::string("in"));
        QCOMPARE(folder.list().size(), 1U);
        QVERIFY(!ArtifactFolder::open(outer.filePath(u"missing"_s).toStdString()));
        QVERIFY(!ArtifactFolder::open(outer.filePath(u"secret.txt"_s).toStdString()));
    }

    void findsTheFolderBesideTheDatabase()
    {
        const std::string beside = PALIMPSEST_TEST_DATA "/recordings/0.7.7/disk_backend";
        const auto folder = folderBeside(beside + ".sqlite");
        QVERIFY(folder);
        QCOMPARE(QDir::cleanPath(QString::fromStdString(*folder)),
            QDir::cleanPath(QString::fromStdString(beside + ".files")));
        QVERIFY(!folderBeside(PALIMPSEST_TEST_DATA "/recordings/0.7.7/plain.sqlite"));
        QCOMPARE(ArtifactFolder::open(*folder)->list().size(), 1U);
    }

    void readsANamespaceOfAStoreUnderItsRoute()
    {
        const auto item = [](const char *text) {
            return Value::map({{"content", Value(text)}, {"encoding", Value("utf-8")}});
        };
        const StoreItems items{{"user.memories", {{"/plan.md", item("plan")}, {"notes/a.md", item("a")}}},
            {"user.other", {{"/plan.md", item("another")}, {"settings", Value(7)}}}};
        const auto store = ArtifactFolder::ofStore(items, "user.memories", "the store", "memories");
        QVERIFY(store);
        QVERIFY(store->isStore());
        QCOMPARE(store->route(), std::string("/memories/"));
        QCOMPARE(store->read("/memories/plan.md").value(), std::string("plan"));
        QVERIFY(store->contains("/memories/notes/a.md"));
        QVERIFY(!store->contains("/plan.md"));
        QCOMPARE(store->list().size(), std::size_t(2));
        QCOMPARE(store->list().front().path, std::string("/memories/plan.md"));
        ArtifactView view;
        view.addFolder(*store);
        const auto content = view.read("/memories/plan.md");
        QVERIFY(content && content->text);
        QCOMPARE(content->artifact.origin, Artifact::Origin::Store);
        // As the root of the agent's files a key is the path.
        QVERIFY(ArtifactFolder::ofStore(items, "user.memories", "the store", "/")->contains("/plan.md"));
        const auto none = ArtifactFolder::ofStore(items, "user", "the store", {});
        QVERIFY(!none);
        QVERIFY(none.error().what.find("user.memories, user.other") != std::string::npos);
    }

    void opensPlacesByTheirWords()
    {
        QCOMPARE(artifactPlace("/memories/=/srv/a=b"), (ArtifactPlace{"/memories/", "/srv/a=b"}));
        QCOMPARE(artifactPlace("/srv/a=b"), (ArtifactPlace{{}, "/srv/a=b"}));
        QCOMPARE(artifactPlace("/m/=store:user.m@x.db"), (ArtifactPlace{"/m/", "store:user.m@x.db"}));
        QCOMPARE(publicPlace("store:m@postgresql://a:secret@host/db"), std::string("store:m@postgresql://a@host/db"));
        // A database with a store and no thread, beside a recording that has one of its own.
        QTemporaryDir folder;
        const std::string other = folder.filePath(u"store.sqlite"_s).toStdString();
        {
            test::CheckpointFile file(other);
            QVERIFY(
                file.run("CREATE TABLE store (prefix text, key text, value text, created_at text); INSERT INTO store "
                         "VALUES ('user.m', '/a.md', '{\"content\": \"hello\", \"encoding\": \"utf-8\"}', '')"));
        }
        const auto own = openSource(PALIMPSEST_TEST_DATA "/recordings/0.7.7/store_backend.sqlite");
        QVERIFY(own);
        const auto elsewhere = openArtifactPlace({"/memories/", "store:user.m@" + other}, **own);
        QVERIFY2(elsewhere, elsewhere ? "" : elsewhere.error().what.c_str());
        QCOMPARE(elsewhere->read("/memories/a.md").value(), std::string("hello"));
        const StoreItems items = (*own)->store().value();
        const auto within = openArtifactPlace({"/kept/", "store:" + items.begin()->first}, **own);
        QVERIFY(within && !within->list().empty());
        QVERIFY(!openArtifactPlace({"/kept/", "store:nobody"}, **own));
        QVERIFY(!openArtifactPlace({"/kept/", "/no/such/folder"}, **own));
    }

    void proposesAFolderByAFilesName()
    {
        QTemporaryDir folder;
        const QString root = QFileInfo(folder.path()).canonicalFilePath();
        const auto make = [&root](const QString &path) {
            QVERIFY(QDir(root).mkpath(QFileInfo(path).path()));
            QFile file(root + u'/' + path);
            QVERIFY(file.open(QIODevice::WriteOnly));
            file.write("## Summarized at 2026\n");
        };
        make(u"data/agent.sqlite"_s);
        make(u"data/kept/conversation_history/session_1.md"_s);
        make(u"data/other/session_1.md"_s);
        make(u"elsewhere/notes/plan.md"_s);
        SourceInfo source;
        source.location = (root + u"/data/agent.sqlite"_s).toStdString();
        source.folders = {{(root + u"/elsewhere/notes"_s).toStdString(), "/x/"}};
        const std::vector<std::string> searched = searchFolders(source);
        QCOMPARE(searched.size(), std::size_t(2));

        // The one that shares most of the path's end; added as proposed, the path is that file.
        const std::string archive = "/srv/run/conversation_history/session_1.md";
        const auto found = proposeFolder(archive, searched);
        QVERIFY(found);
        QCOMPARE(found->folder, (root + u"/data/kept"_s).toStdString());
        QCOMPARE(found->route, std::string("/srv/run/"));
        const auto added = ArtifactFolder::open(found->folder, found->route);
        QVERIFY(added && added->contains(archive));

        const auto note = proposeFolder("/memories/plan.md", searched);
        QVERIFY(note);
        QCOMPARE(note->route, std::string("/memories/"));
        QVERIFY(ArtifactFolder::open(note->folder, note->route)->contains("/memories/plan.md"));
        QVERIFY(!proposeFolder("/conversation_history/session_2.md", searched));
        QVERIFY(!proposeFolder("session_1.md", searched)); // could be any file
        QVERIFY(searchFolders(SourceInfo{}).empty());
    }
};

QTEST_GUILESS_MAIN(TestArtifactView)
#include "tst_artifactview.moc"
