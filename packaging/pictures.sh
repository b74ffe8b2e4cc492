#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Makes the pictures of the README and the metainfo anew, with the real program and the sample threads; needs no display.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
cd "$root"
packaging/install-deps.sh
cmake --preset release >/dev/null
cmake --build --preset release --target palimpsest
build/release/app/palimpsest resources/samples/summarize_chain.sqlite --call 19 --picture packaging/window.png
echo "pictures: packaging/window.png" >&2
