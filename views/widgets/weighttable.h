// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTreeView>

namespace palimpsest {

class Theme;
class WeightModel;

/// A table of weights with a bar behind each share.
class WeightTable : public QTreeView {
    Q_OBJECT
public:
    WeightTable(const Theme &theme, WeightModel *model, QWidget *parent = nullptr);

Q_SIGNALS:
    /// A row that stands for something was chosen.
    void keyChosen(const std::string &key);
};

} // namespace palimpsest
