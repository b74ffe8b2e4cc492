// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/settingsfile.h"

#include "core/insight/compare/cost.h"
#include "core/serde/json.h"

#include <QFile>

namespace palimpsest {

Result<std::string> readFile(const std::string &path)
{
    QFile file(QString::fromStdString(path));
    if (!file.open(QIODevice::ReadOnly))
        return failure(Error::Code::Unreadable, path, file.errorString().toStdString());
    if (file.size() > 256LL * 1024 * 1024)
        return failure(Error::Code::Limit, path, "is larger than 256 MB");
    return file.readAll().toStdString();
}

Result<SettingsSet> readSettingsFile(const std::string &path)
{
    const Result<std::string> bytes = readFile(path);
    if (!bytes)
        return tl::unexpected(bytes.error());
    const Result<Value> json = parseJson(*bytes);
    if (!json)
        return failure(json.error().code, path + ": " + json.error().where, json.error().what);
    Result<SettingsSet> settings = settingsFromJson(*json);
    if (!settings)
        return failure(settings.error().code,
            path + (settings.error().where.empty() ? "" : ": " + settings.error().where), settings.error().what);
    for (const auto &[ns, segments] : settings->namespaces) {
        for (const SettingsSet::Segment &segment : segments) {
            if (const auto prices = pricesFromValue(segment.settings.prices); !prices)
                return failure(prices.error().code, path + ": " + prices.error().where, prices.error().what);
        }
    }
    return settings;
}

Result<std::optional<SettingsSet>> optionalSettings(const std::string &path)
{
    if (path.empty())
        return std::nullopt;
    Result<SettingsSet> settings = readSettingsFile(path);
    if (!settings)
        return tl::unexpected(settings.error());
    return std::move(*settings);
}

Result<SummarySource> summarySourceNamed(const std::string &name, bool model)
{
    if (name == "recorded")
        return SummarySource::Recorded;
    if (name == "extractive")
        return SummarySource::Extractive;
    if (name == "fixed")
        return SummarySource::Fixed;
    if (name == "model" && model)
        return SummarySource::Model;
    return failure(Error::Code::Invalid, "--summaries",
        std::string("must be one of recorded, extractive, fixed") + (model ? ", model" : ""));
}

} // namespace palimpsest
