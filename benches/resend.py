#!/usr/bin/env python3
"""Lines of a job file again and again, with new ids, users, seeds and sizes each time: no line is like another.

    resend.py jobs.jsonl 25 | tpvc map rules.bin - --threads 1 -o /dev/null

With `--versions` the tools have new versions, too.
"""
import argparse
import json
import random

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("jobs")
parser.add_argument("rounds", type=int)
parser.add_argument("--versions", action="store_true")
arguments = parser.parse_args()

with open(arguments.jobs, encoding="utf-8") as file:
    jobs = [json.loads(line) for line in file]
rng = random.Random(1)
number = 0
for round_ in range(arguments.rounds):
    for job in jobs:
        number += 1
        job["id"], job["seed"] = f"job-{number}", rng.getrandbits(32)
        if round_ > 0:
            if user := job.get("user"):
                user["id"], user["username"] = number, f"someone{number}"
                if str(user["email"]).startswith("someone"):
                    user["email"] = f"someone{number}@example.org"
            for dataset in job["job"].get("input_datasets") or []:
                dataset["size"] = int(rng.random() * 400 * 2**30)
            tool = job["tool"]
            if arguments.versions and tool["id"].count("/") >= 5:
                tool["version"] = f"{round_}.{number % 7}+galaxy{round_}"
                tool["id"] = tool["id"].rsplit("/", 1)[0] + "/" + tool["version"]
        job["job"]["id"] = number
        print(json.dumps(job))
