#!/usr/bin/env python3
"""What a map asks of submit node, file system and scheduler, by simulation: for sizes that nobody has at hand.

    simulate.py [--jobs 10000000000] [--nodes 1000] [--cores 8] [--seed 1]

Each component waits for a core, is started (so many a second), reads its inputs through a link that all share, computes, writes its
answers, and some die on the way and are run again at the end. The constants below were measured, or are defaults of the engines; each has its source beside it.
"""

import argparse
import heapq
import random

# Of a job: measured with 10,000,000 server-like lines of usegalaxy.org.au (docs/maps.md, "What it costs").
TEXT, STORED, ANSWER = 891, 100, 18  # bytes: a line, the same in a slice, its answer in an output
SPEED = 66_000  # jobs a second and core; other rules are slower, see --speed
STARTING = 0.2  # seconds of a component for code and tables that jobs share
# Of a component.
PROGRAM, RULES, SUMMARY, ITEM = 32_000_000, 330_000, 720_000, 330  # bytes; the static program of `--release`
SLICE = 60.0  # seconds of work
# Of the machines.
LINK = 1.25e9  # bytes a second: 10 Gbit/s of the access point, or of the file server
CUT = 0.8e9  # bytes of text a second that `create` cuts and compresses on two cores: 8.9 GB in 11.2 s
# Of the engines: events in the log of a component, bytes of the log, starts a second, files of a component besides its inputs.
ENGINES = {
    # A shadow for each job that runs (about 1 MB), JOB_START_COUNT / JOB_START_DELAY as HTCondor has it: ten a second is a careful schedd.
    "htcondor": {"starts": 10.0, "log": 1_500, "files": 4, "transfers": True, "memory": 1_000_000},
    # `sbatch` takes an array at once; the controller starts some tens a second. Programs, rules and slices are read from the file server.
    "slurm": {"starts": 30.0, "log": 0, "files": 2, "transfers": False, "memory": 10_000},
}
DEATHS = 0.002  # of the components


def components(jobs, rule_sets, speed):
    """How many slices there are, and how many jobs each has."""
    per_slice = int(SLICE * speed)
    slices = max(1, -(-jobs // per_slice))
    return slices * rule_sets, slices, jobs / slices


def simulate(engine, nodes, cores, count, jobs_each, speed, rng):
    """The times of all components. What is returned is in seconds and bytes."""
    starts, transfers = engine["starts"], engine["transfers"]
    free = [(0.0, core) for core in range(nodes * cores)]
    heapq.heapify(free)
    has_program = set()
    link_free = start_free = busy = moved = 0.0
    running, most, ended, again = [], 0, 0.0, 0
    starts_at, ends_at = [], []
    todo = count
    while todo:
        todo -= 1
        at, core = heapq.heappop(free)
        # One after the other is started.
        start_free = max(at, start_free) + 1 / starts
        at = start_free
        # What a node has read from a file server it keeps; HTCondor sends it to each component.
        once = 0 if not transfers and core // cores in has_program else PROGRAM + RULES
        has_program.add(core // cores)
        size = once + STORED * jobs_each
        link_free = max(at, link_free) + size / LINK
        work = STARTING + jobs_each / speed * rng.lognormvariate(0, 0.15)
        done = link_free + work
        if rng.random() < DEATHS:
            # It died at some moment, and runs again with the others that did.
            done = link_free + work * rng.random()
            again += 1
            todo += 1
        size_out = ANSWER * jobs_each + SUMMARY
        moved += size + size_out
        busy += work
        while running and running[0] <= at:
            heapq.heappop(running)
        heapq.heappush(running, done)
        most = max(most, len(running))
        starts_at.append(at)
        ends_at.append(done)
        heapq.heappush(free, (done + size_out / LINK, core))
        ended = max(ended, done)
    return {
        "time": ended,
        "busy": busy / (ended * nodes * cores),
        "most": most,
        "moved": moved,
        "starts": peak(starts_at),
        "ends": peak(ends_at),
        "again": again,
    }


def peak(times, window=10.0):
    """The most events a second, over some seconds."""
    counts = {}
    for time in times:
        counts[int(time // window)] = counts.get(int(time // window), 0) + 1
    return max(counts.values(), default=0) / window


def amount(number, unit="B"):
    for prefix in ("", "k", "M", "G", "T"):
        if number < 1000:
            return f"{number:.3g} {prefix}{unit}"
        number /= 1000
    return f"{number:.3g} P{unit}"


def duration(seconds):
    return f"{seconds / 3600:.1f} h" if seconds >= 5400 else f"{seconds / 60:.0f} min"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--jobs", type=int, default=10_000_000_000)
    parser.add_argument("--nodes", type=int, default=1000)
    parser.add_argument("--cores", type=int, default=8)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--speed", type=int, nargs="+", default=[SPEED, 5_000])
    options = parser.parse_args()
    rows = []
    for name, engine in ENGINES.items():
        for rule_sets in (1, 1000):
            for speed in options.speed:
                jobs = options.jobs // rule_sets
                count, slices, each = components(jobs, rule_sets, speed)
                result = simulate(engine, options.nodes, options.cores, count, each, speed, random.Random(options.seed))
                files = slices + rule_sets + count * engine["files"]
                disk = jobs * STORED + count * SUMMARY + options.jobs * ANSWER + count * (ITEM + engine["log"])
                rows.append([
                    name, f"{rule_sets:,} × {amount(jobs, '')}", f"{speed:,}", f"{count:,}", f"{files:,}", amount(disk),
                    duration(jobs * TEXT / CUT), f"{result['most']:,}", f"{result['starts']:.0f}", f"{result['ends']:.0f}",
                    amount(result["moved"]), amount(count * ITEM + count * engine["log"]),
                    amount(result["most"] * engine["memory"]), duration(result["time"]), f"{100 * result['busy']:.0f} %",
                ])
    header = ["engine", "rule sets × jobs", "jobs/s", "components", "files", "on disk", "`create`", "at once", "starts/s", "ends/s",
              "moved", "itemdata, log", "scheduler", "time", "busy"]
    print(f"{options.jobs:,} answers, {options.nodes:,} nodes of {options.cores} cores, seed {options.seed}\n")
    print("| " + " | ".join(header) + " |")
    print("|" + " --- |" * len(header))
    for row in rows:
        print("| " + " | ".join(row) + " |")


if __name__ == "__main__":
    main()
