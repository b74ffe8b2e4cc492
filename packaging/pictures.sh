#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Makes the pictures of the README and the metainfo anew, with the real program and the sample threads; needs no display.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
cd "$root"
packaging/install-deps.sh
cmake --preset release >/dev/null
cmake --build --preset release --target palimpsest
picture() {
    build/release/app/palimpsest "resources/samples/$1.sqlite" --call "$2" --theme "$3" --size 1600x1000 --picture "packaging/$4.png"
    echo "pictures: packaging/$4.png" >&2
}
# The guide "my agent forgot something": the tool's result with the passphrase, followed through the thread.
needle=df028d25-c33b-4efa-b19a-5280a62a43f8
guide() {
    file=resources/help/pictures/forgot-$1.png
    shift
    build/release/app/palimpsest resources/samples/summarize_chain.sqlite --theme light --size 1280x800 --picture "$file" "$@"
    echo "pictures: $file" >&2
}
mkdir -p resources/help/pictures
guide open --call 19
guide fate --message "$needle"
guide trace --message "$needle" --layout study --do trace
guide diff --call 8 --layout study --do diff-before
guide decisions --call 8 --layout study --do pane:decisions
guide tuning --call 19 --layout tune
picture summarize_chain 19 light window
picture media 8 dark window-dark
