// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/values/finding.h"

#include <QFrame>

class QLabel;

namespace palimpsest {

class Theme;

/// A line inside a pane that says what went wrong, where, and what to do next. Can be copied and closed.
class Notice : public QFrame {
    Q_OBJECT
public:
    explicit Notice(Theme *theme, QWidget *parent = nullptr);

    void showError(const Error &error);
    void showText(Finding::Severity severity, const QString &what, const QString &where = {});
    [[nodiscard]] QString text() const;

private:
    void restyle();

    Theme *m_theme;
    Finding::Severity m_severity = Finding::Severity::Info;
    QLabel *m_what;
    QLabel *m_where;
};

} // namespace palimpsest
