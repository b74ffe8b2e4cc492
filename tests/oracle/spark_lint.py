#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Lint every thread of a source with Apache Spark: one `palimpsest lint` a partition of thread ids.

Usage: spark_lint.py BINARY SOURCE OUT_DIRECTORY [--master local[2]] [--partitions 8]

Needs pyspark and a Java runtime. SOURCE must mean the same on every worker: a postgresql:// address, or a file on a
volume that all of them mount. Writes the findings as JSON lines and prints how many threads have which rules.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import time

from pyspark.sql import SparkSession


def lint(binary: str, source: str):
    def run(ids):
        ids = list(ids)
        if not ids:
            return []
        done = subprocess.run(
            [binary, "lint", source, "--jobs", "1", "--only", "-"],
            input="\n".join(ids), capture_output=True, text=True, check=False,
        )
        if done.returncode > 1:  # 1: there are findings
            raise RuntimeError(done.stderr.strip())
        return done.stdout.splitlines()

    return run


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("source")
    parser.add_argument("out")
    parser.add_argument("--master", default="local[2]")
    parser.add_argument("--partitions", type=int, default=8)
    options = parser.parse_args()

    listed = subprocess.run(
        [options.binary, "threads", options.source, "--json-lines"], capture_output=True, text=True, check=True
    )
    ids = [json.loads(line)["thread_id"] for line in listed.stdout.splitlines()]
    spark = SparkSession.builder.master(options.master).appName("palimpsest lint").getOrCreate()
    begin = time.monotonic()
    lines = spark.sparkContext.parallelize(ids, options.partitions).mapPartitions(lint(options.binary, options.source))
    lines.saveAsTextFile(options.out)
    seconds = time.monotonic() - begin
    print(f"{len(ids)} threads in {seconds:.1f} s on {options.master}: {len(ids) / seconds:.0f} a second")
    spark.read.json(options.out).selectExpr("explode(findings.rule) AS rule").groupBy("rule").count().show()
    spark.stop()


if __name__ == "__main__":
    main()
