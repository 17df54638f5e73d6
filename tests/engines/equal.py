#!/usr/bin/env python3
"""Compares what `tpvc maps` gives on an engine with `tpvc map`, byte for byte.

    equal.py BINARY [--engine local|slurm|htcondor] [--folder DIR]

Two rule sets map a plain and a compressed job file, with a world, with and without candidates. Differences of the two are compared with those
that the engine `local` gives, and the report of a simulated grid with that of `tpvc simulate`.
It ends with 0 where all is equal, and with 77 where the engine can't be installed.
"""

import argparse
import gzip
import json
import pathlib
import shutil
import sys
import time

from engines import ENGINES, HERE, binary_for_tests, running

FIXTURE = HERE.parent.parent / "fixtures" / "production"
CONFIGS = ("1-shared.yml", "2-site.yml", "3-people.yml")
# How often the fixture's jobs are repeated in each file, and how large a component is, in bytes.
TIMES, SLICE = 6, 200_000
# The clusters of a simulation, and its grid.
CAPACITY = "clusters: {all: {destinations: ['*'], cores: 100}}\n"
GRID = ("--capacity", "capacity.yml", "--world", "world.json", "--vary", "all.cores=50..200", "--seeds", "2")
# How long a map may take, in seconds.
PATIENCE = 300


class Comparison:
    def __init__(self, engine, binary):
        self.engine, self.binary = engine, binary
        self.jobs = ["a.jsonl", "b.jsonl.gz"]
        self.failed = 0

    def tpvc(self, *words, statuses=(0,)):
        done = self.engine.run([self.binary, *words], capture_output=True, cwd=self.engine.work)
        if done.returncode not in statuses:
            sys.exit(f"`tpvc {' '.join(map(str, words))}` failed: {done.stderr.decode()}")
        return done.stdout

    def maps(self, *words):
        return self.tpvc("maps", "--maps-dir", self.engine.work / "maps", *words)

    def prepare(self):
        for name in (*CONFIGS, "world.json"):
            shutil.copy(FIXTURE / name, self.engine.work)
        lines = (FIXTURE / "jobs.jsonl").read_text().splitlines()
        text = "".join(
            json.dumps({**json.loads(line), "id": f"{turn}-{number}"}) + "\n"
            for turn in range(TIMES)
            for number, line in enumerate(lines)
        )
        (self.engine.work / "a.jsonl").write_text(text)
        (self.engine.work / "b.jsonl.gz").write_bytes(gzip.compress(text.replace('"id": "', '"id": "b-').encode()))
        times = [f"2026-03-02T00:{number // 60 % 60:02}:{number % 60:02}" for number in range(len(lines))]
        finished = "".join(
            json.dumps({**job, "job": {**job.get("job", {}), "create_time": time}, "outcome": {"runtime_seconds": 60 + number % 600}}) + "\n"
            for number, (job, time) in enumerate(zip(map(json.loads, lines), times, strict=True))
        )
        (self.engine.work / "finished.jsonl").write_text(finished)
        (self.engine.work / "capacity.yml").write_text(CAPACITY)
        self.tpvc("compile", "--quiet", *CONFIGS, "-o", "all.bin")
        self.tpvc("compile", "--quiet", CONFIGS[0], "-o", "shared.bin")

    def answers(self, rules, *options):
        """What `tpvc map` gives, which ends with 1 where a job has an error for an answer."""
        command = ("map", "--quiet", *options, "--world", "world.json", rules)
        return b"".join(self.tpvc(*command, jobs, statuses=(0, 1)) for jobs in self.jobs)

    def results(self, tag, *options, engine=None):
        started = time.monotonic()
        engine = engine or self.engine.name
        self.maps("create", "--quiet", "--tag", tag, "--engine", engine, "--world", "world.json",
                  "--slice-bytes", str(SLICE), *options, *self.jobs)
        self.maps("wait", tag, "--timeout", str(PATIENCE))
        results = self.maps("results", tag)
        components = (self.engine.work / "maps" / (self.engine.work / "maps/tags" / tag).read_text().strip() / "components")
        print(f"{tag} on {engine}: {components.read_text().strip()} components, {time.monotonic() - started:.1f} s", flush=True)
        self.maps("remove", tag)
        return results

    def simulated(self):
        """The report of a grid that ran on the engine."""
        folder = ("--maps-dir", self.engine.work / "maps", "--map", "grid")
        started = time.monotonic()
        self.tpvc("simulate", "--quiet", "all.bin", "--jobs", "finished.jsonl", *GRID, *folder, "--engine", self.engine.name)
        self.maps("wait", "grid", "--timeout", str(PATIENCE))
        report = self.tpvc("simulate", *folder, "--format", "json")
        print(f"grid on {self.engine.name}: {time.monotonic() - started:.1f} s", flush=True)
        self.maps("remove", "grid")
        return report

    def compare(self, expected, found):
        equal = expected == found and expected
        self.failed += not equal
        print(f"  {len(found)} bytes: {'equal' if equal else f'NOT EQUAL to {len(expected)} bytes'}", flush=True)

    def run(self):
        self.prepare()
        both = ("--rules", "all.bin", "--rules", "shared.bin")
        self.compare(self.answers("all.bin") + self.answers("shared.bin"), self.results("answers", *both))
        detail = self.answers("all.bin", "--detail")
        self.compare(detail, self.results("candidates", "--rules", "all.bin", "--detail"))
        differences = ("--rules", "all.bin", "--against", "shared.bin")
        self.compare(self.results("there", *differences, engine="local"), self.results("here", *differences))
        grid = self.tpvc("simulate", "--quiet", "all.bin", "--jobs", "finished.jsonl", *GRID, "--format", "json")
        self.compare(grid, self.simulated())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary", type=pathlib.Path)
    parser.add_argument("--engine", choices=sorted(ENGINES), default="local")
    parser.add_argument("--folder", type=pathlib.Path, help="the folder to work in, which must not be there yet")
    options = parser.parse_args()
    with running(ENGINES[options.engine], options.folder) as engine:
        comparison = Comparison(engine, binary_for_tests(options.binary.resolve(), engine.work, engine.owner()))
        comparison.run()
    sys.exit(1 if comparison.failed else 0)


if __name__ == "__main__":
    main()
