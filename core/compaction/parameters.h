// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compaction/dialect.h"
#include "core/values/value.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// What every setting is: the one description from which forms are built and by whose ranges settings files are read.
namespace palimpsest {

struct Parameter {
    enum class Type {
        Choice, ///< one of `choices`
        Text, ///< a line
        LongText, ///< several lines; null: none
        Switch,
        OptionalSwitch, ///< true, false or null
        Whole,
        OptionalWhole, ///< null: none
        OptionalReal,
        Size, ///< ["messages", n], ["tokens", n] or ["fraction", f]
        OptionalSize,
        Clauses, ///< a size, an object of sizes (AND) or a list of these (OR)
        Group, ///< an object whose members are described by keys of their own; null: off
        Tools, ///< tool schemas or a number of tokens
        System, ///< a system message or a number of tokens
        Refusals, ///< task ids and numbers of attempts
        Document, ///< an object that is read elsewhere
    };
    /// Where it stands in a form.
    enum class Section { Rules, Model, When, Keep, Truncation, Offloading, Summary, Tools, Simulation };

    std::string_view key; ///< in the settings file; a member of an object as "model.provider"
    std::string_view name; ///< a few words
    Type type = Type::Text;
    Section section = Section::Rules;
    std::string_view unit = {}; ///< "tokens", "code points"; empty: none
    std::optional<double> least = {}; ///< smallest number that is taken
    std::optional<double> most = {}; ///< largest number that is usual: where a slider ends
    std::vector<std::string_view> choices = {};
    std::string_view help = {}; ///< one or two sentences
    std::string_view source = {}; ///< where upstream defines it; this program's own settings say so
    bool (*applies)(const Dialect &) = nullptr; ///< null: with every dialect
};

/// Every key of a settings file but those that only describe a recording (`backend`, `middleware`), in a form's order.
std::span<const Parameter> parameters();
/// Null when there is none of that key.
const Parameter *findParameter(std::string_view key);
/// "Trigger", "Model": the heading of a section.
std::string_view sectionName(Parameter::Section section);

/// What a settings file without the key means under a dialect; nil for "none".
Value parameterDefault(std::string_view key, std::string_view dialect);
/// The value of a key in a settings object; nil when it is not there.
Value parameterValue(const Value &settings, std::string_view key);
/// The settings object with the key set. A member of an object that is null or missing makes that object.
Value withParameter(const Value &settings, std::string_view key, Value value);

} // namespace palimpsest
