// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/tracemodel.h"

#include <QAbstractTableModel>

namespace palimpsest {

/// Key terms of what is traced (names, numbers, paths, negations), a row each, held against the window, every summary
/// and the archive.
class SurvivalModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum FixedColumn { TermColumn, WindowColumn, FirstSummary };
    enum Role { KeptRole = Qt::UserRole + 1 }; ///< bool; nothing for the term itself

    explicit SurvivalModel(QObject *parent = nullptr);

    void setTrace(TracePtr trace);

    [[nodiscard]] int rowCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(
        int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    TracePtr m_trace;
};

} // namespace palimpsest
