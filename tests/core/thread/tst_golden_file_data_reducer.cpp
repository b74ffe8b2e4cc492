// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/thread/reducers.h"
#include "tests/support/goldens.h"

#include <QTest>

using namespace palimpsest;

namespace {

std::string check(const goldens::Case &one)
{
    const Value &left = one.input["left"];
    const Value::List &writes = one.input["writes"].asList();
    const Result<Value> ordered = reduceFiles(left, writes);
    if (!ordered)
        return ordered.error().what;
    if (std::string d = goldens::difference(one.output["value"], *ordered, "value"); !d.empty())
        return d;
    Value::List keys;
    for (const auto &[key, value] : ordered->asMap())
        keys.push_back(key);
    if (std::string d = goldens::difference(one.output["key_order"], Value(keys), "key_order"); !d.empty())
        return d;

    // The map that checkpoints share holds the same entries, without an order.
    FileMap files;
    if (!left.isNil()) {
        const Result<FilesWrite> base = filesWrite(left);
        if (!base)
            return base.error().what;
        files = applyFiles(files, *base);
    }
    std::vector<FilesWrite> read;
    for (const Value &write : writes) {
        Result<FilesWrite> one_ = filesWrite(write);
        if (!one_)
            return one_.error().what;
        read.push_back(std::move(*one_));
    }
    files = applyFiles(std::move(files), read);
    if (files.size() != ordered->asMap().size())
        return "the shared map has " + std::to_string(files.size()) + " entries";
    for (const auto &[path, entry] : files)
        if (!(entry->raw == (*ordered)[path]))
            return "the shared map differs at " + path;
    return {};
}

} // namespace

class TestGoldenFileDataReducer : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void givesWhatUpstreamGives()
    {
        PALIMPSEST_VERIFY_GOLDENS(goldens::run(
            "file_data_reducer", [](const goldens::Case &one, const std::string &) { return check(one); }));
    }
};

QTEST_APPLESS_MAIN(TestGoldenFileDataReducer)
#include "tst_golden_file_data_reducer.moc"
