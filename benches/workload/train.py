#!/usr/bin/env python3
"""Compiles, lints and checks rules, and maps streams of jobs, by a program that notes how often each part of it runs. See README.md."""

import argparse
import json
import os
import random
import subprocess
import tempfile
from pathlib import Path

from generate import STREAMS, Pool

SEED, USERS = 271828, 2000
"""Another seed than that of the benches: what is measured was not trained on."""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("case", nargs="+", type=Path, help="a folder with case.json, jobs.jsonl and, mostly, world.json")
    parser.add_argument("-n", "--lines", type=int, default=6000)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for case in args.case:
            train(args, case, Path(folder))


def train(args, case, folder):
    """Runs all that is timed: a command without a run would be built as code that hardly ever runs."""
    rules, jobs = folder / "rules.bin", folder / "jobs.jsonl"
    configs = [case / name for name in json.loads((case / "case.json").read_text())["configs"]]
    subprocess.run([args.program, "compile", "--quiet", *configs, "-o", rules], check=True)
    for command in ("lint", "check"):
        # What they find is no matter.
        run = subprocess.run([args.program, command, *configs], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if run.returncode not in (0, 1):
            raise SystemExit(f"tpvc {command} ended with {run.returncode}")
    world = ["--world", case / "world.json"] if (case / "world.json").is_file() else []
    for name in ("server-like", "new"):
        rng = random.Random(SEED)
        with open(case / "jobs.jsonl", encoding="utf-8") as file:
            pool = Pool([line for line in file if line.strip()], USERS, rng)
        jobs.write_text("".join(line + "\n" for line in STREAMS[name](pool, args.lines, rng)), encoding="utf-8")
        for jit in ("lazy", "off"):
            command = [args.program, "map", "--quiet", "--threads", "1", "--jit", jit, rules, jobs, *world]
            subprocess.run([*command, "-o", os.devnull], check=True)


if __name__ == "__main__":
    main()
