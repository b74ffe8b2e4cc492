#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Write a database of many threads: copies of recorded ones under other ids.

Usage: make_fleet.py OUT.sqlite [--threads 1000] [--from RECORDING.sqlite ...]

Needs nothing but Python. The recordings are taken in turn; by default the small ones of tests/data/recordings/0.7.7.
"""

from __future__ import annotations

import argparse
import sqlite3
import sys
from pathlib import Path

DEFAULT = ["plain", "summarize_chain", "tool_offload", "interrupted", "media", "subagent", "truncate_args"]


def columns(connection: sqlite3.Connection, table: str) -> str:
    names = [row[1] for row in connection.execute(f"PRAGMA old.table_info({table})") if row[1] != "thread_id"]
    return ", ".join(names)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--threads", type=int, default=1000)
    parser.add_argument("--from", dest="sources", type=Path, nargs="+")
    options = parser.parse_args()
    recordings = Path(__file__).resolve().parents[1] / "data" / "recordings" / "0.7.7"
    sources = options.sources or [recordings / f"{name}.sqlite" for name in DEFAULT]
    if options.out.exists():
        print(f"{options.out} is there already", file=sys.stderr)
        return 2
    connection = sqlite3.connect(options.out, isolation_level=None)
    for at, source in enumerate(sources):
        connection.execute("ATTACH ? AS old", (str(source),))
        if at == 0:
            for (sql,) in connection.execute(
                "SELECT sql FROM old.sqlite_master WHERE sql IS NOT NULL AND tbl_name IN ('checkpoints', 'writes')"
            ).fetchall():
                connection.execute(sql)
        connection.execute("BEGIN")
        for number in range(at, options.threads, len(sources)):
            for table in ("checkpoints", "writes"):
                names = columns(connection, table)
                connection.execute(
                    f"INSERT INTO main.{table} (thread_id, {names}) SELECT ?, {names} FROM old.{table}",
                    (f"{source.stem}-{number:06d}",),
                )
        connection.execute("COMMIT")
        connection.execute("DETACH old")
    connection.close()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
