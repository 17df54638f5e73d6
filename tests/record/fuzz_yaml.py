#!/usr/bin/env python3
"""Compares how tpvc and ruamel.yaml read mutated configs: which texts they accept, and the values.

    fuzz_yaml.py READER FOLDER... [--count N] [--seed N]

READER is the built example `read_yaml` (`cargo build --example read_yaml`). The texts are pieces of the `*.yml` below the folders and of
YAML's own test suite. Run it with the Python of a virtualenv that has total-perspective-vortex. It prints the seed and, of each kind of
difference, the shortest text; those of docs/differences.md and byte order marks inside a text are to be expected.
"""

import argparse
import collections
import json
import pathlib
import random
import subprocess
import textwrap
import warnings

from record_yaml import OUTPUT, read

PIECES = [" ", "  ", "\n", "\n\n", "\t", ":", ": ", "- ", "-", "? ", "[", "]", "{", "}", ",", "#", " # c", "&a ", "*a", "!x ", "!!str "]
PIECES += ["!!int ", "|", "|\n", ">\n", "|-\n", ">+2\n", "'", '"', "\\", "<<: ", "<<: *a", "---\n", "...\n", "%", "@", "`", "\r\n", "\r"]
PIECES += ["\u00e9", "\u2028", "\x85", "1", "null", "~", "''", '""', "\\n", "\\x41", "! ", "=", "true", "2001-01-01", "- - ", "{a: b}", "{a}"]


def mutated(rng, text):
    for _ in range(rng.choice([1, 1, 1, 2, 3, 5])):
        at, kind = rng.randrange(len(text) + 1), rng.random()
        if kind < 0.5:
            text = text[:at] + rng.choice(PIECES) + text[at:]
        elif kind < 0.75:
            text = text[:at] + text[at + rng.choice([1, 1, 2, 4, 8]) :]
        elif kind < 0.85:
            moved = text[at : at + rng.randrange(40)]
            to = rng.randrange(len(text) + 1)
            text = text[:to] + moved + text[to:]
        else:
            lines = text.split("\n")
            line = rng.randrange(len(lines))
            old = lines[line]
            lines[line] = rng.choice([" " + old, "  " + old, old.removeprefix("  "), old.lstrip(), ""])
            text = "\n".join(lines)
    return text


def piece(rng, texts, suite):
    if rng.random() < 0.35:
        return mutated(rng, rng.choice(suite))
    lines = rng.choice(texts).split("\n")
    start = rng.randrange(len(lines))
    text = "\n".join(lines[start : start + rng.choice([3, 8, 15, 30])])
    return mutated(rng, textwrap.dedent(text) if rng.random() < 0.5 else text)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("reader")
    parser.add_argument("folders", nargs="+", type=pathlib.Path)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    options = parser.parse_args()
    print("seed", options.seed)
    rng = random.Random(options.seed)
    files = sorted(path for folder in options.folders for path in folder.rglob("*.yml"))
    texts = [path.read_bytes().decode(errors="ignore") for path in files]
    suite = [json.loads(line)["yaml"] for line in OUTPUT.read_text(encoding="utf-8").splitlines()]
    cases = [piece(rng, texts, suite) for _ in range(options.count)]
    lines = "".join(json.dumps(case) + "\n" for case in cases)
    answers = subprocess.run([options.reader], input=lines, capture_output=True, text=True, check=True).stdout.splitlines()
    warnings.simplefilter("ignore")
    differences, accepted = collections.defaultdict(list), 0
    for case, answer in zip(cases, map(json.loads, answers), strict=True):
        expected = read(case)
        accepted += expected is not None
        if answer.get("value") != expected:
            kind = "other value" if expected and "value" in answer else answer.get("error", "accepted").splitlines()[0]
            differences[kind].append((case, answer, expected))
    print(f"{len(cases)} texts, {accepted} accepted by ruamel.yaml, {sum(map(len, differences.values()))} read otherwise")
    for kind, found in sorted(differences.items()):
        case, answer, expected = min(found, key=lambda found: len(found[0]))
        print(f"{len(found)} x {kind}\n  {case!r}\n  tpvc: {answer.get('value')}\n  ruamel.yaml: {expected}")


if __name__ == "__main__":
    main()
