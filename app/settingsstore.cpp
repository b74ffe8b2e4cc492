// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/settingsstore.h"

#include "models/display.h"

#include <QCryptographicHash>

namespace palimpsest {

using namespace Qt::StringLiterals;

namespace {

constexpr int longestRecent = 10;

// A location as a settings key: paths hold slashes, which QSettings takes for groups.
QString keyOf(const QString &group, const QString &location)
{
    const QByteArray hash = QCryptographicHash::hash(location.toUtf8(), QCryptographicHash::Sha256).toHex().left(16);
    return group + u'/' + QString::fromLatin1(hash);
}

QString placeKey(const QString &location)
{
    return keyOf(u"places"_s, location);
}

} // namespace

SettingsStore::SettingsStore()
    : m_settings(QSettings::IniFormat, QSettings::UserScope, u"palimpsest"_s, u"palimpsest"_s)
{
}

SettingsStore::SettingsStore(const QString &file)
    : m_settings(file, QSettings::IniFormat)
{
}

QStringList SettingsStore::recent() const
{
    return m_settings.value(u"recent"_s).toStringList();
}

void SettingsStore::addRecent(const QString &location)
{
    QStringList all = recent();
    all.removeAll(location);
    all.prepend(location);
    m_settings.setValue(u"recent"_s, all.mid(0, longestRecent));
}

void SettingsStore::removeRecent(const QString &location)
{
    QStringList all = recent();
    all.removeAll(location);
    m_settings.setValue(u"recent"_s, all);
}

Place SettingsStore::lastPlace(const QString &location) const
{
    const QVariantMap map = m_settings.value(placeKey(location)).toMap();
    const auto text = [&](const QString &key) { return fromQString(map.value(key).toString()); };
    Place place;
    place.thread = text(u"thread"_s);
    place.ns = text(u"ns"_s);
    place.checkpoint = text(u"checkpoint"_s);
    if (map.contains(u"call"_s))
        place.call = CallNumber(map.value(u"call"_s).toInt());
    place.message = text(u"message"_s);
    place.artifact = text(u"artifact"_s);
    place.section = map.value(u"section"_s, -1).toInt();
    return place;
}

void SettingsStore::setLastPlace(const QString &location, const Place &place)
{
    const auto text = [](const std::string &s) { return toQString(s); };
    QVariantMap map{{u"thread"_s, text(place.thread)}, {u"ns"_s, text(place.ns)},
        {u"checkpoint"_s, text(place.checkpoint)}, {u"message"_s, text(place.message)},
        {u"artifact"_s, text(place.artifact)}, {u"section"_s, place.section}};
    if (place.call.isValid())
        map.insert(u"call"_s, static_cast<int>(place.call.value));
    m_settings.setValue(placeKey(location), map);
}

QList<std::pair<QString, QString>> SettingsStore::folders(const QString &location) const
{
    QList<std::pair<QString, QString>> all;
    const QStringList stored = m_settings.value(keyOf(u"folders"_s, location)).toStringList();
    for (qsizetype i = 0; i + 1 < stored.size(); i += 2)
        all.emplace_back(stored[i], stored[i + 1]);
    return all;
}

void SettingsStore::addFolder(const QString &location, const QString &folder, const QString &route)
{
    removeFolder(location, folder);
    const QString key = keyOf(u"folders"_s, location);
    m_settings.setValue(key, m_settings.value(key).toStringList() << folder << route);
}

void SettingsStore::removeFolder(const QString &location, const QString &folder)
{
    QStringList left;
    for (const auto &[known, name] : folders(location))
        if (known != folder)
            left << known << name;
    m_settings.setValue(keyOf(u"folders"_s, location), left);
}

QVariant SettingsStore::value(const QString &key, const QVariant &otherwise) const
{
    return m_settings.value(key, otherwise);
}

void SettingsStore::setValue(const QString &key, const QVariant &value)
{
    m_settings.setValue(key, value);
}

} // namespace palimpsest
