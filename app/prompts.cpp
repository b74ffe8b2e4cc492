// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/prompts.h"

#include <QFileDialog>
#include <QInputDialog>
#include <QMessageBox>
#include <QPushButton>

namespace palimpsest {

QString DialogPrompts::openFile(QWidget *parent, const QString &title, const QString &folder)
{
    const QString filter = QFileDialog::tr("Recordings (*.sqlite *.sqlite3 *.db *.json *.jsonl *.pckl);;All files (*)");
    return QFileDialog::getOpenFileName(parent, title, folder, filter);
}

QString DialogPrompts::openFolder(QWidget *parent, const QString &title, const QString &folder)
{
    return QFileDialog::getExistingDirectory(parent, title, folder);
}

QString DialogPrompts::saveFile(QWidget *parent, const QString &title, const QString &suggestion, const QString &filter)
{
    return QFileDialog::getSaveFileName(parent, title, suggestion, filter);
}

QString DialogPrompts::askText(QWidget *parent, const QString &title, const QString &label, const QString &suggestion)
{
    bool ok = false;
    const QString text = QInputDialog::getText(parent, title, label, QLineEdit::Normal, suggestion, &ok);
    return ok ? text.trimmed() : QString();
}

bool DialogPrompts::confirm(QWidget *parent, const QString &title, const QString &question, const QString &yes)
{
    QMessageBox box(QMessageBox::Question, title, question, QMessageBox::Cancel, parent);
    const QPushButton *button = box.addButton(yes, QMessageBox::AcceptRole);
    box.exec();
    return box.clickedButton() == button;
}

} // namespace palimpsest
