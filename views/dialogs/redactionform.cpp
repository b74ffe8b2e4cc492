// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/dialogs/redactionform.h"

#include "models/counted.h"
#include "models/display.h"
#include "views/theme.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QRegularExpression>
#include <QTableWidget>
#include <QToolButton>
#include <QTreeWidget>

namespace palimpsest {

using namespace Qt::StringLiterals;

namespace {

enum OwnColumn { NameColumn, PatternColumn };

} // namespace

RedactionForm::RedactionForm(const Theme &theme, QWidget *parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_standard(new QCheckBox(tr("Keys, tokens, passwords, mail and IP addresses, home folders, base64")))
    , m_own(new QTableWidget(0, 2))
    , m_remove(new QToolButton)
    , m_preview(new QPushButton(tr("&Preview")))
    , m_count(new QLabel)
    , m_hits(new QTreeWidget)
{
    setObjectName(u"redaction"_s);
    m_standard->setObjectName(u"redactStandard"_s);
    m_own->setObjectName(u"redactOwn"_s);
    m_own->setHorizontalHeaderLabels({tr("Name"), tr("Your own regular expression")});
    m_own->horizontalHeader()->setSectionResizeMode(PatternColumn, QHeaderView::Stretch);
    m_own->horizontalHeader()->setHighlightSections(false);
    m_own->verticalHeader()->hide();
    m_own->setMaximumHeight(96);
    m_own->setAccessibleName(tr("Expressions of your own"));
    auto *add = new QToolButton;
    add->setText(tr("Add expression"));
    add->setObjectName(u"redactAdd"_s);
    m_remove->setText(tr("Remove"));
    m_remove->setEnabled(false);
    m_preview->setObjectName(u"redactPreview"_s);
    m_preview->setAutoDefault(false);
    m_hits->setObjectName(u"redactHits"_s);
    m_hits->setHeaderLabels({tr("Becomes"), tr("What stands there"), tr("Times")});
    m_hits->setRootIsDecorated(false);
    m_hits->setUniformRowHeights(true);
    m_hits->setAlternatingRowColors(true);
    m_hits->header()->setSectionResizeMode(1, QHeaderView::Stretch);
    m_hits->header()->setStretchLastSection(false);
    m_hits->setAccessibleName(tr("What would be replaced"));
    m_count->setFont(theme.smallFont());
    m_count->setWordWrap(true);

    auto *buttons = new QHBoxLayout;
    buttons->addWidget(add);
    buttons->addWidget(m_remove);
    buttons->addStretch();
    buttons->addWidget(m_preview);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(m_standard);
    column->addWidget(m_own);
    column->addLayout(buttons);
    column->addWidget(m_hits, 1);
    column->addWidget(m_count);

    connect(m_standard, &QCheckBox::toggled, this, &RedactionForm::onChange);
    connect(m_own, &QTableWidget::itemChanged, this, &RedactionForm::onChange);
    connect(m_own, &QTableWidget::itemSelectionChanged, this,
        [this] { m_remove->setEnabled(m_own->currentRow() >= 0 && m_own->rowCount() > 0); });
    connect(add, &QToolButton::clicked, this, [this] {
        addRule(tr("word"), {});
        m_own->setCurrentCell(m_own->rowCount() - 1, PatternColumn);
        m_own->editItem(m_own->currentItem());
    });
    connect(m_remove, &QToolButton::clicked, this, &RedactionForm::removeRule);
    connect(m_preview, &QPushButton::clicked, this, &RedactionForm::previewWanted);
    onChange();
}

RedactionRules RedactionForm::rules() const
{
    RedactionRules rules{.standard = m_standard->isChecked(), .own = {}};
    for (int row = 0; row < m_own->rowCount(); ++row) {
        const QString pattern = m_own->item(row, PatternColumn)->text();
        const QString name = m_own->item(row, NameColumn)->text().trimmed();
        if (!pattern.isEmpty())
            rules.own.push_back({fromQString(name.isEmpty() ? u"word"_s : name), fromQString(pattern)});
    }
    return rules;
}

void RedactionForm::setRules(const RedactionRules &rules)
{
    m_own->setRowCount(0);
    for (const RedactionRule &rule : rules.own)
        addRule(toQString(rule.name), toQString(rule.pattern));
    m_standard->setChecked(rules.standard);
}

void RedactionForm::addRule(const QString &name, const QString &pattern)
{
    const QSignalBlocker quiet(m_own);
    const int row = m_own->rowCount();
    m_own->insertRow(row);
    m_own->setItem(row, NameColumn, new QTableWidgetItem(name));
    m_own->setItem(row, PatternColumn, new QTableWidgetItem(pattern));
}

void RedactionForm::removeRule()
{
    m_own->removeRow(m_own->currentRow());
    onChange();
}

void RedactionForm::onChange()
{
    bool valid = true;
    {
        const QSignalBlocker quiet(m_own);
        for (int row = 0; row < m_own->rowCount(); ++row) {
            QTableWidgetItem *item = m_own->item(row, PatternColumn);
            const QRegularExpression pattern(item->text());
            valid = valid && pattern.isValid();
            item->setToolTip(pattern.isValid() ? QString()
                                               : tr("No regular expression: %1 at character %2")
                                                     .arg(pattern.errorString())
                                                     .arg(pattern.patternErrorOffset()));
            item->setForeground(m_theme.text(pattern.isValid() ? Ink::Text : Ink::Error));
        }
    }
    m_preview->setEnabled(valid && !rules().empty());
    forgetHits();
    Q_EMIT rulesChanged();
}

void RedactionForm::forgetHits()
{
    m_hits->clear();
    m_count->setText(rules().empty() ? tr("Nothing is replaced: the file holds every word as it was.")
                                     : tr("The preview lists everything that will be replaced."));
}

void RedactionForm::setHits(const std::vector<RedactionHit> &hits)
{
    m_hits->clear();
    qint64 times = 0;
    QList<QTreeWidgetItem *> items;
    for (const RedactionHit &hit : hits) {
        auto *item = new QTreeWidgetItem(
            {toQString(hit.replacement), toQString(hit.original).simplified(), QString::number(hit.count)});
        item->setToolTip(1, toQString(hit.original));
        item->setTextAlignment(2, Qt::AlignRight | Qt::AlignVCenter);
        items << item;
        times += hit.count;
    }
    m_hits->addTopLevelItems(items);
    m_hits->resizeColumnToContents(0);
    m_count->setText(hits.empty()
            ? tr("The rules find nothing.")
            : tr("%1, in %2.")
                  .arg(counted(static_cast<qint64>(hits.size()), tr("text is replaced"), tr("texts are replaced")),
                      counted(times, tr("place"), tr("places"))));
}

} // namespace palimpsest
