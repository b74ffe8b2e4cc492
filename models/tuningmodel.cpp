// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/tuningmodel.h"

#include "core/compaction/contextsize.h"
#include "core/compaction/rules.h"
#include "models/display.h"

#include <algorithm>

namespace palimpsest {

using namespace Qt::StringLiterals;

namespace {

constexpr std::size_t mostSteps = 1000;
constexpr qint64 gesture = 1500; ///< milliseconds; after a longer pause a change is a step of its own

Result<Settings> readPart(const Value &values)
{
    const auto set = settingsFromJson(values);
    if (!set)
        return tl::unexpected(set.error());
    return settingsFor(*set, "", 1);
}

/// A form has no "left out": trigger, keep and truncation stand there as they take effect.
Value written(Value values)
{
    const auto settings = readPart(values);
    if (!settings)
        return values;
    const auto choice = dialectFor(settings->dialect);
    if (!choice)
        return values;
    const CompactionRules rules = rulesFor(*settings, choice->dialect);
    // Members of objects stand there one and all.
    const Value whole = settingsToJson(*settings);
    for (const char *object : {"model", "truncate_args"})
        if (values[object].isMap())
            values = values.with(object, whole[object]);
    if (settings->modelDefaults || !settings->trigger)
        values = values.with("trigger", rules.trigger.empty() ? Value() : triggerToValue(rules.trigger));
    if (settings->modelDefaults) {
        Settings shown = *settings;
        shown.keep = rules.keep;
        shown.truncateArgs = rules.truncateArgs;
        const Value all = settingsToJson(shown);
        values = values.with("keep", all["keep"]).with("truncate_args", all["truncate_args"]);
    }
    return values;
}

bool isFromDefaults(std::string_view key)
{
    return key == "trigger" || key == "keep" || key.starts_with("truncate_args");
}

bool before(const TuningModel::Part &a, const TuningModel::Part &b)
{
    return std::pair(a.ns, a.fromCall) < std::pair(b.ns, b.fromCall);
}

std::vector<TuningModel::Part> partsOf(const SettingsSet &set)
{
    std::vector<TuningModel::Part> parts;
    for (const auto &[ns, segments] : set.namespaces)
        for (const SettingsSet::Segment &segment : segments)
            parts.push_back({ns, segment.fromCall, settingsToJson(segment.settings)});
    if (parts.empty() || !parts.front().ns.empty())
        parts.insert(parts.begin(), {"", 1, settingsToJson(Settings())});
    std::ranges::sort(parts, before);
    return parts;
}

} // namespace

Result<std::vector<TuningModel::Part>> tuningParts(const Value &document)
{
    const auto set = settingsFromJson(document);
    if (!set)
        return tl::unexpected(set.error());
    return partsOf(*set);
}

Value tuningDocument(const SettingsSet &set)
{
    return tuningDocument(partsOf(set));
}

Value tuningDocument(const std::vector<TuningModel::Part> &parts)
{
    if (parts.size() == 1 && parts.front().ns.empty() && parts.front().fromCall == 1)
        return parts.front().values;
    Value::Map spaces;
    for (auto part = parts.begin(); part != parts.end();) {
        const auto end = std::find_if(part, parts.end(), [&](const auto &other) { return other.ns != part->ns; });
        Value value = part->values;
        if (end - part > 1 || part->fromCall != 1) {
            Value::List segments;
            for (auto segment = part; segment != end; ++segment)
                segments.push_back(
                    Value::map({{"from_call", Value(segment->fromCall)}, {"settings", segment->values}}));
            value = Value::map({{"segments", Value(std::move(segments))}});
        }
        spaces.emplace_back(Value(part->ns), std::move(value));
        part = end;
    }
    if (spaces.size() == 1 && spaces.front().first.asText().empty())
        return spaces.front().second;
    return Value::map({{"namespaces", Value(std::move(spaces))}});
}

TuningModel::TuningModel(QObject *parent)
    : QObject(parent)
{
    m_history.push_back({{{"", 1, written(settingsToJson(Settings()))}}, 0, {}});
    take();
}

void TuningModel::setCurrent(std::size_t part)
{
    if (part >= parts().size() || part == current())
        return;
    m_history[m_at].current = part;
    take();
    Q_EMIT changed();
}

void TuningModel::addPart(const std::string &ns, std::int64_t fromCall)
{
    State state = m_history[m_at];
    const auto same =
        std::ranges::find_if(state.parts, [&](const Part &part) { return part.ns == ns && part.fromCall == fromCall; });
    if (same != state.parts.end()) {
        setCurrent(static_cast<std::size_t>(same - state.parts.begin()));
        return;
    }
    state.parts.push_back({ns, fromCall, written(settingsToJson(settingsFor(*m_settings, ns, fromCall)))});
    const Part added = state.parts.back();
    std::ranges::sort(state.parts, before);
    state.current = static_cast<std::size_t>(std::ranges::find(state.parts, added) - state.parts.begin());
    state.key = "parts";
    push(std::move(state), Step::New);
}

void TuningModel::removePart(std::size_t part)
{
    if (part == 0 || part >= parts().size())
        return;
    State state = m_history[m_at];
    state.parts.erase(state.parts.begin() + static_cast<std::ptrdiff_t>(part));
    state.current = std::min(state.current, state.parts.size() - 1);
    state.key = "parts";
    push(std::move(state), Step::New);
}

QString TuningModel::partName(std::size_t part) const
{
    const Part &named = parts()[part];
    QString name = named.ns.empty() ? tr("Main agent") : named.ns == "tools:*" ? tr("Subagents") : toQString(named.ns);
    if (named.fromCall > 1)
        name += tr(", from call %1").arg(named.fromCall);
    return name;
}

Value TuningModel::value(std::string_view key) const
{
    return parameterValue(parts()[current()].values, key);
}

void TuningModel::setValue(std::string_view key, Value value, Step step)
{
    State state = m_history[m_at];
    Value &values = state.parts[state.current].values;
    if (values.contains(key) && parameterValue(values, key) == value)
        return;
    if (isFromDefaults(key) && values["model_defaults"].asBool())
        values = values.with("model_defaults", Value(false));
    values = written(withParameter(values, key, std::move(value)));
    state.key = std::string(key);
    push(std::move(state), step);
}

void TuningModel::setValues(const std::vector<std::pair<std::string, Value>> &changes)
{
    State state = m_history[m_at];
    Value &values = state.parts[state.current].values;
    for (const auto &[key, value] : changes)
        values = withParameter(values, key, value);
    values = written(values);
    state.key = "several";
    push(std::move(state), Step::New);
}

const Settings &TuningModel::currentSettings() const
{
    const Part &part = parts()[current()];
    return settingsFor(*m_settings, part.ns, part.fromCall);
}

bool TuningModel::applies(const Parameter &parameter) const
{
    if (!parameter.applies)
        return true;
    const auto choice = dialectFor(value("dialect").asText());
    return !choice || parameter.applies(choice->dialect);
}

Value TuningModel::document() const
{
    return tuningDocument(parts());
}

Result<void> TuningModel::load(const Value &document)
{
    auto parts = tuningParts(document);
    if (!parts)
        return tl::unexpected(parts.error());
    for (Part &part : *parts)
        part.values = written(std::move(part.values));
    push({std::move(*parts), 0, "file"}, Step::New);
    return {};
}

void TuningModel::start(const Value &document)
{
    auto parts = tuningParts(document);
    if (!parts)
        return;
    for (Part &part : *parts)
        part.values = written(std::move(part.values));
    m_history = {{std::move(*parts), 0, {}}};
    m_at = 0;
    m_touched = false;
    take();
    Q_EMIT changed();
    Q_EMIT settingsChanged();
}

void TuningModel::undo()
{
    if (!canUndo())
        return;
    --m_at;
    take();
    Q_EMIT changed();
    Q_EMIT settingsChanged();
}

void TuningModel::redo()
{
    if (!canRedo())
        return;
    ++m_at;
    take();
    Q_EMIT changed();
    Q_EMIT settingsChanged();
}

void TuningModel::push(State state, Step step)
{
    if (state.parts == parts() && state.current == current())
        return;
    const bool goesOn = step == Step::GoesOn && m_at > 0 && m_at + 1 == m_history.size()
        && m_history[m_at].key == state.key && m_history[m_at].current == state.current && m_sincePush.isValid()
        && m_sincePush.elapsed() < gesture;
    m_sincePush.start();
    m_touched = true;
    if (goesOn) {
        m_history[m_at] = std::move(state);
    } else {
        m_history.resize(m_at + 1);
        m_history.push_back(std::move(state));
        if (m_history.size() > mostSteps)
            m_history.erase(m_history.begin());
        m_at = m_history.size() - 1;
    }
    const auto former = m_settings;
    take();
    Q_EMIT changed();
    if (m_settings != former)
        Q_EMIT settingsChanged();
}

void TuningModel::take()
{
    m_fault.reset();
    SettingsSet set;
    for (std::size_t i = 0; i < parts().size(); ++i) {
        const Part &part = parts()[i];
        auto settings = readPart(part.values);
        if (!settings) {
            // The fault of the part in the form is the one to say.
            if (!m_fault || i == current())
                m_fault = settings.error();
            continue;
        }
        set.namespaces[part.ns].push_back({part.fromCall, std::move(*settings)});
    }
    if (!m_fault && (!m_settings || *m_settings != set))
        m_settings = std::make_shared<const SettingsSet>(std::move(set));
}

} // namespace palimpsest
