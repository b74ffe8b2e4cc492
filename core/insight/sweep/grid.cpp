// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/sweep/grid.h"

#include "core/insight/compare/cost.h"

#include <limits>

namespace palimpsest {
namespace {

constexpr std::size_t mostCells = 1000000;

/// A copy of `map` with the member at a dotted path set.
Value withMember(const Value &map, std::string_view path, const Value &value)
{
    const std::size_t dot = path.find('.');
    const Value base = map.isMap() ? map : Value(Value::Map{});
    if (dot == std::string_view::npos)
        return base.with(path, value);
    const std::string_view key = path.substr(0, dot);
    return base.with(key, withMember(base[key], path.substr(dot + 1), value));
}

Result<SweepAxis> axisFromJson(const Value &json, const std::string &where)
{
    if (!json.isMap())
        return failure(Error::Code::Invalid, where, "must be an object with key and values");
    SweepAxis axis;
    for (const auto &[key, value] : json.asMap()) {
        if (key.asText() == "key" && value.isText() && !value.asText().empty())
            axis.key = value.asText();
        else if (key.asText() == "values" && value.isList() && !value.asList().empty())
            axis.values = value.asList();
        else
            return failure(Error::Code::Invalid, where + "." + key.asText(),
                "an axis has \"key\", a setting's name, and \"values\", a list that is not empty");
    }
    if (axis.key.empty() || axis.values.empty())
        return failure(Error::Code::Invalid, where, "must have key and values");
    return axis;
}

} // namespace

std::size_t SweepGrid::size() const
{
    std::size_t cells = 1;
    for (const SweepAxis &axis : axes)
        cells *= axis.values.size();
    return cells;
}

std::vector<Value> SweepGrid::values(std::size_t cell) const
{
    std::vector<Value> values(axes.size());
    for (std::size_t i = axes.size(); i-- > 0;) {
        values[i] = axes[i].values[cell % axes[i].values.size()];
        cell /= axes[i].values.size();
    }
    return values;
}

Value SweepGrid::settingsFile(std::size_t cell) const
{
    Value file = base;
    const std::vector<Value> chosen = values(cell);
    for (std::size_t i = 0; i < axes.size(); ++i)
        file = withMember(file, axes[i].key, chosen[i]);
    return file;
}

Result<SettingsSet> SweepGrid::settings(std::size_t cell) const
{
    return settingsFromJson(settingsFile(cell));
}

Result<SweepGrid> sweepGridFromJson(const Value &json)
{
    if (!json.isMap())
        return failure(Error::Code::Invalid, "grid", "must be an object with base, axes and needles");
    SweepGrid grid;
    for (const auto &[key, value] : json.asMap()) {
        const std::string &name = key.asText();
        if (name == "base" && value.isMap()) {
            grid.base = value;
        } else if (name == "axes" && value.isList()) {
            for (std::size_t i = 0; i < value.asList().size(); ++i) {
                auto axis = axisFromJson(value.asList()[i], "axes[" + std::to_string(i) + "]");
                if (!axis)
                    return tl::unexpected(axis.error());
                grid.axes.push_back(std::move(*axis));
            }
        } else if (name == "needles" && value.isList()) {
            for (const Value &needle : value.asList()) {
                if (!needle.isText() || needle.asText().empty())
                    return failure(Error::Code::Invalid, "needles", "must be texts that are not empty");
                grid.needles.push_back(needle.asText());
            }
        } else {
            return failure(Error::Code::Invalid, name.empty() ? "grid" : name,
                "a grid has \"base\", a settings file, \"axes\", a list, and \"needles\", a list of texts");
        }
    }
    if (grid.axes.empty())
        return failure(Error::Code::Invalid, "axes", "must have at least one axis");
    // Segments and namespaces have settings of their own, which an axis would not reach.
    if (grid.base.contains("segments") || grid.base.contains("namespaces"))
        return failure(Error::Code::Invalid, "base", "must be one set of settings, without segments and namespaces");
    std::size_t cells = 1;
    for (const SweepAxis &axis : grid.axes) {
        cells *= axis.values.size();
        if (cells > mostCells)
            return failure(Error::Code::Limit, "axes", "make more than 1,000,000 cells");
    }
    const auto first = grid.settings(0);
    if (!first && first.error().what.find("is no setting") != std::string::npos)
        return tl::unexpected(first.error());
    if (first) {
        if (const auto prices = pricesFromValue(settingsFor(*first, {}, 1).prices); !prices)
            return tl::unexpected(prices.error());
    }
    return grid;
}

Value sweepGridToJson(const SweepGrid &grid)
{
    Value::List axes;
    for (const SweepAxis &axis : grid.axes)
        axes.push_back(Value::map({{"key", Value(axis.key)}, {"values", Value(Value::List(axis.values))}}));
    Value::List needles;
    for (const std::string &needle : grid.needles)
        needles.emplace_back(needle);
    return Value::map({{"base", grid.base}, {"axes", Value(std::move(axes))}, {"needles", Value(std::move(needles))}});
}

} // namespace palimpsest
