// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/comparison.h"

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
    struct Row {
        QString name;
        QString tip;
        std::array<std::optional<double>, Comparison::columnCount> values;
        int decimals = 0;
        bool lessIsBetter = false;
    };
    void fill();

    ComparisonPtr m_comparison;
    std::vector<Row> m_rows;
};

} // namespace palimpsest
