// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panes/threadspane.h"

#include "models/display.h"
#include "views/delegates/twolinedelegate.h"
#include "views/theme.h"

#include <QGuiApplication>
#include <QHeaderView>
#include <QLineEdit>
#include <QMenu>
#include <QSet>
#include <QSortFilterProxyModel>
#include <QTreeView>
#include <QVBoxLayout>
#include <algorithm>
#include <optional>

namespace palimpsest {

using namespace Qt::StringLiterals;

/// Threads whose row has the filter's words, or those that a search found.
class ThreadFilter : public QSortFilterProxyModel {
public:
    using QSortFilterProxyModel::QSortFilterProxyModel;

    void setFound(std::optional<QSet<QString>> found)
    {
        if (!found && !m_found)
            return;
        m_found = std::move(found);
        invalidateFilter();
    }
    void addFound(const QString &threadId)
    {
        if (!m_found)
            return;
        m_found->insert(threadId);
        invalidateFilter();
    }

protected:
    bool filterAcceptsRow(int row, const QModelIndex &parent) const override
    {
        if (!m_found)
            return QSortFilterProxyModel::filterAcceptsRow(row, parent);
        const QModelIndex index = sourceModel()->index(row, 0, parent);
        return m_found->contains(index.data(ThreadListModel::ThreadId).toString());
    }

private:
    std::optional<QSet<QString>> m_found;
};

ThreadsPane::ThreadsPane(Focus *focus, Theme *theme, QWidget *parent)
    : QWidget(parent)
    , m_focus(focus)
    , m_model(new ThreadListModel(this))
    , m_sorted(new ThreadFilter(this))
    , m_view(new QTreeView(this))
    , m_filter(new QLineEdit(this))
{
    m_sorted->setSourceModel(m_model);
    m_sorted->setSortRole(ThreadListModel::SortValue);
    m_sorted->setFilterKeyColumn(-1);
    m_sorted->setFilterCaseSensitivity(Qt::CaseInsensitive);
    m_sorted->setRecursiveFilteringEnabled(true);
    m_sorted->setAutoAcceptChildRows(true);
    m_view->setObjectName(u"threadTree"_s);
    m_view->setAccessibleName(tr("Threads"));
    m_view->setModel(m_sorted);
    m_view->setItemDelegateForColumn(0,
        new TwoLineDelegate(
            theme, TwoLineDelegate::Form::Below, ThreadListModel::Detail,
            [](const QModelIndex &index) -> std::optional<Ink> {
                if (index.data(ThreadListModel::HasError).toBool())
                    return Ink::Error;
                if (index.data(ThreadListModel::IsWaiting).toBool())
                    return Ink::Warning;
                return {};
            },
            m_view));
    m_view->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_view->setToolTip(tr("Ctrl or Shift selects several threads, for a sweep over them"));
    m_view->setUniformRowHeights(true);
    m_view->setIndentation(14);
    m_view->setFrameShape(QFrame::NoFrame);
    m_view->setStyleSheet(u"QTreeView { show-decoration-selected: 0; border: none; }"_s);
    m_view->setSortingEnabled(true);
    // Newest first, as the model has them; the header does not claim another order.
    m_view->header()->setSortIndicatorClearable(true);
    m_view->header()->setSortIndicator(-1, Qt::AscendingOrder);
    m_sorted->sort(-1);
    m_view->setHorizontalScrollBarPolicy(Qt::ScrollBarAsNeeded);
    m_view->header()->setContextMenuPolicy(Qt::CustomContextMenu);
    m_view->header()->setStretchLastSection(true);
    m_view->header()->setToolTip(tr("Right click: more columns"));
    m_filter->setPlaceholderText(tr("Filter threads; Enter searches their messages"));
    m_filter->setObjectName(u"threadFilter"_s);
    m_filter->setClearButtonEnabled(true);

    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(2);
    column->addWidget(m_filter);
    column->addWidget(m_view, 1);
    setFocusProxy(m_view);

    connect(m_filter, &QLineEdit::textChanged, this, [this](const QString &text) {
        m_sorted->setFound({});
        m_sorted->setFilterFixedString(text);
        Q_EMIT searchAsked({});
    });
    connect(m_filter, &QLineEdit::returnPressed, this, &ThreadsPane::search);
    connect(m_view->header(), &QWidget::customContextMenuRequested, this, &ThreadsPane::columnMenu);
    m_view->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(m_view, &QWidget::customContextMenuRequested, this, &ThreadsPane::threadMenu);
    connect(m_view->selectionModel(), &QItemSelectionModel::currentChanged, this, [this](const QModelIndex &current) {
        // With a key held the selection grows, and the thread that is shown stays.
        const bool grows = QGuiApplication::keyboardModifiers() & (Qt::ControlModifier | Qt::ShiftModifier);
        if (m_quiet || !current.isValid() || grows)
            return;
        const QModelIndex first = current.siblingAtColumn(0);
        m_focus->selection()->setThread(fromQString(first.data(ThreadListModel::ThreadId).toString()),
            fromQString(first.data(ThreadListModel::Namespace).toString()));
    });
    connect(m_view->selectionModel(), &QItemSelectionModel::selectionChanged, this, &ThreadsPane::selectionChanged);
    connect(focus->selection(), &Selection::changed, this, [this](const Place &now, const Place &before) {
        if (now.thread != before.thread || now.ns != before.ns)
            showChosen();
    });
    connect(focus, &Focus::threadChanged, this, [this] {
        m_model->setThread(m_focus->thread());
        showChosen();
    });
    setRows({});
}

void ThreadsPane::setRows(const std::vector<ThreadRow> &rows)
{
    m_quiet = true;
    m_model->setRows(rows);
    m_quiet = false;
    for (int column = 1; column < m_model->columnCount(); ++column)
        m_view->setColumnHidden(column, true);
    m_view->setHeaderHidden(rows.size() < 2);
    m_view->setRootIsDecorated(
        std::ranges::any_of(rows, [](const ThreadRow &row) { return row.namespaces.size() > 1; }));
    m_filter->setVisible(rows.size() > 8);
    showChosen();
}

std::vector<std::string> ThreadsPane::selectedThreads() const
{
    std::vector<std::string> ids;
    const QModelIndexList rows = m_view->selectionModel()->selectedRows();
    for (const QModelIndex &row : rows) {
        std::string id = fromQString(row.data(ThreadListModel::ThreadId).toString());
        if (std::ranges::find(ids, id) == ids.end())
            ids.push_back(std::move(id));
    }
    return ids;
}

void ThreadsPane::search()
{
    const QString text = m_filter->text();
    if (text.isEmpty())
        return;
    m_sorted->setFound(QSet<QString>());
    Q_EMIT searchAsked(text);
}

void ThreadsPane::addFound(const QString &threadId)
{
    m_quiet = true;
    m_sorted->addFound(threadId);
    m_quiet = false;
}

void ThreadsPane::showChosen()
{
    const Place &place = m_focus->selection()->place();
    const QModelIndex index = m_sorted->mapFromSource(m_model->find(place.thread, place.ns));
    m_quiet = true;
    if (index.isValid()) {
        m_view->expand(index.parent().isValid() ? index.parent() : index);
        m_view->setCurrentIndex(index);
        m_view->scrollTo(index);
    } else {
        m_view->selectionModel()->clear();
    }
    m_quiet = false;
}

void ThreadsPane::threadMenu(const QPoint &at)
{
    const QString id = m_view->indexAt(at).siblingAtColumn(0).data(ThreadListModel::ThreadId).toString();
    if (id.isEmpty())
        return;
    QMenu menu(this);
    QAction *compare = menu.addAction(tr("&Compare the open thread with this one"));
    compare->setEnabled(id != toQString(m_focus->selection()->place().thread));
    if (menu.exec(m_view->viewport()->mapToGlobal(at)) == compare)
        Q_EMIT compareWanted(id);
}

void ThreadsPane::columnMenu(const QPoint &at)
{
    QMenu menu(this);
    for (int column = 1; column < m_model->columnCount(); ++column) {
        QAction *action = menu.addAction(m_model->headerData(column, Qt::Horizontal).toString());
        action->setCheckable(true);
        action->setChecked(!m_view->isColumnHidden(column));
        connect(
            action, &QAction::toggled, this, [this, column](bool shown) { m_view->setColumnHidden(column, !shown); });
    }
    menu.exec(m_view->header()->mapToGlobal(at));
}

} // namespace palimpsest
