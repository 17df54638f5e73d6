#!/usr/bin/env python3
"""Judges the verdicts of `tpvc test` on random properties, by other code than tpvc's.

    tests/prove/properties.py TPVC FOLDER... [--oracle COMMAND] [--file JOBS] [--count N] [--jobs N] [--seed N]

TPVC is the program, FOLDER a set with case.json, such as those of fixtures/record/generate_configs.py. Each proved property is attacked with the jobs of
`tpvc jobs`, with random crossings of these (the tool of one, the user of another, any size), and with those of job files, all mapped by tpvc. The job of
each refuted property must break it in TPV: COMMAND maps a job file (`python tpv_oracle.py`); without it, in tpvc. Prints the totals; exits 1 if a verdict
is wrong, or none is a proof.
"""

import argparse
import collections
import json
import random
import re
import shlex
import subprocess
import sys
import tempfile
import time
from pathlib import Path

GIB = 2**30
UUID = "00000000-0000-4000-8000-000000000001"
DECLARED = [{"cores_min": 8}, {"ram_min": 80_000}, {"cores_max": 1, "ram_max": 64}, {"cores_min": 200, "ram_min": 4_000_000}, {"cuda_device_count_min": 1}]


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines() if line]


def some_property(tools, destinations):
    """A random property: what it is about, and what it promises."""
    when = {"tool": random.choice(tools)}
    place = random.choice(destinations)
    amount = random.choice(["cores", "mem", "gpus"])
    kind = random.randrange(8)
    if random.random() < 0.1:
        when["tool"] = [random.choice(tools) for _ in range(3)]
    if random.random() < 0.1:
        when = {"user_defined": random.random() < 0.8}
    elif kind == 7 and random.random() < 0.3 or random.random() < 0.05:
        when = {}
    if random.random() < 0.1:
        when["user"] = None
    if random.random() < 0.1:
        when["input_size"] = random.choice(["> 10", "<= 5", "< 1"])
    bound = f"> {random.choice([0, 1, 4, 16, 60, 120, 250, 1000])}"
    promise = [
        ("never", {"destination": place}),
        ("never", {"destination": place}),
        ("always", {"destination": place}),
        ("never", {"destination": "~ ^" + re.escape(place[:5])}),
        ("never", {amount: bound}),
        ("never", {"destination": place, amount: bound}),
        ("never", {"error": "No destinations are available"}),
        ("never", {"destination": place, amount: bound}),
    ][kind]
    return when, promise


def crossed(made, number):
    """A random job of parts of others."""
    tool, user, job = (json.loads(json.dumps(random.choice(made).get(part))) for part in ("tool", "user", "job"))
    if random.random() < 0.15:
        tool["tool_type"] = random.choice(["user_defined", "interactive", "expression"])
        if tool["tool_type"] == "user_defined":
            tool["dynamic_tool_uuid"] = UUID
    if random.random() < 0.15:
        tool["resource_requirements"] = random.choice(DECLARED)
    if user and random.random() < 0.3:
        roles = (random.choice(made).get("user") or {}).get("roles") or []
        user["roles"] = list(user.get("roles") or []) + roles
    size = int(random.choice([0, 0.5, 1, 2, 5, 10, 30, 100, 1000]) * random.choice([1, random.random()]) * GIB)
    for dataset in job.get("input_datasets") or []:
        dataset["size"] = size
    return {"seed": number, "tool": tool, "user": user, "job": job, "job_wrapper": {}}


def within(bound, number):
    sign, limit = bound.split()
    return {">": number > float(limit), "<=": number <= float(limit), "<": number < float(limit)}[sign]


def describes(when, job):
    tool = job["tool"]
    name, uuid = tool["id"], tool.get("dynamic_tool_uuid")
    is_user_defined = bool(uuid) and tool.get("tool_type") == "user_defined"
    if uuid:
        name = f"{tool.get('tool_type') or 'default'}-{uuid}"
    patterns = when.get("tool", "")
    if not any(re.match(pattern, name) for pattern in ([patterns] if isinstance(patterns, str) else patterns)):
        return False
    if when.get("user_defined", is_user_defined) != is_user_defined or "user" in when and job.get("user"):
        return False
    datasets = (job.get("job") or {}).get("input_datasets") or []
    # A dataset that is there twice: both readings must say so.
    sizes = [sum(one.get("size") or 0 for one in some) / GIB for some in (datasets, {one.get("id"): one for one in datasets}.values())]
    return "input_size" not in when or all(within(when["input_size"], size) for size in sizes)


def has(promised, answer):
    """Whether an answer has all of it."""
    for key, value in promised.items():
        if key == "error":
            if "error" not in answer or value not in f"{answer['error']['type']}: {answer['error']['message']}":
                return False
        elif "error" in answer:
            return False
        elif key == "destination":
            place = answer["destination"]["id"]
            if not (re.search(value[2:], place) if value.startswith("~ ") else place == value):
                return False
        elif not within(value, answer[key] or 0):
            return False
    return True


def breaks(promise, answer):
    kind, promised = promise
    return has(promised, answer) if kind == "never" else "error" not in answer and not has(promised, answer)


def attacked(args, folder, place):
    """The verdicts on properties of a set, the times that a job was looked at for a proof, and the verdicts that are wrong."""
    configs = [str((folder / name).resolve()) for name in json.loads((folder / "case.json").read_text())["configs"]]
    world = ["--world", str(folder / "world.json")] if (folder / "world.json").exists() else []

    def maps(mapper, jobs):
        named = [word for config in configs for word in ("--config", config)]
        file = ["--jobs", jobs] if mapper is args.oracle else [jobs]
        subprocess.run([*shlex.split(mapper), "map", *named, *world, *file, "-o", place / "answers.jsonl"], check=True, capture_output=True)
        return lines(place / "answers.jsonl")

    check = subprocess.run([args.tpvc, "check", *configs, "--matrix", place / "matrix.json"], capture_output=True, text=True)
    if not (place / "matrix.json").exists():
        # A config with errors has no matrix.
        return [], 0, [] if check.returncode == 1 else [check.stderr[-400:]]
    matrix = json.loads((place / "matrix.json").read_text())
    tools = [tool["id"] for tool in matrix["tools"][:-2]] or ["bwa"]
    destinations = [one["id"] for one in matrix["destinations"]] or ["slurm"]
    properties = [some_property(tools, destinations) for _ in range(args.count)]
    items = [{"name": str(at), "when": when, kind: value} for at, (when, (kind, value)) in enumerate(properties)]
    (place / "tests.yml").write_text(json.dumps({"config": configs, "properties": items}))
    run = subprocess.run([args.tpvc, "test", place / "tests.yml", "--format", "json", *world], capture_output=True, text=True)
    if not run.stdout:
        return [], 0, [run.stderr[-400:]]
    found = list(zip(properties, json.loads(run.stdout)["properties"], strict=True))
    made, jobs, wrong = place / "made.jsonl", place / "jobs.jsonl", []
    subprocess.run([args.tpvc, "jobs", *configs, *world, "-o", made], check=True, capture_output=True)
    own = lines(made)
    jobs.write_text("".join(json.dumps(crossed(own, number)) + "\n" for number in range(args.jobs)))
    proved = [one for one, verdict in found if verdict["verdict"] == "proved"]
    asked = 0
    for file in [made, jobs, *args.file]:
        # Only a job whose answer breaks a property is looked at closely; many answers are equal.
        answers = collections.defaultdict(list)
        for job, answer in zip(lines(file), maps(args.tpvc, file), strict=True):
            place_of = answer.get("destination", {}).get("id"), *(answer.get(amount) for amount in ("cores", "mem", "gpus"))
            answers[place_of, json.dumps(answer.get("error"))].append((job, answer))
        asked += len(proved) * sum(map(len, answers.values()))
        for when, promise in proved:
            for alike in answers.values():
                broken = breaks(promise, alike[0][1]) and next((one for one in alike if "tool" in one[0] and describes(when, one[0])), None)
                if broken:
                    wrong.append(f"proved, and not true: {when} {promise}\n  {broken[0]}\n  {broken[1]}")
                    break
    refuted = [(one, verdict["job"]) for one, verdict in found if verdict["verdict"] == "refuted"]
    jobs.write_text("".join(json.dumps({**job, "id": at}) + "\n" for at, (_, job) in enumerate(refuted)))
    for ((when, promise), job), answer in zip(refuted, maps(args.oracle or args.tpvc, jobs) if refuted else []):
        if not describes(when, job) or not breaks(promise, answer):
            wrong.append(f"not refuted by its job: {when} {promise}\n  {job}\n  {answer}")
    return [verdict["verdict"] for _, verdict in found], asked, wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tpvc")
    parser.add_argument("folder", nargs="+", type=Path)
    parser.add_argument("--oracle")
    parser.add_argument("--file", type=Path, action="append", default=[])
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--jobs", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    totals, all_asked, failed = collections.Counter(), 0, 0
    for folder in args.folder:
        random.seed(f"{args.seed} {folder.name}")
        started = time.time()
        with tempfile.TemporaryDirectory() as place:
            verdicts, asked, wrong = attacked(args, folder, Path(place))
        for one in wrong:
            print(f"{folder.name}: {one}"[:1500])
        words = ", ".join(f"{count} {word}" for word, count in collections.Counter(verdicts).items())
        print(f"{folder.name}: {words}; proofs asked of a job {asked:,} times; {time.time() - started:.1f} s", flush=True)
        totals.update(verdicts)
        all_asked += asked
        failed += len(wrong)
    print(f"{dict(totals)}, proofs asked of a job {all_asked:,} times, {failed} wrong")
    sys.exit(bool(failed) or not totals["proved"])


if __name__ == "__main__":
    main()
