// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/samples.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSaveFile>
#include <QStandardPaths>

namespace palimpsest {

using namespace Qt::StringLiterals;

QList<SampleThread> sampleThreads()
{
    QFile index(u":/samples/index.json"_s);
    QList<SampleThread> samples;
    if (!index.open(QIODevice::ReadOnly))
        return samples;
    const QJsonArray entries = QJsonDocument::fromJson(index.readAll()).array();
    for (const QJsonValue &entry : entries)
        samples.append(
            {entry["title"_L1].toString(), entry["what"_L1].toString(), u":/samples/"_s + entry["file"_L1].toString()});
    return samples;
}

QString extractedSample(const QString &location, const QString &folder)
{
    if (!location.startsWith(u":/"_s))
        return location;
    QFile packed(location);
    if (!packed.open(QIODevice::ReadOnly))
        return {};
    const QString into =
        folder.isEmpty() ? QStandardPaths::writableLocation(QStandardPaths::CacheLocation) + u"/samples"_s : folder;
    const QString path = into + u'/' + QFileInfo(location).fileName();
    const QByteArray bytes = packed.readAll();
    if (QFile there(path); there.open(QIODevice::ReadOnly) && there.readAll() == bytes)
        return path;
    QSaveFile file(path);
    if (!QDir().mkpath(into) || !file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size() || !file.commit())
        return {};
    return path;
}

} // namespace palimpsest
