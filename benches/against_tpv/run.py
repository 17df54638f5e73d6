#!/usr/bin/env python3
"""Run the real TPV and tpvc on the same files and jobs, in turn, and print the ratios. See README.md."""

import argparse
import json
import os
import statistics
import subprocess
import tempfile
from pathlib import Path

import streams
from both import PROJECT, answers, build_app, build_call, compare, load, map_job, refuse_errors, stated, timed, whole

CASE = PROJECT / "fixtures" / "production"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--case", type=Path, help="a folder with case.json, jobs.jsonl and, mostly, world.json")
    parser.add_argument("--streams", action="store_true", help="measure the streams of benches/workload, drawn from the jobs")
    parser.add_argument("--whole", action="store_true", help="of the streams, leave out what cargo has to build first: only whole processes")
    parser.add_argument("--lines", type=int, default=100_000, help="lines of each stream [100,000]")
    parser.add_argument("--allow-errors", action="store_true", help="measure jobs of which more than a fifth end in errors")
    parser.add_argument("--config", action="append", help="a config file; repeat it for more")
    parser.add_argument("--world")
    parser.add_argument("--jobs")
    parser.add_argument("--limit", type=int, default=200, help="jobs that TPV maps in each run [200]")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--tpvc", default=str(PROJECT / "target" / "release" / "tpvc"))
    args = parser.parse_args()
    case = args.case or CASE
    configs = args.config or [str(case / name) for name in json.load(open(case / "case.json"))["configs"]]
    has_world = not args.config and (case / "world.json").is_file()
    world = args.world or (str(case / "world.json") if has_world else None)
    jobs = args.jobs or str(case / "jobs.jsonl")
    if args.streams:
        return streams.run(args, configs, world, jobs)
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
    bench = [args.tpvc, "bench", "--format", "json", "--runs", "5", *configs, "--jobs", jobs, *with_world]

    sample = folder / "sample.jsonl"
    sample.write_text("".join(lines[: args.limit]))
    mapper = load(configs)
    with stated(world_data):
        expected = [json.loads(json.dumps(mapper.answer(record, app), default=repr)) for record in records]
    compare("sample", expected, answers(args.tpvc, rules, sample, with_world))
    refuse_errors("jobs", args, rules, jobs, with_world)

    figures = {}

    def note(name, seconds):
        figures.setdefault(name, []).append(seconds)

    for _ in range(args.runs):
        seconds, mapper = timed(lambda: load(configs))
        note("TPV: load", seconds)
        note("tpvc: compile, whole process", whole([args.tpvc, "compile", "--quiet", *configs, "-o", rules])[0])
        note("tpvc: load and one job, whole process", whole([args.tpvc, "map", "--quiet", rules, one, *with_world])[0])
        with stated(world_data):
            calls = [(build_call(record, app), record.get("seed")) for record in records]
            seconds, _ = timed(lambda: [map_job(mapper, call, seed) for call, seed in calls])
            note("TPV: map by API, a job", seconds / len(records))

            def lines_in_and_out():
                for line in lines[: args.limit]:
                    record = json.loads(line)
                    answer = map_job(mapper, build_call(record, app), record.get("seed"))
                    json.dumps({"id": record.get("id"), "destination": answer})

            note("TPV: map lines, a job", timed(lines_in_and_out)[0] / len(records))
        out = subprocess.run(bench, check=True, capture_output=True, text=True).stdout
        measured = {row["name"]: row["median_us"] / 1e6 for row in json.loads(out)["figures"]}
        note("tpvc: map by API, a job", measured["map"])
        note("tpvc: compile", measured["compile"])
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
        ("load against compile", "TPV: load", "tpvc: compile"),
        ("load against compile, whole process", "TPV: load", "tpvc: compile, whole process"),
        ("load, and load with one job", "TPV: load", "tpvc: load and one job, whole process"),
        ("map by API", "TPV: map by API, a job", "tpvc: map by API, a job"),
        ("map lines, one thread", "TPV: map lines, a job", "tpvc: map lines, threads 1, a job"),
        ("two threads against one", "tpvc: map lines, threads 1, a job", "tpvc: map lines, threads 2, a job"),
    ]:
        pairs = [a / b for a, b in zip(figures[slow], figures[fast])]
        print(f"{name:<52} {statistics.median(pairs):>14.1f} times  (least {min(pairs):.1f}, most {max(pairs):.1f})")


if __name__ == "__main__":
    main()
