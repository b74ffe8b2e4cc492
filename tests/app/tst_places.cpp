// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/app/program.h"
#include "views/dialogs/placesdialog.h"

#include <QComboBox>
#include <QDir>
#include <QDirIterator>
#include <QLineEdit>
#include <QPushButton>
#include <QTreeView>
#include <QTreeWidget>

using namespace Qt::StringLiterals;
using namespace palimpsest;
using test::Program;
using test::recording;

/// `File > Files elsewhere…`, as a user adds and removes what an agent kept outside of its thread.
class TestPlaces : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aFolderIsAddedRememberedAndRemoved();
    void missingResultsAreProposedByName();
    void aNamespaceOfAnotherStoreIsAdded();
    void whatIsMissingIsSaid();
};

namespace {

PlacesDialog *openDialog(Program &p)
{
    p.trigger(u"places"_s);
    return p.desk->window().findChild<PlacesDialog *>();
}

template <class Widget> Widget *field(const PlacesDialog *dialog, const QString &name)
{
    return dialog->findChild<Widget *>(name);
}

/// Whether the archive pane shows a file of that name.
bool shows(Program &p, const QString &name)
{
    const QAbstractItemModel &model = *p.archive().model();
    const auto under = [&](const auto &self, const QModelIndex &parent) -> bool {
        for (int row = 0; row < model.rowCount(parent); ++row) {
            const QModelIndex index = model.index(row, 0, parent);
            if (index.data().toString().contains(name) || self(self, index))
                return true;
        }
        return false;
    };
    return under(under, {});
}

bool hasFinding(Program &p, std::string_view rule)
{
    const auto findings = p.desk->session().focus()->findings();
    return findings
        && std::ranges::any_of(findings->all(), [&](const Finding &finding) { return finding.rule == rule; });
}

} // namespace

void TestPlaces::aFolderIsAddedRememberedAndRemoved()
{
    Program p;
    // The database alone, its files somewhere else.
    const QString path = p.folder.filePath(u"alone.sqlite"_s);
    QVERIFY(QFile::copy(recording(u"disk_backend"_s), path));
    const QString files = p.folder.filePath(u"elsewhere"_s);
    QVERIFY(QDir().mkpath(files + u"/conversation_history"_s));
    const QDir from(recording(u"disk_backend"_s).chopped(7) + u".files/conversation_history"_s);
    const QStringList names = from.entryList(QDir::Files);
    QVERIFY(!names.isEmpty());
    for (const QString &name : names)
        QVERIFY(QFile::copy(from.filePath(name), files + u"/conversation_history/"_s + name));
    QVERIFY(p.open(path));
    QVERIFY(p.studied());
    QVERIFY(hasFinding(p, "archive-missing"));

    PlacesDialog *dialog = openDialog(p);
    QVERIFY(dialog);
    auto *add = field<QPushButton>(dialog, u"placeAdd"_s);
    QVERIFY(!add->isEnabled());
    p.answers.next = files;
    field<QPushButton>(dialog, u"placeChoose"_s)->click();
    QCOMPARE(field<QLineEdit>(dialog, u"placeWhere"_s)->text(), files);
    QVERIFY(add->isEnabled());
    add->click();
    auto *list = field<QTreeWidget>(dialog, u"places"_s);
    QTRY_COMPARE(list->topLevelItemCount(), 1);
    QCOMPARE(list->topLevelItem(0)->text(1), files);
    QTRY_VERIFY(p.ready());
    QTRY_VERIFY(shows(p, names.front()));
    QTRY_VERIFY(p.studied() && !hasFinding(p, "archive-missing"));

    // Remembered with the source.
    p.start();
    QVERIFY(p.open(path));
    QTRY_VERIFY(shows(p, names.front()));
    dialog = openDialog(p);
    list = field<QTreeWidget>(dialog, u"places"_s);
    QCOMPARE(list->topLevelItemCount(), 1);
    list->setCurrentItem(list->topLevelItem(0));
    field<QPushButton>(dialog, u"placeRemove"_s)->click();
    QTRY_COMPARE(list->topLevelItemCount(), 0);
    QTRY_VERIFY(p.desk->session().folders().empty());
    QTRY_VERIFY(p.studied() && hasFinding(p, "archive-missing"));
}

/// Blobs, results and media too, not only archives.
void TestPlaces::missingResultsAreProposedByName()
{
    Program p;
    const QString path = p.folder.filePath(u"alone.sqlite"_s);
    const QString original = recording(u"0.7.32/blob_offload"_s);
    QVERIFY(QFile::copy(original, path));
    const QString files = p.folder.filePath(u"kept/of-the-agent"_s);
    const QString from = original.chopped(7) + u".files"_s;
    QDirIterator it(from, QDir::Files, QDirIterator::Subdirectories);
    qsizetype copied = 0;
    while (it.hasNext()) {
        const QString to = files + it.next().sliced(from.size());
        QVERIFY(QDir().mkpath(QFileInfo(to).path()) && QFile::copy(it.filePath(), to));
        ++copied;
    }
    QVERIFY(copied > 0);
    QVERIFY(p.open(path));
    QVERIFY(p.studied());
    const auto proposals = p.desk->session().focus()->findings()->proposals();
    QCOMPARE(proposals.size(), std::size_t(1));
    QCOMPARE(QString::fromStdString(proposals.front().folder), files);
    QAction *command = p.desk->window().command(u"propose-folders"_s);
    QVERIFY(command->isEnabled());
    command->trigger();
    QTRY_COMPARE(p.desk->session().folders().size(), std::size_t(1));
    QTRY_VERIFY(p.studied() && !command->isEnabled());
}

void TestPlaces::aNamespaceOfAnotherStoreIsAdded()
{
    Program p;
    QVERIFY(p.open(recording(u"plain"_s)));
    PlacesDialog *dialog = openDialog(p);
    field<QComboBox>(dialog, u"placeKind"_s)->setCurrentIndex(2);
    field<QLineEdit>(dialog, u"placeRoute"_s)->setText(u"/memories/"_s);
    field<QComboBox>(dialog, u"placeNamespace"_s)->setEditText(u"agent.filesystem"_s);
    auto *add = field<QPushButton>(dialog, u"placeAdd"_s);
    QVERIFY(!add->isEnabled());
    field<QLineEdit>(dialog, u"placeWhere"_s)->setText(recording(u"store_backend"_s));
    QVERIFY(add->isEnabled());
    add->click();
    auto *list = field<QTreeWidget>(dialog, u"places"_s);
    QTRY_COMPARE(list->topLevelItemCount(), 1);
    QCOMPARE(list->topLevelItem(0)->text(0), u"/memories/"_s);
    QTRY_COMPARE(p.desk->session().folders().size(), std::size_t(1));
    QVERIFY(p.desk->session().folders().front().isStore());
    QVERIFY(!p.desk->session().folders().front().list().empty());
}

void TestPlaces::whatIsMissingIsSaid()
{
    Program p;
    QVERIFY(p.open(recording(u"plain"_s)));
    PlacesDialog *dialog = openDialog(p);
    field<QLineEdit>(dialog, u"placeWhere"_s)->setText(p.folder.filePath(u"gone"_s));
    field<QPushButton>(dialog, u"placeAdd"_s)->click();
    QTRY_VERIFY(p.notice().isVisible());
    QCOMPARE(field<QTreeWidget>(dialog, u"places"_s)->topLevelItemCount(), 0);
}

QTEST_MAIN(TestPlaces)
#include "tst_places.moc"
