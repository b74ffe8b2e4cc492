// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/dialogs/placesdialog.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTreeWidget>
#include <QVBoxLayout>

namespace palimpsest {

using namespace Qt::StringLiterals;

namespace {

constexpr int whereRole = Qt::UserRole;
const QString storeWord = u"store:"_s;

QString shownPlace(const QString &where)
{
    if (!where.startsWith(storeWord))
        return where;
    const QString named = where.sliced(storeWord.size());
    const qsizetype at = named.indexOf(u'@');
    return at < 0 ? PlacesDialog::tr("namespace %1 of this source's store").arg(named)
                  : PlacesDialog::tr("namespace %1 of the store in %2").arg(named.first(at), named.sliced(at + 1));
}

} // namespace

PlacesDialog::PlacesDialog(QWidget *parent)
    : QDialog(parent)
    , m_list(new QTreeWidget)
    , m_remove(new QPushButton(tr("&Remove")))
    , m_kind(new QComboBox)
    , m_route(new QLineEdit)
    , m_namespace(new QComboBox)
    , m_where(new QLineEdit)
    , m_choose(new QPushButton(tr("&Choose…")))
    , m_add(new QPushButton(tr("A&dd")))
{
    setWindowTitle(tr("Files elsewhere"));
    m_list->setHeaderLabels({tr("Agent's path"), tr("Where it is")});
    m_list->setRootIsDecorated(false);
    m_list->setUniformRowHeights(true);
    m_list->header()->setSectionResizeMode(0, QHeaderView::ResizeToContents);
    m_kind->addItems({tr("A folder"), tr("A namespace of this source's store"), tr("A namespace of another store")});
    m_route->setPlaceholderText(tr("/memories/ — empty: the root of its files"));
    m_namespace->setEditable(true);
    m_namespace->lineEdit()->setPlaceholderText(tr("parts joined by dots: filesystem, user.memories"));
    m_add->setDefault(true);
    m_list->setObjectName(u"places"_s);
    m_kind->setObjectName(u"placeKind"_s);
    m_route->setObjectName(u"placeRoute"_s);
    m_where->setObjectName(u"placeWhere"_s);
    m_namespace->setObjectName(u"placeNamespace"_s);
    m_choose->setObjectName(u"placeChoose"_s);
    m_add->setObjectName(u"placeAdd"_s);
    m_remove->setObjectName(u"placeRemove"_s);

    auto *place = new QHBoxLayout;
    place->addWidget(m_where, 1);
    place->addWidget(m_choose);
    auto *form = new QFormLayout;
    form->addRow(tr("&Kind"), m_kind);
    form->addRow(tr("Agent's &path"), m_route);
    form->addRow(tr("&Namespace"), m_namespace);
    auto *where = new QLabel(tr("&Where"));
    where->setBuddy(m_where);
    form->addRow(where, place);
    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    buttons->addButton(m_add, QDialogButtonBox::ActionRole);
    auto *about = new QLabel(tr("What the agent kept outside of this thread. Nothing here is changed; the places are "
                                "remembered with the source."));
    about->setWordWrap(true);
    auto *layout = new QVBoxLayout(this);
    layout->addWidget(about);
    layout->addWidget(m_list, 1);
    layout->addWidget(m_remove, 0, Qt::AlignRight);
    layout->addLayout(form);
    layout->addWidget(buttons);
    resize(640, 440);

    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(m_kind, &QComboBox::currentIndexChanged, this, &PlacesDialog::showKind);
    connect(m_choose, &QPushButton::clicked, this, [this] { Q_EMIT chooseWanted(m_kind->currentIndex() == Folder); });
    connect(m_add, &QPushButton::clicked, this, &PlacesDialog::add);
    for (const QLineEdit *field : {m_where, m_namespace->lineEdit()})
        connect(field, &QLineEdit::textChanged, this, &PlacesDialog::showKind);
    connect(m_list, &QTreeWidget::itemSelectionChanged, this,
        [this] { m_remove->setEnabled(!m_list->selectedItems().isEmpty()); });
    connect(m_remove, &QPushButton::clicked, this, [this] {
        const auto chosen = m_list->selectedItems();
        for (const QTreeWidgetItem *item : chosen)
            Q_EMIT removeWanted(item->data(0, whereRole).toString());
    });
    showKind();
    setPlaces({});
}

void PlacesDialog::setPlaces(const QList<std::pair<QString, QString>> &places)
{
    m_list->clear();
    for (const auto &[where, route] : places) {
        auto *item = new QTreeWidgetItem(m_list, {route.isEmpty() ? u"/"_s : route, shownPlace(where)});
        item->setData(0, whereRole, where);
        item->setToolTip(1, where);
    }
    m_remove->setEnabled(false);
}

void PlacesDialog::setNamespaces(const QStringList &namespaces)
{
    m_namespace->addItems(namespaces);
    m_namespace->setCurrentIndex(namespaces.isEmpty() ? -1 : 0);
}

void PlacesDialog::setChosen(const QString &path)
{
    m_where->setText(path);
}

void PlacesDialog::showKind()
{
    const int kind = m_kind->currentIndex();
    m_namespace->setEnabled(kind != Folder);
    m_where->setEnabled(kind != OwnStore);
    m_choose->setEnabled(kind != OwnStore);
    m_where->setPlaceholderText(kind == Folder ? tr("a folder on this computer")
            : kind == OwnStore                 ? QString()
                                               : tr("an SQLite file, postgresql://… or a development server's folder"));
    m_add->setEnabled((kind == Folder || !m_namespace->currentText().trimmed().isEmpty())
        && (kind == OwnStore || !m_where->text().trimmed().isEmpty()));
}

void PlacesDialog::add()
{
    const QString route = m_route->text().trimmed();
    const QString where = m_where->text().trimmed();
    switch (m_kind->currentIndex()) {
    case Folder:
        Q_EMIT folderWanted(where, route);
        break;
    case OwnStore:
        Q_EMIT storeWanted(storeWord + m_namespace->currentText().trimmed(), route);
        break;
    default:
        Q_EMIT storeWanted(storeWord + m_namespace->currentText().trimmed() + u'@' + where, route);
    }
}

} // namespace palimpsest
