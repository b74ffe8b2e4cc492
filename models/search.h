// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/artifacts/artifactview.h"
#include "core/base/jobcontext.h"
#include "models/scene.h"

#include <QString>
#include <vector>

namespace palimpsest {

/// Where a searched text was met.
struct SearchHit {
    enum class Pane { RawLog, Effective, Archive };
    Pane pane = Pane::RawLog;
    std::string message; ///< key, of a message list's hit
    std::string path; ///< of an archive's hit
    int section = -1;

    bool operator==(const SearchHit &) const = default;
};

struct SearchAnswer {
    QString needle;
    std::vector<SearchHit> hits; ///< by pane, in the order of the pane
    [[nodiscard]] int count(SearchHit::Pane pane) const;
};

/// Looks for a text, regardless of case, in the raw log, the effective messages and every text file at the scene's
/// checkpoint. May be stopped; what was found until then is given.
SearchAnswer searchScene(
    const Scene &scene, const std::vector<ArtifactFolder> &folders, const QString &needle, const JobContext &job);

} // namespace palimpsest
