// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/inspection.h"
#include "views/render/highlighter.h"

#include <QSet>
#include <QTextBrowser>
#include <QTimer>

#include <optional>

namespace palimpsest {

class Theme;

/// Shows an inspection as one read-only document. Long parts are cut with a line that shows all of them; what is shown
/// is laid out and highlighted in slices, so that even megabytes never hold up the window. Loads nothing: pictures and
/// links stay text.
class InspectionView : public QTextBrowser {
    Q_OBJECT
public:
    InspectionView(const Theme &theme, Highlighter &highlighter, QWidget *parent = nullptr);

    void setInspection(const Inspection &inspection);
    void setStored(bool stored);
    [[nodiscard]] bool isStored() const { return m_stored; }
    /// False while slices are still to be laid out.
    [[nodiscard]] bool isComplete() const { return !m_slices.isActive(); }

    QVariant loadResource(int type, const QUrl &name) override;

private:
    struct Part {
        QStringList lines;
        qsizetype next = 0;
        bool isCode = false;
        std::optional<Highlighter::Run> run;
        qsizetype hidden = 0; ///< characters cut off
        int section = 0;
    };
    struct Task {
        InspectionSection section;
        int number = 0;
    };

    void rebuild();
    void writeSlice();
    void beginSection(const Task &task);
    void writeLine(const QString &line);
    void writeFacts(const InspectionSection &section);
    void endPart();
    void onLink(const QUrl &link);

    const Theme &m_theme;
    Highlighter &m_highlighter;
    Inspection m_inspection;
    bool m_stored = false;
    QSet<int> m_whole; ///< sections that are shown whole
    QList<Task> m_tasks;
    std::optional<Part> m_part;
    QTimer m_slices;
};

} // namespace palimpsest
