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
picture summarize_chain 19 light window
picture media 8 dark window-dark
