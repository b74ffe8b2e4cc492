// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/sourcetree.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace palimpsest::testing {

namespace {

std::string_view trimmed(std::string_view text)
{
    const auto begin = text.find_first_not_of(" \t");
    return begin == std::string_view::npos ? std::string_view() : text.substr(begin);
}

bool isLeftOut(std::string_view path, bool folder)
{
    const std::string_view name = path.substr(path.rfind('/') + 1);
    if (folder) {
        return (name.starts_with(".") && name != ".ci") || name == "build" || name == "__pycache__"
            || path == "tests/data" || path == "tests/fuzz/corpus" || path == "resources/samples";
    }
    const auto dot = name.rfind('.');
    const std::string_view suffix = dot == std::string_view::npos ? std::string_view() : name.substr(dot);
    return suffix == ".png" || suffix == ".sqlite" || suffix == ".pyc" || name == "LICENSE" || path == ".git"
        || name == "compile_commands.json";
}

} // namespace

std::vector<std::string_view> SourceFile::lines() const
{
    std::vector<std::string_view> result;
    const std::string_view all = text;
    for (std::size_t at = 0; at < all.size();) {
        const auto end = std::min(all.find('\n', at), all.size());
        result.push_back(all.substr(at, end - at));
        at = end + 1;
    }
    return result;
}

std::string_view SourceFile::stem() const
{
    const std::string_view name = std::string_view(path).substr(path.rfind('/') + 1);
    return name.substr(0, name.find('.'));
}

std::vector<SourceFile> sourceTree(const std::string &root)
{
    namespace fs = std::filesystem;
    std::vector<SourceFile> files;
    for (auto entry = fs::recursive_directory_iterator(root); entry != fs::recursive_directory_iterator(); ++entry) {
        const std::string path = entry->path().lexically_relative(root).generic_string();
        if (isLeftOut(path, entry->is_directory())) {
            if (entry->is_directory()) {
                entry.disable_recursion_pending();
            }
            continue;
        }
        if (entry->is_regular_file()) {
            std::ifstream stream(entry->path(), std::ios::binary);
            files.push_back(
                {path, std::string(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>())});
        }
    }
    std::sort(files.begin(), files.end(), [](const SourceFile &a, const SourceFile &b) { return a.path < b.path; });
    return files;
}

std::vector<Include> includesOf(const SourceFile &file)
{
    std::vector<Include> result;
    std::size_t number = 0;
    for (const std::string_view line : file.lines()) {
        ++number;
        std::string_view rest = trimmed(line);
        if (!rest.starts_with("#")) {
            continue;
        }
        rest = trimmed(rest.substr(1));
        if (!rest.starts_with("include")) {
            continue;
        }
        rest = trimmed(rest.substr(7));
        if (rest.size() < 3 || (rest[0] != '"' && rest[0] != '<')) {
            continue;
        }
        const bool quoted = rest[0] == '"';
        const auto end = rest.find(quoted ? '"' : '>', 1);
        if (end != std::string_view::npos) {
            result.push_back({rest.substr(1, end - 1), quoted, number});
        }
    }
    return result;
}

} // namespace palimpsest::testing
