// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/insight/trace/trace.h"

#include <QAbstractTableModel>

#include <memory>
#include <vector>

namespace palimpsest {

using TracePtr = std::shared_ptr<const Trace>;

/// What is to be followed.
struct TraceQuestion {
    ThreadPtr thread;
    std::string ns;
    std::string text;
    NeedleKind kind = NeedleKind::Plain;
    std::optional<std::string> message; ///< id; instead of the text
};

/// Where a text is, a row for every place in every run of calls that have the same places.
class TraceModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { CallsColumn, KindColumn, PlaceColumn, TextColumn, ColumnCount };
    enum Role {
        KindRole = Qt::UserRole + 1, ///< TraceKind as int
        FirstCallRole, ///< place of the run's first call in the namespace's calls
        FirstOfRunRole ///< bool: the run's strongest place
    };

    explicit TraceModel(QObject *parent = nullptr);

    /// `thread` has the namespace that was traced.
    void setTrace(TracePtr trace, ThreadPtr thread, const std::string &ns);
    [[nodiscard]] const TracePtr &trace() const { return m_trace; }
    /// The place of a row; null when there is none.
    [[nodiscard]] const TracePlace *placeAt(const QModelIndex &index) const;

    [[nodiscard]] int rowCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(
        int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    struct Row {
        std::size_t from = 0;
        std::size_t to = 0;
        TracePlacePtr place;
        bool first = false;
    };
    [[nodiscard]] QString placeText(const Row &row) const;

    TracePtr m_trace;
    ThreadPtr m_thread;
    std::vector<Row> m_rows;
};

/// A kind as people read it: "in the request", "only in a file", …
QString traceKindText(TraceKind kind);
/// What became of the text, in one or two sentences.
QString traceVerdict(const Trace &trace);

} // namespace palimpsest
