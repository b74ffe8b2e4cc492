#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: record_dcode.sh PYTHON OUT   (root, Linux; a private mount namespace hides the machine's paths)
set -e
here=$(cd "$(dirname "$0")" && pwd); mkdir -p "$2"; out=$(cd "$2" && pwd); py=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
artifacts=$(dirname "$(mktemp -u)")/dcode-artifacts-$(id -u)
export here out py artifacts
rm -rf "$out"/*; had=0; [ -e "$artifacts" ] && had=1
unshare -m bash -c '
  mount -t tmpfs tmpfs /home; mkdir -p /home/user/project; cd /home/user/project
  export HOME=/home/user/ USER=user; git init -q -b main . 2>/dev/null || true
  "$py" "$here/record_dcode.py" "$out" || exit 1
  sqlite3 -version >/dev/null 2>&1
  "$py" -c "import sqlite3; d=sqlite3.connect(\"/home/user/.deepagents/.state/sessions.db\"); print(d.execute(\"pragma journal_mode\").fetchone()); d.execute(\"pragma wal_checkpoint(truncate)\"); d.execute(\"pragma journal_mode=delete\")"
  mkdir -p "$out/home/.deepagents"; cp -r /home/user/.deepagents/. "$out/home/.deepagents/"
  [ -d "$artifacts" ] && cp -r "$artifacts" "$out/dcode-artifacts-0" || true
  find /home/user/ -not -path "*/.git/*" | head -60
'
[ $had = 0 ] && rm -rf "$artifacts" || true
