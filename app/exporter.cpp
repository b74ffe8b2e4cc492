// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/exporter.h"

#include "app/corereader.h"
#include "core/thread/threadreader.h"
#include "core/transcript/bundle.h"
#include "views/render/highlighter.h"
#include "views/render/pdf.h"

#include <QColor>
#include <QDir>
#include <QFileInfo>
#include <QSaveFile>
#include <QTemporaryDir>

#include <algorithm>
#include <array>
#include <filesystem>
#include <format>
#include <memory>
#include <streambuf>

namespace palimpsest {

using namespace Qt::StringLiterals;

namespace {

/// A stream into a QIODevice, in large pieces.
class DeviceBuffer : public std::streambuf {
public:
    explicit DeviceBuffer(QIODevice &device)
        : m_device(device)
        , m_pending(std::size_t(1) << 16, '\0')
    {
        setp(m_pending.data(), m_pending.data() + m_pending.size());
    }

protected:
    int overflow(int c) override
    {
        if (!drain())
            return traits_type::eof();
        if (c != traits_type::eof())
            sputc(static_cast<char>(c));
        return traits_type::not_eof(c);
    }
    int sync() override { return drain() ? 0 : -1; }

private:
    bool drain()
    {
        const auto size = static_cast<qint64>(pptr() - pbase());
        const bool ok = m_device.write(pbase(), size) == size;
        setp(m_pending.data(), m_pending.data() + m_pending.size());
        return ok;
    }

    QIODevice &m_device;
    std::string m_pending;
};

QString toPath(const std::string &path)
{
    return QString::fromStdString(path);
}

/// The grounds of code in the HTML transcript's two looks (core/transcript/htmlparts.cpp, --code).
WriteOptions highlighting()
{
    const auto highlighter = std::make_shared<Highlighter>();
    return {[highlighter](std::string_view code, std::string_view syntax) {
        const QString text = QString::fromUtf8(code.data(), static_cast<qsizetype>(code.size()));
        const QString named = QString::fromUtf8(syntax.data(), static_cast<qsizetype>(syntax.size()));
        return highlighter
            ->toHtml(text, highlighter->syntaxFor(named, named), QColor(0xf3, 0xf1, 0xec), QColor(0x20, 0x20, 0x23))
            .toStdString();
    }};
}

tl::unexpected<Error> cannotWrite(const std::string &path, const QString &why)
{
    return failure(Error::Code::Io, path, "cannot be written: " + why.toStdString());
}

/// The folder for media beside a transcript, by its name alone.
std::string mediaFolderFor(const std::string &path)
{
    return QFileInfo(toPath(path)).completeBaseName().toStdString() + ".media";
}

/// Media in a folder of their own: made under another name and moved into place when the transcript is complete.
class MediaFolder {
public:
    Result<void> fill(const Transcript &transcript, const std::string &path, const JobContext &job)
    {
        for (const TranscriptFile &file : transcript.files)
            if (file.kind == TranscriptFile::Kind::Media && !file.link.empty())
                if (Result<void> added = add(file, path, job); !added)
                    return added;
        for (const Transcript &part : transcript.parts)
            if (Result<void> filled = fill(part, path, job); !filled)
                return filled;
        return {};
    }

    /// Moves the files to their folder. What another export left there under the same name has the same content: names
    /// are digests.
    Result<void> commit(const std::string &path)
    {
        if (!m_temporary)
            return {};
        const QDir from(m_temporary->path());
        const QString folder = QFileInfo(toPath(path)).absoluteDir().filePath(toPath(mediaFolderFor(path)));
        m_newFolder = QFileInfo::exists(folder) ? QString() : folder;
        if (!QDir().mkpath(folder))
            return cannotWrite(folder.toStdString(), u"the folder cannot be made"_s);
        const QStringList names = from.entryList(QDir::Files);
        for (const QString &name : names) {
            const QString target = QDir(folder).filePath(name);
            if (QFile::exists(target))
                continue;
            if (!QFile::rename(from.filePath(name), target)) {
                takeBack();
                return cannotWrite(target.toStdString(), u"the file cannot be moved there"_s);
            }
            m_moved << target;
        }
        return {};
    }

    /// Removes what `commit` moved: the transcript did not come to be.
    void takeBack()
    {
        for (const QString &file : std::as_const(m_moved))
            QFile::remove(file);
        if (!m_newFolder.isEmpty())
            QDir().rmdir(m_newFolder);
    }

private:
    Result<void> add(const TranscriptFile &file, const std::string &path, const JobContext &job)
    {
        if (job.stopped())
            return failure(Error::Code::Cancelled, {}, "stopped");
        if (!m_temporary)
            m_temporary = std::make_unique<QTemporaryDir>(
                QFileInfo(toPath(path)).absoluteDir().filePath(u".palimpsest-XXXXXX"_s));
        QFile target(m_temporary->filePath(QFileInfo(toPath(file.name)).fileName()));
        if (!m_temporary->isValid() || !target.open(QIODevice::WriteOnly)
            || target.write(file.bytes.data(), static_cast<qint64>(file.bytes.size()))
                != static_cast<qint64>(file.bytes.size())
            || !target.flush())
            return cannotWrite(path, m_temporary->isValid() ? target.errorString() : m_temporary->errorString());
        return {};
    }

    QStringList m_moved;
    QString m_newFolder; ///< empty: it was there before
    std::unique_ptr<QTemporaryDir> m_temporary;
};

Result<void> writeOut(const Transcript &transcript, TranscriptFormat format, std::ostream &out, const JobContext &job)
{
    return writeTranscript(
        out, transcript, format, format == TranscriptFormat::Html ? highlighting() : WriteOptions{}, job);
}

Result<void> writeDevice(
    QIODevice &device, const Transcript &transcript, TranscriptFormat format, const JobContext &job)
{
    if (format == TranscriptFormat::Pdf)
        return writePdf(device, transcript, job);
    DeviceBuffer buffer(device);
    std::ostream out(&buffer);
    Result<void> done = writeOut(transcript, format, out, job);
    if (done && !out.flush().good())
        return failure(Error::Code::Io, {}, device.errorString().toStdString());
    return done;
}

Result<void> writeFile(
    const Transcript &transcript, TranscriptFormat format, const std::string &path, const JobContext &job)
{
    QSaveFile file(toPath(path));
    if (!file.open(QIODevice::WriteOnly))
        return cannotWrite(path, file.errorString());
    MediaFolder media;
    Result<void> done = media.fill(transcript, path, job);
    if (done)
        done = writeDevice(file, transcript, format, job);
    if (done && job.stopped())
        done = failure(Error::Code::Cancelled, {}, "stopped");
    if (done)
        done = media.commit(path);
    if (!done) {
        file.cancelWriting();
        if (done.error().where.empty() && done.error().code == Error::Code::Io)
            return cannotWrite(path, QString::fromStdString(done.error().what));
        return done;
    }
    if (!file.commit()) {
        media.takeBack();
        return cannotWrite(path, file.errorString());
    }
    return {};
}

/// Whether writing there would take the place of what a source is read from: its file by any name, what SQLite keeps
/// beside it, or any file of a folder.
bool holdsSource(const std::string &path, const std::string &location)
{
    namespace fs = std::filesystem;
    std::error_code error;
    if (location.empty() || !fs::exists(location, error))
        return false;
    if (fs::equivalent(path, location, error))
        return true;
    const fs::path target = fs::weakly_canonical(path, error);
    const fs::path from = fs::canonical(location, error);
    if (fs::is_directory(from, error))
        return fs::exists(target, error)
            && std::mismatch(from.begin(), from.end(), target.begin(), target.end()).first == from.end();
    return std::ranges::any_of(std::array{"-wal", "-shm", "-journal"},
        [&](const char *ending) { return target == fs::path(from).concat(ending); });
}

} // namespace

Result<void> runExport(const ExportOrder &order, const ExportMaterial &material, CheckpointSource *source,
    const std::string &path, const JobContext &job)
{
    if (holdsSource(path, material.location) || (material.other && holdsSource(path, material.other->location)))
        return cannotWrite(path, u"it is what the thread is read from"_s);
    // What is made aside and moved there would take a device's place.
    if (const QFileInfo there(toPath(path)); there.exists() && !there.isFile())
        return cannotWrite(path, u"it is no regular file"_s);
    if (order.format == TranscriptFormat::Bundle) {
        if (!source)
            return failure(Error::Code::Invalid, material.location, "a bundle needs its source");
        const BundleOptions options{order.scrub, order.settingsDocument, material.folders};
        return writeBundle(*source, *material.thread, path, options, job);
    }
    const Result<PreparedExport> prepared = prepareExport(
        material, order, order.media == MediaPlacement::Beside ? mediaFolderFor(path) : std::string(), job);
    if (!prepared)
        return tl::unexpected(prepared.error());
    return writeFile(prepared->transcript, order.format, path, job);
}

Result<void> runExport(
    const ExportOrder &order, const ExportMaterial &material, std::ostream &out, const JobContext &job)
{
    const Result<PreparedExport> prepared = prepareExport(material, order, {}, job);
    if (!prepared)
        return tl::unexpected(prepared.error());
    return writeOut(prepared->transcript, order.format, out, job);
}

Result<ExportMaterial> readOtherThread(const OtherThread &other, const std::string &ns, const JobContext &job)
{
    const auto source = coreReader().open(other.location, job);
    if (!source)
        return tl::unexpected(source.error());
    std::string id = other.threadId;
    if (id.empty()) {
        const auto rows = (*source)->threads(job);
        if (!rows)
            return tl::unexpected(rows.error());
        if (rows->size() != 1)
            return failure(Error::Code::Invalid, other.location,
                std::format("holds {} threads: say which one is meant", rows->size()));
        id = rows->front().id;
    }
    const auto thread = loadThread(**source, id, {}, job);
    if (!thread)
        return tl::unexpected(thread.error());
    const std::string space = (*thread)->find(ns) ? ns : std::string();
    if (!(*thread)->find(space) || (*thread)->find(space)->calls.empty())
        return failure(Error::Code::NotFound, id, "holds no model call that could be compared");
    const SourceInfo info = (*source)->info();
    return ExportMaterial{*thread, space, info.location, foldersOf(info)};
}

Result<ExportMaterial> withOtherThread(ExportMaterial material, const ExportOrder &order, const JobContext &job)
{
    if (!order.other)
        return material;
    Result<ExportMaterial> other = readOtherThread(*order.other, material.ns, job);
    if (!other)
        return other;
    material.other = std::make_shared<const ExportMaterial>(std::move(*other));
    return material;
}

} // namespace palimpsest
