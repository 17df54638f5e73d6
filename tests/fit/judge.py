#!/usr/bin/env python3
"""Judges the proposals of `tpvc fit` on fresh jobs of sources whose truth is known. It shares no code with the search.

    tests/fit/judge.py target/release/tpvc --seeds 100

Ten kinds of tools, a history for each seed, one attempt and four. A proposal must lose no more fresh jobs than today's rules do, in sum and in 95 %
of the histories; with a lost job at five times its cost it must cost no more, in sum, than two estimators of a constant, and no more than today's
rules in 99 % of the histories. Exit status 1 if it does not.
"""
import argparse
import json
import math
import random
import subprocess
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace

GIB = 1 << 30
LOST = 5.0  # the price of a lost job, in what it would have reserved with exactly the memory that it needed
FRESH = 2000
LENGTHS = (120, 300, 600, 1200)


def lognormal(rng, median, sigma):
    return median * math.exp(rng.gauss(0, sigma))


class Kind:
    """A kind of tool: today's memory, and the jobs that it has at a time between 0 and 1 (fresh jobs come at 1 and later)."""

    def __init__(self, today, need):
        self.today, self.need = today, need

    def job(self, rng, time):
        size = lognormal(rng, 1.5, 0.9)
        job = SimpleNamespace(size=size, compressed=False, version="1", time=time)
        job.need = max(self.need(rng, job), 0.01)
        job.hours = 0.1 + 0.3 * math.sqrt(size) * lognormal(rng, 1, 0.4)
        return job


def linear(rng, job):
    return (2 + 3 * job.size) * lognormal(rng, 1, 0.1)


def bimodal(rng, _):
    return lognormal(rng, 20 if rng.random() < 0.3 else 3, 0.1)


def versions(rng, job):
    job.version = rng.choice("12")
    return (2 + (1 if job.version == "1" else 4) * job.size) * lognormal(rng, 1, 0.08)


def compressed(rng, job):
    job.compressed = rng.random() < 0.5
    need = (2 + 3 * job.size) * lognormal(rng, 1, 0.1)
    if job.compressed:
        job.size /= 4
    return need


def drifting(rng, job):
    return (2 + 2 * job.size) * math.exp(0.4 * job.time) * lognormal(rng, 1, 0.1)


KINDS = {
    "constant": Kind(32, lambda rng, _: lognormal(rng, 6, 0.12)),
    "linear": Kind(128, linear),
    "power": Kind(96, lambda rng, job: (1 + 3 * job.size**0.6) * lognormal(rng, 1, 0.15)),
    "heavy tail": Kind(40, lambda rng, _: lognormal(rng, 3, 0.9)),
    "bimodal": Kind(64, bimodal),
    "by version": Kind(128, versions),
    "compressed": Kind(128, compressed),
    "drifting": Kind(128, drifting),
    "censored": Kind(10, linear),
    "tiny": Kind(4, lambda rng, _: lognormal(rng, 0.03, 0.3)),
}


def cost(ladder, job):
    """GiB·h, and whether the job is lost. Memory grows evenly: an attempt dies when it is used up."""
    total = 0.0
    for given in ladder:
        if given >= job.need:
            return total + given * job.hours, False
        total += given * job.hours * given / job.need
    return total + LOST * job.need * job.hours, True


def line(rng, tool, job, index, ladder):
    """The line of a job file for a job as the server saw it."""
    given = next((given for given in ladder if given >= job.need), None)
    peak = job.need if given else ladder[-1]
    seconds = job.hours * 3600 * (1 if given else ladder[-1] / job.need)
    extension = "fastqsanger.gz" if job.compressed else "fasta"
    time = f"2026-{1 + index // 28 % 12:02}-{1 + index % 28:02}T{rng.randrange(24):02}:00:00"
    outcome = {"state": "ok" if given else "error", "memory_bytes": int(peak * GIB), "runtime_seconds": seconds, "end_time": time}
    if not given:
        outcome |= {"oom": True, "allocated_memory_bytes": int(ladder[-1] * GIB)}
    return {
        "id": f"{tool}-{index}",
        "tool": {"id": tool, "version": job.version},
        "user": {"username": f"u{index % 9}"},
        "job": {"input_datasets": [{"id": 1, "size": int(job.size * GIB), "extension": extension}]},
        "outcome": outcome,
    }


class Helpers:
    """`helpers` of TPV, as far as proposals use it."""

    @staticmethod
    def get_input_size(job, compression_factor):
        return job.size * (compression_factor if job.compressed else 1)


def ladder_of(expression, attempts):
    """The function from a job to the memory of its attempts, by the text of a rule."""
    code = compile(expression, "mem", "eval")

    def ladder(job):
        for attempt in range(attempts):
            job.destination_params = {"F": 2**attempt}
            names = {"input_size": job.size, "job": job, "helpers": Helpers, "min": min, "max": max, "int": int}
            yield eval(code, {"__builtins__": {}}, names)

    return ladder


def constant(memory, attempts):
    return lambda _: (memory * 2**attempt for attempt in range(attempts))


def least_waste(history, attempts, lost_today):
    """The constant that is cheapest for the history and loses no more of its jobs than today's rules do."""
    best = None
    reach = 2 ** (attempts - 1)
    needs = sorted({job.need for job in history})
    step = max(1, len(needs) // 200)
    for need in needs[::-step]:
        for value in {need / 2**attempt for attempt in range(attempts)}:
            if sum(job.need > value * reach for job in history) > lost_today:
                continue
            total = sum(cost(constant(value, attempts)(job), job)[0] for job in history)
            if best is None or total < best[0]:
                best = (total, value)
    return best[1] if best else None


def histories(seeds, first, attempts):
    """The histories by the name of their tool, with fresh jobs."""
    made = {}
    for kind_index, (name, kind) in enumerate(KINDS.items()):
        for seed in range(first, first + seeds):
            rng = random.Random(1_000_003 * seed + 101 * kind_index + attempts)
            count = LENGTHS[seed % len(LENGTHS)]
            history = [kind.job(rng, index / count) for index in range(count)]
            fresh = [kind.job(rng, 1 + 0.2 * rng.random()) for _ in range(FRESH)]
            made[f"{name.replace(' ', '_')}_{seed}"] = SimpleNamespace(kind=name, today=kind.today, history=history, fresh=fresh, rng=rng)
    return made


def proposals(tpvc, made, attempts, folder):
    """The value of `mem` by tool and version, as `tpvc fit` proposes it; `None` for a tool that keeps its value."""
    factor = " * int(job.destination_params.get('F', 1)) if job.destination_params else " if attempts > 1 else ""
    tools = [f"  {name}$:\n    mem: {one.today}{factor}{one.today if factor else ''}\n" for name, one in made.items()]
    grow = "    params:\n      F: \"{2 * int(job.destination_params.get('F', 1)) if job.destination_params else 2}\"\n"
    resubmit = (
        "    resubmit:\n      more:\n        condition: memory_limit_reached and attempt < %d\n        destination: tpv_dispatcher\n" % attempts
    )
    config = "tools:\n  default:\n    abstract: true\n    cores: 1\n" + (grow if attempts > 1 else "") + "".join(tools)
    config += "destinations:\n  d:\n    runner: slurm\n" + (resubmit if attempts > 1 else "") + "global: {default_inherits: default}\n"
    (folder / "config.yml").write_text(config)
    with open(folder / "jobs.jsonl", "w") as jobs:
        for name, one in made.items():
            ladder = [one.today * 2**attempt for attempt in range(attempts)]
            for index, job in enumerate(one.history):
                jobs.write(json.dumps(line(one.rng, name, job, index, ladder)) + "\n")
    command = [tpvc, "fit", "config.yml", "--jobs", "jobs.jsonl", "--format", "json", "-q"]
    report = json.loads(subprocess.run(command, cwd=folder, check=True, stdout=subprocess.PIPE).stdout)
    return {tool["tool"]: tool for tool in report["tools"]}


def judge(tpvc, seeds, first, attempts, verbose):
    made = histories(seeds, first, attempts)
    with tempfile.TemporaryDirectory() as folder:
        found = proposals(tpvc, made, attempts, Path(folder))
    totals = {}
    for name, one in made.items():
        tool = found[name]
        today = constant(one.today, attempts)
        default = ladder_of(tool["mem"], attempts) if tool["verdict"] == "change" else today
        by_version = {version: ladder_of(mem, attempts) for version, mem in tool.get("by_version", [])}
        lost_today = sum(cost(today(job), job)[1] for job in one.history)
        used = sorted(min(job.need, one.today * 2 ** (attempts - 1)) for job in one.history)
        best = least_waste(one.history, attempts, lost_today) or one.today
        rules = {
            "today": today,
            "fit": lambda job: by_version.get(job.version, default)(job),
            "least waste": constant(best, attempts),
            "p95 x 1.1": constant(used[len(used) * 95 // 100] * 1.1, attempts),
        }
        sums = {}
        for rule, ladder in rules.items():
            costs = [cost(ladder(job), job) for job in one.fresh]
            sums[rule] = (sum(total for total, _ in costs), sum(lost for _, lost in costs))
        kind = totals.setdefault(one.kind, {rule: [0.0, 0] for rule in rules} | {"pairs": 0, "changed": 0, "lost more": 0, "dearer": 0})
        for rule, (total, lost) in sums.items():
            kind[rule][0] += total
            kind[rule][1] += lost
        kind["pairs"] += 1
        kind["changed"] += tool["verdict"] == "change"
        kind["lost more"] += sums["fit"][1] > sums["today"][1]
        kind["dearer"] += sums["fit"][0] > sums["today"][0] * (1 + 1e-9)
        if verbose and (sums["fit"][1] > sums["today"][1] or sums["fit"][0] > sums["today"][0] * (1 + 1e-9)):
            print(f"  {name}: {len(one.history)} jobs, {tool.get('mem')}: {sums}")
    return totals


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("tpvc", type=Path)
    arguments.add_argument("--seeds", type=int, default=4)
    arguments.add_argument("--first", type=int, default=0, help="the first seed")
    arguments.add_argument("--verbose", action="store_true", help="name the histories whose proposal is worse than today's rules")
    arguments.add_argument("--attempts", type=int, nargs="+", default=[1, 4])
    options = arguments.parse_args()
    tpvc = options.tpvc.resolve()
    rules = ["today", "fit", "least waste", "p95 x 1.1"]
    wrong = []
    for attempts in options.attempts:
        totals = judge(tpvc, options.seeds, options.first, attempts, options.verbose)
        print(f"{attempts} attempt(s), seeds from {options.first}: GiB·h and lost jobs of {FRESH} fresh jobs a history")
        print(f"{'kind':<12}{'changed':>9}{'lost more':>11}{'dearer':>8}" + "".join(f"{rule:>22}" for rule in rules))
        everything = {rule: [0.0, 0] for rule in rules} | {"pairs": 0, "changed": 0, "lost more": 0, "dearer": 0}
        for kind, sums in [*totals.items(), ("all", everything)]:
            print(f"{kind:<12}{sums['changed']:>9}{sums['lost more']:>11}{sums['dearer']:>8}"
                  + "".join(f"{sums[rule][0]:>14,.0f}{sums[rule][1]:>8}" for rule in rules))
            if kind != "all":
                for rule in rules:
                    everything[rule] = [a + b for a, b in zip(everything[rule], sums[rule])]
                for count in ("pairs", "changed", "lost more", "dearer"):
                    everything[count] += sums[count]
        fit, pairs = everything["fit"], everything["pairs"]
        if fit[1] > everything["today"][1]:
            wrong.append(f"{attempts}: {fit[1]} jobs lost, {everything['today'][1]} today")
        if everything["lost more"] > 0.05 * pairs:
            wrong.append(f"{attempts}: {everything['lost more']} of {pairs} histories lose more jobs than today")
        if everything["dearer"] > 0.01 * pairs:
            wrong.append(f"{attempts}: {everything['dearer']} of {pairs} histories are dearer than today")
        for other in ("least waste", "p95 x 1.1"):
            if fit[0] > everything[other][0]:
                wrong.append(f"{attempts}: {fit[0]:,.0f} GiB·h, {everything[other][0]:,.0f} by {other}")
    for message in wrong:
        print("WRONG:", message)
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
