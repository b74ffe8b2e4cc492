// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/serde/json.h"
#include "core/values/json.h"
#include "tests/support/clirun.h"
#include "tests/support/recordinganswers.h"
#include "tests/support/recordings.h"

#include <QFile>
#include <QRegularExpression>
#include <QSet>
#include <QTemporaryDir>
#include <QTest>

using namespace palimpsest;
using namespace Qt::StringLiterals;

/// A scrubbed bundle of every recording: other words, the same decisions.
class TestRecordingScrub : public QObject {
    Q_OBJECT

private:
    QTemporaryDir m_folder;

    /// What a replay decides and counts in every namespace that the truth names.
    static std::string decisions(const std::string &source, const std::string &settings, const Value &truth)
    {
        std::vector<std::string> spaces{""};
        for (const auto &[ns, space] : truth["namespaces"].asMap())
            spaces.push_back(ns.asText());
        std::string out;
        for (const std::string &ns : spaces) {
            int status = -1;
            std::string messages;
            const Value replay = parseJson(
                runOnBuffers({"replay", source, "--ns", ns, "--settings", settings, "--json"}, &status, &messages))
                                     .value_or(Value());
            out += ns + ": " + std::to_string(status) + "\n";
            for (const Value &call : replay["calls"].asList())
                out += toJson(call["decision"]) + toJson(call["tokens"]) + "\n";
        }
        return out;
    }

    /// The settings that it was recorded with; empty where there was no middleware.
    static Value settingsOf(const Value &truth, const QString &database)
    {
        if (!truth.contains("calls"))
            return Value::map({});
        const Value settings =
            recordings::settingsOf(truth, recordings::StoredTasks(database.toStdString(), truth["thread_id"].asText()));
        return truth["settings"].contains("middleware") ? settings.with("dialect", Value("langchain-1.5")) : settings;
    }

    /// Names of members and kinds: parts of the form, which stays.
    static void addNames(const Value &value, QSet<QString> &names)
    {
        static const QRegularExpression noLetter(u"[^A-Za-z]+"_s);
        const auto add = [&](const std::string &name) {
            for (const QString &word : QString::fromStdString(name).split(noLetter))
                names.insert(word.toLower());
        };
        if (value.isList())
            for (const Value &item : value.asList())
                addNames(item, names);
        for (const auto &[key, item] : value.asMap()) {
            add(key.asText());
            if (key.asText() == "type" || key.asText() == "name" || key.asText() == "lc_source")
                add(item.asText());
            addNames(item, names);
        }
    }

    /// Words that the frames of Deep Agents hold: a scrubbed text keeps them, since decisions hang on them.
    static const QSet<QString> &frameWords()
    {
        static const QSet<QString> words{u"conversation"_s, u"summarized"_s, u"filesystem"_s, u"specifying"_s,
            u"truncated"_s, u"compacted"_s, u"condensed"_s, u"pagination"_s, u"parameters"_s, u"indicate"_s,
            u"completed"_s, u"cancelled"_s, u"interrupted"_s, u"arguments"_s, u"malformed"_s, u"following"_s,
            u"characters"_s};
        return words;
    }

private Q_SLOTS:
    void scrubbedBundleTakesTheSameDecisions_data()
    {
        QTest::addColumn<QString>("database");
        QTest::addColumn<QString>("truth");
        for (const recordings::Recording &each : recordings::all())
            QTest::addRow("%s", each.name.c_str())
                << QString::fromStdString(each.database) << QString::fromStdString(each.truth);
    }
    void scrubbedBundleTakesTheSameDecisions()
    {
        QFETCH(QString, database);
        QFETCH(QString, truth);
        const Value expected = recordings::readJson(truth.toStdString());
        const std::string settings = m_folder.filePath(u"settings.json"_s).toStdString();
        QFile file(QString::fromStdString(settings));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(QByteArray::fromStdString(toJson(settingsOf(expected, database))));
        file.close();
        QFile bundle(m_folder.filePath(u"scrubbed.palimpsest"_s));
        bundle.remove();
        int status = -1;
        std::string messages;
        runOnBuffers(
            {"export", database.toStdString(), "-f", "bundle", "--scrub", "-o", bundle.fileName().toStdString()},
            &status, &messages);
        QVERIFY2(status == 0, messages.c_str());
        QCOMPARE(decisions(bundle.fileName().toStdString(), settings, expected),
            decisions(database.toStdString(), settings, expected));

        // None of the words that people, agents and tools said.
        QVERIFY(bundle.open(QIODevice::ReadOnly));
        const QByteArray bytes = bundle.readAll();
        static const QRegularExpression noLetter(u"[^A-Za-z]+"_s);
        QSet<QString> names{u"summarize"_s}; // "_summarization_event"
        addNames(expected["messages"], names);
        for (const auto &[key, message] : expected["messages"].asMap()) {
            const QString text = QString::fromStdString(message["content"].asText());
            const QStringList words = text.left(4000).split(noLetter);
            for (const QString &word : words)
                if (word.size() >= 9 && word.count(u'x') < word.size() && !frameWords().contains(word.toLower())
                    && !names.contains(word.toLower()))
                    QVERIFY2(!bytes.contains(word.toUtf8()), qPrintable(word));
        }
    }
};

QTEST_MAIN(TestRecordingScrub)
#include "tst_recording_scrub.moc"
