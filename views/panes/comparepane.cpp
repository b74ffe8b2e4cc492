// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panes/comparepane.h"

#include "models/comparedcallsmodel.h"
#include "models/comparedfiguresmodel.h"
#include "models/counted.h"
#include "models/display.h"
#include "models/focus.h"
#include "models/requestdiffmodel.h"
#include "views/marks.h"
#include "views/theme.h"
#include "views/widgets/elidedlabel.h"
#include "views/widgets/emptystate.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QListView>
#include <QPainter>
#include <QSplitter>
#include <QStyledItemDelegate>
#include <QTableView>
#include <QToolButton>

#include <algorithm>

namespace palimpsest {

using namespace Qt::StringLiterals;

namespace {

/// The smallest figure of a row gets a mark, not only a colour.
class FigureDelegate : public QStyledItemDelegate {
public:
    FigureDelegate(const Theme &theme, QObject *parent)
        : QStyledItemDelegate(parent)
        , m_theme(theme)
    {
    }
    void paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override
    {
        QStyledItemDelegate::paint(painter, option, index);
        if (index.data(ComparedFiguresModel::BestRole).toBool())
            drawMark(*painter, Mark::Circle, {option.rect.left() + 7.0, option.rect.center().y() + 0.5}, 6,
                m_theme.color(Ink::Good));
    }

private:
    const Theme &m_theme;
};

class DiffDelegate : public QStyledItemDelegate {
public:
    DiffDelegate(const Theme &theme, QObject *parent)
        : QStyledItemDelegate(parent)
        , m_theme(theme)
    {
    }

protected:
    void initStyleOption(QStyleOptionViewItem *option, const QModelIndex &index) const override
    {
        QStyledItemDelegate::initStyleOption(option, index);
        option->font = m_theme.codeFont();
        switch (static_cast<RequestLine::Kind>(index.data(RequestDiffModel::KindRole).toInt())) {
        case RequestLine::Kind::OnlyA:
            option->backgroundBrush = m_theme.fill(Ink::Removed);
            break;
        case RequestLine::Kind::OnlyB:
            option->backgroundBrush = m_theme.fill(Ink::Added);
            break;
        case RequestLine::Kind::Changed:
            option->backgroundBrush = m_theme.fill(Ink::Changed);
            break;
        case RequestLine::Kind::Same:
            option->palette.setColor(QPalette::Text, m_theme.color(Ink::TextSecondary));
            break;
        }
    }

private:
    const Theme &m_theme;
};

QTableView *makeTable(QAbstractItemModel *model, const QString &name)
{
    auto *table = new QTableView;
    table->setModel(model);
    table->setSelectionBehavior(QAbstractItemView::SelectRows);
    table->setSelectionMode(QAbstractItemView::SingleSelection);
    table->setShowGrid(false);
    table->setWordWrap(false);
    table->setFrameShape(QFrame::NoFrame);
    table->setTabKeyNavigation(false);
    table->setAccessibleName(name);
    table->horizontalHeader()->setHighlightSections(false);
    table->verticalHeader()->setHighlightSections(false);
    table->verticalHeader()->setDefaultSectionSize(table->fontMetrics().height() + 7);
    return table;
}

} // namespace

ComparePane::ComparePane(const Theme &theme, QWidget *parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_figuresModel(new ComparedFiguresModel(this))
    , m_callsModel(new ComparedCallsModel(this))
    , m_requestModel(new RequestDiffModel(this))
    , m_head(new ElidedLabel)
    , m_all(new QCheckBox(tr("All calls")))
    , m_other(new QToolButton)
    , m_back(new QToolButton)
    , m_figures(makeTable(m_figuresModel, tr("Figures")))
    , m_calls(makeTable(m_callsModel, tr("Calls that differ")))
    , m_why(new QLabel)
    , m_request(new QListView)
{
    setObjectName(u"comparePane"_s);
    m_all->setToolTip(tr("Also the calls that are the same in both"));
    m_figures->setItemDelegate(new FigureDelegate(theme, m_figures));
    m_figures->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
    m_calls->verticalHeader()->hide();
    m_calls->horizontalHeader()->setStretchLastSection(true);
    const int widths[] = {44, 66, 66, 66};
    for (int column = 0; column < ComparedCallsModel::Why; ++column)
        m_calls->setColumnWidth(column, widths[column]);
    m_request->setModel(m_requestModel);
    m_request->setItemDelegate(new DiffDelegate(theme, m_request));
    m_request->setFrameShape(QFrame::NoFrame);
    m_request->setAccessibleName(tr("The two requests of the call"));
    m_request->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    auto *head = new QHBoxLayout;
    head->setContentsMargins(10, 5, 8, 5);
    head->addWidget(m_head, 1);
    m_other->setObjectName(u"otherThread"_s);
    m_other->setText(tr("Other thread…"));
    m_other->setToolTip(tr("Compare the open thread with one of this or another file"));
    m_other->setAutoRaise(true);
    m_back->setText(tr("Back to A and B"));
    m_back->setAutoRaise(true);
    connect(m_other, &QToolButton::clicked, this, &ComparePane::threadWanted);
    connect(m_back, &QToolButton::clicked, this, &ComparePane::settingsWanted);
    head->addWidget(m_back);
    head->addWidget(m_other);
    head->addWidget(m_all);
    auto *body = new QSplitter;
    body->addWidget(m_figures);
    body->addWidget(m_calls);
    auto *request = new QWidget;
    auto *requestColumn = new QVBoxLayout(request);
    requestColumn->setContentsMargins(0, 0, 0, 0);
    requestColumn->setSpacing(0);
    m_why->setWordWrap(true);
    m_why->setTextFormat(Qt::PlainText);
    m_why->setContentsMargins(8, 3, 8, 3);
    m_why->setObjectName(u"whyTheyDiffer"_s);
    requestColumn->addWidget(m_why);
    requestColumn->addWidget(m_request, 1);
    body->addWidget(request);
    body->setSizes({372, 290, 272});
    for (int part = 0; part < 3; ++part)
        body->setStretchFactor(part, 1);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(head);
    m_empty = new EmptyState(theme, body);
    column->addWidget(m_empty, 1);
    connect(m_all, &QCheckBox::toggled, m_callsModel, &ComparedCallsModel::setAll);
    connect(m_calls, &QTableView::clicked, this, &ComparePane::choose);
    connect(m_calls, &QTableView::activated, this, &ComparePane::choose);
    connect(m_calls->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &ComparePane::showRequest);
    const auto restyle = [this] {
        for (QTableView *table : {m_figures, m_calls}) {
            table->setFont(m_theme.smallFont());
            table->horizontalHeader()->setFont(m_theme.smallFont());
            table->verticalHeader()->setFont(m_theme.smallFont());
            table->verticalHeader()->setDefaultSectionSize(QFontMetrics(m_theme.smallFont()).height() + 7);
        }
        m_why->setFont(m_theme.smallFont());
        updateHead();
    };
    connect(&theme, &Theme::changed, this, restyle);
    restyle();
}

void ComparePane::follow(Focus *focus)
{
    m_focus = focus;
}

void ComparePane::setComparison(const ComparisonPtr &comparison, std::optional<OtherThread> other)
{
    m_otherThread = std::move(other);
    m_comparison = comparison;
    m_problem.clear();
    m_figuresModel->setComparison(comparison);
    m_callsModel->setComparison(comparison);
    m_requestModel->setRequests({}, {});
    m_why->clear();
    for (int column = 0; column < static_cast<int>(Comparison::columnCount); ++column)
        m_figures->setColumnHidden(column, comparison && !comparison->columns[static_cast<std::size_t>(column)]);
    if (m_callsModel->rowCount() > 0)
        m_calls->setCurrentIndex(m_callsModel->index(0, 0));
    updateHead();
}

void ComparePane::setBusy(bool busy)
{
    m_busy = busy;
    updateHead();
}

void ComparePane::setProblem(const QString &problem)
{
    m_problem = problem;
    updateHead();
}

void ComparePane::updateHead()
{
    m_back->setVisible(m_comparison && m_comparison->twoThreads);
    m_all->setVisible(m_comparison != nullptr);
    m_empty->setWords(m_comparison || m_busy ? QString()
                                             : tr("To compare settings: set them in the tuning pane (Ctrl+3) and keep "
                                                  "them with → A, then change them and keep those with → B. A or B "
                                                  "alone is compared with the recording.\nTo compare threads: choose "
                                                  "“Other thread…” above, or one in the list of threads by its menu."));
    m_head->setStyleSheet(
        u"color:%1;"_s.arg(m_theme.color(m_problem.isEmpty() ? Ink::TextSecondary : Ink::Error).name()));
    if (!m_problem.isEmpty() || m_busy || !m_comparison) {
        m_head->setText(!m_problem.isEmpty() ? m_problem : m_busy ? tr("Comparing…") : tr("Nothing is compared yet"));
        return;
    }
    QStringList parts;
    if (m_comparison->twoThreads)
        parts << (m_comparison->alignment == CallAlignment::ByText ? tr("lined up by what was answered")
                                                                   : tr("lined up call by call"));
    for (const Comparison::Column column : {Comparison::A, Comparison::B})
        if (m_comparison->columns[column])
            parts << toQString(m_comparison->names[column]);
    const auto differing = std::ranges::count_if(m_comparison->calls, &CallDifference::differs);
    parts << tr("%1").arg(counted(differing, tr("call differs"), tr("calls differ")));
    if (m_comparison->leavesRecording)
        parts << tr("assumes the agent would have acted the same");
    m_head->setText(parts.join(u" · "_s));
    QStringList rules;
    for (const std::string &rule : m_comparison->rules)
        rules << toQString(rule);
    m_calls->horizontalHeader()->setToolTip(rules.join(u'\n'));
}

void ComparePane::showRequest(const QModelIndex &index)
{
    if (!index.isValid() || !m_comparison)
        return;
    const CallDifference &call = m_callsModel->difference(index.row());
    m_why->setText(toQString(call.why));
    m_requestModel->setRequests(requestAt(*m_comparison, m_comparison->left, call.callA),
        requestAt(*m_comparison, m_comparison->right, call.callB));
}

void ComparePane::choose(const QModelIndex &index)
{
    const ScenePtr scene = m_focus ? m_focus->scene() : nullptr;
    if (!index.isValid() || !scene || !scene->space)
        return;
    const CallDifference &difference = m_callsModel->difference(index.row());
    if (difference.callA < 0 && m_comparison->twoThreads)
        return; // only the other thread has it
    const auto place = static_cast<std::size_t>(difference.callA >= 0 ? difference.callA : difference.callB);
    if (place >= scene->space->calls.size())
        return;
    const Call &call = scene->space->calls[place];
    if (call.checkpoint.isValid() && call.checkpoint.at() < scene->space->checkpoints.size())
        m_focus->selection()->setCall(call.number, scene->space->checkpoints[call.checkpoint.at()].id);
}

} // namespace palimpsest
