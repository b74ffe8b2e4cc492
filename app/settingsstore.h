// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/place.h"

#include <QByteArray>
#include <QList>
#include <QSettings>
#include <QStringList>
#include <QVariant>
#include <utility>

namespace palimpsest {

/// What is remembered between runs: recent sources, the last place in each, layout, theme, text size. Tests give it a
/// file of their own.
class SettingsStore {
public:
    /// The user's settings.
    SettingsStore();
    /// A given INI file.
    explicit SettingsStore(const QString &file);

    /// Newest first, ten at most.
    [[nodiscard]] QStringList recent() const;
    void addRecent(const QString &location);
    void removeRecent(const QString &location);

    /// Where `location` was looked at last; an empty place when it never was.
    [[nodiscard]] Place lastPlace(const QString &location) const;
    void setLastPlace(const QString &location, const Place &place);

    /// Folders of files that the user added to `location`: each a folder and the agent's name for it, which may be
    /// empty.
    [[nodiscard]] QList<std::pair<QString, QString>> folders(const QString &location) const;
    void addFolder(const QString &location, const QString &folder, const QString &route);
    void removeFolder(const QString &location, const QString &folder);

    [[nodiscard]] QVariant value(const QString &key, const QVariant &otherwise = {}) const;
    void setValue(const QString &key, const QVariant &value);

private:
    QSettings m_settings;
};

} // namespace palimpsest
