// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/whatif.h"

#include <QAbstractTableModel>
#include <QHash>

#include <vector>

namespace palimpsest {

/// One row a call of a run: what was counted, what it was held against, what was decided and why. Rows are worked out
/// when they are looked at.
class DecisionsModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column {
        Call,
        Counted,
        Reported,
        Tools,
        System,
        Thresholds,
        Budget,
        Decision,
        Why,
        Cutoff, ///< as keep asks → made safe → in the raw log
        Saved, ///< by each stage
        Sent,
        Recorded,
        ColumnCount
    };
    enum Role {
        DiffersRole = Qt::UserRole + 1, ///< bool: from the recording
        SummarizedRole, ///< bool
        FailedRole, ///< bool
        NumberRole, ///< qlonglong: the call's number
    };

    explicit DecisionsModel(QObject *parent = nullptr);

    void setRun(WhatIfPtr run);
    [[nodiscard]] WhatIfPtr run() const { return m_run; }
    /// Only calls that differ from the recording.
    void setOnlyDiffering(bool only);
    /// Only calls that summarized, here or in the recording.
    void setOnlyEvents(bool only);

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

    [[nodiscard]] const CallDecision &decision(int row) const;
    /// The row of a call by its number; -1 when it is filtered out.
    [[nodiscard]] int rowOf(CallNumber call) const;

private:
    void fill();

    WhatIfPtr m_run;
    bool m_onlyDiffering = false;
    bool m_onlyEvents = false;
    std::vector<std::int32_t> m_rows; ///< places of calls
    mutable QHash<std::int32_t, CallDecision> m_decided; ///< emptied when it grows large
};

} // namespace palimpsest
