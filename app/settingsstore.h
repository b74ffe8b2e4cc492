// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/place.h"

#include <QByteArray>
#include <QSettings>
#include <QStringList>
#include <QVariant>

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

    [[nodiscard]] QVariant value(const QString &key, const QVariant &otherwise = {}) const;
    void setValue(const QString &key, const QVariant &value);

private:
    QSettings m_settings;
};

} // namespace palimpsest
