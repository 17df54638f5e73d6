#!/usr/bin/env python3
"""Compares `tpvc format` with the real `tpv format` on made-up configs, and shows the shortest that differ.

    fuzz_format.py TPVC [COUNT [SEED]]

Run it with the Python of a virtualenv that has total-perspective-vortex. What differs in substance becomes a case in
tests/format.
"""

import collections
import contextlib
import difflib
import io
import pathlib
import random
import subprocess
import sys
import tempfile
import types
import warnings

from tpv.commands.shell import tpv_format_config_file

SCALARS = """1|017|0x1F|1_000|-5|1.50|1.5e-3|.5|true|yes|null|~||foo bar|'q'|'it''s'|"dq"|"a\\nb"|"a\\tb"|''|'1'|' lead'
|'a: b'|[1, 2]|[]|{}|{a: 1, b: [x, y]}|[a, {b: 1}]|&x foo|&y [1]|!tag foo|!!str 12|2020-01-01|2020-01-01 10:00:00
|int(4)|mem * 3.8|'{cores}'|input_size >= 10 and input_size < 100|é ü|"\\u00e9\\x07"|-|a - b|a#b|a #b|# only|a,b|[a, b,]
|[a: b, c]|{a: }|[ # c\n     a]|[a,\n     b] # e|a\n     b|'a\n\n     b'|"x \\\n     y\"""".replace("\n|", "|").split("|")
KEYS = """tools users roles destinations global default if context cores mem gpus env params scheduling require accept
rules inherits a b bwa toolshed.g2.bx.psu.edu/repos/x/y/z/.* 'q k' "dk" é k:k execute""".split()
COMMENTS = ["# c", "#c", "  # c", "    # c", "      # c", "# c\n# d", "\n# c", "# c\n", "   ", "", "\n", "#", "    # a\n  # b"]
ENDS = [""] * 8 + ["  # eol", " # e", "     # far", " "]


class Maker:
    """Makes one config."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines = []

    def maybe(self, chance):
        return self.random.random() < chance

    def end(self):
        return self.random.choice(ENDS)

    def comments(self, chance=0.13):
        while self.maybe(chance):
            self.lines.append(self.random.choice(COMMENTS))

    def words(self):
        return " ".join(self.random.choice(["word", "it's", "a:b", '"w"', "x" * 20]) for _ in range(30))

    def scalar(self):
        if self.maybe(0.05):
            words = self.words()
            quoted = ["'" + words.replace("'", "''") + "'", '"' + words.replace('"', '\\"') + '"', "w " + words]
            return self.random.choice(quoted)
        return self.random.choice(SCALARS)

    def block(self, head, indent):
        header = self.random.choice("|>") + self.random.choice(["", "", "-", "+"]) + self.random.choice(["", "", "  # h"])
        margin = " " * (indent + self.random.choice([2, 2, 4]))
        self.lines += [f"{head} {header}", margin + "first"]
        for _ in range(self.random.randint(0, 4)):
            texts = [margin + "x = 1", margin + "# no comment", margin + self.words(), margin + "  indented", ""]
            self.lines.append(self.random.choice(texts))
        self.lines += [""] * self.random.choice([0, 0, 1, 2])

    def value(self, head, indent, depth):
        kind = self.random.random() if depth else 0
        if kind < 0.45:
            self.lines.append(f"{head} {self.scalar()}{self.end()}")
        elif kind < 0.55:
            self.block(head, indent)
        elif kind < 0.85:
            self.lines.append(head + self.random.choice(["", "", " &m", " !t"]) + self.end())
            self.mapping(indent + self.random.choice([2, 2, 4]), depth - 1)
        else:
            self.lines.append(head + self.end())
            self.sequence(indent + self.random.choice([0, 2, 4]), depth - 1)

    def mapping(self, indent, depth, head=None):
        for key in self.random.sample(KEYS, self.random.randint(1, 5)):
            if head is None:
                self.comments()
            self.value((head or " " * indent) + key + ":", indent, depth)
            head = None
        if self.maybe(0.05):
            self.lines.append(" " * indent + "<<: " + self.random.choice(["*top", "[*top, {z: 1}]"]) + self.end())

    def sequence(self, indent, depth):
        for _ in range(self.random.randint(1, 4)):
            self.comments()
            if depth and self.maybe(0.4):
                self.mapping(indent + 2, depth - 1, " " * indent + "- ")
            else:
                self.value(" " * indent + "-", indent, 0)

    def config(self):
        self.comments(0.3)
        self.lines.append("aa: &top {p: 1}")
        self.mapping(0, 4)
        self.comments(0.2)
        return "\n".join(self.lines) + self.random.choice(["\n", "\n", ""])


def tpv(path):
    output = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="")
    with warnings.catch_warnings(), contextlib.redirect_stdout(output), contextlib.redirect_stderr(io.StringIO()):
        warnings.simplefilter("ignore")
        status = tpv_format_config_file(types.SimpleNamespace(config=str(path)))
    output.flush()
    return None if status else output.buffer.getvalue()


def main():
    program = sys.argv[1]
    count, seed = (int(text) for text in (sys.argv[2:] + ["1000", "0"][len(sys.argv) - 2 :])[:2])
    tally, wrong = collections.Counter(), []
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "config.yml")
        for number in range(seed, seed + count):
            path.write_text(Maker(number).config(), encoding="utf-8")
            theirs = tpv(path)
            run = subprocess.run([program, "format", "--quiet", path], capture_output=True, check=False)
            ours = None if run.returncode else run.stdout
            tally["both refuse" if ours is theirs is None else "same" if ours == theirs else "different"] += 1
            if ours != theirs:
                wrong.append((path.read_text(encoding="utf-8"), theirs, ours))
    for text, theirs, ours in sorted(wrong, key=lambda case: len(case[0]))[:5]:
        print("=" * 40, text, sep="\n")
        shown = [(side or b"(refused)\n").decode().splitlines(keepends=True) for side in (theirs, ours)]
        print("".join(difflib.unified_diff(*shown, "tpv", "tpvc")))
    print(dict(tally))
    return bool(wrong)


if __name__ == "__main__":
    import logging

    logging.disable()
    sys.exit(main())
