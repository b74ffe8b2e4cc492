// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panes/findingspane.h"

#include "models/findingsmodel.h"
#include "models/focus.h"
#include "views/marks.h"
#include "views/theme.h"
#include "views/widgets/explainbar.h"
#include "views/widgets/panehead.h"

#include <QComboBox>
#include <QHeaderView>
#include <QLineEdit>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QTreeView>
#include <QVBoxLayout>

namespace palimpsest {

using namespace Qt::StringLiterals;

namespace {

Mark markOf(Finding::Severity severity)
{
    switch (severity) {
    case Finding::Severity::Info:
        return Mark::Ring;
    case Finding::Severity::Warning:
        return Mark::Bang;
    case Finding::Severity::Error:
        break;
    }
    return Mark::Cross;
}

class FindingDelegate : public QStyledItemDelegate {
public:
    FindingDelegate(const Theme &theme, QObject *parent)
        : QStyledItemDelegate(parent)
        , m_theme(theme)
    {
    }

    void paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override
    {
        QStyleOptionViewItem shifted = option;
        if (index.column() == 0) {
            shifted.rect.setLeft(option.rect.left() + 20);
            // The ground of a selected row reaches under the mark too.
            if (option.state.testFlag(QStyle::State_Selected))
                painter->fillRect(option.rect, m_theme.color(Ink::Selection));
            const auto severity = static_cast<Finding::Severity>(index.data(FindingsModel::SeverityRole).toInt());
            drawMark(*painter, markOf(severity), {option.rect.left() + 9.0, option.rect.center().y() + 0.5}, 9,
                m_theme.color(inkOf(severity)));
        }
        QStyledItemDelegate::paint(painter, shifted, index);
    }

    QSize sizeHint(const QStyleOptionViewItem &option, const QModelIndex &index) const override
    {
        return QStyledItemDelegate::sizeHint(option, index) + QSize(0, 6);
    }

protected:
    void initStyleOption(QStyleOptionViewItem *option, const QModelIndex &index) const override
    {
        QStyledItemDelegate::initStyleOption(option, index);
        if (index.data(FindingsModel::IsGroupRole).toBool() && index.column() == 0)
            option->font = m_theme.titleFont();
        option->palette.setColor(QPalette::Text,
            index.column() == FindingsModel::PlaceColumn ? m_theme.color(Ink::TextSecondary)
                                                         : m_theme.color(Ink::Text));
        option->palette.setColor(QPalette::HighlightedText, m_theme.color(Ink::SelectionText));
    }

private:
    const Theme &m_theme;
};

} // namespace

FindingsPane::FindingsPane(const Theme &theme, QWidget *parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_model(new FindingsModel(this))
    , m_tree(new QTreeView)
    , m_head(new PaneHead(theme, tr("Filter findings")))
    , m_severity(new QComboBox)
    , m_explain(new ExplainBar(theme))
{
    setObjectName(u"findingsPane"_s);
    m_severity->addItem(tr("All"), static_cast<int>(Finding::Severity::Info));
    m_severity->addItem(tr("Warnings and errors"), static_cast<int>(Finding::Severity::Warning));
    m_severity->addItem(tr("Errors"), static_cast<int>(Finding::Severity::Error));
    m_severity->setAccessibleName(tr("Least severity"));
    m_head->addWidget(m_severity);
    m_tree->setModel(m_model);
    m_tree->setItemDelegate(new FindingDelegate(theme, m_tree));
    m_tree->setUniformRowHeights(true);
    m_tree->setFrameShape(QFrame::NoFrame);
    m_tree->setAccessibleName(tr("Findings"));
    m_tree->header()->setStretchLastSection(true);
    m_tree->setColumnWidth(0, 760);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_head);
    column->addWidget(m_tree, 1);
    column->addWidget(m_explain);
    connect(m_explain, &ExplainBar::placeWanted, this, [this](const Explanation &explanation) {
        Finding place;
        place.checkpointNs = explanation.checkpointNs;
        place.checkpointId = explanation.checkpointId;
        place.messageId = explanation.messageId;
        go(place);
    });
    const auto filter = [this] {
        m_model->setFilter(static_cast<Finding::Severity>(m_severity->currentData().toInt()), m_head->filter()->text());
        m_tree->expandAll();
        updateHead();
    };
    connect(m_severity, &QComboBox::currentIndexChanged, this, filter);
    connect(m_head->filter(), &QLineEdit::textChanged, this, filter);
    const auto choose = [this](const QModelIndex &index) {
        if (const Finding *finding = m_model->findingAt(index)) {
            const Finding own = *finding;
            Q_EMIT chosen(own);
            go(own);
        }
    };
    connect(m_tree, &QTreeView::clicked, this, choose);
    connect(m_tree, &QTreeView::activated, this, choose);
    updateHead();
}

void FindingsPane::follow(Focus *focus)
{
    m_focus = focus;
    connect(focus, &Focus::threadChanged, this, &FindingsPane::collect);
    connect(focus, &Focus::findingsChanged, this, &FindingsPane::collect);
    collect();
}

void FindingsPane::collect()
{
    // Before the rules have run, what reading the thread found.
    if (const ThreadFindingsPtr found = m_focus->findings())
        m_model->setFindings(found->all());
    else
        m_model->setFindings(m_focus->thread() ? findingsOf(*m_focus->thread()) : std::vector<Finding>());
    if (m_model->shownCount() <= 200)
        m_tree->expandAll();
    updateHead();
    Q_EMIT countChanged(m_model->findingCount());
}

void FindingsPane::updateHead()
{
    if (m_model->findingCount() == 0) {
        m_head->setText(!m_focus || !m_focus->thread() ? tr("What is wrong or lost in a thread is listed here")
                : m_focus->findings()                  ? tr("Nothing wrong or lost was found in this thread")
                                                       : tr("Looking for what is wrong or lost…"));
        return;
    }
    const auto counted = [this](Finding::Severity severity, const QString &one, const QString &many) {
        const int count = m_model->count(severity);
        return QString::number(count) + u' ' + (count == 1 ? one : many);
    };
    m_head->setText(QStringList{counted(Finding::Severity::Error, tr("error"), tr("errors")),
                        counted(Finding::Severity::Warning, tr("warning"), tr("warnings")),
                        counted(Finding::Severity::Info, tr("note"), tr("notes"))}
                        .join(u" · "_s)
        + (m_focus->findings() ? QString() : tr(" · looking for more…")));
}

void FindingsPane::go(const Finding &finding)
{
    if (!m_focus)
        return;
    Place place = m_focus->selection()->place();
    place.ns = finding.checkpointNs;
    if (!finding.checkpointId.empty()) {
        place.checkpoint = finding.checkpointId;
        place.call = CallNumber();
    }
    place.message = finding.messageId.value_or(std::string());
    place.version = -1;
    place.text = {};
    if (finding.path)
        place.artifact = *finding.path;
    m_focus->selection()->setPlace(place);
}

} // namespace palimpsest
