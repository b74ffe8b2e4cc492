// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/thread/thread.h"

#include <QAbstractItemModel>

#include <vector>

namespace palimpsest {

/// Findings grouped by rule, the worst group first; filtered by severity and text.
class FindingsModel : public QAbstractItemModel {
    Q_OBJECT
public:
    enum Column { MessageColumn, PlaceColumn, ColumnCount };
    enum Role {
        SeverityRole = Qt::UserRole + 1, ///< Finding::Severity as int; of a group its worst
        IsGroupRole,
        NamespaceRole, ///< QByteArray, as stored
        CheckpointRole, ///< checkpoint id, QByteArray; empty: the whole thread
        MessageIdRole, ///< QByteArray; may be empty
        FileRole, ///< path, QByteArray; may be empty
        EvidenceRole, ///< JSON text
        RuleRole
    };

    explicit FindingsModel(QObject *parent = nullptr);

    void setFindings(std::vector<Finding> findings);
    void setFilter(Finding::Severity atLeast, const QString &text);
    [[nodiscard]] int findingCount() const { return static_cast<int>(m_findings.size()); }
    [[nodiscard]] int shownCount() const;
    /// How many there are of a severity, filtered or not.
    [[nodiscard]] int count(Finding::Severity severity) const;
    /// Null for a group.
    [[nodiscard]] const Finding *findingAt(const QModelIndex &index) const;

    [[nodiscard]] QModelIndex index(int row, int column, const QModelIndex &parent = {}) const override;
    [[nodiscard]] QModelIndex parent(const QModelIndex &child) const override;
    [[nodiscard]] int rowCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(
        int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    struct Group {
        std::string rule;
        Finding::Severity worst = Finding::Severity::Info;
        std::vector<std::size_t> findings; ///< places in m_findings
    };
    void regroup();

    std::vector<Finding> m_findings;
    std::vector<Group> m_groups;
    Finding::Severity m_atLeast = Finding::Severity::Info;
    QString m_text;
};

} // namespace palimpsest
