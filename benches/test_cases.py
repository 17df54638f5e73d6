#!/usr/bin/env python3
"""What `tpvc test` costs beside `tpvc map`: `test_cases.py TPVC JOBS [--world WORLD] CONFIG...`.

Maps the jobs, makes a test case of each that expects its whole answer, and runs both in turn, in processes of their own, reading and compiling the
configs included. Prints the median of five, and how many times the one is the other.
"""

import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROUNDS = 5


def case(job, answer):
    """A test case: the job in the long form, and all of its answer."""
    if "error" in answer:
        expect = {"error": answer["error"]}
    else:
        destination = answer["destination"]
        variables = {one["name"]: one["value"] for one in destination["env"] if "name" in one}
        expect = {"destination": destination["id"], "runner": destination["runner"], "params": destination["params"], "env": variables}
        expect |= {name: answer[name] for name in ("cores", "mem", "gpus")}
    job = {key: value for key, value in job.items() if key != "id"}
    return {"job": job, "expect": expect}


def seconds(command):
    start = time.perf_counter()
    run = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return time.perf_counter() - start


def main():
    tpvc, jobs, *configs = sys.argv[1:]
    world = []
    if configs[0] == "--world":
        world, configs = configs[:2], configs[2:]
    with tempfile.TemporaryDirectory() as folder:
        answers = Path(folder, "answers.jsonl")
        mapping = [tpvc, "map", *(part for config in configs for part in ("--config", config)), jobs, "-o", str(answers), *world]
        seconds(mapping)
        lines = zip(Path(jobs).read_text().splitlines(), answers.read_text().splitlines(), strict=True)
        cases = [case(json.loads(job), json.loads(answer)) for job, answer in lines]
        tests = Path(folder, "tests.yml")
        # A case a line, as JSON, which is YAML, too.
        head = {"config": [str(Path(config).resolve()) for config in configs]} | ({"world": str(Path(world[1]).resolve())} if world else {})
        rows = "".join(f"  - {json.dumps(one, ensure_ascii=False)}\n" for one in cases)
        tests.write_text("".join(f"{key}: {json.dumps(value)}\n" for key, value in head.items()) + f"tests:\n{rows}")
        commands = {"map": mapping, "test": [tpvc, "test", str(tests)], "test --coverage": [tpvc, "test", str(tests), f"--coverage={folder}/c.json"]}
        times = {name: [] for name in commands}
        for _ in range(ROUNDS):
            for name, command in commands.items():
                times[name].append(seconds(command))
    median = {name: statistics.median(found) for name, found in times.items()}
    for name, found in median.items():
        print(f"{name:16} {found:6.3f} s  {found / median['map']:5.1f} times map  ({len(cases):,} jobs)")


if __name__ == "__main__":
    main()
