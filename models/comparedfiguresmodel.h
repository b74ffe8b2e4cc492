// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/insight/compare/comparison.h"

#include <QAbstractTableModel>
#include <QStringList>

namespace palimpsest {

/// The figures of a comparison: a row a figure, a column for the recording, A and B.
class ComparedFiguresModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Role {
        BestRole = Qt::UserRole + 1, ///< bool: the smallest cost or largest keep of the row where they differ
    };

    explicit ComparedFiguresModel(QObject *parent = nullptr);

    void setComparison(ComparisonPtr comparison);

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    ComparisonPtr m_comparison;
    std::vector<ComparedFigure> m_rows;
};

} // namespace palimpsest
