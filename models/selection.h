// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/place.h"

#include <QObject>
#include <vector>

namespace palimpsest {

/// The only thing the window changes. Every pane reads it and writes it; none knows another pane. Keeps the places
/// visited, so that a change of view can be undone.
class Selection : public QObject {
    Q_OBJECT
public:
    /// Whether a change makes a new entry in the history or overwrites the last one (scrubbing, playing, typing).
    enum class Step { New, Merge };

    explicit Selection(QObject *parent = nullptr);

    [[nodiscard]] const Place &place() const { return m_place; }

    void setPlace(const Place &place, Step step = Step::New);
    /// Another thread or namespace: the rest of the place is forgotten.
    void setThread(const std::string &thread, const std::string &ns = {});
    /// A checkpoint, and no call; message and artifact stay chosen.
    void setCheckpoint(const std::string &checkpoint, Step step = Step::New);
    /// A call and the checkpoint it started from.
    void setCall(CallNumber call, const std::string &checkpoint, Step step = Step::New);
    /// A message of the log by its key; text range and version are forgotten.
    void setMessage(const std::string &key, Step step = Step::New);
    void setVersion(int version);
    void setText(const TextRange &range);
    /// A file, and a section of it when it is an archive.
    void setArtifact(const std::string &path, int section = -1);

    /// Nothing is chosen and nothing can be undone: another source.
    void reset();

    [[nodiscard]] bool canGoBack() const { return m_at > 0; }
    [[nodiscard]] bool canGoForward() const { return m_at + 1 < m_history.size(); }
    void back();
    void forward();

Q_SIGNALS:
    void changed(const palimpsest::Place &now, const palimpsest::Place &before);
    void historyChanged();

private:
    void become(const Place &place);

    Place m_place;
    std::vector<Place> m_history;
    std::size_t m_at = 0;
};

} // namespace palimpsest
