// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/lint/lint.h"
#include "core/insight/lint/rule.h"
#include "tests/support/threadbuilder.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>

using namespace palimpsest;

namespace {

const std::string path = "/conversation_history/session_ab.md";

/// Two messages behind a summary and in an archive, then two more checkpoints.
Thread compacted()
{
    ThreadBuilder builder;
    builder.human("h1", "find the red door").checkpoint().call().ai("a1", "found").human("h2", "open it").checkpoint();
    builder.event(2, "a door was found", path).ai("a2", "open").checkpoint();
    builder.human("h3", "thanks").checkpoint().ai("a3", "welcome").checkpoint();
    return *builder.build();
}

std::string archiveOf(const Thread &thread)
{
    return (*thread.namespaces[0].checkpoints.back().files.find(path))->content.asText();
}

/// Takes the archive out of the state from a checkpoint on.
void removeFrom(Thread &thread, std::size_t first)
{
    std::vector<Checkpoint> &all = thread.namespaces[0].checkpoints;
    for (std::size_t i = first; i < all.size(); ++i)
        all[i].files = all[i].files.erase(path);
}

void putFrom(Thread &thread, std::size_t first, const std::string &at, const std::string &text)
{
    auto entry = std::make_shared<FileEntry>();
    entry->content = Value(text);
    std::vector<Checkpoint> &all = thread.namespaces[0].checkpoints;
    for (std::size_t i = first; i < all.size(); ++i)
        all[i].files = all[i].files.set(at, entry);
}

std::vector<Finding> archiveFindings(const Thread &thread, const std::string &folder = {})
{
    LintOptions options;
    if (!folder.empty())
        options.folders.push_back(*ArtifactFolder::open(folder));
    std::vector<Finding> all = *lint(thread, options, {});
    std::erase_if(all, [](const Finding &finding) {
        return finding.rule != "archive-missing" && finding.rule != "archive-elsewhere";
    });
    return all;
}

void write(const QString &file, const std::string &text)
{
    QVERIFY(QDir().mkpath(QFileInfo(file).path()));
    QFile out(file);
    QVERIFY(out.open(QIODevice::WriteOnly));
    out.write(text.data(), static_cast<qint64>(text.size()));
}

} // namespace

class TestLintArchives : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void saysNothingOfAnArchiveAtItsPlace() { QVERIFY(archiveFindings(compacted()).empty()); }
    void saysSinceWhenAnArchiveIsDeleted()
    {
        Thread thread = compacted();
        removeFrom(thread, 4);
        const std::vector<Finding> found = archiveFindings(thread);
        QCOMPARE(found.size(), 1U);
        QCOMPARE(found[0].rule, std::string("archive-missing"));
        QCOMPARE(found[0].evidence["why"], Value("deleted"));
        const std::vector<Checkpoint> &all = thread.namespaces[0].checkpoints;
        QCOMPARE(found[0].evidence["last_seen"], Value(all[3].id));
        QCOMPARE(found[0].checkpointId, all[4].id);
    }
    void findsAnArchiveThatWasMoved()
    {
        Thread thread = compacted();
        const std::string text = archiveOf(thread);
        removeFrom(thread, 4);
        putFrom(thread, 4, "/conversation_history/old.md", text);
        const std::vector<Finding> found = archiveFindings(thread);
        QCOMPARE(found.size(), 1U);
        QCOMPARE(found[0].rule, std::string("archive-elsewhere"));
        QCOMPARE(found[0].evidence["found_at"], Value("/conversation_history/old.md"));
        QCOMPARE(found[0].evidence["last_seen"], Value(thread.namespaces[0].checkpoints[3].id));
        QCOMPARE(found[0].checkpointId, thread.namespaces[0].checkpoints[4].id);
        // Into another folder, under its name.
        Thread away = compacted();
        removeFrom(away, 4);
        putFrom(away, 4, "/old/session_ab.md", text);
        QCOMPARE(archiveFindings(away).at(0).rule, std::string("archive-elsewhere"));
        // Another text there is another archive.
        Thread other = compacted();
        removeFrom(other, 4);
        putFrom(other, 4, "/conversation_history/old.md", "## Summarized at 2026-01-01T00:00:00+00:00\n\n");
        QCOMPARE(archiveFindings(other).at(0).evidence["why"], Value("deleted"));
    }
    void findsAnArchiveOnDiskUnderAnotherName()
    {
        Thread thread = compacted();
        const std::string text = archiveOf(thread);
        removeFrom(thread, 0);
        QTemporaryDir folder;
        write(folder.filePath(QStringLiteral("conversation_history/session_cd.md")), text);
        const std::vector<Finding> found = archiveFindings(thread, folder.path().toStdString());
        QCOMPARE(found.size(), 1U);
        QCOMPARE(found[0].rule, std::string("archive-elsewhere"));
        QCOMPARE(found[0].evidence["found_at"], Value("/conversation_history/session_cd.md"));
        QCOMPARE(found[0].evidence["kept_in"], Value("folder"));
    }
    void takesNoFileElsewhereForItsNameAlone()
    {
        Thread thread = compacted();
        removeFrom(thread, 0);
        QTemporaryDir folder;
        write(folder.filePath(QStringLiteral("old/session_ab.md")), "## Summarized at 2026-01-01T00:00:00+00:00\n\n");
        QCOMPARE(archiveFindings(thread, folder.path().toStdString()).at(0).evidence["why"], Value("missing"));
    }
    void takesNoOtherThreadsArchive()
    {
        Thread thread = compacted();
        std::string text = archiveOf(thread);
        const std::string words = "red door";
        text.replace(text.find(words), words.size(), "blue door");
        removeFrom(thread, 0);
        QTemporaryDir folder;
        write(folder.filePath(QStringLiteral("conversation_history/session_cd.md")), text);
        const std::vector<Finding> found = archiveFindings(thread, folder.path().toStdString());
        QCOMPARE(found.size(), 1U);
        QCOMPARE(found[0].evidence["why"], Value("missing"));
        QVERIFY(found[0].message.find("so it was written") != std::string::npos);
    }
};

QTEST_APPLESS_MAIN(TestLintArchives)
#include "tst_lint_archives.moc"
