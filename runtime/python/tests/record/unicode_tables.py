"""Writes runtime/python/src/unicode/tables.rs from what CPython 3.11 (Unicode 14) says of every code point.

Usage: python3.11 unicode_tables.py > ../../src/python/unicode/tables.rs
"""

import sys
import unicodedata

ALL = [chr(c) for c in range(0x110000) if not 0xD800 <= c <= 0xDFFF]


def boundaries(test):
    """The code points at which the property turns on or off, in turn; it is off below the first."""
    out, on = [], False
    for char in ALL:
        if test(char) != on:
            on = not on
            out.append(ord(char))
    return out


def numbers(values):
    line, lines = "", []
    for value in values:
        item = f"{value:#x}, "
        if len("    " + line + item) > 119:
            lines.append(line.rstrip())
            line = ""
        line += item
    if line:
        lines.append(line.rstrip())
    return "\n".join("    " + line for line in lines)


def case_ignorable(char):
    after_letter = ("A" + char + "\u03a3").lower().endswith("\u03c2")
    return after_letter and not (char + "\u03a3").lower().endswith("\u03c2")


SETS = [
    ("ASSIGNED", "assigned in Unicode 14", lambda c: unicodedata.category(c) != "Cn"),
    ("ALPHA", "`str.isalpha`", str.isalpha),
    ("NUMERIC", "`str.isnumeric`", str.isnumeric),
    ("DIGIT", "`str.isdigit`", str.isdigit),
    ("DECIMAL", "`str.isdecimal`; the digits of a run count from 0 again after each 9", str.isdecimal),
    (
        "UNPRINTABLE",
        "assigned, but not `str.isprintable`",
        lambda c: unicodedata.category(c) != "Cn" and not c.isprintable(),
    ),
    ("TITLE", "title case letters (category Lt)", lambda c: unicodedata.category(c) == "Lt"),
    (
        "ID_START_NOT_ALPHA",
        "either `str.isalpha` or the first character of an identifier, not both",
        lambda c: c.isidentifier() != c.isalpha(),
    ),
    (
        "ID_CONTINUE_ONLY",
        "in an identifier, but not as its first character",
        lambda c: ("a" + c).isidentifier() and not c.isidentifier(),
    ),
    ("CASE_IGNORABLE", "is ignored in deciding the form of a final sigma", case_ignorable),
]


def mapping(method, base):
    rows = []
    for char in ALL:
        if method(char) != base(char):
            rows.append((ord(char), method(char)))
    return rows


print("//! Unicode 14 as CPython 3.11 has it. Written by `tests/record/unicode_tables.py`; do not edit.\n")
for name, doc, test in SETS:
    values = boundaries(test)
    print(f"/// Where it turns on and off: {doc}.")
    print("#[rustfmt::skip]")
    print(f"pub(super) static {name}: [u32; {len(values)}] = [\n{numbers(values)}\n];\n")
for name, doc, rows in [
    ("TITLE_MAPPING", "Characters whose title case differs from their upper case.", mapping(str.title, str.upper)),
    ("FOLD_MAPPING", "Characters whose folded case differs from their lower case.", mapping(str.casefold, str.lower)),
]:
    print(f"/// {doc}")
    print("#[rustfmt::skip]")
    print(f"pub(super) static {name}: [(u32, &str); {len(rows)}] = [")
    line = "   "
    for code, text in rows:
        item = f" ({code:#x}, \"" + "".join(f"\\u{{{ord(c):x}}}" for c in text) + "\"),"
        if len(line + item) > 119:
            print(line)
            line = "   "
        line += item
    print(line)
    print("];\n" if name == "TITLE_MAPPING" else "];")
assert sys.version_info[:2] == (3, 11)
