// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sources/devserversource.h"

#include "core/base/base64.h"
#include "core/serde/json.h"
#include "core/serde/msgpackscan.h"
#include "core/serde/pickle.h"
#include "core/serde/typed.h"
#include "core/sources/jsonsource.h"
#include "core/sources/splitcheckpoint.h"
#include "core/values/json.h"

#include <filesystem>
#include <system_error>

namespace palimpsest {
namespace {

namespace fs = std::filesystem;

constexpr const char *jsonFile = ".langgraphjs_api.checkpointer.json";
constexpr const char *jsonStoreFile = ".langgraphjs_api.store.json";
constexpr const char *storeFile = "store.pckl";

std::string pickleFile(int number)
{
    return ".langgraph_checkpoint." + std::to_string(number) + ".pckl";
}

bool holdsServer(const fs::path &folder)
{
    std::error_code error;
    return fs::is_regular_file(folder / pickleFile(1), error) || fs::is_regular_file(folder / jsonFile, error);
}

/// The parts of a tuple, or of the list that a copied thread has in its place; empty for anything else.
const Value::List &parts(const Value &tuple)
{
    const Value::Tagged *tagged = tuple.asTagged();
    return tagged && tagged->name == "tuple" ? tagged->value.asList() : tuple.asList();
}

/// A (type, bytes) pair of LangGraph's serializer.
std::optional<TypedBytes> typedBytes(const Value &pair)
{
    const Value::List &two = parts(pair);
    if (two.size() != 2 || !two[0].isText() || !two[1].isBytes())
        return std::nullopt;
    return TypedBytes{two[0].asText(), two[1].asBytes()};
}

/// A pickle of the saver; an empty map when the file is not there.
Result<Value> readPickle(const fs::path &file)
{
    std::error_code error;
    if (!fs::exists(file, error))
        return Value(Value::Map{});
    Result<std::string> bytes = readWholeFile(file.string());
    if (!bytes)
        return tl::unexpected(bytes.error());
    Result<Value> value = readClosedPickle(*bytes);
    if (!value)
        return failure(value.error().code, file.string() + ": " + value.error().where, value.error().what);
    return value;
}

Result<Value> readJsonFile(const fs::path &file)
{
    const Result<std::string> text = readWholeFile(file.string());
    if (!text)
        return tl::unexpected(text.error());
    Result<Value> document = parseJson(*text);
    if (!document)
        return failure(document.error().code, file.string() + ": " + document.error().where, document.error().what);
    return document;
}

/// Values of channels by thread, namespace, channel and version.
using Blobs = std::map<std::tuple<std::string, std::string, std::string, std::string>, TypedBytes>;

Blobs blobsOf(const Value &stored)
{
    Blobs blobs;
    for (const auto &[key, value] : stored.asMap()) {
        const Value::List &place = parts(key);
        const std::optional<TypedBytes> bytes = typedBytes(value);
        if (place.size() != 4 || !bytes)
            continue;
        const std::string version = place[3].isText() ? place[3].asText() : toJson(place[3]);
        blobs.emplace(std::tuple(place[0].asText(), place[1].asText(), place[2].asText(), version), *bytes);
    }
    return blobs;
}

/// The checkpoint with the values that its versions name (langgraph/checkpoint/memory InMemorySaver, 4.3.2).
Result<SplitCheckpoint> joined(
    const TypedBytes &stored, const std::string &thread, const std::string &ns, const Blobs &blobs)
{
    const Result<Value> value = decodeTyped(stored.type, stored.bytes);
    if (!value)
        return tl::unexpected(value.error());
    SplitCheckpoint checkpoint;
    checkpoint.format = (*value)["v"].asInt();
    checkpoint.id = (*value)["id"].asText();
    checkpoint.ts = (*value)["ts"].asText();
    for (const auto &[channel, version] : (*value)["channel_versions"].asMap()) {
        const std::string text = version.isText() ? version.asText() : toJson(version);
        checkpoint.versions.emplace_back(channel.asText(), text);
        const auto blob = blobs.find({thread, ns, channel.asText(), text});
        if (blob != blobs.end() && blob->second.type != "empty")
            checkpoint.values.push_back({channel.asText(), blob->second.type, blob->second.bytes,
                static_cast<std::int64_t>(blob->second.bytes.size())});
    }
    return checkpoint;
}

std::string metadataText(const Value &pair)
{
    const std::optional<TypedBytes> stored = typedBytes(pair);
    const Result<Value> value = stored ? decodeTyped(stored->type, stored->bytes) : Result<Value>(Value());
    return value && value->isMap() ? toJson(*value) : std::string();
}

/// Bytes of superjson's Uint8Array: base64 text.
std::optional<std::string> rawBytes(const Value &text)
{
    if (!text.isText())
        return std::nullopt;
    Result<std::string> bytes = base64::decode(text.asText());
    return bytes ? std::optional(*std::move(bytes)) : std::nullopt;
}

} // namespace

std::string DevServerSource::folderOf(const std::string &path)
{
    std::error_code error;
    const fs::path given(path);
    if (fs::is_regular_file(given, error)) {
        const std::string name = given.filename().string();
        const bool ours = name == jsonFile || (name.starts_with(".langgraph_checkpoint.") && name.ends_with(".pckl"));
        return ours && holdsServer(given.parent_path()) ? given.parent_path().string() : std::string();
    }
    for (const fs::path &folder : {given, given / ".langgraph_api"})
        if (holdsServer(folder))
            return folder.string();
    return {};
}

Result<std::unique_ptr<DevServerSource>> DevServerSource::open(const std::string &folder)
{
    std::unique_ptr<DevServerSource> source(new DevServerSource);
    source->m_info.kind = "devserver";
    source->m_info.location = folder;
    std::error_code error;
    const fs::path json = fs::path(folder) / jsonFile;
    Result<void> done = fs::exists(json, error) ? source->readJson(json.string()) : source->readPickles(folder);
    if (!done)
        return tl::unexpected(done.error());
    source->readStore(folder);
    return source;
}

/// The items of the server's store beside the threads; a file that cannot be read costs the items only.
void DevServerSource::readStore(const std::string &folder)
{
    const fs::path file = fs::path(folder) / (m_info.language == "js" ? jsonStoreFile : storeFile);
    std::error_code error;
    if (!fs::exists(file, error))
        return;
    const auto add = [this](const Value &place, const Value &key, const Value &item) {
        std::string prefix;
        for (const Value &name : parts(place))
            prefix += (prefix.empty() ? "" : ".") + name.asText();
        if (key.isText() && item.isMap())
            m_store[prefix][key.asText()] = item["value"];
    };
    Result<Value> stored = m_info.language == "js" ? readJsonFile(file) : readPickle(file);
    if (!stored) {
        Finding finding;
        finding.rule = "store-unreadable";
        finding.severity = Finding::Severity::Warning;
        finding.message = "The server's store cannot be read: " + stored.error().where + ": " + stored.error().what;
        m_info.findings.push_back(std::move(finding));
        return;
    }
    if (m_info.language == "js") {
        // superjson's maps are lists of pairs: namespace, then key to item.
        for (const Value &space : (*stored)["json"]["data"].asList())
            for (const Value &pair : space.asList().size() == 2 ? space.asList()[1].asList() : Value::List{})
                if (pair.asList().size() == 2)
                    add(pair.asList()[1]["namespace"], pair.asList()[0], pair.asList()[1]);
    } else {
        for (const auto &[place, items] : stored->asMap())
            for (const auto &[key, item] : items.asMap())
                add(place, key, item);
    }
    m_info.hasStore = !m_store.empty();
}

Result<void> DevServerSource::readPickles(const std::string &folder)
{
    m_info.what = "files of langgraph dev";
    Result<Value> stored[3];
    for (int i = 0; i < 3; ++i) {
        stored[i] = readPickle(fs::path(folder) / pickleFile(i + 1));
        if (!stored[i])
            return tl::unexpected(stored[i].error());
    }
    const Blobs blobs = blobsOf(*stored[2]);
    HeldThreads threads;
    for (const auto &[thread, spaces] : stored[0]->asMap())
        for (const auto &[ns, checkpoints] : spaces.asMap())
            for (const auto &[id, row] : checkpoints.asMap()) {
                const Value::List &three = parts(row);
                const std::optional<TypedBytes> checkpoint = three.empty() ? std::nullopt : typedBytes(three[0]);
                HeldRow held;
                held.id = id.asText();
                held.type = splitType;
                if (three.size() > 2 && three[2].isText())
                    held.parentId = three[2].asText();
                if (three.size() > 1)
                    held.metadata = metadataText(three[1]);
                const Result<SplitCheckpoint> whole = checkpoint
                    ? joined(*checkpoint, thread.asText(), ns.asText(), blobs)
                    : Result<SplitCheckpoint>(failure(Error::Code::Malformed, {}, "the entry is no checkpoint"));
                if (whole)
                    held.values = m_texts.emplace_back(packSplit(*whole));
                else
                    held.damage = whole.error().what;
                threads[thread.asText()][ns.asText()].rows.push_back(std::move(held));
            }
    for (const auto &[place, tasks] : stored[1]->asMap()) {
        const Value::List &key = parts(place);
        if (key.size() != 3)
            continue;
        for (const auto &[task, entry] : tasks.asMap()) {
            const Value::List &number = parts(task);
            const Value::List &written = parts(entry);
            const std::optional<TypedBytes> value = written.size() > 2 ? typedBytes(written[2]) : std::nullopt;
            if (number.size() != 2 || !value)
                continue;
            WriteRow write;
            write.checkpointId = key[2].asText();
            write.taskId = written[0].asText();
            write.idx = number[1].asInt();
            write.channel = written[1].asText();
            write.value = *value;
            write.valueSize = static_cast<std::int64_t>(value->bytes.size());
            if (written.size() > 3)
                write.taskPath = written[3].asText();
            threads[key[0].asText()][key[1].asText()].writes.push_back(std::move(write));
        }
    }
    hold(std::move(threads));
    return {};
}

Result<void> DevServerSource::readJson(const std::string &file)
{
    m_info.what = "files of langgraphjs dev";
    m_info.language = "js";
    const Result<Value> document = readJsonFile(file);
    if (!document)
        return tl::unexpected(document.error());
    const Value &inside = (*document)["json"];
    HeldThreads threads;
    m_info.hasTaskPath = false;
    for (const auto &[thread, spaces] : inside["storage"].asMap())
        for (const auto &[ns, checkpoints] : spaces.asMap())
            for (const auto &[id, row] : checkpoints.asMap()) {
                const Value::List &three = row.asList();
                HeldRow held;
                held.id = id.asText();
                held.type = "json";
                if (std::optional<std::string> blob = three.empty() ? std::nullopt : rawBytes(three[0]))
                    held.values = m_texts.emplace_back(*std::move(blob));
                else
                    held.damage = "the entry is no checkpoint";
                if (std::optional<std::string> metadata = three.size() > 1 ? rawBytes(three[1]) : std::nullopt)
                    held.metadata = *std::move(metadata);
                if (three.size() > 2 && three[2].isText())
                    held.parentId = three[2].asText();
                threads[thread.asText()][ns.asText()].rows.push_back(std::move(held));
            }
    for (const auto &[place, tasks] : inside["writes"].asMap()) {
        const Result<Value> key = parseJson(place.asText());
        if (!key || key->asList().size() != 3)
            continue;
        for (const auto &[number, entry] : tasks.asMap()) {
            const Value::List &written = entry.asList();
            std::optional<std::string> value = written.size() > 2 ? rawBytes(written[2]) : std::nullopt;
            if (!value)
                continue;
            WriteRow write;
            write.checkpointId = key->asList()[2].asText();
            write.taskId = written[0].asText();
            const std::string &word = number.asText();
            write.idx = std::strtoll(word.c_str() + word.rfind(',') + 1, nullptr, 10);
            write.channel = written[1].asText();
            write.valueSize = static_cast<std::int64_t>(value->size());
            write.value = {"json", *std::move(value)};
            if (written.size() > 3 && written[3].isText()) {
                write.taskPath = written[3].asText();
                m_info.hasTaskPath = true;
            }
            threads[key->asList()[0].asText()][key->asList()[1].asText()].writes.push_back(std::move(write));
        }
    }
    hold(std::move(threads));
    return {};
}

} // namespace palimpsest
