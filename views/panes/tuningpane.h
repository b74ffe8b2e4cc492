// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/modelprofiles.h"
#include "models/tuningmodel.h"
#include "views/widgets/contextsizeeditor.h"

#include <QWidget>

#include <functional>
#include <map>
#include <vector>

class QComboBox;
class QLabel;
class QMenu;
class QScrollArea;
class QToolButton;

namespace palimpsest {

class ParameterField;
class Section;
class Theme;
enum class Ink;

/// What the recording says about its own settings.
struct TuningProposal {
    Value document; ///< a settings file; nil: none fits
    QString words; ///< how far it is determined
    QStringList bounds; ///< what bounds each value: for the tool tip
};

/// The form: every setting of the run, what-if's result in a line, undo, presets, the recording's own settings, and the
/// code that sets them. What needs a file or the clipboard is asked for by signals.
class TuningPane : public QWidget {
    Q_OBJECT
public:
    TuningPane(TuningModel *model, const Theme &theme, QWidget *parent = nullptr);

    [[nodiscard]] TuningModel *model() const { return m_model; }
    /// The row of a parameter; null when there is none.
    [[nodiscard]] ParameterField *field(std::string_view key);
    void setModelPresets(std::vector<ModelPreset> presets);
    void setReach(const SliderReach &reach);
    /// What the recording says; `{}` while it is being found out.
    void setProposal(const TuningProposal &proposal);
    [[nodiscard]] const TuningProposal &proposal() const { return m_proposal; }
    /// The what-if in one line, and whether it leaves the recording.
    void setOutcome(const QString &words, bool leavesRecording, const QString &problem = {});
    [[nodiscard]] QString outcome() const;
    /// "Keep as A", "Keep as B" and what they hold.
    void setSlot(int slot, const QString &words);
    /// Adds an action to the pane's menu.
    QAction *addMenuAction(const QString &text, const QString &tip, std::function<void()> act);

Q_SIGNALS:
    void loadWanted();
    void saveWanted();
    void pythonWanted();
    void importWanted(const QString &key);
    /// The proposal was taken over.
    void proposalTaken();
    /// The settings as they stand are to be one side of the comparison: 0 is A, 1 is B.
    void slotWanted(int slot);

protected:
    void showEvent(QShowEvent *event) override;

private:
    void makeForm();
    void fillModels();
    [[nodiscard]] QString noteStyle(Ink ink) const;
    QWidget *buildHead();
    QWidget *buildForm();
    void showModel();
    void showFault();
    void showProposal();
    void fillParts();
    void restyle();
    [[nodiscard]] QToolButton *button(const QString &name, const QString &text, const QString &tip);

    TuningModel *m_model;
    const Theme &m_theme;
    std::map<std::string, ParameterField *, std::less<>> m_fields;
    std::map<Parameter::Section, Section *> m_sections;
    std::vector<ModelPreset> m_presets;
    TuningProposal m_proposal;
    QComboBox *m_parts = nullptr;
    QComboBox *m_models = nullptr;
    QToolButton *m_undo = nullptr;
    QToolButton *m_redo = nullptr;
    QToolButton *m_removePart = nullptr;
    QToolButton *m_slots[2] = {};
    QMenu *m_menu = nullptr;
    QLabel *m_outcome = nullptr;
    QLabel *m_fault = nullptr;
    QLabel *m_proposalText = nullptr;
    QToolButton *m_useProposal = nullptr;
    QWidget *m_proposalBox = nullptr;
    QScrollArea *m_scroll = nullptr;
    SliderReach m_reach;
    bool m_leaves = false;
    std::string m_dialect; ///< whose defaults the tool tips say
};

} // namespace palimpsest
