#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Installs what is missing, builds the optimised program and opens SOURCE or the bundled sample thread: packaging/run.sh [SOURCE] [options of palimpsest].
# Without a display it prints an overview of the source's threads and writes a picture of the window instead.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
"$root/packaging/install-deps.sh"

log=$root/build/run.log
mkdir -p "$root/build"
# The answer goes to standard output, so what the build says does not.
if ! (cd "$root" && cmake --preset release) >"$log" 2>&1; then
    cat "$log" >&2
    exit 1
fi
jobs=$(nproc 2>/dev/null || echo 2)
if [ -t 2 ]; then
    cmake --build "$root/build/release" --target palimpsest --parallel "$jobs" >&2 || exit 1
elif ! cmake --build "$root/build/release" --target palimpsest --parallel "$jobs" >"$log" 2>&1; then
    cat "$log" >&2
    exit 1
fi
program=$root/build/release/app/palimpsest

if [ $# -eq 0 ]; then
    set -- "$root/resources/samples/summarize_chain.sqlite"
    echo "run: no source given: this is the bundled sample thread" >&2
fi
if [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then
    exec "$program" "$@"
fi
"$program" threads "$1"
picture=$root/build/window.png
if ! "$program" "$@" --picture "$picture" >"$log" 2>&1; then
    cat "$log" >&2
    exit 1
fi
echo "run: no display here; a picture of the window is in $picture" >&2
