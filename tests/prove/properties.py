#!/usr/bin/env python3
"""Judges the verdicts of `tpvc test` on random properties of real configs.

    tests/prove/properties.py TPVC ORACLE FOLDER... [--count N] [--jobs N] [--seed N]

TPVC is the program, ORACLE the command that maps a job file by TPV (`python tpv_oracle.py`, in one word), FOLDER a set with case.json. The job of each
refuted property is mapped by TPV, and must break the property there. Each proved property is attacked with random jobs of generate_jobs.py, mapped by
tpvc. Both are judged by other code than tpvc's. Prints the totals; exits 1 if a verdict is wrong. Run it with the Python of docs/recording.md.
"""

import argparse
import json
import random
import re
import shlex
import subprocess
import sys
import tempfile
import time
from pathlib import Path

RECORD = Path(__file__).resolve().parents[2] / "fixtures" / "record"


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def some_property(tools, destinations):
    """A random property: what it is about, and what it promises."""
    when = {"tool": random.choice(tools)}
    place = random.choice(destinations)
    amount = random.choice(["cores", "mem", "gpus"])
    kind = random.randrange(8)
    if random.random() < 0.1:
        when["tool"] = [random.choice(tools) for _ in range(3)]
    if random.random() < 0.1:
        when = {"user_defined": True}
    elif kind == 7 and random.random() < 0.3:
        when = {}
    if random.random() < 0.1:
        when["user"] = None
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


def describes(when, job):
    tool = job["tool"]
    name, uuid = tool["id"], tool.get("dynamic_tool_uuid")
    if uuid:
        name = f"{tool.get('tool_type') or 'default'}-{uuid}"
    patterns = when.get("tool", "")
    if not any(re.match(pattern, name) for pattern in ([patterns] if isinstance(patterns, str) else patterns)):
        return False
    if when.get("user_defined") and not (uuid and tool.get("tool_type") == "user_defined"):
        return False
    return not ("user" in when and job.get("user"))


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
        elif not (answer[key] or 0) > float(value[2:]):
            return False
    return True


def breaks(promise, answer):
    kind, promised = promise
    return has(promised, answer) if kind == "never" else "error" not in answer and not has(promised, answer)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tpvc")
    parser.add_argument("oracle")
    parser.add_argument("folder", nargs="+", type=Path)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--jobs", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    random.seed(args.seed)
    wrong, totals = 0, {"proved": 0, "refuted": 0, "unknown": 0}
    for folder in args.folder:
        configs = [str(folder / name) for name in json.loads((folder / "case.json").read_text())["configs"]]
        named = [word for config in configs for word in ("--config", config)]
        world = ["--world", str(folder / "world.json")] if (folder / "world.json").exists() else []
        with tempfile.TemporaryDirectory() as place:
            place = Path(place)
            subprocess.run([args.tpvc, "check", *configs, "--matrix", place / "matrix.json"], capture_output=True)
            if not (place / "matrix.json").exists():
                continue
            matrix = json.loads((place / "matrix.json").read_text())
            tools = [tool["id"] for tool in matrix["tools"][:-2]] or ["bwa"]
            destinations = [one["id"] for one in matrix["destinations"]]
            if not destinations:
                continue
            made = [some_property(tools, destinations) for _ in range(args.count)]
            items = [{"name": str(at), "when": when, kind: value} for at, (when, (kind, value)) in enumerate(made)]
            (place / "tests.yml").write_text(json.dumps({"config": configs, "properties": items}))
            command = [args.tpvc, "test", place / "tests.yml", "--format", "json", *world]
            started = time.time()
            run = subprocess.run(command, capture_output=True, text=True)
            seconds = time.time() - started
            if not run.stdout:
                print(f"{folder.name}: {run.stderr[-400:]}")
                continue
            found = json.loads(run.stdout)["properties"]
            for one in found:
                totals[one["verdict"]] += 1
            refuted = [one for one in found if one["verdict"] == "refuted"]
            jobs, answers = place / "jobs.jsonl", place / "answers.jsonl"
            if refuted:
                jobs.write_text("".join(json.dumps({**one["job"], "id": at}) + "\n" for at, one in enumerate(refuted)))
                subprocess.run([*shlex.split(args.oracle), "map", *named, "--jobs", jobs, "-o", answers, *world], check=True)
            for one, answer in zip(refuted, lines(answers) if refuted else []):
                when, promise = made[int(one["name"])]
                if not describes(when, one["job"]) or not breaks(promise, answer):
                    wrong += 1
                    print(f"{folder.name}: TPV does not refute {when} {promise}\n  {one['job']}\n  {answer}"[:1500])
            generate = [sys.executable, RECORD / "generate_jobs.py", *configs, "-n", str(args.jobs), "--seed", str(args.seed)]
            jobs.write_text(subprocess.run(generate, capture_output=True, text=True, check=True).stdout)
            subprocess.run([args.tpvc, "map", *named, jobs, "-o", answers, *world], check=True, capture_output=True)
            proved = [made[int(one["name"])] for one in found if one["verdict"] == "proved"]
            asked = 0
            for job, answer in zip(lines(jobs), lines(answers)):
                for when, promise in proved:
                    if "tool" not in job or not describes(when, job):
                        continue
                    asked += 1
                    if breaks(promise, answer):
                        wrong += 1
                        print(f"{folder.name}: not true: {when} {promise}\n  {job}\n  {answer}"[:1500])
        words = [sum(one["verdict"] == word for one in found) for word in totals]
        print(f"{folder.name}: {words} proved, refuted, unknown in {seconds:.1f} s; proofs asked of a job {asked} times", flush=True)
    print(f"{totals}, {wrong} wrong")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
