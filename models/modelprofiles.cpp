// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/modelprofiles.h"

#include "core/compaction/settings.h"
#include "core/serde/json.h"

#include <QFile>

#include <algorithm>

namespace palimpsest {

using namespace Qt::StringLiterals;

Result<std::vector<ModelPreset>> modelPresets(std::string_view json)
{
    const auto list = parseJson(json);
    if (!list)
        return tl::unexpected(list.error());
    std::vector<ModelPreset> presets;
    for (const Value &item : list->asList()) {
        ModelPreset preset{item["name"].asText(), item["model"], item["prices"]};
        if (preset.name.empty())
            return failure(Error::Code::Invalid, "name", "every model needs a name");
        const auto read = settingsFromJson(
            Value::map({{"model", preset.model}, {"keep", Value::list({Value("messages"), Value(1)})}}));
        if (!read)
            return failure(Error::Code::Invalid, preset.name + ": " + read.error().where, read.error().what);
        presets.push_back(std::move(preset));
    }
    return presets;
}

std::vector<ModelPreset> allModelPresets(const QString &userFile)
{
    std::vector<ModelPreset> all;
    for (const QString &name : {u":/tuning/models.json"_s, userFile}) {
        QFile file(name);
        if (name.isEmpty() || !file.open(QIODevice::ReadOnly))
            continue;
        const auto presets = modelPresets(file.readAll().toStdString());
        if (!presets)
            continue;
        for (const ModelPreset &preset : *presets) {
            const auto same = std::ranges::find(all, preset.name, &ModelPreset::name);
            if (same == all.end())
                all.push_back(preset);
            else
                *same = preset;
        }
    }
    return all;
}

} // namespace palimpsest
