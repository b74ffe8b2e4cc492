// SPDX-License-Identifier: GPL-3.0-or-later
// packaging/install-deps.sh on systems that are only described: which ones it takes, what it misses, what it leaves
// alone.
#include <QFile>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

namespace {

struct Answer {
    int status = -1;
    QString errors;
};

} // namespace

class TestInstallDeps : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

    void write(const QString &name, const QByteArray &text, bool program = false)
    {
        QFile file(m_folder.filePath(name));
        QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
        file.write(text);
        if (program)
            file.setPermissions(file.permissions() | QFile::ExeOwner);
    }

    /// Runs the script on a system of this description, where dpkg-query answers with these lines and any other tool of
    /// packages leaves a mark.
    Answer run(const QByteArray &release, const QByteArray &installed, const QStringList &arguments = {})
    {
        write(QStringLiteral("os-release"), release);
        write(QStringLiteral("installed"), installed);
        write(QStringLiteral("dpkg-query"), "#!/bin/sh\ncat \"${0%/*}/installed\"\n", true);
        for (const char *tool : {"apt-get", "apt-cache", "sudo"})
            write(QString::fromLatin1(tool), "#!/bin/sh\ntouch \"${0%/*}/touched\"\nexit 1\n", true);
        QProcess process;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("PALIMPSEST_OS_RELEASE"), m_folder.filePath(QStringLiteral("os-release")));
        environment.insert(
            QStringLiteral("PATH"), m_folder.path() + QLatin1Char(':') + environment.value(QStringLiteral("PATH")));
        process.setProcessEnvironment(environment);
        process.start(QStringLiteral(PALIMPSEST_SOURCE_DIR "/packaging/install-deps.sh"), arguments);
        process.closeWriteChannel();
        if (!process.waitForFinished())
            return {};
        return {process.exitCode(), QString::fromUtf8(process.readAllStandardError())};
    }

    static QByteArray everything(const QByteArray &compiler = "4:14.2.0-1", const QByteArray &qt = "6.8.2+dfsg-9")
    {
        QByteArray lines = "g++ installed " + compiler + "\ncmake installed 3.31.6-2\n";
        for (const char *name : {"qt6-base-dev", "qt6-svg-dev", "libqt6svg6", "libqt6sql6-sqlite"})
            lines += QByteArray(name) + " installed " + qt + "\n";
        for (const char *name : {"ninja-build", "ccache", "pkgconf", "libkf6syntaxhighlighting-dev",
                 "nlohmann-json3-dev", "libmsgpack-cxx-dev", "libexpected-dev", "libimmer-dev", "libbotan-3-dev",
                 "libcli11-dev", "libqcustomplot-dev", "librapidcheck-dev", "libsqlite3-dev", "libpq-dev",
                 "libqpdf-dev", "fonts-dejavu-core", "xvfb"})
            lines += QByteArray(name) + " installed 1.0-1\n";
        return lines;
    }

private Q_SLOTS:
    void init()
    {
        QVERIFY(m_folder.isValid());
        QFile::remove(m_folder.filePath(QStringLiteral("touched")));
        if (QStandardPaths::findExecutable(QStringLiteral("dpkg")).isEmpty())
            write(QStringLiteral("dpkg"), "#!/bin/sh\nexit 0\n", true);
    }

    void refusesOtherSystemsAndListsWhatIsNeeded_data()
    {
        QTest::addColumn<QByteArray>("release");
        QTest::newRow("fedora") << QByteArray("ID=fedora\nVERSION_ID=42\nPRETTY_NAME=\"Fedora 42\"\n");
        QTest::newRow("debian 11") << QByteArray("ID=debian\nVERSION_ID=\"11\"\n");
        QTest::newRow("ubuntu 24.04") << QByteArray("ID=ubuntu\nVERSION_ID=\"24.04\"\n");
        QTest::newRow("ubuntu 24.10") << QByteArray("ID=ubuntu\nVERSION_ID=\"24.10\"\n");
        QTest::newRow("empty") << QByteArray();
    }
    void refusesOtherSystemsAndListsWhatIsNeeded()
    {
        QFETCH(QByteArray, release);
        const Answer answer = run(release, everything());
        QCOMPARE(answer.status, 1);
        for (const char *word : {"Qt 6.8", "C++20", "CMake 3.25", "SyntaxHighlighting", "immer", "Botan 3"})
            QVERIFY2(answer.errors.contains(QLatin1String(word)), qPrintable(answer.errors));
        QVERIFY(!QFile::exists(m_folder.filePath(QStringLiteral("touched"))));
    }

    void leavesACompleteSystemAlone_data()
    {
        QTest::addColumn<QByteArray>("release");
        QTest::newRow("debian 12, prepared") << QByteArray("ID=debian\nVERSION_ID=\"12\"\n");
        QTest::newRow("debian 13") << QByteArray("ID=debian\nVERSION_ID=\"13\"\n");
        QTest::newRow("debian testing") << QByteArray("ID=debian\n");
        QTest::newRow("ubuntu 25.04") << QByteArray("ID=ubuntu\nVERSION_ID=\"25.04\"\n");
        QTest::newRow("ubuntu 26.04") << QByteArray("ID=ubuntu\nVERSION_ID=\"26.04\"\n");
    }
    void leavesACompleteSystemAlone()
    {
        QFETCH(QByteArray, release);
        const Answer answer = run(release, everything());
        QCOMPARE(answer.errors, QString());
        QCOMPARE(answer.status, 0);
        QVERIFY(!QFile::exists(m_folder.filePath(QStringLiteral("touched"))));
    }

    void namesWhatIsMissingOrTooOld()
    {
        const QByteArray release = "ID=debian\nVERSION_ID=\"13\"\n";
        QByteArray lines = everything();
        lines.replace("libimmer-dev installed", "libimmer-dev config-files");
        const Answer missing = run(release, lines, {QStringLiteral("--check")});
        QCOMPARE(missing.status, 1);
        QCOMPARE(missing.errors.trimmed(), QStringLiteral("install-deps: missing: libimmer-dev"));

        // What Debian 12 itself has of these is too old.
        const Answer old = run(release, everything("4:12.2.0-3", "6.4.2+dfsg-10"), {QStringLiteral("--check")});
        QCOMPARE(old.status, 1);
        QVERIFY2(old.errors.contains(QLatin1String(" g++ qt6-base-dev qt6-svg-dev")), qPrintable(old.errors));
        QVERIFY(!QFile::exists(m_folder.filePath(QStringLiteral("touched"))));
    }

    void refusesUnknownArguments()
    {
        QCOMPARE(run("ID=debian\nVERSION_ID=\"13\"\n", everything(), {QStringLiteral("--no-such")}).status, 2);
    }
};

QTEST_GUILESS_MAIN(TestInstallDeps)
#include "tst_installdeps.moc"
