// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compaction/stages/archive.h"
#include "tests/support/stagecases.h"

#include <QTest>

using namespace palimpsest;

class TestGoldenOffloadToBackend : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void agreesWithThePackage();
};

void TestGoldenOffloadToBackend::agreesWithThePackage()
{
    PALIMPSEST_VERIFY_GOLDENS(goldens::run(
        "offload_to_backend", [](const goldens::Case &one, [[maybe_unused]] const std::string &version) -> std::string {
            ArtifactBackend backend = stagecases::backend(one.input["backend"], version);
            const Attempt<ArchiveWrite> made = offloadToBackend(goldens::messages(one.input["messages"]),
                one.input["session_id"].asText(), one.input["now"].asText(), backend);
            if (!made)
                return stagecases::difference(one.output, stagecases::error(made.error()));
            return stagecases::difference(one.output,
                Value::map({{"path", made->path ? Value(*made->path) : Value()}, {"files", stagecases::files(backend)},
                    {"backend_ops", stagecases::operations(backend)}}));
        }));
}

QTEST_APPLESS_MAIN(TestGoldenOffloadToBackend)
#include "tst_golden_offload_to_backend.moc"
