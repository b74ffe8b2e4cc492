#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Installs what is missing and runs every test: packaging/test.sh [STAGE…], stages `ci`, `asan` and `fuzz`, all of them by default.
#   ci    build with warnings as errors, every test
#   asan  the rooms of core that take stored bytes apart, with the address and undefined-behaviour sanitizers
#   fuzz  corpora and mutations, with libFuzzer where clang++ is installed and with the corpus runner elsewhere
# PALIMPSEST_FUZZ_SECONDS (20): how long each fuzz target runs in the stage `fuzz`.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
cd "$root"
stages=${*:-ci asan fuzz}
for stage in $stages; do
    case $stage in
    ci | asan | fuzz) ;;
    *) echo "usage: packaging/test.sh [ci] [asan] [fuzz]" >&2; exit 2 ;;
    esac
done
packaging/install-deps.sh --tests

jobs=$(nproc 2>/dev/null || echo 2)
CMAKE_BUILD_PARALLEL_LEVEL=${CMAKE_BUILD_PARALLEL_LEVEL:-$jobs}
CTEST_PARALLEL_LEVEL=${CTEST_PARALLEL_LEVEL:-$jobs}
export CMAKE_BUILD_PARALLEL_LEVEL CTEST_PARALLEL_LEVEL
mkdir -p build/log

asan() { cmake --workflow --preset asan; }

fuzz() {
    preset=asan
    if command -v clang++ >/dev/null; then preset=fuzz; fi
    cmake --preset "$preset" -DPALIMPSEST_FUZZ_SECONDS="${PALIMPSEST_FUZZ_SECONDS:-20}" -DPALIMPSEST_FUZZ_RUNS=100000000 &&
        cmake --build --preset "$preset" --target fuzz &&
        ctest --preset fuzz-$preset
}

summary=''
failed=no
for stage in $stages; do
    echo "== $stage"
    begin=$(date +%s)
    result=passed
    # A pipe hides the status of what stands before it: the stage leaves its own in a file.
    {
        status=0
        case $stage in
        ci) cmake --workflow --preset ci || status=$? ;;
        *) "$stage" || status=$? ;;
        esac
        echo "$status" >build/log/status
    } 2>&1 | tee "build/log/$stage.log"
    if [ "$(cat build/log/status)" != 0 ]; then
        result=FAILED
        failed=yes
    fi
    closing=$(grep -E '^[0-9]+% tests passed' "build/log/$stage.log" | tail -n 1 || true)
    summary="$summary$(printf '%-5s %-7s %5d s  %s' "$stage" "$result" $(($(date +%s) - begin)) "$closing")
"
done
printf '\n== summary\n%s' "$summary"
if [ "$failed" = yes ]; then exit 1; fi
