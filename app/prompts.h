// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

class QWidget;

namespace palimpsest {

/// The seam over file and message dialogs: tests put their own answers here. An empty answer means the user changed
/// their mind.
class Prompts {
public:
    virtual ~Prompts() = default;
    virtual QString openFile(QWidget *parent, const QString &title, const QString &folder) = 0;
    virtual QString openFolder(QWidget *parent, const QString &title, const QString &folder) = 0;
    virtual QString saveFile(
        QWidget *parent, const QString &title, const QString &suggestion, const QString &filter) = 0;
    /// A line of text, for example an address.
    virtual QString askText(QWidget *parent, const QString &title, const QString &label, const QString &suggestion) = 0;
    virtual bool confirm(QWidget *parent, const QString &title, const QString &question, const QString &yes) = 0;
};

/// The real dialogs.
class DialogPrompts : public Prompts {
public:
    QString openFile(QWidget *parent, const QString &title, const QString &folder) override;
    QString openFolder(QWidget *parent, const QString &title, const QString &folder) override;
    QString saveFile(QWidget *parent, const QString &title, const QString &suggestion, const QString &filter) override;
    QString askText(QWidget *parent, const QString &title, const QString &label, const QString &suggestion) override;
    bool confirm(QWidget *parent, const QString &title, const QString &question, const QString &yes) override;
};

} // namespace palimpsest
