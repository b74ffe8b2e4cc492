// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/insight/diff/diff.h"

#include <QWidget>

#include <functional>
#include <memory>

class QLabel;
class QLineEdit;
class QTextBrowser;
class QToolButton;
class QUrl;

namespace palimpsest {

class Focus;
class Theme;

/// Both sides, and how they differ.
struct ComparedSides {
    DiffSide a;
    DiffSide b;
    Diff diff;
};
using ComparedSidesPtr = std::shared_ptr<const ComparedSides>;

/// Two checkpoints, calls, events or branches side by side. Sides are typed (call:8, event:1, head, a checkpoint id) or
/// taken from the place that is looked at.
class DiffPane : public QWidget {
    Q_OBJECT
public:
    /// Compares in a job; the newest question wins.
    using Comparer = std::function<void(const ThreadPtr &thread, const std::string &ns, const std::string &a,
        const std::string &b, QObject *receiver, std::function<void(const Result<ComparedSidesPtr> &)> done)>;

    DiffPane(const Theme &theme, Comparer comparer, QWidget *parent = nullptr);

    void follow(Focus *focus);
    void setSides(const QString &a, const QString &b);
    /// The words in the fields.
    [[nodiscard]] std::pair<QString, QString> sides() const;
    /// The place that is looked at becomes a side; when the other one is empty it is what lies before.
    void takeA();
    void takeB();
    void swap();
    /// Brings the next (1) or previous (-1) difference into view.
    void step(int direction);

    [[nodiscard]] const ComparedSidesPtr &compared() const { return m_compared; }
    [[nodiscard]] int current() const { return m_current; }
    [[nodiscard]] int differences() const { return m_count; }
    [[nodiscard]] QTextBrowser *view() const { return m_view; }

private:
    [[nodiscard]] QString placeWords() const;
    void start();
    void write();
    void onLink(const QUrl &link);

    const Theme &m_theme;
    Comparer m_comparer;
    Focus *m_focus = nullptr;
    ComparedSidesPtr m_compared;
    QLineEdit *m_a;
    QLineEdit *m_b;
    QLabel *m_head;
    QTextBrowser *m_view;
    int m_current = -1;
    int m_count = 0;
};

} // namespace palimpsest
