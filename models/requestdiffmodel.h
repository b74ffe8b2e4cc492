// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/insight/compare/compare.h"

#include <QAbstractListModel>

namespace palimpsest {

/// Two requests of one call lined up, a row a message.
class RequestDiffModel : public QAbstractListModel {
    Q_OBJECT
public:
    enum Role {
        KindRole = Qt::UserRole + 1, ///< int, RequestLine::Kind
        MessageRole, ///< QString: key of the message; empty for a summary
    };

    explicit RequestDiffModel(QObject *parent = nullptr);

    void setRequests(std::vector<MessagePtr> a, std::vector<MessagePtr> b);

    int rowCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;

private:
    std::vector<MessagePtr> m_a;
    std::vector<MessagePtr> m_b;
    std::vector<RequestLine> m_lines;
};

} // namespace palimpsest
