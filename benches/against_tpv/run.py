#!/usr/bin/env python3
"""Run the real TPV and tpvc on the same files and jobs, in turn, and print the ratios. See README.md."""

import argparse
import json
import logging
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

os.environ["TZ"] = "UTC"
time.tzset()
warnings.filterwarnings("ignore")
logging.disable(logging.CRITICAL)

PROJECT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(PROJECT / "fixtures" / "record"))

from galaxy_objects import build_app, build_call  # noqa: E402
from record import limit_files  # noqa: E402
from tpv.core.loader import TPVConfigLoader  # noqa: E402
from tpv.core.mapper import EntityToDestinationMapper  # noqa: E402

CASE = PROJECT / "fixtures" / "production"


def load(configs):
    loader = None
    for config in configs:
        loader = TPVConfigLoader.from_url_or_path(config, parent=loader)
    return EntityToDestinationMapper(loader)


def map_job(mapper, call, seed):
    if seed is not None:
        random.seed(seed)
    try:
        return mapper.map_to_destination(**call).id
    except Exception as error:
        return type(error).__name__


def timed(function):
    started = time.perf_counter()
    result = function()
    return time.perf_counter() - started, result


def whole(command, **kwargs):
    """The processor time of a whole process and the time until it ended: other processes do not count in the first."""
    started, before = time.perf_counter(), os.times()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **kwargs)
    after = os.times()
    return time.perf_counter() - started, (after[2] - before[2]) + (after[3] - before[3])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--config", action="append", help="a config file; repeat it for more")
    parser.add_argument("--world")
    parser.add_argument("--jobs")
    parser.add_argument("--limit", type=int, default=200, help="jobs that TPV maps in each run [200]")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--tpvc", default=str(PROJECT / "target" / "release" / "tpvc"))
    parser.add_argument("--bench", help="the built bench map_api [the newest in target/release/deps]")
    args = parser.parse_args()
    configs = args.config or [str(CASE / name) for name in json.load(open(CASE / "case.json"))["configs"]]
    world = args.world or (None if args.config else str(CASE / "world.json"))
    jobs = args.jobs or str(CASE / "jobs.jsonl")
    bench = args.bench
    if bench is None:
        built = [p for p in (PROJECT / "target/release/deps").glob("map_api-*") if os.access(p, os.X_OK) and not p.suffix]
        bench = str(max(built, key=lambda path: path.stat().st_mtime))

    world_data = json.load(open(world)) if world else {}
    lines = [line for line in open(jobs) if line.strip()]
    records = [json.loads(line) for line in lines[: args.limit]]
    app = build_app(world_data)
    folder = Path(tempfile.mkdtemp())
    rules, one, many = folder / "rules.bin", folder / "one.jsonl", folder / "many.jsonl"
    one.write_text(lines[0])
    copies = 40000 // len(lines) + 1
    many.write_text("".join(lines) * copies)
    subprocess.run([args.tpvc, "compile", "--quiet", *configs, "-o", rules], check=True)
    with_world = ["--world", world] if world else []
    environment = dict(os.environ, TPVC_BENCH_CONFIG=":".join(configs), TPVC_BENCH_JOBS=jobs, TPVC_BENCH_RUNS="9")
    environment["TPVC_BENCH_WORLD"] = world or ""
    expected = Path(jobs).with_name("expected.jsonl")
    environment["TPVC_BENCH_EXPECTED"] = str(expected)

    figures = {}

    def note(name, seconds):
        figures.setdefault(name, []).append(seconds)

    # The functions that the world's files replace while jobs are mapped; the configs must be read with the real ones.
    real = os.path.getsize, os.path.exists, os.path.isfile
    load(configs)
    for _ in range(args.runs):
        seconds, mapper = timed(lambda: load(configs))
        note("TPV: load", seconds)
        note("tpvc: compile, whole process", whole([args.tpvc, "compile", "--quiet", *configs, "-o", rules])[0])
        note("tpvc: load and one job, whole process", whole([args.tpvc, "map", "--quiet", rules, one, *with_world])[0])
        if world:
            limit_files(world_data.get("files", {}))
        calls = [(build_call(record, app), record.get("seed")) for record in records]
        seconds, found = timed(lambda: [map_job(mapper, call, seed) for call, seed in calls])
        note("TPV: map by API, a job", seconds / len(records))

        def lines_in_and_out():
            for line in lines[: args.limit]:
                record = json.loads(line)
                answer = map_job(mapper, build_call(record, app), record.get("seed"))
                json.dumps({"id": record.get("id"), "destination": answer})

        note("TPV: map lines, a job", timed(lines_in_and_out)[0] / len(records))
        os.path.getsize, os.path.exists, os.path.isfile = real
        out = subprocess.run([bench], check=True, capture_output=True, text=True, env=environment).stdout
        note("tpvc: map by API, a job", float(re.search(r"([\d.]+) us a job", out).group(1)) / 1e6)
        for threads in ("1", "2"):
            command = [args.tpvc, "map", "--quiet", "--threads", threads, rules, many, "-o", os.devnull, *with_world]
            seconds, processor = whole(command)
            note(f"tpvc: map lines, threads {threads}, a job", seconds / (copies * len(lines)))
            note(f"tpvc: map lines, threads {threads}, processor time a job", processor / (copies * len(lines)))

    medians = {name: statistics.median(values) for name, values in figures.items()}
    for name, value in medians.items():
        print(f"{name:<52} {value * 1e6:>14.2f} us  (least {min(figures[name]) * 1e6:.2f}, most {max(figures[name]) * 1e6:.2f})")
    print()
    for name, slow, fast in [
        ("load", "TPV: load", "tpvc: compile, whole process"),
        ("load, and load with one job", "TPV: load", "tpvc: load and one job, whole process"),
        ("map by API", "TPV: map by API, a job", "tpvc: map by API, a job"),
        ("map lines, one thread", "TPV: map lines, a job", "tpvc: map lines, threads 1, a job"),
        ("two threads against one", "tpvc: map lines, threads 1, a job", "tpvc: map lines, threads 2, a job"),
    ]:
        pairs = [a / b for a, b in zip(figures[slow], figures[fast])]
        print(f"{name:<52} {statistics.median(pairs):>14.1f} times  (least {min(pairs):.1f}, most {max(pairs):.1f})")


if __name__ == "__main__":
    main()
