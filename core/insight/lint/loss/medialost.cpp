// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/insight/lint/loss/blocks.h"
#include "core/insight/lint/loss/lossfinding.h"
#include "core/insight/lint/rules.h"

#include <algorithm>
#include <set>

namespace palimpsest {
namespace {

constexpr std::string_view placeholder = "failed_to_offload"; ///< inside a tag that the archive escapes

/// What an event's archive tells of a piece of media.
struct Section {
    const ArchiveFile *file = nullptr;
    std::optional<std::size_t> place;
    std::string_view text; ///< of the event's section; of the whole file where sections cannot be told
};

Section sectionOf(const LintContext &context, const EventRecord &record)
{
    Section section;
    if (!record.event->filePath)
        return section;
    section.file = &context.material.archive(*record.event->filePath);
    section.text = section.file->text;
    for (const SectionLink &link : section.file->links) {
        if (link.checkpoint != record.checkpoint)
            continue;
        const ArchiveSection &found = section.file->archive.sections[link.section];
        section.place = link.section;
        section.text = std::string_view(section.file->text).substr(found.begin, found.end - found.begin);
        break;
    }
    return section;
}

/// Paths of media files with this content's name that can still be read.
std::vector<std::string> mediaFiles(const LintContext &context, const std::string &key, CheckpointIndex until)
{
    std::set<std::string> paths;
    const std::string name = "/conversation_history/media/" + key + ".";
    const auto look = [&](const std::string &path) {
        if (path.find(name) != std::string::npos)
            paths.insert(path);
    };
    if (until.isValid())
        for (const auto &[path, entry] : context.ns.checkpoints[until.at()].files)
            look(path);
    for (const Artifact &artifact : context.material.outside().list())
        look(artifact.path);
    return {paths.begin(), paths.end()};
}

Value pathList(const std::vector<std::string> &paths)
{
    Value::List list;
    for (const std::string &path : paths)
        list.emplace_back(path);
    return Value(std::move(list));
}

struct Block {
    const MessagePtr &message;
    std::size_t raw;
    std::size_t place;
    LostBlock kind;
};

void report(const LintContext &context, FindingSink &sink, const EventRecord &record, const Section &section,
    const Block &block, Value evidence, const std::string &why)
{
    const bool media = block.kind == LostBlock::Media;
    evidence = evidence.with("kind", Value(lostBlockName(block.kind)))
                   .with("block_type", block.message->content.asList()[block.place]["type"])
                   .with("raw_index", Value(static_cast<std::int64_t>(block.raw)))
                   .with("in_raw_log", Value(true))
                   .with("in_archive", Value(false))
                   .with("in_summary_input", Value(false))
                   .with("section", section.place ? Value(static_cast<std::int64_t>(*section.place)) : Value());
    Finding finding = eventFinding("media-lost", media ? Finding::Severity::Warning : Finding::Severity::Info, record,
        "Block " + std::to_string(block.place) + " (" + std::string(lostBlockName(block.kind)) + ") of message "
            + std::to_string(block.raw) + " was summarized " + why + "; it is whole in the raw log at index "
            + std::to_string(block.raw) + ".",
        std::move(evidence));
    finding.messageId = block.message->id;
    finding.block = static_cast<std::int64_t>(block.place);
    seeFromEvent(context, sink, std::move(finding),
        context.ns.checkpoints[record.checkpoint.at()].id + "/" + std::to_string(block.raw) + "/"
            + std::to_string(block.place),
        record);
}

void checkMedia(const LintContext &context, FindingSink &sink, const EventRecord &record, const Section &section,
    const Block &block)
{
    const std::optional<DecodedDataUrl> bytes = inlineBytes(block.message->content.asList()[block.place]);
    const std::string key = bytes ? bytes->key() : std::string();
    const CheckpointIndex last = context.material.lastDescendant(record.checkpoint);
    const std::vector<std::string> files = bytes ? mediaFiles(context, key, last) : std::vector<std::string>();
    const bool referred = bytes && section.text.find("/conversation_history/media/" + key + ".") != std::string::npos;
    if (referred && !files.empty())
        return;
    // Whose archive cannot be seen, its references cannot be either; `compact_conversation` never writes media.
    const bool unseen = section.file && !section.file->found();
    if (unseen && !record.byTool)
        return;
    const bool failed = section.text.find(placeholder) != std::string_view::npos && !referred;
    Value::List still{
        Value::map({{"where", Value("raw log")}, {"raw_index", Value(static_cast<std::int64_t>(block.raw))},
            {"block", Value(static_cast<std::int64_t>(block.place))}})};
    for (const std::string &path : files)
        still.push_back(Value::map({{"where", Value("file")}, {"path", Value(path)}}));
    Value evidence = Value::map({{"bytes", bytes ? Value(static_cast<std::int64_t>(bytes->bytes.size())) : Value()},
        {"mime", bytes ? Value(bytes->mime) : Value()}, {"sha256_16", bytes ? Value(key) : Value()},
        {"media_file", referred ? Value("missing") : Value()}, {"placeholder_in_archive", Value(failed)},
        {"by_compact_conversation", Value(record.byTool)}, {"bytes_still_at", Value(std::move(still))},
        {"media_files", pathList(files)}});
    report(context, sink, record, section, block, std::move(evidence),
        record.byTool ? "by compact_conversation, which offloads no media: archive and summary input have its text only"
            : !bytes  ? "but could not be decoded: the archive has a placeholder in its place"
            : referred ? "and its archive refers to a media file that is not there"
            : failed   ? "but its upload failed: the archive has a placeholder in its place"
                       : "and neither its archive nor the summary's input has it");
}

void check(const LintContext &context, FindingSink &sink)
{
    for (const EventRecord &record : context.material.events()) {
        if (record.inherited)
            continue;
        std::optional<Section> section;
        const MessageLog &log = context.ns.checkpoints[record.checkpoint.at()].messages;
        for (std::int64_t i = record.evicted.first.value; i < record.evicted.end.value; ++i) {
            const MessagePtr &message = log[static_cast<std::size_t>(i)];
            const Value::List &blocks = message->content.asList();
            for (std::size_t k = 0; k < blocks.size(); ++k) {
                const LostBlock kind = lostBlock(blocks[k]);
                if (kind == LostBlock::No)
                    continue;
                if (!section)
                    section = sectionOf(context, record);
                const Block block{message, static_cast<std::size_t>(i), k, kind};
                if (kind == LostBlock::Media)
                    checkMedia(context, sink, record, *section, block);
                else
                    report(context, sink, record, *section, block, Value(Value::Map{}),
                        "and no archive or summary input keeps such a block");
            }
        }
    }
}

} // namespace

const Rule rules::mediaLost{
    {"media-lost", Finding::Severity::Warning,
        "A picture, file or provider block was summarized away, and neither the archive nor the summary's input has "
        "it.",
        "Save the bytes from the raw log; compact automatically rather than with compact_conversation where media "
        "matter.",
        "deepagents#6312, #2873; deepagents/middleware/summarization.py _run_compact, _rewrite_data_url_blocks, 0.7.7"},
    &check};

} // namespace palimpsest
