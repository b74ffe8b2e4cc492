// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/transcript/bundle.h"

#include "core/base/base64.h"
#include "core/base/text.h"
#include "core/serde/json.h"
#include "core/serde/msgpack.h"
#include "core/serde/msgpackencode.h"
#include "core/sources/checkpointwriter.h"
#include "core/transcript/scrub.h"
#include "core/values/json.h"
#include "core/values/pyjson.h"

#include <filesystem>
#include <format>
#include <random>

namespace palimpsest {
namespace {

constexpr std::string_view folderPrefix = "files"; ///< store namespace of what lay in folders

std::optional<Value> decoded(const TypedBytes &stored)
{
    Result<Value> value = stored.type == "msgpack" ? decodeMsgpack(stored.bytes)
        : stored.type == "json"                    ? parseJson(stored.bytes)
                                                   : failure(Error::Code::Unsupported, {}, "no decodable type");
    return value ? std::optional<Value>(std::move(*value)) : std::nullopt;
}

class Writer {
public:
    Writer(CheckpointSource &source, const Thread &thread, CheckpointWriter &out, const BundleOptions &options,
        const JobContext &job)
        : m_source(source)
        , m_thread(thread)
        , m_out(out)
        , m_options(options)
        , m_job(job)
    {
        for (const ThreadNamespace &space : thread.namespaces)
            m_total += space.checkpoints.size() * (options.scrub ? 2 : 1);
    }

    Result<void> write()
    {
        Result<void> done;
        if (m_options.scrub)
            done = lookAtAll();
        if (done)
            done = copyRows();
        if (done)
            done = copyStore();
        if (done)
            done = copyFolders();
        if (done)
            done = m_out.note("format", "palimpsest.bundle/1");
        if (done && m_options.scrub)
            done = m_out.note("scrubbed", "true");
        if (done && !m_options.settings.isNil())
            done = m_out.note(
                "settings", toJson(m_options.scrub ? m_scrubber.scrubbed(m_options.settings) : m_options.settings));
        return done ? m_out.finish() : done;
    }

private:
    /// Every row of the thread: `checkpoint(ns, row, blob)` and `write(ns, row)` give Result<void>.
    template <class OnCheckpoint, class OnWrite> Result<void> eachRow(OnCheckpoint &&checkpoint, OnWrite &&write)
    {
        for (const ThreadNamespace &space : m_thread.namespaces) {
            Result<void> result;
            CheckpointScan scan;
            const auto onRow = [&](CheckpointRow &&row) {
                if (m_job.stopped())
                    result = failure(Error::Code::Cancelled, {}, "stopped");
                else if (Result<TypedBytes> blob = m_source.checkpointBlob(m_thread.id, space.name, row.id))
                    result = checkpoint(space.name, row, *blob);
                else
                    result = tl::unexpected(blob.error());
                countRow();
                return result.has_value();
            };
            if (Result<void> read = m_source.scanCheckpoints(m_thread.id, space.name, scan, onRow, m_job); !read)
                return read;
            if (!result)
                return result;
            const auto onWrite = [&](WriteRow &&row) {
                result = m_job.stopped() ? failure(Error::Code::Cancelled, {}, "stopped") : write(space.name, row);
                return result.has_value();
            };
            if (Result<void> read = m_source.scanWrites(m_thread.id, space.name, {}, onWrite, m_job); !read)
                return read;
            if (!result)
                return result;
        }
        return {};
    }

    void countRow()
    {
        const std::size_t before = m_done++ * 100 / (m_total + 1);
        if (const std::size_t now = m_done * 100 / (m_total + 1); now != before)
            m_job.report(static_cast<double>(now) / 100, "Copying rows");
    }

    Result<void> lookAtAll()
    {
        const auto look = [&](const TypedBytes &stored) {
            if (const std::optional<Value> value = decoded(stored))
                m_scrubber.look(*value);
        };
        for (const auto &[prefix, items] : m_thread.store)
            for (const auto &[key, value] : items) {
                m_scrubber.lookAtFile(key, {});
                m_scrubber.look(value);
            }
        for (const ArtifactFolder &folder : m_options.folders)
            for (const Artifact &artifact : folder.list())
                if (const Result<std::string> bytes = folder.read(artifact.path))
                    m_scrubber.lookAtFile(artifact.path, *bytes);
        m_scrubber.look(m_options.settings);
        return eachRow(
            [&](const std::string &, const CheckpointRow &row, const TypedBytes &blob) -> Result<void> {
                look(blob);
                look({"json", row.metadata});
                return {};
            },
            [&](const std::string &, const WriteRow &row) -> Result<void> {
                look(row.value);
                return {};
            });
    }

    [[nodiscard]] TypedBytes scrubbed(const TypedBytes &stored) const
    {
        const std::optional<Value> value = decoded(stored);
        if (!value)
            return {"null", {}};
        const Value clean = m_scrubber.scrubbed(*value);
        if (stored.type == "msgpack")
            return {stored.type, encodeMsgpack(clean)};
        Result<std::string> json = pyjson(clean);
        return json ? TypedBytes{stored.type, std::move(*json)} : TypedBytes{"null", {}};
    }

    Result<void> copyRows()
    {
        return eachRow(
            [&](const std::string &ns, const CheckpointRow &row, const TypedBytes &blob) {
                if (!m_options.scrub)
                    return m_out.add(m_thread.id, ns, row, blob);
                CheckpointRow clean = row;
                clean.metadata = scrubbed({"json", row.metadata}).bytes;
                return m_out.add(m_thread.id, ns, clean, scrubbed(blob));
            },
            [&](const std::string &ns, const WriteRow &row) {
                if (!m_options.scrub)
                    return m_out.add(m_thread.id, ns, row);
                WriteRow clean = row;
                clean.value = scrubbed(row.value);
                return m_out.add(m_thread.id, ns, clean);
            });
    }

    Result<void> copyStore()
    {
        for (const auto &[prefix, items] : m_thread.store)
            for (const auto &[key, value] : items) {
                Result<void> done = m_options.scrub
                    ? m_out.addStoreItem(m_scrubber.scrubbedText(prefix), m_scrubber.scrubbedPath(key),
                          toJson(m_scrubber.scrubbed(value)))
                    : m_out.addStoreItem(prefix, key, toJson(value));
                if (!done)
                    return done;
            }
        return {};
    }

    Result<void> copyFolders()
    {
        for (const ArtifactFolder &folder : m_options.folders) {
            for (const Artifact &artifact : folder.list()) {
                if (m_job.stopped())
                    return failure(Error::Code::Cancelled, {}, "stopped");
                Result<std::string> bytes = folder.read(artifact.path);
                if (!bytes)
                    continue; // too big or gone: the archive pane says that it is missing
                std::string path = artifact.path;
                if (m_options.scrub) {
                    *bytes = m_scrubber.scrubbedFile(*bytes);
                    path = m_scrubber.scrubbedPath(path);
                }
                const bool isText = text::isValid(*bytes);
                const Value item = Value::map({{"content", Value(isText ? *bytes : base64::encode(*bytes))},
                    {"encoding", Value(isText ? "utf-8" : "base64")}});
                if (Result<void> done = m_out.addStoreItem(std::string(folderPrefix), path, toJson(item)); !done)
                    return done;
            }
        }
        return {};
    }

    CheckpointSource &m_source;
    const Thread &m_thread;
    CheckpointWriter &m_out;
    const BundleOptions &m_options;
    const JobContext &m_job;
    Scrubber m_scrubber;
    std::size_t m_total = 0; ///< checkpoints to be read, twice when they are scrubbed
    std::size_t m_done = 0;
};

} // namespace

Result<void> writeBundle(CheckpointSource &source, const Thread &thread, const std::string &path,
    const BundleOptions &options, const JobContext &job)
{
    // Complete or not at all: made under another name first, one that nobody has.
    const std::string unfinished = std::format("{}.{:08x}.part", path, std::random_device()());
    std::error_code ignored;
    Result<std::unique_ptr<CheckpointWriter>> out = CheckpointWriter::create(unfinished);
    if (!out)
        return tl::unexpected(out.error());
    Result<void> done = Writer(source, thread, **out, options, job).write();
    out->reset();
    std::error_code renamed;
    if (done) {
        std::filesystem::rename(unfinished, path, renamed);
        if (renamed)
            done = failure(Error::Code::Io, path, "cannot be written: " + renamed.message());
    }
    if (!done)
        std::filesystem::remove(unfinished, ignored);
    return done;
}

} // namespace palimpsest
