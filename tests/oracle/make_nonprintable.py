#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes core/values/nonprintable.h: the code points that Python's repr escapes.

usage: python3.11 tests/oracle/make_nonprintable.py > core/values/nonprintable.h

Python 3.11 has Unicode 14; another Unicode version would give another table, so the script refuses it.
"""
import sys
import unicodedata

if unicodedata.unidata_version != "14.0.0":
    sys.exit(f"needs Unicode 14.0.0 (Python 3.11), this Python has {unicodedata.unidata_version}")

ranges = []
for code in range(0x110000):
    if chr(code).isprintable():
        continue
    if ranges and ranges[-1][1] == code - 1:
        ranges[-1][1] = code
    else:
        ranges.append([code, code])

print("// SPDX-License-Identifier: GPL-3.0-or-later")
print("#pragma once")
print()
print("// Made by tests/oracle/make_nonprintable.py; do not edit.")
print("// clang-format off")
print("namespace palimpsest {")
print()
print("struct CodePointRange {")
print("    char32_t first;")
print("    char32_t last;")
print("};")
print()
print(f"/// What str.isprintable() denies in Unicode {unicodedata.unidata_version}, in order.")
print("inline constexpr CodePointRange nonPrintableRanges[] = {")
line = "   "
for first, last in ranges:
    item = f" {{0x{first:X}, 0x{last:X}}},"
    if len(line) + len(item) > 118:
        print(line)
        line = "   "
    line += item
print(line)
print("};")
print()
print("} // namespace palimpsest")
print("// clang-format on")
