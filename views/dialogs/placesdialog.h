// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>
#include <QList>
#include <utility>

class QComboBox;
class QLineEdit;
class QPushButton;
class QTreeWidget;

namespace palimpsest {

/// Where else an agent keeps files: the folders and namespaces of stores that were added to a source, each under the
/// path by which the agent knows it. Adding and removing are asked for by signals; what is there then is set anew.
class PlacesDialog : public QDialog {
    Q_OBJECT
public:
    explicit PlacesDialog(QWidget *parent = nullptr);

    /// Pairs of a place ("/a/folder", "store:NAMESPACE", "store:NAMESPACE@SOURCE") and a route.
    void setPlaces(const QList<std::pair<QString, QString>> &places);
    /// The namespaces of the source's own store, to choose from.
    void setNamespaces(const QStringList &namespaces);
    /// What was chosen with the button beside the field.
    void setChosen(const QString &path);

Q_SIGNALS:
    void folderWanted(const QString &folder, const QString &route);
    /// `where` as in ArtifactPlace.
    void storeWanted(const QString &where, const QString &route);
    void removeWanted(const QString &where);
    /// The button beside the field: a folder, else a database.
    void chooseWanted(bool folder);

private:
    enum Kind { Folder, OwnStore, OtherStore };
    void showKind();
    void add();

    QTreeWidget *m_list;
    QPushButton *m_remove;
    QComboBox *m_kind;
    QLineEdit *m_route;
    QComboBox *m_namespace;
    QLineEdit *m_where;
    QPushButton *m_choose;
    QPushButton *m_add;
};

} // namespace palimpsest
