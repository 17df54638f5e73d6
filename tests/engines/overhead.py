#!/usr/bin/env python3
"""Measures what a component costs that has nothing to do: the time of a map of many, divided by their number.

    overhead.py BINARY [--engine local|slurm|htcondor] [--components N] [--folder DIR]

It ends with 77 where the engine can't be installed.
"""

import argparse
import json
import pathlib
import time

from engines import ENGINES, binary_for_tests, running

PATIENCE = 900


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary", type=pathlib.Path)
    parser.add_argument("--engine", choices=sorted(ENGINES), default="local")
    parser.add_argument("--components", type=int, default=100)
    parser.add_argument("--folder", type=pathlib.Path, help="the folder to work in, which must not be there yet")
    options = parser.parse_args()
    with running(ENGINES[options.engine], options.folder) as engine:
        binary = binary_for_tests(options.binary.resolve(), engine.work, engine.owner())
        (engine.work / "tpv.yml").write_text("tools: {bwa: {cores: 1}}\ndestinations: {local: {runner: local}}\n")
        line = json.dumps({"tool": {"id": "bwa"}}) + "\n"
        (engine.work / "jobs.jsonl").write_text(line * options.components)
        maps = [binary, "maps", "--maps-dir", engine.work / "maps"]
        words = ["--quiet", "--tag", "many", "--rules", "rules.bin", "--engine", engine.name, "--slice-bytes", str(len(line))]
        engine.run([binary, "compile", "--quiet", "tpv.yml", "-o", "rules.bin"], check=True, cwd=engine.work)
        started = time.monotonic()
        engine.run([*maps, "create", *words, "jobs.jsonl"], check=True, capture_output=True, cwd=engine.work)
        engine.run([*maps, "wait", "--quiet", "--timeout", str(PATIENCE), "many"], check=True)
        seconds = time.monotonic() - started
        status = engine.run([*maps, "status", "--format", "json"], check=True, capture_output=True).stdout
        [row] = json.loads(status)
        print(f"{row['completed']} components on {engine.name}: {seconds:.1f} s, {1000 * seconds / row['completed']:.0f} ms each")
        engine.run([*maps, "remove", "many"], check=True)


if __name__ == "__main__":
    main()
