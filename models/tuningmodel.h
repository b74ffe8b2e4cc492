// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/compaction/parameters.h"
#include "core/compaction/settings.h"

#include <QElapsedTimer>
#include <QObject>
#include <QString>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace palimpsest {

/// The settings that are being tuned, as a form edits them: every change can be undone, what makes no sense is kept as
/// typed and said in upstream's words, and the last settings that made sense stay in force meanwhile.
class TuningModel : public QObject {
    Q_OBJECT
public:
    /// Settings of one kind of namespace ("" the main agent, "tools:*" subagents, an exact name) from a call on.
    struct Part {
        std::string ns;
        std::int64_t fromCall = 1;
        Value values; ///< a settings object
        bool operator==(const Part &) const = default;
    };
    /// Whether a change is a step of its own or goes on with the one before (dragging, typing).
    enum class Step { New, GoesOn };

    explicit TuningModel(QObject *parent = nullptr);

    [[nodiscard]] const std::vector<Part> &parts() const { return m_history[m_at].parts; }
    [[nodiscard]] std::size_t current() const { return m_history[m_at].current; }
    /// The part that the form edits.
    void setCurrent(std::size_t part);
    /// Settings of their own for a kind of namespace or for calls from a number on: those in force there now.
    void addPart(const std::string &ns, std::int64_t fromCall);
    /// The main agent's first part cannot be removed.
    void removePart(std::size_t part);
    /// "Main agent", "Subagents, from call 12".
    [[nodiscard]] QString partName(std::size_t part) const;

    /// Of the part that is edited; nil for none.
    [[nodiscard]] Value value(std::string_view key) const;
    void setValue(std::string_view key, Value value, Step step = Step::New);
    /// Several keys in one step.
    void setValues(const std::vector<std::pair<std::string, Value>> &values);

    /// The settings in force: the last that made sense.
    [[nodiscard]] std::shared_ptr<const SettingsSet> settings() const { return m_settings; }
    /// Those of the part that is edited.
    [[nodiscard]] const Settings &currentSettings() const;
    /// Why the form makes no sense as it stands: key and sentence.
    [[nodiscard]] const std::optional<Error> &fault() const { return m_fault; }
    [[nodiscard]] bool applies(const Parameter &parameter) const;

    /// The settings file of what the form holds.
    [[nodiscard]] Value document() const;
    /// Takes a settings file as one step. Error as of settingsFromJson; the form stays as it was then.
    Result<void> load(const Value &document);
    /// Another thread: nothing to undo.
    void start(const Value &document);
    /// The user has changed or loaded something since the start.
    [[nodiscard]] bool isTouched() const { return m_touched; }

    [[nodiscard]] bool canUndo() const { return m_at > 0; }
    [[nodiscard]] bool canRedo() const { return m_at + 1 < m_history.size(); }
    void undo();
    void redo();

Q_SIGNALS:
    /// What the form shows is another.
    void changed();
    /// The settings in force are others; after `changed`.
    void settingsChanged();

private:
    struct State {
        std::vector<Part> parts;
        std::size_t current = 0;
        std::string key; ///< what the step changed
    };
    void push(State state, Step step);
    void take();

    std::vector<State> m_history;
    std::size_t m_at = 0;
    QElapsedTimer m_sincePush;
    bool m_touched = false;
    std::shared_ptr<const SettingsSet> m_settings;
    std::optional<Error> m_fault;
};

/// Parts of a settings file and the settings file of parts. Error as of settingsFromJson.
Result<std::vector<TuningModel::Part>> tuningParts(const Value &document);
Value tuningDocument(const std::vector<TuningModel::Part> &parts);
/// The settings file of a set.
Value tuningDocument(const SettingsSet &set);

} // namespace palimpsest
