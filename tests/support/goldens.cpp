// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/goldens.h"

#include "core/base/text.h"
#include "core/serde/json.h"
#include "core/values/json.h"

#include <QCryptographicHash>
#include <QDir>
#include <QFile>

#include <cstdio>

namespace palimpsest::goldens {
namespace {

std::string fromBase64(const std::string &text)
{
    return QByteArray::fromBase64(QByteArray::fromStdString(text)).toStdString();
}

Value python(const char *name, Value value)
{
    return Value(Value::Tagged{Value::Form::Python, "builtins", name, std::move(value), {}});
}

std::string textOfSpec(const Value &spec)
{
    return decode(spec).asText();
}

std::string shortened(const Value &value)
{
    const std::string json = toJson(value);
    return json.size() < 300 ? json : std::string(text::head(json, 280)) + "…";
}

const Value::List *items(const Value &value)
{
    if (value.isList())
        return &value.asList();
    const Value::Tagged *tagged = value.asTagged();
    return tagged && tagged->name == "tuple" ? &tagged->value.asList() : nullptr;
}

} // namespace

Value decode(const Value &encoded)
{
    if (encoded.isList()) {
        Value::List list;
        list.reserve(encoded.asList().size());
        for (const Value &item : encoded.asList())
            list.push_back(decode(item));
        return Value(std::move(list));
    }
    if (!encoded.isMap())
        return encoded;
    if (encoded.asMap().size() == 1) {
        const std::string &key = encoded.asMap().front().first.asText();
        const Value &spec = encoded.asMap().front().second;
        if (key == "$repeat") {
            const std::string part = textOfSpec(spec.asList().at(0));
            std::string out;
            for (std::int64_t i = 0; i < spec.asList().at(1).asInt(); ++i)
                out += part;
            return Value(std::move(out));
        }
        if (key == "$lines") {
            const std::string &pattern = spec.asList().at(0).asText();
            std::string out;
            const std::int64_t first = spec.asList().at(1).asInt();
            for (std::int64_t i = first; i < first + spec.asList().at(2).asInt(); ++i) {
                std::string line = pattern;
                for (std::size_t at = line.find("{i}"); at != std::string::npos; at = line.find("{i}", at))
                    line.replace(at, 3, std::to_string(i));
                out += i == first ? line : "\n" + line;
            }
            return Value(std::move(out));
        }
        if (key == "$concat") {
            std::string out;
            for (const Value &part : spec.asList())
                out += textOfSpec(part);
            return Value(std::move(out));
        }
        if (key == "$codepoints") {
            std::string out;
            for (const Value &c : spec.asList())
                text::append(out, static_cast<char32_t>(c.asInt()));
            return Value(std::move(out));
        }
        if (key == "$int")
            return Value::bigInt(spec.asText());
        if (key == "$float")
            return *parseJson(spec.asText() == "nan" ? "NaN" : spec.asText() == "inf" ? "Infinity" : "-Infinity");
        if (key == "$base64")
            return Value::bytes(fromBase64(spec.asText()));
        if (key == "$tuple")
            return python("tuple", decode(spec));
        if (key == "$overwrite")
            return Value(Value::Tagged{Value::Form::Python, "langgraph.types", "Overwrite", decode(spec), {}});
        if (key == "$missing")
            return python("$missing", Value());
    }
    Value::Map map;
    map.reserve(encoded.asMap().size());
    for (const auto &[key, value] : encoded.asMap())
        map.emplace_back(key, decode(value));
    return Value(std::move(map));
}

std::vector<Family> load(const std::string &family)
{
    std::vector<Family> families;
    const QString folder = qEnvironmentVariable("PALIMPSEST_GOLDENS", QStringLiteral(PALIMPSEST_TEST_DATA "/goldens"));
    for (const QString &version : QDir(folder).entryList(QDir::Dirs | QDir::NoDotAndDotDot, QDir::Name)) {
        QFile file(folder + u'/' + version + u'/' + QString::fromStdString(family) + QStringLiteral(".json"));
        if (!file.open(QIODevice::ReadOnly))
            continue;
        const auto document = parseJson(file.readAll().toStdString());
        Family loaded{version.toStdString(), family, {}, {}};
        if (!document) {
            loaded.cases.push_back({"unreadable", document.error().where + ": " + document.error().what, {}, {}});
        } else {
            loaded.source = (*document)["source"];
            for (const Value &one : (*document)["cases"].asList())
                loaded.cases.push_back(
                    {one["id"].asText(), one["note"].asText(), decode(one["input"]), decode(one["output"])});
        }
        families.push_back(std::move(loaded));
    }
    return families;
}

std::string difference(const Value &expected, const Value &actual, const std::string &where)
{
    if (expected.isMap() && expected.contains("$sha256")) {
        if (!actual.isText())
            return where + ": expected a long text, got " + shortened(actual);
        const QByteArray digest =
            QCryptographicHash::hash(QByteArray::fromStdString(actual.asText()), QCryptographicHash::Sha256).toHex();
        if (digest.toStdString() == expected["$sha256"].asText())
            return {};
        return where + ": a long text differs; expected " + std::to_string(expected["$length"].asInt())
            + " code points with head " + shortened(expected["$head"]) + ", got "
            + std::to_string(text::length(actual.asText())) + " with "
            + shortened(Value(text::head(actual.asText(), 200)));
    }
    const Value::List *left = items(expected);
    const Value::List *right = items(actual);
    if (left && right) {
        if (left->size() != right->size())
            return where + ": expected " + std::to_string(left->size()) + " items " + shortened(expected) + ", got "
                + std::to_string(right->size()) + " " + shortened(actual);
        for (std::size_t i = 0; i < left->size(); ++i)
            if (std::string d = difference((*left)[i], (*right)[i], where + "[" + std::to_string(i) + "]"); !d.empty())
                return d;
        return {};
    }
    if (expected.isMap() && actual.isMap()) {
        for (const auto &[key, value] : expected.asMap()) {
            const Value *other = actual.find(key.asText());
            if (key.isText() && !other)
                return where + "." + key.asText() + ": missing, expected " + shortened(value);
            if (key.isText())
                if (std::string d = difference(value, *other, where + "." + key.asText()); !d.empty())
                    return d;
        }
        for (const auto &[key, value] : actual.asMap())
            if (key.isText() && !expected.contains(key.asText()))
                return where + "." + key.asText() + ": unexpected " + shortened(value);
        return {};
    }
    return expected == actual ? std::string()
                              : where + ": expected " + shortened(expected) + ", got " + shortened(actual);
}

std::vector<std::string> run(
    const std::string &family, const std::function<std::string(const Case &, const std::string &)> &check)
{
    std::vector<std::string> failures;
    std::size_t ran = 0;
    for (const Family &loaded : load(family)) {
        std::size_t failed = 0;
        for (const Case &one : loaded.cases) {
            ++ran;
            const std::string why = one.id == "unreadable" ? one.note : check(one, loaded.version);
            if (why.empty())
                continue;
            ++failed;
            failures.push_back(loaded.version + "/" + one.id + " (" + one.note + "): " + why);
        }
        std::printf("golden %s/%s: %zu passed, %zu failed, 0 skipped\n", loaded.version.c_str(), family.c_str(),
            loaded.cases.size() - failed, failed);
    }
    std::fflush(stdout);
    // A folder given from outside may hold some families only; the project's own copy holds them all.
    if (ran == 0 && !qEnvironmentVariableIsSet("PALIMPSEST_GOLDENS"))
        failures.push_back("no golden cases were found for " + family);
    return failures;
}

std::vector<MessagePtr> messages(const Value &list)
{
    std::vector<MessagePtr> out;
    for (const Value &item : list.asList())
        out.push_back(messageFromValue(item));
    return out;
}

} // namespace palimpsest::goldens
