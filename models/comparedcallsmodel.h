// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/insight/compare/comparison.h"

#include <QAbstractTableModel>

namespace palimpsest {

/// The calls at which two runs differ, and how.
class ComparedCallsModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Call, OnlyLeft, OnlyRight, Changed, Why, ColumnCount };

    explicit ComparedCallsModel(QObject *parent = nullptr);

    void setComparison(ComparisonPtr comparison);
    void setAll(bool all);
    [[nodiscard]] const CallDifference &difference(int row) const;

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    void fill();

    ComparisonPtr m_comparison;
    bool m_all = false;
    std::vector<std::size_t> m_rows; ///< places in the comparison's calls
};

} // namespace palimpsest
